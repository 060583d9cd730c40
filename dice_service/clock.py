"""The time as a log's lines carry it, and a word to the operator when the clock jumps."""

import logging
import time
from datetime import UTC, datetime
from typing import Final

JUMP: Final = 2.0  # seconds: a clock that is slewed moves less than that between two lines

_log = logging.getLogger(__name__)
_ahead = time.time() - time.monotonic()  # which no one can set: what it drifts by is the clock's


def now() -> str:
    """RFC 3339, UTC, milliseconds. Nothing is computed from it: it may jump, the log holds.

    Lines carry what the clock says, be it less than what the line before carries: a clock that
    was set forward and back again would otherwise stop every match's time until it is reached.
    """
    global _ahead  # noqa: PLW0603 - one clock a process
    seconds = time.time()
    ahead = seconds - time.monotonic()
    if abs(ahead - _ahead) >= JUMP:
        _log.warning("clock: it jumped by %+.0f s; logs hold, their times jump too", ahead - _ahead)
    _ahead = ahead
    return at(seconds)


def at(seconds: float) -> str:
    """The time so many seconds after the beginning of 1970."""
    moment = datetime.fromtimestamp(seconds, UTC)
    return moment.isoformat(timespec="milliseconds")[:-6] + "Z"
