"""Every cheat of ``tests/cheats`` is shown to the page too, and caught for the same reason."""

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.page.node import node

ROOT = Path(__file__).parents[2]


def test_the_page_says_of_every_cheat_what_the_verifier_says(tmp_path: Path) -> None:
    record = tmp_path / "record.jsonl"
    subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "tests.page.recorder",
         "-p", "no:cacheprovider", "-p", "no:xdist", "tests/cheats"],
        cwd=ROOT, env=os.environ | {"ZARF_RECORD": str(record)}, check=True, capture_output=True,
    )  # fmt: skip
    judged = node(str(Path(__file__).parent / "judge.mjs"), given=record.read_text("utf-8"))
    given = [json.loads(line) for line in record.read_text("utf-8").splitlines()]
    said = [json.loads(line) for line in judged.splitlines()]
    assert len(given) == len(said) > 20
    for python, page in zip(given, said, strict=True):
        assert (page["verdict"], page["why"]) == (python["verdict"], python["why"])
        assert page["failures"][:1] == python["first"]
        assert page["proof"] == python["proof"]
