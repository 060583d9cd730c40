"""The time as a log's lines carry it."""

from datetime import UTC, datetime


def now() -> str:
    """RFC 3339, UTC, milliseconds. Nothing is computed from it: it may jump, the log holds."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")[:-6] + "Z"
