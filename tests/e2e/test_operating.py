"""The operator's guide, run by bash as it stands, but for what needs root."""

import os
import re
import shlex
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

import dice_service
from dice_service.cli import _parser
from dice_service.settings import Settings

GUIDE = Path(dice_service.__file__).with_name("OPERATING.md")
TOP = GUIDE.parent.parent


def blocks(language: str) -> list[str]:
    text = GUIDE.read_text("utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


@pytest.fixture
def free_port() -> str:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return str(listener.getsockname()[1])


def test_every_command_that_needs_no_root_does_what_it_says(
    tmp_path: Path, pg_url: str, free_port: str
) -> None:
    script = "\n".join(["trap 'kill -TERM $SERVER 2>/dev/null || true' EXIT", *blocks("bash")])
    with subprocess.Popen(
        [
            "bash",
            "-euxo",
            "pipefail",
            "-c",
            script.replace("127.0.0.1:8000", f"127.0.0.1:{free_port}"),
        ],
        cwd=tmp_path,
        env={k: v for k, v in os.environ.items() if not k.startswith(("DICE_", "OTEL_"))}
        | {
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "LC_ALL": "C.UTF-8",
            "DICE_PORT": free_port,
            "URL": pg_url,
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            out, err = process.communicate(timeout=120)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            raise
    assert process.returncode == 0, err[-2000:]
    assert out.count('{"status":"ok"}') == 2
    assert re.search(r"^revoked [a-z0-9]{8}$", out, re.MULTILINE)
    assert "the active one now" in out
    assert "0 failed" in out
    assert re.fullmatch(r"zk_[a-z0-9]{8}_[\w-]{43}\n", (tmp_path / "my-site-2.key").read_text())
    assert (tmp_path / "var" / "lost.dice.db").is_file()


def test_every_other_command_of_ours_is_one_and_every_setting_is_known() -> None:
    lines = [line.removeprefix("# ") for block in blocks("console") for line in block.splitlines()]
    assert all(line.startswith("# ") for block in blocks("console") for line in block.splitlines())
    ours = [
        shlex.split(line.partition("dice-service ")[2])
        for line in lines
        if re.match(r"(DICE_\w+=\S+ )*(/opt/zarf/bin/)?dice-service [a-z]", line)
    ]
    assert len(ours) >= 3
    for arguments in ours:
        _parser().parse_args(arguments)
    text = GUIDE.read_text("utf-8")
    for found in re.findall(
        r"`(?:dice-service )?((?:keys|api-key|restore|migrate) [a-z-]+(?: --kind \w+)?)", text
    ):
        arguments = shlex.split(found)
        if arguments[:2] == ["api-key", "revoke"]:
            arguments.append("abcdefgh")
        if "--help" not in arguments:
            _parser().parse_args(arguments)
    known = {f"DICE_{name.upper()}" for name in Settings.model_fields}
    assert set(re.findall(r"DICE_[A-Z_]*[A-Z]", text)) <= known


def test_every_metric_and_every_file_it_names_is_there() -> None:
    from dice_service.api.metrics import Metrics

    text = GUIDE.read_text("utf-8")
    exposed = Metrics().exposition().decode()
    named = set(re.findall(r"`(dice_[a-z_]+)", text)) - {"dice_database"}
    assert len(named) > 8
    for name in named:
        assert re.search(rf"^# TYPE {name}\b", exposed, re.MULTILINE), name
    for path in re.findall(r"/usr/src/zarf/([\w./-]+)", text):
        assert (TOP / path).exists(), path
    for link in re.findall(r"\]\(([^)]+)\)", text):
        assert (GUIDE.parent / link).exists(), link
