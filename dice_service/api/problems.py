"""Every refusal as problem+json (RFC 9457), FastAPI's and Starlette's own included."""

from collections.abc import Mapping

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from dice_service.errors import MEDIA_TYPE, PROBLEMS, Refusal

_MAX_FIELDS = 20  # as many faults as one answer lists
_MAX_NAME = 80

# What Starlette and FastAPI raise by status, in our codes and with what to do about it.
_OF_STATUS = {
    400: ("bad-request", "The request cannot be read."),
    404: ("not-found", "There is nothing here that you may see."),
    405: ("method-not-allowed", "The Allow header lists the methods that this place has."),
    415: ("unsupported-media", "Send the body as application/json."),
}


def not_found() -> Refusal:
    """The one refusal for what is not there and for what the caller may not know is there."""
    return Refusal(*_OF_STATUS[404])


def problem_response(
    refusal: Refusal, headers: Mapping[str, str] | None = None, *, close: bool = False
) -> Response:
    """The answer to a refusal; ``close`` ends the connection after it."""
    if refusal.code == "not-found":
        refusal = not_found()
    extra = {"cache-control": "no-store", **(headers or {})}
    if refusal.status == 401:
        extra["www-authenticate"] = 'Bearer realm="zarf"'
    if refusal.status == 503:
        extra.setdefault("retry-after", "1")
    if close:
        extra["connection"] = "close"
    return Response(refusal.body(), refusal.status, extra, MEDIA_TYPE)


def failure_response() -> Response:
    """The answer to a fault of ours, which tells nothing of it."""
    detail = "The service failed. What was asked may be done or not: send the request again."
    return problem_response(Refusal("internal", detail), close=True)


def invalid(error: Mapping[str, object]) -> tuple[str, str]:
    """One of pydantic's faults as (field, message), without the value that was sent."""
    location = error["loc"]
    assert isinstance(location, tuple)
    field = ".".join(str(part) for part in location) or "body"
    return field[:_MAX_NAME], str(error["msg"]).removeprefix("Value error, ")


def invalid_refusal(faults: list[tuple[str, str]]) -> Refusal:
    """The refusal of a request with these (field, message) faults."""
    field, message = faults[0]
    return Refusal("invalid", f"{field}: {message}", tuple(faults[:_MAX_FIELDS]))


def install(app: FastAPI) -> None:
    """Answer every refusal of ``app`` with a problem."""

    async def refused(_: Request, error: Exception) -> Response:
        assert isinstance(error, Refusal)
        return problem_response(error)

    async def not_valid(_: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)
        return problem_response(invalid_refusal([invalid(fault) for fault in error.errors()]))

    async def http_error(_: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        code, detail = _OF_STATUS.get(error.status_code, _OF_STATUS[400])
        return problem_response(Refusal(code, detail), error.headers)

    async def failed(_: Request, __: Exception) -> Response:
        return failure_response()  # Starlette raises the error again: Observe logs it

    app.add_exception_handler(Exception, failed)
    app.add_exception_handler(Refusal, refused)
    app.add_exception_handler(RequestValidationError, not_valid)
    app.add_exception_handler(HTTPException, http_error)


def documented() -> str:
    """The list of problem codes as Markdown, for the description of the API."""
    rows = [
        f"| `{code}` | {int(problem.status)} | {problem.title} |"
        for code, problem in PROBLEMS.items()
    ]
    return "\n".join(["| code | status | what it means |", "| --- | --- | --- |", *rows])
