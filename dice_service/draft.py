"""Lines that are to be appended together, each following from the one before."""

from collections.abc import Callable
from typing import NamedTuple, cast

from dice_service.errors import Refusal
from dice_service.state import Line, State, fold, written
from verifier.errors import LineError
from verifier.events import EVENTS, AnyEvent, Reveal, SignatureLine
from verifier.log import decode_line
from verifier.rules import events as rules
from verifier.rules.messages import RuleError

Sign = Callable[[str, int, str], str]  # match_id, seq, head -> signature, 128 hex digits


class Done(NamedTuple):
    """Lines that stand in the log, or are to: with the states before and after them."""

    before: State
    lines: list[Line]
    after: State


class Draft:
    """``lines`` so far, and the ``state`` after them. ``time`` is the time of each."""

    def __init__(self, state: State, time: str) -> None:
        self.state = state
        self.time = time
        self.lines: list[Line] = []

    def add(self, line: Line) -> None:
        """One more line."""
        self.state = fold(self.state, line)
        self.lines.append(line)

    def happen(self, event: rules.Event) -> None:
        """Write what happens in a refereed match. Raises :class:`Refusal` ``rule-refused``."""
        fields = {name: getattr(event, name) for name in event.__slots__}
        if isinstance(event, rules.Roll):
            fields["index"] = self.state.rolls
        line = EVENTS[event.type](prev=self.state.head, time=self.time, **fields)
        try:
            self.add(written(cast("AnyEvent", line)))
        except RuleError as error:
            raise rule_refused(error) from None

    def follow(self) -> None:
        """Write what now follows of itself (rules, R2)."""
        assert self.state.play is not None
        while (event := self.state.play.follows()) is not None:
            self.happen(event)

    def sign(self, sign: Sign) -> None:
        """The signature line over the last line (PROTOCOL.md, section G)."""
        match, seq, head = self.state.match, self.state.lines - 1, self.state.head
        sig = sign(match.match_id, seq, head)
        self.add(written(SignatureLine(head, self.time, seq, head, match.key_id, sig)))

    def close(self, secret: bytes, sign: Sign) -> None:
        """What stands after a ``match_end``: the reveal and the last signature."""
        self.add(written(Reveal(self.state.head, self.time, secret.hex())))
        self.sign(sign)


def checked(event: AnyEvent) -> Line:
    """A line made of what a caller sent, refused where the verifier would refuse it."""
    try:
        line = written(event)
        decode_line(line.data, 0)
    except LineError as error:
        failure = error.failure
        raise invalid(failure.field, f"{failure.code}: {failure.found[:80]}") from None
    except (UnicodeError, OverflowError):
        raise invalid("", "Texts must be Unicode and numbers small enough for a line.") from None
    return line


def invalid(field: str, message: str) -> Refusal:
    """The refusal of one field's value."""
    return Refusal("invalid", message, ((field, message),))


def rule_refused(error: RuleError, code: str = "rule-refused") -> Refusal:
    """The refusal of what the rules do not allow, in their own words."""
    return Refusal(code, error.text("en"), rule=error.code, detail_tr=error.text("tr"))
