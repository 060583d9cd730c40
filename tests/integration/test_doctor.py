"""``dice-service doctor``: each fault is really produced, and is found, with what to do."""

import asyncio
import contextlib
import hashlib
import io
import json
import os
import pwd
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from dice_service import doctor, sealing, signing
from dice_service.cli import main
from dice_service.doctor import files, machine
from dice_service.doctor.findings import Finding, ok
from dice_service.storage.databases import open_storage
from dice_service.subprocesses import ServiceProcess
from tests.support import postgres
from tests.support.api import opened

Run = Callable[..., list[Finding]]
COMMAND = [sys.executable, "-m", "dice_service.cli", "doctor", "--json"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A service's files, with an ended match and one that goes on."""
    for name in [name for name in os.environ if name.startswith("DICE_")]:
        monkeypatch.delenv(name)
    place = tmp_path / "service"
    place.mkdir(mode=0o755)
    asyncio.run(play(place, "m-1"))
    monkeypatch.setenv("DICE_DATABASE", f"sqlite:///{place / 'dice.db'}")
    monkeypatch.setenv("DICE_KEYS", str(place / "keys"))
    return place


async def play(folder: Path, name: str, **settings: Any) -> None:
    async with opened(folder, **settings) as api:
        await api.ended(name)
        await api.ready(f"{name}-open")


@pytest.fixture
def examine(folder: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    assert folder.is_dir()

    def run(*flags: str, status: int = 1) -> list[Finding]:
        assert main(["doctor", "--json", *flags]) == status
        return findings(capsys.readouterr().out)

    return run


def findings(text: str) -> list[Finding]:
    said = json.loads(text)
    found = [Finding(**each) for each in said["findings"]]
    assert said["well"] == all(each.result != "failed" for each in found)
    return found


def bad(found: list[Finding]) -> list[Finding]:
    return [each for each in found if each.result in {"failed", "warning"}]


def only(found: list[Finding], check: str, result: str, text: str, mend: str) -> None:
    """There is one bad finding, and it says this and what to do."""
    [one] = bad(found)
    assert (one.check, one.result) == (check, result)
    assert text in one.found
    assert mend in one.mend


def in_a_process(*before: str) -> list[Finding]:
    """What it finds where ``before`` (a shell's commands) was done."""
    script = " && ".join([*before, 'exec "$@"'])
    done = subprocess.run(
        ["sh", "-c", script, "sh", *COMMAND],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parents[2],
    )
    assert not done.stderr
    return findings(done.stdout)


def with_mounts(*commands: str) -> list[Finding]:
    """The same, in a mount namespace of its own."""
    wrapped = ["unshare", "--mount"]
    if os.geteuid() != 0:
        wrapped += ["--user", "--map-root-user"]
    if subprocess.run([*wrapped, "true"], capture_output=True, check=False).returncode:
        pytest.skip("this machine lets nobody make a mount namespace")
    script = " && ".join([*commands, 'exec "$@"'])
    done = subprocess.run(
        [*wrapped, "sh", "-c", script, "sh", *COMMAND],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parents[2],
    )
    assert not done.stderr
    return findings(done.stdout)


def all_bytes(folder: Path) -> dict[str, tuple[int, str]]:
    return {
        str(path): (
            path.stat().st_mode,
            hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "",
        )
        for path in [folder, *sorted(folder.rglob("*"))]
    }


def test_where_all_is_well_nothing_is_bad_and_the_status_is_0(examine: Run) -> None:
    found = examine(status=0)
    assert not bad(found)
    assert {each.check for each in found} == {
        "settings", "key folder", "database file", "disk", "database", "signing key",
        "sealing key", "clock", "open files",
    }  # fmt: skip


def test_nothing_is_changed_whether_the_service_is_stopped_or_was_killed(
    folder: Path, examine: Run
) -> None:
    before = all_bytes(folder)
    examine(status=0)
    assert all_bytes(folder) == before
    with ServiceProcess(folder) as process:
        process.command("api-key", "create", "--owner", "club")
        process.kill()
        assert (folder / "dice.db-wal").stat().st_size
        before = all_bytes(folder)
        examine(status=0)
        after = all_bytes(folder)
        shared = str(folder / "dice.db-shm")  # no data: the index of the other file, in memory
        assert {**after, shared: ()} == {**before, shared: ()}


def test_it_reads_beside_a_running_service(folder: Path, examine: Run) -> None:
    with ServiceProcess(folder):
        assert not bad(examine(status=0))


def test_an_empty_machine_is_told_what_to_do_and_stays_empty(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, examine: Run
) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    monkeypatch.chdir(empty)
    monkeypatch.setenv("DICE_KEYS", "var/keys")
    monkeypatch.setenv("DICE_DATABASE", "sqlite:///var/dice.db")
    found = examine()
    assert bad(found)[0].mend == "run: dice-service init"
    assert any("there is no folder var" in each.found for each in bad(found))
    assert not list(empty.iterdir())


def test_a_wrong_setting_is_found_and_is_not_a_wrong_use(
    examine: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DICE_PORT", "eighty")
    only(examine(), "settings", "failed", "DICE_PORT is 'eighty'", "value")


@pytest.mark.parametrize(
    ("variable", "value", "wanted"),
    [
        ("DICE_PROT", "80", ("warning", "DICE_PROT is not a setting", "spell")),
        ("DICE_TEST_CRASH_AT", "before-commit", ("failed", "for tests only", "unset DICE_TEST_")),
        ("DICE_HOST", "0.0.0.0", ("warning", "plain HTTP", "TLS")),
        ("DICE_HOST", "::", ("warning", "plain HTTP", "TLS")),
        ("DICE_WEBHOOK_TARGETS", "local", ("warning", "own addresses", "public")),
        ("DICE_LOG_LEVEL", "debug", ("warning", "a line for each roll", "info")),
    ],
)
def test_unsafe_settings_are_named(
    examine: Run,
    monkeypatch: pytest.MonkeyPatch,
    variable: str,
    value: str,
    wanted: tuple[str, str, str],
) -> None:
    monkeypatch.setenv(variable, value)
    only(examine(status=wanted[0] == "failed"), "settings", *wanted)


@pytest.mark.parametrize(
    ("url", "mode"),
    [
        ("postgresql://dice@db.example/dice", "prefer"),
        ("postgresql://dice@db.example/dice?sslmode=require", "require"),
        ("postgresql:///dice?host=127.0.0.1,db.example", "prefer"),
        ("postgresql://dice@db.example/dice?sslmode=verify-full", None),
        ("postgresql:///dice?host=/run/postgresql", None),
        ("postgresql://dice@127.0.0.1/dice", None),
        ("postgresql:///dice", None),
    ],
)
def test_the_way_to_a_database_elsewhere_is_to_be_checked(url: str, mode: str | None) -> None:
    from dice_service.doctor.postgres import way

    found = list(way(url, {}))
    assert [f"sslmode={mode}" in each.found for each in found] == [True] * (mode is not None)


@pytest.mark.parametrize(
    ("name", "mode", "wanted"),
    [
        ("keys", 0o755, ("key folder", "chmod 700")),
        ("keys/signing-*.pem", 0o640, ("key folder", "chmod 600")),
        ("keys/sealing.active", 0o644, ("key folder", "chmod 600")),
        (".", 0o777, ("database file", "chmod go-w")),
        ("dice.db", 0o644, ("database file", "chmod 600")),
    ],
)
def test_what_others_may_read_or_write_is_named(
    folder: Path, examine: Run, name: str, mode: int, wanted: tuple[str, str]
) -> None:
    check, mend = wanted
    [path] = folder.glob(name) if name != "." else [folder]
    path.chmod(mode)
    found = [each for each in bad(examine()) if each.check == check]
    assert [(each.result, each.mend) for each in found] == [("failed", f"run: {mend} {path}")]
    assert f"{mode:04o}" in found[0].found


def test_a_file_of_another_user_or_one_that_cannot_be_written(folder: Path, examine: Run) -> None:
    if os.geteuid() == 0:  # whom no mode keeps from writing: see the read-only disk
        someone = pwd.getpwnam("nobody")
        for path in [folder, *folder.rglob("*")]:
            os.chown(path, someone.pw_uid, someone.pw_gid)
        assert {each.mend for each in bad(examine(status=0))} == {"run as nobody"}
    else:
        (folder / "dice.db").chmod(0o400)
        only(examine(), "database file", "failed", "cannot be written", "service's user")


def test_a_full_disk_and_a_read_only_one(folder: Path) -> None:
    copy = f"cp -a {folder}/. {folder.parent}/copy"
    mount = f"mount -t tmpfs -o size=3m,mode=755 none {folder}"
    found = with_mounts(copy, mount, f"cp -a {folder.parent}/copy/. {folder}")
    only(found, "disk", "failed", "0.0 GiB free", "make room")
    found = with_mounts(f"mount --bind {folder} {folder}", f"mount -o remount,bind,ro {folder}")
    assert {(each.check, each.result) for each in bad(found)} == {
        ("disk", "failed"),
        ("database file", "failed"),
    }


def test_a_disk_without_inodes(folder: Path) -> None:
    copy = f"cp -a {folder}/. {folder.parent}/copy"
    mount = f"mount -t tmpfs -o size=2g,nr_inodes=60,mode=755 none {folder}"
    found = with_mounts(copy, mount, f"cp -a {folder.parent}/copy/. {folder}")
    only(found, "disk", "warning", "of 60 inodes", "small files")


def test_a_network_file_system_is_no_place_for_sqlite(tmp_path: Path) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text(
        f"/dev/vda / ext4 rw 0 0\nserver:/x {tmp_path}/a\\040b nfs4 rw 0 0\n"
        f"none {tmp_path}/a tmpfs rw 0 0\n"
    )
    assert files.file_system(tmp_path / "a b" / "c", mounts) == "nfs4"
    assert files.file_system(tmp_path / "a", mounts) == "tmpfs"
    assert files.file_system(Path("/var"), mounts) == "ext4"
    assert "nfs4" in files.REMOTE


@pytest.mark.usefixtures("folder")
def test_few_open_files() -> None:
    only(in_a_process("ulimit -n 200"), "open files", "failed", "at most 200", "LimitNOFILE")
    only(in_a_process("ulimit -n 1024"), "open files", "warning", "at most 1024", "LimitNOFILE")


@pytest.mark.parametrize("kind", ["signing", "sealing"])
def test_a_key_that_is_missing_damaged_or_no_longer_there(
    folder: Path, examine: Run, kind: str
) -> None:
    [path] = (folder / "keys").glob(f"{kind}-*")
    content = path.read_bytes()
    path.write_bytes(content[:20])
    only(examine(), f"{kind} key", "failed", path.name, "backup")
    path.unlink()
    only(examine(), f"{kind} key", "failed", f"no active {kind} key", "restore")
    (signing if kind == "signing" else sealing).make_key(folder / "keys")
    key_id = path.stem.partition("-")[2]
    only(examine(), f"{kind} key", "failed", key_id, "restore the key files")
    path.write_bytes(content)
    path.chmod(0o600)
    assert not bad(examine(status=0))  # an old key beside the new one


def test_the_age_of_a_key_is_kept_in_its_marker(folder: Path, examine: Run) -> None:
    marker = folder / "keys" / "sealing.active"
    key_id, since = marker.read_text().split()
    assert abs(datetime.fromisoformat(since) - datetime.now(UTC)) < timedelta(minutes=1)
    marker.write_text(f"{key_id} 2020-01-01T00:00:00.000Z\n")
    days = (datetime.now(UTC) - datetime(2020, 1, 1, tzinfo=UTC)).days
    found = examine(status=0)
    [one] = bad(found)
    assert re.fullmatch(rf"active for ({days}|{days + 1}) days", one.found)
    assert one.mend.startswith("run: dice-service keys rotate --kind sealing")
    marker.write_text(f"{key_id}\n")  # as older programs wrote it
    os.utime(marker, (1_000_000_000, 1_000_000_000))
    only(examine(status=0), "sealing key", "warning", "active for", "rotate")
    marker.write_text(f"{key_id} yesterday\n")
    only(examine(), "sealing key", "failed", "cannot read", "backup")


def test_keys_that_systemd_hands_over(
    folder: Path, examine: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    handed = folder / "credentials"
    handed.mkdir(mode=0o750)
    for path in (folder / "keys").iterdir():
        shutil.copy(path, handed / f"keys_{path.name}")
        (handed / f"keys_{path.name}").chmod(0o440)  # as an access list shows in the mode
    monkeypatch.setenv("DICE_KEYS", str(handed))
    assert "no active signing key" in bad(examine())[-2].found
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(handed))
    assert not bad(examine(status=0))


def test_a_damaged_page(folder: Path, examine: Run) -> None:
    path = folder / "dice.db"
    data = bytearray(path.read_bytes())
    with contextlib.closing(sqlite3.connect(path)) as db:
        (page,) = db.execute(
            "SELECT rootpage FROM sqlite_master WHERE name = 'matches_by_owner'"
        ).fetchone()
    data[(page - 1) * 4096 + 3 : page * 4096] = bytes(4093)
    path.write_bytes(data)
    only(examine(), "database", "failed", "damaged: ", "restore a backup")


def test_a_file_that_is_no_database(folder: Path, examine: Run) -> None:
    (folder / "dice.db").write_bytes(b"no database" * 1000)
    only(examine(), "database", "failed", "not a database", "restore a backup")


@pytest.mark.parametrize(
    ("pragma", "text", "mend"),
    [
        ("user_version = 99", "has schema 99", "newer program"),
        ("user_version = 1", "has schema 1", "dice-service migrate"),
        ("application_id = 7", "another program", "DICE_DATABASE"),
    ],
)
def test_another_schema(folder: Path, examine: Run, pragma: str, text: str, mend: str) -> None:
    with contextlib.closing(sqlite3.connect(folder / "dice.db")) as db:
        db.execute(f"PRAGMA {pragma}")
    only(examine(), "database", "failed", text, mend)


def test_a_line_from_the_future(folder: Path, examine: Run) -> None:
    ahead = (datetime.now(UTC) + timedelta(hours=1)).isoformat(timespec="milliseconds")
    with contextlib.closing(sqlite3.connect(folder / "dice.db")) as db, db:
        db.execute(
            "INSERT INTO lines (match_id, seq, line) SELECT match_id, max(seq) + 1, ? FROM lines"
            " WHERE match_id = 'm-1-open' GROUP BY match_id",
            [json.dumps({"type": "roll", "time": ahead.replace("+00:00", "Z")})],
        )
    [one] = bad(examine())
    assert re.search(r"(3599|3600) s from now$", one.found)
    assert (one.check, one.result) == ("clock", "failed")
    assert one.mend.startswith("set the clock right")


def test_a_backup_that_was_put_back(folder: Path, examine: Run) -> None:
    with contextlib.closing(sqlite3.connect(folder / "dice.db")) as db, db:
        db.execute("INSERT INTO restored VALUES ('2026-01-01T00:00:00.000Z')")
    only(examine(), "database", "failed", "a backup of 2026-01-01", "dice-service restore")


@pytest.mark.parametrize(
    ("said", "result", "text"),
    [
        ("echo yes", "ok", "synchronised"),
        ("echo no", "warning", "not synchronised"),
        ("echo 'no bus' >&2; exit 1", "not checked", "does not say"),
    ],
)
def test_what_timedatectl_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str, result: str, text: str
) -> None:
    program = tmp_path / "timedatectl"
    program.write_text(f"#!/bin/sh\n{said}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    found = machine.clock_is_set()
    assert (found.result, text in found.found) == (result, True)
    monkeypatch.setenv("PATH", "")
    assert machine.clock_is_set().result == "not checked"


def test_two_clocks_apart() -> None:
    found = machine.beside_database(datetime.now(UTC) - timedelta(seconds=90))
    assert (found.result, "90 s" in found.found) == ("failed", True)
    assert machine.beside_database(datetime.now(UTC)).result == "ok"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_line_a_finding_in_colour_on_a_terminal_only(monkeypatch: pytest.MonkeyPatch) -> None:
    found = [ok("disk", "10 GiB"), Finding("clock", "failed", "wrong", "set it")]
    for out in (plain := io.StringIO(), coloured := Terminal()):
        doctor.write(found, out)
    assert plain.getvalue() == (
        "ok           disk: 10 GiB\n"
        "failed       clock: wrong -> set it\n"
        "1 ok, 0 warning, 1 failed, 0 not checked\n"
    )
    assert "\x1b[31mfailed" in coloured.getvalue()
    assert re.sub(r"\x1b\[\d+m", "", coloured.getvalue()) == plain.getvalue()
    monkeypatch.setenv("NO_COLOR", "1")
    doctor.write(found, out := Terminal())
    assert out.getvalue() == plain.getvalue()


@pytest.fixture
def on_postgres(
    folder: Path, database_of: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> str:
    url = database_of("postgres")
    asyncio.run(play(folder, "p-1", database=url))
    monkeypatch.setenv("DICE_DATABASE", url)
    return url


@pytest.mark.usefixtures("on_postgres")
def test_all_is_well_on_postgresql(examine: Run) -> None:
    found = examine(status=0)
    assert not bad(found)
    assert any(each.found.startswith("less than 2 s from") for each in found)
    assert any(each.found.startswith("the newest line is of ") for each in found)


def test_a_postgresql_without_our_tables_gets_none(
    database_of: Callable[[str], str], examine: Run
) -> None:
    url = database_of("postgres")
    for _ in range(2):
        found = examine("--database", url, status=0)
        only(found, "database", "warning", "no tables", "first start")


def test_a_postgresql_of_another_schema_or_read_only(on_postgres: str, examine: Run) -> None:
    found = examine(
        "--database", postgres.with_options(on_postgres, "-cdefault_transaction_read_only=on")
    )
    only(found, "database", "failed", "read_only is on", "unset it")
    found = examine(
        "--database",
        postgres.with_options(on_postgres, "-csynchronous_commit=off"),
        status=0,
    )
    only(found, "database", "warning", "synchronous_commit", "set it to on")
    postgres.execute(on_postgres, "INSERT INTO zarf_schema VALUES (99)")
    only(examine(), "database", "failed", "has schema 99", "newer program")


def test_a_role_that_may_not_write(on_postgres: str, examine: Run) -> None:
    [(schema,)] = postgres.execute(on_postgres, "SELECT current_schema()")
    role = f"{schema}_reader"
    postgres.execute(
        on_postgres,
        f"CREATE ROLE {role} LOGIN; GRANT USAGE ON SCHEMA {schema} TO {role};"
        f"GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO {role};"
        f"GRANT INSERT, UPDATE ON matches, api_keys TO {role}",
    )
    try:
        url = re.sub(r"user=\w+", f"user={role}", on_postgres)
        if role not in url:
            pytest.skip("the server given may not let another role in")
        only(
            examine("--database", url), "database", "failed",
            f"{role} may not INSERT on lines", f"GRANT SELECT, INSERT ON lines TO {role}",
        )  # fmt: skip
    finally:
        postgres.execute(on_postgres, f"DROP OWNED BY {role}; DROP ROLE {role}")


def test_a_postgresql_that_is_not_there_or_has_no_url(examine: Run) -> None:
    url = "postgresql://dice:s3cret@127.0.0.1:1/dice"
    found = examine("--database", url)
    only(found, "database", "failed", "postgresql://dice@127.0.0.1:1/dice", "server runs")
    assert "s3cret" not in repr(found)
    only(examine("--database", "postgresql://[x"), "database", "failed", "URL", "DICE_DATABASE")


@pytest.fixture
def hasty() -> Iterator[str]:
    """A server that does not wait for its disk."""
    with postgres.cluster() as server:
        server.stop(signal.SIGQUIT)
        server.start("-c", "fsync=on")
        open_storage(server.url)
        server.stop()
        server.start("-c", "fsync=off", "-c", "full_page_writes=off")
        yield server.url


def test_a_server_that_does_not_wait_for_its_disk(hasty: str, examine: Run) -> None:
    found = {each.mend for each in bad(examine("--database", hasty))}
    assert found == {
        f"set {name} = on on the server, which may have lost data already"
        for name in ("fsync", "full_page_writes")
    }
