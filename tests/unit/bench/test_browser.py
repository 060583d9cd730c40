import sys
from pathlib import Path

import pytest

from tests.bench import __main__ as bench
from tests.bench import browser


def test_without_chromium_the_figures_say_that_they_were_not_measured(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(browser, "missing", lambda: "/usr/bin/chromium is not installed")
    output = str(tmp_path / "bench.json")
    monkeypatch.setattr(sys, "argv", ["bench", "--only", "page-dice", "--output", output])
    assert bench.main() == 0
    said = capsys.readouterr().out
    assert "page-dice               not measured: /usr/bin/chromium is not installed" in said
    assert "no goal is missed" in said
