"""Coverage-guided fuzzing of the match file readers with atheris; not one of the tests.

From the root of the repository, with ``atheris`` installed, and libFuzzer's own options:
``python -m tests.fuzz.match_files [-max_total_time=SECONDS] [-artifact_prefix=DIR/] [FOLDER]``.
It stops at the first input that does anything but be read or be refused.
"""

import importlib
import sys
from typing import Any

atheris: Any = importlib.import_module("atheris")  # it has no types

with atheris.instrument_imports(include=["verifier"]):
    from tests.unit.formats.test_fuzz import FILES, WORDS, judge


def main() -> None:
    """Fuzz until told to stop."""
    atheris.Setup(sys.argv, judge, custom_mutator=_mutate)
    atheris.Fuzz()


def _mutate(data: bytes, max_size: int, seed: int) -> bytes:
    """Now and then a word of the formats or a whole real file; else libFuzzer's own changes."""
    if seed % 64 == 0:
        return FILES[seed // 64 % len(FILES)][:max_size]
    if seed % 4 == 0:
        at = seed // 4 % (len(data) + 1)
        return (data[:at] + WORDS[seed // 7 % len(WORDS)].encode() + data[at:])[:max_size]
    changed: bytes = atheris.Mutate(data, max_size)
    return changed


if __name__ == "__main__":
    main()
