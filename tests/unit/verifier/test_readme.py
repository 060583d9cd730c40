"""What the README shows of the verifier is what it does."""

import re
from pathlib import Path

import pytest

from verifier.cli import main

README = (Path(__file__).parents[3] / "README.md").read_text(encoding="utf-8")


def test_the_help_in_the_readme_is_the_programs(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("LANG", "C.UTF-8")
    with pytest.raises(SystemExit) as stopped:
        main(["--help"])
    assert stopped.value.code == 0
    shown = re.search(r"<!-- help of dice-verify.*?-->\n```\n(.*?)```\n", README, re.DOTALL)
    assert shown
    assert shown[1] == capsys.readouterr().out


def test_both_commands_are_shown_and_exist() -> None:
    makefile = (Path(__file__).parents[3] / "Makefile").read_text(encoding="utf-8")
    for command in ("demo", "test"):
        assert f"\nmake {command}" in README
        assert re.search(rf"^{command}:", makefile, re.MULTILINE)


def test_every_link_in_the_readme_leads_somewhere() -> None:
    links = re.findall(r"\]\(([^)#]+)\)", README)
    assert "verifier/dice.py" in links
    root = Path(__file__).parents[3]
    assert [link for link in links if not (root / link).exists()] == []
