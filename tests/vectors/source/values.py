"""Rolls, bytes, seeds and signatures: the protocol's values, made with nothing of the verifier."""

import hashlib
import hmac
from collections.abc import Iterator
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

SERVER_SEED = hashlib.sha256(b"vectors: server").digest()
SEEDS = tuple(hashlib.sha256(b"vectors: player %d" % player).hexdigest() for player in (0, 1))
KEY = Ed25519PrivateKey.from_private_bytes(hashlib.sha256(b"vectors: signing key").digest())
LARGEST = 2**53 - 1

# RFC 8032, 7.1, tests 1 to 3: secret key, public key, message, signature.
RFC_8032 = (
    (
        "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        (
            "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46b"
            "d25bf5f0595bbe24655141438e7a100b"
        ),
    ),
    (
        "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        (
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c"
            "387b2eaeb4302aeeb00d291612bb0c00"
        ),
    ),
    (
        "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        (
            "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc659"
            "4a7c15e9716ed28dc027beceea1ec40a"
        ),
    ),
)


def rolls() -> Iterator[dict[str, Any]]:
    """Every roll there is, the bytes on both sides of the boundary, and the ends of each field."""
    found: dict[tuple[int, ...], int] = {}
    firsts: dict[int, int] = {}
    seconds: dict[int, int] = {}
    index = 0
    while len(found) < 36 or not {251, 252, 255} <= firsts.keys() & seconds.keys():
        roll = _roll("vectors", index, "")
        digest = bytes.fromhex(roll["digest"])
        found.setdefault(tuple(roll["dice"]), index)
        firsts.setdefault(digest[0], index)
        seconds.setdefault(digest[1], index)
        index += 1
    for dice in sorted(found):
        yield _roll("vectors", found[dice], "roll {}-{}".format(*dice))
    for byte in (251, 252, 255):
        kind = "the last that is a die" if byte == 251 else "skipped"
        yield _roll("vectors", firsts[byte], f"first byte {byte}: {kind}")
        yield _roll("vectors", seconds[byte], f"second byte {byte}: {kind}")
    for number in (0, 9, 10, 4294967296, LARGEST):
        yield _roll("vectors", number, f"index {number}")
    for length in (1, 64):
        yield _roll(("Az09._-" * 10)[:length], 0, f"match id of {length} characters")


def _roll(match_id: str, index: int, shows: str) -> dict[str, Any]:
    message = f"zarf/1:roll:{match_id}:{SEEDS[0]}:{SEEDS[1]}:{index}:0"
    digest = hmac.new(SERVER_SEED, message.encode("ascii"), "sha256").digest()
    taken = [place for place, byte in enumerate(digest) if byte < 252][:2]
    return {
        "shows": shows,
        "match_id": match_id,
        "server_seed": SERVER_SEED.hex(),
        "seeds": list(SEEDS),
        "index": index,
        "message": message,
        "digest": digest.hex(),
        "skipped": [place for place in range(taken[1]) if digest[place] >= 252],
        "taken": taken,
        "dice": [digest[place] % 6 + 1 for place in taken],
    }


def bytes_to_dice() -> list[dict[str, Any]]:
    """Digests as they might come, and the dice in them, worked by hand."""
    skip = "fc"
    return [
        {"shows": "0 is a 1, 5 is a 6", "digests": ["0005" + "00" * 30], "dice": [1, 6],
         "taken": [[0, 1]], "skipped": [[]]},
        {"shows": "6 is a 1 again: the face 6 is never 0", "digests": ["0605" + "00" * 30],
         "dice": [1, 6], "taken": [[0, 1]], "skipped": [[]]},
        {"shows": "251 is the last die, a 6", "digests": ["fbfb" + "00" * 30], "dice": [6, 6],
         "taken": [[0, 1]], "skipped": [[]]},
        {"shows": "252 is skipped", "digests": ["fc0102" + "00" * 29], "dice": [2, 3],
         "taken": [[1, 2]], "skipped": [[0]]},
        {"shows": "252 to 255 are skipped, before and between",
         "digests": ["fc03fdfeff04" + "00" * 26], "dice": [4, 5], "taken": [[1, 5]],
         "skipped": [[0, 2, 3, 4]]},
        {"shows": "what comes after the second die is not read", "digests": ["0102" + "ff" * 30],
         "dice": [2, 3], "taken": [[0, 1]], "skipped": [[]]},
        {"shows": "both dice in the last two bytes", "digests": [skip * 30 + "0a0b"],
         "dice": [5, 6], "taken": [[30, 31]], "skipped": [list(range(30))]},
        {"shows": "31 bytes to skip: the one die is kept, the second comes from block 1",
         "digests": [skip * 31 + "03", "0405" + "00" * 30], "dice": [4, 5],
         "taken": [[31], [0]], "skipped": [list(range(31)), []]},
        {"shows": "a die first and then 31 bytes to skip", "digests": ["02" + "ff" * 31,
         "fdfe01" + "00" * 29], "dice": [3, 2], "taken": [[0], [2]],
         "skipped": [list(range(1, 32)), [0, 1]]},
        {"shows": "32 bytes to skip: both dice come from block 1",
         "digests": ["ff" * 32, "0001" + "00" * 30], "dice": [1, 2], "taken": [[], [0, 1]],
         "skipped": [list(range(32)), []]},
        {"shows": "one die in each of blocks 1 and 2",
         "digests": ["fe" * 32, "fd" * 31 + "04", "05" + "00" * 31], "dice": [5, 6],
         "taken": [[], [31], [0]], "skipped": [list(range(32)), list(range(31)), []]},
    ]  # fmt: skip


def seeds() -> dict[str, Any]:
    """Seeds with their commitments, and texts that are no seeds."""
    good = [SERVER_SEED.hex(), *SEEDS, "00" * 31 + "01", "ff" * 31 + "fe"]
    return {
        "seeds": [
            {"seed": seed, "commitment": hashlib.sha256(bytes.fromhex(seed)).hexdigest()}
            for seed in good
        ],
        "refused": [
            {"shows": "16 bytes", "text": SERVER_SEED.hex()[:32]},
            {"shows": "33 bytes", "text": SERVER_SEED.hex() + "00"},
            {"shows": "half a byte too few", "text": SERVER_SEED.hex()[:-1]},
            {"shows": "upper case", "text": SERVER_SEED.hex().upper()},
            {"shows": "32 equal bytes", "text": "5a" * 32},
            {"shows": "zeros", "text": "00" * 32},
            {"shows": "not hex", "text": "g" * 64},
            {"shows": "digits that are not ASCII", "text": "\u0661" * 64},
            {"shows": "a line end after it", "text": SERVER_SEED.hex() + "\n"},
            {"shows": "a prefix before it", "text": "0x" + SERVER_SEED.hex()[2:]},
            {"shows": "nothing", "text": ""},
        ],
    }


def signatures() -> dict[str, Any]:
    """Ed25519 as RFC 8032 has it, and the service's signatures over heads."""
    heads = []
    public = KEY.public_key().public_bytes_raw()
    for match_id, seq in (("a", 0), ("vectors", 3), (("Az09._-" * 10)[:64], LARGEST)):
        head = hashlib.sha256(f"line {seq} of {match_id}".encode()).hexdigest()
        message = f"zarf/1:head:{match_id}:{seq}:{head}"
        heads.append({"match_id": match_id, "seq": seq, "head": head, "message": message,
                      "sig": KEY.sign(message.encode("ascii")).hex()})  # fmt: skip
    return {
        "rfc_8032": [
            {"secret_key": secret, "public_key": key, "message": message, "sig": sig}
            for secret, key, message, sig in RFC_8032
        ],
        "public_key": public.hex(),
        "key_id": hashlib.sha256(public).hexdigest()[:16],
        "heads": heads,
        "weak_keys": weak_keys(),
    }


def weak_keys() -> list[str]:
    """Every spelling of a point of small order, found by the curve's own arithmetic (RFC 8032)."""
    points = {y: _square(y) for y in _small_order_ys()}
    spelt = [y + extra for y in points for extra in (0, _P) if y + extra < 2**255]
    return sorted((y | sign << 255).to_bytes(32, "little").hex() for y in spelt for sign in (0, 1))


_P = 2**255 - 19
_D = -121665 * pow(121666, -1, _P) % _P
_L = 2**252 + 27742317777372353535851937790883648493
_Point = tuple[int, int]


def _square(y: int) -> int | None:
    """An x for this y on the curve, or None."""
    x2 = (y * y - 1) * pow(_D * y * y + 1, -1, _P) % _P
    x = pow(x2, (_P + 3) // 8, _P)
    if (x * x - x2) % _P:
        x = x * pow(2, (_P - 1) // 4, _P) % _P
    return None if (x * x - x2) % _P else x


def _add(one: _Point, two: _Point) -> _Point:
    (x1, y1), (x2, y2) = one, two
    t = _D * x1 * x2 * y1 * y2 % _P
    return (
        (x1 * y2 + x2 * y1) * pow(1 + t, -1, _P) % _P,
        (y1 * y2 + x1 * x2) * pow(1 - t, -1, _P) % _P,
    )


def _times(number: int, point: _Point) -> _Point:
    result = (0, 1)
    while number:
        if number & 1:
            result = _add(result, point)
        point = _add(point, point)
        number >>= 1
    return result


def _small_order_ys() -> list[int]:
    """The y of the 8 points whose order divides 8: a point, times the group's order."""
    for y in range(2, 100):
        x = _square(y)
        if x is None:
            continue
        small = [_times(number, _times(_L, (x, y))) for number in range(8)]
        if len(set(small)) == 8:
            return sorted({point[1] for point in small})
    raise AssertionError
