"""Log lines as JSON, one object a line on standard error.

No line may hold a seed, a token or a key: what is logged is named field by field where it is
logged, never a request or an object as a whole, and texts that may hold anything pass
:func:`safe_id` first.
"""

import logging
import re
import sys
from typing import TextIO

import orjson
import structlog

_SAFE_ID = re.compile(r"(?!z[kp]_)(?![0-9A-Fa-f]{64}\Z)[A-Za-z0-9._-]{1,64}", re.ASCII)


def configure(level: str, stream: TextIO | None = None, *, final: bool = False) -> None:
    """Send structlog's lines and the standard library's warnings to ``stream`` as JSON.

    ``final``: it will not be configured again, so that a line too little to tell costs nothing.
    """
    out = sys.stderr if stream is None else stream
    number = logging.getLevelNamesMapping()[level.upper()]
    shared: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
    ]
    structlog.configure(
        processors=[*shared, structlog.processors.JSONRenderer(serializer=_dumps)],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.PrintLoggerFactory(out),
        cache_logger_on_first_use=final,
    )
    handler = logging.StreamHandler(out)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.JSONRenderer(serializer=_dumps),
            ],
        )
    )
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(max(number, logging.WARNING))


def safe_id(text: str) -> str | None:
    """``text`` if it can be a match id, and no token, key or seed put in its place; else None."""
    return text if _SAFE_ID.fullmatch(text) else None


def _dumps(value: object, **_: object) -> str:
    return orjson.dumps(value, default=repr).decode()
