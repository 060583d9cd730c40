"""What the commands share: their options, how they speak, and how they refuse."""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from typing import Any, Final

from verifier.errors import InputError
from verifier.rules.messages import RuleError
from verifier.sentences import LANGUAGES, Speaker, default_language, mark

OK: Final = 0
FAILED: Final = 1
UNREADABLE: Final = 2
INCOMPLETE: Final = 3

STANDARD: Final = ("jacoby-match", {"jacoby": False})
"""Backgammon as it is played nearly everywhere: any length, cube, Crawford, no Jacoby rule."""


def command_line(name: str, description: str) -> argparse.ArgumentParser:
    """An argument parser with the options that every command has."""
    parser = argparse.ArgumentParser(prog=f"dice-verify {name}", description=description)
    parser.add_argument("--lang", choices=LANGUAGES, default=default_language(), help="language")
    return parser


def add_rules(parser: argparse.ArgumentParser) -> None:
    """The options that name the rules."""
    parser.add_argument("--rules", metavar="NAME", help="the rule set (default: standard rules)")
    parser.add_argument(
        "--option",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="an option of the rule set that is changed, like jacoby=false; may be repeated",
    )


def rules_given(name: str | None, options: Sequence[str]) -> tuple[str, Mapping[str, bool | int]]:
    """The rule set's name and the options changed, as they were given.

    Raises `InputError` ``usage`` for an option that is not KEY=VALUE.
    """
    changed: dict[str, bool | int] = {}
    for option in options:
        key, _, value = option.partition("=")
        if value in ("true", "false"):
            changed[key] = value == "true"
        elif value.isascii() and value.isdigit() and len(value) <= 3:
            changed[key] = int(value)
        else:
            raise InputError(
                "usage",
                "--option {option}: write KEY=VALUE, the value true, false or a number",
                option=option,
            )
    if name is None:
        return STANDARD[0], STANDARD[1] | changed
    return name, changed


class Console:
    """Speaks one language; ``json`` says that results are for programs."""

    def __init__(self, speaker: Speaker, *, as_json: bool = False) -> None:
        self.speaker = speaker
        self.as_json = as_json

    @classmethod
    def of(cls, given: argparse.Namespace) -> "Console":
        """The console that these arguments ask for."""
        for stream in (sys.stdin, sys.stdout, sys.stderr):
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(encoding="utf-8", errors="replace")
        return cls(Speaker(given.lang), as_json=getattr(given, "json", False))

    def line(self, text: str = "") -> None:
        """One line for people."""
        if not self.as_json:
            sys.stdout.write(text + "\n")

    def say(self, text: str, /, **params: object) -> None:
        """One marked sentence for people."""
        self.line(self.speaker.say(text, **params))

    def result(self, value: Mapping[str, Any]) -> None:
        """One JSON object for programs."""
        if self.as_json:
            sys.stdout.write(json.dumps(value, ensure_ascii=False) + "\n")

    def message(self, error: InputError | RuleError) -> str:
        """What was refused, and why."""
        if isinstance(error, RuleError):
            return error.text(self.speaker.language)
        return self.speaker.error(error)

    def refuse(self, name: str, error: InputError | RuleError) -> int:
        """Say why `name` cannot be used; the exit status."""
        message = self.message(error)
        if self.as_json:
            self.result(
                {"file": name, "exit_status": UNREADABLE, "error": error.code, "message": message}
            )
        else:
            where = f"{name}: " if name and name not in message else ""
            sys.stderr.write(f"dice-verify: {where}{message}\n")
        return UNREADABLE


NOTHING_PROVES: Final = mark(
    "Nothing proves these dice: the file holds no seal, no seed and no signature. What was checked "
    "is only that they were played by the rules and that the score adds up."
)
