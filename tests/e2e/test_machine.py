"""Random interleavings of two players, a game server, retries and intruders on the live service.

Beside it runs a model written from the protocol's text: it says of every request what must be
answered, and remembers every answer, so that a repeat can be held to the first.
"""

import hashlib
import hmac
import itertools
import json
import secrets
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

from tests.e2e.machine import INTRUDERS, WHO, Live, run
from tests.e2e.play import fresh_id
from tests.support.leaks import leaks
from verifier import Verdict, read_receipts, verify_log

PLAYER = st.integers(0, 1)
PURPOSES = st.sampled_from([("turn", None), ("turn", 0), ("turn", 1), ("opening", None)])
ENDS = st.sampled_from([("finished", 0), ("finished", 1), ("resign", 1), ("timeout", None),
                        ("abort", None)])  # fmt: skip


def dice_of(secret: str, match_id: str, seeds: list[str], index: int) -> list[int]:
    """PROTOCOL.md, section D, by hand."""
    dice: list[int] = []
    for block in itertools.count():
        text = f"zarf/1:roll:{match_id}:{seeds[0]}:{seeds[1]}:{index}:{block}"
        digest = hmac.digest(bytes.fromhex(secret), text.encode(), "sha256")
        dice += [byte % 6 + 1 for byte in digest if byte < 252]
        if len(dice) >= 2:
            break
    return dice[:2]


@dataclass
class Place:
    """What was written at one place: what was sent, and the first answer."""

    sent: Any
    body: bytes


@dataclass
class Model:
    """One match as the protocol says it stands."""

    match_id: str
    seeding: str
    tokens: list[str]
    made: list[str] = field(default_factory=lambda: [secrets.token_hex(32) for _ in range(2)])
    commitments: dict[int, str] = field(default_factory=dict)
    seeds: dict[int, str] = field(default_factory=dict)
    rolls: list[Place] = field(default_factory=list)
    end: Place | None = None
    places: dict[str, Place] = field(default_factory=dict)
    log: bytes = b""
    receipt: bytes = b""

    @property
    def all_committed(self) -> bool:
        return self.seeding == "direct" or len(self.commitments) == 2


class Dice(Live):
    """One or two dice-only matches."""

    def __init__(self) -> None:
        super().__init__()
        self.matches: list[Model] = []

    @initialize(seedings=st.lists(st.sampled_from(["committed", "direct"]), min_size=1, max_size=2))
    def begin(self, seedings: list[str]) -> None:
        self.matches = [self.open(seeding) for seeding in seedings]

    def open(self, seeding: str) -> Model:
        match_id = fresh_id()
        body = {"players": ["Ayşe", "Bora"], "seeding": seeding}
        answer = self.send("PUT", match_id, "server", body=body)
        assert answer.status_code == 201, answer.text
        again = self.send("PUT", match_id, "server", body=body)
        assert (again.status_code, again.content) == (200, answer.content)
        stolen = self.send("PUT", match_id, "stranger", body=body)
        assert (stolen.status_code, stolen.json()["code"]) == (409, "match-exists-differently")
        return Model(match_id, seeding, answer.json()["tokens"])

    def write(  # noqa: PLR0917 - what is sent where by whom, and what must come
        self,
        match: Model,
        place: str,
        body: Any,
        who: str,
        may: set[str],
        expected: tuple[int, str],
    ) -> Place | None:
        """Ask for it as ``who``, and hold the answer to what must come; the place if it is new."""
        answer = self.send("PUT", f"{match.match_id}/{place}", who, match.tokens, body)
        if not match.end:
            self.heard.append(answer.content)
        if who not in may:
            assert answer.status_code == INTRUDERS.get(who, 403), (who, place, answer.text)
            return None
        status, code = expected
        assert answer.status_code == status, (place, body, expected, answer.text)
        if status == 201:
            match.places[place] = Place(body, answer.content)
            return match.places[place]
        if status == 200:
            assert answer.content == match.places[place].body
        else:
            assert answer.json()["code"] == code, (expected, answer.text)
        return None

    def pick(self, which: int) -> Model:
        return self.matches[which % len(self.matches)]

    @rule(which=PLAYER, player=PLAYER, who=WHO, other=st.booleans())
    def commit(self, which: int, player: int, who: str, other: bool) -> None:
        match = self.pick(which)
        seed = secrets.token_hex(32) if other else match.made[player]
        value = hashlib.sha256(bytes.fromhex(seed)).hexdigest()
        standing = match.commitments.get(player)
        if standing is not None:
            expected = (200, "") if standing == value else (409, "commitment-differs")
        elif match.end:
            expected = (409, "match-ended")
        elif match.seeding == "direct":
            expected = (409, "not-due")
        else:
            expected = (201, "")
        body = {"commitment": value}
        mine = {f"player {player}"}
        if self.write(match, f"players/{player}/commitment", body, who, mine, expected):
            match.commitments[player] = value
            match.made[player] = seed

    @rule(which=PLAYER, player=PLAYER, who=WHO, other=st.booleans())
    def open_seed(self, which: int, player: int, who: str, other: bool) -> None:
        match = self.pick(which)
        seed = secrets.token_hex(32) if other else match.made[player]
        standing = match.seeds.get(player)
        if standing is not None:
            expected = (200, "") if standing == seed else (409, "seed-differs")
        elif match.end:
            expected = (409, "match-ended")
        elif not match.all_committed:
            expected = (409, "not-due")
        elif match.seeding == "committed" and other:
            expected = (422, "seed-not-committed")
        else:
            expected = (201, "")
        mine = {f"player {player}"}
        if self.write(match, f"players/{player}/seed", {"seed": seed}, who, mine, expected):
            self.read(which, "player 0", "/receipt")  # kept before the first seed is open
            match.seeds[player] = match.made[player] = seed

    def expect_roll(self, match: Model, index: int, body: Any) -> tuple[int, str]:
        if index < len(match.rolls):
            return (200, "") if match.rolls[index].sent == body else (409, "roll-differs")
        if match.end:
            return 409, "match-ended"
        if len(match.seeds) < 2:
            return 409, "not-due"
        return (201, "") if index == len(match.rolls) else (409, "roll-index-gap")

    @rule(which=PLAYER, back=st.integers(-2, 6), wanted=PURPOSES, who=WHO)
    def roll(self, which: int, back: int, wanted: tuple[str, int | None], who: str) -> None:
        match = self.pick(which)
        index = max(0, len(match.rolls) - back)
        body = dict(zip(("purpose", "player"), wanted, strict=True))
        expected = self.expect_roll(match, index, body)
        if new := self.write(match, f"rolls/{index}", body, who, {"server"}, expected):
            match.rolls.append(new)

    @precondition(lambda self: any(len(match.seeds) == 2 for match in self.matches))
    @rule(which=PLAYER, wanted=PURPOSES, callers=st.integers(2, 6))
    def roll_at_once(self, which: int, wanted: tuple[str, int | None], callers: int) -> None:
        match = self.pick(which)
        body = dict(zip(("purpose", "player"), wanted, strict=True))
        place = f"rolls/{len(match.rolls)}"
        expected = self.expect_roll(match, len(match.rolls), body)
        ask = (f"{match.match_id}/{place}", "server", match.tokens, body)
        with ThreadPoolExecutor(callers) as pool:
            answers = list(pool.map(lambda _: self.send("PUT", *ask), range(callers)))
        if expected[0] != 201:
            assert {answer.status_code for answer in answers} == {expected[0]}
            return
        assert sorted(answer.status_code for answer in answers) == [200] * (callers - 1) + [201]
        (content,) = {answer.content for answer in answers}
        match.places[place] = Place(body, content)
        match.rolls.append(match.places[place])

    @rule(which=PLAYER, wanted=ENDS, who=WHO, really=st.integers(0, 5))
    def finish(self, which: int, wanted: tuple[str, int | None], who: str, really: int) -> None:
        match = self.pick(which)
        if really and not match.end:
            return  # most matches go on for a while
        body = dict(zip(("reason", "winner"), wanted, strict=True))
        if match.end:
            expected = (200, "") if match.end.sent == body else (409, "end-differs")
        elif wanted[0] != "abort" and len(match.seeds) < 2:
            expected = (409, "not-due")
        else:
            expected = (201, "")
        if new := self.write(match, "end", body, who, {"server"}, expected):
            match.end = new
            self.heard.pop()  # the reveal itself

    @rule(which=PLAYER, who=WHO, what=st.sampled_from(["", "/log", "/receipt"]))
    def read(self, which: int, who: str, what: str) -> None:
        match = self.pick(which)
        answer = self.send("GET", match.match_id + what, who, match.tokens)
        if not match.end:
            self.heard.append(answer.content)
        if who in INTRUDERS and (who == "garbage" or not match.end):
            assert answer.status_code == INTRUDERS[who]
        elif what == "/receipt" and not match.all_committed:
            assert answer.json()["code"] == "receipt-not-ready"
        else:
            assert answer.status_code == 200, answer.text
            if what == "/receipt":
                match.receipt = match.receipt or answer.content
                assert answer.content == match.receipt
            elif what == "/log":
                assert answer.content.startswith(match.log)
                match.log = answer.content
            elif what == "":
                self.agree(match, answer.json())

    def agree(self, match: Model, view: Any) -> None:
        assert view["rolls"] == len(match.rolls)
        assert view["commitments"] == [match.commitments.get(player) for player in (0, 1)]
        assert view["seeds"] == [match.seeds.get(player) for player in (0, 1)]
        assert (view["phase"] == "ended") == (match.end is not None)
        assert (view["server_seed"] is None) == (match.end is None)

    def teardown(self) -> None:
        for match in self.matches:
            self.close(match)

    def close(self, match: Model) -> None:
        """End it, and look at the whole with the verifier and by hand."""
        path = match.match_id
        if match.end is None:
            answer = self.send("PUT", f"{path}/end", "server", match.tokens, {"reason": "abort"})
            assert answer.status_code == 201, answer.text
        log = self.send("GET", f"{path}/log", "nobody").content
        assert log.startswith(match.log)
        secret = self.send("GET", path, "nobody").json()["server_seed"]
        assert leaks(bytes.fromhex(secret), {"before the reveal": b"\n".join(self.heard)}) == []
        answers = [json.loads(place.body) for place in match.rolls]
        seeds = [match.seeds.get(0, ""), match.seeds.get(1, "")]
        assert [answer["dice"] for answer in answers] == [
            dice_of(secret, path, seeds, index) for index in range(len(answers))
        ]
        stand = [json.loads(line) for line in log.splitlines()]
        rolled = [line for line in stand if line["type"] == "roll"]
        assert [(line["index"], line["dice"]) for line in rolled] == [
            (answer["index"], answer["dice"]) for answer in answers
        ]
        kept = [json.dumps(answer["receipt"], separators=(",", ":")) for answer in answers]
        receipts = match.receipt + "".join(line + "\n" for line in kept).encode()
        report = verify_log(log, [read_receipts(receipts)] if receipts else [])
        sure = match.seeding == "committed" and answers  # a match without rolls proves no dice
        assert report.verdict is (Verdict.VERIFIED if sure else Verdict.CONSISTENT), report
        assert report.rolls == len(answers)


def test_no_interleaving_breaks_a_match_of_dice(tmp_path: Path) -> None:
    run(Dice, tmp_path / "service", examples=25, steps=80)
