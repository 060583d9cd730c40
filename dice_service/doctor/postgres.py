"""A PostgreSQL database, asked in a transaction that may only read."""

import os
from collections.abc import Iterator, Mapping
from typing import Any, Final

import psycopg

from dice_service.doctor.contents import Contents, contents
from dice_service.doctor.findings import Finding, failed, ok, warning
from dice_service.doctor.machine import beside_database
from dice_service.doctor.told import is_local
from dice_service.errors import SetupError
from dice_service.storage.connections import arguments, connect, reason
from dice_service.storage.databases import shown
from dice_service.storage.migrations import refuse_newer, refuse_older
from dice_service.storage.migrations.of_postgres import FILES, NEEDED

OLDEST: Final = 13  # the oldest version that the service is meant for
RIGHTS: Final = (
    *((table, right) for table in ("matches", "api_keys") for right in ("INSERT", "UPDATE")),
    ("lines", "INSERT"),
)


def look(url: str, findings: list[Finding]) -> Contents | None:
    """Add what was found; what the database holds, None where it cannot be read."""
    try:
        findings.extend(way(url, os.environ))
        with connect(url) as db:
            db.read_only = True
            db.execute("SET statement_timeout = '60s'")
            findings.extend(_server(db))
            findings.extend(_schema(db, url))
            if findings[-1].result != "ok":
                return None
            findings.extend(_writable(db))
            return contents(lambda sql: db.execute(sql.encode()).fetchall())
    except SetupError as error:
        findings.append(failed("database", str(error), "set DICE_DATABASE right"))
    except psycopg.Error as error:
        mend = (
            "see that the server runs, that it lets this user in, and that DICE_DATABASE is right"
        )
        findings.append(failed("database", f"{shown(url)}: {reason(error)}", mend))
    return None


def way(url: str, environment: Mapping[str, str]) -> Iterator[Finding]:
    """Whether the server, where it is another machine, is sure to be the right one."""
    given = arguments(url)
    hosts = str(given.get("host") or environment.get("PGHOST", "")).split(",")
    if all(host.startswith("/") or is_local(host) for host in hosts):
        return
    mode = given.get("sslmode") or environment.get("PGSSLMODE", "prefer")
    if mode not in {"verify-full", "verify-ca"}:
        found = f"the way to {', '.join(hosts)} is not checked (sslmode={mode})"
        yield warning("database", found, "add sslmode=verify-full&sslrootcert=FILE to the URL")


def _server(db: psycopg.Connection) -> Iterator[Finding]:
    version = db.info.server_version // 10_000
    if version < OLDEST:
        yield failed("database", f"PostgreSQL {version}", f"upgrade it to {OLDEST} or newer")
    else:
        yield ok("database", f"PostgreSQL {version}")
    for name, needed in NEEDED.items():
        value = _setting(db, name)
        if value != needed:
            mend = f"set {name} = {needed} on the server, which may have lost data already"
            yield failed("database", f"the server has {name} = {value}", mend)
    if _setting(db, "synchronous_commit") == "off":
        mend = "set it to on; the service's own sessions do so themselves"
        yield warning("database", "synchronous_commit is off by default", mend)
    yield beside_database(_one(db, "SELECT clock_timestamp()"))


def _schema(db: psycopg.Connection, url: str) -> Iterator[Finding]:
    if _one(db, "SELECT to_regclass('zarf_schema') IS NULL"):
        mend = "the first start makes them; if there should be matches, set DICE_DATABASE right"
        yield warning("database", f"{shown(url)} has no tables of the service", mend)
        return
    version = _one(db, "SELECT coalesce(max(version), 0) FROM zarf_schema")
    try:
        refuse_newer(version, FILES, shown(url))
        refuse_older(version, FILES, shown(url))
    except SetupError as error:
        yield failed("database", str(error), "dice-service migrate, or the newer program")
        return
    yield ok("database", f"schema {version}")


def _writable(db: psycopg.Connection) -> Iterator[Finding]:
    if _one(db, "SELECT pg_is_in_recovery()"):
        mend = "name all servers in the URL, with target_session_attrs=read-write"
        yield failed("database", "the server is a standby, which cannot be written", mend)
        return
    if _setting(db, "default_transaction_read_only") == "on":
        mend = "unset it for the service's role"
        yield failed("database", "default_transaction_read_only is on", mend)
        return
    for table, right in RIGHTS:
        if not _one(db, f"SELECT has_table_privilege('{table}', '{right}')"):
            mend = f"run in psql: GRANT SELECT, {right} ON {table} TO {db.info.user}"
            yield failed("database", f"{db.info.user} may not {right} on {table}", mend)
            return
    yield ok("database", f"{db.info.user} may write to its tables")


def _setting(db: psycopg.Connection, name: str) -> str:
    return str(_one(db, f"SELECT current_setting('{name}')"))


def _one(db: psycopg.Connection, sql: str) -> Any:  # noqa: ANN401 - whatever a row holds
    row = db.execute(sql.encode()).fetchone()
    assert row is not None
    return row[0]
