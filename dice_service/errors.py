"""What the service raises, and the one registry of what a refusal means over HTTP."""

from http import HTTPStatus
from typing import NamedTuple

import msgspec

MEDIA_TYPE = "application/problem+json"


class Problem(NamedTuple):
    """A kind of refusal: its HTTP status and what it is called."""

    status: HTTPStatus
    title: str


PROBLEMS: dict[str, Problem] = {
    "bad-request": Problem(HTTPStatus.BAD_REQUEST, "The request cannot be read"),
    "not-authenticated": Problem(HTTPStatus.UNAUTHORIZED, "No valid credentials were sent"),
    "forbidden": Problem(HTTPStatus.FORBIDDEN, "These credentials do not allow this"),
    "not-found": Problem(HTTPStatus.NOT_FOUND, "There is nothing here that you may see"),
    "method-not-allowed": Problem(HTTPStatus.METHOD_NOT_ALLOWED, "Not with this method"),
    "request-timeout": Problem(HTTPStatus.REQUEST_TIMEOUT, "The request came too slowly"),
    "match-exists-differently": Problem(HTTPStatus.CONFLICT, "This match id is taken"),
    "commitment-differs": Problem(HTTPStatus.CONFLICT, "Another commitment stands already"),
    "commitments-equal": Problem(HTTPStatus.CONFLICT, "Two commitments would be equal"),
    "seed-differs": Problem(HTTPStatus.CONFLICT, "Another seed stands already"),
    "not-due": Problem(HTTPStatus.CONFLICT, "Something else is due first"),
    "roll-index-gap": Problem(HTTPStatus.CONFLICT, "Roll indices have no gaps"),
    "roll-differs": Problem(HTTPStatus.CONFLICT, "This roll was asked for differently before"),
    "end-differs": Problem(HTTPStatus.CONFLICT, "The match ended differently"),
    "rule-refused": Problem(HTTPStatus.CONFLICT, "The rules of the match do not allow this now"),
    "action-number-gap": Problem(HTTPStatus.CONFLICT, "Action numbers have no gaps"),
    "action-differs": Problem(HTTPStatus.CONFLICT, "Another action stands there already"),
    "refereed-match": Problem(HTTPStatus.CONFLICT, "In a refereed match this is done otherwise"),
    "dice-only-match": Problem(HTTPStatus.CONFLICT, "A dice-only match has no actions"),
    "match-ended": Problem(HTTPStatus.CONFLICT, "The match has ended"),
    "set-aside": Problem(HTTPStatus.CONFLICT, "The match is set aside after a restored backup"),
    "receipt-not-ready": Problem(HTTPStatus.CONFLICT, "The opening receipt is not complete yet"),
    "webhook-differs": Problem(HTTPStatus.CONFLICT, "Another webhook has this id"),
    "webhook-limit": Problem(HTTPStatus.CONFLICT, "There are too many webhooks"),
    "too-large": Problem(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "The body is too large"),
    "unsupported-media": Problem(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "The body must be JSON"),
    "invalid": Problem(HTTPStatus.UNPROCESSABLE_ENTITY, "The request holds a wrong value"),
    "seed-not-committed": Problem(
        HTTPStatus.UNPROCESSABLE_ENTITY, "The seed is not the one committed to"
    ),
    "rules-unknown": Problem(HTTPStatus.UNPROCESSABLE_ENTITY, "There is no such rule set"),
    "rules-inconsistent": Problem(HTTPStatus.UNPROCESSABLE_ENTITY, "The rule set is not played so"),
    "seeding-unsupported": Problem(
        HTTPStatus.UNPROCESSABLE_ENTITY, "This seeding is not offered yet"
    ),
    "head-too-large": Problem(
        HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, "The request's head is too large"
    ),
    "rate-limited": Problem(HTTPStatus.TOO_MANY_REQUESTS, "Too many requests"),
    "internal": Problem(HTTPStatus.INTERNAL_SERVER_ERROR, "The service failed"),
    "overloaded": Problem(HTTPStatus.SERVICE_UNAVAILABLE, "Too much is waiting to be written"),
    "storage-failed": Problem(HTTPStatus.SERVICE_UNAVAILABLE, "The storage failed"),
    "key-missing": Problem(HTTPStatus.SERVICE_UNAVAILABLE, "A key of this match is missing"),
    "not-ready": Problem(HTTPStatus.SERVICE_UNAVAILABLE, "The service is not ready"),
}


class ServiceError(Exception):
    """Root of every error this package raises. ``code`` is stable; the text is for people."""

    code = "service-error"


class SetupError(ServiceError):
    """The service cannot start as it is set up: a key, a file, a schema. One clear line."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(detail)
        self.code = code


class Refusal(ServiceError):  # noqa: N818 - it is an answer, not a fault
    """A request that is not done, with a code of :data:`PROBLEMS` and what to do instead.

    ``errors`` are (field, message) pairs where single fields are at fault. Where the rules of
    backgammon refuse, ``rule`` is their own code and ``detail_tr`` the detail in Turkish.
    """

    def __init__(
        self,
        code: str,
        detail: str,
        errors: tuple[tuple[str, str], ...] = (),
        *,
        rule: str = "",
        detail_tr: str = "",
    ) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail
        self.errors = errors
        self.rule = rule
        self.detail_tr = detail_tr

    @property
    def status(self) -> int:
        """The HTTP status that answers it."""
        return int(PROBLEMS[self.code].status)

    def body(self) -> bytes:
        """The answer's body: a problem detail of RFC 9457 with ``code`` besides."""
        problem = PROBLEMS[self.code]
        fields: dict[str, object] = {
            "type": f"urn:zarf:problem:{self.code}",
            "title": problem.title,
            "status": int(problem.status),
            "detail": self.detail,
            "code": self.code,
        }
        if self.rule:
            fields |= {"rule": self.rule, "detail_tr": self.detail_tr}
        if self.errors:
            fields["errors"] = [{"field": f, "message": m} for f, m in self.errors]
        return msgspec.json.encode(fields)
