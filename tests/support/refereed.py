"""A refereed match played through the service's pure core, and bots that choose its actions."""

import hashlib
import random
from collections.abc import Callable
from typing import Any, cast

from dice_service.actions import (
    AbandonAction,
    AnyAction,
    DoubleAction,
    DropAction,
    PlayAction,
    ResignAcceptAction,
    ResignOfferAction,
    ResignRefuseAction,
    RollAction,
    TakeAction,
    TimeoutAction,
    decide_action,
    repeated,
)
from dice_service.draft import Done
from dice_service.match import decide_commit, decide_open, decide_seed
from dice_service.signing import Signer
from dice_service.state import Line, State, begin, fold
from tests.support.scribe import KEY, PLAYER_SEEDS, SERVER_SEED
from verifier.events import Match, Player
from verifier.rules.match import MatchState

TIME = "2026-11-30T17:45:16.123Z"
SIGNER = Signer(KEY)
# Every rule set, and options of every kind.
MATCHES: list[tuple[str, int | None, dict[str, bool | int]]] = [
    ("kafadinle", 3, {}),
    ("oyna-tavla", 2, {"no_hit_and_run_at_home": True}),
    ("oyna-tavla", None, {"best_of_games": 5, "gammon": 1}),
    ("oyna-backgammon", 3, {}),
    ("tavlino", 3, {"crawford": False}),
    ("tavlino", 1, {}),
    ("jacoby-match", 4, {}),
]


class Table:
    """One match from its opening on: ``log`` and ``state``, and ``act`` as the service does it."""

    def __init__(
        self,
        rules: str | None,
        length: int | None = 3,
        options: dict[str, bool | int] | None = None,
        *,
        seeds_open: bool = True,
        **match: Any,
    ) -> None:
        opening = Match(
            time=TIME,
            protocol="zarf/1",
            rules=rules,
            length=length,
            options=options or {},
            commitment=hashlib.sha256(SERVER_SEED).hexdigest(),
            public_key=SIGNER.public_key,
            key_id=SIGNER.key_id,
            **{"match_id": "test-match-1", "seeding": "committed", "players": ("Ayşe", "Bora")}
            | match,
        )
        self.log: list[Line] = decide_open(opening, sign=SIGNER.sign_head)
        self.state: State = fold(begin(self.log[0]), self.log[1])
        players: tuple[Player, Player] = (0, 1)
        for player in players:
            value = hashlib.sha256(PLAYER_SEEDS[player]).hexdigest()
            self.take(decide_commit(self.state, player, value, time=TIME, sign=SIGNER.sign_head))
        for player in players if seeds_open else ():
            self.take(decide_seed(self.state, player, PLAYER_SEEDS[player].hex(), time=TIME))

    def take(self, decision: Any) -> None:
        for line in decision:
            self.log.append(line)
            self.state = fold(self.state, line)

    def act(self, number: int, action: AnyAction) -> Done:
        """An action, new or repeated."""
        done = decide_action(
            self.state, number, action, secret=SERVER_SEED, time=TIME, sign=SIGNER.sign_head
        )
        if done is None:
            return repeated(self.log, number, action)
        self.take(done.lines)
        assert done.after == self.state
        return done

    def next(self, action: AnyAction) -> Done:
        return self.act(self.state.actions, action)

    @property
    def play(self) -> MatchState:
        assert self.state.play is not None
        return self.state.play

    @property
    def data(self) -> bytes:
        return b"".join(line.data + b"\n" for line in self.log)


def choice(play: MatchState, chance: random.Random) -> AnyAction:
    """What a bot does when something is due: any legal thing, the rare things rarely."""
    due = play.due()
    then_roll = chance.random() < 0.5
    player = cast("Player | None", due.player)
    answers: dict[str, list[Callable[..., AnyAction]]] = {
        "double_answer": [TakeAction, TakeAction, DropAction],
        "resign_answer": [ResignAcceptAction, ResignRefuseAction],
    }
    if due.what in answers:
        return chance.choice(answers[due.what])(player=player, then_roll=then_roll)
    if (unusual := _unusual(play, player, chance)) is not None:
        return unusual
    if due.what == "play" and player is not None:
        auto, moves = chance.random() < 0.1, chance.choice(play.legal()).moves
        return PlayAction(player=player, moves=moves, auto=auto, then_roll=then_roll)
    return RollAction(player=player, then_roll=then_roll)


def _unusual(play: MatchState, player: Player | None, chance: random.Random) -> AnyAction | None:
    both: tuple[Player, Player] = (0, 1)
    for one in both:
        if "resign_offer" in play.commands(one) and chance.random() < 0.01:
            value: Any = play.game.worth(one)[0]
            return ResignOfferAction(player=one, value=value)
    if player is not None and "double" in play.commands(player) and chance.random() < 0.1:
        return DoubleAction(player=player)
    endings: list[AnyAction] = [AbandonAction(winner=None), TimeoutAction(winner=1)]
    return chance.choice(endings) if chance.random() < 0.001 else None
