"""The application layer: the same answer to the same request, whoever gives it and when."""

import asyncio
import dataclasses
import hashlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import msgspec
import pytest

from dice_service import sealing, signing
from dice_service.answers import encode
from dice_service.errors import Refusal
from dice_service.matches import Matches
from dice_service.sealing import SealingRing, Secrets
from dice_service.signing import SigningRing
from dice_service.storage import Append, StorageError
from tests.support.memory import MemoryStorage
from verifier import Verdict, read_receipts, verify_log
from verifier.events import Player
from verifier.receipts import encode_receipt

pytestmark = pytest.mark.anyio

SEEDS = [hashlib.sha256(name).hexdigest() for name in (b"first", b"second", b"third")]
COMMITMENTS = [hashlib.sha256(bytes.fromhex(seed)).hexdigest() for seed in SEEDS]
BOTH: tuple[Player, Player] = (0, 1)

Process = Callable[..., Matches]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def storage() -> MemoryStorage:
    return MemoryStorage()


@pytest.fixture
def process(storage: MemoryStorage) -> Process:
    """Another process on the same database with the same keys."""
    rings = SigningRing.generate(), SealingRing.generate()

    def another(**options: object) -> Matches:
        return Matches(storage, *rings, **options)  # type: ignore[arg-type] # test's own

    return another


async def opened(matches: Matches, match_id: str = "m") -> None:
    await matches.open("club", match_id, players=("Ayşe", "Bora"))


async def ready(matches: Matches, match_id: str = "m") -> None:
    await opened(matches, match_id)
    for player in BOTH:
        await matches.commit(match_id, player, COMMITMENTS[player])
    for player in BOTH:
        await matches.open_seed(match_id, player, SEEDS[player])


async def code(asking: object) -> str:
    with pytest.raises(Refusal) as caught:
        await asking  # type: ignore[misc] # any of the methods' coroutines
    return caught.value.code


async def test_a_whole_match_verifies_with_what_the_players_kept(process: Process) -> None:
    matches = process()
    await ready(matches)
    opening = await matches.receipt("m")
    rolls = [(await matches.roll("m", index)).value for index in range(5)]
    await matches.end("m", reason="finished", winner=1)
    lines = b"".join(encode_receipt(roll.receipt) + b"\n" for roll in rolls)
    log = await matches.log("m")
    report = verify_log(log.data, [read_receipts(opening + lines)], my_seed=SEEDS[0])
    assert (report.verdict, report.rolls, report.head) == (Verdict.VERIFIED, 5, log.head)


async def test_every_request_asked_again_of_any_process_gets_the_same_answer(
    process: Process,
) -> None:
    first, second = process(), process()
    asked: list[Callable[[Matches], object]] = [
        lambda m: m.open("club", "m", players=("Ayşe", "Bora"), length=5),
        lambda m: m.commit("m", 1, COMMITMENTS[1]),
        lambda m: m.commit("m", 0, COMMITMENTS[0]),
        lambda m: m.open_seed("m", 0, SEEDS[0]),
        lambda m: m.open_seed("m", 1, SEEDS[1]),
        lambda m: m.roll("m", 0, purpose="opening"),
        lambda m: m.roll("m", 1, player=1),
        lambda m: m.end("m", reason="resign", winner=0),
    ]

    async def answer(ask: Callable[[Matches], object], matches: Matches) -> tuple[bool, bytes]:
        outcome = await ask(matches)  # type: ignore[misc] # as above
        return outcome.created, encode(outcome.value)

    told = []
    for ask in asked:
        created, body = await answer(ask, first)
        assert created
        told.append(body)
        for matches in (first, second, process()):
            assert await answer(ask, matches) == (False, body)
    for ask, body in zip(asked, told, strict=True):
        assert await answer(ask, second) == (False, body)  # after the end too


async def test_answers_stay_the_same_when_keys_have_been_rotated(
    storage: MemoryStorage, tmp_path: Path
) -> None:
    def process() -> Matches:
        signing.make_key(tmp_path)
        sealing.make_key(tmp_path)
        return Matches(storage, SigningRing.load(tmp_path), SealingRing.load(tmp_path))

    before = process()
    await ready(before)
    opening = (await before.open("club", "m", players=("Ayşe", "Bora"))).value
    roll = (await before.roll("m", 0)).value
    after = process()
    assert (await after.open("club", "m", players=("Ayşe", "Bora"))).value == opening
    assert (await after.roll("m", 0)).value == roll
    await after.roll("m", 1)
    await after.end("m", reason="finished")
    assert verify_log((await before.log("m")).data).verdict is Verdict.CONSISTENT
    await opened(after, "m-2")
    assert (await after.view("m-2")).view.key_id != roll.receipt.key_id


async def test_a_match_id_is_one_match_of_one_owner(process: Process) -> None:
    matches = process()
    await opened(matches)
    differs = "match-exists-differently"
    assert await code(matches.open("rival", "m", players=("Ayşe", "Bora"))) == differs
    assert await code(matches.open("club", "m", players=("Ayşe", "Can"))) == differs
    again = process().open("club", "m", players=("Ayşe", "Bora"), seeding="direct")
    assert await code(again) == differs


async def test_a_process_that_lags_reads_before_it_refuses(process: Process) -> None:
    behind, ahead = process(), process()
    await opened(behind)
    await ready(ahead)
    assert (await behind.roll("m", 0)).created
    await ahead.roll("m", 1)
    assert (await behind.roll("m", 2)).created
    assert await code(behind.roll("m", 4)) == "roll-index-gap"
    await ahead.end("m", reason="finished")
    assert await code(behind.roll("m", 3)) == "match-ended"
    assert (await behind.view("m")).view.phase == "ended"


async def test_fifty_at_once_for_one_roll_get_one_roll(process: Process) -> None:
    one, two = process(), process()
    await ready(one)
    for index in range(3):
        outcomes = await asyncio.gather(*((one, two)[n % 2].roll("m", index) for n in range(50)))
        assert [outcome.created for outcome in outcomes].count(True) == 1
        assert len({encode(outcome.value) for outcome in outcomes}) == 1


async def test_a_roll_asked_for_differently_is_refused(process: Process) -> None:
    matches = process()
    await ready(matches)
    await matches.roll("m", 0, player=1)
    assert await code(matches.roll("m", 0)) == "roll-differs"
    assert await code(process().roll("m", 0, purpose="opening")) == "roll-differs"


async def test_the_opening_receipt_waits_for_both_commitments(process: Process) -> None:
    matches = process()
    await opened(matches)
    await matches.commit("m", 0, COMMITMENTS[0])
    assert await code(matches.receipt("m")) == "receipt-not-ready"
    await process().commit("m", 1, COMMITMENTS[1])
    receipt = await matches.receipt("m")
    kinds = [msgspec.json.decode(line)["type"] for line in receipt.splitlines()]
    assert kinds == ["match", "signature", "seed_commitment", "seed_commitment", "signature"]
    await matches.open("club", "d", players=("a", "b"), seeding="direct")
    assert (await matches.receipt("d")).count(b"\n") == 2


async def test_a_clock_that_jumps_back_harms_nothing(process: Process) -> None:
    def times() -> Iterator[str]:
        for hour in range(23, -1, -1):
            yield f"2026-11-30T{hour:02}:59:59.999Z"

    matches = process(clock=times().__next__)
    await ready(matches)
    for index in range(6):
        await matches.roll("m", index)
    await matches.end("m", reason="finished")
    report = verify_log((await matches.log("m")).data)
    assert (report.verdict, report.rolls) == (Verdict.CONSISTENT, 6)


async def test_a_token_is_its_players_own(process: Process) -> None:
    matches = process()
    tokens = (await matches.open("club", "m", players=("a", "b"))).value.tokens
    others = (await matches.open("club", "m-2", players=("a", "b"))).value.tokens
    assert [await process().token_player("m", token) for token in tokens] == [0, 1]
    for wrong in (*others, "", "zp_", tokens[0][:-1], tokens[0] + "A", "ş", "\ud800"):
        assert await matches.token_player("m", wrong) is None
    assert await matches.token_player("m-9", tokens[0]) is None


async def test_a_failing_storage_is_a_refusal_and_nothing_is_believed_done(
    process: Process, storage: MemoryStorage
) -> None:
    matches = process()
    await ready(matches)
    storage.failure = "disk full"
    assert await code(matches.roll("m", 0)) == "storage-failed"
    assert await code(matches.end("m", reason="finished")) == "storage-failed"
    assert await code(matches.open("club", "m-2", players=("a", "b"))) == "storage-failed"
    assert await code(matches.view("m")) == "storage-failed"
    storage.failure = None
    assert (await matches.roll("m", 0)).created
    assert (await matches.view("m")).view.rolls == 1


async def test_a_write_that_was_kept_though_it_was_said_to_have_failed_is_found_again(
    process: Process, storage: MemoryStorage, monkeypatch: pytest.MonkeyPatch
) -> None:
    matches = process()
    await ready(matches)
    append = storage.append

    async def kept_but_failed(batch: Sequence[Append]) -> list[bool]:
        await append(batch)
        raise StorageError("the disk did not say")

    monkeypatch.setattr(storage, "append", kept_but_failed)
    assert await code(matches.roll("m", 0)) == "storage-failed"
    monkeypatch.undo()
    outcome = await matches.roll("m", 0)
    assert (outcome.created, len(storage.stored["m"])) == (False, 8)


async def test_a_caller_who_goes_away_leaves_the_match_usable(process: Process) -> None:
    matches = process()
    await ready(matches)
    task = asyncio.create_task(matches.roll("m", 0))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not (await matches.roll("m", 0)).created
    assert (await matches.roll("m", 1)).created


async def test_too_many_waiting_writes_are_refused_and_the_rest_is_done(process: Process) -> None:
    matches = process(queue_limit=3)
    results = await asyncio.gather(
        *(matches.open("club", f"m-{n}", players=("a", "b")) for n in range(5)),
        return_exceptions=True,
    )
    refused = [result.code for result in results if isinstance(result, Refusal)]
    assert refused == ["overloaded", "overloaded"]
    assert (await matches.open("club", "m-4", players=("a", "b"))).created


async def test_writes_that_come_together_share_a_commit(
    process: Process, storage: MemoryStorage
) -> None:
    matches = process()
    await asyncio.gather(*(opened(matches, f"m-{n}") for n in range(40)))
    assert storage.batches == [40]


async def test_a_small_memory_serves_many_matches(process: Process) -> None:
    matches = process(cache_size=3)
    for match_id in map(str, range(10)):
        await ready(matches, match_id)
    for index in range(3):
        await asyncio.gather(*(matches.roll(str(n), index) for n in range(10)))
    assert len(matches._cache._matches) == 3
    assert (await matches.view("4")).view.rolls == 3


async def test_a_log_that_was_damaged_or_cut_is_a_refusal(
    process: Process, storage: MemoryStorage
) -> None:
    matches = process()
    await ready(matches)
    dice = (await matches.roll("m", 0)).value.dice
    lines = storage.stored["m"]
    storage.stored["m"] = lines[:-1]  # an old backup put in place under a running service
    assert await code(matches.roll("m", 1)) == "storage-failed"
    assert (await process().roll("m", 0)).value.dice == dice  # the seeds say so, not the line
    for bad in (lines[5].replace(b"seed", b"sead"), lines[6], b"", lines[0]):
        storage.stored["m"] = [*lines[:5], bad, *lines[6:]]
        assert await code(process().view("m")) == "storage-failed"
    storage.stored["m"] = []
    assert await code(process().view("m")) == "storage-failed"


async def test_a_seal_of_another_seed_is_not_rolled_with(storage: MemoryStorage) -> None:
    ring = SealingRing.generate()
    matches = Matches(storage, SigningRing.generate(), ring)
    await ready(matches)
    key_id, sealed = ring.seal("m", Secrets.make())
    storage.rows["m"] = dataclasses.replace(storage.rows["m"], sealed=sealed, sealing_key_id=key_id)
    matches._cache._matches.clear()
    assert await code(matches.roll("m", 0)) == "storage-failed"


async def test_the_seed_is_told_only_by_the_end(process: Process) -> None:
    matches = process()
    await ready(matches)
    roll = (await matches.roll("m", 0)).value
    view = (await matches.view("m")).view
    log = (await matches.log("m")).data
    seed = (await matches.end("m", reason="abort")).value.server_seed
    for shown in (encode(roll), encode(view), log, repr(matches._cache._matches).encode()):
        assert seed.encode() not in shown
    assert (await matches.view("m")).view.server_seed == seed
    assert seed.encode() in (await matches.log("m")).data
