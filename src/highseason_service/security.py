"""Who may do what: tokens with scopes, the Host and Origin checks, limits, security headers."""

import asyncio
import hashlib
import hmac
import itertools
import logging
import secrets
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from highseason_service import store
from highseason_service.database import Database

log = logging.getLogger("highseason_service")

#: Each scope includes those before it.
SCOPES = ("read", "decide", "admin")

#: How long a change of tokens may take to be noticed, in seconds.
FRESH = 2.0

#: The greatest body, in bytes, and how long it may take to come, in seconds.
MOST_BYTES, BODY_SECONDS = 8 * 2**20, 20.0

#: The greatest body of a form that is read before its sender is known, and of what is not used.
SMALL_BYTES, SMALL = 2**16, ("/sign-in", "/sign-out", "/ofrep/")

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1", "[::1]"})

HEADERS = {
    b"content-security-policy": (
        b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        b"connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    b"x-content-type-options": b"nosniff",
    b"x-frame-options": b"DENY",
    b"referrer-policy": b"same-origin",
    b"cross-origin-opener-policy": b"same-origin",
    b"cross-origin-resource-policy": b"same-origin",
    b"cache-control": b"no-store",
}


def digest(token: str) -> str:
    """What is kept of a token: it is random and long, so a plain hash cannot be guessed."""
    return hashlib.sha256(token.encode()).hexdigest()


def create_token(database: Database, name: str, scope: str) -> str:
    """Make a token; it is shown once, and only its hash is kept."""
    token = f"hs_{secrets.token_urlsafe(32)}"
    with database.write() as connection:
        if any(known.name == name for known in store.all_tokens(connection)):
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
                    self._scopes = {one.hash: one.scope for one in store.all_tokens(connection)}
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
        return next((scope for one, scope in known if hmac.compare_digest(one, wanted)), None)

    def check(self, authorization: str | None, wanted: str) -> None:
        """Refuse a request that may not do this."""
        kind, _, token = (authorization or "").partition(" ")
        scope = self.scope(token.strip() if kind.lower() == "bearer" else None)
        if scope is None:
            reason = "this token is not known, or was revoked" if token else "a token is needed"
            raise HTTPException(
                401,
                f"{reason}: send the header 'Authorization: Bearer …' with one that 'highseason "
                "token create' has made",
                {"WWW-Authenticate": "Bearer"},
            )
        if not includes(scope, wanted):
            raise HTTPException(403, f"this needs the scope {wanted!r}; the token has {scope!r}")


def includes(scope: str, wanted: str) -> bool:
    """Whether a scope allows what another one does."""
    return SCOPES.index(scope) >= SCOPES.index(wanted)


class Guard:
    """The outermost layer of the app: checks each request, adds headers, logs and measures.

    `observe` is called with (method, route, status, seconds) of each request.
    """

    def __init__(self, app: ASGIApp, observe: Callable[[str, str, int, float], None]) -> None:
        self.app, self.observe = app, observe
        self._run, self._number = secrets.token_hex(4), itertools.count()  # of this process

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        begun, status = time.perf_counter(), 0
        request = f"{self._run}{next(self._number):08x}"

        async def answer(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                own, mine = message["headers"], HEADERS | {b"x-request-id": request.encode()}
                names = {name for name, _ in own}
                message["headers"] = [*own, *(one for one in mine.items() if one[0] not in names)]
            await send(message)

        try:
            most = SMALL_BYTES if scope["path"].startswith(SMALL) else MOST_BYTES
            app = _refusal(scope, most) or self.app
            await app(scope, _limited(receive, most), answer)
        except Exception:  # any fault: it is logged, and answered like the others
            log.exception("request %s failed", request)
            if not status:
                detail = f"something is wrong here: see request {request} in the log"
                await JSONResponse({"detail": detail}, 500)(scope, receive, answer)
        finally:
            seconds, status = time.perf_counter() - begun, status or 500
            route, word = getattr(scope.get("route"), "path", "other"), scope["method"]
            self.observe(word if word in METHODS else "other", route, status, seconds)
            numbers = {"status": status, "ms": round(1000 * seconds, 2), "request": request}
            log.info("%s %s %d", word, scope["path"], status, extra=numbers)


def _refusal(scope: Scope, most: int) -> JSONResponse | None:
    headers = Headers(scope=scope)
    changes, origin = scope["method"] not in ("GET", "HEAD", "OPTIONS"), headers.get("origin")
    if changes and origin is not None and origin.partition("://")[2] != headers.get("host", ""):
        detail = "requests of another site's pages are refused: ask from your server (the guide "
        return JSONResponse({"detail": f"{detail}'Ask from any language')"}, 403)
    length = headers.get("content-length", "0")
    if not length.isdigit() or int(length) > most:
        return JSONResponse({"detail": f"this request may have at most {most} bytes"}, 413)
    return None


def _limited(receive: Receive, most: int) -> Receive:
    """Count the bytes that come, as a client may lie about their number, and their time."""
    size, more = 0, True
    deadline = asyncio.get_running_loop().time() + BODY_SECONDS

    async def counted() -> Message:
        nonlocal size, more
        try:
            async with asyncio.timeout_at(deadline if more else None):
                message = await receive()
        except TimeoutError:
            raise HTTPException(408, f"the body did not come in {BODY_SECONDS:g} s") from None
        more = message.get("more_body", False)
        size += len(message.get("body", b""))
        if size > most:
            raise HTTPException(413, f"this request may have at most {most} bytes")
        return message

    return counted
