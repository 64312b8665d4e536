"""Who may do what: tokens with scopes, the Host and Origin checks, limits, security headers."""

import hashlib
import hmac
import itertools
import logging
import secrets
import threading
import time
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeAlias
from urllib.parse import urlsplit

from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse

from highseason_service import store
from highseason_service.database import Database

log = logging.getLogger("highseason_service")

Scope: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send: TypeAlias = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]

#: Each scope includes those before it.
SCOPES = ("read", "decide", "admin")

#: How long a change of tokens may take to be noticed, in seconds.
FRESH = 2.0

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})

HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


def digest(token: str) -> str:
    """What is kept of a token: it is random and long, so a plain hash cannot be guessed."""
    return hashlib.sha256(token.encode()).hexdigest()


def create_token(database: Database, name: str, scope: str) -> str:
    """Make a token; it is shown once, and only its hash is kept."""
    token = f"hs_{secrets.token_urlsafe(32)}"
    with database.write() as connection:
        if any(known["name"] == name for known in store.token_names(connection)):
            raise ValueError(f"there is a token {name!r} already: revoke it, or use another name")
        store.add_token(connection, name, scope, digest(token), datetime.now(UTC).isoformat())
    return token


class Tokens:
    """The tokens of a database, read again every few seconds.

    `required`: one is needed even while there is none.
    """

    def __init__(self, database: Database, required: bool) -> None:
        self._database, self.required = database, required
        self._lock, self._read_at = threading.Lock(), -FRESH
        self._scopes: dict[str, str] = {}

    @property
    def is_stale(self) -> bool:
        """Whether they have to be read again."""
        return time.monotonic() - self._read_at > FRESH

    def scopes(self) -> dict[str, str]:
        """The scope of each token, by its hash."""
        if not self.is_stale:
            return self._scopes
        with self._lock:
            if self.is_stale:
                with self._database.read() as connection:
                    self._scopes = store.token_scopes(connection)
                self._read_at = time.monotonic()
            return self._scopes

    @property
    def needed(self) -> bool:
        """Whether a token is needed at all."""
        return self.required or bool(self.scopes())

    def scope(self, token: str | None) -> str | None:
        """What a token allows; everything while none is needed, nothing if it is not known."""
        if not self.needed:
            return SCOPES[-1]
        if token is None:
            return None
        known, wanted = self.scopes().items(), digest(token)
        matches = [scope for one, scope in known if hmac.compare_digest(one, wanted)]
        return matches[0] if matches else None

    def check(self, authorization: str | None, wanted: str) -> None:
        """Refuse a request that may not do this."""
        kind, _, token = (authorization or "").partition(" ")
        scope = self.scope(token.strip() if kind.lower() == "bearer" else None)
        if scope is None:
            raise HTTPException(
                401,
                "a token is needed: send the header 'Authorization: Bearer …' with one that "
                "'highseason token create' has made",
                {"WWW-Authenticate": "Bearer"},
            )
        if not includes(scope, wanted):
            raise HTTPException(403, f"this needs the scope {wanted!r}; the token has {scope!r}")


def includes(scope: str, wanted: str) -> bool:
    """Whether a scope allows what another one does."""
    return SCOPES.index(scope) >= SCOPES.index(wanted)


@dataclass(frozen=True)
class RequestLimits:
    """What one client may ask for."""

    body: int = 8 * 2**20  # the greatest body, in bytes
    # the most requests per second and client, in bursts of as many; None: no limit
    rate: float | None = None


class _Bucket:
    """Requests of one client: one drips in every 1/rate seconds."""

    def __init__(self, rate: float) -> None:
        self.rate, self.level, self.at = rate, rate, time.monotonic()

    def take(self) -> bool:
        """Whether one more is allowed."""
        moment = time.monotonic()
        self.level = min(self.rate, self.level + (moment - self.at) * self.rate)
        self.at = moment
        if self.level < 1.0:
            return False
        self.level -= 1.0
        return True


class Guard:
    """The outermost layer of the app: checks each request, adds headers, logs and measures.

    `hosts` are the names under which the service may be asked for, None for all; `observe` is
    called with (method, route, status, seconds) of each request.
    """

    def __init__(
        self,
        app: App,
        hosts: frozenset[str] | None,
        limits: RequestLimits,
        observe: Callable[[str, str, int, float], None],
    ) -> None:
        self.app, self.hosts, self.limits, self.observe = app, hosts, limits, observe
        self._buckets: dict[str, _Bucket] = {}
        self._run, self._number = secrets.token_hex(4), itertools.count()  # of this process

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        begun, status = time.perf_counter(), 500
        request = f"{self._run}{next(self._number):08x}"

        async def answer(message: MutableMapping[str, Any]) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = _with_headers(message.get("headers", []), request)
            await send(message)

        try:
            refusal = self._refusal(scope)
            app = self.app if refusal is None else refusal
            await app(scope, _limited(receive, self.limits.body), answer)
        finally:
            self._report(scope, status, time.perf_counter() - begun, request)

    def _report(self, scope: Scope, status: int, seconds: float, request: str) -> None:
        route = getattr(scope.get("route"), "path", "other")
        method = scope["method"] if scope["method"] in METHODS else "other"  # it may be any word
        self.observe(method, route, status, seconds)
        log.info(
            "%s %s %d",
            scope["method"],
            scope["path"],
            status,
            extra={"status": status, "ms": round(1000 * seconds, 2), "request": request},
        )

    def _refusal(self, scope: Scope) -> JSONResponse | None:
        headers = {
            name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]
        }
        host = headers.get("host", "")
        if self.hosts is not None and _name(host) not in self.hosts:
            return _refused(421, f"this service does not answer for the host {_name(host)!r}")
        changes = scope["method"] not in ("GET", "HEAD", "OPTIONS")
        origin = headers.get("origin")
        if changes and origin is not None and origin.partition("://")[2] != host:
            return _refused(403, "requests of another site's pages are refused")
        length = headers.get("content-length", "0")
        if not length.isdigit() or int(length) > self.limits.body:
            return _refused(413, f"a request may have at most {self.limits.body} bytes")
        client = (scope.get("client") or ("",))[0]
        if self._allowed(client):
            return None
        return _refused(429, "too many requests: slow down", {"Retry-After": "1"})

    def _allowed(self, client: str) -> bool:
        if self.limits.rate is None:
            return True
        if len(self._buckets) > 10_000:
            self._buckets.clear()
        return self._buckets.setdefault(client, _Bucket(self.limits.rate)).take()


def _name(host: str) -> str:
    """The host without its port."""
    try:
        return (urlsplit(f"//{host}").hostname or "").lower()
    except ValueError:
        return ""


def _refused(status: int, detail: str, headers: dict[str, str] | None = None) -> JSONResponse:
    return JSONResponse({"detail": detail}, status, headers)


_PAIRS = [(name.encode(), value.encode()) for name, value in HEADERS.items()]


def _with_headers(headers: list[Any], request: str) -> list[Any]:
    mine = {name for name, _ in headers}
    added = [pair for pair in _PAIRS if pair[0] not in mine]
    return [*headers, *added, (b"x-request-id", request.encode())]


def _limited(receive: Receive, most: int) -> Receive:
    """Count the bytes that come; a client may lie about their number."""
    size = 0

    async def counted() -> MutableMapping[str, Any]:
        nonlocal size
        message = await receive()
        size += len(message.get("body", b""))
        if size > most:
            raise HTTPException(413, f"a request may have at most {most} bytes")
        return message

    return counted
