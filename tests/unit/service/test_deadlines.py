"""Many time limits on one timer: who is late is cut off, in time, and nobody else."""

import asyncio

import pytest

from dice_service.api.deadlines import Deadlines

pytestmark = pytest.mark.anyio

TIMEOUT = 0.05


async def test_who_is_late_is_cut_off_each_at_its_own_time() -> None:
    deadlines = Deadlines(TIMEOUT)
    loop = asyncio.get_running_loop()

    async def late(pause: float) -> tuple[float, float]:
        await asyncio.sleep(pause)
        begin = loop.time()
        with pytest.raises(TimeoutError), deadlines.new():
            await asyncio.Event().wait()
        return begin, loop.time()

    found = await asyncio.gather(*(late(number * TIMEOUT / 5) for number in range(10)))
    for begin, end in found:
        assert TIMEOUT <= end - begin < TIMEOUT + 1.0


async def test_who_is_in_time_goes_on_and_may_take_its_time_after() -> None:
    deadlines = Deadlines(TIMEOUT)
    for _ in range(3):
        with deadlines.new():
            await asyncio.sleep(0)
    await asyncio.sleep(2 * TIMEOUT)
    current = asyncio.current_task()
    assert current is not None
    assert current.cancelling() == 0


async def test_an_error_inside_is_the_error_outside() -> None:
    with pytest.raises(KeyError), Deadlines(TIMEOUT).new():
        raise KeyError


async def test_cancelled_by_another_it_is_cancelled() -> None:
    async def wait() -> None:
        with Deadlines(TIMEOUT).new():
            await asyncio.Event().wait()

    task = asyncio.ensure_future(wait())
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
