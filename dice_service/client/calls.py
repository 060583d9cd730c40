"""The calls of the service, each told once: what is sent, what comes back, what is checked.

Every function here is a flow (see :mod:`dice_service.client.exchange`); its first argument is
the session, which the client gives. Paths and bodies are those of ``openapi/openapi.json``.
"""

from collections.abc import Mapping
from typing import Literal, TypeVar

import msgspec
from msgspec import Struct

from dice_service.actions import AnyAction
from dice_service.answers import (
    ActionAnswer,
    EndAnswer,
    LineAnswer,
    MatchView,
    Opening,
    Page,
    RollAnswer,
)
from dice_service.client.checks import check_action
from dice_service.client.errors import ClientError, DishonestError
from dice_service.client.exchange import (
    Flow,
    Request,
    Session,
    decoded,
    exchange,
    media_type,
    unexpected,
)
from dice_service.client.proofs import OPENING_LINES, check_opening, check_roll
from verifier.events import Match, MatchId
from verifier.log import line_hash, split_lines
from verifier.seeds import commitment_of

T = TypeVar("T")


class LogAnswer(Struct, frozen=True):
    """A log as far as it goes, byte for byte, and the SHA-256 of its last line."""

    data: bytes
    head: str


class Key(Struct, frozen=True):
    """A signing key of the service."""

    key_id: str
    public_key: str
    active: bool


class Keys(Struct, frozen=True):
    """The service's signing keys; matches opened from now on are signed by the active one."""

    protocol: str
    keys: tuple[Key, ...]


def open_match(
    session: Session,
    match_id: str,
    *,
    players: tuple[str, str],
    seeding: Literal["committed", "direct"] = "committed",
    rules: str | None = None,
    length: int | None = None,
    options: Mapping[str, bool | int] | None = None,
) -> Flow[Opening]:
    """Open a match (or the same one again): the service commits to its seed, signed.

    ``players``: the two labels as the log will have them. The answer's opening lines are checked
    against what was asked. Raises :class:`ClientError`; the same id with other terms is
    refused with ``match-exists-differently``.
    """
    asked = {
        "seeding": seeding,
        "rules": rules,
        "length": length,
        "options": dict(options or {}),
        "players": list(players),
    }
    opening = yield from _put(session, path_of(match_id), asked, Opening)
    lines, _ = split_lines(opening.receipt.encode())
    match = check_opening(lines, match_id, session.pinned)
    stands = (match.seeding, match.rules, match.length, match.options, match.players)
    if stands != (seeding, rules, length, dict(options or {}), tuple(players)):
        raise DishonestError("opening-differs", f"asked for {asked}, the signed line has {stands}")
    said = (opening.commitment, opening.public_key, opening.key_id)
    if said != (match.commitment, match.public_key, match.key_id):
        raise DishonestError("opening-differs", "the answer and its signed line are not the same")
    session.known[match_id] = match
    return opening


def commit(session: Session, match_id: str, *, player: int, commitment: str) -> Flow[LineAnswer]:
    """Commit for a player (its token only): ``commitment`` is the SHA-256 of its seed, in hex."""
    path = f"{path_of(match_id)}/players/{player}/commitment"
    return (yield from _put(session, path, {"commitment": commitment}, LineAnswer))


def open_seed(session: Session, match_id: str, *, player: int, seed: str) -> Flow[LineAnswer]:
    """Open a player's seed (its token only): 32 bytes as 64 lower-case hex digits."""
    path = f"{path_of(match_id)}/players/{player}/seed"
    return (yield from _put(session, path, {"seed": seed}, LineAnswer))


def roll(
    session: Session,
    match_id: str,
    index: int,
    *,
    purpose: Literal["opening", "turn"] = "turn",
    player: int | None = None,
) -> Flow[RollAnswer]:
    """Roll number ``index`` (0, 1, 2, …) of a match; asked again, the same dice come.

    The receipt's signature, its line and the answer's dice are checked against each other and
    against what was asked: :class:`DishonestError` if they differ.
    """
    match = yield from _match(session, match_id)
    asked = {"purpose": purpose, "player": player}
    answer = yield from _put(session, f"{path_of(match_id)}/rolls/{index}", asked, RollAnswer)
    line = check_roll(answer.receipt, match)
    if (line.index, line.purpose, line.player) != (index, purpose, player):
        raise DishonestError(
            "roll-differs",
            f"asked for roll {index} ({purpose}, {player}); "
            f"the signed line is roll {line.index} ({line.purpose}, {line.player})",
        )
    said = (answer.match_id, answer.index, answer.dice, answer.purpose, answer.player)
    if said != (match_id, line.index, line.dice, line.purpose, line.player):
        raise DishonestError(
            "roll-differs", f"the answer says {answer.dice}, the signed line {line.dice}"
        )
    return answer


def action(
    session: Session, match_id: str, number: int, action: AnyAction, *, legal: bool = False
) -> Flow[ActionAnswer]:
    """Do action ``number`` (0, 1, 2, …: the answer before says the next) of a refereed match.

    What can be done is in :mod:`dice_service.actions`: ``PlayAction(player=0, moves="24/18")``
    and the others. ``legal`` asks for the legal plays of the dice then on the table. The lines
    that came of it are checked against what was asked and against the receipt:
    :class:`DishonestError`. What the rules refuse is a :class:`RefusedError` ``rule-refused``
    with their own code in ``rule``; asked again, an action is answered the same.
    """
    match = yield from _match(session, match_id)
    path = f"{path_of(match_id)}/actions/{number}"
    query = {"legal": "true"} if legal else {}
    request = Request("PUT", path, msgspec.json.encode(action), query)
    answer = decoded((yield from exchange(session, request)), ActionAnswer)
    check_action(answer, match, number, action)
    if answer.table.due.what == "nothing":
        session.known.pop(match_id, None)
    return answer


def end(
    session: Session, match_id: str, *, reason: str = "finished", winner: int | None = None
) -> Flow[EndAnswer]:
    """End a match: the service reveals its seed, which is checked against its commitment."""
    match = yield from _match(session, match_id)
    asked = {"reason": reason, "winner": winner}
    answer = yield from _put(session, f"{path_of(match_id)}/end", asked, EndAnswer)
    try:
        holds = commitment_of(answer.server_seed) == match.commitment
    except ValueError:
        holds = False
    if not holds:
        raise DishonestError(
            "reveal-differs", f"the seed revealed is not the one of commitment {match.commitment}"
        )
    session.known.pop(match_id, None)
    return answer


def state(session: Session, match_id: str) -> Flow[MatchView]:
    """Where a match stands, as the service tells it."""
    return decoded((yield from exchange(session, Request("GET", path_of(match_id)))), MatchView)


def log(session: Session, match_id: str) -> Flow[LogAnswer]:
    """A match's log as far as it goes."""
    data = yield from _lines(session, f"{path_of(match_id)}/log")
    lines, _ = split_lines(data)
    return LogAnswer(data, line_hash(lines[-1]))


def receipt(session: Session, match_id: str) -> Flow[bytes]:
    """A match's opening receipt; refused with ``receipt-not-ready`` before all have committed."""
    return (yield from _lines(session, f"{path_of(match_id)}/receipt"))


def matches(
    session: Session,
    *,
    after: str | None = None,
    limit: int | None = None,
    phase: str | None = None,
    seeding: str | None = None,
) -> Flow[Page]:
    """The matches of this API key's owner, a page at a time."""
    given = {"after": after, "limit": limit, "phase": phase, "seeding": seeding}
    query = {name: str(value) for name, value in given.items() if value is not None}
    request = Request("GET", "/v1/matches", query=query)
    return decoded((yield from exchange(session, request)), Page)


def keys(session: Session) -> Flow[Keys]:
    """The service's public keys. Compare them with where you know them from, then pin them."""
    return decoded((yield from exchange(session, Request("GET", "/v1/keys"))), Keys)


def _put(session: Session, path: str, body: object, answer: type[T]) -> Flow[T]:
    request = Request("PUT", path, msgspec.json.encode(body))
    return decoded((yield from exchange(session, request)), answer)


def _lines(session: Session, path: str) -> Flow[bytes]:
    """A JSON Lines answer of whole lines."""
    response = yield from exchange(session, Request("GET", path))
    if media_type(response) != "application/jsonl" or not response.content.endswith(b"\n"):
        raise unexpected(response, "whole lines of application/jsonl")
    return response.content


def _match(session: Session, match_id: str) -> Flow[Match]:
    """The match's signed first line, asked for if this client has not opened or met the match."""
    if match_id not in session.known:
        lines, _ = split_lines((yield from receipt(session, match_id)))
        opening = lines[:OPENING_LINES]
        session.known[match_id] = check_opening(opening, match_id, session.pinned)
    return session.known[match_id]


def path_of(match_id: str) -> str:
    """The path of a match, refused where it would be another place's (``..``)."""
    try:
        msgspec.convert(match_id, MatchId)
    except msgspec.ValidationError:
        raise ClientError("invalid", f"{match_id!r} is no match id (A-Z a-z 0-9 . _ -)") from None
    if match_id in {".", ".."}:
        raise ClientError("invalid", f"{match_id!r} is a place in a URL and cannot name a match")
    return f"/v1/matches/{match_id}"
