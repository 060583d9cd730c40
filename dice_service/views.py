"""States and rows as callers see them, and the cursor of a list."""

import base64
import binascii
from typing import Literal, cast

import msgspec

from dice_service.answers import (
    ActionAnswer,
    Cube,
    Due,
    DueEvent,
    LegalPlay,
    LogLine,
    MatchSummary,
    MatchView,
    Offer,
    Table,
)
from dice_service.draft import Done
from dice_service.errors import Refusal
from dice_service.signing import Signer
from dice_service.state import Line, State
from dice_service.storage import MatchRow
from verifier.events import Player, SignatureLine
from verifier.receipts import RollReceipt
from verifier.rules import game as rules_game
from verifier.rules.board import borne_off, pips, unpack
from verifier.rules.match import MatchState


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
        table=None if state.play is None or None in state.seeds else table_of(state),
        reason=end.reason if end else None,
        winner=end.winner if end else None,
        server_seed=state.server_seed,
        lines=state.lines,
        head=state.head,
    )


def table_of(state: State) -> Table:
    """What stands on the table of a refereed match."""
    play = state.play
    assert play is not None
    game, due = play.game, play.due()
    side_0, side_1 = game.sides
    return Table(
        due=Due(cast("DueEvent", due.what), cast("Player | None", due.player)),
        dice=game.dice if play.stage == "game" else None,
        board=(unpack(side_0), unpack(side_1)),
        pips=(pips(side_0), pips(side_1)),
        borne_off=(borne_off(side_0), borne_off(side_1)),
        cube=Cube(game.cube, cast("Player | None", game.owner)) if game.rules.cube else None,
        offer=None if game.offer is None else _offer(game.offer),
        game=play.number,
        crawford=game.crawford,
        score=play.score,
    )


def _offer(offer: rules_game.Offer) -> Offer:
    return Offer(cast("Player", offer.player), cast("Literal[1, 2, 3]", offer.value))


def legal_of(play: MatchState) -> tuple[LegalPlay, ...]:
    """Every legal play of the dice on the table; none if there are no dice to play."""
    if play.due().what != "play":
        return ()
    return tuple(
        LegalPlay(moves, unpack(after.me), unpack(after.opp)) for moves, after in play.legal()
    )


def action_answer(done: Done, number: int, signer: Signer, *, legal: bool) -> ActionAnswer:
    """The answer to action ``number``: the same whenever it is asked for."""
    after = done.after
    assert after.play is not None
    match_id, first = after.match.match_id, done.before.lines
    signed = len(done.lines) - 1
    if isinstance(done.lines[signed].event, SignatureLine):
        signed -= 1
    answer = ActionAnswer(
        match_id=match_id,
        action=number,
        next_action=after.actions,
        lines=tuple(LogLine(seq, line.data.decode()) for seq, line in enumerate(done.lines, first)),
        table=table_of(after),
        receipt=receipt_of(match_id, first + signed, done.lines[signed], signer),
    )
    return msgspec.structs.replace(answer, legal=legal_of(after.play)) if legal else answer


def receipt_of(match_id: str, seq: int, line: Line, signer: Signer) -> RollReceipt:
    """The service's signature on the log up to line ``seq`` (PROTOCOL.md, R2)."""
    sig = signer.sign_head(match_id, seq, line.head)
    return RollReceipt(match_id, signer.key_id, seq, line.head, sig, line.data.decode())


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
    return cursor_after(row.opened_at, row.match_id)


def cursor_after(time: str, match_id: str) -> str:
    """A cursor: the place after what has this time and match id."""
    return base64.urlsafe_b64encode(f"{time} {match_id}".encode()).decode()


def parse_cursor(cursor: str) -> tuple[str, str]:
    """The (time, match_id) of a cursor. Raises :class:`Refusal` ``invalid``."""
    try:
        text = base64.b64decode(cursor, altchars=b"-_", validate=True).decode()
        time, match_id = text.split(" ")
    except (binascii.Error, ValueError):
        message = "This is no cursor: take it from the field next of the page before."
        raise Refusal("invalid", message, (("after", message),)) from None
    return time, match_id
