"""The web application: the API, its description, the dashboard, health, metrics."""

import math
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import anyio.to_thread
from fastapi import FastAPI, Request, Response
from fastapi.responses import JSONResponse
from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily
from starlette.middleware.trustedhost import TrustedHostMiddleware

from highseason import __version__
from highseason.traffic import LENGTHS
from highseason_service import store
from highseason_service.dashboard import router as dashboard
from highseason_service.errors import UnconfirmedError
from highseason_service.experiments import MOST_WAITING, Service
from highseason_service.model import MOST_TURNS, Summary
from highseason_service.ofrep import router as ofrep
from highseason_service.routes import READ, Problem, router
from highseason_service.security import LOOPBACK, Guard, Tokens
from highseason_service.views import Views
from highseason_service.web import FOLDER, REFUSALS, Assets, problem

#: How many requests are worked on at a time.
THREADS = 2 * MOST_WAITING


def create_app(
    service: Service, *, hosts: frozenset[str] | None = LOOPBACK, require_token: bool = False
) -> FastAPI:
    """The application.

    Args:
        service: What it serves; it is closed when the application ends.
        hosts: The names under which it may be asked for; None allows all.
        require_token: Whether a token is needed even while there is none.
    """
    app = FastAPI(
        title="highseason",
        summary="Decisions for demand that comes in seasons.",
        version=__version__,
        docs_url=None,  # FastAPI's pages load scripts from the network
        redoc_url=None,
        lifespan=_lifespan,
    )
    app.state.service, app.state.views = service, Views(service)
    app.state.metrics = Metrics(service)
    app.state.flags = {}  # as OpenFeature's clients were answered last
    app.state.tokens = Tokens(service.database, require_token)
    app.include_router(router)
    app.include_router(ofrep)
    _add_operations(app)
    app.mount("/static", Assets(directory=FOLDER), name="static")
    app.include_router(dashboard)
    for kind in REFUSALS:
        app.add_exception_handler(kind, _refused)
    names = ["*"] if hosts is None else sorted(hosts)
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=names, www_redirect=False)
    app.add_middleware(Guard, observe=app.state.metrics.observe)
    return app


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    anyio.to_thread.current_default_thread_limiter().total_tokens = THREADS
    yield
    await anyio.to_thread.run_sync(app.state.service.close)


def _add_operations(app: FastAPI) -> None:
    @app.head("/health", include_in_schema=False)
    @app.get("/health", tags=["operations"])
    async def health() -> dict[str, str]:
        """Whether the process is alive."""
        return {"status": "alive"}

    @app.get("/ready", tags=["operations"], responses={503: {"model": Problem}})
    def ready() -> dict[str, str]:
        """Whether the database answers, and takes changes."""
        app.state.service.database.check_writable()
        return {"status": "ready"}

    @app.get(
        "/metrics",
        tags=["operations"],
        dependencies=[READ],
        response_class=Response,
        responses={200: {"content": {"text/plain": {}}}, 401: {"model": Problem}},
    )
    def metrics() -> Response:
        """Numbers for Prometheus."""
        text = generate_latest(app.state.metrics.registry)
        return Response(text, media_type="text/plain; version=0.0.4")


async def _refused(request: Request, reason: Exception) -> Response:
    status, detail = problem(reason)
    if status == 400:  # the parser gave up
        status, detail = 422, "the body cannot be read: too deep a nesting, or too long a number"
    headers = {"Retry-After": "1"} if status == 503 else getattr(reason, "headers", None)
    body: dict[str, Any] = {"detail": detail}
    if isinstance(reason, UnconfirmedError):
        body["detail"] += '. To confirm, send "confirm": true'
        body |= {"code": reason.code, "questions": reason.questions}
    return JSONResponse(body, status, headers)


#: The edges of the histogram of answer times, in seconds.
EDGES = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)

#: What someone who runs experiments wants to know of each that is not archived.
GAUGES = {
    "decisions": "Turns decided.",
    "rewards_waiting": "Decided turns that are over and have no reward.",
    "days_since_reward": "Days since the end of the last turn with a reward.",
    "days_left": "Days of the forecast to come.",
}


class Metrics:
    """What one app has counted, and the numbers of its experiments."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self._numbers: dict[str, tuple[Any, dict[str, float]]] = {}
        self.registry = CollectorRegistry()
        self.requests = Counter(
            "highseason_requests",
            "Requests answered.",
            ["method", "route", "status"],
            registry=self.registry,
        )
        self.seconds = Histogram(
            "highseason_request_seconds",
            "How long answers took.",
            ["method", "route"],
            buckets=EDGES,
            registry=self.registry,
        )
        self.registry.register(self)

    def observe(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count one request."""
        self.requests.labels(method, route, str(status)).inc()
        self.seconds.labels(method, route).observe(seconds)

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """A gauge for each number of the service and of the experiments."""
        done, built = "Changes committed.", "Bandits rebuilt from their events."
        yield GaugeMetricFamily("highseason_transactions", done, self.service.committed)
        yield GaugeMetricFamily("highseason_rebuilds", built, self.service.rebuilt)
        gauges = {
            name: GaugeMetricFamily(f"highseason_experiment_{name}", text, labels=["experiment"])
            for name, text in GAUGES.items()
        }
        for one in self.service.present():
            for name, value in self.numbers(one).items():
                gauges[name].add_metric([one.id], value)
        yield from gauges.values()

    def numbers(self, one: Summary) -> dict[str, float]:
        """What an operator watches in an experiment, read again where something has changed."""
        turns = self.service.outline(one).forecast
        over = MOST_TURNS if turns.calendar is None else turns.progress(self.service.clock())[1]
        known, numbers = self._numbers.get(one.id, (None, {}))
        if known != (one.events, over):
            with self.service.database.ask() as connection:
                decided, rewarded, late = store.counts(connection, one.id, over)
            days = LENGTHS.get(turns.unit, math.nan) / LENGTHS["day"]
            since, left = max(0, over - rewarded), len(turns.values) - over
            values = decided, late, days * since, days * left
            numbers = dict(zip(GAUGES, values, strict=True))
            self._numbers[one.id] = (one.events, over), numbers
        return numbers
