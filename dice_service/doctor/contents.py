"""What the doctor asks of a database of either kind: the keys it needs, and its newest line."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import msgspec

Ask = Callable[[str], list[tuple[Any, ...]]]

RECENT: Final = 50  # matches, the last opened ones, in which the newest line is looked for

# Index seeks from one id to the next: DISTINCT would read every match.
_SEALING: Final = """
WITH RECURSIVE ids (id) AS (
    SELECT min(sealing_key_id) FROM matches
    UNION ALL
    SELECT (SELECT min(sealing_key_id) FROM matches WHERE sealing_key_id > ids.id)
    FROM ids WHERE ids.id IS NOT NULL
)
SELECT id FROM ids WHERE id IS NOT NULL
"""
_SEALING_WEBHOOKS: Final = "SELECT DISTINCT sealing_key_id FROM webhooks"
_RESTORED: Final = "SELECT max(copied_at) FROM restored"
_SIGNING_OPEN: Final = "SELECT DISTINCT signing_key_id FROM matches WHERE phase <> 'ended'"
_NEWEST: Final = f"""
SELECT line FROM lines JOIN (
    SELECT id, (SELECT max(seq) FROM lines WHERE match_id = id) AS last
    FROM (
        SELECT match_id AS id FROM matches ORDER BY opened_at DESC, match_id DESC LIMIT {RECENT}
    ) AS recent
) AS ends ON match_id = id AND seq = last
"""  # noqa: S608 - a constant


class _Line(msgspec.Struct):
    time: str


@dataclass(frozen=True, slots=True)
class Contents:
    """``sealing`` and ``signing``: the ids of the keys that (unfinished) matches need.

    ``restored`` says of when the backup is that was put back and not yet decided on.
    """

    sealing: tuple[str, ...]
    signing: tuple[str, ...]
    newest: str | None
    restored: str | None


def contents(ask: Ask) -> Contents:
    """Ask a database, by a function that gives the rows of a statement."""
    times = [_time(line) for (line,) in ask(_NEWEST)]
    return Contents(
        tuple(sorted({row[0] for sql in (_SEALING, _SEALING_WEBHOOKS) for row in ask(sql)})),
        tuple(sorted(row[0] for row in ask(_SIGNING_OPEN))),
        max(times, default=None),
        ask(_RESTORED)[0][0],
    )


def _time(line: str) -> str:
    try:
        return msgspec.json.decode(line, type=_Line).time
    except msgspec.MsgspecError:
        return "(unreadable)"
