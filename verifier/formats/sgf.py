"""GNU Backgammon's `.sgf`: one tree a game, a node an action, read and written.

The root has the match (``MI``), the players, the rules (``RU``) and the result (``RE``); then
``;W[42hdfd]`` is a roll and its steps, from and to by letters, ``;B[double]`` the cube. ``a`` to
``x`` are White's points 1 to 24 for both players, ``y`` the bar, ``z`` off. White is player 0.
Analysis is skipped, as SGF asks of a reader; a node that sets up a position is refused, for it is
no match.
"""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from verifier.errors import InputError
from verifier.formats.transcript import (
    MAX_GAMES,
    Action,
    Double,
    Drop,
    Game,
    Resign,
    Result,
    Switch,
    Take,
    Transcript,
    Turn,
    number,
    short_name,
    too_many_games,
)

_TOKEN = re.compile(
    r"\s*(?:(?P<mark>[();])|(?P<name>[A-Z]{1,16})\s*(?=\[)|(?P<value>\[(?:[^\]\\]|\\.)*\]))",
    re.DOTALL,
)
_PLAY = re.compile(r"([1-6])([1-6])((?:[a-z]{2}){0,4})")
_RESULT = re.compile(r"(?P<winner>[WB])\+(?P<points>[0-9]+)(?P<resigned>R(?:esign)?)?")
_SET_UP: Final = ("AE", "AW", "AB", "CP", "CV")
_VARIATIONS: Final = ("Nackgammon", "Hypergammon1", "Hypergammon2", "Hypergammon3")
_TAGS: Final = {
    "EV": "Event",
    "RO": "Round",
    "PC": "Place",
    "DT": "EventDate",
    "AN": "Annotator",
    "WR": "Player 1 Elo",
    "BR": "Player 2 Elo",
}
_COLOURS: Final = "WB"


class _Node(NamedTuple):
    line: int
    properties: dict[str, list[str]]

    def first(self, name: str) -> str:
        return self.properties.get(name, [""])[0]


def read(text: str) -> Transcript:
    """The match in an `.sgf` text.

    Raises `InputError` with the line: ``sgf-syntax``, ``sgf-not-backgammon``, ``sgf-set-up``,
    ``sgf-play``, ``match-number``, ``match-variation``, ``match-no-game``,
    ``match-too-many-games``.
    """
    games: list[Game] = []
    root = None
    for nodes in _trees(text):
        if len(games) == MAX_GAMES:
            raise too_many_games(nodes[0].line)
        games.append(_game(nodes))
        root = root or nodes[0]
    if root is None:
        raise InputError("match-no-game", "there is no game in this file")
    length = number(_info(root, "length"), root.line)
    rules = _rules(root)
    crawford: Switch = "" if not length else "on" if "Crawford" in rules else "off"
    return Transcript(
        (root.first("PW"), root.first("PB")),
        length,
        tuple(games),
        tuple((tag, root.first(name)) for name, tag in _TAGS.items() if root.first(name)),
        tuple(line for text in root.properties.get("GC", []) for line in text.splitlines()),
        crawford,
        "on" if "Jacoby" in rules else "off",
        root.line,
    )


def write(transcript: Transcript) -> str:
    """The `.sgf` of a transcript whose moves are spelled out (`steps.spelled_out`)."""
    return "".join(_tree(transcript, at) for at in range(len(transcript.games)))


def _trees(text: str) -> Iterator[list[_Node]]:
    """The nodes of each tree: one line of play, as the program writes it."""
    nodes: list[_Node] | None = None
    name, at, line, end = "", 0, 1, len(text.rstrip())
    while at < end:
        token = _TOKEN.match(text, at)
        if token is None:
            line += text.count("\n", at, at + len(text[at:]) - len(text[at:].lstrip()))
            raise _syntax(line, text[at:].lstrip())
        start = token.start(token.lastgroup or 0)
        line += text.count("\n", at, start)
        found = token[token.lastgroup or 0]
        at = token.end()
        if token["value"] and name and nodes:
            nodes[-1].properties.setdefault(name, []).append(_plain(found[1:-1]))
        elif token["name"] and nodes:
            name = found
        elif found == "(" and nodes is None:
            nodes = []
        elif found == ";" and nodes is not None:
            nodes.append(_Node(line, {}))
            name = ""
        elif found == ")" and nodes:
            yield nodes
            nodes, name = None, ""
        else:
            raise _syntax(line, found)
        line += text.count("\n", start, at)
    if nodes is not None:
        raise _syntax(line, "")


def _game(nodes: list[_Node]) -> Game:
    root = nodes[0]
    if root.first("GM") != "6" or "MI" not in root.properties:
        raise InputError(
            "sgf-not-backgammon", "line {line}: this is no game of backgammon", line=root.line
        )
    for variation in _VARIATIONS:
        if variation in _rules(root):
            raise InputError(
                "match-variation",
                "line {line}: {found} is another game; only backgammon is replayed",
                line=root.line,
                found=variation,
            )
    score = number(_info(root, "ws"), root.line), number(_info(root, "bs"), root.line)
    actions = [action for node in nodes for action in _actions(node)]
    result = None
    if (text := root.first("RE")) and (found := _RESULT.fullmatch(text)):
        winner = _COLOURS.index(found["winner"])
        result = Result(root.line, winner, number(found["points"], root.line))
        if found["resigned"]:
            actions.append(Resign(nodes[-1].line, 1 - winner))
    game = number(_info(root, "game"), root.line) + 1
    return Game(root.line, game, score, root.line, tuple(actions), result)


def _actions(node: _Node) -> Iterator[Action]:
    for name in _SET_UP:
        if name in node.properties:
            raise InputError(
                "sgf-set-up",
                "line {line}: {found} sets up a position; only games from the start are replayed",
                line=node.line,
                found=name,
            )
    if dice := node.first("DI"):
        yield _turn(node.line, _player(node), dice, untold=True)
    for player, name in enumerate(_COLOURS):
        match node.first(name) if name in node.properties else None:
            case None:
                pass
            case "double":
                yield Double(node.line, player)
            case "take":
                yield Take(node.line, player)
            case "drop":
                yield Drop(node.line, player)
            case play:
                yield _turn(node.line, player, play, untold=False)


def _player(node: _Node) -> int:
    colour = node.first("PL")
    if colour not in ("W", "B"):
        raise _bad_play(node.line, f"PL[{colour}]")
    return _COLOURS.index(colour)


def _turn(line: int, player: int, text: str, *, untold: bool) -> Turn:
    found = _PLAY.fullmatch(text)
    if found is None or (untold and found[3]):
        raise _bad_play(line, text)
    dice = int(found[1]), int(found[2])
    if untold:
        return Turn(line, player, dice, None)
    letters = iter(found[3])
    moves = " ".join(
        f"{_point(start, player)}/{_point(end, player)}"
        for start, end in zip(letters, letters, strict=True)
    )
    return Turn(line, player, dice, moves)


def _point(letter: str, player: int) -> str:
    if letter in "yz":
        return "bar" if letter == "y" else "off"
    white = ord(letter) - ord("a") + 1
    return str(25 - white if player else white)


def _letter(point: str, player: int) -> str:
    if point in ("bar", "off"):
        return "y" if point == "bar" else "z"
    white = 25 - int(point) if player else int(point)
    return chr(ord("a") + white - 1)


def _info(root: _Node, key: str) -> str:
    for text in root.properties["MI"]:
        name, _, value = text.partition(":")
        if name == key and value.isascii() and value.isdigit():
            return value
    raise _syntax(root.line, f"MI[{key}:]")


def _rules(root: _Node) -> list[str]:
    return [rule for text in root.properties.get("RU", []) for rule in text.split(":")]


def _plain(value: str) -> str:
    return re.sub(r"\\(\n|.)", lambda found: found[1].strip("\n"), value, flags=re.DOTALL)


def _escaped(value: str) -> str:
    return re.sub(r"([\]\\])", r"\\\1", value)  # not the colon: GNU Backgammon keeps its escape


def _tree(transcript: Transcript, at: int) -> str:
    game = transcript.games[at]
    root = [
        ("FF", "4"),
        ("GM", "6"),
        ("CA", "UTF-8"),
        ("AP", "zarf"),
    ]
    text = "".join(f"{name}[{value}]" for name, value in root)
    text += f"MI[length:{transcript.length}][game:{at}][ws:{game.score[0]}][bs:{game.score[1]}]"
    text += "".join(
        f"P{_COLOURS[player]}[{_escaped(short_name(name, player))}]"
        for player, name in enumerate(transcript.players)
    )
    if not at:
        tags = dict(transcript.tags)
        tags["EventDate"] = tags.get("EventDate", "").replace(".", "-")
        text += "".join(
            f"{name}[{_escaped(tags[tag])}]" for name, tag in _TAGS.items() if tags.get(tag)
        )
        if transcript.comments:
            text += f"GC[{_escaped(chr(10).join(transcript.comments))}]"
    text += "".join(f"RU[{':'.join(rules)}]" for rules in [_rules_of(transcript, at)] if rules)
    if game.result is not None:
        resigned = "R" if game.actions and isinstance(game.actions[-1], Resign) else ""
        text += f"RE[{_COLOURS[game.result.winner]}+{game.result.points}{resigned}]"
    return f"(;{text}\n{''.join(map(_written, game.actions))})\n"


def _rules_of(transcript: Transcript, at: int) -> list[str]:
    rules = ["Jacoby"] if transcript.jacoby == "on" else []
    if transcript.crawford == "on":
        rules.append("Crawford")
        near = [max(game.score) == transcript.length - 1 for game in transcript.games[: at + 1]]
        if near[-1] and near.count(True) == 1:
            rules.append("CrawfordGame")
    return rules


def _written(action: Action) -> str:
    colour = _COLOURS[action.player]
    match action:
        case Turn(moves=None):
            return f";PL[{colour}]DI[{action.dice[0]}{action.dice[1]}]\n"
        case Turn():
            points = re.findall(r"bar|off|[0-9]+", action.moves or "")
            letters = "".join(_letter(point, action.player) for point in points)
            return f";{colour}[{action.dice[0]}{action.dice[1]}{letters}]\n"
        case Double():
            return f";{colour}[double]\n"
        case Take():
            return f";{colour}[take]\n"
        case Drop():
            return f";{colour}[drop]\n"
        case Resign():
            return ""


def _syntax(line: int, found: str) -> InputError:
    return InputError(
        "sgf-syntax",
        "line {line}: this is not .sgf as GNU Backgammon writes it, at '{found}'",
        line=line,
        found=found[:40],
    )


def _bad_play(line: int, found: str) -> InputError:
    return InputError(
        "sgf-play",
        "line {line}: '{found}' is no roll with its moves, like 31hefe",
        line=line,
        found=found[:40],
    )
