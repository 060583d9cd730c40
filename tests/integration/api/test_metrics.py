"""What is counted, and that labels are templates."""

import asyncio
import re

import pytest

from tests.support.api import Api

pytestmark = pytest.mark.anyio


async def numbers(api: Api) -> dict[str, float]:
    text = (await api.http.get("/metrics")).text
    return {
        name: float(value) for name, value in re.findall(r"^(dice_\S+) (\S+)$", text, re.MULTILINE)
    }


async def test_open_matches_are_those_that_have_not_ended(api: Api) -> None:
    await api.open("m-1")
    await api.open("m-2")
    await api.ended("m-3")
    assert (await numbers(api))["dice_open_matches"] == 2


async def test_the_batches_hold_every_append_and_nothing_waits_at_the_end(api: Api) -> None:
    await asyncio.gather(*(api.open(f"m-{number}") for number in range(20)))
    found = await numbers(api)
    assert found["dice_batch_size_sum"] == 20
    assert found["dice_batch_size_count"] < 20
    assert found["dice_queue_depth"] == 0


async def test_labels_are_templates_whatever_was_asked_for(api: Api) -> None:
    await api.open("m-1")
    for path in ("/v1/matches/m-1", "/zk_secret", "/v1/matches/%F0%9F%8E%B2"):
        await api.http.get(path)
        await api.http.request("BREW", path)
    found = await numbers(api)
    place = 'route="/v1/matches/{match_id}"'
    assert found[f'dice_requests_total{{method="PUT",{place},status="201"}}'] == 1
    unknown = 'dice_requests_total{method="(unknown)",route="(unknown)",status="404"}'
    assert found[unknown] == 2
    assert not [name for name in found if "m-1" in name or "secret" in name or "BREW" in name]
