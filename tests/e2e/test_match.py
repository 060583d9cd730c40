"""Whole matches against the real service, in a process of its own."""

import asyncio
import json
from pathlib import Path

import pytest

from dice_service.client import AsyncDiceClient, DiceClient, RefusedError
from dice_service.subprocesses import ServiceProcess
from tests.e2e.play import PATIENT, PLAYERS, Seeding, finished, fresh_id, opened, rolled
from verifier.report import Verdict


@pytest.mark.parametrize("seeding", ["committed", "direct"])
def test_a_whole_match_is_verified_with_what_the_devices_kept(
    service: ServiceProcess, api_key: str, tmp_path: Path, seeding: Seeding
) -> None:
    match_id = fresh_id()
    with DiceClient(service.url, api_key) as dice:
        devices = opened(dice, service.url, tmp_path, match_id, seeding)
        for index in range(30):
            rolled(dice, devices, match_id, index)
        for one in devices:
            assert one.follow().verdict is Verdict.INCOMPLETE
        finished(dice, devices, match_id, 30)
        assert dice.state(match_id).phase == "ended"


def test_every_call_may_be_repeated_also_after_the_end(
    service: ServiceProcess, api_key: str, tmp_path: Path
) -> None:
    match_id = fresh_id()
    with DiceClient(service.url, api_key) as dice:
        devices = opened(dice, service.url, tmp_path, match_id)
        first = [dice.roll(match_id, index) for index in range(3)]
        end = dice.end(match_id)
        log = dice.log(match_id)
        again = opened(dice, service.url, tmp_path, match_id)
        assert [dice.roll(match_id, index) for index in range(3)] == first
        assert dice.end(match_id) == end
        assert dice.log(match_id) == log
        assert [one.seed for one in again] == [one.seed for one in devices]
        for one in (*devices, *again):
            one.close()


def test_many_who_ask_for_one_roll_at_once_get_one_roll(
    service: ServiceProcess, api_key: str, tmp_path: Path
) -> None:
    match_id = fresh_id()

    async def race() -> list[tuple[int, int]]:
        async with AsyncDiceClient(service.url, api_key) as dice:
            answers = await asyncio.gather(*(dice.roll(match_id, 0) for _ in range(30)))
        return [answer.dice for answer in answers]

    with DiceClient(service.url, api_key) as dice:
        devices = opened(dice, service.url, tmp_path, match_id)
        assert len(set(asyncio.run(race()))) == 1
        assert dice.log(match_id).data.count(b'"type":"roll"') == 1
        rolled(dice, devices, match_id, 0)
        finished(dice, devices, match_id, 1)


def test_the_services_refusals_arrive_with_their_codes(
    service: ServiceProcess, api_key: str
) -> None:
    match_id = fresh_id()
    with DiceClient(service.url, api_key) as dice:
        tokens = dice.open_match(match_id, players=PLAYERS).tokens
        with pytest.raises(RefusedError) as not_due:
            dice.roll(match_id, 0)
        with pytest.raises(RefusedError) as taken:
            dice.open_match(match_id, players=("X", "Y"))
        with pytest.raises(RefusedError) as unknown:
            dice.state(fresh_id())
    with (
        DiceClient(service.url, tokens[0]) as player,
        pytest.raises(RefusedError) as not_the_players,
    ):
        player.commit(match_id, player=1, commitment="ab" * 32)
    with DiceClient(service.url, "zk_wrong") as stranger, pytest.raises(RefusedError) as who:
        stranger.state(match_id)
    refusals = [error.value for error in (not_due, taken, unknown, not_the_players, who)]
    assert [(refusal.code, refusal.status) for refusal in refusals] == [
        ("not-due", 409),
        ("match-exists-differently", 409),
        ("not-found", 404),
        ("forbidden", 403),
        ("not-authenticated", 401),
    ]


def test_an_abort_reveals_too_and_says_so_in_the_log(service: ServiceProcess, api_key: str) -> None:
    match_id = fresh_id()
    with DiceClient(service.url, api_key) as dice:
        dice.open_match(match_id, players=PLAYERS)
        dice.end(match_id, reason="abort")
        kinds = [json.loads(line)["type"] for line in dice.log(match_id).data.splitlines()]
    assert kinds == ["match", "signature", "match_end", "reveal", "signature"]


def test_the_matches_of_an_owner_are_listed_page_by_page(
    service: ServiceProcess,
) -> None:
    key = service.command("api-key", "create", "--owner", "lister")
    mine = [fresh_id() for _ in range(5)]
    with DiceClient(service.url, key, retries=PATIENT) as dice:
        for match_id in mine:
            dice.open_match(match_id, players=PLAYERS)
        listed: list[str] = []
        after: str | None = None
        while True:
            page = dice.matches(after=after, limit=2)
            listed += [match.match_id for match in page.matches]
            if page.next is None:
                break
            after = page.next
        assert sorted(listed) == sorted(mine)
        assert len(dice.keys().keys) == 1
