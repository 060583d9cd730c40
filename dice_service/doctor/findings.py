"""What a check found, and the limits it holds things against."""

from dataclasses import dataclass
from typing import Literal

Result = Literal["ok", "warning", "failed", "not checked"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the doctor's report; ``mend`` says what to do, "" where nothing is to be done."""

    check: str
    result: Result
    found: str
    mend: str = ""


def ok(check: str, found: str) -> Finding:
    """It is as it should be."""
    return Finding(check, "ok", found)


def warning(check: str, found: str, mend: str) -> Finding:
    """It works, but not safely or not for long."""
    return Finding(check, "warning", found, mend)


def failed(check: str, found: str, mend: str) -> Finding:
    """The service does not start with it, does not do its work, or is not safe."""
    return Finding(check, "failed", found, mend)


def unchecked(check: str, reason: str, mend: str = "") -> Finding:
    """It could not be found out here."""
    return Finding(check, "not checked", reason, mend)
