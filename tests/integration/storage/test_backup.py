"""``dice-service backup``: taken while the service writes, restored, and played on with."""

import asyncio
import shutil
import sqlite3
import stat
from pathlib import Path
from typing import Any

import pytest

from dice_service.backup import backup
from dice_service.cli import main
from dice_service.errors import SetupError
from dice_service.storage.migrations import of_sqlite
from tests.support.api import Api, opened

pytestmark = pytest.mark.anyio


async def roll(api: Api, index: int) -> Any:
    answer = await api.put(f"m-1/rolls/{index}", {})
    assert answer.status_code == 201
    return answer.json()


def names(folder: Path, part: str) -> list[str]:
    return [path.name for path in folder.iterdir() if part in path.name]


async def test_a_backup_is_the_owners_alone_and_says_that_it_is_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "night.backup"
    monkeypatch.setenv("DICE_DATABASE", f"sqlite:///{tmp_path / 'dice.db'}")
    async with opened(tmp_path) as api:
        await api.ready("m-1")
        assert await asyncio.to_thread(main, ["backup", str(file)]) == 0
        assert await api.service.storage.restored.mark() is None
    assert "keep them too" in capsys.readouterr().out
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert names(tmp_path, "backup") == ["night.backup"]
    db = sqlite3.connect(file)
    ((copied_at,),) = db.execute("SELECT copied_at FROM restored")
    db.close()
    assert copied_at.startswith("20")


async def test_a_backup_under_load_is_one_moment_of_the_database(tmp_path: Path) -> None:
    async with opened(tmp_path) as api:
        await api.ready("m-1")
        backups = []
        for number in range(4):
            path = tmp_path / f"{number}.backup"
            saving = asyncio.ensure_future(asyncio.to_thread(backup, tmp_path / "dice.db", path))
            begun = number * 30
            for index in range(begun, begun + 30):
                await roll(api, index)
            await saving
            backups.append(path)
        whole = (await api.send("GET", "m-1", await api.key())).json()
        stored = await api.service.storage.lines("m-1")
    assert whole["phase"] == "rolling"
    for number, path in enumerate(backups):
        db = sqlite3.connect(path)
        lines = [line.encode() for (line,) in db.execute("SELECT line FROM lines ORDER BY seq")]
        db.close()
        assert lines == stored[: len(lines)]
        assert 7 + number * 30 <= len(lines) <= 7 + (number + 1) * 30


def refused(database: Path, file: Path) -> str:
    before = sorted(file.parent.iterdir()) if file.parent.is_dir() else []
    with pytest.raises(SetupError) as caught:
        backup(database, file)
    assert (sorted(file.parent.iterdir()) if file.parent.is_dir() else []) == before
    return caught.value.code


def test_a_backup_that_cannot_be_whole_leaves_nothing(tmp_path: Path) -> None:
    database, files = tmp_path / "dice.db", tmp_path / "files"
    files.mkdir()
    assert refused(database, files / "a") == "database-missing"
    of_sqlite.check_or_create(database)
    assert refused(database, tmp_path / "nowhere" / "a") == "backup-failed"
    (files / "old").write_text("of yesterday")
    assert refused(database, files / "old") == "backup-exists"
    assert (files / "old").read_text() == "of yesterday"
    other = sqlite3.connect(tmp_path / "other.db")
    with other:
        other.execute("CREATE TABLE things (a)")
    other.close()
    assert refused(tmp_path / "other.db", files / "a") == "database-foreign"


def test_a_damaged_database_is_not_backed_up_as_if_it_were_whole(tmp_path: Path) -> None:
    database = tmp_path / "dice.db"
    of_sqlite.check_or_create(database)
    db = sqlite3.connect(database)
    with db:
        for seq in range(3000):
            db.execute(
                "INSERT INTO lines (match_id, seq, line) VALUES ('m', ?, ?)", (seq, "x" * 50)
            )
    db.close()
    content = bytearray(database.read_bytes())
    middle = len(content) // 2 // 4096 * 4096
    content[middle : middle + 4096] = b"\xa5" * 4096
    database.write_bytes(content)
    assert refused(database, tmp_path / "files.backup") in {"database-damaged", "backup-failed"}


def test_postgresql_is_backed_up_with_its_own_tools(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["backup", "--database", "postgresql://dice@db/dice", "file"]) == 2
    assert "pg_dump" in capsys.readouterr().err


async def test_webhooks_and_what_they_are_still_to_be_told_are_in_a_backup(tmp_path: Path) -> None:
    hook = {"url": "https://game.invalid/"}
    async with opened(tmp_path) as api:
        made = await api.put("/v1/webhooks/hook", hook)
        await api.open("m-1")
        assert (await api.put("m-1/end", {"reason": "abort"})).status_code == 201
        await asyncio.to_thread(backup, tmp_path / "dice.db", tmp_path / "b.backup")
        key = await api.key()
    restored = tmp_path / "restored"
    restored.mkdir()
    shutil.copytree(tmp_path / "keys", restored / "keys")
    shutil.copy(tmp_path / "b.backup", restored / "dice.db")
    url = f"sqlite:///{restored / 'dice.db'}"
    keys = str(restored / "keys")
    arguments = ["restore", "--nothing-lost", "--database", url, "--keys", keys]
    assert await asyncio.to_thread(main, arguments) == 0
    async with opened(restored) as api:
        api.keys["club", "match:write", "match:read"] = key
        again = await api.put("/v1/webhooks/hook", hook)
        assert (again.status_code, again.content) == (200, made.content)
        page = (await api.send("GET", "/v1/webhooks/hook/deliveries", key)).json()
        assert [(one["match_id"], one["state"]) for one in page["deliveries"]] == [
            ("m-1", "pending")
        ]
