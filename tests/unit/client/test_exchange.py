"""Retries and refusals, told by the flow alone: nothing here waits or opens a socket."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import httpx
import pytest

from dice_service.answers import RollAnswer
from dice_service.client import RefusedError, Retries, UnexpectedAnswerError, UnreachableError
from dice_service.client.exchange import Flow, Pause, Request, Session, decoded, exchange
from tests.unit.client.peer import problem

ASKED = Request("PUT", "/v1/matches/m-1/rolls/0", b"{}")
LOST = httpx.ReadTimeout("timed out")


def started(retries: Retries | None = None) -> Flow[httpx.Response]:
    flow = exchange(Session(retries or Retries()), ASKED)
    assert next(flow) == ASKED
    return flow


def answered(response: httpx.Response) -> httpx.Response:
    response.request = httpx.Request("PUT", "http://dice.test/v1/matches/m-1/rolls/0")
    return response


def pause(flow: Flow[httpx.Response], reply: httpx.Response | httpx.RequestError) -> float:
    step = flow.send(reply if isinstance(reply, httpx.RequestError) else answered(reply))
    assert isinstance(step, Pause)
    return step.seconds


@pytest.mark.parametrize("lost", [LOST, httpx.ConnectError("refused"), problem("overloaded", 503)])
def test_what_was_lost_is_sent_again_unchanged(lost: httpx.Response | httpx.RequestError) -> None:
    flow = started()
    pause(flow, lost)
    assert flow.send(None) == ASKED
    with pytest.raises(StopIteration) as stop:
        flow.send(answered(httpx.Response(201)))
    assert stop.value.value.status_code == 201


def test_it_is_sent_no_more_often_than_the_limit_says() -> None:
    flow = started(Retries(attempts=3))
    for _ in range(2):
        pause(flow, LOST)
        assert flow.send(None) == ASKED
    with pytest.raises(UnreachableError, match=r"3 tries \(timed out\)"):
        flow.send(LOST)


def test_the_wait_is_drawn_from_a_range_that_doubles_up_to_the_longest() -> None:
    retries = Retries(first=0.1, longest=1.0)
    for repeat, most in enumerate([0.1, 0.2, 0.4, 0.8, 1.0, 1.0]):
        waits = [retries.wait(repeat, LOST) for _ in range(200)]
        assert max(waits) <= most
        assert max(waits) > most / 2  # 200 draws all below half: 2 ** -200
        assert min(waits) < most / 2


def test_retry_after_is_waited_out() -> None:
    assert 7.0 <= pause(started(), problem("overloaded", 503, **{"retry-after": "7"})) <= 7.1


def test_retry_after_may_be_a_date() -> None:
    date = format_datetime(datetime.now(UTC) + timedelta(seconds=20), usegmt=True)
    assert 18.0 < pause(started(), problem("overloaded", 503, **{"retry-after": date})) <= 20.1


def test_a_retry_after_beyond_patience_is_raised_at_once() -> None:
    refusal = answered(problem("overloaded", 503, **{"retry-after": "3600"}))
    with pytest.raises(RefusedError) as error:
        started().send(refusal)
    assert (error.value.code, error.value.status) == ("overloaded", 503)


@pytest.mark.parametrize("value", ["soon", "-1", "1.5", "", "٣"])
def test_a_retry_after_that_is_none_is_not_waited_for(value: str) -> None:
    headers = [("retry-after", value.encode())]
    assert (
        pause(started(), httpx.Response(503, headers=[(n.encode(), v) for n, v in headers])) <= 0.1
    )


def test_a_refusal_is_not_sent_again_and_keeps_code_status_and_detail() -> None:
    with pytest.raises(RefusedError) as error:
        started().send(answered(problem("roll-index-gap", 409, "the next roll is 3")))
    refused = error.value
    assert (refused.code, refused.status, refused.detail) == (
        "roll-index-gap",
        409,
        "the next roll is 3",
    )


@pytest.mark.parametrize(
    "response",
    [
        httpx.Response(404, html="<html>no such page</html>"),
        httpx.Response(302, headers={"location": "/login"}),
        httpx.Response(400, json={"detail": "not our problem"}),
        httpx.Response(409, headers={"content-type": "application/problem+json"}, content=b"{}"),
    ],
)
def test_an_error_that_is_not_the_services_own_is_unexpected(response: httpx.Response) -> None:
    with pytest.raises(UnexpectedAnswerError, match="Is this the dice service's address"):
        started().send(answered(response))


ROLL = (
    b'{"match_id":"m","index":0,"dice":[3,4],"purpose":"turn","player":null,"receipt":'
    b'{"type":"roll_receipt","match_id":"m","key_id":"0123456789abcdef","seq":7,"head":"'
    + b"a" * 64
    + b'","sig":"'
    + b"b" * 128
    + b'","line":"x"}}'
)


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("text/html", b"<html>5-3</html>"),
        ("text/html", ROLL),
        ("", ROLL),
        ("application/json", ROLL.replace(b"[3,4]", b"[3]")),
        ("application/json", ROLL.replace(b"[3,4]", b'"34"')),
        ("application/json", ROLL.replace(b'"index":0,', b"")),
        ("application/json", b"[3,4]"),
        ("application/json", b"\xff"),
        ("application/json", b""),
    ],
)
def test_an_answer_of_another_kind_or_shape_is_never_dice(kind: str, body: bytes) -> None:
    assert decoded(json_answer("application/json", ROLL), RollAnswer).dice == (3, 4)
    with pytest.raises(UnexpectedAnswerError):
        decoded(json_answer(kind, body), RollAnswer)


def json_answer(kind: str, body: bytes) -> httpx.Response:
    return answered(
        httpx.Response(201, headers={"content-type": kind} if kind else {}, content=body)
    )
