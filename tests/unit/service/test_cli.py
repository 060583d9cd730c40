"""``dice-service``: what it prints, what it makes, how it refuses."""

import os
import re
import stat
from pathlib import Path

import pytest

from dice_service.cli import main


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in [name for name in os.environ if name.startswith("DICE_")]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "var").mkdir()
    return tmp_path


def told(capsys: pytest.CaptureFixture[str], *arguments: str, status: int = 0) -> tuple[str, str]:
    """What a command prints to standard output and to standard error."""
    assert main(arguments) == status
    said = capsys.readouterr()
    return said.out, said.err


def test_init_makes_keys_that_only_the_owner_reads_and_never_again(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told(capsys, "init")
    files = {path.name: path.read_bytes() for path in (folder / "var/keys").iterdir()}
    assert sum(name.endswith(".pem") for name in files) == 1
    assert sum(name.endswith(".key") for name in files) == 1
    for path in (folder / "var/keys").iterdir():
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    out, _ = told(capsys, "init")
    assert out.count("already") == 2
    assert {path.name: path.read_bytes() for path in (folder / "var/keys").iterdir()} == files


def test_serve_without_keys_says_to_run_init(capsys: pytest.CaptureFixture[str]) -> None:
    _, err = told(capsys, "serve", status=2)
    assert re.fullmatch(r"dice-service: no active signing key .*; run: dice-service init\n", err)


def test_serve_with_a_wrong_setting_names_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DICE_PORT", "http")
    _, err = told(capsys, "serve", status=2)
    assert err.startswith("dice-service: DICE_PORT is 'http': ")
    assert err.count("\n") == 1


def test_serve_on_a_taken_port_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    import socket

    told(capsys, "init")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        _, err = told(capsys, "serve", "--port", port, status=2)
    assert f"cannot listen on 127.0.0.1 port {port}: " in err
    assert "DICE_PORT" in err


def test_a_misspelt_variable_is_told(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DICE_PUBLIC_LOG", "token")
    _, err = told(capsys, "init")
    assert "DICE_PUBLIC_LOG is not a setting" in err


def test_an_api_key_is_printed_once_listed_without_its_secret_and_revoked(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, _ = told(capsys, "api-key", "create", "--owner", "club")
    key = out.strip()
    assert re.fullmatch(r"zk_[a-z0-9]{8}_[A-Za-z0-9_-]{43}", key)
    key_id = key[3:11]
    listed, _ = told(capsys, "api-key", "list")
    assert re.fullmatch(rf"{key_id}  club  match:read,match:write  \S+Z  valid\n", listed)
    told(capsys, "api-key", "revoke", key_id)
    assert "revoked" in told(capsys, "api-key", "list")[0]
    told(capsys, "api-key", "revoke", key_id, status=1)
    told(capsys, "api-key", "revoke", "nobody", status=1)
    stored = b"".join(path.read_bytes() for path in (folder / "var").glob("dice.db*"))
    assert key_id.encode() in stored
    assert key[12:].encode() not in stored


@pytest.mark.parametrize("owner", ["", "a b", "x" * 65, "club\n", "ş"])
def test_an_owner_has_a_plain_name(capsys: pytest.CaptureFixture[str], owner: str) -> None:
    _, err = told(capsys, "api-key", "create", "--owner", owner, status=2)
    assert err.startswith("dice-service: an owner is ")


def test_rotation_makes_new_active_keys_and_keeps_the_old(
    capsys: pytest.CaptureFixture[str],
) -> None:
    told(capsys, "init")
    before, _ = told(capsys, "keys", "list")
    told(capsys, "keys", "rotate")
    after, _ = told(capsys, "keys", "list")
    ids = re.findall(r"^(\w+)  (\w+)  active", before, re.MULTILINE)
    assert len(ids) == 2
    for kind, key_id in ids:
        assert re.search(rf"^{kind}  {key_id}  retired", after, re.MULTILINE)
    assert len(re.findall("active", after)) == 2
    told(capsys, "keys", "rotate", "--kind", "sealing")
    assert len(told(capsys, "keys", "list")[0].splitlines()) == 5


def test_rotation_without_keys_says_to_run_init(capsys: pytest.CaptureFixture[str]) -> None:
    assert "run: dice-service init" in told(capsys, "keys", "rotate", status=2)[1]


def test_a_database_that_is_none_is_refused_in_one_line(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "var/dice.db").write_bytes(b"no database, but long enough to be looked at" * 50)
    told(capsys, "init")
    for command in (("serve",), ("api-key", "list"), ("migrate",)):
        _, err = told(capsys, *command, status=2)
        assert err.startswith("dice-service: ")
        assert err.count("\n") == 1


@pytest.mark.parametrize(
    "arguments",
    [[], ["dance"], ["api-key"], ["keys"], ["serve", "--por", "1"], ["demo", "--rolls", "0"]],
)
def test_wrong_usage_is_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    assert "usage: dice-service" in capsys.readouterr().err


def test_help_names_every_setting(capsys: pytest.CaptureFixture[str]) -> None:
    from dice_service.settings import Settings

    with pytest.raises(SystemExit) as caught:
        main(["serve", "--help"])
    assert caught.value.code == 0
    text = " ".join(capsys.readouterr().out.split())
    for name in Settings.model_fields:
        assert f"--{name.replace('_', '-')} VALUE" in text
        assert f"DICE_{name.upper()})" in text
