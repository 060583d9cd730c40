"""What is counted, and that labels are templates."""

import asyncio
import math
import re
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from dice_service.api.gauges import Gauges
from dice_service.storage import StorageError
from tests.support.api import Api, opened, settings_in

pytestmark = pytest.mark.anyio


async def numbers(api: Api) -> dict[str, float]:
    text = (await api.http.get("/metrics")).text
    return {
        name: float(value) for name, value in re.findall(r"^(dice_\S+) (\S+)$", text, re.MULTILINE)
    }


async def test_matches_are_counted_by_phase_until_their_secret_is_revealed(api: Api) -> None:
    await api.open("m-1")
    await api.open("m-2")
    await api.ready("m-3")
    await api.open("m-4", seeding="direct")
    await api.ended("m-5")
    found = await numbers(api)
    phases = {"commitments": 2, "seeds": 1, "rolling": 1}
    for phase, count in phases.items():
        assert found[f'dice_matches{{phase="{phase}"}}'] == count
    assert found["dice_unrevealed_matches"] == 4
    assert 0 < found["dice_unrevealed_oldest_seconds"] < 60
    entered = phases | {"commitments": 4, "seeds": 3, "rolling": 2, "ended": 1}
    for phase, count in entered.items():
        assert found[f'dice_match_phases_total{{phase="{phase}"}}'] == count


async def test_the_storage_is_asked_once_in_a_while_however_many_ask(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert (await numbers(api))["dice_unrevealed_matches"] == 0
    await api.open("m-1")
    assert (await numbers(api))["dice_unrevealed_matches"] == 0
    monkeypatch.setattr(Gauges, "LIFE", 0.0)
    assert (await numbers(api))["dice_unrevealed_matches"] == 1
    monkeypatch.setattr("dice_service.api.gauges.COUNTED", 2)
    for number in range(2, 5):
        await api.open(f"m-{number}")
    assert (await numbers(api))["dice_unrevealed_matches"] == 2


async def test_numbers_are_told_when_the_storage_is_gone(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def gone(*_: object) -> dict[str, int]:
        raise StorageError("It is gone.")

    await api.open("m-1")
    monkeypatch.setattr(Gauges, "LIFE", 0.0)
    with monkeypatch.context() as patched:
        patched.setattr(type(api.service.storage), "open_matches", gone)
        found = await numbers(api)
        assert found["dice_storage_up"] == 0
        assert found["dice_batch_size_sum"] == 1
        for name in ("dice_unrevealed_matches", "dice_webhooks_pending"):
            assert math.isnan(found[name])
    found = await numbers(api)
    assert (found["dice_storage_up"], found["dice_unrevealed_matches"]) == (1, 1)


async def test_the_age_of_a_key_is_that_of_its_marker(tmp_path: Path) -> None:
    settings_in(tmp_path)
    marker = tmp_path / "keys" / "signing.active"
    marker.write_text(f"{marker.read_text().split()[0]} 2026-01-01T00:00:00.000Z\n")
    async with opened(tmp_path) as api:
        found = await numbers(api)
    begun = datetime(2026, 1, 1, tzinfo=UTC).timestamp()
    assert abs(found['dice_key_age_seconds{kind="signing"}'] - (time.time() - begun)) < 60
    assert 0 <= found['dice_key_age_seconds{kind="sealing"}'] < 60


async def test_the_batches_hold_every_append_and_nothing_waits_at_the_end(api: Api) -> None:
    await asyncio.gather(*(api.open(f"m-{number}") for number in range(20)))
    found = await numbers(api)
    assert found["dice_batch_size_sum"] == 20
    assert found["dice_batch_size_count"] < 20
    assert found["dice_batch_seconds_count"] == found["dice_batch_size_count"]
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
