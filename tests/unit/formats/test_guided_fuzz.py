"""Coverage-guided fuzzing for half a minute; ``make fuzz`` goes on for as long as wanted."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


def test_no_input_makes_a_reader_of_match_files_stumble(tmp_path: Path) -> None:
    pytest.importorskip("atheris")
    run = subprocess.run(
        [
            sys.executable,
            "-m",
            "tests.fuzz.match_files",
            "-max_total_time=30",
            f"-artifact_prefix={tmp_path}/",
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr[-2000:]
    assert "Done" in run.stderr
