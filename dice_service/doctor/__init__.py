"""``dice-service doctor``: looks at everything that the service needs, and changes nothing."""

import os
from collections.abc import Mapping, Sequence
from typing import Any, Final, TextIO

import msgspec

from dice_service.doctor import files, keys, machine, sqlite, told
from dice_service.doctor.contents import Contents
from dice_service.doctor.findings import Finding, Result, failed, unchecked
from dice_service.settings import Settings
from dice_service.storage import databases

_COLOURS: Final[dict[Result, str]] = {"ok": "32", "warning": "33", "failed": "31"}


def examine(flags: Mapping[str, Any], environment: Mapping[str, str]) -> list[Finding]:
    """All that was found. ``flags`` are those of ``serve`` that were given, as for ``load``."""
    settings, findings = told.read(flags, environment)
    if settings is None:
        findings.append(unchecked("the rest", "without settings nothing more can be looked at"))
        return findings
    findings.extend(files.keys(settings.keys))
    held = _database(settings, findings)
    findings.extend(keys.look(settings, held))
    findings.append(machine.clock_is_set())
    if held is not None:
        findings.extend(machine.newest_line(held.newest))
        if held.restored is not None:
            found = f"it is a backup of {held.restored}, and nobody has said how to go on"
            mend = "dice-service restore --help (OPERATING.md, Backup and restore)"
            findings.append(failed("database", found, mend))
    findings.append(machine.open_files())
    return findings


def _database(settings: Settings, findings: list[Finding]) -> Contents | None:
    if settings.database.startswith(databases.SQLITE):
        path = databases.sqlite_path(settings.database)
        if not path.parent.is_dir():
            mend = "make it, for the service's user, or set DICE_DATABASE right"
            findings.append(failed("database", f"there is no folder {path.parent}", mend))
            return None
        findings.extend(files.database(path))
        findings.extend(files.disk(path.parent))
        return sqlite.look(path, findings)
    if not databases.has_driver():
        mend = "run: pip install 'zarf[postgres]'"
        findings.append(failed("database", "PostgreSQL's driver is not installed", mend))
        return None
    from dice_service.doctor import postgres

    findings.append(unchecked("disk", "the database's is on its server: watch it there"))
    return postgres.look(settings.database, findings)


def is_well(findings: Sequence[Finding]) -> bool:
    """Whether no check failed."""
    return all(finding.result != "failed" for finding in findings)


def write(findings: Sequence[Finding], out: TextIO) -> None:
    """One line a finding, and one that counts them; in colour on a terminal."""
    coloured = out.isatty() and not os.environ.get("NO_COLOR")
    for finding in findings:
        mark = f"{finding.result:11}"
        if coloured and (colour := _COLOURS.get(finding.result)):
            mark = f"\033[{colour}m{mark}\033[0m"
        mend = f" -> {finding.mend}" if finding.mend else ""
        out.write(f"{mark}  {finding.check}: {finding.found}{mend}\n")
    counts = [(sum(f.result == result for f in findings), result) for result in _RESULTS]
    out.write(", ".join(f"{count} {result}" for count, result in counts) + "\n")


def write_json(findings: Sequence[Finding], out: TextIO) -> None:
    """The same as one JSON object."""
    value = {"well": is_well(findings), "findings": findings}
    out.write(msgspec.json.format(msgspec.json.encode(value), indent=2).decode() + "\n")


_RESULTS: Final[tuple[Result, ...]] = ("ok", "warning", "failed", "not checked")
