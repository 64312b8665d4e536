"""The service as a process: which address it listens on, who may ask, and how it ends."""

import asyncio
import json
import logging
import socket
import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import TextIO

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from highseason_service.app import create_app
from highseason_service.experiments import Service
from highseason_service.security import LOOPBACK, Tokens

log = logging.getLogger("highseason_service")

#: The most connections at a time, below the 1,024 files that systemd allows; more get 503 at once.
CONNECTIONS = 800
_BUSY = b"HTTP/1.1 503 Busy\r\nretry-after: 1\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"

#: How long the head of a request may take to come, in seconds.
HEAD_SECONDS = 10.0

#: How long a client may read nothing of an answer, in seconds; and after SIGTERM.
READ_SECONDS, LAST_SECONDS = 20.0, 2.0

#: How long requests that are under way may take after SIGTERM, in seconds.
GRACE = 30

#: How long a thread may keep the interpreter while another waits for it, in seconds.  A request
#: gives it up at each statement; with the usual 5 ms it would wait for the others each time.
SWITCH = 0.0005


class HurriedProtocol(H11Protocol):
    """HTTP as uvicorn speaks it, but who sends half a request, or reads no answer, is closed."""

    _late: asyncio.TimerHandle | None = None
    _unread = 0  # bytes of answers, at the last look

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        """Take a connection, or say that there are too many."""
        super().connection_made(transport)
        if len(self.connections) > CONNECTIONS:
            transport.write(_BUSY)
            transport.close()
        self._watch()
        self._look = READ_SECONDS / 2
        self._reading = self.loop.call_later(self._look, self._check_reading)

    def shutdown(self) -> None:
        """Close the connection after the answer that is under way, if it is read."""
        super().shutdown()
        self._reading.cancel()
        self._unread, self._look = 0, LAST_SECONDS / 2
        self._check_reading()

    def resume_writing(self) -> None:
        """Go on: something was read."""
        super().resume_writing()
        self._unread = 0

    def _check_reading(self) -> None:
        """Cut the connection if nothing was read of an answer since the last look."""
        unread = self.transport.get_write_buffer_size()
        if 0 < self._unread <= unread:
            self.transport.abort()
        self._unread = unread
        self._reading = self.loop.call_later(self._look, self._check_reading)

    def data_received(self, data: bytes) -> None:
        """Take what comes."""
        super().data_received(data)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        super().connection_lost(exc)
        self._reading.cancel()
        if self._late is not None:
            self._late.cancel()

    def _watch(self) -> None:
        """Close the connection in a while, unless a request is there."""
        is_idle = self.cycle is None or self.cycle.response_complete
        if self._late is not None and not is_idle:
            self._late.cancel()
            self._late = None
        elif self._late is None and is_idle:
            self._late = self.loop.call_later(HEAD_SECONDS, self.transport.close)


def serve(
    service: Service,
    host: str = "127.0.0.1",
    port: int = 8000,
    *,
    names: Sequence[str] = (),
    started: Callable[[str], None] = lambda url: None,
) -> None:
    """Serve until SIGTERM or Ctrl-C; what is under way is finished.

    Args:
        service: What to serve; it is closed at the end.
        host: The address to listen on.  Off loopback, or with `names`, requests need a token.
        port: The port; 0 takes a free one.
        names: Further host names under which it may be asked for, such as that of a proxy.
        started: Called with the URL once the port is open.
    """
    others = sorted({name.lower() for name in names} - LOOPBACK)
    local = host in LOOPBACK and not others  # behind a proxy, everyone seems to be on this machine
    if not local and not Tokens(service.database, True).scopes():
        option = f"--allow-host {others[0]}" if others else f"--host {host}"
        raise ValueError(
            f"{option} lets others reach the service, and there is no token: make one with "
            "'highseason token create', or serve on 127.0.0.1"
        )
    hosts = frozenset((LOOPBACK if host in LOOPBACK else frozenset()) | set(others))
    app = create_app(service, hosts=hosts or None, require_token=not local)
    if local and not app.state.tokens.scopes():
        log.warning("no tokens: everyone on this machine may do everything")
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=GRACE,
        http=HurriedProtocol,
        proxy_headers=bool(others),  # without a proxy, a client could name any address
    )
    sys.setswitchinterval(SWITCH)
    try:  # who asks first should not wait until the logs of all are read
        list(app.state.metrics.collect())
    except Exception:  # the others can be served
        log.exception("the experiments cannot all be read")
    with listen(host, port) as listener:
        address = f"[{host}]" if ":" in host else host
        started(f"http://{address}:{listener.getsockname()[1]}")
        uvicorn.Server(config).run(sockets=[listener])


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens on an address; port 0 is a free one."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Named as TCP, so that asyncio turns off Nagle's algorithm: it delays answers by 40 ms.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    # Of each connection; in more, a slow reader would look like one who reads nothing for minutes.
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 2**17)
    try:
        listener.bind((host, port))
        listener.listen(1024)
    except OSError as reason:
        listener.close()
        raise OSError(f"cannot listen on {host}:{port}: {reason.strerror or reason}") from reason
    return listener


class JsonFormatter(logging.Formatter):
    """One line of JSON per record: when, how bad, what, and the numbers of a request."""

    def format(self, record: logging.LogRecord) -> str:
        """Write a record."""
        entry = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "message": record.getMessage(),
        }
        entry |= {k: v for k, v in vars(record).items() if k in ("status", "ms", "request")}
        if record.exc_info:
            entry["error"] = self.formatException(record.exc_info)
        return json.dumps(entry)


def start_logging(stream: TextIO = sys.stderr) -> None:
    """Send the logs to a stream: plain lines to a terminal, JSON to programs."""
    handler = logging.StreamHandler(stream)
    plain = logging.Formatter("%(asctime)s %(levelname)-7s %(message)s", "%H:%M:%S")
    handler.setFormatter(plain if stream.isatty() else JsonFormatter())
    for name in ("highseason_service", "uvicorn.error"):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(logging.INFO)
    logging.getLogger("uvicorn.access").disabled = True  # the service logs requests itself
