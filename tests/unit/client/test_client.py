"""What the game server's client accepts as a roll, and what it refuses, sync and async."""

import asyncio
import json
from collections.abc import Callable
from functools import partial
from typing import Any

import httpx
import pytest

from dice_service.client import (
    AsyncDiceClient,
    ClientError,
    DiceClient,
    DishonestError,
    Retries,
    UnexpectedAnswerError,
    UnreachableError,
)
from tests.unit.client.peer import Peer, sha, text_of

URL = "http://dice.test"
SEEDS = {0: "0123456789abcdef" * 4, 1: "fedcba9876543210" * 4}
QUICK = Retries(attempts=3, first=0.0)


@pytest.fixture
def peer() -> Peer:
    """A match whose seeds are open, so that rolls are due."""
    peer = Peer()
    for p, seed in SEEDS.items():
        peer.put(["players", str(p), "commitment"], {"commitment": sha(bytes.fromhex(seed))})
    for p, seed in SEEDS.items():
        peer.put(["players", str(p), "seed"], {"seed": seed})
    return peer


def client(peer: Peer, **options: Any) -> DiceClient:
    return DiceClient(URL, "zk_test", transport=peer.transport, retries=QUICK, **options)


def test_sync_and_async_get_the_same_rolls(peer: Peer) -> None:
    async def rolled() -> list[tuple[int, int]]:
        async with AsyncDiceClient(
            URL, "zk_test", transport=httpx.MockTransport(peer.answer), retries=QUICK
        ) as dice:
            opening = await dice.open_match("m-1", players=("Ayşe", "Bora"))
            assert opening.tokens == ("zp_a", "zp_b")
            return [(await dice.roll("m-1", index)).dice for index in range(5)]

    peer.first = [httpx.ReadError("lost"), httpx.Response(503)]
    with client(peer) as dice:
        dice.open_match("m-1", players=("Ayşe", "Bora"))
        assert [dice.roll("m-1", index).dice for index in range(5)] == asyncio.run(rolled())


def test_the_key_is_the_matchs_own_also_for_a_client_that_did_not_open_it(peer: Peer) -> None:
    with client(peer) as dice:
        dice.roll("m-1", 0)
        dice.roll("m-1", 1)
    assert peer.asked == [("GET", "/receipt"), ("PUT", "/rolls/0"), ("PUT", "/rolls/1")]


def test_a_match_signed_by_another_key_than_the_pinned_is_refused(peer: Peer) -> None:
    with client(peer, public_keys=(peer.public_key,)) as dice:
        dice.roll("m-1", 0)
    with client(peer, public_keys=("00" * 32,)) as dice, pytest.raises(DishonestError) as error:
        dice.roll("m-1", 0)
    assert error.value.code == "key-differs"


def resigned(peer: Peer, answer: dict[str, Any], **changes: object) -> dict[str, Any]:
    """The answer with its line changed and signed again: a service that lies consistently."""
    line = {**json.loads(answer["receipt"]["line"]), **changes}
    return {**answer, "receipt": peer.receipt_of(answer["receipt"]["seq"], text_of(line))}


def receipt_with(answer: dict[str, Any], **changes: object) -> dict[str, Any]:
    return {**answer, "receipt": {**answer["receipt"], **changes}}


CHEATS: dict[str, tuple[str, Callable[[Peer, dict[str, Any]], dict[str, Any]]]] = {
    "other dice in the answer": (
        "roll-differs",
        lambda _, a: {**a, "dice": [7 - d for d in a["dice"]]},
    ),
    "other index in the answer": ("roll-differs", lambda _, a: {**a, "index": 1}),
    "other match in the answer": ("roll-differs", lambda _, a: {**a, "match_id": "m-2"}),
    "other index in the line": ("roll-differs", lambda p, a: resigned(p, a, index=1)),
    "other player in the line": ("roll-differs", lambda p, a: resigned(p, a, player=1)),
    "a seven in the line": ("roll-malformed", lambda p, a: resigned(p, a, dice=[7, 1])),
    "a line of another type": ("roll-malformed", lambda p, a: resigned(p, a, type="play")),
    "a line spelt differently": (
        "roll-malformed",
        lambda p, a: {
            **a,
            "receipt": p.receipt_of(7, a["receipt"]["line"].replace(":0", ": 0").encode()),
        },
    ),
    "a roll before the seeds": (
        "roll-malformed",
        lambda p, a: {**a, "receipt": p.receipt_of(4, a["receipt"]["line"].encode())},
    ),
    "a signature over another line": ("signature-wrong", lambda _, a: receipt_with(a, seq=9)),
    "no signature": ("signature-wrong", lambda _, a: receipt_with(a, sig="0" * 128)),
    "another key's name": ("key-differs", lambda _, a: receipt_with(a, key_id="0" * 16)),
    "another match's receipt": ("match-differs", lambda _, a: receipt_with(a, match_id="m-2")),
    "a head of another line": ("head-differs", lambda _, a: receipt_with(a, head="0" * 64)),
}


@pytest.mark.parametrize(("code", "cheat"), CHEATS.values(), ids=CHEATS)
def test_a_roll_that_is_not_what_was_signed_is_refused(
    peer: Peer, code: str, cheat: Callable[[Peer, dict[str, Any]], dict[str, Any]]
) -> None:
    peer.change = lambda path, answer: cheat(peer, answer) if "rolls" in path else answer
    with client(peer) as dice, pytest.raises(DishonestError) as error:
        dice.roll("m-1", 0)
    assert error.value.code == code


@pytest.mark.parametrize(
    ("name", "value"), [("commitment", "a" * 64), ("public_key", "b" * 64), ("key_id", "c" * 16)]
)
def test_an_opening_that_says_other_than_its_signed_line_is_refused(
    peer: Peer, name: str, value: str
) -> None:
    peer.change = lambda _, answer: {**answer, name: value}
    with client(peer) as dice, pytest.raises(DishonestError) as error:
        dice.open_match("m-1", players=("Ayşe", "Bora"))
    assert error.value.code == "opening-differs"


def test_an_opening_on_other_terms_than_asked_is_refused(peer: Peer) -> None:
    with client(peer) as dice:
        for terms in ({"seeding": "direct"}, {"length": 5}, {"players": ("Ayşe", "Veli")}):
            asked: dict[str, Any] = {"players": ("Ayşe", "Bora"), **terms}
            with pytest.raises(DishonestError) as error:
                dice.open_match("m-1", **asked)
            assert error.value.code == "opening-differs"


def revealing(seed: str, path: str, answer: Any) -> Any:
    return {**answer, "server_seed": seed} if path == "/end" else answer


def test_a_reveal_of_another_seed_is_refused(peer: Peer) -> None:
    with client(peer) as dice:
        dice.roll("m-1", 0)
        assert dice.end("m-1").server_seed == peer.secret
        for seed in ("0123456789abcdef" * 4, "no hex"):
            peer.change = partial(revealing, seed)
            with pytest.raises(DishonestError) as error:
                dice.end("m-1")
            assert error.value.code == "reveal-differs"


def test_without_the_service_there_are_no_dice() -> None:
    def down(_: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("refused")

    with (
        DiceClient(URL, "zk_test", transport=httpx.MockTransport(down), retries=QUICK) as dice,
        pytest.raises(UnreachableError),
    ):
        dice.roll("m-1", 0)


def test_a_log_that_is_a_web_page_is_refused(peer: Peer) -> None:
    peer.first = [httpx.Response(200, html="<html>\n")]
    with client(peer) as dice, pytest.raises(UnexpectedAnswerError):
        dice.log("m-1")


@pytest.mark.parametrize("match_id", ["..", ".", "", "a/b", "a" * 65, "ş", "a b", "a?b"])
def test_a_match_id_that_would_leave_its_place_in_the_url_is_not_sent(
    peer: Peer, match_id: str
) -> None:
    with client(peer) as dice, pytest.raises(ClientError) as error:
        dice.log(match_id)
    assert (error.value.code, peer.asked) == ("invalid", [])


@pytest.mark.parametrize(
    ("url", "credential"),
    [("ftp://x", "zk_a"), ("x", "zk_a"), ("http://", "zk_a"), ("http://x:port", "zk_a")]
    + [(URL, bad) for bad in ("", "zk a", "zk_a\r\nx: y", "ş")],
)
def test_an_address_or_credential_that_cannot_be_one_is_refused_unseen(
    url: str, credential: str
) -> None:
    with pytest.raises(ClientError) as error:
        DiceClient(url, credential)
    assert error.value.code == "invalid"
    assert credential == "" or credential not in str(error.value)
