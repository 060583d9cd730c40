"""One case of the vectors: a log, what is kept beside it, and what must be said of it."""

import base64
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tests.support.scribe import Scribe


@dataclass(frozen=True)
class Case:
    """One log. The expected values are stated where the case is made, by hand.

    ``first`` is the first failure: its code, its line counted from 0, its field. A case that no
    verifier can read has no verdict but exit status 2.
    """

    name: str
    shows: str
    rules: str
    log: bytes
    verdict: str = "FAILED"
    why: str = ""
    first: tuple[str, int, str] | None = None
    failed_rolls: tuple[int, ...] = ()
    receipts: tuple[bytes, ...] = ()
    my_seed: str | None = None
    key: str | None = None

    def to_dict(self) -> dict[str, Any]:
        status = {"VERIFIED": 0, "CONSISTENT": 0, "FAILED": 1, "INCOMPLETE": 3, "": 2}
        first = dict(zip(("code", "seq", "field"), self.first, strict=True)) if self.first else None
        return {
            "name": self.name,
            "shows": self.shows,
            "rules": self.rules.split(),
            "log": text_or_base64(self.log),
            "receipts": [text_or_base64(receipt) for receipt in self.receipts],
            "my_seed": self.my_seed,
            "key": self.key,
            "expected": {
                "verdict": self.verdict or None,
                "why": self.why,
                "exit_status": status[self.verdict],
                "first": first,
                "failed_rolls": list(self.failed_rolls),
            },
        }


Cases = Iterator[Case]


def first_failure(*first: str | int) -> tuple[str, int, str]:
    """The code, the line and the field ("" if none was given) of a log's first failure."""
    code, seq, field = (*first, "")[:3]
    assert isinstance(code, str)
    assert isinstance(seq, int)
    return code, seq, str(field)


def text_or_base64(data: bytes) -> dict[str, str]:
    """Bytes as JSON can hold them: as text where they are UTF-8."""
    try:
        return {"text": data.decode()}
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode()}


def changed(scribe: Scribe, seq: int, old: str, new: str | bytes) -> bytes:
    """The log with one text of one line replaced, everything after it left as it was."""
    line, put = scribe.lines[seq], new if isinstance(new, bytes) else new.encode()
    assert line.count(old.encode()) == 1, (old, line)
    return joined([*scribe.lines[:seq], line.replace(old.encode(), put), *scribe.lines[seq + 1 :]])


def joined(lines: list[bytes]) -> bytes:
    return b"".join(line + b"\n" for line in lines)
