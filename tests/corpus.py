"""Replays every match file of ../shared/matches under standard rules and prints what was found.

Run from the root of the repository: ``python -m tests.corpus``. A fault is the file's own unless
our reader is at fault: in the whole set that these come from another engine found no illegal play.
"""

import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from verifier.commands.console import STANDARD
from verifier.commands.matchfiles import read
from verifier.errors import InputError
from verifier.formats.faults import REMARKS, UNFINISHED
from verifier.formats.replay import Replay, replay

MATCHES = Path(__file__).parents[2] / "shared" / "matches"


@dataclass
class Tally:
    """What a set of files holds."""

    files: int = 0
    games: int = 0
    rolls: int = 0
    legal: int = 0
    faults: Counter[str] = field(default_factory=Counter)


def replays() -> Iterator[tuple[Path, Replay]]:
    """Every file with its replay, in the order of their names."""
    for path in sorted(MATCHES.rglob("*")):
        if path.suffix in (".mat", ".sgf"):
            yield path, replay(read(path.read_bytes()), *STANDARD)


def tallies() -> dict[str, Tally]:
    """The tally of each kind of file in each folder."""
    found: dict[str, Tally] = {}
    for path, replayed in replays():
        tally = found.setdefault(f"{path.parent.name}/*{path.suffix}", Tally())
        tally.files += 1
        tally.games += len(replayed.games)
        tally.rolls += replayed.transcript.rolls
        tally.legal += replayed.judged
        tally.faults.update(fault.code for fault in replayed.faults)
    return found


def main() -> int:
    """Print the table; 1 if there is nothing to read or a file cannot be read."""
    if not MATCHES.is_dir():
        sys.stdout.write(f"no match files: {MATCHES} is missing\n")
        return 1
    try:
        found = tallies()
    except InputError as error:
        sys.stdout.write(f"unreadable: {error}\n")
        return 1
    row = "{:<14}{:>8}{:>8}{:>9}{:>9}\n"
    sys.stdout.write(row.format("files", "number", "games", "rolls", "legal"))
    for name, tally in found.items():
        sys.stdout.write(row.format(name, tally.files, tally.games, tally.rolls, tally.legal))
    faults: Counter[str] = Counter()
    for tally in found.values():
        faults.update(tally.faults)
    sys.stdout.write("\n")
    for code, count in faults.most_common():
        kind = "remark" if code in REMARKS else "unfinished" if code in UNFINISHED else "breach"
        sys.stdout.write(f"{count:>5}  {code:<20} {kind}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
