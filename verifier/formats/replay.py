"""A transcript played again under a rule set, to see whether every play is legal and the sums hold.

Every roll must be due, every play legal (the direct check, written as leniently as files write),
the cube and the Crawford game as the rules have them, each result what the board or the cube gives,
and each score line the sum so far. What is not is a `Fault` at its line; `faults` has their names.
After a fault on the board the rest of that game is not judged; its result and the games after it
are.
"""

from collections.abc import Mapping
from dataclasses import replace

from msgspec import Struct

from verifier.formats import results, slips
from verifier.formats.faults import Fault
from verifier.formats.results import Found
from verifier.formats.transcript import Action, Double, Drop, Game, Resign, Take, Transcript, Turn
from verifier.rules import direct
from verifier.rules.board import Side
from verifier.rules.game import Game as Board
from verifier.rules.messages import RuleError
from verifier.rules.moves import legal_plays
from verifier.rules.rulesets import MAX_LENGTH, RULE_SETS, RuleSet, points_to_win, resolve

Sides = tuple[Side, Side]


class Made(Struct, frozen=True):
    """A turn that was played and is legal.

    ``moves`` is canonical; ``before`` and ``after`` are both players' checkers, player 0 first.
    """

    turn: Turn
    moves: str
    before: Sides
    after: Sides


class GameReplay(Struct, frozen=True):
    """One game replayed: its legal turns, and the faults of the whole game."""

    game: Game
    made: tuple[Made, ...]
    faults: tuple[Fault, ...]
    crawford: bool


class Replay(Struct, frozen=True):
    """A transcript replayed. ``score`` is that after its last game, as the file has it."""

    transcript: Transcript
    rules: RuleSet
    target: int | None
    games: tuple[GameReplay, ...]
    faults: tuple[Fault, ...]
    score: tuple[int, int]

    @property
    def judged(self) -> int:
        """How many plays were found legal."""
        return sum(len(game.made) for game in self.games)


def rules_for(
    transcript: Transcript, name: str, options: Mapping[str, bool | int]
) -> tuple[RuleSet, int | None, bool]:
    """The rules to judge a file by, and the score that wins (None in a money session).

    The third value says whether the rule set is played to the file's length at all; where it is
    not, its rules are taken from a length that it has. A money session has no Crawford game. Raises
    `RuleError` as `rulesets.resolve` does.
    """
    length, base = transcript.length, RULE_SETS.get(name)
    if "best_of_games" in options:
        rules = resolve(name, None, options)
        target = points_to_win(rules, None)
        return rules, target, target == length
    lengths = base.lengths if base else None
    if length == 0 or length > MAX_LENGTH or (lengths and length not in lengths):
        nearest = max(lengths) if lengths else MAX_LENGTH
        if lengths and length:
            nearest = min((known for known in lengths if known >= length), default=nearest)
        rules = resolve(name, nearest, options)
        if length == 0:
            return replace(rules, crawford=False), None, True
        return rules, length, False
    return resolve(name, length, options), length, True


def replay(
    transcript: Transcript, name: str, options: Mapping[str, bool | int] | None = None
) -> Replay:
    """The transcript judged under rule set `name`, with `options` changed.

    Raises `RuleError` when there is no such rule set or option.
    """
    rules, target, played_to = rules_for(transcript, name, options or {})
    faults = _in_the_header(transcript, rules, target, played_to=played_to)
    score, winner, crawford_over = (0, 0), None, False
    games: list[GameReplay] = []
    for game in transcript.games:
        last = len(games) + 1 == len(transcript.games)
        before = results.score_line(game, score, target, first=not games)
        score = game.score
        near = target is not None and max(score) == target - 1
        crawford = rules.crawford and near and not crawford_over
        crawford_over |= crawford
        follow = _Follow(game, rules, crawford=crawford, starter=winner)
        found = follow.all()
        after = results.judge(game, follow.board, found, score, target)
        if not after and game.result is None and found.cut in (None, "untold"):
            after = [Fault(_last_line(game), "game-unfinished" if last else "game-cut")]
        score, winner = results.after(game, follow.board, score)
        games.append(
            GameReplay(game, tuple(follow.made), (*before, *follow.faults, *after), crawford)
        )
    end = games[-1].game
    if target is not None and max(score) < target and end.result is not None:
        stands = results.shown(score)
        faults.append(Fault(end.result.line, "match-unfinished", stands, str(target)))
    faults += [fault for game in games for fault in game.faults]
    faults.sort(key=lambda fault: fault.line)
    return Replay(transcript, rules, target, tuple(games), tuple(faults), score)


def _in_the_header(
    transcript: Transcript, rules: RuleSet, target: int | None, *, played_to: bool
) -> list[Fault]:
    """What the reader noted, and what the file says of its rules that is otherwise here."""
    faults = [Fault(note.line, note.code, note.found, note.expected) for note in transcript.notes]
    if not played_to:
        length = str(transcript.length)
        faults.append(Fault(transcript.length_line, "rules-length", length, rules.name))
    for option, switch in (("Crawford", transcript.crawford), ("Jacoby", transcript.jacoby)):
        if (
            switch
            and target not in (None, 1)
            and (switch == "on") != getattr(rules, option.lower())
        ):
            faults.append(Fault(0, "tag-differs", f"{option} {switch}", rules.name))
    return faults


def _last_line(game: Game) -> int:
    if game.result:
        return game.result.line
    return game.actions[-1].line if game.actions else game.score_line


class _Follow:
    """Follows one game on the board, up to its end or the first thing that the rules refuse."""

    def __init__(self, game: Game, rules: RuleSet, *, crawford: bool, starter: int | None) -> None:
        self.game = game
        self.rules = rules
        self.starter = None if rules.opening_every_game else starter
        self.board = Board(rules, crawford)
        self.made: list[Made] = []
        self.faults: list[Fault] = []

    def all(self) -> Found:
        """Every action in turn; how the game was left."""
        for at, action in enumerate(self.game.actions):
            if isinstance(action, Resign):
                return self._resigned(at, action)
            try:
                if self._untold(at, action):
                    return Found(cut="untold")
                self._take(action)
            except RuleError as error:
                self.faults.append(self._fault(at, action, error))
                return Found(cut="fault")
        return Found(cut=None)

    def _resigned(self, at: int, action: Resign) -> Found:
        if at + 1 < len(self.game.actions):
            self.faults.append(Fault(self.game.actions[at + 1].line, "after-end"))
            return Found(cut="fault")
        return Found(cut="resigned", resigned=action)

    def _untold(self, at: int, action: Action) -> bool:
        """Whether this roll was left unplayed because the game was given up."""
        if not isinstance(action, Turn) or action.moves:
            return False
        closing = at + 1 == len(self.game.actions) or isinstance(self.game.actions[at + 1], Resign)
        if action.moves is None:
            if not closing:
                raise RuleError("play_missing")
            self._due(action)
            if self.game.result is not None or at + 1 < len(self.game.actions):
                self.faults.append(Fault(action.line, "play-untold"))
            return True
        if not closing or self.game.result is None:
            return False
        self._due(action)
        me, opp = self.board.sides[action.player], self.board.sides[1 - action.player]
        if self.board.result or not legal_plays(me, opp, action.dice, self.rules.style):
            return False
        self.faults.append(Fault(action.line, "play-blank"))
        return True

    def _take(self, action: Action) -> None:
        if self.board.result is not None:
            raise RuleError("due_game_end")
        self._due(action)
        player = action.player
        match action:
            case Turn():
                self._play(action)
            case Double():
                if action.value not in (None, 2 * self.board.cube):
                    self.faults.append(
                        Fault(
                            action.line,
                            "cube-value",
                            str(action.value),
                            str(2 * self.board.cube),
                        )
                    )
                self.board = self.board.double(player)
            case Take():
                self.board = self.board.take(player)
            case Drop():
                self.board = self.board.drop(player)

    def _due(self, action: Action) -> None:
        """Begin the game with its first action, and pass the turn of a closed-out player."""
        if self.board.phase == "opening_roll":
            self._begin(action)
        if self.board.phase == "pass_unrolled" and self.board.player != action.player:
            assert self.board.player is not None
            self.board = self.board.pass_unrolled(self.board.player)

    def _begin(self, action: Action) -> None:
        plays_opening = not self.rules.starter_rerolls and self.starter is None
        if self.starter not in (None, action.player):
            self.faults.append(Fault(action.line, "starter", str(action.player), str(self.starter)))
        if plays_opening:
            if not isinstance(action, Turn):
                raise RuleError("due_opening_roll")
            if action.dice[0] == action.dice[1]:
                self.faults.append(Fault(action.line, "opening-tied", _dice(action)))
        self.board = self.board.started_by(action.player)

    def _play(self, turn: Turn) -> None:
        board, player = self.board, turn.player
        if board.phase != "roll" or board.player != player:
            raise board.not_due(player)
        before = board.sides
        assert turn.moves is not None
        text = direct.read(
            before[player], before[1 - player], turn.dice, turn.moves, self.rules.style
        ).moves
        self.board = board.turn(player, turn.dice, text, auto=False)
        self.made.append(Made(turn, text, before, self.board.sides))

    def _fault(self, at: int, action: Action, error: RuleError) -> Fault:
        """What the rules refused, named more closely where a well-known slip explains it."""
        code = slips.named(self.board, self.game, at) or error.code
        found = ""
        if isinstance(action, Turn):
            found = f"{_dice(action)}: {action.moves}" if action.moves else _dice(action)
        params = {name: "" if value is None else value for name, value in error.params.items()}
        return Fault(action.line, code, found, params=params)


def _dice(turn: Turn) -> str:
    return "{}-{}".format(*turn.dice)
