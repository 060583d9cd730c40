"""``dice-service``: run the service and look after its keys."""

import argparse
import asyncio
import sys
from collections.abc import Awaitable, Callable, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, TypeVar

from dice_service import apikeys, sealing, signing
from dice_service.clock import now
from dice_service.errors import ServiceError, SetupError
from dice_service.settings import Settings, load, unknown_variables
from dice_service.storage import databases
from dice_service.storage.webhooks import Database
from verifier.rules.rulesets import RULE_SETS

T = TypeVar("T")
Command = Callable[[argparse.Namespace, Any], int]

OK, FAILED, USAGE, INTERRUPTED = 0, 1, 2, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command. Exit status: 0 done, 1 not done, 2 wrong usage or setting, 130 Ctrl-C."""
    given = _parser().parse_args(arguments)
    try:
        flags = {name: getattr(given, name, None) for name in Settings.model_fields}
        if given.command == _doctor:  # which says what is wrong with the settings too
            return _doctor(given, flags)
        settings = load(flags)
        for name in unknown_variables():
            _say(f"{name} is not a setting of the service; it was ignored")
        command: Command = given.command
        return command(given, settings)
    except SetupError as error:
        _say(str(error))
        return USAGE
    except ServiceError as error:
        _say(str(error))
        return FAILED
    except KeyboardInterrupt:
        return INTERRUPTED


def _say(text: str) -> None:
    print(f"dice-service: {text}", file=sys.stderr)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="dice-service",
        description="Zarf's dice service. Settings come from DICE_… variables; flags override.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {_version()}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)

    serve = _add(commands, "serve", "run the service until SIGTERM or Ctrl-C", _serve)
    for name, field in Settings.model_fields.items():
        variable = f"DICE_{name.upper()}"
        text = f"{field.description} (default {field.default}; {variable})"
        serve.add_argument(_flag(name), metavar="VALUE", help=text)

    init = _add(commands, "init", "make the signing key and the sealing key", _init)
    _keys_flag(init)

    api_key = commands.add_parser("api-key", help="the keys of game servers", allow_abbrev=False)
    api_keys = api_key.add_subparsers(title="commands", metavar="COMMAND", required=True)
    create = _add(api_keys, "create", "make a key and print it, this once", _create_api_key)
    create.add_argument("--owner", required=True, help="whose matches the key opens and sees")
    create.add_argument(
        "--scope",
        action="append",
        dest="scopes",
        choices=apikeys.SCOPES,
        help="what it may do, repeatable (default: match:write and match:read)",
    )
    listing = _add(api_keys, "list", "list the keys, without their secrets", _list_api_keys)
    revoke = _add(api_keys, "revoke", "stop a key, within two seconds", _revoke_api_key)
    revoke.add_argument("key_id", metavar="KEY_ID", help="the 8 characters after zk_")

    keys = commands.add_parser("keys", help="the service's own keys", allow_abbrev=False)
    own_keys = keys.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in (
        _add(own_keys, "list", "list signing and sealing keys", _list_keys),
        _add(own_keys, "rotate", "make new keys; then restart the service", _rotate_keys),
    ):
        _keys_flag(command)
    own_keys.choices["rotate"].add_argument(
        "--kind", choices=("signing", "sealing", "both"), default="both", help="default: both"
    )
    reseal = _add(own_keys, "reseal", "seal every secret anew with the active key", _reseal)
    _keys_flag(reseal)

    upgrade = _add(commands, "migrate", "bring an older database to this version", _migrate)
    save = _add(commands, "backup", "back a SQLite database up while it is in use", _backup)
    save.add_argument("file", type=Path, metavar="FILE", help="where to; it must not be there yet")
    back = _add(
        commands, "restore", "after a backup was put back: what becomes of its matches", _restore
    )
    _keys_flag(back)
    ways = back.add_mutually_exclusive_group(required=True)
    ways.add_argument(
        "--logs",
        type=Path,
        metavar="FOLDER",
        help="add the missing lines from all logs and receipts (.jsonl) that game servers and"
        " players saved, and set aside the matches that are not whole then",
    )
    ways.add_argument(
        "--set-aside",
        action="store_true",
        help="nothing was saved: set every unfinished match aside",
    )
    ways.add_argument(
        "--nothing-lost",
        nargs="*",
        metavar="MATCH_ID",
        help="nothing was signed after the backup: go on with all matches, or with these that"
        " were set aside",
    )
    ways.add_argument(
        "--mark",
        action="store_true",
        help="this database was put back by other means (pg_restore, a copied file): no service"
        " starts on it before one of the others",
    )
    for command in (create, listing, revoke, reseal, upgrade, save, back):
        command.add_argument("--database", metavar="URL", help="overrides DICE_DATABASE")

    copy = _add(commands, "copy", "copy everything to another database", _copy)
    copy.add_argument("--from", dest="source", required=True, metavar="URL", help="as --database")
    copy.add_argument("--to", dest="target", required=True, metavar="URL", help="as --database")

    doctor = _add(commands, "doctor", "look at everything it needs, and say what to mend", _doctor)
    doctor.add_argument("--json", action="store_true", help="print one JSON object")
    doctor.add_argument("--database", metavar="URL", help="overrides DICE_DATABASE")
    _keys_flag(doctor)

    demo = _add(commands, "demo", "play a whole match and verify it", _demo)
    demo.add_argument("--rolls", type=_positive, default=20, metavar="N", help="default: 20")
    demo.add_argument("--folder", type=Path, default=Path("var/demo"), help="default: var/demo")
    demo.add_argument(
        "--seeding", choices=("committed", "direct"), default="committed", help="default: committed"
    )
    demo.add_argument(
        "--stay", action="store_true", help="serve the match's page until Ctrl-C, and say where"
    )
    kinds = demo.add_mutually_exclusive_group()
    kinds.add_argument(
        "--rules",
        action="append",
        choices=RULE_SETS,
        metavar="NAME",
        help="a refereed match instead, two bots playing: " + ", ".join(RULE_SETS),
    )
    kinds.add_argument(
        "--all-rules",
        dest="rules",
        action="store_const",
        const=list(RULE_SETS),
        help="a refereed match under each of these rules",
    )
    return parser


def _add(commands: Any, name: str, text: str, command: Command) -> argparse.ArgumentParser:  # noqa: ANN401 - argparse's type is private
    parser: argparse.ArgumentParser = commands.add_parser(
        name, help=text, description=text[0].upper() + text[1:] + ".", allow_abbrev=False
    )
    parser.set_defaults(command=command)
    return parser


def _flag(name: str) -> str:
    return "--" + name.replace("_", "-")


def _keys_flag(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--keys", metavar="FOLDER", help="overrides DICE_KEYS")


def _positive(text: str) -> int:
    number = int(text)
    if not 1 <= number <= 100_000:
        raise argparse.ArgumentTypeError("must be 1 to 100000")
    return number


def _version() -> str:
    try:
        return version("zarf")
    except PackageNotFoundError:  # run from a source tree that is not installed
        return "(not installed)"


def _serve(_: argparse.Namespace, settings: Settings) -> int:
    import uvloop

    uvloop.run(_run_server(settings))
    return OK


async def _run_server(settings: Settings) -> None:
    import structlog

    from dice_service import logs, server
    from dice_service.api.metrics import COUNTED
    from dice_service.app import build_app
    from dice_service.service import open_service

    log = structlog.get_logger()
    unclosed = databases.is_unclosed(settings.database)
    async with open_service(settings) as service:
        unfinished = sum((await service.storage.open_matches(COUNTED)).values())
        listener = server.listen(settings.host, settings.port)
        host, port = listener.getsockname()[:2]
        shown = f"[{host}]" if ":" in host else host

        def started() -> None:
            server.seldom_collect()
            logs.configure(settings.log_level, final=True)
            print(f"dice-service: listening on http://{shown}:{port}", flush=True)
            # A start with no "stopped" before it comes after a kill or a crash.
            log.info("started", unfinished_matches=unfinished)
            if unclosed:
                log.warning("sqlite: it was not closed; by a kill, if no other process has it open")

        app, stopping = build_app(service), service.streams.close
        await server.serve(app, settings, listener, started, stopping)
    log.info("stopped")


def _init(_: argparse.Namespace, settings: Settings) -> int:
    for kind in (signing, sealing):
        if kind.has_key(settings.keys):
            print(f"{kind.KIND} key: one is in {settings.keys} already; left as it is")
        else:
            print(f"{kind.KIND} key: made {kind.make_key(settings.keys)} in {settings.keys}")
    return OK


def _create_api_key(given: argparse.Namespace, settings: Settings) -> int:
    scopes = tuple(given.scopes or (apikeys.WRITE, apikeys.READ))
    text, row = apikeys.make(given.owner, scopes, now())
    if not asyncio.run(_with_storage(settings.database, lambda storage: storage.add_api_key(row))):
        raise SetupError("api-key-taken", "the id was taken, by chance: run it again")
    _say(f"key {row.key_id} of {row.owner}, {', '.join(row.scopes)}; it is not shown again:")
    print(text)
    return OK


def _list_api_keys(_: argparse.Namespace, settings: Settings) -> int:
    for row in asyncio.run(_with_storage(settings.database, lambda storage: storage.api_keys())):
        state = f"revoked {row.revoked_at}" if row.revoked_at else "valid"
        print(f"{row.key_id}  {row.owner}  {','.join(row.scopes)}  {row.created_at}  {state}")
    return OK


def _revoke_api_key(given: argparse.Namespace, settings: Settings) -> int:
    key_id = apikeys.id_of(given.key_id) or given.key_id
    revoke = _with_storage(settings.database, lambda storage: storage.revoke_api_key(key_id, now()))
    if asyncio.run(revoke):
        print(f"revoked {key_id}")
        return OK
    _say(f"there is no valid key {key_id[:8]}; see: dice-service api-key list")
    return FAILED


async def _with_storage(url: str, work: Callable[[Database], Awaitable[T]]) -> T:
    storage = databases.open_storage(url)
    try:
        return await work(storage)
    finally:
        await storage.close()


def _list_keys(_: argparse.Namespace, settings: Settings) -> int:
    signers = signing.SigningRing.load(settings.keys)
    for signer in signers.signers:
        mark = "active" if signer.key_id == signers.active.key_id else "retired"
        print(f"signing  {signer.key_id}  {mark}  public key {signer.public_key}")
    ring = sealing.SealingRing.load(settings.keys)
    for key_id in ring.key_ids:
        print(f"sealing  {key_id}  {'active' if key_id == ring.active else 'retired'}")
    return OK


def _rotate_keys(given: argparse.Namespace, settings: Settings) -> int:
    for kind in (signing, sealing):
        if given.kind in (kind.KIND, "both"):
            if not kind.has_key(settings.keys):
                raise SetupError(
                    "key-missing", f"no {kind.KIND} key in {settings.keys}; run: dice-service init"
                )
            print(f"{kind.KIND} key: made {kind.make_key(settings.keys)}, the active one now")
    print("restart the service to use it; old keys stay: their matches need them")
    return OK


def _reseal(_: argparse.Namespace, settings: Settings) -> int:
    from dice_service.webhooks import registry

    ring = sealing.SealingRing.load(settings.keys)

    async def work(storage: Database) -> tuple[int, int]:
        seeds = await sealing.reseal(storage, ring)
        return seeds, await registry.reseal(storage.webhooks, ring)

    seeds, secrets = asyncio.run(_with_storage(settings.database, work))
    print(f"sealed {seeds} seeds and {secrets} webhooks' secrets anew with {ring.active}")
    return OK


def _migrate(_: argparse.Namespace, settings: Settings) -> int:
    before, after = databases.migrate(settings.database)
    print(f"{databases.shown(settings.database)}: schema {before} before, {after} now")
    return OK


def _backup(given: argparse.Namespace, settings: Settings) -> int:
    from dice_service.backup import backup

    size = backup(databases.sqlite_path(settings.database), given.file)
    print(f"{given.file}: {size} bytes; the keys in {settings.keys} are not in it, keep them too")
    return OK


def _restore(given: argparse.Namespace, settings: Settings) -> int:
    from dice_service import restoring

    if not databases.is_there(settings.database):
        raise SetupError("database-missing", f"there is no {databases.shown(settings.database)}")
    if given.logs is not None and not given.logs.is_dir():
        raise SetupError("folder-missing", f"there is no folder {given.logs}")
    if given.mark:
        asyncio.run(_with_storage(settings.database, lambda s: s.restored.set_mark(now())))
    elif given.nothing_lost is not None:
        asyncio.run(
            _with_storage(
                settings.database, lambda s: restoring.nothing_lost(s, given.nothing_lost)
            )
        )
    else:
        done = asyncio.run(
            _with_storage(
                settings.database, lambda s: restoring.restore(s, settings.keys, given.logs)
            )
        )
        print("\n".join(done.told()))
    return OK


def _copy(given: argparse.Namespace, _: Settings) -> int:
    from dice_service.copying import Copied, copy

    for url in (given.source, given.target):
        if not databases.known(url):
            raise SetupError("setting-invalid", f"{databases.shown(url)} is no database's URL")
    if given.source == given.target:
        raise SetupError("setting-invalid", "--from and --to are the same database")
    if not databases.is_there(given.source):
        raise SetupError("database-missing", f"there is no {databases.shown(given.source)}")

    async def work(source: Database) -> Copied:
        return await _with_storage(given.target, lambda target: copy(source, target))

    done = asyncio.run(_with_storage(given.source, work))
    print(
        f"{done.matches} matches compared by head; new: {done.new_matches} matches,"
        f" {done.new_lines} lines, {done.new_keys} API keys, {done.new_webhooks} webhooks"
    )
    return OK


def _doctor(given: argparse.Namespace, flags: dict[str, Any]) -> int:
    import os

    from dice_service import doctor

    findings = doctor.examine(flags, os.environ)
    (doctor.write_json if given.json else doctor.write)(findings, sys.stdout)
    return OK if doctor.is_well(findings) else FAILED


def _demo(given: argparse.Namespace, _: Settings) -> int:
    from dice_service import demo

    return demo.run(
        rolls=given.rolls,
        folder=given.folder,
        seeding=given.seeding,
        rules=given.rules or (),
        stay=given.stay,
    )


if __name__ == "__main__":
    sys.exit(main())
