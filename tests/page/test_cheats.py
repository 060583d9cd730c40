"""Every cheat of ``tests/cheats`` is shown to the page too, and caught for the same reason."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

NODE = shutil.which("node")
ROOT = Path(__file__).parents[2]


@pytest.mark.skipif(NODE is None, reason="node is not installed")
def test_the_page_says_of_every_cheat_what_the_verifier_says(tmp_path: Path) -> None:
    assert NODE is not None
    record = tmp_path / "record.jsonl"
    subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "tests.page.recorder",
         "-p", "no:cacheprovider", "-p", "no:xdist", "tests/cheats"],
        cwd=ROOT, env=os.environ | {"ZARF_RECORD": str(record)}, check=True, capture_output=True,
    )  # fmt: skip
    judge = [NODE, str(Path(__file__).parent / "judge.mjs")]
    run = subprocess.run(
        judge, input=record.read_text("utf-8"), capture_output=True, text=True, check=True
    )
    given = [json.loads(line) for line in record.read_text("utf-8").splitlines()]
    said = [json.loads(line) for line in run.stdout.splitlines()]
    assert len(given) == len(said) > 20
    for python, page in zip(given, said, strict=True):
        assert (page["verdict"], page["why"]) == (python["verdict"], python["why"])
        assert page["failures"][:1] == python["first"]
        assert page["proof"] == python["proof"]
