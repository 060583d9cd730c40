"""Random matches under every rule set, beside a model that keeps only cube, turn and score."""

import random
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from verifier.rules.board import unpack
from verifier.rules.events import (
    Double,
    Drop,
    Event,
    GameEnd,
    MatchEnd,
    PassUnrolled,
    Play,
    ResignAccept,
    ResignOffer,
    ResignRefuse,
    Roll,
    Take,
)
from verifier.rules.match import MatchState
from verifier.rules.messages import RuleError
from verifier.rules.rulesets import RULE_SETS, resolve

MATCHES: list[tuple[str, int | None, dict[str, Any]]] = [
    *[(name, length, {}) for name in RULE_SETS for length in (1, 3, 5)],
    ("tavlino", 7, {"cube": False}),
    ("jacoby-match", 3, {"crawford": False, "jacoby": False}),
    ("oyna-tavla", None, {"best_of_games": 5, "gammon": 1, "no_hit_and_run_at_home": True}),
]
SIMPLE: dict[str, Any] = {
    "double": Double,
    "take": Take,
    "drop": Drop,
    "resign_accept": ResignAccept,
    "resign_refuse": ResignRefuse,
}
dice = st.tuples(st.integers(1, 6), st.integers(1, 6))
players = st.integers(0, 1)


class Matches(RuleBasedStateMachine):
    """One match; `events` is its log."""

    @initialize(match=st.sampled_from(MATCHES))
    def begin(self, match: tuple[str, int | None, dict[str, Any]]) -> None:
        name, self.length, options = match
        self.rule_set = resolve(name, self.length, options)
        self.state = MatchState.start(self.rule_set, self.length)
        self.events: list[Event] = []
        self.cube = 1
        self.score, self.crawfords = [0, 0], 0
        self.owner: int | None = None
        self.turn: int | None = None

    def do(self, event: Event) -> None:
        self.state = self.state.apply(event)
        self.events.append(event)
        self.keep_book(event)
        while (following := self.state.follows()) is not None:
            self.state = self.state.apply(following)
            self.events.append(following)
            self.keep_book(following)

    def keep_book(self, event: Event) -> None:
        if isinstance(event, Take):
            self.cube, self.owner = 2 * self.cube, event.player
        elif isinstance(event, Play | PassUnrolled):
            assert self.turn in (event.player, None)
            self.turn = 1 - event.player
        elif isinstance(event, Roll) and event.player is not None:
            assert self.turn in (event.player, None)
            self.turn = event.player
        elif isinstance(event, GameEnd):
            if event.kind in ("single", "gammon", "backgammon", "resign"):
                assert event.points in (self.cube, 2 * self.cube, 3 * self.cube)
            if event.kind == "drop":
                assert event.points == self.cube
            self.score[event.winner] += event.points
            assert list(event.score) == self.score
            self.cube, self.owner, self.turn = 1, None, None
            self.crawfords += self.state.game.crawford and self.state.stage == "game"

    def on(self) -> bool:
        return self.state.stage == "game"

    @precondition(on)
    @rule(player=players, roll=dice, moves=st.integers(0, 10**6))
    def move(self, player: int, roll: tuple[int, int], moves: int) -> None:
        allowed = self.state.commands(player)
        if "roll" in allowed:
            due = self.state.due()
            self.do(Roll("opening" if due.player is None else "turn", due.player, roll))
        elif "play" in allowed:
            plays = self.state.legal()
            self.do(Play(player, plays[moves % len(plays)].moves, auto=bool(moves % 2)))

    @precondition(on)
    @rule(player=players, type_=st.sampled_from(sorted(SIMPLE)))
    def command(self, player: int, type_: str) -> None:
        event = SIMPLE[type_](player)
        if type_ in self.state.commands(player):
            assert type_ != "double" or self.owner in (None, player)
            self.do(event)
        else:
            with pytest.raises(RuleError):
                self.state.apply(event)

    @precondition(on)
    @rule(player=players, value=st.integers(0, 4))
    def offer(self, player: int, value: int) -> None:
        worth, _ = self.state.game.worth(player)
        if "resign_offer" in self.state.commands(player) and value == worth:
            self.do(ResignOffer(player, value))
        else:
            with pytest.raises(RuleError):
                self.state.apply(ResignOffer(player, value))

    @precondition(on)
    @rule(seed=st.integers(0, 10**6))
    def play_on(self, seed: int) -> None:
        """Many turns without cube or resignation, until the game is over."""
        rng = random.Random(seed)
        number = self.state.number
        while (
            self.on()
            and self.state.number == number
            and self.state.game.phase
            in (
                "opening_roll",
                "roll",
                "play",
            )
        ):
            roll = rng.randint(1, 6), rng.randint(1, 6)
            for player in (0, 1):
                if self.on() and self.state.number == number:
                    self.move(player, roll, rng.randrange(10**6))

    @precondition(on)
    @rule(winner=players, probe=st.integers(0, 30))
    def leave(self, winner: int, probe: int) -> None:
        if probe == 0 and self.events:
            for event in self.state.ending("disconnect", winner):
                self.do(event)

    @precondition(lambda self: not self.on())
    @rule(player=players, roll=dice)
    def after_the_end(self, player: int, roll: tuple[int, int]) -> None:
        for event in (Roll("turn", player, roll), Double(player), self.events[-1]):
            with pytest.raises(RuleError):
                self.state.apply(event)

    @invariant()
    def holds(self) -> None:
        if not hasattr(self, "state"):
            return
        state = self.state
        game = state.game
        assert (game.cube, game.owner) == (self.cube, self.owner) or game.result is not None
        assert list(state.score) == self.score
        assert self.crawfords <= 1
        assert all(0 <= sum(unpack(side)) <= 15 for side in game.sides)
        mine, theirs = map(unpack, game.sides)
        assert not any(mine[point] and theirs[23 - point] for point in range(24))
        if state.stage == "game":
            assert max(state.score) < state.target
            assert state.commands(0) | state.commands(1)
        else:
            assert isinstance(self.events[-1], MatchEnd)

    def teardown(self) -> None:
        """A fold over the log gives the same state, line by line and by whole turns."""
        if not hasattr(self, "state"):
            return
        by_line = by_turn = MatchState.start(self.rule_set, self.length)
        for event in self.events:
            by_line = by_line.apply(event)
        assert by_line == self.state
        following = [*self.events[1:], None]
        for event, after in zip(self.events, following, strict=False):
            if isinstance(event, Roll) and event.player is not None and isinstance(after, Play):
                by_turn = by_turn.turn(event.player, event.dice, after.moves, after.auto)
            elif not (isinstance(event, Play) and by_turn.game.phase != "play"):
                by_turn = by_turn.apply(event)
        assert by_turn == self.state


TestMatches = Matches.TestCase
TestMatches.settings = settings(max_examples=40, stateful_step_count=30, deadline=None)
