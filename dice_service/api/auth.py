"""Who is calling, and what they may do.

Three kinds of caller: the holder of an API key (an *owner*: a match belongs to the owner of the
key that opened it, and no other sees it), a player with the token of its match, and anyone.
What a caller may not know exists is answered as what does not exist: with the same 404.
"""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Final, Protocol

from dice_service import apikeys
from dice_service.api.problems import not_found
from dice_service.errors import Refusal
from dice_service.matches import Matches
from dice_service.storage import ApiKeyRow
from verifier.events import Player

LIFE: Final = 2.0  # seconds that a looked-up key is believed: a revoked one stops within them
_CACHED: Final = 10_000
_TOKEN_PREFIX: Final = "zp_"  # noqa: S105 - a prefix, not a token


@dataclass(frozen=True, slots=True)
class Owner:
    """The holder of a valid API key."""

    name: str
    scopes: frozenset[str]
    key_id: str

    def need(self, scope: str) -> None:
        """Raise :class:`Refusal` ``forbidden`` unless the key has the scope, or ``admin``."""
        if scope not in self.scopes and apikeys.ADMIN not in self.scopes:
            raise Refusal("forbidden", f"This API key has not the scope {scope}.")


@dataclass(frozen=True, slots=True)
class Bearer:
    """Someone with a player's token: of which match and player, only the match can tell.

    ``on_proof(match_id, player)`` is told when it has; it may raise :class:`Refusal`.
    """

    token: str = field(repr=False)
    on_proof: Callable[[str, Player], object] = field(
        default=lambda _match_id, _player: None, repr=False, compare=False
    )


Caller = Owner | Bearer | None


class ApiKeys(Protocol):
    """The part of a storage that is needed here."""

    async def api_key(self, key_id: str) -> ApiKeyRow | None:
        """As :meth:`dice_service.storage.Storage.api_key`."""


class Authenticator:
    """Looks API keys up, and believes what it found for :data:`LIFE` seconds."""

    def __init__(self, storage: ApiKeys, clock: Callable[[], float] = time.monotonic) -> None:
        self._storage = storage
        self._clock = clock
        self._rows: dict[str, tuple[float, ApiKeyRow]] = {}
        self._looking_up: dict[str, asyncio.Task[object]] = {}

    async def caller(self, authorization: str | None) -> Caller:
        """The caller of a request with this Authorization header (None: it has none).

        Raises :class:`Refusal` ``not-authenticated`` for anything but a valid API key or what
        has the form of a player's token.
        """
        if authorization is None:
            return None
        scheme, _, text = authorization.partition(" ")
        if scheme.lower() == "bearer":
            if text.startswith(_TOKEN_PREFIX):
                return Bearer(text)
            key_id = apikeys.id_of(text)
            row = await self._row(key_id) if key_id else None
            if row is not None and apikeys.matches(text, row):
                return Owner(row.owner, frozenset(row.scopes), row.key_id)
        raise Refusal(
            "not-authenticated", "Send Authorization: Bearer with a valid API key or player token."
        )

    def known_owner(self, authorization: bytes) -> str | None:
        """The owner whose key this header holds, if that is known and it has ``match:write``.

        For the hot path: at once, without a look-up. None: ask :meth:`caller`.
        """
        scheme, _, text = authorization.decode("latin-1").partition(" ")
        key_id = apikeys.id_of(text) if scheme in ("Bearer", "bearer") else None
        cached = self._rows.get(key_id) if key_id else None
        if key_id is None or cached is None or (left := cached[0] - self._clock()) <= 0:
            return None
        row = cached[1]
        may_write = apikeys.WRITE in row.scopes or apikeys.ADMIN in row.scopes
        if not may_write or not apikeys.matches(text, row):
            return None
        if left < LIFE / 2:
            self._look_up_soon(key_id)
        return row.owner

    async def _row(self, key_id: str) -> ApiKeyRow | None:
        now = self._clock()
        cached = self._rows.get(key_id)
        if cached is not None and now < cached[0]:
            return cached[1]
        return await self._look_up(key_id)

    def _look_up_soon(self, key_id: str) -> None:
        """So that a key in constant use is never unknown on the hot path."""
        if key_id not in self._looking_up:
            task = asyncio.get_running_loop().create_task(self._look_up(key_id))
            self._looking_up[key_id] = task
            task.add_done_callback(partial(self._looked_up, key_id))

    def _looked_up(self, key_id: str, task: asyncio.Task[object]) -> None:
        del self._looking_up[key_id]
        if not task.cancelled():
            task.exception()  # it is told to who asks once the old answer is no longer believed

    async def _look_up(self, key_id: str) -> ApiKeyRow | None:
        now = self._clock()
        row = await self._storage.api_key(key_id)
        if row is None:
            self._rows.pop(key_id, None)  # unknown ids are not kept: they would fill the memory
        else:
            if len(self._rows) >= _CACHED:
                self._rows.clear()
            self._rows[key_id] = (now + LIFE, row)
        return row


def need_credentials(caller: Caller) -> Owner | Bearer:
    """The caller, if there is one. Raises :class:`Refusal` ``not-authenticated``."""
    if caller is None:
        raise Refusal("not-authenticated", "This needs an API key or a player's token.")
    return caller


def need_owner(caller: Caller, scope: str) -> Owner:
    """The owner behind an API key with the scope.

    Raises :class:`Refusal`: ``not-authenticated``, or ``forbidden`` for players and other scopes.
    """
    caller = need_credentials(caller)
    if isinstance(caller, Bearer):
        raise Refusal("forbidden", "This needs an API key; a player's token is not enough.")
    caller.need(scope)
    return caller


async def need_own_match(matches: Matches, caller: Caller, match_id: str, scope: str) -> None:
    """Let through the match's owner with the scope.

    Raises :class:`Refusal`: ``not-authenticated``; ``not-found`` for other owners' keys and other
    matches' tokens, as for no match at all; ``forbidden`` for the match's own players and the
    owner's keys of other scopes.
    """
    caller = need_credentials(caller)
    if isinstance(caller, Bearer):
        await _need_player(matches, caller, match_id)
        raise Refusal("forbidden", "This needs the API key; a player's token is not enough.")
    await _need_owned(matches, caller, match_id)
    caller.need(scope)


async def need_player(matches: Matches, caller: Caller, match_id: str, player: int) -> None:
    """Let through that one player of the match, with its own token.

    Raises :class:`Refusal` as :func:`need_own_match`; ``forbidden`` for the other player and for
    the owner: a game server must not send what a player's device has to send.
    """
    caller = need_credentials(caller)
    if isinstance(caller, Owner):
        await _need_owned(matches, caller, match_id)
        raise Refusal("forbidden", "Only this player's own token may send this.")
    if await _need_player(matches, caller, match_id) != player:
        raise Refusal("forbidden", "This token is the other player's.")


async def may_read(matches: Matches, caller: Caller, match_id: str) -> bool:
    """Whether the caller takes part in the match: its owner with ``match:read``, or a player.

    Raises :class:`Refusal` ``forbidden`` for the owner's keys of other scopes.
    """
    if isinstance(caller, Bearer):
        return await _player(matches, caller, match_id) is not None
    if caller is None or await _owner_of(matches, match_id) != caller.name:
        return False
    caller.need(apikeys.READ)
    return True


async def _player(matches: Matches, caller: Bearer, match_id: str) -> Player | None:
    player = await matches.token_player(match_id, caller.token)
    if player is not None:
        caller.on_proof(match_id, player)
    return player


async def _need_player(matches: Matches, caller: Bearer, match_id: str) -> Player:
    player = await _player(matches, caller, match_id)
    if player is None:
        raise not_found()
    return player


async def _need_owned(matches: Matches, caller: Owner, match_id: str) -> None:
    if await _owner_of(matches, match_id) != caller.name:
        raise not_found()


async def _owner_of(matches: Matches, match_id: str) -> str | None:
    try:
        return await matches.owner(match_id)
    except Refusal as refusal:
        if refusal.code == "not-found":
            return None
        raise
