"""`highseason experiment`: the experiments of a running service."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from highseason.cli import options
from highseason.cli.errors import usage_error
from highseason.cli.group import GroupWithExamples, with_examples
from highseason.cli.output import check_file, print_json, print_table, print_wrapped
from highseason.core.extras import require
from highseason.core.formatting import format_number, percent

CREATE = (
    "highseason experiment create tea --arm 9.99 --arm 10.99 --rewards 0..12 \\\n"
    "    --multiplier traffic.csv --ahead 90"
)


@click.group(
    "experiment",
    cls=GroupWithExamples,
    examples=[
        "highseason experiment list",
        CREATE,
        "highseason experiment decide tea",
        "highseason experiment reward tea --turn 1 --reward 1234.5 --visitors 310",
    ],
)
def command() -> None:
    """Create, ask and change the experiments of a service.

    The service must be running: see 'highseason serve'.  HIGHSEASON_URL and HIGHSEASON_TOKEN are
    its address and a token for it.
    """


@contextmanager
def _service(url: str, token: str | None) -> Iterator[Any]:
    """A client; what the service refuses is bad usage."""
    httpx = require("httpx", "service", "highseason experiment")
    from highseason.service.client import Client, RequestError
    from highseason.service.errors import ServiceError

    try:
        with Client(url, token) as client:
            yield client
    except RequestError as reason:
        raise usage_error(reason.detail) from reason
    except ServiceError as reason:
        raise usage_error(str(reason)) from reason
    except (httpx.TransportError, httpx.InvalidURL) as reason:
        remedy = "start one with 'highseason serve', or give its address with --url"
        raise usage_error(f"cannot reach a service at {url} ({reason}): {remedy}") from reason


def _subcommand(
    name: str, *examples: str, one: bool = True
) -> Callable[[Callable[..., Any]], click.Command]:
    """A command that gets a client and, unless told otherwise, the id of an experiment."""

    def decorate(function: Callable[..., Any]) -> click.Command:
        @functools.wraps(function)
        def connected(url: str, token: str | None, **others: Any) -> Any:
            with _service(url, token) as client:
                return function(client=client, **others)

        declared = options.service_url(options.token(connected))
        if one:
            declared = click.argument("experiment")(declared)
        made: click.Command = with_examples(name, *examples)(declared)
        command.add_command(made)
        return made

    return decorate


# -- experiments -----------------------------------------------------------------------------------


@_subcommand("list", "highseason experiment list", one=False)
def listed(client: Any, as_json: bool) -> None:
    """List all experiments."""
    known = client.experiments()
    if as_json:
        print_json({"experiments": [vars(one) for one in known]})
    elif known:
        rows = [(one.id, one.name, one.status, one.policy, str(one.events)) for one in known]
        print_table(("id", "name", "status", "policy", "events"), rows, left=(0, 1, 2, 3))
    else:
        click.echo("no experiments: make one with 'highseason experiment create'")


def _ends(text: str) -> tuple[float, float]:
    low, high = map(float, text.split(".."))
    return low, high


def _arms(texts: tuple[str, ...]) -> list[Any]:
    from highseason.service.model import Arm

    pairs = (text.partition("=") for text in texts)
    return [Arm(name.strip(), label.strip()) for name, _, label in pairs]


@_subcommand("create", CREATE)
@options.option("--arm ID[=LABEL]", "An arm; repeatable.", multiple=True, required=True)
@options.option(
    "--policy -p NAME",
    "The policy, such as ucb-z:z=300.",
    default="soft-ucb",
    shell_complete=options.policy_names,
)
@options.option(
    "--rewards LOW..HIGH",
    "The least and the greatest reward per visitor; UCB policies need it.",
    type=options.reader("two numbers, such as 0..12", _ends),
)
@options.choice(
    "--count", "Whether a turn counts as one, or by its visitors.", ("turns", "visitors")
)
@options.rho
@options.option("--name TEXT", "What people read.  [default: the id]")
@options.option("--seed NUMBER", "Seed of the random numbers.", type=options.whole(0), default=0)
@options.stakes
def create(
    client: Any,
    experiment: str,
    arm: tuple[str, ...],
    policy: str,
    rewards: tuple[float, float] | None,
    count: str | None,
    rho: float | None,
    name: str | None,
    seed: int,
    G: Any,
    as_json: bool,
) -> None:
    """Create an experiment.

    The forecast is a file with the traffic of the coming turns, or, with --ahead, what is
    expected after the traffic of the past.
    """
    from highseason.service.forecast import TrafficForecast
    from highseason.service.model import Noise, Settings

    noise = None
    if count is not None or rho is not None:
        noise = Noise(count or "visitors", rho or 0.0)  # type: ignore[arg-type]  # one of the two
    forecast = TrafficForecast.of(G)
    about = experiment, name or experiment, tuple(_arms(arm)), policy, forecast
    made = client.create(Settings(*about, rewards, seed, noise))
    if as_json:
        print_json(vars(made))
        return
    when = f" from {forecast.time(1)} to {forecast.time(G.turns)}" if forecast.calendar else ""
    click.echo(f"{made.id} is {made.status}: {len(arm)} arms, {G.turns} turns{when}")


@_subcommand("show", "highseason experiment show tea", "highseason experiment show tea --json")
def show(client: Any, experiment: str, as_json: bool) -> None:
    """Show where an experiment stands."""
    from dataclasses import asdict

    state = client.state(experiment)
    if as_json:
        print_json(asdict(state))
        return
    print_wrapped(
        f"{state.name} ({state.id}) is {state.status}: {state.decided} of {state.turns} turns "
        f"decided, {state.rewarded} with a reward; policy {state.policy}"
    )
    rows = [
        (
            arm.id if not arm.label else f"{arm.id} ({arm.label})",
            arm.status,
            str(arm.decisions),
            _number(arm.estimate),
            f"{_number(arm.low)} to {_number(arm.high)}" if arm.low is not None else "",
        )
        for arm in state.arms
    ]
    print_table(("arm", "status", "turns", "estimate", "95% interval"), rows, left=(0, 1))


def _number(value: float | None) -> str:
    return "" if value is None else format_number(value)


def _status(change: str, text: str) -> None:
    @_subcommand(change, f"highseason experiment {change} tea")
    def changed(client: Any, experiment: str, as_json: bool) -> None:
        summary = client.change_status(experiment, change)
        if as_json:
            print_json(vars(summary))
        else:
            click.echo(f"{summary.id} is {summary.status}")

    changed.help = text


_status("pause", "Pause an experiment: nothing new is decided.")
_status("resume", "Resume a paused experiment.")
_status("archive", "Archive an experiment, for good: nothing changes any more.")


# -- turns and rewards -----------------------------------------------------------------------------

_turn = options.option("--turn NUMBER", "The turn, from 1.", type=options.whole(1), required=True)
_outcome = (
    options.option("--reward NUMBER", "The turn's total reward.", type=float, required=True),
    options.option("--visitors NUMBER", "The visitors who came.", type=float, required=True),
    options.option("--key TEXT", "Makes it safe to send again: with one key it counts once."),
)


def _with_outcome(function: Callable[..., Any]) -> Callable[..., Any]:
    for option in reversed((_turn, *_outcome)):
        function = option(function)
    return function


@_subcommand(
    "decide",
    "highseason experiment decide tea",
    "highseason experiment decide tea --turn 1 --json",
)
@options.option("--turn NUMBER", "The turn.  [default: that of now]", type=options.whole(1))
def decide(client: Any, experiment: str, turn: int | None, as_json: bool) -> None:
    """Print the arm of a turn; whoever asks again gets the same."""
    decision = client.decide(experiment, turn)
    if as_json:
        print_json(vars(decision))
    else:
        click.echo(decision.arm)


@_subcommand("reward", "highseason experiment reward tea --turn 1 --reward 1234.5 --visitors 310")
@_with_outcome
def reward(
    client: Any,
    experiment: str,
    turn: int,
    reward: float,
    visitors: float,
    key: str | None,
    as_json: bool,
) -> None:
    """Report what a turn brought."""
    from highseason.service.model import Outcome

    answer = client.report(experiment, [Outcome(turn, reward, visitors)], key)
    if as_json:
        print_json(answer)
    else:
        click.echo(f"turn {turn}: " + ("taken in" if answer["new"] else "known already"))


@_subcommand("correct", "highseason experiment correct tea --turn 1 --reward 1200 --visitors 310")
@_with_outcome
def correct(
    client: Any,
    experiment: str,
    turn: int,
    reward: float,
    visitors: float,
    key: str | None,
    as_json: bool,
) -> None:
    """Correct a reward: the old values stay in the event log."""
    from highseason.service.model import Outcome

    answer = client.correct(experiment, Outcome(turn, reward, visitors), key)
    if as_json:
        print_json(answer)
        return
    before = answer["before"]
    was = f"{format_number(before['reward'])} from {format_number(before['visitors'])} visitors"
    click.echo(f"turn {turn}: corrected; it was {was}")


# -- arms ------------------------------------------------------------------------------------------


@_subcommand(
    "add-arm",
    "highseason experiment add-arm tea --arm 10.49",
    "highseason experiment add-arm tea --arm 8.99=sale --start 20 --end 34",
)
@options.option("--arm ID[=LABEL]", "The arm.", required=True)
@options.count("--start", "Its first turn.  [default: the next]")
@options.count("--end", "Its last turn.  [default: it stays]")
@options.flag("--now", "Let it be played at once, instead of first on a quiet turn.")
def add_arm(
    client: Any,
    experiment: str,
    arm: str,
    start: int | None,
    end: int | None,
    now: bool,
    as_json: bool,
) -> None:
    """Add an arm, or bring a retired one back."""
    from dataclasses import asdict, replace

    (new,) = _arms((arm,))
    added = client.add_arm(
        experiment, replace(new, start=start, end=end, when="now" if now else "low")
    )
    if as_json:
        print_json(asdict(added))
    else:
        click.echo(f"added {added.id}")


@_subcommand("retire-arm", "highseason experiment retire-arm tea --arm 9.99")
@options.option("--arm ID", "The arm.", required=True)
def retire_arm(client: Any, experiment: str, arm: str, as_json: bool) -> None:
    """Retire an arm: it is not chosen any more.

    Decided turns stay, and their rewards still count.
    """
    retired = client.retire_arm(experiment, arm)
    if as_json:
        print_json(vars(retired))
    else:
        click.echo(f"retired {retired.id}")


# -- looking ---------------------------------------------------------------------------------------


@_subcommand("plan", "highseason experiment plan tea --turns 7")
@options.count("--turns", "How many turns to show.", default=30)
def plan(client: Any, experiment: str, turns: int, as_json: bool) -> None:
    """Show where an experiment will explore, and what that may cost."""
    coming = client.plan(experiment, turns)
    if as_json:
        print_json({"plan": [vars(turn) for turn in coming]})
        return
    rows = [
        (
            str(turn.turn),
            turn.time or "",
            format_number(turn.forecast),
            turn.best or "",
            percent(turn.exploration),
            format_number(turn.cost),
        )
        for turn in coming
    ]
    print_table(("turn", "time", "visitors", "best", "explores", "may cost"), rows, left=(1, 3))


@_subcommand("events", "highseason experiment events tea --after 100 --limit 20")
@options.count("--after", "Events after this number.", least=0, default=0)
@options.count("--limit", "The most events.", default=50)
def events(client: Any, experiment: str, after: int, limit: int, as_json: bool) -> None:
    """Page through the event log."""
    page = client.events(experiment, after, limit)
    if as_json:
        print_json(page)
        return
    rows = [
        (str(one["seq"]), one["at"][:19], one["kind"], str(one["turn"] or ""))
        for one in page["events"]
    ]
    print_table(("event", "at (UTC)", "what", "turn"), rows, left=(1, 2))
    if page["next"] is not None:
        click.echo(f"more: --after {page['next']}")


@_subcommand(
    "export",
    "highseason experiment export tea --out events.parquet",
    "highseason experiment export tea --out events.csv",
)
@options.path("--out", "The file: .parquet for 'highseason replay', or .csv.", required=True)
def export(client: Any, experiment: str, out: Path, as_json: bool) -> None:
    """Write the turns with their rewards to a file."""
    check_file(out, "--out")
    kind = out.suffix.lower().lstrip(".")
    if kind not in ("csv", "parquet"):
        raise usage_error(f"--out {out} must end in .csv or .parquet")
    out.write_bytes(client.export(experiment, kind))
    if as_json:
        print_json({"files": [out]})
    else:
        click.echo(f"wrote {out}")
