"""The service as a process: which address it listens on, who may ask, and how it ends."""

import logging
import socket
import sys
from collections.abc import Callable, Sequence

import uvicorn

from highseason.service.app import create_app
from highseason.service.database import warn_of_old_sqlite
from highseason.service.experiments import Service
from highseason.service.security import LOOPBACK, RequestLimits, Tokens

log = logging.getLogger("highseason.service")

#: How long requests that are under way may take after SIGTERM, in seconds.
GRACE = 30

#: How long a thread may keep the interpreter while another waits for it, in seconds.  The writer
#: gives it up at each statement; with the usual 5 ms it would wait for the requests each time.
SWITCH = 0.0005


def serve(
    service: Service,
    host: str = "127.0.0.1",
    port: int = 8000,
    *,
    names: Sequence[str] = (),
    limits: RequestLimits | None = None,
    started: Callable[[str], None] = lambda url: None,
) -> None:
    """Serve until SIGTERM or Ctrl-C; what is under way is finished.

    Args:
        service: What to serve; it is closed at the end.
        host: The address to listen on.  Off loopback, or with `names`, requests need a token.
        port: The port; 0 takes a free one.
        names: Further host names under which it may be asked for, such as that of a proxy.
        limits: Sizes and rates.
        started: Called with the URL once the port is open.
    """
    if service.database.is_sqlite:
        warn_of_old_sqlite()
    others = sorted({name.lower() for name in names} - LOOPBACK)
    local = host in LOOPBACK and not others  # behind a proxy, everyone seems to be on this machine
    if not local and not Tokens(service.database, True).scopes():
        option = f"--allow-host {others[0]}" if others else f"--host {host}"
        raise ValueError(
            f"{option} lets others reach the service, and there is no token: make one with "
            "'highseason token create', or serve on 127.0.0.1"
        )
    hosts = frozenset((LOOPBACK if host in LOOPBACK else frozenset()) | set(others))
    app = create_app(service, hosts=hosts or None, require_token=not local, limits=limits)
    if local and not app.state.tokens.scopes():
        log.warning("no tokens: everyone on this machine may do everything")
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=GRACE,
    )
    sys.setswitchinterval(SWITCH)
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
    try:
        listener.bind((host, port))
        listener.listen(1024)
    except OSError as reason:
        listener.close()
        raise OSError(f"cannot listen on {host}:{port}: {reason.strerror or reason}") from reason
    return listener
