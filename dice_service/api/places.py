"""The places of the API: which template a path belongs to and what methods it has."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from starlette.routing import BaseRoute, Route

MATCH = "/v1/matches/{match_id}"
ROLL = MATCH + "/rolls/{index}"
ACTION = MATCH + "/actions/{number}"
EVENTS = MATCH + "/events"
WEBHOOKS = "/v1/webhooks"
WEBHOOK = WEBHOOKS + "/{webhook_id}"


@dataclass(frozen=True, slots=True)
class Place:
    """One path template. ``allow`` is the value of its Allow header."""

    template: str
    pattern: re.Pattern[str]
    methods: frozenset[str]

    @property
    def allow(self) -> str:
        """The methods, HEAD and OPTIONS included."""
        return ", ".join(sorted(self.methods))


class Places:
    """All path templates; ``first`` names the one looked at first, the busiest."""

    def __init__(self, routes: Iterable[BaseRoute], first: str = "") -> None:
        found: dict[str, tuple[re.Pattern[str], set[str]]] = {}
        for route in routes:
            if isinstance(route, Route):
                _, methods = found.setdefault(route.path, (route.path_regex, {"OPTIONS"}))
                methods |= route.methods or set()
                methods |= {"HEAD"} if "GET" in methods else set()
        self._places = sorted(
            (
                Place(path, pattern, frozenset(methods))
                for path, (pattern, methods) in found.items()
            ),
            key=lambda place: place.template != first,
        )

    def find(self, path: str) -> tuple[Place, str | None] | None:
        """The place of a path and the match id in it; None where there is nothing."""
        for place in self._places:
            if match := place.pattern.match(path):
                return place, match.groupdict().get("match_id")
        return None
