"""The application layer: a command or a question about a match in, a typed answer out."""

from collections.abc import Callable, Mapping, Sequence

from dice_service.answers import (
    EndAnswer,
    LineAnswer,
    LogView,
    Opening,
    Outcome,
    OwnedView,
    Page,
    Phase,
    RollAnswer,
)
from dice_service.sealing import SealingRing
from dice_service.signing import SigningRing
from dice_service.storage import Storage


class Matches:
    """All matches of a storage. Every method may raise :class:`dice_service.errors.Refusal`.

    Who may ask is the caller's business; ``owner`` says whose a match is.
    """

    def __init__(
        self,
        storage: Storage,
        signing: SigningRing,
        sealing: SealingRing,
        *,
        clock: Callable[[], str] = lambda: "",
        queue_limit: int = 10_000,
        cache_size: int = 10_000,
    ) -> None:
        raise NotImplementedError

    async def open(
        self,
        owner: str,
        match_id: str,
        *,
        seeding: str = "committed",
        rules: str | None = None,
        length: int | None = None,
        options: Mapping[str, bool | int] | None = None,
        players: Sequence[str],
    ) -> Outcome[Opening]:
        raise NotImplementedError

    async def commit(self, match_id: str, player: int, commitment: str) -> Outcome[LineAnswer]:
        raise NotImplementedError

    async def open_seed(self, match_id: str, player: int, seed: str) -> Outcome[LineAnswer]:
        raise NotImplementedError

    async def roll(
        self, match_id: str, index: int, *, purpose: str = "turn", player: int | None = None
    ) -> Outcome[RollAnswer]:
        raise NotImplementedError

    async def end(
        self, match_id: str, *, reason: str, winner: int | None = None
    ) -> Outcome[EndAnswer]:
        raise NotImplementedError

    async def owner(self, match_id: str) -> str:
        raise NotImplementedError

    async def view(self, match_id: str) -> OwnedView:
        raise NotImplementedError

    async def log(self, match_id: str) -> LogView:
        raise NotImplementedError

    async def receipt(self, match_id: str) -> bytes:
        raise NotImplementedError

    async def list(
        self,
        owner: str | None = None,
        *,
        after: str | None = None,
        limit: int = 50,
        phase: Phase | None = None,
        seeding: str | None = None,
    ) -> Page:
        raise NotImplementedError

    async def token_player(self, match_id: str, token: str) -> int | None:
        raise NotImplementedError

    async def close(self) -> None:
        """Write what is queued and stop; the storage stays open."""
        raise NotImplementedError
