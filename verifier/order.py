"""The order in which events may follow each other (PROTOCOL.md, section O)."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from verifier.errors import Failure
from verifier.events import (
    AnyEvent,
    Match,
    MatchEnd,
    Reveal,
    Roll,
    Seed,
    SeedCommitment,
    SignatureLine,
    type_name,
)

if TYPE_CHECKING:
    from verifier.refereed import Referee

_NOT_PLAYED = (Match, SeedCommitment, Seed, Reveal, SignatureLine)
_Step = Callable[[AnyEvent, int], Failure | None]


class Order:
    """Takes the events of one log in turn and refuses the first that may not stand where it does.

    ``over`` is true once the last line of a whole log was taken. In a refereed match the lines of
    play are held to the rules too; the first that breaks one is kept in ``broken_rule``, and the
    order is followed on without them; then, and in a dice-only match, ``referee`` is None.
    """

    def __init__(self) -> None:
        self._step: _Step = self._match
        self._seeding = ""
        self._rules: str | None = None
        self.referee: Referee | None = None
        self.broken_rule: Failure | None = None
        self._seen: set[int] = set()
        self._rolls = 0
        self.over = False

    def take(self, event: AnyEvent, seq: int) -> Failure | None:
        """Take the event of line ``seq``: None if it may stand there, else what is wrong."""
        return self._step(event, seq)

    @property
    def rolling(self) -> bool:
        """Whether lines of play are due, and none has broken a rule."""
        return self._step == self._rolling and self.broken_rule is None

    def _match(self, event: AnyEvent, seq: int) -> Failure | None:
        if not isinstance(event, Match):
            return _misplaced(event, seq, "match")
        if event.seeding == "chained":
            return Failure("seeding-unsupported", seq, "seeding", found=event.seeding)
        if event.rules is None and event.options:
            return Failure("field-value", seq, "options", expected="{}", found=str(event.options))
        if event.rules is not None:
            # Imported here because dice alone need no rules, and importing them takes time.
            from verifier.refereed import Referee, refuse_rules

            if refusal := refuse_rules(event):
                return refusal
            self.referee = Referee(event)
        self._rules = event.rules
        self._seeding = event.seeding
        self._step = self._opening_signature
        return None

    def _opening_signature(self, event: AnyEvent, seq: int) -> Failure | None:
        if not isinstance(event, SignatureLine):
            return _misplaced(event, seq, "signature")
        self._step = self._commitments if self._seeding == "committed" else self._seeds
        return None

    def _commitments(self, event: AnyEvent, seq: int) -> Failure | None:
        if isinstance(event, MatchEnd):
            return self._end(event, seq)
        if not isinstance(event, SeedCommitment):
            return _misplaced(event, seq, "seed_commitment", "match_end")
        return self._one_of_each(event.player, seq, self._second_signature)

    def _second_signature(self, event: AnyEvent, seq: int) -> Failure | None:
        if not isinstance(event, SignatureLine):
            return _misplaced(event, seq, "signature")
        self._step = self._seeds
        return None

    def _seeds(self, event: AnyEvent, seq: int) -> Failure | None:
        if isinstance(event, MatchEnd):
            return self._end(event, seq)
        if not isinstance(event, Seed):
            return _misplaced(event, seq, "seed", "match_end")
        return self._one_of_each(event.player, seq, self._rolling)

    def _one_of_each(self, player: int, seq: int, then: _Step) -> Failure | None:
        if player in self._seen:
            return Failure("player-twice", seq, "player", found=str(player))
        self._seen.add(player)
        if len(self._seen) == 2:
            self._seen.clear()
            self._step = then
        return None

    def _rolling(self, event: AnyEvent, seq: int) -> Failure | None:
        if isinstance(event, MatchEnd):
            return self._end(event, seq)
        if isinstance(event, _NOT_PLAYED) or (self._rules is None and not isinstance(event, Roll)):
            return _misplaced(event, seq, "roll", "match_end")
        if isinstance(event, Roll) and (failure := self._roll(event, seq)):
            return failure
        self._follow_rules(event, seq)
        return None

    def _roll(self, event: Roll, seq: int) -> Failure | None:
        if event.index != self._rolls:
            expected, found = str(self._rolls), str(event.index)
            return Failure("roll-index", seq, "index", expected=expected, found=found)
        self._rolls += 1
        if event.purpose == "opening" and event.player is not None:
            return Failure("field-value", seq, "player", expected="null", found=str(event.player))
        if event.links:
            return Failure("field-unknown", seq, "links")
        return None

    def _end(self, event: MatchEnd, seq: int) -> Failure | None:
        if self._step != self._rolling and event.reason != "abort":
            return Failure("field-value", seq, "reason", expected="abort", found=event.reason)
        if event.reason == "abort" and event.winner is not None:
            return Failure("field-value", seq, "winner", expected="null", found=str(event.winner))
        if self._rules is None and event.reason == "score":
            return Failure("field-value", seq, "reason", expected="finished", found=event.reason)
        if self._rules is None and event.score is not None:
            return Failure("field-value", seq, "score", expected="null", found=str(event.score))
        self._follow_rules(event, seq)
        self._step = self._reveal
        return None

    def _follow_rules(self, event: AnyEvent, seq: int) -> None:
        """Hold a line of play to the rules, up to the first that breaks one."""
        if self.referee and (failure := self.referee.take(event, seq)):
            self.broken_rule = failure
            self.referee = None

    def _reveal(self, event: AnyEvent, seq: int) -> Failure | None:
        if not isinstance(event, Reveal):
            return _misplaced(event, seq, "reveal")
        self._step = self._last_signature
        return None

    def _last_signature(self, event: AnyEvent, seq: int) -> Failure | None:
        if not isinstance(event, SignatureLine):
            return _misplaced(event, seq, "signature")
        self._step = self._nothing
        self.over = True
        return None

    def _nothing(self, event: AnyEvent, seq: int) -> Failure | None:
        self.over = False
        return _misplaced(event, seq)


def _misplaced(event: AnyEvent, seq: int, *expected: str) -> Failure:
    return Failure(
        "event-out-of-place",
        seq,
        "type",
        expected=" / ".join(expected) or "nothing more",
        found=type_name(event),
    )
