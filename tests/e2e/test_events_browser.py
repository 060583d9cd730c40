"""A match followed in a browser: by its own EventSource, and by fetch, which can send the token."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dice_service.client import DiceClient
from dice_service.subprocesses import ServiceProcess
from tests.e2e.play import opened
from tests.support.browser import chromium_or_skip

EVENT_SOURCE = """path => new Promise(done => {
    const seen = [], source = new EventSource(path);
    const types = ["match", "signature", "seed_commitment", "seed", "roll", "match_end", "reveal"];
    for (const type of types)
        source.addEventListener(type, event => seen.push(event.lastEventId + " " + event.data));
    source.addEventListener("end", () => seen.push("end"));
    source.onerror = () => source.readyState === EventSource.CLOSED && done(seen);
})"""
FETCH = """async ([path, token]) => {
    const answer = await fetch(path, {headers: {Authorization: "Bearer " + token}});
    if (!answer.ok) return answer.status;
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    window.text = "";
    (async () => {
        for (let part; !(part = await reader.read()).done; ) window.text += part.value;
        window.text += "closed";
    })();
    return answer.status;
}"""


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServiceProcess]:
    with ServiceProcess(tmp_path_factory.mktemp("browser")) as found:
        yield found


@pytest.fixture(scope="module")
def dice(service: ServiceProcess) -> Iterator[DiceClient]:
    key = service.command("api-key", "create", "--owner", "club")
    with DiceClient(service.url, key) as found:
        yield found


@pytest.fixture
def page(service: ServiceProcess) -> Iterator[Any]:
    with chromium_or_skip() as browser:
        page = browser.new_page()
        page.goto(f"{service.url}/livez")
        yield page


def test_an_event_source_reads_a_finished_match_and_stops(
    service: ServiceProcess, dice: DiceClient, page: Any, tmp_path: Path
) -> None:
    for device in opened(dice, service.url, tmp_path, "finished"):
        device.close()
    dice.roll("finished", 0)
    dice.end("finished")
    log = dice.log("finished").data.decode().splitlines()
    seen = page.evaluate(EVENT_SOURCE, "/v1/matches/finished/events")
    assert seen == [*(f"{seq} {line}" for seq, line in enumerate(log)), "end"]


def test_fetch_reads_a_match_under_way_with_the_players_token(
    service: ServiceProcess, dice: DiceClient, page: Any, tmp_path: Path
) -> None:
    devices = opened(dice, service.url, tmp_path, "live")
    path = "/v1/matches/live/events"
    assert page.evaluate(FETCH, [path, "zp_" + "A" * 43]) == 404
    token = dice.open_match("live", players=("Ayşe", "Bora")).tokens[0]
    assert page.evaluate(FETCH, [path, token]) == 200
    for index in range(3):
        dice.roll("live", index)
        page.wait_for_function(f"window.text.includes('\"index\":{index},')")
    begin = time.monotonic()
    dice.end("live")
    page.wait_for_function("window.text.endsWith('closed')")
    assert time.monotonic() - begin < 10
    told = [line[6:] for line in page.evaluate("window.text").split("\n") if line[:7] == "data: {"]
    assert "\n".join(told[:-1]) + "\n" == dice.log("live").data.decode()
    for device in devices:
        device.close()
