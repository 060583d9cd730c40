"""Every request's line has its id, which the answer has too, and the match's; rolls' lines too."""

import io
import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.api import opened

pytestmark = pytest.mark.anyio


def lines(stream: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


@pytest.mark.parametrize("hot", [True, False])
async def test_a_line_has_the_requests_id_and_the_matchs(
    tmp_path: Path, log_lines: io.StringIO, hot: bool
) -> None:
    async with opened(tmp_path, hot=hot, log_level="debug") as api:
        await api.ready("m-1")
        await api.key()
        for path, status, level in [
            ("m-1/rolls/0", 201, "debug"),
            ("m-1/rolls/0", 200, "debug"),
            ("m-1/rolls/7", 409, "info"),
            ("m-2/rolls/0", 404, "info"),
        ]:
            answer = await api.put(path, {})
            assert answer.status_code == status
            line = lines(log_lines)[-1]
            assert line["request_id"] == answer.headers["x-request-id"]
            assert line["match_id"] == path.split("/")[0]
            assert line["route"] == "/v1/matches/{match_id}/rolls/{index}"
            assert (line["event"], line["level"], line["status"]) == ("request", level, status)
            assert line["milliseconds"] > 0


@pytest.mark.parametrize("hot", [True, False])
async def test_what_looks_like_a_secret_is_no_match_id_in_a_line(
    tmp_path: Path, log_lines: io.StringIO, hot: bool
) -> None:
    async with opened(tmp_path, hot=hot, log_level="debug") as api:
        secret = "5eed" * 16
        await api.ready(secret)
        await api.put(f"{secret}/rolls/0", {})
        assert lines(log_lines)[-1]["match_id"] is None
        assert secret not in log_lines.getvalue()
