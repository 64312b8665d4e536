"""`highseason serve`: the decision service over HTTP."""

import tempfile
from pathlib import Path

import click

from highseason.cli import options, with_examples
from highseason.core import require
from highseason_service.commands import database_option


@with_examples(
    "serve",
    "highseason serve",
    "highseason serve --demo",
    "highseason serve --database postgresql://shop@db.example/shop --host 0.0.0.0",
)
@database_option
@options.option("--host ADDRESS", "The address to listen on.", default="127.0.0.1")
@options.option("--port NUMBER", "The port; 0: a free one.", type=click.IntRange(0), default=8000)
@options.option(
    "--allow-host NAME", "A host name it answers for, such as a proxy's; repeatable.", multiple=True
)
@options.flag("--demo", "Show a simulated shop year, in a database that is thrown away.")
def command(
    database: str,
    host: str,
    port: int,
    allow_host: tuple[str, ...],
    demo: bool,
    as_json: bool,
) -> None:
    """Serve decisions over HTTP.

    Experiments are kept in a SQLite file, or in PostgreSQL.  The address of the dashboard is
    printed when the service is ready; logs go to stderr, as JSON.
    """
    require("uvicorn", "service", "highseason serve")
    from highseason.cli import emit
    from highseason_service import Service
    from highseason_service import demo as shop
    from highseason_service.server import serve, start_logging

    def started(url: str) -> None:
        text = f"highseason is at {url}  (Ctrl-C ends it)"
        emit(as_json, lambda: {"url": url}, lambda: click.echo(text))

    start_logging()
    with tempfile.TemporaryDirectory() as folder:
        service = Service(str(Path(folder) / "demo.db") if demo else database)
        try:
            if demo:
                shop.fill(service)
            serve(service, host, port, names=allow_host, started=started)
        finally:
            service.close()
