"""`highseason experiment`: the experiments of a running service."""

import functools
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import Any

import click
import numpy as np

from highseason.cli import GroupWithExamples, check_file, emit, options, usage_error, with_examples
from highseason.core import aligned, counted, format_number, percent, require, wrapped
from highseason_service.commands import Choice, choice_of_arms
from highseason_service.errors import ServiceError
from highseason_service.forecast import TrafficForecast, replacement
from highseason_service.model import (
    Arm,
    Noise,
    Outcome,
    Settings,
    State,
    money,
)

#: What a subcommand gives: the document of --json, and what is printed without it.
Answer = tuple[Mapping[str, Any], str]

_url = options.option(
    "--url URL",
    "The address of the service.",
    default="http://127.0.0.1:8000",
    envvar="HIGHSEASON_URL",
)
_token = options.option(
    "--token TEXT", "A token of 'highseason token create'.", envvar="HIGHSEASON_TOKEN"
)

CREATE = (
    "highseason experiment create tea traffic.csv --ahead 90 \\\n"
    "    --price 8.99 --price 9.99 --price 10.99 --cost 4.20 --unit €"
)


@click.group(
    "experiment",
    cls=GroupWithExamples,
    examples=[
        "highseason experiment list",
        CREATE,
        "highseason experiment decide tea",
        "highseason experiment update tea --purchases 12 --visitors 310",
    ],
)
def command() -> None:
    """Create, query and change the experiments of a service.

    The service must be running: see 'highseason serve'.  HIGHSEASON_URL and HIGHSEASON_TOKEN are
    its address and a token for it.
    """


#: How a day is read, and a time: a day is not the moment at which it begins.
_READ = date.fromisoformat, datetime.fromisoformat


def _turn(name: str, text: str, **more: Any) -> options.Decorator:
    """An option that takes a turn: its number, or a time on the experiment's calendar."""
    read = options.reader(
        "a turn, such as 12, or a date, such as 2026-11-17",
        lambda text: int(text) if text.isdecimal() else _READ[len(text) > 10](text),
        lambda turn: turn != 0,
    )
    return options.option(f"{name} TURN|DATE", text, type=read, **more)


def _turns(state: State) -> TrafficForecast:
    """The turns of an experiment, by its calendar."""
    return TrafficForecast.from_dict({"values": (1.0,) * state.turns, "calendar": state.calendar})


def _number(client: Any, experiment: str, when: date) -> int:
    """The number of the turn at a time, or of the first on a day, by the experiment's clock."""
    turns = _turns(client.state(experiment))
    if turns.calendar is None:
        raise usage_error(f"{experiment} has no calendar: give the number of the turn")
    if not isinstance(when, datetime):
        begun = np.flatnonzero(turns.walls.astype("datetime64[D]") == np.datetime64(when))
        if begun.size:
            return 1 + int(begun[0])
        when = datetime.combine(when, time(23, 59))  # it may lie within a week
    return turns.turn_at(when.replace(tzinfo=when.tzinfo or turns.zone))


def _answer(function: Callable[..., Answer], url: str, token: str | None, **given: Any) -> Answer:
    """What a function gets with a client; what the service refuses is bad usage."""
    httpx = require("httpx", "service", "highseason experiment")
    from highseason_service.client import Client, RequestError

    try:
        with Client(url, token) as client:
            for name, value in given.items():
                if isinstance(value, date):
                    given[name] = _number(client, given["experiment"], value)
            return function(client=client, **given)
    except (RequestError, ServiceError) as reason:
        said = getattr(reason, "detail", str(reason))
        if questions := getattr(reason, "questions", ()):
            said = f"{'. '.join(questions)}. To confirm, add --confirm"
        raise usage_error(said) from reason
    except (httpx.TransportError, httpx.InvalidURL) as reason:
        remedy = "start one with 'highseason serve', or give its address with --url"
        raise usage_error(f"cannot reach a service at {url} ({reason}): {remedy}") from reason


def _subcommand(
    name: str, *examples: str, one: bool = True
) -> Callable[[Callable[..., Answer]], click.Command]:
    """A command that gets a client and, with `one`, the id of an experiment."""

    def decorate(function: Callable[..., Answer]) -> click.Command:
        @functools.wraps(function)
        def connected(url: str, token: str | None, as_json: bool, **others: Any) -> None:
            document, shown = _answer(function, url, token, **others)
            emit(as_json, lambda: document, lambda: click.echo(shown))

        declared = _url(_token(connected))
        if one:
            declared = click.argument("experiment")(declared)
        made: click.Command = with_examples(name, *examples)(declared)
        command.add_command(made)
        return made

    return decorate


@_subcommand("list", "highseason experiment list", one=False)
def listed(client: Any) -> Answer:
    """List all experiments."""
    known = client.experiments()
    document = {"experiments": [vars(one) for one in known]}
    if not known:
        return document, "no experiments: make one with 'highseason experiment create'"
    rows = [(one.id, one.name, one.status, one.policy, str(one.events)) for one in known]
    columns = ("id", "name", "status", "policy", "events")
    return document, aligned([columns, *rows], "<<<<>") + "\n"


@_subcommand("create", CREATE)
@choice_of_arms
@options.unit
@options.option(
    "--policy -p NAME",
    "The policy, such as ucb-z:z=300.  [default: option-index; of prices price-curve]",
    shell_complete=options.policy_names,
)
@options.reward_range
@options.choice(
    "--count", "Whether a turn counts as one, or by its visitors.", ("turns", "visitors")
)
@options.rho
@options.option("--name TEXT", "Display name.  [default: the id]")
@options.option("--seed NUMBER", "Seed of the random numbers.", type=options.whole(0), default=0)
@options.flag("--stay", "Play the best arm so far while three earlier turns have no reward.")
@options.stakes
def create(
    client: Any,
    experiment: str,
    choice: Choice,
    unit: str | None,
    policy: str | None,
    reward_range: tuple[float, float] | None,
    count: str | None,
    rho: float | None,
    name: str | None,
    seed: int,
    stay: bool,
    G: Any,
) -> Answer:
    """Create an experiment.

    FILE holds the visitors of the past: the next two months are forecast.  The file of
    --multiplier holds those of the coming turns, or, with --ahead, those of the past.
    """
    if not choice.arms:
        raise usage_error("there is nothing to choose from: add --price 9.99 --price 10.99")
    noise = None
    if count is not None or rho is not None:
        noise = Noise(count or "visitors", rho or 0.0)  # type: ignore[arg-type]  # one of the two
    forecast = TrafficForecast.of(G)
    about = experiment, name or experiment, choice.arms, policy or choice.policy, forecast
    more = reward_range, seed, noise, stay
    made = client.create(Settings(*about, *more, tax=choice.tax, unit=unit or ""))
    when = f" from {forecast.time(1)} to {forecast.time(G.turns)}" if forecast.calendar else ""
    what = counted(len(choice.arms), "arm" if choice.arms[0].price is None else "price")
    said = f"{made.id} is {made.status}: {what}, {G.turns} turns{when}"
    return vars(made), f"{said}\nits page: {client.url}{made.page}"


@_subcommand("show", "highseason experiment show tea", "highseason experiment show tea --json")
def show(client: Any, experiment: str) -> Answer:
    """Show where an experiment stands."""
    state = client.state(experiment)
    shown = _prices if state.priced else _arms
    text = wrapped(
        f"{state.name} ({state.id}) is {state.status}: {state.decided} of {state.turns} turns "
        f"decided, {state.rewarded} with a reward; policy {state.policy}"
    )
    return asdict(state), f"{text}\n{shown(state)}\n{wrapped(state.verdict)}\n"


def _arms(state: State) -> str:
    rows = [
        (
            arm.id if not arm.label else f"{arm.id} ({arm.label})",
            arm.status,
            str(arm.decisions),
            _figure(arm.estimate),
            f"{_figure(arm.low)} to {_figure(arm.high)}" if arm.low is not None else "",
            arm.chance,
            _figure(arm.loss),
        )
        for arm in state.arms
    ]
    columns = ("arm", "status", "turns", "estimate", "95% interval", "best", "loss")
    return aligned([columns, *rows], "<<>>>>>")


def _prices(state: State) -> str:
    """Prices in their order, with what is known of the demand at each, in money."""
    rows = list[tuple[str, ...]]()
    for arm in sorted(state.arms, key=lambda arm: arm.price or 0.0):
        price, known = money(arm.price or 0.0, state.unit, exactly=True), arm.demand
        cells = ("",) * 5
        if known is not None:
            cells = (
                f"{known.purchases:,.0f} of {known.visitors:,.0f}",
                percent(known.buys, 1),
                f"{100 * known.buys_low:.1f}..{100 * known.buys_high:.1f}%",
                money(known.earns, state.unit),
                f"{money(known.earns_low)}..{money(known.earns_high)}",
            )
        status = "" if arm.status == "playing" else f" ({arm.status})"
        rows.append((price + status, str(arm.decisions), *cells, arm.chance))
    columns = ("price", "turns", "bought", "buy", "5%..95%", "earns", "5%..95%", "best")
    return aligned([columns, *rows], "<" + ">" * 7)


def _written(start: str | None) -> str:
    """When a turn starts, as --turn takes it; nothing without a calendar."""
    return (start or "")[:16].removesuffix("T00:00")


def _figure(value: float | None) -> str:
    return "" if value is None else format_number(value)


def _status(change: str, text: str) -> None:
    def changed(client: Any, experiment: str) -> Answer:
        summary = client.change_status(experiment, change)
        return vars(summary), f"{summary.id} is {summary.status}"

    changed.__doc__ = text
    _subcommand(change, f"highseason experiment {change} tea")(changed)


_status("pause", "Pause an experiment: nothing new is decided.")
_status("resume", "Resume a paused experiment.")
_status("archive", "Archive an experiment permanently.")


@_subcommand(
    "decide",
    "highseason experiment decide tea",
    "highseason experiment decide tea --turn 2026-11-17 --json",
)
@_turn("--turn", "The turn.  [default: the current one]")
@options.flag("--force", "Decide it although a clock may be wrong.")
def decide(client: Any, experiment: str, turn: int | None, force: bool) -> Answer:
    """Print the arm of a turn; asking again gives the same."""
    decision = client.decide(experiment, turn, force=force)
    return vars(decision), decision.arm


_key = options.option(
    "--key TEXT", "Idempotency key: sent again with the same key, it counts once."
)
_confirm = options.flag("--confirm", "Take it in even if it looks wrong.")


def _outcome(text: str, **more: Any) -> options.Decorator:
    """The options that say what a turn brought, as `outcome`."""
    return options.parsed(
        "outcome",
        Outcome,
        "turn reward visitors purchases takings",
        _turn("--turn", text, **more),
        options.number("--reward", "The turn's total reward.", type=options.finite),
        options.number(
            "--purchases",
            "Of prices, in place of a reward: how many of the visitors bought.",
            type=options.quantity,
        ),
        options.number("--takings", "Or what they paid, tax included.", type=options.finite),
        options.number(
            "--visitors", "The visitors who came.", type=options.quantity, required=True
        ),
    )


@_subcommand(
    "update",
    "highseason experiment update tea --purchases 12 --visitors 310",
    "highseason experiment update tea --takings 119.88 --visitors 280",
    "highseason experiment update banner --reward 1234.5 --visitors 310",
)
@_outcome("The turn.  [default: the one that waits for its reward, over if several do]")
@_key
@_confirm
def update(
    client: Any, experiment: str, outcome: Outcome, key: str | None, confirm: bool
) -> Answer:
    """Report what a turn brought."""
    name = f"turn {outcome.turn}"
    if outcome.turn is None:
        turns = _turns(client.state(experiment))
        over = turns.progress(datetime.now(UTC))[1] if turns.calendar else 0
        made = [one for one in client.decisions(experiment) if not one.is_reported]
        waiting = [one for one in made if one.turn <= over] or made  # or today's, in the evening
        names = [_written(one.time) or f"turn {one.turn}" for one in reversed(waiting)]
        if len(names) != 1:
            found = f"turns of {experiment} that wait for a reward: {', '.join(names) or 'none'}"
            raise usage_error(f"{found}; give --turn")
        (name,), outcome = names, replace(outcome, turn=waiting[0].turn)
    answer = client.update_many(experiment, [outcome], key, confirm)
    known = "known already, with these values: nothing has changed"
    return answer, f"{name}: {'recorded' if answer['new'] else known}"


@_subcommand("correct", "highseason experiment correct tea --turn 1 --purchases 11 --visitors 310")
@_outcome("The turn.", required=True)
@_key
@_confirm
def correct(
    client: Any, experiment: str, outcome: Outcome, key: str | None, confirm: bool
) -> Answer:
    """Correct a reward: the old values stay in the event log."""
    answer = client.correct(experiment, outcome, key, confirm)
    came = {name: format_number(value) for name, value in answer["before"].items()}
    was = came.get("reward") or f"{came['purchases']} purchases"
    return answer, f"turn {outcome.turn}: corrected\nit was {was} from {came['visitors']} visitors"


@_subcommand(
    "change-worth",
    "highseason experiment change-worth tea --cost 4.80",
    "highseason experiment change-worth tea --cost 9.99=4.60 --tax 7%",
    "highseason experiment change-worth banner --range 0..60",
)
@options.option(
    "--cost COST|PRICE=COST", "What a sold piece costs; or at one price, repeatable.", multiple=True
)
@options.tax
@options.reward_range
@_key
def change_worth(
    client: Any,
    experiment: str,
    cost: tuple[str, ...],
    tax: float | None,
    reward_range: tuple[float, float] | None,
    key: str | None,
) -> Answer:
    """Change what a purchase is worth, or the range of rewards.

    Purchases and rewards stay as reported; all that came before is learned again.
    """
    parts = [text.rpartition("=") for text in cost]
    costs = {
        Arm.priced(options.positive(price)).id if price else "": options.cost(value)
        for price, _, value in parts
    }
    if "" in costs and len(cost) > 1:
        raise usage_error("--cost is one for all prices, or PRICE=COST for some of them")
    state = client.change_worth(experiment, costs.get("", costs or None), tax, reward_range, key)
    return asdict(state), f"{state.id}: changed, and learned again\n{wrapped(state.verdict)}"


@_subcommand(
    "add-arm",
    "highseason experiment add-arm tea --price 10.49",
    "highseason experiment add-arm banner --arm sale --start 20 --end 34",
)
@options.option("--arm ID[=LABEL]", "The arm.")
@options.number("--price", "Or a price.", metavar="PRICE")
@options.number("--cost", "What a piece costs at it, if not what it costs at others.")
@_turn("--start", "Its first turn.  [default: the next]")
@_turn("--end", "Its last turn.  [default: it stays]")
@options.flag("--now", "Let it be played at once, instead of first on a quiet turn.")
def add_arm(
    client: Any,
    experiment: str,
    arm: str | None,
    price: float | None,
    cost: float | None,
    start: int | None,
    end: int | None,
    now: bool,
) -> Answer:
    """Add an arm, or bring a removed one back."""
    new = replace(
        _one_arm(arm, price), cost=cost, start=start, end=end, when="now" if now else "low"
    )
    added = client.add_arm(experiment, new)
    return vars(added), f"added {added.id}"


def _one_arm(arm: str | None, price: float | None) -> Arm:
    if (arm is None) == (price is None):
        raise usage_error("expected --arm, or --price where the arms are prices")
    return Arm.typed(arm or "") if price is None else Arm.priced(price)


@_subcommand("remove-arm", "highseason experiment remove-arm tea --price 9.99")
@options.option("--arm ID", "The arm.")
@options.number("--price", "Or the price.", metavar="PRICE")
def remove_arm(client: Any, experiment: str, arm: str | None, price: float | None) -> Answer:
    """Remove an arm: it is not chosen any more.

    Decided turns stay, and their rewards still count.
    """
    removed = client.remove_arm(experiment, _one_arm(arm, price).id)
    return vars(removed), f"removed {removed.id}"


@_subcommand(
    "reforecast",
    "highseason experiment reforecast tea traffic.csv",
    "highseason experiment reforecast tea --multiplier season.csv --first 30",
)
@_turn("--first", "The turn of its first row.  [default: by its times, or the next turn]")
@_key
@options.stakes
def reforecast(client: Any, experiment: str, first: int | None, key: str | None, G: Any) -> Answer:
    """Replace the forecast of the turns to come.

    FILE holds the visitors of the past: the next two months are forecast.  The file of
    --multiplier holds those of the coming turns, or, with --ahead, those of the past.  Decided
    turns keep their arms, and their rows are left out.
    """
    values = G.values.tolist()
    if first is None:
        state = client.state(experiment)
        first, values = replacement(_turns(state).calendar, state.turns, state.first_open, G)
    answer = client.reforecast(experiment, first, values, key)
    last = first - 1 + len(values)
    kept = f"; turn {answer['turns']} is decided: turns after {last} keep theirs"
    said = f"{experiment}: new forecast for turns {first} to {last}"
    return answer, said + kept * (answer["turns"] > last)


@_subcommand("plan", "highseason experiment plan tea --turns 7")
@options.count("--turns", "How many turns to show.", default=30)
def plan(client: Any, experiment: str, turns: int) -> Answer:
    """Show where an experiment will explore, and what that may cost."""
    coming, state = client.plan(experiment, turns), client.state(experiment)
    rows = [
        (
            str(turn.turn),
            _written(turn.time).replace("T", " "),
            format_number(turn.forecast),
            turn.best or "",
            percent(turn.exploration) if turn.best else "",
            _figure(turn.cost) if not state.priced else money(turn.cost or 0.0, state.unit),
        )
        for turn in coming
    ]
    columns = ("turn", "time", "visitors", "best", "explores", "may cost")
    document = {"plan": [vars(turn) for turn in coming]}
    return document, aligned([columns, *rows], "><><>>") + "\n"


@_subcommand("events", "highseason experiment events tea --after 100 --limit 20")
@options.count("--after", "Events after this number.", least=0, default=0)
@options.count("--limit", "Maximum number of events.", default=50)
def events(client: Any, experiment: str, after: int, limit: int) -> Answer:
    """Page through the event log."""
    page = client.events(experiment, after, limit)
    rows = [
        (str(one["seq"]), one["at"][:19], one["kind"], str(one["turn"] or ""))
        for one in page["events"]
    ]
    text = aligned([("event", "at (UTC)", "what", "turn"), *rows], "><<>") + "\n"
    return page, text if page["next"] is None else f"{text}\nmore: --after {page['next']}"


@_subcommand(
    "export",
    "highseason experiment export tea --out events.parquet",
    "highseason experiment export tea --out events.csv",
)
@options.path("--out", "The file: .parquet for 'highseason replay', or .csv.", required=True)
def export(client: Any, experiment: str, out: Path) -> Answer:
    """Write the turns with their rewards to a file."""
    check_file(out, "--out")
    kind = out.suffix.lower().lstrip(".")
    if kind not in ("csv", "parquet"):
        raise usage_error(f"--out {out} must end in .csv or .parquet")
    out.write_bytes(client.export(experiment, kind))
    return {"files": [out]}, f"wrote {out}"
