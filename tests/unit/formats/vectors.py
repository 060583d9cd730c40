"""The small match files of `tests/vectors/formats`, and how a test writes one of its own."""

from pathlib import Path

from verifier.commands.console import STANDARD
from verifier.commands.matchfiles import read
from verifier.formats import mat
from verifier.formats.faults import Fault
from verifier.formats.replay import Replay, replay
from verifier.formats.transcript import Transcript

VECTORS = Path(__file__).parents[2] / "vectors" / "formats"


def vector(name: str) -> Transcript:
    return read((VECTORS / name).read_bytes())


def of(rows: str, *, length: int = 5, score: str = " A : 0     B : 0") -> str:
    """A `.mat` of one game; its first row is line 5."""
    return f" {length} point match\n\n Game 1\n{score}\n{rows}\n"


def judged(text: str, name: str = "", **options: bool) -> Replay:
    """The replay under a rule set; without its name under the standard rules."""
    if name:
        return replay(mat.read(text), name, options)
    return replay(mat.read(text), STANDARD[0], STANDARD[1] | options)


def faults(text: str) -> list[Fault]:
    """The faults but for an end that is missing, which short examples all have."""
    return [fault for fault in judged(text).faults if not fault.code.endswith("-unfinished")]


def codes(text: str) -> list[tuple[int, str]]:
    return [(fault.line, fault.code) for fault in faults(text)]
