"""The running service against its own document, with every check that schemathesis has."""

import re
from collections.abc import Iterator
from typing import Any
from unicodedata import is_normalized

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.config import SchemathesisConfig
from schemathesis.specs.openapi.checks import positive_data_acceptance

from dice_service.app import build_routes
from dice_service.subprocesses import ServiceProcess
from tests.support.api import COMMITMENTS, PLAYERS, SEEDS

PHASES = ("opened", "committed", "rolling", "ended", "refereed")
EXAMPLES = 25
MATCH_ID = re.compile(r"[A-Za-z0-9._-]{1,64}", re.ASCII)


class World:
    """A service with a match in every phase, and the credentials for each."""

    def __init__(self, process: ServiceProcess) -> None:
        self.url = process.url
        self.key = process.command("api-key", "create", "--owner", "club")
        self.tokens: dict[str, list[str]] = {}
        with httpx.Client(base_url=f"{self.url}/v1/matches", trust_env=False) as http:
            for phase, match_id in enumerate(PHASES):
                self._reach(http, match_id, phase)
            hook = {"url": "https://game.invalid/"}
            credentials = {"authorization": f"Bearer {self.key}"}
            answer = http.put(f"{self.url}/v1/webhooks/hook", json=hook, headers=credentials)
            assert answer.status_code == 201, answer.text

    def _reach(self, http: httpx.Client, match_id: str, phase: int) -> None:
        def put(place: str, body: dict[str, Any], bearer: str) -> httpx.Response:
            headers = {"authorization": f"Bearer {bearer}"}
            answer = http.put(f"/{match_id}{place}", json=body, headers=headers)
            assert answer.status_code == 201, answer.text
            return answer

        rules = {"rules": "oyna-backgammon", "length": 5} if match_id == "refereed" else {}
        self.tokens[match_id] = put("", PLAYERS | rules, self.key).json()["tokens"]
        steps = (("commitment", COMMITMENTS), ("seed", SEEDS))[: min(phase, 2)]
        for kind, values in steps:
            for player, value in enumerate(values):
                token = self.tokens[match_id][player]
                put(f"/players/{player}/{kind}", {kind: value}, token)
        if phase == 3:
            put("/rolls/0", {}, self.key)
            put("/end", {"reason": "finished"}, self.key)
        if phase == 4:
            put("/actions/0", {"type": "roll", "player": None}, self.key)

    def bearer(self, case: Any) -> str:
        """What opens this case's place, if anything does."""
        if "/players/" not in case.operation.path:
            return self.key
        tokens = self.tokens.get(str(case.path_parameters.get("match_id")), ["zp_" + "A" * 43] * 2)
        return tokens[case.path_parameters.get("player") in (1, "1")]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with ServiceProcess(tmp_path_factory.mktemp("schemathesis")) as process:
        yield World(process)
        logged = process.log_file.read_text()
        assert '"level":"error"' not in logged
        assert "Traceback" not in logged


# 409 is what a valid request for something not due gets; 404 one for no match of yours.
ACCEPTED = ["2xx", "304", "401", "403", "404", "409"]
# A wrong body may also be larger than any body may be: 413.
REFUSED = ["400", "401", "403", "404", "405", "409", "413", "415", "422"]
schema = schemathesis.openapi.from_dict(
    build_routes().openapi(),
    config=SchemathesisConfig.from_dict(
        {
            "checks": {
                "positive_data_acceptance": {"expected-statuses": ACCEPTED},
                "negative_data_rejection": {"expected-statuses": REFUSED},
            }
        }
    ),
)


def beyond_schema(case: Any) -> bool:
    """Whether a case may be refused for what a JSON Schema cannot say."""
    body = case.body if isinstance(case.body, dict) else {}
    players = body.get("players") or []
    return (
        case.operation.path.endswith("/seed")  # a seed other than the one committed to
        or "after" in (case.query or {})  # a cursor that no page gave
        or "url" in body  # http, or an address that is not posted to
        or bool(body.get("rules") or body.get("options"))  # a rule set that is not played so
        or any(isinstance(value, float) for value in body.values())  # 5.0 is an integer to it
        or not all(is_normalized("NFC", str(label)) for label in players)
    )


@schema.parametrize()
@settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)
def test_no_answer_is_undocumented(case: Any, world: World) -> None:
    name = case.path_parameters.get("match_id")
    if isinstance(name, str) and MATCH_ID.fullmatch(name):
        # Half of the well-formed ids are of a match that there is.
        index = sum(name.encode()) % (2 * len(PHASES))
        case.path_parameters["match_id"] = PHASES[index] if index < len(PHASES) else name
        if case.operation.path.endswith("/events") and index < len(PHASES):
            case.path_parameters["match_id"] = "ended"  # others have no end to wait for
    name = case.path_parameters.get("webhook_id")
    if isinstance(name, str) and MATCH_ID.fullmatch(name) and sum(name.encode()) % 2:
        case.path_parameters["webhook_id"] = "hook"
    headers = {"Authorization": f"Bearer {world.bearer(case)}"}
    skipped = [positive_data_acceptance] if beyond_schema(case) else []
    case.call_and_validate(base_url=world.url, headers=headers, excluded_checks=skipped, timeout=10)
