"""The state machine of a match: whatever is asked in whatever order, the log is one that holds."""

import hashlib
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from dice_service.errors import PROBLEMS, Refusal
from dice_service.match import (
    Decision,
    Standing,
    decide_commit,
    decide_end,
    decide_open,
    decide_roll,
    decide_seed,
    refuse_other_roll,
)
from dice_service.signing import SigningRing
from dice_service.state import Line, State, begin, fold, read
from verifier import Verdict, verify_log
from verifier.events import EndReason, Match, Player, Purpose, Roll, type_name

SIGNER = SigningRing.generate().active
SECRET = hashlib.sha256(b"the service's").digest()
SEEDS = [hashlib.sha256(name).hexdigest() for name in (b"first", b"second", b"third")]
COMMITMENTS = [hashlib.sha256(bytes.fromhex(seed)).hexdigest() for seed in SEEDS]
TIME = "2026-11-30T17:45:16.123Z"
EARLIER = "1999-12-31T23:59:59.999Z"

players = st.sampled_from((0, 1))
times = st.sampled_from((TIME, EARLIER))


def opening(seeding: Any = "committed", **other: Any) -> Match:
    fields: dict[str, Any] = {
        "time": TIME,
        "protocol": "zarf/1",
        "match_id": "m-1",
        "seeding": seeding,
        "rules": None,
        "length": None,
        "options": {},
        "players": ("Ayşe", "Bora"),
        "commitment": hashlib.sha256(SECRET).hexdigest(),
        "public_key": SIGNER.public_key,
        "key_id": SIGNER.key_id,
    }
    return Match(**(fields | other))


class MatchMachine(RuleBasedStateMachine):
    """Two players and a game server who ask for anything at any time, right or wrong."""

    log: list[Line]
    state: State

    @initialize(seeding=st.sampled_from(("committed", "direct")))
    def open(self, seeding: str) -> None:
        self.log = decide_open(opening(seeding), sign=SIGNER.sign_head)
        self.state = fold(begin(self.log[0]), self.log[1])
        self.done: dict[tuple[object, ...], int] = {}
        self.committed: dict[int, str] = {}
        self.seeds: dict[int, str] = {}
        self.rolls: list[tuple[Purpose, Player | None]] = []
        self.ended = False

    def ask(self, what: tuple[object, ...], decide: Callable[[], Decision], allowed: bool) -> None:
        """A first time is done exactly if the rules allow it; a second time it stands."""
        if what not in self.done and not allowed:
            assert refusal(decide) in PROBLEMS
            return
        decision = decide()
        if what in self.done:
            assert decision == Standing(self.done[what])
            return
        assert not isinstance(decision, Standing)
        self.done[what] = len(self.log)
        for line in decision:
            self.log.append(line)
            self.state = fold(self.state, line)

    @rule(player=players, which=st.integers(0, 2), time=times)
    def commit(self, player: Player, which: int, time: str) -> None:
        commitment = COMMITMENTS[which]
        allowed = (
            self.state.match.seeding == "committed"
            and not self.ended
            and player not in self.committed
            and commitment not in self.committed.values()
        )
        self.ask(
            ("commit", player, commitment),
            lambda: decide_commit(self.state, player, commitment, time=time, sign=SIGNER.sign_head),
            allowed,
        )
        if allowed:
            self.committed[player] = commitment

    @rule(player=players, which=st.integers(0, 2), time=times)
    def open_seed(self, player: Player, which: int, time: str) -> None:
        seed = SEEDS[which]
        direct = self.state.match.seeding == "direct"
        allowed = (
            not self.ended
            and player not in self.seeds
            and (direct or len(self.committed) == 2)
            and (direct or self.committed[player] == COMMITMENTS[which])
        )
        self.ask(
            ("seed", player, seed),
            lambda: decide_seed(self.state, player, seed, time=time),
            allowed,
        )
        if allowed:
            self.seeds[player] = seed

    @rule(
        back=st.integers(-2, 3),
        purpose=st.sampled_from(("turn", "opening")),
        player=st.sampled_from((None, 0, 1)),
        time=times,
    )
    def roll(self, back: int, purpose: Purpose, player: Player | None, time: str) -> None:
        index = max(0, len(self.rolls) - back)

        def decide() -> Decision:
            decision = decide_roll(self.state, index, purpose, player, secret=SECRET, time=time)
            if isinstance(decision, Standing):
                event = self.log[decision.seq].event
                assert isinstance(event, Roll)
                refuse_other_roll(event, purpose, player)
            return decision

        allowed = (
            not self.ended
            and len(self.seeds) == 2
            and index == len(self.rolls)
            and (purpose, player) not in (("opening", 0), ("opening", 1))
        )
        self.ask(("roll", index, purpose, player), decide, allowed)
        if allowed:
            self.rolls.append((purpose, player))

    @rule(
        reason=st.sampled_from(("finished", "resign", "timeout", "score", "abort")),
        winner=st.sampled_from((None, 0, 1)),
        seldom=st.integers(0, 9),
    )
    def end(self, reason: EndReason, winner: Player | None, seldom: int) -> None:
        if seldom and not self.ended:
            return
        allowed = not self.ended and (
            winner is None if reason == "abort" else reason != "score" and len(self.seeds) == 2
        )
        self.ask(
            ("end", reason, winner),
            lambda: decide_end(
                self.state, reason, winner, secret=SECRET, time=TIME, sign=SIGNER.sign_head
            ),
            allowed,
        )
        self.ended = self.ended or allowed

    @invariant()
    def the_state_is_the_fold_of_the_stored_lines(self) -> None:
        if not hasattr(self, "log"):
            return
        state = begin(read(self.log[0].data, 0))
        for seq, line in enumerate(self.log[1:], 1):
            state = fold(state, read(line.data, seq))
        assert state == self.state
        assert (state.lines, state.head) == (len(self.log), self.log[-1].head)

    def teardown(self) -> None:
        if not hasattr(self, "log"):
            return
        report = verify_log(b"".join(line.data + b"\n" for line in self.log))
        assert report.verdict == (Verdict.CONSISTENT if self.ended else Verdict.INCOMPLETE), (
            report.failures
        )
        assert report.rolls == (len(self.rolls) if self.ended else 0)


MatchMachine.TestCase.settings = settings(max_examples=150, stateful_step_count=40, deadline=None)
test_every_order_of_requests_gives_a_log_that_holds = MatchMachine.TestCase


def rolling(seeding: str = "committed") -> State:
    log = decide_open(opening(seeding), sign=SIGNER.sign_head)
    state = fold(begin(log[0]), log[1])
    both: tuple[Player, Player] = (0, 1)
    if seeding == "committed":
        for player in both:
            commitment = COMMITMENTS[player]
            state = folded(
                state,
                decide_commit(state, player, commitment, time=TIME, sign=SIGNER.sign_head),
            )
    for player in both:
        state = folded(state, decide_seed(state, player, SEEDS[player], time=TIME))
    return state


def folded(state: State, decision: Decision) -> State:
    assert not isinstance(decision, Standing)
    for line in decision:
        state = fold(state, line)
    return state


def refusal(decide: Callable[[], object]) -> str:
    with pytest.raises(Refusal) as caught:
        decide()
    return caught.value.code


def test_the_lines_of_a_committed_match_stand_in_the_order_of_the_protocol() -> None:
    log = decide_open(opening(), sign=SIGNER.sign_head)
    state = fold(begin(log[0]), log[1])
    steps: list[Callable[[State], Decision]] = [
        lambda s: decide_commit(s, 1, COMMITMENTS[1], time=TIME, sign=SIGNER.sign_head),
        lambda s: decide_commit(s, 0, COMMITMENTS[0], time=TIME, sign=SIGNER.sign_head),
        lambda s: decide_seed(s, 0, SEEDS[0], time=TIME),
        lambda s: decide_seed(s, 1, SEEDS[1], time=TIME),
        lambda s: decide_roll(s, 0, "turn", None, secret=SECRET, time=TIME),
        lambda s: decide_end(s, "finished", 1, secret=SECRET, time=TIME, sign=SIGNER.sign_head),
    ]
    for step in steps:
        decision = step(state)
        assert not isinstance(decision, Standing)
        log += decision
        state = folded(state, decision)
    assert [type_name(line.event) for line in log] == [
        *("match", "signature"),
        *("seed_commitment", "seed_commitment", "signature"),
        *("seed", "seed", "roll"),
        *("match_end", "reveal", "signature"),
    ]
    assert state.server_seed == SECRET.hex()


@settings(max_examples=200, deadline=None)
@given(index=st.integers(0, 400), secret=st.binary(min_size=32, max_size=32))
def test_the_dice_are_those_of_the_formula(index: int, secret: bytes) -> None:
    import hmac

    import msgspec

    state = msgspec.structs.replace(rolling("direct"), rolls=index)
    decision = decide_roll(state, index, "turn", None, secret=secret, time=TIME)
    assert not isinstance(decision, Standing)
    event = decision[0].event
    assert isinstance(event, Roll)
    text = f"zarf/1:roll:m-1:{SEEDS[0]}:{SEEDS[1]}:{index}:0".encode()
    digest = hmac.new(secret, text, hashlib.sha256).digest()
    assert list(event.dice) == [byte % 6 + 1 for byte in digest if byte < 252][:2]


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"rules": "sixes"}, "rules-unknown"),
        ({"rules": "kafadinle", "length": 2}, "rules-inconsistent"),
        ({"seeding": "chained"}, "seeding-unsupported"),
        ({"options": {"crawford": True}}, "invalid"),
        ({"length": 0}, "invalid"),
        ({"length": 1000}, "invalid"),
        ({"match_id": "a:b"}, "invalid"),
        ({"players": ("s\u0327", "Bora")}, "invalid"),  # not in NFC
        ({"players": ("", "Bora")}, "invalid"),
        ({"players": ("a\nb", "Bora")}, "invalid"),
        ({"players": ("x" * 65, "Bora")}, "invalid"),
    ],
)
def test_a_match_that_a_verifier_would_refuse_is_not_opened(
    fields: dict[str, Any], code: str
) -> None:
    match = opening(**fields)
    assert refusal(lambda: decide_open(match, sign=SIGNER.sign_head)) == code


def test_the_mirror_of_anothers_commitment_is_refused() -> None:
    log = decide_open(opening(), sign=SIGNER.sign_head)
    state = fold(begin(log[0]), log[1])
    own = opening().commitment
    assert (
        refusal(lambda: decide_commit(state, 0, own, time=TIME, sign=SIGNER.sign_head))
        == "commitments-equal"
    )
    first = decide_commit(state, 0, COMMITMENTS[0], time=TIME, sign=SIGNER.sign_head)
    after = folded(state, first)
    assert (
        refusal(lambda: decide_commit(after, 1, COMMITMENTS[0], time=TIME, sign=SIGNER.sign_head))
        == "commitments-equal"
    )


@pytest.mark.parametrize("value", ["A" * 64, "0" * 63, "0" * 65, "g" * 64, "", "\ud800" * 64])
def test_a_commitment_that_is_not_64_hex_digits_is_invalid(value: str) -> None:
    log = decide_open(opening(), sign=SIGNER.sign_head)
    state = fold(begin(log[0]), log[1])
    assert (
        refusal(lambda: decide_commit(state, 0, value, time=TIME, sign=SIGNER.sign_head))
        == "invalid"
    )


def test_a_seed_of_equal_bytes_is_invalid() -> None:
    log = decide_open(opening("direct"), sign=SIGNER.sign_head)
    state = fold(begin(log[0]), log[1])
    assert refusal(lambda: decide_seed(state, 0, "5a" * 32, time=TIME)) == "invalid"


def test_what_is_due_is_told() -> None:
    log = decide_open(opening(), sign=SIGNER.sign_head)
    state = fold(begin(log[0]), log[1])
    assert state.due == ("commitment:0", "commitment:1")
    with pytest.raises(Refusal, match="commitment:0, commitment:1") as caught:
        decide_roll(state, 0, "turn", None, secret=SECRET, time=TIME)
    assert caught.value.code == "not-due"
    assert rolling().due == ("roll:0",)


def test_no_refusal_and_no_repr_tells_the_secret() -> None:
    state = rolling()
    with pytest.raises(Refusal) as caught:
        decide_roll(state, 5, "turn", None, secret=SECRET, time=TIME)
    assert SECRET.hex() not in caught.value.body().decode() + repr(caught.value) + repr(state)
