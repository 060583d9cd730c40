"""Before the reveal, the service's seed stands in nothing that leaves the service."""

import base64
import io
import json
import re
from pathlib import Path
from typing import Any

import httpx
import pytest

from dice_service.app import build_routes
from dice_service.sealing import SealingRing
from tests.support.api import COMMITMENTS, SEEDS, Api, opened
from tests.support.leaks import leaks

pytestmark = pytest.mark.anyio

SECRET = bytes(range(7, 39))
JSON = {"content-type": "application/json"}
BODIES: list[Any] = [
    {},
    [],
    {"players": ["Ayşe", "Bora"]},
    {"players": ["Ayşe", "Cem"], "seeding": "chained"},
    {"commitment": COMMITMENTS[1]},
    {"commitment": "F" * 64},
    {"seed": SEEDS[1]},
    {"seed": "0" * 64},
    {"purpose": "opening", "player": 1},
    {"reason": "score"},
    {"reason": "abort", "winner": 1},
    {"type": "resign", "winner": 2},
    {"type": "double", "player": 0},
]


@pytest.mark.parametrize("shift", range(5))
@pytest.mark.parametrize(
    "write",
    [
        bytes,
        lambda secret: secret.hex().encode(),
        lambda secret: secret.hex().upper().encode(),
        lambda secret: repr(secret).encode(),
        lambda secret: secret[5:25].hex().encode(),
    ],
)
def test_the_scan_finds_a_secret_however_it_is_written(shift: int, write: Any) -> None:
    text = b"x" * shift + write(SECRET) + b"y"
    assert leaks(SECRET, {"text": text, "other": bytes(100)}) == ["text"]


@pytest.mark.parametrize("shift", range(6))
@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode])
def test_the_scan_finds_a_secret_in_base64_at_every_alignment(shift: int, encode: Any) -> None:
    secret = bytes(255 - number * 7 % 256 for number in range(32))  # with + and / in base64
    text = encode(b"\xa5" * shift + secret + b"\x5a")
    assert leaks(secret, {"text": text}) == ["text"]


async def everything(api: Api) -> None:
    """Every operation of the document, as everyone, and with every body, right and wrong."""
    members = [await api.key(), *api.tokens["m-1"]]
    strangers = [None, "zk_wrong", "zp_" + "A" * 43, await api.key("rival")]
    for template, methods in build_routes().openapi()["paths"].items():
        if template.endswith("/events"):
            continue  # it has no end; test_events.py reads what comes
        for match_id in ("m-1", "absent", "bad id"):
            path = template.format(
                match_id=match_id, webhook_id="hook", player=1, index=0, number=0
            )
            for caller in (*members, *strangers):
                for method in (*methods, "head", "options", "delete"):
                    await api.send(method.upper(), path, caller)
        if "put" in methods and not template.endswith("/end"):
            path = template.format(match_id="m-1", webhook_id="hook", player=1, index=0, number=0)
            for caller in members:
                for body in BODIES:
                    await api.send("PUT", path, caller, json=body)
                for content in (b"{", b"{" * 20_000):
                    await api.send("PUT", path, caller, content=content, headers=JSON)
    await api.send("PUT", "m-1/end", members[0], json={"reason": "abort", "winner": 1})
    await api.send("GET", "/v1/matches?limit=1000", members[0])
    await api.send("GET", "/docs")


ROLLS: dict[str | None, tuple[str, list[dict[str, Any]]]] = {  # where, and what may be due
    None: ("rolls", [{}]),
    "kafadinle": ("actions", [{"type": "roll", "player": player} for player in (None, 0, 1)]),
}


async def failures(api: Api, monkeypatch: pytest.MonkeyPatch, rules: str | None) -> None:
    """Faults of the storage and of our own, in the middle of what uses the seed."""
    from dice_service.storage import StorageError

    async def no_disk(*_: object) -> Any:
        raise StorageError("The disk is full.")

    def no_dice(*_: object) -> Any:
        raise RuntimeError("dice")

    key = await api.key()
    kind, bodies = ROLLS[rules]
    with monkeypatch.context() as patched:
        patched.setattr(type(api.service.storage), "append", no_disk)
        for body in bodies:
            await api.put(f"m-1/{kind}/7", body)
            await api.put(f"m-1/{kind}/1", body)
        await api.put("m-1/end", {"reason": "abandon"})
    with monkeypatch.context() as patched:
        patched.setattr("dice_service.match.dice_of", no_dice)
        patched.setattr("dice_service.actions.dice_of", no_dice)
        headers = {"content-type": "application/json; charset=utf-8"}  # past the hot path
        content = json.dumps(bodies[0]).encode()
        answer = await api.send("PUT", f"m-1/{kind}/1", key, content=content, headers=headers)
        assert answer.status_code == 500


def database(folder: Path) -> dict[str, bytes]:
    files = {path.name: path.read_bytes() for path in folder.glob("dice.db*")}
    assert files["dice.db-wal"]
    return files


@pytest.mark.parametrize(
    ("seeding", "rules"), [("committed", None), ("direct", None), ("direct", "kafadinle")]
)
async def test_no_byte_that_leaves_the_service_holds_its_seed_before_the_reveal(
    tmp_path: Path,
    log_lines: io.StringIO,
    monkeypatch: pytest.MonkeyPatch,
    seeding: str,
    rules: str | None,
) -> None:
    answers: list[httpx.Response] = []

    async def record(answer: httpx.Response) -> None:
        await answer.aread()
        answers.append(answer)

    async with opened(tmp_path) as api:
        api.http.event_hooks = {"response": [record]}
        played = {"rules": rules, "length": 3} if rules else {}
        tokens = await api.open("m-1", seeding=seeding, **played)
        await everything(api)
        kinds = [("commitment", COMMITMENTS), ("seed", SEEDS)]
        for kind, values in kinds if seeding == "committed" else kinds[1:]:
            for player in (1, 0):
                place, body = f"m-1/players/{player}/{kind}", {kind: values[player]}
                assert (await api.put(place, body, tokens[player])).is_success
            await everything(api)
        kind, bodies = ROLLS[rules]
        assert (await api.put(f"m-1/{kind}/0", bodies[0])).is_success
        await everything(api)
        await failures(api, monkeypatch, rules)

        row = await api.service.storage.match("m-1")
        assert row is not None
        ring = SealingRing.load(tmp_path / "keys")
        seed = ring.open("m-1", row.sealing_key_id, row.sealed).seed
        assert {answer.status_code for answer in answers} >= {
            *(200, 201, 204, 400, 401, 403, 404, 405, 409, 413, 415, 422, 500, 503)
        }
        places = {
            "answers": b"\n".join(map(raw, answers)),
            "metrics": (await api.http.get("/metrics")).content,
            "logs": log_lines.getvalue().encode(),
            "representations": repr((api.service, row, ring, vars(api.service.matches))).encode(),
            **database(tmp_path),
        }
        assert b"Traceback" in places["logs"]
        assert leaks(seed, places) == []

        assert (await api.put("m-1/end", {"reason": "abandon"})).status_code == 201
        await api.send("GET", "m-1/log")
        places = {"answer": raw(answers[-2]), "log": raw(answers[-1]), **database(tmp_path)}
        assert {"answer", "log", "dice.db-wal"} <= set(leaks(seed, places))


def raw(answer: httpx.Response) -> bytes:
    """An answer's headers and body."""
    return b"\n".join(b": ".join(pair) for pair in answer.headers.raw) + b"\n" + answer.content


async def test_no_log_line_holds_a_token_a_key_or_a_players_seed(
    tmp_path: Path, log_lines: io.StringIO
) -> None:
    async with opened(tmp_path) as api:
        await api.ready("m-1")
        await everything(api)
        key = await api.key()
        # Pasted in the wrong place, as people do.
        for wrong in (key, *api.tokens["m-1"], SEEDS[0]):
            await api.send("GET", wrong, key)
            await api.send("PUT", f"m-1/players/0/{wrong}", key)
            await api.send("GET", f"/v1/matches?after={wrong}", key)
            await api.send("PUT", "m-1/rolls/0", key, json={wrong: wrong})
        text = log_lines.getvalue()
        assert len(text.splitlines()) > 500
        assert not re.findall(r"z[kp]_[A-Za-z0-9_-]+", text)
        assert not re.findall(r"[0-9A-Fa-f]{64}", text)
