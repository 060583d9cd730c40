"""Where an owner can have the service post to, and where not."""

import datetime as dt
import ssl
from collections.abc import Iterator
from ipaddress import ip_address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from dice_service.webhooks.sending import Outcome, Resolve, Sender, Targets, allowed
from tests.support.receiver import Receiver, receiver

pytestmark = pytest.mark.anyio

# From the registries of special-purpose addresses (RFC 6890 and IANA's lists since).
INTERNAL = [
    *("127.0.0.1", "127.9.9.9", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1"),
    *("100.64.0.1", "198.18.0.1", "::1", "fc00::1", "fd12::1"),
    *("::ffff:127.0.0.1", "::ffff:10.1.2.3", "64:ff9b::10.0.0.1", "2002:7f00:1::1"),
]
NOWHERE = [
    *("169.254.169.254", "fe80::1", "fe80::1%eth0", "0.0.0.0", "::", "224.0.0.1", "ff02::1"),
    *("255.255.255.255", "240.0.0.1", "fec0::1", "::ffff:169.254.169.254"),
    *("64:ff9b::169.254.169.254", "2002:a9fe:a9fe::1", "::127.0.0.1"),
]
PUBLIC = ["8.8.8.8", "172.32.0.1", "2606:4700::1", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8"]


@pytest.mark.parametrize(
    ("addresses", "public", "local"),
    [
        (INTERNAL, {"https": False, "http": False}, {"https": True, "http": True}),
        (NOWHERE, {"https": False, "http": False}, {"https": False, "http": False}),
        (PUBLIC, {"https": True, "http": False}, {"https": True, "http": False}),
    ],
)
def test_an_address_is_judged_by_where_it_leads(
    addresses: list[str], public: dict[str, bool], local: dict[str, bool]
) -> None:
    for address in addresses:
        for scheme in ("https", "http"):
            assert allowed(ip_address(address), scheme, "public") is public[scheme], address
            assert allowed(ip_address(address), scheme, "local") is local[scheme], address


def to(*addresses: str) -> Resolve:
    async def resolve(_host: str, _port: int) -> list[str]:
        return list(addresses)

    return resolve


@pytest.fixture
def there() -> Iterator[Receiver]:
    with receiver() as found:
        yield found


async def post(url: str, targets: Targets, resolve: Resolve | None = None) -> Outcome:
    sender = Sender(targets, resolve=resolve)
    outcome = await sender.post(url, {}, b"{}")
    await sender.close()
    return outcome


@pytest.mark.parametrize(
    ("host", "addresses"),
    [
        ("127.0.0.1", None),
        ("localhost", None),
        ("0", None),  # which some resolvers take for 0.0.0.0
        ("2130706433", None),  # 127.0.0.1 as one number
        ("rebound.test", ["127.0.0.1"]),
        ("both.test", ["8.8.8.8", "127.0.0.1"]),
    ],
)
@pytest.mark.parametrize("scheme", ["http", "https"])
async def test_by_default_this_machine_is_not_posted_to_whatever_it_is_called(
    there: Receiver, scheme: str, host: str, addresses: list[str] | None
) -> None:
    resolve = to(*addresses) if addresses else None
    outcome = await post(f"{scheme}://{host}:{there.port}/", "public", resolve)
    assert outcome == Outcome(None, "address-refused")
    assert there.requests == []


async def test_the_address_judged_is_the_one_connected_to(there: Receiver) -> None:
    answers = [["127.0.0.1"], ["169.254.169.254"]]

    async def changing(_host: str, _port: int) -> list[str]:
        return answers.pop(0)

    outcome = await post(f"http://game.test:{there.port}/hook", "local", changing)
    assert outcome == Outcome(200)
    assert len(answers) == 1  # it was asked once
    ((_, headers, _),) = there.requests
    assert headers["host"] == f"game.test:{there.port}"


async def test_where_one_address_is_down_the_next_is_tried(there: Receiver) -> None:
    outcome = await post(f"http://game.test:{there.port}/", "local", to("127.0.0.99", "127.0.0.1"))
    assert outcome == Outcome(200)


async def test_a_name_that_nobody_has_is_told_as_such() -> None:
    assert await post("https://nowhere.invalid/", "public") == Outcome(None, "name-not-found")
    assert await post("https://empty.test/", "public", to()) == Outcome(None, "name-not-found")


async def test_no_proxy_of_the_environment_is_asked(
    there: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    with receiver() as proxy:
        for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "ALL_PROXY"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
        assert await post(there.url, "local") == Outcome(200)
        assert proxy.requests == []


@pytest.fixture(scope="module")
def certified(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate for game.test that signs itself, with its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "game.test")])
    now = dt.datetime.now(dt.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("game.test")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    file = tmp_path_factory.mktemp("tls") / "game.pem"
    pem, plain = serialization.Encoding.PEM, serialization.NoEncryption()
    file.write_bytes(
        key.private_bytes(pem, serialization.PrivateFormat.PKCS8, plain)
        + certificate.public_bytes(pem)
    )
    return file


@pytest.mark.parametrize(
    ("host", "trusted", "outcome"),
    [
        ("game.test", True, Outcome(200)),
        ("other.test", True, Outcome(None, "tls")),
        ("127.0.0.1", True, Outcome(None, "tls")),
        ("game.test", False, Outcome(None, "tls")),
    ],
)
async def test_a_certificate_must_be_of_the_name_that_was_registered(
    certified: Path, host: str, trusted: bool, outcome: Outcome
) -> None:
    its = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    its.load_cert_chain(certified)
    ours = ssl.create_default_context(cafile=str(certified)) if trusted else None
    with receiver(its) as there:
        sender = Sender("local", resolve=to("127.0.0.1"), context=ours)
        found = await sender.post(f"https://{host}:{there.port}/hook", {}, b"{}")
        await sender.close()
        assert found == outcome
        assert len(there.requests) == (outcome.status == 200)
