"""The one root of what this package raises, and the failures that a log can have."""

import dataclasses
from dataclasses import dataclass

from verifier.rules.messages import RuleError


class VerifierError(Exception):
    """Root of every error this package raises. ``code`` is stable; the text is for people."""

    code = "verifier-error"


class InputError(VerifierError):
    """Something given to the verifier cannot be used: a file, a key, a seed.

    ``code`` says what; ``str()`` says where and what to do. Exit status 2.
    """

    def __init__(self, code: str, text: str, **params: str | int) -> None:
        super().__init__(text.format(**params))
        self.code = code
        self.text = text
        self.params = params


@dataclass(frozen=True, slots=True)
class Failure:
    """One thing that does not hold.

    ``code`` is a stable name (PROTOCOL.md, section F), ``seq`` the line counted from 0 (None: no
    single line), ``field`` the field's name ("" if none), ``roll`` the roll's index where it is
    about one, ``expected`` and ``found`` what should stand there and what does, ``rule`` the
    refusal by the rules of the game where it is one.
    """

    code: str
    seq: int | None = None
    field: str = ""
    roll: int | None = None
    expected: str = ""
    found: str = ""
    params: dict[str, str | int] = dataclasses.field(default_factory=dict)
    rule: RuleError | None = None

    @property
    def line(self) -> int | None:
        """The line's number as an editor counts it, from 1."""
        return None if self.seq is None else self.seq + 1


class LineError(VerifierError):
    """A line that the grammar refuses; carries the :class:`Failure`."""

    code = "line-refused"

    def __init__(self, failure: Failure) -> None:
        super().__init__(f"line {failure.line}: {failure.code} {failure.field}".rstrip())
        self.failure = failure
