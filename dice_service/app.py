"""The application: the routers, and around them what every request passes through."""

from fastapi import FastAPI
from fastapi_offline import FastAPIOffline
from starlette.types import ASGIApp

from dice_service import telemetry
from dice_service.api import (
    actions,
    events,
    health,
    keys,
    matches,
    openapi,
    pages,
    players,
    problems,
    rolls,
    webhooks,
)
from dice_service.api.hot import HotPath
from dice_service.api.limits import Limits
from dice_service.api.methods import Methods
from dice_service.api.observe import HEADERS, Observe, hot_observer
from dice_service.api.places import ROLL, Places
from dice_service.api.rates import RateLimited, Rates, hot_counter, hot_owner
from dice_service.service import Service

ROUTERS = (
    matches.router,
    events.router,
    players.router,
    rolls.router,
    actions.router,
    webhooks.router,
    keys.router,
    health.router,
    pages.router,
)


def build_routes() -> FastAPI:
    """The routes alone, with their document: what :mod:`dice_service.api.openapi` writes out."""
    # FastAPI's own /docs loads its scripts from a third party; these come with the service.
    app = FastAPIOffline(
        title=openapi.TITLE,
        version=openapi.VERSION,
        description=openapi.description(),
        redirect_slashes=False,
        redoc_url=None,
        telemetry=telemetry.NONE_OF_FASTAPIS,
    )
    for router in ROUTERS:
        app.include_router(router)
    problems.install(app)
    openapi.install(app)
    return app


def build_app(service: Service, *, hot: bool = True) -> ASGIApp:
    """The whole application over an open service.

    ``hot=False`` leaves the short cut for rolls and actions out; the answers are the same.
    """
    routes = build_routes()
    metrics = service.metrics
    routes.state.service = service
    own = [route for router in ROUTERS for route in router.routes]
    places = Places([*own, *routes.routes], first=ROLL)
    settings = service.settings
    app: ASGIApp = Methods(routes, places=places)
    app = Limits(app, max_body=settings.max_body, timeout=settings.request_timeout)
    rates = Rates(settings)
    if rates.keys or rates.tokens or rates.addresses:
        app = RateLimited(app, rates)
    app = Observe(app, places=places, metrics=metrics)
    known_owner = service.auth.known_owner
    if hot:
        app = HotPath(
            app,
            service.matches,
            owner_of=hot_owner(rates.keys, known_owner) if rates.keys else known_owner,
            count=hot_counter(rates.keys) if rates.keys else None,
            observe=hot_observer(metrics, debug=settings.log_level == "debug"),
            headers=HEADERS,
            timeout=settings.request_timeout,
        )
    return service.traces.requests(app, places) if service.traces else app
