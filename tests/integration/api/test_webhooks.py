"""``/v1/webhooks``: who may register what, and who sees it."""

import asyncio
import base64
from pathlib import Path
from typing import Any

import pytest

from dice_service import sealing
from dice_service.cli import main
from dice_service.sealing import SealingRing
from dice_service.webhooks.registry import opened as secret_of
from tests.support.api import Api, opened

pytestmark = pytest.mark.anyio

HOOK = "/v1/webhooks/my-server"
BODY = {"url": "https://game.invalid/zarf?token=t0k", "events": ["match.ended"]}


async def test_a_webhook_is_registered_once_and_a_repeat_has_the_same_secret(api: Api) -> None:
    first = await api.put(HOOK, BODY)
    assert first.status_code == 201
    made = first.json()
    assert {name: made[name] for name in BODY} == BODY
    assert made["webhook_id"] == "my-server"
    assert len(base64.b64decode(made["secret"].removeprefix("whsec_"), validate=True)) == 32
    again = await api.put(HOOK, {"url": BODY["url"]})
    assert (again.status_code, again.content) == (200, first.content)
    other = await api.put(HOOK, BODY | {"url": "https://game.invalid/other"})
    assert (other.status_code, other.json()["code"]) == (409, "webhook-differs")
    second = await api.put("/v1/webhooks/second", BODY)
    assert second.json()["secret"] != made["secret"]


async def test_the_secret_is_shown_by_nothing_else_and_stored_sealed(
    api: Api, log_lines: Any
) -> None:
    made = (await api.put(HOOK, BODY)).json()
    key = await api.key()
    seen = {name: made[name] for name in made if name != "secret"} | {"state": "active"}
    assert (await api.send("GET", HOOK, key)).json() == seen
    assert (await api.send("GET", "/v1/webhooks", key)).json() == {"webhooks": [seen]}
    row = await api.service.storage.webhooks.webhook("club", "my-server")
    assert row is not None
    secret = base64.b64decode(made["secret"].removeprefix("whsec_"))
    assert secret not in row.sealed
    logged = log_lines.getvalue()
    assert "my-server" not in logged
    for hidden in (made["secret"][6:], secret.hex(), "t0k"):
        assert hidden not in logged + repr(row)


async def test_requests_two_at_once_make_one_webhook(api: Api) -> None:
    await api.key()
    answers = await asyncio.gather(*(api.put(HOOK, BODY) for _ in range(6)))
    assert sorted(answer.status_code for answer in answers) == [200] * 5 + [201]
    assert len({answer.content for answer in answers}) == 1


async def test_another_owner_cannot_see_or_touch_it(api: Api) -> None:
    await api.put(HOOK, BODY)
    rival = await api.key("rival")
    for method, path in (("GET", HOOK), ("DELETE", HOOK), ("GET", HOOK + "/deliveries")):
        theirs = await api.send(method, path, rival)
        none = await api.send(method, path.replace("my-server", "none"), rival)
        assert (theirs.status_code, theirs.content) == (404, none.content)
    assert (await api.send("GET", "/v1/webhooks", rival)).json() == {"webhooks": []}
    own = await api.put(HOOK, {"url": "https://rival.invalid/"}, rival)
    assert own.status_code == 201  # an id is an owner's own
    assert (await api.send("GET", HOOK, await api.key())).json()["url"] == BODY["url"]


async def test_reading_and_writing_need_their_scopes_and_a_player_has_none(api: Api) -> None:
    token = (await api.open("m"))[0]
    reader, writer = await api.key("club", "match:read"), await api.key("club", "match:write")
    admin = await api.key("club", "admin")
    reads = [("GET", HOOK), ("GET", "/v1/webhooks"), ("GET", HOOK + "/deliveries")]
    writes = [("PUT", HOOK), ("DELETE", HOOK)]
    assert (await api.put(HOOK, BODY, admin)).status_code == 201
    for method, path in reads + writes:
        options = {"json": BODY} if method == "PUT" else {}
        wrong = writer if (method, path) in reads else reader
        for bearer, status in ((None, 401), (token, 403), (wrong, 403), ("zk_" + "a" * 52, 401)):
            answer = await api.send(method, path, bearer, **options)
            assert answer.status_code == status, (method, path)
        right = reader if (method, path) in reads else writer
        assert (await api.send(method, path, right, **options)).is_success


async def test_deleting_is_done_once_and_may_be_asked_again(api: Api) -> None:
    old = (await api.put(HOOK, BODY)).json()["secret"]
    key = await api.key()
    for _ in range(2):
        answer = await api.send("DELETE", HOOK, key)
        assert (answer.status_code, answer.content) == (204, b"")
    assert (await api.send("DELETE", "/v1/webhooks/none", key)).status_code == 404
    for path in (HOOK, HOOK + "/deliveries"):
        assert (await api.send("GET", path, key)).status_code == 404
    new = await api.put(HOOK, {"url": "https://game.invalid/new"})
    assert new.status_code == 201
    assert new.json()["secret"] != old


async def test_an_owner_has_ten_at_most(api: Api) -> None:
    for number in range(10):
        assert (await api.put(f"/v1/webhooks/h{number}", BODY)).status_code == 201
    refused = await api.put("/v1/webhooks/h10", BODY)
    assert (refused.status_code, refused.json()["code"]) == (409, "webhook-limit")
    assert (await api.put("/v1/webhooks/h9", BODY)).status_code == 200
    assert (await api.put("/v1/webhooks/h10", BODY, await api.key("rival"))).status_code == 201
    await api.send("DELETE", "/v1/webhooks/h3", await api.key())
    assert (await api.put("/v1/webhooks/h10", BODY)).status_code == 201


@pytest.mark.parametrize(
    "url",
    [
        "",
        "game.invalid",
        "http://game.invalid/",
        "ftp://game.invalid/",
        "https://user:secret@game.invalid/",
        "https://user@game.invalid/",
        "https://game.invalid/#part",
        "https://game.invalid:0/",
        "https://game.invalid:65536/",
        "https://game.invalid:99999/",
        "https://game.invalid\\@127.0.0.1/",
        "https://game.invalid/a b",
        "https://game.invalid/\r\nx: y",
        "https://game.invalid/\n",
        "https://çay.invalid/",
        "https://[::1/",
        "https://[:::::]/",
        "https://" + "a" * 2_000,
        "https://127.0.0.1/",
        "https://[::1]/",
        "https://[::ffff:10.0.0.1]/",
        "https://169.254.169.254/latest",
        "https://10.1.2.3:8443/",
        None,
        7,
    ],
)
async def test_an_address_that_is_none_or_not_for_us_is_refused(api: Api, url: Any) -> None:
    answer = await api.put(HOOK, {"url": url})
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid"), answer.text
    assert answer.json()["errors"][0]["field"] == "url"


@pytest.mark.parametrize(
    "body",
    [
        {},
        BODY | {"events": []},
        BODY | {"events": ["match.ended", "match.ended"]},
        BODY | {"events": ["match.opened"]},
        BODY | {"events": "match.ended"},
        BODY | {"secret": "whsec_AAAA"},
    ],
)
async def test_a_body_of_another_shape_is_refused(api: Api, body: dict[str, Any]) -> None:
    assert (await api.put(HOOK, body)).status_code == 422


async def test_private_addresses_are_let_in_where_the_operator_says_so(tmp_path: Path) -> None:
    async with opened(tmp_path, webhook_targets="local") as api:
        for number, host in enumerate(("http://127.0.0.1:9", "http://[::1]:9", "https://10.0.0.1")):
            assert (await api.put(f"/v1/webhooks/h{number}", {"url": host})).status_code == 201
        for host in ("http://169.254.169.254", "http://0.0.0.0:80", "http://8.8.8.8"):
            assert (await api.put("/v1/webhooks/no", {"url": host})).status_code == 422


async def test_deliveries_are_paged_from_the_newest_on(api: Api) -> None:
    await api.put(HOOK, BODY)
    for number in range(5):
        await api.open(f"m-{number}")
        assert (await api.put(f"m-{number}/end", {"reason": "abort"})).status_code == 201
    key = await api.key()
    found: list[dict[str, Any]] = []
    after: dict[str, Any] = {}
    while True:
        answer = await api.send("GET", HOOK + "/deliveries", key, params={"limit": 2} | after)
        page = answer.json()
        assert len(page["deliveries"]) <= 2
        found += page["deliveries"]
        if page["next"] is None:
            break
        after = {"after": page["next"]}
    assert [one["match_id"] for one in found] == [f"m-{number}" for number in range(4, -1, -1)]
    assert {one["event"] for one in found} == {"match.ended"}
    assert len({one["message_id"] for one in found}) == 5
    bad = await api.send("GET", HOOK + "/deliveries", key, params={"after": "x"})
    assert (bad.status_code, bad.json()["code"]) == (422, "invalid")


async def test_secrets_are_sealed_anew_with_the_seeds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async with opened(tmp_path) as api:
        made = (await api.put(HOOK, BODY)).json()
        await api.put("/v1/webhooks/gone", BODY)
        await api.send("DELETE", "/v1/webhooks/gone", await api.key())
        await api.open("m")
        new_key = sealing.make_key(tmp_path / "keys")
        monkeypatch.setenv("DICE_DATABASE", f"sqlite:///{tmp_path / 'dice.db'}")
        monkeypatch.setenv("DICE_KEYS", str(tmp_path / "keys"))
        assert await asyncio.to_thread(main, ["keys", "reseal"]) == 0
        assert capsys.readouterr().out == (
            f"sealed 1 seeds and 1 webhooks' secrets anew with {new_key}\n"
        )
        row = await api.service.storage.webhooks.webhook("club", "my-server")
        assert row is not None
        assert row.sealing_key_id == new_key
        secret = secret_of(SealingRing.load(tmp_path / "keys"), row)
        assert base64.b64encode(secret).decode() == made["secret"].removeprefix("whsec_")


async def test_attempts_and_what_waits_are_counted(api: Api) -> None:
    await api.put(HOOK, {"url": "https://0/"})  # which is 0.0.0.0, and refused when looked up
    await api.open("m")
    await api.put("m/end", {"reason": "abort"})
    key = await api.key()
    async with asyncio.timeout(30):
        while not (await _attempts(api, key)):  # noqa: ASYNC110 - an owner has no other way
            await asyncio.sleep(0.02)
    (attempt,) = await _attempts(api, key)
    assert (attempt["status"], attempt["error"]) == (None, "address-refused")
    metrics = (await api.send("GET", "/metrics")).text
    assert 'dice_webhook_attempts_total{outcome="again"} 1.0' in metrics
    assert "dice_webhooks_pending 1.0" in metrics


async def _attempts(api: Api, key: str) -> list[dict[str, Any]]:
    page = (await api.send("GET", HOOK + "/deliveries", key)).json()
    found: list[dict[str, Any]] = page["deliveries"][0]["attempts"]
    return found
