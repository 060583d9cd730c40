"""A refereed match under random interleavings: the rules' own turn order, retries, intruders.

The model knows whose roll or play is due from the answers' tables, and the rules of the cube by
heart; that every play was legal and every score right is the verifier's to say at the end.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import initialize, rule

from tests.e2e.machine import INTRUDERS, WHO, Live, run
from tests.e2e.play import fresh_id
from tests.support.api import COMMITMENTS, SEEDS
from tests.support.leaks import leaks
from verifier import Verdict, read_receipts, verify_log

RULES = st.sampled_from(["kafadinle", "oyna-tavla", "oyna-backgammon", "tavlino", "jacoby-match"])
LIMIT = 64  # the cube's highest number, on every page that has one
PLAYER = st.integers(0, 1)
KINDS = st.sampled_from(
    ["roll", "double", "take", "drop", "resign_offer", "resign_accept", "resign_refuse"]
)
NONSENSE = st.sampled_from(["", "24/17", "bar/20", "ileri", "25/0", "6/off(4)"])
ANSWERS = {
    "double_answer": ("take", "drop"),
    "resign_answer": ("resign_accept", "resign_refuse"),
}


@dataclass
class Done:
    """An action that was done: what was asked, and the answer."""

    asked: Any
    body: bytes


class Refereed(Live):
    """One match; ``done`` are its actions by number, ``table`` is the last that was shown."""

    @initialize(rules=RULES, length=st.sampled_from([1, 3, 5]))
    def begin(self, rules: str, length: int) -> None:
        self.match_id, self.done, self.over = fresh_id(), dict[int, Done](), False
        body = {"players": ["Ayşe", "Bora"], "rules": rules, "length": length}
        opened = self.send("PUT", self.match_id, "server", body=body)
        assert opened.status_code == 201, opened.text
        self.tokens: list[str] = opened.json()["tokens"]
        for kind, values in (("commitment", COMMITMENTS), ("seed", SEEDS)):
            for player, value in enumerate(values):
                path = f"{self.match_id}/players/{player}/{kind}"
                who = f"player {player}"
                answer = self.send("PUT", path, who, self.tokens, {kind: value})
                assert answer.status_code == 201, answer.text
            if kind == "commitment":
                self.kept = [self.send("GET", f"{self.match_id}/receipt", "server").content]
        self.number = 0
        self.table = self.send("GET", self.match_id, "server").json()["table"]
        self.legal: list[Any] = []

    def act(self, number: int, body: Any, who: str = "server") -> Any:
        """An action; its answer's JSON if it was done now."""
        path = f"{self.match_id}/actions/{number}?legal=true"
        answer = self.send("PUT", path, who, self.tokens, body)
        if who != "server":
            assert answer.status_code == INTRUDERS.get(who, 403), (who, answer.text)
            return None
        if number in self.done:
            if self.done[number].asked == body:
                # Which plays are legal now is told of the table as it is now: not compared.
                assert answer.status_code == 200, answer.text
                first = json.loads(self.done[number].body)
                assert answer.json()["lines"] == first["lines"]
                assert answer.json()["receipt"] == first["receipt"]
            else:
                assert answer.json()["code"] == "action-differs", (body, answer.text)
        elif self.over:
            assert answer.json()["code"] == "match-ended", answer.text
        elif number > self.number:
            assert answer.json()["code"] == "action-number-gap", answer.text
        elif answer.status_code == 201:
            said = answer.json()
            self.done[number] = Done(body, answer.content)
            assert said["next_action"] == number + 1
            self.number, self.table, self.legal = number + 1, said["table"], said["legal"]
            receipt = json.dumps(said["receipt"], separators=(",", ":")).encode()
            self.kept.append(receipt + b"\n")
            self.over = any('"type":"reveal"' in line["line"] for line in said["lines"])
            if not self.over:
                self.heard.append(answer.content)
            return said
        else:
            assert (answer.status_code, answer.json()["code"]) == (409, "rule-refused")
            seen = self.send("GET", self.match_id, "reader").json()
            assert (seen["table"], seen["due"]) == (self.table, [f"action:{self.number}"])
        return None

    def may(self, kind: str, player: int | None) -> bool:
        """Whether the rules allow it now: backgammon's turn order, by heart."""
        due, cube = self.table["due"], self.table["cube"]
        if kind in ("take", "drop", "resign_accept", "resign_refuse"):
            return kind in ANSWERS.get(due["what"], ()) and player == due["player"]
        if kind == "roll":
            if due["what"] == "opening_roll":
                return player is None
            return bool(due["what"] == "roll" and player == due["player"])
        assert kind == "double"
        return bool(
            (due["what"], due["player"]) == ("roll", player)
            and cube is not None
            and cube["owner"] in (None, player)
            and cube["value"] < LIMIT
            and not self.table["crawford"]
        )

    @rule(kind=KINDS, player=PLAYER, off=st.sampled_from([0, 0, 0, 0, 1, 3]), who=WHO)
    def any_action(self, kind: str, player: int, off: int, who: str) -> None:
        body: dict[str, Any] = {"type": kind, "player": player}
        if kind == "resign_offer":
            body["value"] = 1
        allowed = kind != "resign_offer" and self.may(kind, player)
        made = self.act(self.number + off, body, who)
        if made and kind != "resign_offer":
            assert allowed, body
        if who == "server" and not off and not self.over and allowed and kind != "double":
            assert made, body

    @rule(choice=st.integers(0, 1000), times=st.integers(5, 30), then=st.booleans())
    def go_on(self, choice: int, times: int, then: bool) -> None:
        """What is due, some times over, so that games come to their ends."""
        for _ in range(times):
            if self.over:
                return
            if choice % 2 == 0:
                self.try_double()
            due = self.table["due"]
            what, player = due["what"], due["player"]
            if what in ("roll", "opening_roll"):
                body = {"type": "roll", "player": player}
            elif what == "play":
                moves = self.legal[choice % len(self.legal)][0]
                body = {"type": "play", "player": player, "moves": moves}
            else:
                body = {"type": ANSWERS[what][then], "player": player}
            assert self.act(self.number, body), (due, body)

    def try_double(self) -> None:
        for player in (0, 1):
            may = self.may("double", player)
            made = self.act(self.number, {"type": "double", "player": player})
            assert bool(made) == may, (player, self.table, made)

    @rule(back=st.integers(0, 400), player=PLAYER, same=st.booleans())
    def repeat(self, back: int, player: int, same: bool) -> None:
        if not self.done:
            return
        number = sorted(self.done)[-1 - back % len(self.done)]
        other = {"type": "resign_offer", "player": player, "value": 3}
        self.act(number, self.done[number].asked if same else other)

    @rule(player=PLAYER, moves=NONSENSE)
    def nonsense(self, player: int, moves: str) -> None:
        due = self.table["due"]
        legal = {play[0] for play in self.legal}
        if self.over or due["what"] != "play":
            return
        if moves not in legal or player != due["player"]:
            assert not self.act(self.number, {"type": "play", "player": player, "moves": moves})

    @rule(index=st.integers(0, 2))
    def plain_roll(self, index: int) -> None:
        answer = self.send("PUT", f"{self.match_id}/rolls/{index}", "server", body={})
        assert answer.json()["code"] == "refereed-match"

    @rule(who=WHO)
    def read(self, who: str) -> None:
        answer = self.send("GET", f"{self.match_id}/log", who, self.tokens)
        if who in INTRUDERS and (who == "garbage" or not self.over):
            assert answer.status_code == INTRUDERS[who]
        else:
            assert answer.status_code == 200

    def teardown(self) -> None:
        if not hasattr(self, "table"):
            return
        if not self.over:
            answer = self.send("PUT", f"{self.match_id}/end", "server", body={"reason": "abort"})
            assert answer.status_code == 201, answer.text
        view = self.send("GET", self.match_id, "nobody").json()
        secret = bytes.fromhex(view["server_seed"])
        assert leaks(secret, {"before the reveal": b"\n".join(self.heard)}) == []
        log = self.send("GET", f"{self.match_id}/log", "nobody").content
        report = verify_log(log, [read_receipts(b"".join(self.kept))])
        rolls = log.count(b'{"type":"roll"')
        assert report.verdict is (Verdict.VERIFIED if rolls else Verdict.CONSISTENT), report
        assert report.rolls == rolls
        stand = [
            line["line"] for done in self.done.values() for line in json.loads(done.body)["lines"]
        ]
        assert [line for line in log.decode().splitlines() if line in set(stand)] == stand


def test_no_interleaving_breaks_a_refereed_match(tmp_path: Path) -> None:
    run(Refereed, tmp_path / "service", examples=10, steps=50)
