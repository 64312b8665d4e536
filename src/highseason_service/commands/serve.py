"""`highseason serve`: the decision service over HTTP."""

import tempfile
from pathlib import Path
from typing import Any

import click

from highseason.cli import emit, options, usage_error, with_examples
from highseason.core import raised_as, require
from highseason.traffic import Multiplier
from highseason_service.commands import Choice, choice_of_arms, database_option
from highseason_service.errors import ServiceError
from highseason_service.forecast import TrafficForecast
from highseason_service.model import ExperimentBody


@with_examples(
    "serve",
    "highseason serve",
    "highseason serve --demo",
    "highseason serve --experiment traffic.csv --price 9.99 --price 10.99 --cost 4",
    "highseason serve --database postgresql://shop@db.example/shop --host 0.0.0.0",
)
@database_option
@options.option("--host ADDRESS", "The address to listen on.", default="127.0.0.1")
@options.option("--port NUMBER", "The port; 0: a free one.", type=click.IntRange(0), default=8000)
@options.option(
    "--allow-host NAME", "A host name it answers for, such as a proxy's; repeatable.", multiple=True
)
@options.flag("--demo", "Show a simulated shop year, in a database that is thrown away.")
@options.experiment
@choice_of_arms
@options.unit
@options.option(
    "--policy -p NAME",
    "The policy of --experiment.  [default: option-index; of prices price-curve]",
)
@options.reward_range
def command(
    database: str,
    host: str,
    port: int,
    allow_host: tuple[str, ...],
    demo: bool,
    G: Multiplier | None,
    choice: Choice,
    unit: str | None,
    policy: str | None,
    reward_range: tuple[float, float] | None,
    as_json: bool,
) -> None:
    """Serve decisions over HTTP.

    Experiments are kept in a SQLite file, or in PostgreSQL.  The address of the dashboard is
    printed when the service is ready; logs go to stderr, as JSON.  --experiment starts one with the
    name of its file, unless there is one already.
    """
    if G is not None and not choice.arms:
        raise usage_error("--experiment needs prices or arms: add --price 9.99 --price 10.99")
    require("uvicorn", "service", "highseason serve")
    from highseason_service import Service, forms
    from highseason_service import demo as shop
    from highseason_service.database import warn_of_old_sqlite
    from highseason_service.server import serve, start_logging

    def started(url: str) -> None:
        page = "" if G is None else f"/experiments/{name}"
        text = f"highseason is at {url}{page}  (Ctrl-C ends it)"
        emit(as_json, lambda: {"url": url}, lambda: click.echo(text))

    name = forms.address(Path(click.get_current_context().params["experiment"] or "").stem)
    start_logging()
    with (
        tempfile.TemporaryDirectory() as folder,
        Service(str(Path(folder) / "demo.db") if demo else database) as service,
    ):
        if demo:
            shop.fill(service)
        there = any(one.id == name for one in service.experiments())
        if there and reward_range not in (None, known := service.state(name).reward_range):
            said = f"{name} is there already, with the range {known}: leave --range out, or give"
            raise usage_error(f"{said} the file another name for a new experiment")
        if G is not None and not there:
            new: dict[str, Any] = {"id": name, "policy": policy or choice.policy}
            with raised_as(ValueError, ServiceError):  # bad usage
                new |= {"tax": choice.tax, "unit": unit or ""}
                new["arms"] = [*map(vars, choice.arms)]
                new["forecast"] = TrafficForecast.of(G).to_dict()
                new["reward_range"] = reward_range and list(reward_range)
                service.create(forms.checked(ExperimentBody, new).settings())
        if service.database.is_sqlite and not demo:  # whose file no other process knows
            warn_of_old_sqlite()
        serve(service, host, port, names=allow_host, started=started)
