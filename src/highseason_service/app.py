"""The web application: the API, its description, the dashboard, health, metrics."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import ClassVar

import anyio.to_thread
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily
from starlette.exceptions import HTTPException
from starlette.middleware.trustedhost import TrustedHostMiddleware

from highseason import __version__
from highseason_service.dashboard import router as dashboard
from highseason_service.description import router as description
from highseason_service.errors import ServiceError, in_words
from highseason_service.experiments import MOST_WAITING, Service
from highseason_service.ofrep import router as ofrep
from highseason_service.routes import READ, Problem, router
from highseason_service.security import LOOPBACK, Guard, Tokens
from highseason_service.views import Views
from highseason_service.web import FOLDER, Assets

#: How many requests are worked on at a time.
THREADS = 2 * MOST_WAITING


def create_app(
    service: Service,
    *,
    hosts: frozenset[str] | None = LOOPBACK,
    require_token: bool = False,
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
    app.state.service, app.state.metrics = service, Metrics(service)
    app.state.tokens = Tokens(service.database, require_token)
    app.include_router(router)
    app.include_router(ofrep)
    _add_operations(app)
    app.state.views = Views(service)
    app.mount("/static", Assets(directory=FOLDER), name="static")
    app.include_router(dashboard)
    app.include_router(description)
    app.add_exception_handler(ServiceError, _service_error)
    app.add_exception_handler(HTTPException, _http_error)
    app.add_exception_handler(RequestValidationError, _invalid)
    observe = app.state.metrics.observe
    names = ["*"] if hosts is None else sorted(hosts)
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=names, www_redirect=False)
    app.add_middleware(Guard, observe=observe)
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
        dependencies=READ,
        response_class=Response,
        responses={200: {"content": {"text/plain": {}}}, 401: {"model": Problem}},
    )
    def metrics() -> Response:
        """Numbers for Prometheus."""
        return Response(app.state.metrics.text(), media_type="text/plain; version=0.0.4")


async def _service_error(request: Request, reason: Exception) -> Response:
    assert isinstance(reason, ServiceError), "the handler is for these"
    headers = {"Retry-After": "1"} if reason.status == 503 else None
    return JSONResponse({"detail": str(reason)}, reason.status, headers)


async def _http_error(request: Request, reason: Exception) -> Response:
    assert isinstance(reason, HTTPException), "the handler is for these"
    status, detail = reason.status_code, reason.detail
    if status == 400:  # the parser gave up
        status, detail = 422, "the body cannot be read: too deep a nesting, or too long a number"
    return JSONResponse({"detail": detail}, status, reason.headers)


async def _invalid(request: Request, reason: Exception) -> Response:
    assert isinstance(reason, RequestValidationError), "the handler is for these"
    return JSONResponse({"detail": in_words(reason.errors())}, 422)


#: The edges of the histogram of answer times, in seconds.
EDGES = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)


class ExperimentGauges:
    """What someone who runs experiments wants to know of each that is not archived."""

    TEXTS: ClassVar = {
        "decisions": "Turns decided.",
        "rewards_waiting": "Decided turns that are over and have no reward.",
        "days_since_reward": "Days since the end of the last turn with a reward.",
        "clipped_rewards": "Rewards outside the range.",
        "days_left": "Days of the forecast to come.",
    }

    def __init__(self, service: Service) -> None:
        self.service, self.views = service, Views(service)

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """A gauge for each number."""
        gauges = {
            name: GaugeMetricFamily(f"highseason_experiment_{name}", text, labels=["experiment"])
            for name, text in self.TEXTS.items()
        }
        for one in self.service.experiments():
            if one.status != "archived":
                for name, value in self.views.get(one.id).numbers().items():
                    gauges[name].add_metric([one.id], value)
        yield from gauges.values()

    def describe(self) -> list[GaugeMetricFamily]:
        """Nothing before it is asked: to register it must not read the database."""
        return []


class Metrics:
    """What one app has counted."""

    def __init__(self, service: Service) -> None:
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
        made = Gauge("highseason_transactions", "Changes committed.", registry=self.registry)
        made.set_function(lambda: service.committed)
        text = "Bandits rebuilt from their events."
        rebuilt = Gauge("highseason_rebuilds", text, registry=self.registry)
        rebuilt.set_function(lambda: service.rebuilt)
        self.registry.register(ExperimentGauges(service))

    def observe(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count one request."""
        self.requests.labels(method, route, str(status)).inc()
        self.seconds.labels(method, route).observe(seconds)

    def text(self) -> bytes:
        """In the format that Prometheus reads."""
        return generate_latest(self.registry)
