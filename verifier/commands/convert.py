"""``dice-verify convert IN OUT``: a log or a match file written in another program's format."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePath
from typing import Final

from verifier.commands import matchfiles
from verifier.commands.console import OK, Console, add_rules, command_line, rules_given
from verifier.errors import InputError
from verifier.formats.replay import replay
from verifier.formats.steps import spelled_out
from verifier.formats.transcript import Transcript
from verifier.rules.messages import RuleError
from verifier.sentences import mark
from verifier.sources import read_source, write_new


def run(arguments: Sequence[str]) -> int:
    """Convert one file; the exit status."""
    parser = command_line("convert", "Write a log or a match file in another program's format.")
    parser.add_argument("source", metavar="IN", help="a match log, a .mat or an .sgf; - for stdin")
    parser.add_argument("target", metavar="OUT", help="a new file: .mat, .sgf or .ogxm")
    add_rules(parser)
    parser.add_argument("--json", action="store_true", help="print a JSON object")
    given = parser.parse_args(arguments)
    console = Console.of(given)
    try:
        write = _writer(given.target)
        data = read_source(given.source)
        transcript = _spelled_out(data, *rules_given(given.rules, given.option))
        write_new(given.target, write(transcript))
    except (InputError, RuleError) as error:
        return console.refuse(given.source, error)
    games, rolls = len(transcript.games), transcript.rolls
    console.result({"file": given.target, "exit_status": OK, "games": games, "rolls": rolls})
    console.say(
        mark("{file}: {games} games with {rolls} rolls written"),
        file=given.target,
        games=games,
        rolls=rolls,
    )
    return OK


def _spelled_out(data: bytes, rules: str, options: Mapping[str, bool | int]) -> Transcript:
    """The match in a file, its plays step by step."""
    if not data.lstrip().startswith(b"{"):
        return spelled_out(replay(matchfiles.read(data), rules, options))
    from verifier.formats import zarf

    log = zarf.read(data)
    assert log.match.rules is not None  # `zarf.read` refuses others
    return spelled_out(replay(zarf.transcript(log), log.match.rules, log.match.options))


def _mat(transcript: Transcript) -> bytes:
    from verifier.formats import mat_writing

    return mat_writing.write(transcript).encode()


def _sgf(transcript: Transcript) -> bytes:
    from verifier.formats import sgf

    return sgf.write(transcript).encode()


def _ogxm(transcript: Transcript) -> bytes:
    from verifier.formats import ogxm_writing

    return ogxm_writing.write(transcript)


_WRITERS: Final[Mapping[str, Callable[[Transcript], bytes]]] = {
    ".mat": _mat,
    ".sgf": _sgf,
    ".ogxm": _ogxm,
}


def _writer(target: str) -> Callable[[Transcript], bytes]:
    writer = _WRITERS.get(PurePath(target).suffix.lower())
    if writer is None:
        raise InputError(
            "usage",
            "{file}: the name's ending says the format, and must be one of {known}",
            file=target,
            known=", ".join(_WRITERS),
        )
    return writer
