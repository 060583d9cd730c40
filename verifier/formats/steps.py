"""A transcript with every play spelled out, step by step, as other programs read it best."""

from msgspec.structs import replace

from verifier.errors import InputError
from verifier.formats.replay import Made, Replay
from verifier.formats.transcript import Game, Transcript, Turn
from verifier.rules.board import BAR, OFF
from verifier.rules.moves import legal_plays
from verifier.rules.notation import destination
from verifier.rules.rulesets import RuleSet


def spelled_out(replayed: Replay) -> Transcript:
    """The transcript with one word a step, in an order that can be played: ``bar/20* 13/10``.

    Raises `InputError` ``match-not-legal`` where a play could not be followed on the board.
    """
    games = tuple(_game(game.game, game.made, replayed.rules) for game in replayed.games)
    return replace(replayed.transcript, games=games)


def _game(game: Game, made: tuple[Made, ...], rules: RuleSet) -> Game:
    plays = iter(made)
    actions = [
        _turn(action, next(plays, None), rules)
        if isinstance(action, Turn) and action.moves is not None
        else action
        for action in game.actions
    ]
    return replace(game, actions=tuple(actions))


def _turn(turn: Turn, play: Made | None, rules: RuleSet) -> Turn:
    if play is not None:
        return replace(turn, moves=_spelled(play, rules))
    if turn.moves == "":
        return replace(turn, moves=None)  # given up after the roll
    raise InputError(
        "match-not-legal",
        "line {line}: '{found}' cannot be played here; only a match whose every play is legal can "
        "be written so. See: dice-verify FILE --rules NAME",
        line=turn.line,
        found=str(turn.moves),
    )


def _spelled(play: Made, rules: RuleSet) -> str:
    player = play.turn.player
    me, opp = play.before[player], play.before[1 - player]
    after = play.after[player], play.after[1 - player]
    steps = legal_plays(me, opp, play.turn.dice, rules.style).get(after, ())
    blots = {BAR - at for at, count in enumerate(opp.to_bytes(BAR, "little"), 1) if count == 1}
    words = []
    for point, die in steps:
        to = destination(point, die)
        hit = to != OFF and to in blots
        blots.discard(to)
        words.append(f"{'bar' if point == BAR else point}/{to or 'off'}" + ("*" if hit else ""))
    return " ".join(words)
