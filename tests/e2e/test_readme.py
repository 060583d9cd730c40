"""The README's walk-through, run by bash as it stands, against the real service."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from dice_service.subprocesses import ServiceProcess
from verifier.dice import roll
from verifier.events import Roll
from verifier.log import decode_line

README = Path(os.environ.get("DICE_TEST_README", Path(__file__).parents[2] / "README.md"))
TITLE = "## A match over REST, with curl\n"


def section() -> str:
    _, _, rest = README.read_text("utf-8").partition(TITLE)
    assert rest, f"{README.name} has no section {TITLE.strip()!r}"
    return rest.partition("\n## ")[0]


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", section(), re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def walked(service: ServiceProcess, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The folder in which the walk-through was run, and what it printed."""
    [setup] = blocks("console")
    wanted = re.search(
        r"\$ export API_KEY=\$\(dice-service (api-key create .*)\)$", setup, re.MULTILINE
    )
    assert wanted
    assert "$ export SERVICE=http://" in setup
    folder = tmp_path_factory.mktemp("walk")
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", "\n".join(blocks("bash"))],
        cwd=folder,
        env={
            **os.environ,
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "LC_ALL": "C.UTF-8",
            "SERVICE": service.url,
            "API_KEY": service.command(*wanted[1].split()),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return folder, done.stdout


def test_it_needs_nothing_but_the_usual_tools() -> None:
    programs = {"curl", "openssl", "xxd", "python3", "dice-verify"}
    shell = {
        "printf",
        "sed",
        "tr",
        "cut",
        "grep",
        "cmp",
        "echo",
        "test",
        "for",
        "do",
        "done",
        "wait",
    }
    own = {"ask", "field", "sha256", "print", "receipt"}
    text = re.sub(r"\\\n", " ", "\n".join(blocks("bash")))
    first = re.findall(
        r"^\s*(?:\w+=\$\(|\w+\(\) \{ )?([a-z][a-z0-9-]*)(?=[ (])", text, re.MULTILINE
    )
    first += re.findall(r"\| *([a-z][a-z0-9-]*)", text)
    assert set(first) <= programs | shell | own
    assert programs <= set(first)


def test_the_log_is_verified_with_the_receipt_kept_on_the_way(walked: tuple[Path, str]) -> None:
    _, said = walked
    assert "✔ VERIFIED" in said
    assert "Signature Verified Successfully" in said


def test_the_dice_shown_are_the_logs_and_those_of_the_seeds(walked: tuple[Path, str]) -> None:
    folder, said = walked
    [log] = folder.glob("*.zarf.jsonl")
    lines = [decode_line(line, seq) for seq, line in enumerate(log.read_bytes().splitlines())]
    rolls = [line.dice for line in lines if isinstance(line, Roll)]
    assert len(rolls) == 5
    shown = re.findall(r"^roll (\d+): \[(\d), (\d)\]$", said, re.MULTILINE)
    assert shown == [(str(n), str(a), str(b)) for n, (a, b) in enumerate(rolls)]
    assert f"roll 3 by hand: {list(rolls[3])}" in said
    seeds = dict(re.findall(r'"player\\?":(\d),\\?"seed\\?":\\?"([0-9a-f]{64})', said))
    [secret] = re.findall(r'"server_seed":"([0-9a-f]{64})"', (folder / "end.json").read_text())
    match_id = log.name.removesuffix(".zarf.jsonl")
    assert rolls[3] == roll(bytes.fromhex(secret), match_id, seeds["0"], seeds["1"], 3)
