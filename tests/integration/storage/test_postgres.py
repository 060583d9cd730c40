"""What is PostgreSQL's own: guards, races, lost connections, a server that stops."""

import asyncio
import dataclasses
import logging
import signal
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import get_args

import psycopg
import pytest
from psycopg import errors

from dice_service.errors import SetupError
from dice_service.storage import Append, MatchRow, StorageError, connections
from dice_service.storage.migrations import of_postgres, of_sqlite
from dice_service.storage.postgres import PostgresStorage
from tests.support import postgres
from tests.support.cutting import Cutting, When

pytestmark = pytest.mark.anyio

ROW = MatchRow("m", "o", "direct", None, "t", None, "seeds", b"", "k", "s")
OPENING = Append("m", 0, (b"a", b"b"), opening=ROW)


@pytest.fixture
async def storage(pg_url: str) -> AsyncIterator[PostgresStorage]:
    storage = PostgresStorage(pg_url)
    await storage.append([OPENING])
    yield storage
    await storage.close()


@pytest.fixture
def socket_url(pg_cluster: postgres.Cluster) -> Iterator[str]:
    """An empty database on a server that listens on a socket, whatever ``DICE_TEST_PG_URL`` is."""
    with postgres.empty_database(pg_cluster.url) as url:
        yield url


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE lines SET line = 'x'",
        "DELETE FROM lines",
        "TRUNCATE lines",
        "INSERT INTO lines VALUES ('m', 3, 'x')",
        "INSERT INTO lines VALUES ('n', 1, 'x')",
        "INSERT INTO lines VALUES ('m', -1, 'x')",
        "INSERT INTO lines VALUES ('m', 1, 'x')",
        "UPDATE matches SET phase = 'over'",
    ],
)
@pytest.mark.parametrize("partitioned", [False, True])
async def test_the_database_itself_keeps_the_log(
    pg_url: str, sql: str, *, partitioned: bool
) -> None:
    if partitioned:
        postgres.partition(pg_url)
    storage = PostgresStorage(pg_url)
    await storage.append([OPENING])
    with pytest.raises(errors.IntegrityError):
        postgres.execute(pg_url, sql)
    assert await storage.lines("m") == [b"a", b"b"]
    await storage.close()


def test_both_databases_have_the_same_migrations() -> None:
    names = [[file.name.split(".")[0] for file in m.FILES] for m in (of_sqlite, of_postgres)]
    assert names[0] == names[1] != []


async def test_a_commit_waits_for_the_disk_whatever_the_role_says(pg_url: str) -> None:
    url = postgres.with_options(pg_url, "-csynchronous_commit=off")
    postgres.execute(url, "SELECT 1")
    storage = PostgresStorage(url)

    async def setting(db: psycopg.AsyncConnection[tuple[str]]) -> str:
        row = await (await db.execute("SHOW synchronous_commit")).fetchone()
        assert row is not None
        return row[0]

    assert await storage._writer.do(setting) == "on"
    await storage.close()


@pytest.mark.parametrize(
    ("sql", "code", "said"),
    [
        ("INSERT INTO zarf_schema VALUES (99)", "database-newer", "use the newer program"),
        ("DROP TABLE zarf_schema", "database-foreign", "another program"),
    ],
)
async def test_a_database_of_another_kind_is_refused_by_name(
    pg_url: str, sql: str, code: str, said: str
) -> None:
    of_postgres.check_or_create(pg_url)
    postgres.execute(pg_url, sql)
    for use in (of_postgres.check_or_create, of_postgres.migrate):
        with pytest.raises(SetupError, match=said) as caught:
            use(pg_url)
        assert caught.value.code == code


async def test_an_older_database_is_refused_until_it_is_migrated(
    pg_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    of_postgres.check_or_create(pg_url)
    bad, good = tmp_path / "bad.sql", tmp_path / "good.sql"
    bad.write_text("CREATE TABLE more (a TEXT); CREATE TABLE lines (a TEXT);")
    good.write_text("CREATE TABLE more (a TEXT); INSERT INTO more VALUES ('here');")
    files = of_postgres.FILES
    monkeypatch.setattr(of_postgres, "FILES", [*files, bad])
    with pytest.raises(SetupError, match="run: dice-service migrate") as caught:
        PostgresStorage(pg_url)
    assert caught.value.code == "database-older"
    with pytest.raises(SetupError, match="already exists"):
        of_postgres.migrate(pg_url)  # and leaves nothing of itself
    monkeypatch.setattr(of_postgres, "FILES", [*files, good])
    now = len(files) + 1
    assert of_postgres.migrate(pg_url) == (now - 1, now)
    assert of_postgres.migrate(pg_url) == (now, now)
    assert postgres.execute(pg_url, "SELECT a FROM more") == [("here",)]


async def test_processes_that_start_together_on_an_empty_database_make_it_once(
    pg_url: str,
) -> None:
    await asyncio.gather(
        *(asyncio.to_thread(of_postgres.check_or_create, pg_url) for _ in range(6))
    )
    made = postgres.execute(pg_url, "SELECT version FROM zarf_schema ORDER BY version")
    assert made == [(number,) for number in range(1, len(of_postgres.FILES) + 1)]


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("postgresql://dice:s3cret@127.0.0.1:1/dice", "cannot use postgresql://dice@127.0.0.1"),
        ("postgresql://dice:s3cret@[::1/dice", "URL cannot be read"),
    ],
)
async def test_a_server_that_is_not_there_is_one_line_without_the_password(
    url: str, said: str
) -> None:
    with pytest.raises(SetupError) as caught:
        PostgresStorage(url)
    text = str(caught.value)
    assert said in text
    assert "s3cret" not in text
    assert "\n" not in text


# The trigger fails the first times; a sequence goes on although its transaction is undone.
FAIL = """
    CREATE SEQUENCE faults;
    CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF nextval('faults') <= 3 THEN {fault} END IF;
        RETURN NULL;
    END $$;
    CREATE CONSTRAINT TRIGGER fail AFTER INSERT ON lines {when} FOR EACH ROW EXECUTE FUNCTION fail()
"""
FAULTS = {
    "serialization failure": "RAISE serialization_failure;",
    "deadlock": "RAISE deadlock_detected;",
    "connection ended": "PERFORM pg_terminate_backend(pg_backend_pid());",
}
RACES = {"serialization failure", "deadlock"}


@pytest.mark.parametrize("when", ["", "INITIALLY DEFERRED"])
@pytest.mark.parametrize("fault", FAULTS)
async def test_a_fault_that_passes_is_tried_again(
    storage: PostgresStorage, pg_url: str, fault: str, when: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Deferred: it strikes at the commit."""
    caplog.set_level(logging.INFO, "dice_service")
    postgres.execute(pg_url, FAIL.format(fault=FAULTS[fault], when=when))
    assert await storage.append([Append("m", 2, (b"c",))]) == [True]
    assert await storage.append([Append("m", 3, (b"d", b"e"))]) == [True]
    assert await storage.lines("m") == [b"a", b"b", b"c", b"d", b"e"]
    told = [record.getMessage() for record in caplog.records if "postgresql" in record.getMessage()]
    assert len(told) == (3 if fault in RACES else 4)
    if fault not in RACES:  # what an operator is to know of; races are none of it
        assert told[3].startswith("postgresql: done after 3 failed tries: terminating connection")


async def test_a_fault_that_stays_is_a_refusal_and_nothing_is_written(
    pg_url: str,
) -> None:
    storage = PostgresStorage(pg_url, patience=0.2)
    await storage.append([OPENING])
    sql = FAIL.format(fault=FAULTS["serialization failure"], when="").replace("3", "100000")
    postgres.execute(pg_url, sql)
    with pytest.raises(StorageError):
        await storage.append([Append("m", 2, (b"c",))])
    assert await storage.lines("m") == [b"a", b"b"]
    await storage.close()


APPENDS = {
    "one line": Append("m", 2, (b"c",)),
    "several": Append("m", 2, (b"c", b"d"), phase="ended", ended_at="t9"),
}


@pytest.mark.parametrize("when", get_args(When))
@pytest.mark.parametrize(
    ("kind", "statement"),
    [
        ("one line", b"INSERT INTO lines"),
        ("several", b"BEGIN"),
        ("several", b"INSERT INTO lines"),
        ("several", b"UPDATE matches"),
        ("several", b"COMMIT"),
    ],
)
async def test_a_connection_lost_at_any_statement_leaves_it_done_once(
    socket_url: str, kind: str, statement: bytes, when: When
) -> None:
    append = APPENDS[kind]
    with Cutting(socket_url) as proxy:
        storage = PostgresStorage(proxy.url)
        await storage.append([OPENING])
        proxy.cut(statement, when)
        (won,) = await storage.append([append])
        assert proxy.left == 0
        # The commit that nobody heard of was done: then the line is found standing.
        unheard = when == "after" and statement == (b"COMMIT" if kind == "several" else statement)
        assert won is not unheard
        assert await storage.lines("m", 2) == list(append.lines)
        expected = dataclasses.replace(ROW, phase="ended", ended_at="t9") if append.phase else ROW
        assert await storage.match("m") == expected
        await storage.close()


async def test_a_lost_connection_does_not_hurt_a_reader(socket_url: str) -> None:
    with Cutting(socket_url) as proxy:
        storage = PostgresStorage(proxy.url)
        await storage.append([OPENING])
        for when in get_args(When):
            proxy.cut(b"SELECT line", when)
            assert await storage.lines("m") == [b"a", b"b"]
        assert proxy.left == 0
        await storage.close()


@pytest.mark.parametrize("ending", ["commit", "rollback"])
async def test_another_processs_open_transaction_is_waited_for(
    storage: PostgresStorage, pg_url: str, ending: str
) -> None:
    with psycopg.connect(pg_url) as other:
        other.execute("INSERT INTO lines VALUES ('m', 2, 'theirs')")
        mine = asyncio.ensure_future(storage.append([Append("m", 2, (b"mine",))]))
        await asyncio.sleep(0.1)
        assert not mine.done()
        getattr(other, ending)()
        assert await mine == [ending == "rollback"]
    assert await storage.lines("m", 2) == [b"theirs" if ending == "commit" else b"mine"]


async def test_a_process_that_falls_silent_in_a_transaction_does_not_hold_the_others(
    storage: PostgresStorage, pg_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = connections._SESSION
    assert "idle_in_transaction_session_timeout = '4s'" in session  # less than any patience
    monkeypatch.setattr(connections, "_SESSION", session.replace("'4s'", "'200ms'"))
    silent = connections.Connections(pg_url, 1)

    async def begin(db: connections.Connection) -> None:
        await db.execute("BEGIN")
        await db.execute("INSERT INTO lines VALUES ('m', 2, 'theirs')")
        assert await storage.append([Append("m", 2, (b"mine",))]) == [True]

    await silent.do(begin)
    assert await storage.lines("m", 2) == [b"mine"]


async def test_an_append_that_could_be_written_in_part_is_not_written(
    storage: PostgresStorage, pg_url: str
) -> None:
    """Another process takes the first place while a group is being written."""
    with psycopg.connect(pg_url) as other:
        other.execute("INSERT INTO lines VALUES ('m', 2, 'theirs')")
        group = Append("m", 2, (b"x", b"y", b"z"), phase="ended", ended_at="t9")
        mine = asyncio.ensure_future(
            storage.append([group, dataclasses.replace(OPENING, match_id="n", opening=None)])
        )
        await asyncio.sleep(0.1)
        other.commit()
        assert await mine == [False, True]
    assert await storage.lines("m", 2) == [b"theirs"]
    assert await storage.match("m") == ROW


async def test_two_openings_of_one_match_in_one_batch_open_it_once(
    storage: PostgresStorage,
) -> None:
    row = dataclasses.replace(ROW, match_id="n")
    first, second = (Append("n", 0, (line,), opening=row) for line in (b"1", b"2"))
    assert await storage.append([first, second]) == [True, False]
    assert await storage.lines("n") == [b"1"]


async def test_a_server_that_stops_is_waited_for_and_then_a_refusal(
    pg_cluster: postgres.Cluster,
) -> None:
    with postgres.empty_database(pg_cluster.url) as url:
        storage = PostgresStorage(url)
        await storage.append([OPENING])
        pg_cluster.stop(signal.SIGQUIT)
        waiting = asyncio.ensure_future(storage.append([Append("m", 2, (b"c",))]))
        reading = asyncio.ensure_future(storage.lines("m"))
        with pytest.raises(StorageError):
            await storage.ping()
        await asyncio.to_thread(pg_cluster.start)
        assert await waiting == [True]
        assert (await reading)[:2] == [b"a", b"b"]
        await storage.ping()

        impatient = PostgresStorage(url, patience=0.3)
        pg_cluster.stop()
        begin = time.monotonic()
        for asking in (impatient.append([Append("m", 3, (b"d",))]), impatient.lines("m")):
            with pytest.raises(StorageError, match="did not do it"):
                await asking
        assert time.monotonic() - begin < 3
        await asyncio.to_thread(pg_cluster.start)
        assert await impatient.lines("m") == [b"a", b"b", b"c"]
        await impatient.close()
        await storage.close()


def test_a_server_that_does_not_wait_for_its_disk_is_refused(pg_cluster: postgres.Cluster) -> None:
    pg_cluster.stop()
    pg_cluster.start("-c", "fsync=off")
    with pytest.raises(SetupError, match="fsync off; it must be on") as caught:
        PostgresStorage(pg_cluster.url)
    assert caught.value.code == "database-unsafe"
    pg_cluster.stop()
    pg_cluster.start()


async def test_a_database_that_became_read_only_is_not_ready(pg_url: str) -> None:
    storage = PostgresStorage(pg_url, patience=0.2)
    await storage.append([OPENING])
    await storage.close()
    storage = PostgresStorage(pg_url, patience=0.2)
    read_only = postgres.with_options(pg_url, "-cdefault_transaction_read_only=on")
    storage._writer._arguments = psycopg.conninfo.conninfo_to_dict(read_only)
    with pytest.raises(StorageError, match="read-only"):
        await storage.ping()
    with pytest.raises(StorageError, match="read-only"):
        await storage.append([Append("m", 2, (b"c",))])
    assert await storage.lines("m") == [b"a", b"b"]
    await storage.close()
