"""Group commit: who waits is always answered, and by a commit that was made for it."""

import asyncio
from collections.abc import Sequence

import pytest

from dice_service.errors import Refusal
from dice_service.storage import Append, StorageError
from dice_service.storage.batcher import MAX_BATCH, Batcher

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class Gate:
    """A storage whose commits end when the test says so."""

    def __init__(self) -> None:
        self.batches: list[list[int]] = []
        self.open = asyncio.Event()
        self.failure: Exception | None = None

    async def append(self, batch: Sequence[Append]) -> list[bool]:
        self.batches.append([append.first_seq for append in batch])
        await self.open.wait()
        if self.failure is not None:
            raise self.failure
        return [append.first_seq % 2 == 0 for append in batch]


def line(seq: int) -> Append:
    return Append("m", seq, (b"x",))


async def test_what_comes_during_a_commit_shares_the_next_one() -> None:
    gate = Gate()
    batcher = Batcher(gate, 100)
    first = batcher.submit(line(0))
    await asyncio.sleep(0)
    rest = [batcher.submit(line(seq)) for seq in range(1, 6)]
    await asyncio.sleep(0)
    assert gate.batches == [[0]]
    assert not first.done()
    gate.open.set()
    assert await asyncio.gather(first, *rest) == [True, False, True, False, True, False]
    assert gate.batches == [[0], [1, 2, 3, 4, 5]]


async def test_one_commit_holds_so_many_and_no_more() -> None:
    gate = Gate()
    gate.open.set()
    batcher = Batcher(gate, 10_000)
    await asyncio.gather(*(batcher.submit(line(seq)) for seq in range(MAX_BATCH + 3)))
    assert [len(batch) for batch in gate.batches] == [MAX_BATCH, 3]


@pytest.mark.parametrize("failure", [StorageError("disk full"), ValueError("our own fault")])
async def test_a_failed_commit_is_told_to_each_and_the_next_one_is_tried(
    failure: Exception,
) -> None:
    gate = Gate()
    gate.open.set()
    gate.failure = failure
    batcher = Batcher(gate, 100)
    waiting = [batcher.submit(line(seq)) for seq in range(3)]
    results = await asyncio.gather(*waiting, return_exceptions=True)
    assert [result.code for result in results if isinstance(result, Refusal)] == (
        ["storage-failed"] * 3
    )
    gate.failure = None
    assert await batcher.submit(line(4))


async def test_closing_waits_for_what_was_submitted() -> None:
    gate = Gate()
    batcher = Batcher(gate, 100)
    waiting = [batcher.submit(line(seq)) for seq in range(3)]
    asyncio.get_running_loop().call_later(0.02, gate.open.set)
    await batcher.close()
    assert all(future.done() for future in waiting)


async def test_who_left_does_not_hold_up_the_others() -> None:
    gate = Gate()
    batcher = Batcher(gate, 100)
    gone, stays = batcher.submit(line(0)), batcher.submit(line(2))
    await asyncio.sleep(0)
    gone.cancel()
    gate.open.set()
    assert await stays
