"""``dice-service demo`` as a person runs it."""

import os
import pty
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest

ROOT = Path(__file__).parents[2]


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "dice_service.cli", "demo", *arguments]


def demo(folder: Path, *arguments: str, timeout: float = 60) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command("--folder", str(folder), *arguments),
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=timeout,
    )


def paths(out: str, name: str) -> list[Path]:
    return [Path(path) for path in re.findall(rf"^{name}: (.+)$", out, re.MULTILINE)]


def dice_verify(*arguments: str) -> subprocess.CompletedProcess[str]:
    program = Path(sys.executable).with_name("dice-verify")
    return subprocess.run(
        [program, *arguments, "--lang", "en"], capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("seeding", ["committed", "direct"])
def test_it_plays_verifies_and_names_its_files_again_and_again(
    tmp_path: Path, seeding: str
) -> None:
    runs = [demo(tmp_path, "--rolls", "7", "--seeding", seeding) for _ in range(2)]
    for run in runs:
        assert (run.returncode, run.stderr) == (0, "")
        assert "\033" not in run.stdout
        [log], receipts = paths(run.stdout, "log"), paths(run.stdout, "receipt")
        assert log.read_bytes().count(b'"type":"roll"') == 7
        assert len(receipts) == 2
        for receipt in receipts:
            done = dice_verify(str(log), "--receipt", str(receipt), "--require-anchor")
            verdict = (0, "VERIFIED") if seeding == "committed" else (4, "CONSISTENT")
            assert (done.returncode, done.stdout.split()[1]) == verdict
    assert len({*paths(runs[0].stdout, "log"), *paths(runs[1].stdout, "log")}) == 2


def test_it_plays_refereed_matches_under_all_rules(tmp_path: Path) -> None:
    run = demo(tmp_path, "--all-rules", timeout=180)
    assert (run.returncode, run.stderr) == (0, "")
    logs, receipts = paths(run.stdout, "log"), paths(run.stdout, "receipt")
    assert (len(logs), len(receipts)) == (5, 10)
    named = [re.findall(rb'"rules":"([a-z-]+)"', log.read_bytes())[0].decode() for log in logs]
    assert named == ["kafadinle", "oyna-tavla", "oyna-backgammon", "tavlino", "jacoby-match"]
    for log, receipt in zip(logs, receipts[::2], strict=True):
        done = dice_verify(str(log), "--receipt", str(receipt), "--require-anchor")
        assert done.returncode == 0
        assert b'"reason":"score"' in log.read_bytes()


def test_it_tells_a_refereed_match_turn_by_turn(tmp_path: Path) -> None:
    run = demo(tmp_path, "--rules", "tavlino", "--seeding", "direct", timeout=180)
    assert (run.returncode, run.stderr) == (0, "")
    assert "Önce açılış zarı atılmalı" in run.stdout
    assert re.search(r"opening  [1-6]-[1-6]", run.stdout)
    assert run.stdout.splitlines()[-1].startswith("receipt: ")


def test_a_log_of_the_demo_with_another_die_in_it_fails(tmp_path: Path) -> None:
    run = demo(tmp_path, "--rolls", "1")
    [log], receipts = paths(run.stdout, "log"), paths(run.stdout, "receipt")
    data = log.read_bytes()
    at = data.index(b'"dice":[') + len(b'"dice":[')
    log.write_bytes(data[:at] + (b"1" if data[at : at + 1] != b"1" else b"2") + data[at + 1 :])
    done = dice_verify(str(log), "--receipt", str(receipts[0]))
    assert done.returncode == 1
    assert "Line 8 (roll 0)" in done.stdout


def test_colour_is_for_terminals(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    environment = {k: v for k, v in os.environ.items() if k != "NO_COLOR"}
    with subprocess.Popen(
        command("--folder", str(tmp_path), "--rolls", "1"),
        cwd=ROOT,
        env={**environment, "TERM": "xterm"},
        stdout=theirs,
        stderr=theirs,
    ) as process:
        os.close(theirs)
        said = b""
        try:
            while chunk := os.read(ours, 65536):
                said += chunk
        except OSError:
            pass  # Linux's way to say that the other side has closed
    os.close(ours)
    assert process.returncode == 0
    assert b"\033[1m1. Sealed" in said


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("at", ["1. Sealed", "roll   3"])
def test_it_and_its_service_can_be_stopped_at_any_time(
    tmp_path: Path, number: signal.Signals, at: str
) -> None:
    with subprocess.Popen(
        command("--folder", str(tmp_path), "--rolls", "100000"),
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert any(at in line for line in process.stdout)  # read up to there
        process.send_signal(number)
        said, error = process.communicate(timeout=30)
    assert process.returncode == 130
    assert error == "\ndice-service demo: stopped\n"
    assert "Traceback" not in said
    port = re.findall(r"listening on \S+:(\d+)", (tmp_path / "service.log").read_text())[-1]
    assert not listening(int(port))


def test_stopped_while_its_service_starts_it_leaves_none_behind(tmp_path: Path) -> None:
    log = tmp_path / "service.log"
    with subprocess.Popen(
        command("--folder", str(tmp_path)), cwd=ROOT, stdout=subprocess.DEVNULL, stderr=-1
    ) as process:
        while process.poll() is None and not (log.exists() and "listening" in log.read_text()):
            time.sleep(0.001)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)
    port = re.findall(r"listening on \S+:(\d+)", log.read_text())[-1]
    assert not listening(int(port))


def test_it_stays_for_a_browser_until_it_is_interrupted(tmp_path: Path) -> None:
    with subprocess.Popen(
        command("--folder", str(tmp_path), "--rolls", "2", "--stay"),
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        page = next(line for line in process.stdout if line.startswith("page: ")).split()[1]
        assert "<title>Zarf</title>" in httpx.get(page, trust_env=False).text
        log = httpx.get(page.replace("/verify/", "/v1/matches/") + "/log", trust_env=False)
        assert log.content.count(b'"type":"roll"') == 2
        process.send_signal(signal.SIGINT)
        _, error = process.communicate(timeout=30)
    assert (process.returncode, error) == (0, "")
    assert not listening(int(page.split(":")[2].split("/")[0]))


def test_a_reader_that_goes_away_is_no_error(tmp_path: Path) -> None:
    words = " ".join(command("--folder", str(tmp_path), "--rolls", "1"))
    run = subprocess.run(
        ["bash", "-c", f"{words} | head -n 3"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (run.stdout.count("\n"), run.stderr) == (3, "")


def listening(port: int) -> bool:
    """Whether any process of this machine listens on a port (state 0A of /proc/net/tcp)."""
    rows = [row.split() for row in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return any(row[1].endswith(f":{port:04X}") and row[3] == "0A" for row in rows)


def test_a_folder_that_cannot_be_used_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    run = demo(tmp_path / "file")
    assert run.returncode == 1
    assert run.stderr.startswith("dice-service demo: ")
    assert run.stderr.count("\n") == 1
