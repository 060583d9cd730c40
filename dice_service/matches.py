"""The application layer: a command or a question about a match in, a typed answer out.

A command is decided on the cached state, its lines are queued, and it is answered once they
are durable (:mod:`dice_service.commands`). The cache only saves reading.
"""

import hmac
from collections.abc import Callable, Mapping, Sequence

from dice_service import clock as real_clock
from dice_service.actions import AnyAction, decide_action, repeated
from dice_service.answers import (
    ActionAnswer,
    EndAnswer,
    LineAnswer,
    LogView,
    Opening,
    Outcome,
    OwnedView,
    Page,
    RollAnswer,
)
from dice_service.cache import Cached, MatchCache, begun, folded, read_stored
from dice_service.commands import Commands
from dice_service.crash import crash_point
from dice_service.draft import Done
from dice_service.errors import Refusal
from dice_service.match import (
    Decision,
    Standing,
    decide_commit,
    decide_end,
    decide_open,
    decide_roll,
    decide_seed,
    refuse_other_roll,
    same_opening,
)
from dice_service.sealing import SealingRing, Secrets
from dice_service.signing import SigningRing
from dice_service.state import Line, State
from dice_service.storage import Append, MatchRow, Phase, Storage
from dice_service.storage.batcher import Batch, Batcher
from dice_service.views import (
    action_answer,
    cursor_of,
    parse_cursor,
    receipt_of,
    summary_of,
    view_of,
)
from verifier.events import EndReason, Match, Player, Purpose, Roll, Seeding


class _NotIdle(Refusal):
    """The match was gone on with in the meantime."""


class Matches:
    """All matches of a storage. Every method may raise :class:`dice_service.errors.Refusal`.

    Who may ask is the caller's business; :meth:`owner` says whose a match is. ``clock`` gives
    the time as lines carry it; ``queue_limit`` is how many writes may wait, ``cache_size`` how
    many matches are kept in memory, and ``on_batch`` is told of the writes that share a commit.
    """

    def __init__(
        self,
        storage: Storage,
        signing: SigningRing,
        sealing: SealingRing,
        *,
        clock: Callable[[], str] = real_clock.now,
        queue_limit: int = 10_000,
        cache_size: int = 10_000,
        on_batch: Callable[[Batch], object] = bool,
    ) -> None:
        self._storage = storage
        self._signing = signing
        self._sealing = sealing
        self._clock = clock
        self._batcher = Batcher(storage, queue_limit, on_batch)
        self._cache = MatchCache(storage, sealing, cache_size)
        self._commands = Commands(storage, self._cache, self._batcher)

    async def open(
        self,
        owner: str,
        match_id: str,
        *,
        players: Sequence[str],
        seeding: Seeding = "committed",
        rules: str | None = None,
        length: int | None = None,
        options: Mapping[str, bool | int] | None = None,
    ) -> Outcome[Opening]:
        """Open a match: seal a seed, publish its commitment, signed."""
        crash_point("received")
        signer = self._signing.active
        secret = Secrets.make()
        time = self._clock()
        first, second = players
        match = Match(
            time=time,
            protocol="zarf/1",
            match_id=match_id,
            seeding=seeding,
            rules=rules,
            length=length,
            options=dict(options or {}),
            players=(first, second),
            commitment=secret.commitment,
            public_key=signer.public_key,
            key_id=signer.key_id,
        )
        lines = decide_open(match, sign=signer.sign_head)
        cached = await self._cache.find(match_id)
        created = cached is None
        if cached is None:
            key_id, sealed = self._sealing.seal(match_id, secret)
            crash_point("sealed")
            state = folded(begun(lines[0]), lines[1:])
            row = MatchRow(
                match_id=match_id,
                owner=owner,
                seeding=seeding,
                rules=rules,
                opened_at=time,
                ended_at=None,
                phase=state.phase,
                sealed=sealed,
                sealing_key_id=key_id,
                signing_key_id=signer.key_id,
            )
            data = tuple(line.data for line in lines)
            crash_point("decided")
            created = await self._batcher.submit(Append(match_id, 0, data, opening=row))
            crash_point("before-answer")
            if created:
                cached = self._cache.put(Cached(row, state, secret))
            else:
                cached = await self._cache.get(match_id)  # another process opened it just now
        if cached.row.owner != owner or not same_opening(cached.state, match):
            raise Refusal(
                "match-exists-differently",
                f"The match id {match_id} was used before, for another match. Take a new one.",
            )
        return Outcome(created, await self._opening(cached))

    async def commit(self, match_id: str, player: Player, commitment: str) -> Outcome[LineAnswer]:
        """Take a player's commitment; with the second, the signature that completes the receipt."""
        cached = await self._cache.get(match_id)
        sign = self._signing.of(cached.state.match.key_id).sign_head
        return await self._commands.do(
            cached,
            lambda state: decide_commit(state, player, commitment, time=self._clock(), sign=sign),
            lambda seq, line: LineAnswer(match_id, player, seq, line.data.decode()),
        )

    async def open_seed(self, match_id: str, player: Player, seed: str) -> Outcome[LineAnswer]:
        """Take a player's seed, once all three are committed."""
        cached = await self._cache.get(match_id)
        return await self._commands.do(
            cached,
            lambda state: decide_seed(state, player, seed, time=self._clock()),
            lambda seq, line: LineAnswer(match_id, player, seq, line.data.decode()),
        )

    async def roll(
        self,
        match_id: str,
        index: int,
        *,
        purpose: Purpose = "turn",
        player: Player | None = None,
    ) -> Outcome[RollAnswer]:
        """Roll ``index``, or say again what it was."""
        cached = await self._cache.get(match_id)
        secret = await self._cache.secrets(cached)
        signer = self._signing.of(cached.state.match.key_id)

        def decide(state: State) -> Decision:
            time = self._clock()
            return decide_roll(state, index, purpose, player, secret=secret.seed, time=time)

        def answer(seq: int, line: Line) -> RollAnswer:
            roll = line.event
            assert isinstance(roll, Roll)
            refuse_other_roll(roll, purpose, player)
            receipt = receipt_of(match_id, seq, line, signer)
            return RollAnswer(match_id, index, roll.dice, purpose, player, receipt)

        return await self._commands.do(cached, decide, answer)

    async def action(
        self, match_id: str, number: int, action: AnyAction, *, legal: bool = False
    ) -> Outcome[ActionAnswer]:
        """Do action ``number`` of a refereed match, or say again what came of it."""
        cached = await self._cache.get(match_id)
        secret = await self._cache.secrets(cached)
        signer = self._signing.of(cached.state.match.key_id)
        done: Done | None = None

        def decide(state: State) -> Done | Standing:
            nonlocal done
            time = self._clock()
            done = decide_action(
                state, number, action, secret=secret.seed, time=time, sign=signer.sign_head
            )
            return Standing(0) if done is None else done

        def answer(_seq: int, _line: Line) -> ActionAnswer | None:
            return None if done is None else action_answer(done, number, signer, legal=legal)

        outcome = await self._commands.do(cached, decide, answer)
        if outcome.value is not None:
            return Outcome(outcome.created, outcome.value)
        stored = await self._cache.stored(cached, 0, cached.state.lines)
        log = [read_stored(line, seq, match_id) for seq, line in enumerate(stored)]
        stands = repeated(log, number, action)
        return Outcome(False, action_answer(stands, number, signer, legal=legal))

    async def end(
        self, match_id: str, *, reason: EndReason, winner: Player | None = None
    ) -> Outcome[EndAnswer]:
        """End the match and reveal the seed."""
        cached = await self._cache.get(match_id)
        secret = await self._cache.secrets(cached)
        sign = self._signing.of(cached.state.match.key_id).sign_head

        def decide(state: State) -> Decision:
            time = self._clock()
            return decide_end(state, reason, winner, secret=secret.seed, time=time, sign=sign)

        ended = await self._commands.do(cached, decide, lambda _seq, _line: None)
        state = cached.state
        assert state.server_seed is not None
        return Outcome(
            ended.created,
            EndAnswer(match_id, reason, winner, state.server_seed, state.lines - 1, state.head),
        )

    async def abort_idle(self, match_id: str, lines: int) -> bool:
        """End a match by ``abort`` if its log still has ``lines`` lines; false if it has not."""
        cached = await self._cache.get(match_id)
        secret = await self._cache.secrets(cached)
        sign = self._signing.of(cached.state.match.key_id).sign_head

        def decide(state: State) -> Decision:
            if state.lines != lines:
                raise _NotIdle("match-ended", "Somebody went on with it.")
            time = self._clock()
            return decide_end(state, "abort", None, secret=secret.seed, time=time, sign=sign)

        try:
            await self._commands.do(cached, decide, lambda _seq, _line: None)
        except _NotIdle:
            return False
        self._cache.drop(cached)  # nobody asks for it soon
        return True

    async def lines(self, match_id: str, first: int, limit: int) -> list[bytes]:
        """Up to ``limit`` lines of a log from ``first`` on, without line ends."""
        cached = await self._cache.fresh(match_id)
        count = min(limit, cached.state.lines - first)
        return await self._cache.stored(cached, first, count) if count > 0 else []

    async def length(self, match_id: str) -> tuple[int, bool]:
        """How many lines a log has, and whether no more will come."""
        state = (await self._cache.fresh(match_id)).state
        return state.lines, state.server_seed is not None

    async def owner(self, match_id: str) -> str:
        """Whose match it is."""
        return (await self._cache.get(match_id)).row.owner

    async def view(self, match_id: str) -> OwnedView:
        """The state of a match."""
        cached = await self._cache.fresh(match_id)
        return OwnedView(cached.row.owner, view_of(cached.state))

    async def log(self, match_id: str) -> LogView:
        """The log as far as it goes; its last line's SHA-256 is ``head``."""
        cached = await self._cache.fresh(match_id)
        state = cached.state
        data = await self._text(cached, state.lines)
        return LogView(cached.row.owner, data, state.head, ended=state.end is not None)

    async def receipt(self, match_id: str) -> bytes:
        """The opening receipt: the log's lines up to the signature that completes it."""
        cached = await self._cache.fresh(match_id)
        state = cached.state
        if not state.receipt_lines:
            raise Refusal(
                "receipt-not-ready",
                "It is complete once both players' commitments are in the log."
                if state.end is None
                else "The match ended before both players had committed.",
            )
        return await self._text(cached, state.receipt_lines)

    async def list(
        self,
        owner: str | None = None,
        *,
        after: str | None = None,
        limit: int = 50,
        phase: Phase | None = None,
        seeding: Seeding | None = None,
    ) -> Page:
        """Matches from the newest to the oldest: ``owner``'s, or everyone's for None."""
        before = None if after is None else parse_cursor(after)
        rows = await self._storage.list_matches(
            owner=owner, phase=phase, seeding=seeding, before=before, limit=limit + 1
        )
        more = len(rows) > limit
        rows = rows[:limit]
        return Page(tuple(map(summary_of, rows)), cursor_of(rows[-1]) if more else None)

    async def token_player(self, match_id: str, token: str) -> Player | None:
        """Whose token it is, in constant time; None for anybody else's or no such match."""
        cached = await self._cache.find(match_id)
        if cached is None:
            return None
        secret = await self._cache.secrets(cached)
        given = token.encode("utf-8", "surrogatepass")
        is_0 = hmac.compare_digest(secret.token(match_id, 0).encode(), given)
        is_1 = hmac.compare_digest(secret.token(match_id, 1).encode(), given)
        return 0 if is_0 else 1 if is_1 else None

    @property
    def waiting(self) -> int:
        """How many writes wait for the one at work."""
        return self._batcher.waiting

    async def close(self) -> None:
        """Write what is queued and stop; the storage stays open."""
        await self._batcher.close()

    async def _text(self, cached: Cached, count: int) -> bytes:
        lines = await self._cache.stored(cached, 0, count)
        return b"".join(line + b"\n" for line in lines)

    async def _opening(self, cached: Cached) -> Opening:
        match = cached.state.match
        secret = await self._cache.secrets(cached)
        return Opening(
            match_id=match.match_id,
            commitment=match.commitment,
            public_key=match.public_key,
            key_id=match.key_id,
            receipt=(await self._text(cached, 2)).decode(),
            tokens=(secret.token(match.match_id, 0), secret.token(match.match_id, 1)),
        )
