"""The machine: its clock, and how many files a process may have open."""

import resource
import shutil
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Final

from dice_service.doctor.findings import Finding, failed, ok, unchecked, warning

FEW_FILES: Final = 256
SOME_FILES: Final = 4096
FUTURE: Final = 5.0  # seconds that a line may be ahead of the clock
APART: Final = 2.0  # seconds between this clock and the database's


def clock_is_set() -> Finding:
    """Whether the clock is kept right by a time service, as ``timedatectl`` knows it."""
    program = shutil.which("timedatectl")
    if program is None:
        return unchecked("clock", "whether it is synchronised: there is no timedatectl here")
    command = [program, "show", "--property=NTPSynchronized", "--value"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=5, check=False)  # noqa: S603
        said = done.stdout.strip()
    except (OSError, subprocess.TimeoutExpired):
        said = ""
    if said == "yes":
        return ok("clock", "synchronised with a time service")
    if said == "no":
        mend = "start systemd-timesyncd, chrony or another time service"
        return warning("clock", "not synchronised with a time service", mend)
    return unchecked("clock", "whether it is synchronised: timedatectl does not say")


def newest_line(time: str | None, now: datetime | None = None) -> Iterator[Finding]:
    """Whether the newest line is not of a time to come; ``time`` is None where there is no line."""
    if time is None:
        return
    try:
        ahead = (datetime.fromisoformat(time) - (now or datetime.now(UTC))).total_seconds()
    except (ValueError, TypeError):
        yield failed("clock", f"the newest line's time is {time[:40]!r}", "restore the database")
        return
    if ahead > FUTURE:
        found = f"the newest line is of {time}, {ahead:.0f} s from now"
        yield failed("clock", found, "set the clock right, and keep it so: logs carry its time")
    else:
        yield ok("clock", f"the newest line is of {time}")


def beside_database(theirs: datetime) -> Finding:
    """This clock beside the database's."""
    apart = abs((datetime.now(UTC) - theirs).total_seconds())
    if apart > APART:
        found = f"{apart:.0f} s from the database's"
        return failed("clock", found, "let one time service keep both machines' clocks")
    return ok("clock", f"less than {APART:.0f} s from the database's")


def open_files() -> Finding:
    """How many files and connections one process may have open."""
    limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if limit == resource.RLIM_INFINITY:
        return ok("open files", "no limit")
    found = f"at most {limit}, and each connection needs one"
    mend = "raise it: LimitNOFILE=65536 in the unit, or ulimit -n"
    if limit < FEW_FILES:
        return failed("open files", found, mend)
    if limit < SOME_FILES:
        return warning("open files", found, mend)
    return ok("open files", found)
