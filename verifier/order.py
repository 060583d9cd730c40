"""The order in which events may follow each other (PROTOCOL.md, section O)."""

from collections.abc import Callable

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

_Step = Callable[[AnyEvent, int], Failure | None]


class Order:
    """Takes the events of one log in turn and refuses the first that may not stand where it does.

    ``over`` is true once the last line of a whole log was taken.
    """

    def __init__(self) -> None:
        self._step: _Step = self._match
        self._seeding = ""
        self._seen: set[int] = set()
        self._rolls = 0
        self.over = False

    def take(self, event: AnyEvent, seq: int) -> Failure | None:
        """Take the event of line ``seq``: None if it may stand there, else what is wrong."""
        return self._step(event, seq)

    def take_rolls(self, count: int) -> bool:
        """Take the first ``count`` rolls of a dice-only match at once, if rolls are due."""
        if self._step != self._rolling or self._rolls:
            return False
        self._rolls = count
        return True

    def _match(self, event: AnyEvent, seq: int) -> Failure | None:
        if not isinstance(event, Match):
            return _misplaced(event, seq, "match")
        if event.seeding == "chained":
            return Failure("seeding-unsupported", seq, "seeding", found=event.seeding)
        if event.rules is not None:
            return Failure("rules-unknown", seq, "rules", found=event.rules)
        if event.options:
            return Failure("field-value", seq, "options", expected="{}", found=str(event.options))
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
        if not isinstance(event, Roll):
            return _misplaced(event, seq, "roll", "match_end")
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
        if event.reason == "score":
            return Failure("field-value", seq, "reason", expected="finished", found=event.reason)
        if event.reason == "abort" and event.winner is not None:
            return Failure("field-value", seq, "winner", expected="null", found=str(event.winner))
        if event.score is not None:
            return Failure("field-value", seq, "score", expected="null", found=str(event.score))
        self._step = self._reveal
        return None

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
