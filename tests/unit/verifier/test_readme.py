"""What the README shows of the verifier is what it does."""

import os
import re
import subprocess
import sys
from pathlib import Path

from tests.readme import made

README = (Path(__file__).parents[3] / "README.md").read_text(encoding="utf-8")


def test_what_the_code_prints_stands_in_the_readme_as_printed() -> None:
    assert made(README) == README


def test_the_help_shown_is_what_a_user_sees() -> None:
    program = Path(sys.executable).parent / "dice-verify"
    environment = {**os.environ, "COLUMNS": "100"}
    done = subprocess.run(
        [program, "--help"], capture_output=True, text=True, check=True, env=environment
    )
    assert done.stdout in README


def test_both_commands_are_shown_and_exist() -> None:
    makefile = (Path(__file__).parents[3] / "Makefile").read_text(encoding="utf-8")
    for command in ("demo", "test"):
        assert f"\nmake {command}" in README
        assert re.search(rf"^{command}:", makefile, re.MULTILINE)


def test_every_link_in_the_readme_to_a_file_leads_somewhere() -> None:
    links = re.findall(r"\]\((?!https://)([^)#]+)\)", README)
    assert "verifier/dice.py" in links
    root = Path(__file__).parents[3]
    assert [link for link in links if not (root / link).exists()] == []
