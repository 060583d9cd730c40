"""Writes the test vectors: ``python -m tests.vectors.generate``; ``--check`` only compares.

Nothing here comes from the verifier's checks. The values are made with hashlib, hmac and
cryptography; what must be said of each log and proof is stated in the case tables by hand.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.vectors.source import (
    frauds,
    grammar,
    order,
    receipts,
    refereed,
    tampering,
    values,
    verdicts,
)

FOLDER = Path(__file__).parent
LOGS = (verdicts, grammar, order, tampering, receipts, refereed)


def files() -> dict[str, str]:
    """Every file of vectors: its path in this folder, and its text."""
    made: dict[str, Any] = {
        "rolls.json": list(values.rolls()),
        "bytes.json": values.bytes_to_dice(),
        "seeds.json": values.seeds(),
        "signatures.json": values.signatures(),
    }
    for path, content in (*_logs(), *_frauds()):
        assert path not in made, path
        made[path] = content
    return {path: json.dumps(made[path], indent=1, ensure_ascii=False) + "\n" for path in made}


def _logs() -> Iterator[tuple[str, Any]]:
    for module in LOGS:
        for case in module.cases():
            yield f"logs/{case.name}.json", case.to_dict()


def _frauds() -> Iterator[tuple[str, Any]]:
    for case in frauds.cases():
        yield f"frauds/{case['name']}.json", case


def committed() -> set[str]:
    """The files of vectors that stand in this folder."""
    found = [*FOLDER.glob("*.json"), *FOLDER.glob("logs/*"), *FOLDER.glob("frauds/*")]
    return {path.relative_to(FOLDER).as_posix() for path in found}


def stale() -> list[str]:
    """The paths whose file is missing, too many or not what is made now."""
    made = files()
    return sorted(
        path
        for path in made.keys() | committed()
        if path not in made
        or not (FOLDER / path).is_file()
        or (FOLDER / path).read_text("utf-8") != made[path]
    )


def main(arguments: list[str]) -> int:
    """Write the vectors, or with ``--check`` name those that are stale and return 1."""
    if arguments == ["--check"]:
        for path in (wrong := stale()):
            sys.stdout.write(f"stale: {path}\n")
        return bool(wrong)
    made = files()
    for path in committed() - made.keys():
        (FOLDER / path).unlink()
    for path, text in made.items():
        (FOLDER / path).parent.mkdir(exist_ok=True)
        (FOLDER / path).write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
