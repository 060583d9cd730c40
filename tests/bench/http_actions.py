"""A refereed action over HTTP, durable and signed, against an endpoint that does nothing.

The matches are played out beforehand: the bench opens them, so it knows all three seeds, and with
them the dice to come. What is then sent is one legal action after another.
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from typing import Final

import httpx
import msgspec

from dice_service.state import begins_action
from dice_service.subprocesses import ServiceProcess
from tests.bench.harness import Figure, Pair, Plan, paired
from tests.bench.http import Running, dealt, remember
from tests.bench.load import Load
from tests.bench.prepared import Secrets, make_matches, match_ids, scratch
from tests.bench.processes import LoadProcess, baseline_server, load_process, server_cores
from tests.support.bots import play_out
from verifier import Verdict, verify_log
from verifier.log import decode_line

CONNECTIONS: Final = 64
RULE_SET, LENGTH = "oyna-backgammon", 5
ACTIONS: Final = 100  # in a match, at the least on average
FASTEST: Final = 6_000  # actions a second: so many are prepared
FIELDS: Final = ("type", "player", "moves", "auto")


def bodies(match_id: str, secrets: Secrets, seed: int) -> list[str]:
    """The actions of a whole match with these dice."""
    seeds = secrets.player_0, secrets.player_1
    played = play_out(
        RULE_SET, LENGTH, seed=seed, match_id=match_id, server_seed=secrets.server, seeds=seeds
    )
    found = []
    for seq, line in enumerate(played.lines):
        event = decode_line(line, seq)
        if begins_action(event):
            fields = msgspec.to_builtins(event)
            body = {name: fields[name] for name in (*FIELDS, "value") if name in fields}
            found.append(msgspec.json.encode(body).decode())
    return found


@contextmanager
def _pair(plan: Plan) -> Iterator[Pair]:
    warm_up, seconds = (0.1, 0.2) if plan.quick else (0.2, 1.0)
    count = int(plan.rounds * (warm_up + seconds) * FASTEST / ACTIONS) + 2 * CONNECTIONS
    ids = match_ids(count)
    with scratch() as folder, ExitStack() as stack:
        service = ServiceProcess(folder)
        service.command("init")
        key = service.command("api-key", "create", "--owner", "bench")
        secrets = make_matches(folder, ids, rules=RULE_SET, length=LENGTH)
        script = {one: bodies(one, secrets[seed], seed) for seed, one in enumerate(ids)}
        with server_cores():
            stack.enter_context(service)
        remember(Running(service, key), count)
        port = stack.enter_context(baseline_server("baseline_empty"))
        load = Load(service.port, key, dealt(count, CONNECTIONS), 0, "actions", "action", script)
        # What does nothing is asked twice a round, answers faster, and takes any match again.
        other = replace(load, port=port, matches=[ids * 10 for ids in load.matches])

        def rate(process: LoadProcess) -> float:
            return process.rate(warm_up, seconds)

        yield Pair(
            partial(rate, stack.enter_context(load_process(load))),
            partial(rate, stack.enter_context(load_process(other))),
        )
        _verify_one(service, key, ids[0])


def _verify_one(service: ServiceProcess, key: str, match_id: str) -> None:
    """Hold what was measured to be real: no line of the match that was played first is wrong."""
    headers = {"authorization": f"Bearer {key}"}
    log = httpx.get(f"{service.url}/v1/matches/{match_id}/log", headers=headers, trust_env=False)
    report = verify_log(log.content)
    assert report.verdict in (Verdict.CONSISTENT, Verdict.INCOMPLETE), report
    assert b'"type":"play"' in log.content


FIGURES: Final = (
    Figure(
        name="action-http-64",
        what=f"durable signed refereed actions a second over HTTP, {CONNECTIONS} connections",
        baseline="an empty FastAPI PUT with pydantic path and body on the same uvicorn settings",
        goal=0.6,
        direction="at_least",
        measure=paired(_pair),
    ),
)
