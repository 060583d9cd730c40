"""What the state machines of this folder share: who there is, how they ask, and power cuts."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test

from dice_service.subprocesses import ServiceProcess
from tests.e2e.play import fresh_id

PLAYERS = ("player 0", "player 1")
INTRUDERS = {"nobody": 401, "garbage": 401, "stranger": 404, "elsewhere": 404}
WHO = st.sampled_from([*INTRUDERS, *PLAYERS * 2, "reader", *["server"] * 4])


class Live(RuleBasedStateMachine):
    """Requests to a live service, in any order, that dies now and then.

    ``keys`` are the credentials that are the same in every match, by who has them; ``heard`` is
    all that was answered before the reveal. Which rules may run must not hang on the dice, which
    are others each time: a rule that has nothing to do does nothing.
    """

    service: ServiceProcess
    keys: dict[str, str]
    http: httpx.Client  # one for all examples: opening one costs more than a match

    def __init__(self) -> None:
        super().__init__()
        self.heard: list[bytes] = []

    @classmethod
    def connect(cls) -> None:
        cls.http = httpx.Client(base_url=f"{cls.service.url}/v1/matches/", trust_env=False)

    def send(
        self, method: str, path: str, who: str, tokens: list[str] | None = None, body: Any = None
    ) -> httpx.Response:
        """A request by someone; ``tokens`` are the players' of the match that it is about."""
        bearer = (self.keys | dict(zip(PLAYERS, tokens or (), strict=False))).get(who)
        headers = {} if bearer is None else {"authorization": f"Bearer {bearer}"}
        return self.http.request(method, path, headers=headers, json=body)

    @rule(now=st.sampled_from([*[False] * 9, True]))
    def die(self, now: bool) -> None:
        """A power cut."""
        if now:
            self.http.close()
            self.service.kill()
            self.service.start()
            self.connect()


@contextmanager
def _people(folder: Path) -> Iterator[tuple[ServiceProcess, dict[str, str]]]:
    with ServiceProcess(folder) as service:

        def key(owner: str, *scope: str) -> str:
            return service.command("api-key", "create", "--owner", owner, *scope)

        keys = {
            "server": key("club"),
            "stranger": key("rival"),
            "reader": key("club", "--scope", "match:read"),
            "garbage": "zk_garbage",
        }
        headers = {"authorization": f"Bearer {keys['server']}"}
        url = f"{service.url}/v1/matches/{fresh_id()}"
        other = httpx.put(url, json={"players": ["A", "B"]}, headers=headers, trust_env=False)
        yield service, keys | {"elsewhere": other.json()["tokens"][0]}


def run(machine: type[Live], folder: Path, *, examples: int, steps: int) -> None:
    """Let a machine run against a service of its own in ``folder``."""
    with _people(folder) as (machine.service, machine.keys):
        machine.connect()
        try:
            plan = settings(
                max_examples=examples,
                stateful_step_count=steps,
                deadline=None,
                phases=[Phase.generate],  # shrinking would restart the service for an hour
                suppress_health_check=list(HealthCheck),
            )
            run_state_machine_as_test(machine, settings=plan)
        finally:
            machine.http.close()
