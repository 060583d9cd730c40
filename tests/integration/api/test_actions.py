"""Actions of a refereed match, over the route and over the hot path in front of it."""

import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from dice_service.answers import ActionAnswer
from tests.support.api import COMMITMENTS, PLAYERS, SEEDS, Api, opened
from verifier import Verdict, verify_log
from verifier.receipts import encode_receipt, read_receipts
from verifier.rules.board import START, unpack
from verifier.rules.messages import MESSAGES
from verifier.signatures import verify_head

pytestmark = pytest.mark.anyio

RULES = {"rules": "oyna-backgammon", "length": 5}


async def seated(api: Api, match_id: str, **rules: Any) -> list[str]:
    """A match whose first action is due; its tokens."""
    tokens = await api.open(match_id, **(RULES | rules))
    for kind, values in (("commitment", COMMITMENTS), ("seed", SEEDS)):
        for player, value in enumerate(values):
            place = f"{match_id}/players/{player}/{kind}"
            assert (await api.put(place, {kind: value}, tokens[player])).status_code == 201
    return tokens


async def act(api: Api, number: int, kind: str, query: str = "", **body: Any) -> Any:
    answer = await api.put(f"m-1/actions/{number}{query}", {"type": kind, **body})
    assert answer.status_code in (200, 201), answer.text
    return answer.json()


async def begun(api: Api) -> Any:
    """The answer to the opening roll that was no tie: a play is due, its legal plays told."""
    number = 0
    while True:
        answer = await act(api, number, "roll", "?legal=true", player=None)
        if answer["table"]["due"]["what"] == "play":
            return answer
        number = answer["next_action"]


@pytest.fixture(params=["hot path", "route", "hot path on postgres"])
async def table(
    request: pytest.FixtureRequest, tmp_path: Path, database_of: Callable[[str], str]
) -> AsyncIterator[Api]:
    """The refereed match m-1, whose opening roll is due."""
    way, _, kind = request.param.partition(" on ")
    database = database_of(kind or "sqlite")
    async with opened(tmp_path, hot=way == "hot path", database=database) as api:
        await seated(api, "m-1")
        yield api


CASES: list[tuple[str, str, Any, int, str]] = [
    ("the opening roll", "m-1/actions/0", b'{"type":"roll","player":null}', 201, ""),
    ("spaced", "m-1/actions/0", b' { "player" : null, "type":"roll" } ', 201, ""),
    ("a timeout", "m-1/actions/0", b'{"type":"timeout","winner":1}', 201, ""),
    ("both leave", "m-1/actions/0", b'{"type":"abandon","winner":null}', 201, ""),
    ("a turn's roll", "m-1/actions/0", b'{"type":"roll","player":0}', 409, "rule-refused"),
    ("a double", "m-1/actions/0", b'{"type":"double","player":1}', 409, "rule-refused"),
    ("a play", "m-1/actions/0", b'{"type":"play","player":1,"moves":""}', 409, "rule-refused"),
    ("a gap", "m-1/actions/1", b'{"type":"roll","player":null}', 409, "action-number-gap"),
    ("nobody's timeout", "m-1/actions/0", b'{"type":"timeout","winner":null}', 422, "invalid"),
    ("no player", "m-1/actions/0", b'{"type":"take"}', 422, "invalid"),
    ("no type", "m-1/actions/0", b'{"player":0}', 422, "invalid"),
    ("a game's end", "m-1/actions/0", b'{"type":"game_end","winner":0}', 422, "invalid"),
    ("dice", "m-1/actions/0", b'{"type":"roll","player":null,"dice":[6,6]}', 422, "invalid"),
    ("true for 1", "m-1/actions/0", b'{"type":"take","player":true}', 422, "invalid"),
    ("an ending then a roll", "m-1/actions/0", b'{"type":"resign","winner":0,"then_roll":true}',
     422, "invalid"),
    ("a value of 4", "m-1/actions/0", b'{"type":"resign_offer","player":0,"value":4}', 422,
     "invalid"),
    ("no JSON", "m-1/actions/0", b"{", 400, "bad-request"),
    ("a field twice", "m-1/actions/0", b'{"type":"roll","player":0,"player":null}', 400,
     "bad-request"),
    ("nothing", "m-1/actions/0", b"", 415, "unsupported-media"),
    ("half a surrogate", "m-1/actions/0", b'{"type":"play","player":0,"moves":"\\ud800"}', 400,
     "bad-request"),
    ("leading zero", "m-1/actions/00", b'{"type":"roll","player":null}', 422, "invalid"),
    ("a query of its own", "m-1/actions/0?legal=yes", b'{"type":"roll","player":null}', 422,
     "invalid"),
    ("no match", "m-9/actions/0", b'{"type":"roll","player":null}', 404, "not-found"),
    ("another's", "theirs/actions/0", b'{"type":"roll","player":null}', 404, "not-found"),
    ("too early", "early/actions/0", b'{"type":"roll","player":null}', 409, "not-due"),
    ("no rules", "plain/actions/0", b'{"type":"roll","player":null}', 409, "dice-only-match"),
    ("a plain roll", "m-1/rolls/0", b"{}", 409, "refereed-match"),
    ("finished", "m-1/end", b'{"reason":"finished","winner":0}', 409, "refereed-match"),
    ("aborted", "m-1/end", b'{"reason":"abort"}', 201, ""),
    ("given up", "m-1/end", b'{"reason":"resign","winner":0}', 201, ""),
]  # fmt: skip


@pytest.mark.parametrize(("place", "body", "status", "code"), [case[1:] for case in CASES])
async def test_an_action_is_answered_alike_on_both_ways(
    table: Api, place: str, body: bytes, status: int, code: str
) -> None:
    await table.open("early", **RULES)
    await table.ready("plain")
    await table.put("theirs", PLAYERS | RULES, await table.key("rival"))
    before = (await table.send("GET", "m-1/log", await table.key())).content
    headers = {"content-type": "application/json"} if body else {}
    answer = await table.send("PUT", place, await table.key(), content=body, headers=headers)
    assert (answer.status_code, answer.json().get("code", "")) == (status, code)
    if status > 201:
        assert (await table.send("GET", "m-1/log", await table.key())).content == before


async def test_only_the_owner_acts(table: Api) -> None:
    body = {"type": "roll", "player": None}
    refused = [
        await table.put("m-1/actions/0", body, table.tokens["m-1"][0]),
        await table.put("m-1/actions/0", body, await table.key("club", "match:read")),
        await table.put("m-1/actions/0", body, "zk_wrong"),
    ]
    assert [answer.json()["code"] for answer in refused] == [
        "forbidden",
        "forbidden",
        "not-authenticated",
    ]


async def test_what_the_rules_refuse_is_told_in_english_and_turkish(table: Api) -> None:
    number = (await begun(table))["next_action"]
    player = (await begun(table))["table"]["due"]["player"]
    asked = {
        "due_play": {"type": "roll", "player": player},
        "due_from_other": {"type": "roll", "player": 1 - player},
        "cube_after_roll": {"type": "double", "player": player},
        "play_missing": {"type": "play", "player": player, "moves": ""},
        "notation_unreadable": {"type": "play", "player": player, "moves": "ileri"},
        "resign_value": {"type": "resign_offer", "player": player, "value": 1},
    }
    for rule, body in asked.items():
        answer = await table.put(f"m-1/actions/{number}", body)
        said = answer.json()
        assert (answer.status_code, said["code"], said["rule"]) == (409, "rule-refused", rule)
        for text, sentence in ((said["detail"], "en"), (said["detail_tr"], "tr")):
            begin = getattr(MESSAGES[rule], sentence).partition("{")[0]
            assert text.startswith(begin)


@pytest.mark.parametrize(
    ("rules", "code", "rule"),
    [
        ({"rules": "sixes", "length": 3}, "rules-unknown", "rules_unknown"),
        ({"rules": "kafadinle", "length": 2}, "rules-inconsistent", "rules_length"),
        ({"rules": "kafadinle"}, "rules-inconsistent", "rules_length_missing"),
        (RULES | {"options": {"cube": True}}, "rules-inconsistent", "option_same"),
        (RULES | {"options": {"dice": 3}}, "rules-inconsistent", "option_unknown"),
        (RULES | {"options": {"cube": 0}}, "rules-inconsistent", "option_value"),
    ],
)
async def test_a_rule_set_that_is_not_played_so_is_refused_by_name(
    api: Api, rules: dict[str, Any], code: str, rule: str
) -> None:
    answer = await api.put("m-2", PLAYERS | rules)
    body = answer.json()
    assert (answer.status_code, body["code"], body["rule"]) == (422, code, rule)
    assert body["detail_tr"]
    assert (await api.send("GET", "m-2", await api.key())).status_code == 404


async def test_the_answer_shows_the_table_and_every_legal_play(table: Api) -> None:
    answer = await begun(table)
    first = answer["lines"][0]
    roll = json.loads(first["line"])
    shown = answer["table"]
    assert (roll["type"], roll["purpose"], roll["dice"]) == ("roll", "opening", shown["dice"])
    assert shown["due"] == {"what": "play", "player": int(roll["dice"][0] < roll["dice"][1])}
    assert shown["board"] == [list(unpack(START))] * 2
    assert (shown["pips"], shown["borne_off"], shown["score"]) == ([167, 167], [0, 0], [0, 0])
    assert (shown["cube"], shown["game"]) == ({"value": 1, "owner": None}, 1)
    assert len({json.dumps(play[1:]) for play in answer["legal"]}) == len(answer["legal"]) > 5
    die_sum = sum(shown["dice"])
    for _, me, _ in answer["legal"]:
        assert sum(point * count for point, count in enumerate(me, 1)) == 167 - die_sum
    view = (await table.send("GET", "m-1", await table.key())).json()
    assert (view["table"], view["due"]) == (shown, [f"action:{answer['next_action']}"])


async def test_a_cubeless_match_has_no_cube_on_its_table(api: Api) -> None:
    await seated(api, "m-1", rules="kafadinle")
    assert (await act(api, 0, "roll", player=None))["table"]["cube"] is None


async def test_every_action_is_signed_with_the_last_line_it_brought(table: Api) -> None:
    answer = await begun(table)
    player, plays = answer["table"]["due"]["player"], answer["legal"]
    played = await act(
        table, answer["next_action"], "play", player=player, moves=plays[0][0], then_roll=True
    )
    assert played["next_action"] == answer["next_action"] + 2
    assert [json.loads(line["line"])["type"] for line in played["lines"][:2]] == ["play", "roll"]
    ended = await act(table, played["next_action"], "disconnect", winner=player)
    key = (await table.send("GET", "/v1/keys")).json()["keys"][0]["public_key"]
    for body, last in ((played, -1), (ended, -2)):
        receipt = msgspec.convert(body, ActionAnswer).receipt
        line = body["lines"][last]
        assert (receipt.seq, receipt.line) == (line["seq"], line["line"])
        assert verify_head(key, "m-1", receipt.seq, receipt.head, receipt.sig)
    log = (await table.send("GET", "m-1/log")).content
    kept = (await table.send("GET", "m-1/receipt")).content + b"".join(
        encode_receipt(msgspec.convert(body, ActionAnswer).receipt) + b"\n"
        for body in (answer, played, ended)
    )
    assert verify_log(log, [read_receipts(kept)]).verdict is Verdict.VERIFIED


async def test_a_repeat_is_answered_as_the_first_time_by_any_process_at_any_time(
    tmp_path: Path,
) -> None:
    async with opened(tmp_path) as api, opened(tmp_path, hot=False) as other:
        await seated(api, "m-1")
        first = await begun(api)
        number, player = first["next_action"], first["table"]["due"]["player"]
        body = {"player": player, "moves": first["legal"][-1][0], "then_roll": True}
        other.keys = api.keys
        played = await act(other, number, "play", **body)
        assert await act(api, number, "play", **body) == played
        again = await act(api, number - 1, "roll", "?legal=true", player=None)
        assert again == first
        await act(api, played["next_action"], "abandon", winner=None)
        keys = api.keys
    async with opened(tmp_path) as restarted:
        restarted.keys = keys
        assert await act(restarted, number, "play", **body) == played
        differs = await restarted.put(f"m-1/actions/{number}", {"type": "double", "player": player})
        assert (differs.status_code, differs.json()["code"]) == (409, "action-differs")
        late = await restarted.put(
            f"m-1/actions/{played['next_action'] + 1}", {"type": "double", "player": player}
        )
        assert late.json()["code"] == "match-ended"
        view = (await restarted.send("GET", "m-1")).json()
        assert (view["reason"], view["winner"]) == ("abandon", None)
        assert view["table"]["due"] == {"what": "nothing", "player": None}


async def test_many_who_ask_for_one_roll_at_once_get_one_roll(tmp_path: Path) -> None:
    import asyncio

    async with opened(tmp_path) as api, opened(tmp_path) as other:
        await seated(api, "m-1")
        other.keys = api.keys
        body = {"type": "roll", "player": None}
        answers = await asyncio.gather(
            *(one.put("m-1/actions/0", body) for one in (api, other) * 10)
        )
        assert sorted(answer.status_code for answer in answers) == [*[200] * 19, 201]
        assert len({answer.content for answer in answers}) == 1


async def test_the_hot_path_answers_a_plain_action_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def never(*_: object) -> None:
        raise AssertionError("this was for the hot path")

    async with opened(tmp_path) as api:
        await seated(api, "m-1")
        monkeypatch.setattr("dice_service.api.observe.Observe.__call__", never)
        for code in (201, 200):
            answer = await api.put("m-1/actions/0", {"type": "roll", "player": None})
            assert answer.status_code == code
        answer = await api.put("m-1/actions/0", {"type": "double", "player": 1})
        assert answer.json()["code"] == "action-differs"
