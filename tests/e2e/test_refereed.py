"""Whole refereed matches between two bots, over HTTP against the real service."""

import json
import random
from pathlib import Path
from typing import Any

import pytest

from dice_service.actions import PlayAction, RollAction
from dice_service.answers import ActionAnswer
from dice_service.client import DiceClient, RefusedError
from dice_service.device import PlayerDevice
from dice_service.subprocesses import ServiceProcess
from tests.e2e.play import PATIENT, PLAYERS, fresh_id, opened
from tests.support.refereed import MATCHES, choice
from verifier.log import decode_line
from verifier.receipts import encode_receipt, read_receipts
from verifier.refereed import TO_RULES
from verifier.report import Verdict
from verifier.rules.match import MatchState
from verifier.rules.rulesets import resolve
from verifier.verify import verify_log

README = Path(__file__).parents[2] / "README.md"
Devices = tuple[PlayerDevice, PlayerDevice]
Terms = tuple[str, int | None, dict[str, bool | int]]


class Match:
    """A match under way: what was answered, and where the rules see it now."""

    def __init__(
        self, dice: DiceClient, devices: Devices, match_id: str, state: MatchState
    ) -> None:
        self.dice, self.devices, self.match_id, self.state = dice, devices, match_id, state
        self.number = 0

    def take(self, answer: ActionAnswer) -> None:
        for line in answer.lines:
            event = decode_line(line.line.encode(), line.seq)
            if type(event) in TO_RULES:
                self.state = self.state.apply(TO_RULES[type(event)](event))
        for device in self.devices:
            device.keep_action(encode_receipt(answer.receipt))
        self.number = answer.next_action
        assert answer.table.score == self.state.score

    def play_out(self, chance: random.Random) -> None:
        while self.state.stage != "over":
            action = choice(self.state, chance)
            answer = self.dice.action(self.match_id, self.number, action)
            if chance.random() < 0.1:
                assert self.dice.action(self.match_id, self.number, action) == answer
            self.take(answer)


def begun(service: ServiceProcess, dice: DiceClient, folder: Path, terms: Terms) -> Match:
    match_id, (rules, length, options) = fresh_id(), terms
    asked: dict[str, Any] = {"rules": rules, "length": length, "options": options}
    devices = opened(dice, service.url, folder, match_id, **asked)
    return Match(dice, devices, match_id, MatchState.start(resolve(*terms), length))


@pytest.mark.parametrize("terms", MATCHES)
def test_a_whole_match_of_two_bots_is_verified_with_what_the_devices_kept(
    service: ServiceProcess, api_key: str, tmp_path: Path, terms: Terms
) -> None:
    with DiceClient(service.url, api_key, retries=PATIENT) as dice:
        match = begun(service, dice, tmp_path, terms)
        match.play_out(random.Random(terms[0]))
        log = dice.log(match.match_id).data
        for device in match.devices:
            assert device.verify(log).verdict is Verdict.VERIFIED
            report = verify_log(log, [read_receipts(device.receipt_file.read_bytes())])
            assert report.verdict is Verdict.VERIFIED
            assert report.rolls == log.count(b'"type":"roll"')
            device.close()
        assert dice.state(match.match_id).phase == "ended"


def test_the_readmes_match_is_played_as_it_stands(
    service: ServiceProcess, api_key: str, tmp_path: Path
) -> None:
    section = README.read_text("utf-8").partition("### A refereed match over REST\n")[2]
    program = section.partition("```python\n")[2].partition("```")[0]
    with DiceClient(service.url, api_key, retries=PATIENT) as dice:
        match = begun(service, dice, tmp_path, ("oyna-backgammon", 1, {}))
        exec(program, {"dice": dice, "match_id": match.match_id})
        log = dice.log(match.match_id).data
        for device in match.devices:
            assert device.verify(log).verdict is Verdict.VERIFIED
            device.close()
    assert b'"reason":"score"' in log


def test_the_services_refusals_arrive_with_the_rules_own_code_and_in_turkish(
    service: ServiceProcess, api_key: str, tmp_path: Path
) -> None:
    with DiceClient(service.url, api_key, retries=PATIENT) as dice:
        match = begun(service, dice, tmp_path, ("kafadinle", 3, {}))
        with pytest.raises(RefusedError) as play:
            dice.action(match.match_id, 0, PlayAction(player=0, moves="24/18"))
        with pytest.raises(RefusedError) as plain:
            dice.roll(match.match_id, 0)
        with pytest.raises(RefusedError) as gap:
            dice.action(match.match_id, 1, RollAction(player=None))
        with pytest.raises(RefusedError) as terms:
            dice.open_match(fresh_id(), players=PLAYERS, rules="kafadinle", length=2)
        for device in match.devices:
            device.close()
    assert (play.value.code, play.value.rule) == ("rule-refused", "due_opening_roll")
    assert play.value.detail_tr.startswith("Önce açılış zarı")
    assert plain.value.code == "refereed-match"
    assert gap.value.code == "action-number-gap"
    assert (terms.value.code, terms.value.rule) == ("rules-inconsistent", "rules_length")


def test_a_match_goes_on_where_it_stood_when_the_service_is_killed(
    own_service: ServiceProcess, tmp_path: Path
) -> None:
    key = own_service.command("api-key", "create", "--owner", "e2e")
    chance = random.Random(7)
    with DiceClient(own_service.url, key, retries=PATIENT) as dice:
        match = begun(own_service, dice, tmp_path, ("oyna-tavla", 1, {}))
        for _ in range(12):
            action = choice(match.state, chance)
            answer = dice.action(match.match_id, match.number, action)
            if chance.random() < 0.3:
                own_service.kill()
                own_service.start()
                assert dice.action(match.match_id, match.number, action) == answer
            match.take(answer)
        match.play_out(chance)
        kinds = [json.loads(line)["type"] for line in dice.log(match.match_id).data.splitlines()]
        assert kinds[-2:] == ["reveal", "signature"]
        for device in match.devices:
            assert device.follow().verdict is Verdict.VERIFIED
            device.close()
