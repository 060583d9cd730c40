"""Log lines: JSON, one a line, and no secret pasted in the place of an id."""

import io
import json
import logging
from collections.abc import Iterator

import pytest
import structlog

from dice_service import logs


@pytest.fixture
def stream() -> Iterator[io.StringIO]:
    root = logging.getLogger()
    handlers, level = root.handlers, root.level
    found = io.StringIO()
    logs.configure("info", found)
    yield found
    root.handlers, root.level = handlers, level
    structlog.reset_defaults()


def lines(stream: io.StringIO) -> list[dict[str, object]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_a_line_is_an_object_with_its_level_time_and_context(stream: io.StringIO) -> None:
    log = structlog.get_logger()
    with structlog.contextvars.bound_contextvars(request_id="r-1"):
        log.info("request", match_id="m-1")
        log.debug("too little to tell")
    (line,) = lines(stream)
    assert (line["event"], line["level"], line["match_id"]) == ("request", "info", "m-1")
    assert line["request_id"] == "r-1"
    assert str(line["timestamp"]).endswith("Z")


def test_an_error_has_its_traceback_in_the_same_line(stream: io.StringIO) -> None:
    try:
        int("what failed")
    except ValueError:
        structlog.get_logger().exception("request failed")
    (line,) = lines(stream)
    assert "what failed" in str(line["exception"])


def test_the_standard_librarys_warnings_become_lines_too(stream: io.StringIO) -> None:
    logging.getLogger("uvicorn.error").warning("Invalid HTTP request received.")
    logging.getLogger("uvicorn.error").info("not told")
    (line,) = lines(stream)
    assert (line["event"], line["level"]) == ("Invalid HTTP request received.", "warning")


@pytest.mark.parametrize("text", ["m-1", "a" * 63, "g" * 64, "zk", "A.b_C-9"])
def test_a_match_id_is_told(text: str) -> None:
    assert logs.safe_id(text) == text


@pytest.mark.parametrize(
    "text", ["zk_abcdefgh_" + "A" * 43, "zp_" + "A" * 43, "0" * 64, "F" * 64, "a\n", "a b", ""]
)
def test_what_may_be_a_secret_or_no_id_is_not_told(text: str) -> None:
    assert logs.safe_id(text) is None
