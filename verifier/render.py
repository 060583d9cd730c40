"""A report as a person reads it: the verdict first, then each check in a sentence."""

from collections.abc import Iterator

from verifier.errors import Failure
from verifier.explain import Workings
from verifier.report import Report, Status, Verdict
from verifier.sentences import CHECKS, VERDICTS, WHY_NOT, Speaker, mark, printable

_STATUS = {
    Status.PASSED: ("✔", mark("passed")),
    Status.FAILED: ("✖", mark("FAILED")),
    Status.NOT_CHECKED: ("–", mark("not checked")),
}
_VERDICT_MARK = {
    Verdict.VERIFIED: "✔",
    Verdict.CONSISTENT: "?",
    Verdict.INCOMPLETE: "?",
    Verdict.FAILED: "✖",
}
_COLOUR = {"✔": "32", "✖": "31", "?": "33", "–": "2"}
_VERDICT_NAME = {
    Verdict.VERIFIED: mark("VERIFIED"),
    Verdict.CONSISTENT: mark("CONSISTENT"),
    Verdict.INCOMPLETE: mark("INCOMPLETE"),
    Verdict.FAILED: mark("FAILED"),
}
_MOST_FAILURES = 10


class Renderer:
    """Writes reports in one language, with colour or without."""

    def __init__(self, speaker: Speaker, *, colour: bool) -> None:
        self.speaker = speaker
        self.colour = colour

    def report(self, name: str, report: Report) -> Iterator[str]:
        """The lines that tell a report."""
        say = self.speaker.say
        sign = _VERDICT_MARK[report.verdict]
        yield self._paint(sign, f"{sign} {say(_VERDICT_NAME[report.verdict])}  {printable(name)}")
        yield say(VERDICTS[report.verdict, report.why], line=report.lines + 1)
        yield from self._failures(report)
        if report.match_id:
            yield ""
            yield from self._facts(report)
        yield ""
        names = {status: say(word) for status, (_, word) in _STATUS.items()}
        width = max(map(len, names.values()))
        for check in report.checks:
            sign = _STATUS[check.status][0]
            why = f" [{say(WHY_NOT[check.why])}]" if check.why else ""
            label = self._paint(sign, f"{sign} {names[check.status]:<{width}}")
            yield f"  {label}  {say(CHECKS[check.name])}{why}"

    def place(self, failure: Failure) -> str:
        """Where a failure stands: its line, counted as an editor does, and its roll."""
        if failure.line is None:
            return self.speaker.say(mark("The log"))
        if failure.roll is not None:
            return self.speaker.say(
                mark("Line {line} (roll {roll})"), line=failure.line, roll=failure.roll
            )
        if failure.field:
            return self.speaker.say(
                mark("Line {line} (field {field})"), line=failure.line, field=failure.field
            )
        return self.speaker.say(mark("Line {line}"), line=failure.line)

    def workings(self, workings: Workings) -> Iterator[str]:
        """The lines that explain one roll."""
        say = self.speaker.say
        yield ""
        yield say(mark("Roll {index}, worked step by step"), index=workings.index)
        for number, block in enumerate(workings.blocks):
            yield "  " + say(mark("message {block}: {text}"), block=number, text=block.message)
            yield "  " + say(mark("key (the service's secret): {text}"), text=workings.secret)
            yield "  " + say(mark("HMAC-SHA256 digest: {text}"), text=block.digest.hex(" "))
            skipped = ", ".join(f"#{at} = {block.digest[at]}" for at in block.skipped)
            taken = ", ".join(f"#{at} = {block.digest[at]}" for at in block.taken)
            yield "  " + say(
                mark("bytes skipped (252 or more): {text}"), text=skipped or say(mark("none"))
            )
            yield "  " + say(mark("bytes taken: {text}"), text=taken or say(mark("none")))
        yield "  " + say(mark("dice: {text}"), text="; ".join(workings.arithmetic()))
        recorded = "{}-{}".format(*workings.recorded)
        if workings.dice == workings.recorded:
            yield "  " + say(mark("the log has {dice}: the same"), dice=recorded)
        else:
            yield "  " + say(mark("the log has {dice}: NOT the same"), dice=recorded)
        yield "  " + say(mark("To redo it by hand:"))
        for line in workings.by_hand():
            yield f"    {line}"

    def _facts(self, report: Report) -> Iterator[str]:
        players = " – ".join(printable(label) for label in report.players)
        yield self.speaker.say(
            mark(
                "match {match_id}: {players}; rolls checked: {rolls}; ended: {reason}; key {key_id}"
            ),
            match_id=report.match_id,
            players=players,
            rolls=report.rolls,
            reason=report.reason or "-",
            key_id=report.key_id,
        )
        yield self.speaker.say(mark("head of the log: {head}"), head=report.head)

    def _failures(self, report: Report) -> Iterator[str]:
        say = self.speaker.say
        shown = report.failures[:_MOST_FAILURES]
        for failure in shown:
            yield f"  {self.place(failure)}: {self.speaker.failure(failure)}"
        if len(report.failures) > len(shown):
            more = len(report.failures) - len(shown)
            yield "  " + say(mark("… and {count} more (--json lists them all)"), count=more)
        if len(report.failed_rolls) > 1:
            listed = ", ".join(map(str, report.failed_rolls[:50]))
            dots = ", …" if len(report.failed_rolls) > 50 else ""
            yield "  " + say(
                mark("{count} rolls do not match: {rolls}"),
                count=len(report.failed_rolls),
                rolls=listed + dots,
            )

    def _paint(self, sign: str, text: str) -> str:
        return f"\x1b[{_COLOUR[sign]}m{text}\x1b[0m" if self.colour else text
