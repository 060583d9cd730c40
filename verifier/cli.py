"""The command line of the verifier, ``dice-verify``."""

import argparse
import json
import os
import sys
from collections.abc import Sequence
from typing import Any

from verifier import __version__
from verifier.errors import InputError
from verifier.explain import Workings, explain_roll
from verifier.fraud import check_proof, encode_proof, is_proof, read_proof
from verifier.log import match_id_of
from verifier.receipts import Receipts, holds_roll_receipts, read_receipts
from verifier.render import Renderer
from verifier.report import Report, Verdict
from verifier.seeds import parse_seed
from verifier.sentences import FAILURES, LANGUAGES, Speaker, default_language, mark
from verifier.signatures import read_public_key
from verifier.sources import read_source, write_new
from verifier.verify import verify_log

OK, FAILED, UNREADABLE, INCOMPLETE, NOT_ANCHORED, INTERRUPTED = 0, 1, 2, 3, 4, 130
COMMANDS = ("convert", "legal", "show")
_MATCH_FILES = (".mat", ".sgf")
_HEADER = 4096  # bytes in which a match file says what it is
_WORST_FIRST = (FAILED, UNREADABLE, INCOMPLETE, NOT_ANCHORED, OK)

_EPILOG = """\
verdicts and exit status:
  VERIFIED    0  every check passes, and a receipt shows the log was sealed before the first roll
  CONSISTENT  0  every check passes, but nothing given here anchors it (4 with --require-anchor)
  FAILED      1  something does not hold: the first line that fails is named
  INCOMPLETE  3  not ended, not revealed or cut short: what could be checked was
              2  a file, key or seed that cannot be read
of several logs the worst counts: 1, 2, 3, 4, 0. A fraud proof is 0 if it holds, 1 if not.

other uses, each with its own --help:
  dice-verify FILE.mat --rules NAME   replay a match file of another program (.mat, .sgf)
  dice-verify show LOG                tell a match, with --boards
  dice-verify convert IN OUT          write a log or match file as .mat, .sgf or .ogxm
  dice-verify legal                   the legal plays of positions, as JSON Lines
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run ``dice-verify`` with these arguments (the process's own if None); the exit status."""
    given = sys.argv[1:] if argv is None else argv
    try:
        if given and given[0] in COMMANDS:
            from verifier import commands  # not needed to check a log

            return commands.run(given)
        return _Run(parser().parse_args(given)).all()
    except KeyboardInterrupt:
        print("dice-verify: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        # The reader went away (`| head`): say nothing, and let nothing be flushed at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return UNREADABLE


def parser() -> argparse.ArgumentParser:
    """The command line as argparse knows it."""
    parser = argparse.ArgumentParser(
        prog="dice-verify",
        description="Check a match's dice: from its log alone, on your own machine, offline.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("logs", nargs="+", metavar="LOG", help="a match log or fraud proof; - is standard input")
    add(
        "--receipt",
        action="append",
        default=[],
        metavar="FILE",
        help="what a player's device kept of the match; may be given more than once",
    )
    add("--my-seed", metavar="HEX", help="your own seed: it must stand in the log")
    add("--key", metavar="FILE|HEX", help="the service's public key that must have signed the log")
    add("--require-anchor", action="store_true", help="exit with 4 unless a receipt anchors it")
    add("--explain", type=int, metavar="N", help="show how roll N follows from the seeds")
    add(
        "--fraud-proof",
        metavar="FILE",
        help="write two signed statements that contradict each other, if there are, into FILE",
    )
    add("--rules", metavar="NAME", help="the rules to replay other programs' match files by")
    add("--option", action="append", default=[], metavar="KEY=VALUE", help="change one of --rules")
    add("--json", action="store_true", help="print one JSON object a log")
    add("--lang", choices=LANGUAGES, default=default_language(), help="language of the output")
    add("--version", action="version", version=f"dice-verify {__version__}")
    return parser


def _check_usage(given: argparse.Namespace) -> None:
    if given.logs.count("-") + given.receipt.count("-") > 1:
        raise InputError("usage", mark("standard input can be read only once"))
    if given.fraud_proof and len(given.logs) > 1:
        raise InputError("usage", mark("--fraud-proof takes one log at a time"))
    if given.explain is not None and given.explain < 0:
        raise InputError("usage", mark("rolls are counted from 0"))


def _is_match_file(name: str, data: bytes) -> bool:
    """Whether a file is a match as another program writes it, by its name or what it begins with.

    A file that begins as a log does is one, whatever it is called.
    """
    if data.startswith(b"{"):
        return False
    return (
        name.endswith(_MATCH_FILES) or data.startswith(b"(;") or b" point match" in data[:_HEADER]
    )


def _check_kind(data: bytes, rules: str | None) -> None:
    if rules is not None:
        text = mark("a log names its own rules: --rules is for other programs' match files")
        raise InputError("usage", text)
    if holds_roll_receipts(data):
        text = mark("this is a receipt, not a log: give it with --receipt, beside the log")
        raise InputError("file-is-receipt", text)


class _Run:
    """One run of the command: the arguments, read and checked, and the logs one by one."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self.arguments = arguments
        self.speaker = Speaker(arguments.lang)
        colour = sys.stdout.isatty() and "NO_COLOR" not in os.environ
        self.renderer = Renderer(self.speaker, colour=colour)
        for stream in (sys.stdout, sys.stderr):
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(encoding="utf-8", errors="replace")

    def all(self) -> int:
        """Check every log; the worst exit status."""
        given = self.arguments
        try:
            _check_usage(given)
            self.my_seed = parse_seed(given.my_seed) if given.my_seed is not None else None
            self.key = read_public_key(given.key) if given.key is not None else None
            self.receipts = [read_receipts(read_source(n), n) for n in given.receipt]
        except InputError as error:
            return self._unreadable("", error)
        self.unused = {kept.source for kept in self.receipts}
        statuses = set()
        for number, name in enumerate(given.logs):
            if number:
                self._print()
            statuses.add(self._one(name))
        for source in sorted(self.unused):
            text = mark("the receipt {file} is of none of these matches")
            statuses.add(self._unreadable("", InputError("receipt-unused", text, file=source)))
        return next(status for status in _WORST_FIRST if status in statuses)

    def _one(self, name: str) -> int:
        try:
            data = read_source(name)
            if is_proof(data):
                return self._proof(name, data)
            if _is_match_file(name, data):
                return self._match_file(name, data)
            _check_kind(data, self.arguments.rules)
            report = verify_log(data, self._mine(data), my_seed=self.my_seed, key=self.key)
            explained = None
            if self.arguments.explain is not None:
                explained = explain_roll(data, self.arguments.explain)
            self._write_proof(report)
        except InputError as error:
            return self._unreadable(name, error)
        status = self._status(report)
        if self.arguments.json:
            self._json(name, status, report, explained)
        else:
            for line in self.renderer.report(name, report):
                self._print(line)
            for line in self.renderer.workings(explained) if explained else ():
                self._print(line)
        return status

    def _match_file(self, name: str, data: bytes) -> int:
        """Replay a match file of another program."""
        from verifier.commands.replay import run  # not needed to check a log

        return run(name, data, self.arguments)

    def _mine(self, data: bytes) -> list[Receipts]:
        """The receipts for this log: all of them for a single log, else those of its match."""
        if len(self.arguments.logs) == 1:
            mine = self.receipts
        else:
            mine = [kept for kept in self.receipts if kept.match_id == match_id_of(data)]
        self.unused -= {kept.source for kept in mine}
        return mine

    def _status(self, report: Report) -> int:
        match report.verdict:
            case Verdict.FAILED:
                return FAILED
            case Verdict.INCOMPLETE:
                return INCOMPLETE
            case _:
                anchored = report.verdict is Verdict.VERIFIED
                return OK if anchored or not self.arguments.require_anchor else NOT_ANCHORED

    def _proof(self, name: str, data: bytes) -> int:
        why = check_proof(proof := read_proof(data))
        if self.arguments.json:
            result = {"file": name, "fraud_proof": True, "proved": not why, "why": why}
            self._print(json.dumps(result | {"exit_status": FAILED if why else OK}))
        elif why:
            self._print(
                self.speaker.say(mark("✖ NOT PROVED: {why}"), why=self.speaker.say(FAILURES[why]))
            )
        else:
            text = mark(
                "✔ PROVED: the holder of the key {key} signed two statements about match "
                "{match_id} that cannot both be true (line {line})."
            )
            line = max(statement.first for statement in proof.statements) + 1
            key = proof.public_key
            self._print(self.speaker.say(text, key=key, match_id=proof.match_id, line=line))
        return FAILED if why else OK

    def _write_proof(self, report: Report) -> None:
        if not self.arguments.fraud_proof:
            return
        if report.proof is None:
            raise InputError(
                "no-contradiction", mark("there is no contradiction to prove: nothing was written")
            )
        write_new(self.arguments.fraud_proof, encode_proof(report.proof))

    def _json(self, name: str, status: int, report: Report, explained: Workings | None) -> None:
        result: dict[str, Any] = {"file": name, "exit_status": status} | report.to_dict()
        for failure, plain in zip(report.failures, result["failures"], strict=True):
            plain["message"] = f"{self.renderer.place(failure)}: {self.speaker.failure(failure)}"
        if explained:
            result["explained"] = explained.to_dict()
        self._print(json.dumps(result, ensure_ascii=False))

    def _unreadable(self, name: str, error: InputError) -> int:
        message = self.speaker.error(error)
        if self.arguments.json:
            result = {"file": name, "exit_status": UNREADABLE, "error": error.code}
            self._print(json.dumps(result | {"message": message}, ensure_ascii=False))
        else:
            where = f"{name}: " if name and name not in message else ""
            print(f"dice-verify: {where}{message}", file=sys.stderr)
        return UNREADABLE

    def _print(self, line: str = "") -> None:
        if line or not self.arguments.json:
            print(line)
