"""States and rows as callers see them, and the cursor of a list."""

import base64
import binascii

from dice_service.answers import MatchSummary, MatchView
from dice_service.errors import Refusal
from dice_service.match import State
from dice_service.storage import MatchRow


def view_of(state: State) -> MatchView:
    """What a state tells."""
    match, end = state.match, state.end
    return MatchView(
        match_id=match.match_id,
        seeding=match.seeding,
        rules=match.rules,
        length=match.length,
        options=match.options,
        players=match.players,
        phase=state.phase,
        due=state.due,
        opened_at=match.time,
        ended_at=end.time if end else None,
        commitment=match.commitment,
        public_key=match.public_key,
        key_id=match.key_id,
        commitments=state.commitments,
        seeds=state.seeds,
        rolls=state.rolls,
        reason=end.reason if end else None,
        winner=end.winner if end else None,
        server_seed=state.server_seed,
        lines=state.lines,
        head=state.head,
    )


def summary_of(row: MatchRow) -> MatchSummary:
    """What a list tells of a match."""
    return MatchSummary(
        match_id=row.match_id,
        owner=row.owner,
        seeding=row.seeding,
        rules=row.rules,
        phase=row.phase,
        opened_at=row.opened_at,
        ended_at=row.ended_at,
    )


def cursor_of(row: MatchRow) -> str:
    """A cursor: the place after this row."""
    return base64.urlsafe_b64encode(f"{row.opened_at} {row.match_id}".encode()).decode()


def parse_cursor(cursor: str) -> tuple[str, str]:
    """The (opened_at, match_id) of a cursor. Raises :class:`Refusal` ``invalid``."""
    try:
        text = base64.b64decode(cursor, altchars=b"-_", validate=True).decode()
        opened_at, match_id = text.split(" ")
    except (binascii.Error, ValueError):
        message = "This is no cursor: take it from the field next of the page before."
        raise Refusal("invalid", message, (("after", message),)) from None
    return opened_at, match_id
