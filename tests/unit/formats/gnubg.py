"""GNU Backgammon as another reader of match files."""

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

GNUBG = shutil.which("gnubg", path=f"{os.environ.get('PATH', '')}:/usr/games")
needs_gnubg = pytest.mark.skipif(
    GNUBG is None, reason="GNU Backgammon (Debian: gnubg) is not installed"
)


def read_by_gnubg(folder: Path, names: list[str]) -> list[tuple[str, dict[str, Any]]]:
    """Each file's name and what the program read in it; `folder` is for its own files."""
    assert GNUBG is not None
    (folder / "list.txt").write_text("\n".join(names) + "\n")
    subprocess.run(
        [GNUBG, "-t", "-q", "-r", "-p", str(Path(__file__).with_name("gnubg_read.py"))],
        env={
            "HOME": str(folder),
            "LIST": str(folder / "list.txt"),
            "OUT": str(folder / "out.jsonl"),
            "PATH": "/usr/bin:/bin",
        },
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        check=True,
        timeout=300,
    )
    lines = (folder / "out.jsonl").read_text().splitlines()
    return [(name, match) for name, match in map(json.loads, lines)]
