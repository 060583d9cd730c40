"""One game, as a fold over its events: whose turn it is, the dice, the cube, an offer to resign.

Every method takes the state and what happens, and returns the state after it, or raises
`RuleError`; a state is never changed. The rules are those of `README.md`.
"""

from typing import Literal, NamedTuple

from . import direct
from .board import START, Side, borne_off, closed_out
from .events import Kind, PassUnrolled, Play
from .messages import RuleError
from .possible import playable
from .rulesets import RuleSet

Phase = Literal[
    "opening_roll", "roll", "play", "pass_unrolled", "double_answer", "resign_answer", "game_end"
]


class Result(NamedTuple):
    """How a game ended."""

    winner: int
    points: int
    kind: Kind


class Offer(NamedTuple):
    """An offer to resign, and the phase to come back to when it is refused."""

    player: int
    value: int
    phase: Phase


class Game(NamedTuple):
    """A game in progress.

    ``sides``: both players' checkers, player 0 first. ``phase``: what is due; ``player``: from whom
    (None: the opening roll). ``dice``: the roll to be played, else None. ``owner``: who holds the
    cube, None while it is centred. ``refused``: who may not offer to resign again in this turn.
    """

    rules: RuleSet
    crawford: bool
    sides: tuple[Side, Side] = (START, START)
    phase: Phase = "opening_roll"
    player: int | None = None
    dice: tuple[int, int] | None = None
    cube: int = 1
    owner: int | None = None
    offer: Offer | None = None
    refused: frozenset[int] = frozenset()
    result: Result | None = None

    def roll(self, purpose: str, player: int | None, dice: tuple[int, int]) -> "Game":
        """The dice are cast."""
        if self.phase == "roll":
            if purpose != "turn" or player != self.player:
                raise self.not_due(player)
            return self._with_dice(self.player, dice, self.refused)
        if self.phase != "opening_roll" or purpose != "opening" or player is not None:
            raise self.not_due(player)
        if dice[0] == dice[1]:
            return self
        starter = 0 if dice[0] > dice[1] else 1
        if self.rules.starter_rerolls:
            return self.started_by(starter)
        return self._with_dice(starter, dice, frozenset())

    def play(self, player: int, moves: str, auto: bool) -> "Game":
        """The roll is played; `moves` must be legal and canonical, "" when nothing is."""
        if self.phase != "play" or player != self.player or self.dice is None:
            raise self.not_due(player)
        if auto and not moves:
            raise RuleError("play_empty_auto")
        me, opp = direct.check(
            self.sides[player], self.sides[1 - player], self.dice, moves, self.rules.style
        )
        sides = (opp, me) if player else (me, opp)
        if me:
            return self._turn_of(1 - player, sides)
        won = self._replace(sides=sides, dice=None)
        times, kind = won.worth(1 - player)
        return won.ended(player, times * self.cube, kind)

    def turn(self, player: int, dice: tuple[int, int], moves: str, auto: bool) -> "Game":
        """A whole turn: what `roll` and then `play` give, without the state between them."""
        if self.phase != "roll" or player != self.player or not moves:
            return self.roll("turn", player, dice).play(player, moves, auto)
        sides = self.sides
        me, opp = direct.check(sides[player], sides[1 - player], dice, moves, self.rules.style)
        if not me:
            return self.roll("turn", player, dice).play(player, moves, auto)
        return self._turn_of(1 - player, (opp, me) if player else (me, opp))

    def pass_unrolled(self, player: int) -> "Game":
        """A closed-out player's turn passes without a roll."""
        self._expect("pass_unrolled", player)
        return self._turn_of(1 - player, self.sides)

    def double(self, player: int) -> "Game":
        """The player about to roll offers the cube."""
        refusal = self.may_double(player)
        if refusal is not None:
            raise refusal
        return self._replace(phase="double_answer", player=1 - player)

    def may_double(self, player: int) -> RuleError | None:
        """Why `player` may not double now; None when it may."""
        if not self.rules.cube:
            return RuleError("cube_none")
        if self.phase == "play" and player == self.player:
            return RuleError("cube_after_roll")
        if self.phase != "roll" or player != self.player:
            return self.not_due(player)
        return self._cube_stays(player)

    def take(self, player: int) -> "Game":
        """The cube is taken: it doubles, and the taker owns it. The doubler rolls."""
        self._expect("double_answer", player)
        return self._replace(phase="roll", player=1 - player, cube=2 * self.cube, owner=player)

    def drop(self, player: int) -> "Game":
        """The cube is refused: the game is lost at the value before the double."""
        self._expect("double_answer", player)
        return self.ended(1 - player, self.cube, "drop")

    def resign_offer(self, player: int, value: int) -> "Game":
        """A player offers the game as lost, at what it would lose were the game over now."""
        if self.phase not in ("opening_roll", "roll", "play") or self.follows() is not None:
            raise self.not_due(player)
        if player in self.refused:
            raise RuleError("resign_again")
        worth, _ = self.worth(player)
        if value != worth:
            raise RuleError("resign_value", value=worth)
        offer = Offer(player, value, self.phase)
        return self._replace(phase="resign_answer", offer=offer)

    def resign_accept(self, player: int) -> "Game":
        """The opponent accepts."""
        offer = self._offer_to(player)
        return self.ended(player, offer.value * self.cube, "resign")

    def resign_refuse(self, player: int) -> "Game":
        """The opponent refuses: the game goes on, with no new offer in this turn."""
        offer = self._offer_to(player)
        return self._replace(phase=offer.phase, offer=None, refused=self.refused | {offer.player})

    def worth(self, loser: int) -> tuple[int, Kind]:
        """How many times the cube `loser` would lose if the game ended now, and as what."""
        side = self.sides[loser]
        if borne_off(side) or (self.rules.jacoby and self.owner is None):
            return 1, "single"
        if side >= _FIRST_FAR and self.rules.backgammon > self.rules.gammon:
            return self.rules.backgammon, "backgammon"
        return self.rules.gammon, "gammon"

    def ended(self, winner: int, points: int, kind: Kind) -> "Game":
        """The game, over."""
        result = Result(winner, points, kind)
        return self._replace(phase="game_end", player=None, dice=None, offer=None, result=result)

    def due_from(self) -> int | None:
        """Whose event is due; None for the opening roll and after the end."""
        return self.player if self.offer is None else 1 - self.offer.player

    def follows(self) -> Play | PassUnrolled | None:
        """The event that must come next because nobody has a choice, if there is one."""
        if self.phase == "pass_unrolled":
            assert self.player is not None
            return PassUnrolled(self.player)
        if self.phase == "play":
            assert self.player is not None
            assert self.dice is not None
            me, opp = self.sides[self.player], self.sides[1 - self.player]
            if not playable(me, opp, self.dice, self.rules.style):
                return Play(self.player, "", auto=False)
        return None

    def not_due(self, player: int | None) -> RuleError:
        """Why an event of `player` cannot come now."""
        due_from = self.due_from()
        if due_from is None or player in (None, due_from):
            return RuleError(f"due_{self.phase}", player=due_from)
        return RuleError("due_from_other", player=due_from, due=self.phase)

    def started_by(self, player: int) -> "Game":
        """The game begun without an opening roll: `player` rolls first."""
        return self._turn_of(player, self.sides)

    def _cube_stays(self, player: int) -> RuleError | None:
        if self.crawford:
            return RuleError("cube_crawford")
        if self.owner not in (None, player):
            return RuleError("cube_not_yours")
        if self.cube >= self.rules.cube_limit:
            return RuleError("cube_limit", limit=self.rules.cube_limit)
        return None

    def _expect(self, phase: Phase, player: int) -> None:
        if self.phase != phase or self.player != player:
            raise self.not_due(player)

    def _offer_to(self, player: int) -> Offer:
        if self.offer is None or self.offer.player == player:
            raise self.not_due(player)
        return self.offer

    def _turn_of(self, player: int, sides: tuple[Side, Side]) -> "Game":
        phase: Phase = "roll"
        if not self.rules.closed_out_rolls and closed_out(sides[player], sides[1 - player]):
            phase = "pass_unrolled"
        return Game(self.rules, self.crawford, sides, phase, player, None, self.cube, self.owner)

    def _with_dice(
        self, player: int | None, dice: tuple[int, int], refused: frozenset[int]
    ) -> "Game":
        return Game(
            self.rules,
            self.crawford,
            self.sides,
            "play",
            player,
            dice,
            self.cube,
            self.owner,
            None,
            refused,
        )


_FIRST_FAR = 1 << 8 * 18
"""A side at least this large has a checker on its points 19 to 24 or on the bar."""
