import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.unit.rules.positions import random_positions
from verifier.rules.board import pack, unpack
from verifier.rules.moves import legal_plays

GNUBG = shutil.which("gnubg", path=f"{os.environ.get('PATH', '')}:/usr/games")
PROCESSES = 8  # each waits far more than it works
EACH = 2_500


@pytest.mark.skipif(GNUBG is None, reason="GNU Backgammon (Debian: gnubg) is not installed")
def test_the_plays_of_20000_positions_are_those_of_gnu_backgammon(tmp_path: Path) -> None:
    assert GNUBG is not None
    shares = [list(random_positions(100 + share, EACH)) for share in range(PROCESSES)]
    running = []
    for share, positions in enumerate(shares):
        home = tmp_path / str(share)
        home.mkdir()
        lines = [json.dumps([unpack(opp), unpack(me), roll]) for me, opp, roll in positions]
        (home / "in.jsonl").write_text("\n".join(lines) + "\n")
        environment = {"HOME": str(home), "IN": str(home / "in.jsonl"), "PATH": "/usr/bin:/bin"}
        environment["OUT"] = str(home / "out.jsonl")
        script = Path(__file__).with_name("gnubg_plays.py")
        running.append(
            subprocess.Popen(
                [GNUBG, "-t", "-q", "-r", "-p", str(script)],
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        )
    for process in running:
        process.wait(timeout=300)
    for share, positions in enumerate(shares):
        answers = (tmp_path / str(share) / "out.jsonl").read_text().splitlines()
        assert len(answers) == EACH
        for (me, opp, roll), answer in zip(positions, answers, strict=True):
            expected = {(pack(mine), pack(theirs)) for mine, theirs in json.loads(answer)}
            assert set(legal_plays(me, opp, roll)) == expected, (unpack(me), unpack(opp), roll)
