"""A backup put back: nothing is signed twice, what was saved comes back as it was signed."""

import asyncio
import shutil
from pathlib import Path
from typing import Any

import msgspec
import pytest

from dice_service.cli import main
from dice_service.errors import SetupError
from dice_service.storage.databases import open_storage
from tests.support.api import Api, opened
from verifier import Verdict, read_receipts, verify_log
from verifier.receipts import RollReceipt, encode_receipt

pytestmark = pytest.mark.anyio


async def roll(api: Api, match_id: str, index: int, status: int = 201) -> bytes:
    """A roll's receipt, as a device keeps it."""
    answer = await api.put(f"{match_id}/rolls/{index}", {})
    assert answer.status_code == status, answer.text
    return encode_receipt(msgspec.convert(answer.json()["receipt"], RollReceipt)) + b"\n"


async def opening(api: Api, match_id: str) -> bytes:
    return (await api.send("GET", f"{match_id}/receipt", api.tokens[match_id][0])).content


async def command(*arguments: str) -> int:
    return await asyncio.to_thread(main, list(arguments))


class Lost:
    """A service that was backed up after four rolls, went on for four, and lost its disk.

    ``receipts`` are what devices kept; ``put_back`` is the folder with the backup in its place.
    """

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self.put_back = folder / "put-back"
        self.saved = folder / "saved"
        self.receipts: dict[str, list[bytes]] = {}
        self.openings: dict[str, bytes] = {}
        self.logs: dict[str, bytes] = {}
        self.patch = monkeypatch
        self.key = ""
        self.key_id = ""

    async def play(self, *match_ids: str) -> None:
        self.patch.setenv("DICE_DATABASE", f"sqlite:///{self.folder / 'dice.db'}")
        async with opened(self.folder) as api:
            for match_id in match_ids:
                await api.ready(match_id)
                self.openings[match_id] = await opening(api, match_id)
                self.receipts[match_id] = [await roll(api, match_id, n) for n in range(4)]
            assert await command("backup", str(self.folder / "night")) == 0
            for match_id in match_ids:
                self.receipts[match_id] += [await roll(api, match_id, n) for n in range(4, 8)]
                self.logs[match_id] = (
                    await api.send("GET", f"{match_id}/log", await api.key())
                ).content
            self.key = await api.key()
            if "ended" in match_ids:
                assert (await api.put("ended/end", {"reason": "finished"})).status_code == 201
                self.logs["ended"] = (await api.send("GET", "ended/log")).content
            await api.ready("late")
            self.logs["late"] = (await api.send("GET", "late/log", self.key)).content
            self.key_id = api.service.signing.active.key_id
        self.put_back.mkdir()
        self.saved.mkdir()
        shutil.copytree(self.folder / "keys", self.put_back / "keys")
        shutil.copy(self.folder / "night", self.put_back / "dice.db")
        self.patch.setenv("DICE_DATABASE", f"sqlite:///{self.put_back / 'dice.db'}")
        self.patch.setenv("DICE_KEYS", str(self.put_back / "keys"))

    def save(self, name: str, *parts: bytes) -> None:
        (self.saved / f"{name}.jsonl").write_bytes(b"".join(parts))

    def kept(self, match_id: str) -> bytes:
        """A device's receipt file."""
        return self.openings[match_id] + b"".join(self.receipts[match_id])


@pytest.fixture
def lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Lost:
    return Lost(tmp_path, monkeypatch)


def own_key(lost: Lost, api: Api) -> None:
    api.keys["club", "match:write", "match:read"] = lost.key


async def refusal(api: Api, path: str, body: Any) -> str:
    answer = await api.put(path, body)
    assert answer.status_code == 409, answer.text
    return str(answer.json()["code"])


async def test_no_service_starts_on_a_backup_before_somebody_said_what_became_of_it(
    lost: Lost,
) -> None:
    await lost.play("m-1")
    with pytest.raises(SetupError, match="run: dice-service restore") as caught:
        async with opened(lost.put_back):
            pass
    assert caught.value.code == "database-restored"
    assert await command("restore", "--nothing-lost") == 0
    async with opened(lost.put_back) as api:
        own_key(lost, api)
        await roll(api, "m-1", 4)


async def test_lines_come_back_as_they_were_signed_and_the_match_goes_on(
    lost: Lost, capsys: pytest.CaptureFixture[str]
) -> None:
    await lost.play("m-1", "m-2", "ended")
    lost.save("m-1", lost.kept("m-1"))
    lost.save("ended", lost.logs["ended"])
    lost.save("late", lost.logs["late"])
    lost.save("rubbish", b"no line of ours\n")
    assert await command("restore", "--logs", str(lost.saved)) == 0
    said = capsys.readouterr().out
    assert "m-1: 4 lines added; it goes on" in said
    assert "ended: 7 lines added" in said  # four rolls, the end, the reveal, the signature
    assert "m-2: set aside: nothing that was saved of it was given" in said
    assert "late: opened after the backup" in said
    assert "rubbish.jsonl is neither a log nor receipts" in said
    async with opened(lost.put_back) as api:
        own_key(lost, api)
        # What was answered before the loss is answered again, byte for byte.
        again = [await roll(api, "m-1", number, 200) for number in range(8)]
        assert again == lost.receipts["m-1"]
        lost.receipts["m-1"].append(await roll(api, "m-1", 8))
        assert (await api.put("m-1/end", {"reason": "finished"})).status_code == 201
        log = (await api.send("GET", "m-1/log")).content
        report = verify_log(log, [read_receipts(lost.kept("m-1"))])
        assert (report.verdict, report.rolls, report.proof) == (Verdict.VERIFIED, 9, None)
        assert log.startswith(lost.logs["m-1"])
        assert (await api.send("GET", "ended/log")).content == lost.logs["ended"]
        # Whoever lost what was signed of it may open it anew: under another key.
        await api.open("late")
        assert api.service.signing.active.key_id != lost.key_id


async def test_a_match_set_aside_is_read_and_repeated_but_nothing_is_added(
    lost: Lost, capsys: pytest.CaptureFixture[str]
) -> None:
    await lost.play("m-1", "m-2")
    assert await command("restore", "--set-aside") == 0
    async with opened(lost.put_back) as api:
        own_key(lost, api)
        assert await roll(api, "m-1", 3, 200) == lost.receipts["m-1"][3]
        stands = (await api.send("GET", "m-1/log", lost.key)).content
        assert lost.logs["m-1"].startswith(stands)
        assert stands.count(b'"type":"roll"') == 4
        for path, body in (("m-1/rolls/4", {}), ("m-1/end", {"reason": "abort"})):
            assert await refusal(api, path, body) == "set-aside"
        # What was found later, and the operator's word, release it while the service runs.
        lost.save("m-1", lost.kept("m-1"))
        assert await command("restore", "--logs", str(lost.saved)) == 0
        assert "1 matches go on, 1 are set aside" in capsys.readouterr().out
        assert await command("restore", "--nothing-lost", "m-2") == 0
        assert await command("restore", "--nothing-lost", "m-2") == 2
        assert "no match m-2 is set aside" in capsys.readouterr().err
        assert await roll(api, "m-1", 4, 200) == lost.receipts["m-1"][4]
        await roll(api, "m-1", 8)
        await roll(api, "m-2", 4)


@pytest.mark.parametrize(
    ("save", "why", "added"),
    [
        ("gap", "line 13 is missing, and line 14 was signed", 2),
        ("unsigned", "no signature covers line 11 of a saved log; its receipt would", 0),
        ("short", "what was saved of it ends before what the database has", 0),
        ("forged", "what was saved of it ends before what the database has", 0),
    ],
)
async def test_what_no_signature_covers_is_not_believed(
    lost: Lost, capsys: pytest.CaptureFixture[str], save: str, why: str, added: int
) -> None:
    await lost.play("m-1")
    receipts = lost.receipts["m-1"]
    match save:
        case "gap":
            lost.save("m-1", lost.openings["m-1"], *receipts[:6], receipts[7])
        case "unsigned":
            lost.save("m-1", lost.logs["m-1"])
        case "short":
            lost.save("m-1", lost.openings["m-1"], *receipts[:2])
        case "forged":
            fakes = [_resigned(one) for one in receipts]
            lost.save("m-1", lost.openings["m-1"], *fakes)
    assert await command("restore", "--logs", str(lost.saved)) == 0
    assert f"m-1: set aside: {why}" in capsys.readouterr().out
    async with opened(lost.put_back) as api:
        own_key(lost, api)
        log = (await api.send("GET", "m-1/log", lost.key)).content
        assert log.count(b'"type":"roll"') == 4 + added
        assert lost.logs["m-1"].startswith(log)
        assert await refusal(api, f"m-1/rolls/{4 + added}", {}) == "set-aside"


def _resigned(receipt: bytes) -> bytes:
    """A receipt with a signature that is none."""
    found = msgspec.json.decode(receipt, type=RollReceipt)
    return encode_receipt(msgspec.structs.replace(found, sig="ab" * 64)) + b"\n"


async def test_a_database_that_contradicts_what_was_signed_is_not_played_on(
    lost: Lost, capsys: pytest.CaptureFixture[str]
) -> None:
    """As after ``--nothing-lost`` where something was."""
    await lost.play("m-1")
    assert await command("restore", "--nothing-lost") == 0
    async with opened(lost.put_back) as api:
        own_key(lost, api)
        await roll(api, "m-1", 4)
    assert await command("restore", "--mark") == 0
    lost.save("m-1", lost.kept("m-1"))
    assert await command("restore", "--logs", str(lost.saved)) == 0
    assert "the database contradicts what was signed" in capsys.readouterr().out
    async with opened(lost.put_back) as api:
        own_key(lost, api)
        assert await refusal(api, "m-1/rolls/5", {}) == "set-aside"


async def test_a_mark_and_what_is_set_aside_in_either_database(
    database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(tmp_path, database=database_url) as api:
        await api.ready("m-1")
        await roll(api, "m-1", 0)
        key = await api.key()
    monkeypatch.setenv("DICE_DATABASE", database_url)
    monkeypatch.setenv("DICE_KEYS", str(tmp_path / "keys"))
    assert await command("restore", "--mark") == 0
    with pytest.raises(SetupError, match="restore"):
        async with opened(tmp_path, database=database_url):
            pass
    assert await command("restore", "--set-aside") == 0
    target = f"sqlite:///{tmp_path / 'copy.db'}"
    assert await command("copy", "--from", database_url, "--to", target) == 0
    for url in (database_url, target):
        storage = open_storage(url)
        assert await storage.restored.mark() is None
        assert list(await storage.restored.all_aside()) == ["m-1"]
        await storage.close()
        async with opened(tmp_path, database=url) as api:
            api.keys["club", "match:write", "match:read"] = key
            assert await refusal(api, "m-1/rolls/1", {}) == "set-aside"


async def test_without_its_sealing_key_a_match_is_unreadable_and_nothing_else_is_harmed(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with opened(tmp_path) as api:
        await api.ready("m-1")
        await roll(api, "m-1", 0)
        await api.ended("over")
        key, tokens = await api.key(), api.tokens
        before = (await api.send("GET", "over/log")).content
    for file in (tmp_path / "keys").glob("sealing*"):
        file.unlink()
    assert await command("init", "--keys", str(tmp_path / "keys")) == 0
    async with opened(tmp_path) as api:
        api.keys["club", "match:write", "match:read"] = key
        for path, body in (("m-1/rolls/1", {}), ("m-1/end", {"reason": "abort"})):
            answer = await api.put(path, body)
            assert (answer.status_code, answer.json()["code"]) == (503, "key-missing")
        by_token = await api.send("GET", "m-1", tokens["m-1"][0])
        assert by_token.status_code == 503
        assert (await api.send("GET", "over/log")).content == before
        assert (await api.send("GET", "/readyz")).status_code == 200
        await api.ended("new")
    assert any("the sealing key" in line and "m-1" in line for line in caplog.messages)
