"""``dice-verify legal``: every legal play of a position, for other people's engines to be held to.

JSON Lines in: ``{"me": [25 counts], "opp": [25 counts], "dice": [d1, d2]}``, each side on its own
points 1 to 24, the last its bar. JSON Lines out, a line for each: ``{"plays": [[text, me, opp],
…]}``, one for each position that a legal play leads to, in the order of their canonical texts; none
when the turn passes. With ``"play": "8/5 6/5"`` in the line the answer is ``{"legal": true,
"play": …, "me": …, "opp": …}``, or ``{"legal": false, "code": …, "why": …}``. A line that cannot be
read is answered with ``{"line": n, "error": …, "message": …}``, and the next is read.
"""

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Annotated

import msgspec

from verifier.commands.console import OK, Console, add_rules, command_line, rules_given
from verifier.errors import InputError
from verifier.rules import direct
from verifier.rules.board import Side, position, unpack
from verifier.rules.messages import RuleError
from verifier.rules.moves import Style, legal_plays
from verifier.rules.notation import render
from verifier.rules.rulesets import MAX_LENGTH, RULE_SETS, resolve

MAX_LINE = 4096
_Die = Annotated[int, msgspec.Meta(ge=1, le=6)]


_text = itemgetter(0)


class _Query(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    me: list[int]
    opp: list[int]
    dice: tuple[_Die, _Die]
    play: str | None = None


def run(arguments: Sequence[str]) -> int:
    """Answer every line of standard input; the exit status."""
    parser = command_line("legal", "Legal plays of positions: JSON Lines from stdin to stdout.")
    add_rules(parser)
    given = parser.parse_args(arguments)
    console = Console.of(given)
    try:
        style = _style(*rules_given(given.rules, given.option))
    except (InputError, RuleError) as error:
        return console.refuse("", error)
    out = sys.stdout.buffer
    for answer in answers(_lines(), style, console):
        out.write(answer + b"\n")
    out.flush()
    return OK


def answers(lines: Iterable[bytes], style: Style, console: Console) -> Iterator[bytes]:
    """The answer to each line."""
    decode = msgspec.json.Decoder(_Query).decode
    encode = msgspec.json.Encoder().encode
    for number, line in enumerate(lines, start=1):
        try:
            query = decode(line)
            result = _plays(query, style) if query.play is None else _judged(query, style, console)
        except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
            refusal = InputError(
                "query-unreadable", "line {line}: {what}", line=number, what=str(error)
            )
            result = _refused(number, refusal, console)
        except (InputError, RuleError) as error:
            result = _refused(number, error, console)
        yield encode(result)


def _plays(query: _Query, style: Style) -> dict[str, object]:
    me, opp = position(query.me, query.opp)
    told = []
    others: dict[Side, tuple[tuple[int, ...], frozenset[int]]] = {}  # opposing side: counts, hits
    for (mine, theirs), steps in legal_plays(me, opp, query.dice, style).items():
        if theirs not in others:
            others[theirs] = unpack(theirs), direct.hits(theirs - opp)
        after, hits = others[theirs]
        told.append((render(steps, hits), unpack(mine), after))
    told.sort(key=_text)
    return {"plays": told}


def _judged(query: _Query, style: Style, console: Console) -> dict[str, object]:
    me, opp = position(query.me, query.opp)
    assert query.play is not None
    try:
        played = direct.read(me, opp, query.dice, query.play, style)
    except RuleError as error:
        return {"legal": False, "code": error.code, "why": console.message(error)}
    after = {"me": unpack(played.me), "opp": unpack(played.opp)}
    return {"legal": True, "play": played.moves, **after}


def _refused(number: int, error: InputError | RuleError, console: Console) -> dict[str, object]:
    return {"line": number, "error": error.code, "message": console.message(error)}


def _style(name: str, options: Mapping[str, bool | int]) -> Style:
    base = RULE_SETS.get(name)
    lengths = base.lengths if base else None
    return resolve(name, max(lengths) if lengths else MAX_LENGTH, options).style


def _lines() -> Iterator[bytes]:
    """The lines of standard input; of one too long only the beginning, which is no JSON."""
    read = sys.stdin.buffer.readline
    while line := read(MAX_LINE + 2):
        whole = line.endswith(b"\n")
        yield line.rstrip(b"\r\n")
        while not whole and (rest := read(MAX_LINE)):
            whole = rest.endswith(b"\n")
