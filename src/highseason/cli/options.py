"""Options that several commands share, each parsed into what the library works with.

A decorator declares its options and passes the command one parsed object: `@players` passes
`players`, `@stakes` passes `G`.  So a command sees policies and multipliers, never text.
"""

from __future__ import annotations

import functools
import math
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import date
from functools import partial
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import click
import numpy as np
from click.core import ParameterSource
from click.shell_completion import CompletionItem

import highseason as hs
from highseason.cli.output import SIZE_GIVEN, say, usage_error
from highseason.core.specs import arm_names, parse_arm
from highseason.core.text import counted, exact
from highseason.traffic import (
    SHAPES,
    AmbiguousError,
    Fitted,
    Forecast,
    Multiplier,
    read_number,
    read_share,
)
from highseason.traffic.dates import ORDERS
from highseason.traffic.season_ahead import FittedSeason

DEFAULT_ARMS, DEFAULT_TURNS, _SHAPE = 25, 500, "wave"
#: How many days of a file's future are planned, and how many days old it may be to start today.
AHEAD, _LONG_AGO = 60, 180
#: How prices are listed.
_SHOWN = "--price 9.99 --price 10.99"


def parse_policies(policy: Sequence[str], profile: str | None) -> dict[str, hs.Policy]:
    """Policies by the text that was typed, in order; repeated ones are numbered.

    >>> parse_policies(["ucb", "ucb-z:z=30"], profile=None)["ucb-z:z=30"].z
    30.0
    """
    context = click.get_current_context(silent=True)
    given = {} if context is None else context.params
    if not policy and (given.get("price") or given.get("prices")):
        policy = [hs.PriceCurve.name]
    if not policy and given.get("file"):
        policy = [hs.policies.DEFAULT_POLICY]
    if not policy:
        raise usage_error(
            "no policy given. Try --policy option-index; 'highseason policies' lists them all"
        )
    from highseason.engine import unique_labels

    players = [parse_policy(text, profile) for text in policy]
    return dict(zip(unique_labels(policy), players, strict=True))


def parse_policy(text: str, profile: str | None = None) -> hs.Policy:
    """A policy; its bare name may stand for the parameters of a profile."""
    try:
        if profile is None or ":" in text:
            return hs.policies.parse(text)
        return hs.policies.find(text.strip()).profile(profile)
    except ValueError as reason:
        if not re.match("unknown policy .* Choose from: ", str(reason)):
            raise
        raise usage_error(f"{reason} 'highseason policies' says what each does") from reason


def parse_multiplier(
    multiplier: str,
    turns: int | None = None,
    ahead: int | None = None,
    *,
    file: str | None = None,
    events: str | None = None,
    floor: float | None = None,
    **columns: Any,
) -> Multiplier:
    """A shape by its name, or a file by its path: `columns` says how to read it.

    With `ahead`, so many turns that are expected after it, by the default forecaster; `file` is a
    path too, and turns that end by today are followed by those to come.
    """
    path = Path(text := file or multiplier)
    source = click.get_current_context().get_parameter_source("multiplier")
    if file is not None and source is ParameterSource.COMMANDLINE:
        raise usage_error(f"give the traffic once, as {file} or with --multiplier {multiplier}")
    if events is not None and ahead is None and file is None:
        raise usage_error("--events is for a forecast: add --ahead, such as --ahead 60")
    if text in SHAPES:
        has_history = click.get_current_context().params.get("history")  # they may read it
        for name, value in {**columns, "ahead": ahead}.items():
            if value is not None and not (has_history and name in ("zone", "dates", "decimal")):
                what = "forecasts the traffic of" if name == "ahead" else "says how to read"
                raise usage_error(
                    f"--{name} {what} a file, and {text!r} is a shape: leave it out, or give a "
                    "file with --multiplier"
                )
        return hs.traffic.as_multiplier(text, turns=turns or DEFAULT_TURNS, floor=floor)
    if file is None and not path.suffix and not path.exists():
        return hs.traffic.as_multiplier(text)  # suggests the nearest shape
    if not path.exists():
        raise usage_error(
            f"there is no file {text}: check the path, or give a shape ({', '.join(SHAPES)})"
        )
    G = hs.traffic.read(text, floor=floor, **columns)
    if turns is not None and turns > G.turns:
        raise usage_error(
            f"{text} has {counted(G.turns, 'turn')}, fewer than --turns {turns}: leave --turns "
            "out, or give a longer file"
        )
    G = G if turns is None else G.window(1, turns)
    if file is not None:
        ahead = ahead or (turns_to_come(G) if turns is None else None)
        click.get_current_context().params |= {"multiplier": file, "ahead": ahead}
    if ahead is None:
        return G
    own = {} if events is None else hs.traffic.own_days(events, columns.get("dates"))
    known = hs.traffic.Blend(events=own).fit(G)
    note_days(known, forecast := known.predict(ahead))
    return replace(forecast, name=f"{G.name}, forecast").multiplier()


def turns_to_come(G: Multiplier) -> int | None:
    """How far to forecast a past: to two months from today; None if it goes on after today."""
    if G.calendar is None or G.turns < 2:
        return None
    times, today, day = G.calendar.astype("datetime64[s]"), np.datetime64(date.today()), 86400.0
    if times[-1] >= today + np.timedelta64(1, "D"):
        return None
    step = float(np.median(np.diff(times).astype(float)))  # closed days are left out, nights too
    gap = max(0, math.floor((today - times[-1]).astype(float) / step) - 1)
    return round(AHEAD * day / step) + (gap if gap * step <= _LONG_AGO * day else 0)


def note_days(known: Fitted, forecast: Forecast) -> list[str]:
    """Say if days ahead are past, and which were unusual last year, and have no name."""
    days, notes = list[str](), list[str]()
    if isinstance(known, FittedSeason):
        days = hs.traffic.unusual_days(known.history, len(forecast))
    if days:
        more = f"; and {len(days) - 5} more" if len(days) > 5 else ""
        yours = "them with --events if they are" if len(days) > 1 else "it with --events if it is"
        notes.append(f"{'; '.join(days[:5])}{more}; name {yours} yours")
    if past := forecast.past():
        notes.append(f"the forecast {past}")
    for note in notes:
        say(f"note: {note}")
    return notes


class Arms(NamedTuple):
    """The arms of a choice as people read them, and what they offer where they are prices."""

    labels: list[str]
    offers: tuple[hs.rewards.Offer, ...] | None = None


class Asked(NamedTuple):
    """Prices as they were listed, and what is known of all of them: as `Bandit` takes them."""

    prices: list[float]
    cost: float | list[float]
    tax: float


def parse_prices(
    price: Sequence[float], prices: str | None, cost: Sequence[float], tax: float | None
) -> Asked:
    """Prices, listed one by one or as a ladder, and one cost for all of them or one for each.

    >>> parse_prices([], "8.99..10,99/3", [4.2], None)
    Asked(prices=[8.99, 9.99, 10.99], cost=4.2, tax=0.0)
    """
    from highseason.rewards.prices import ladder_of

    if price and prices:
        raise usage_error(f"--price and --prices both list prices: give {_SHOWN}, or --prices")
    listed = list(price) if prices is None else ladder_of("prices", prices)
    return Asked(listed, cost[0] if len(cost) == 1 else list(cost) or 0.0, tax or 0.0)


def parse_offers(**given: Any) -> tuple[hs.rewards.Offer, ...] | None:
    """What prices offer; None if none are listed."""
    listed, cost, tax = parse_prices(**given)
    if listed:
        return hs.rewards.check_offers("prices", listed, cost, tax=tax)
    for name in ("cost", "tax"):
        if given[name] not in ((), None):
            raise usage_error(f"--{name} is for prices: list them, such as {_SHOWN}")
    return None


def parse_arms(arm: Sequence[str], arms: int | None, **given: Any) -> Arms:
    """The arms of a choice, by name, by number or by price."""
    if (given["price"] or given["prices"]) and (arm or arms):
        both = f"{'--arm' if arm else '--arms'} and {'--price' if given['price'] else '--prices'}"
        raise usage_error(f"{both} both say what there is to choose: leave one out")
    if offers := parse_offers(**given):
        return Arms([exact(offer.price) for offer in offers], offers)
    if not arm:
        return Arms([f"arm {i}" for i in range(1, (arms or DEFAULT_ARMS) + 1)])
    note_prices(arm)
    return Arms(arm_names(arm))


def note_prices(arm: Sequence[str]) -> None:
    """Say if arms that were given by name look like prices, and what `--price` would do."""
    ids = [parse_arm(text)[0] for text in arm]
    if hs.bandit.takings_at(ids) is not None:
        as_prices = " ".join(f"--price {one}" for one in ids)
        say(
            f"note: these arms look like prices. With {as_prices}, profit counts instead of "
            "orders (--cost says what a piece costs you), and one price tells of the others"
        )


def parse_rewards(
    rewards: str | None,
    arms: int | None,
    means: str | None,
    rates: str | None = None,
    rho: float | None = None,
    *,
    G: Multiplier,
    **prices: Any,
) -> hs.rewards.Rewards:
    """A reward model; the usual one for G if none is given.

    >>> G = hs.traffic.wave(turns=9)
    >>> parse_rewards("truncated-normal:sigma=0.2", arms=3, means=None, G=G).scale
    0.2
    >>> parse_rewards("visitors", arms=3, means=None, rates="2%..4%", rho=0.01, G=G).between
    (0.02, 0.04)
    """
    from highseason.rewards.text import parse_number, usual_rewards

    offers = parse_offers(**prices) if prices else None
    text = rewards or ("prices" if offers else usual_rewards(G))
    name = text.partition(":")[0]
    if offers and (name != "prices" or arms or means):
        also = "--rewards" if name != "prices" else "--arms" if arms else "--means"
        raise usage_error(
            f"prices make the world: leave {also} out, or say how demand falls, such as "
            "--rewards prices:demand=linear:best=11..13"
        )
    called = {"bernoulli": "means", "truncated-normal": "centres", "prices": "level"}
    given = {} if offers is None else _as_parts(offers)
    given |= {called.get(name, "rates"): rates} if rates else {}
    given |= {} if rho is None else {"rho": f"{rho:g}"}
    for option in map("=".join, given.items()):
        text += f"{',' if ':' in text else ':'}{option}"
    fixed = None
    if means is not None:
        try:
            fixed = [parse_number("--means", part) for part in means.split(",")]
        except ValueError as reason:
            raise usage_error(f"{reason}; write numbers with commas, such as 0.9,0.5") from reason
    if fixed is not None and arms not in (None, len(fixed)):
        raise usage_error(
            f"--arms {arms} does not match the {len(fixed)} numbers of --means: leave --arms out"
        )
    model = hs.rewards.parse(text, arms, fixed)
    if model.arms < 2:
        raise usage_error(
            "a choice needs at least two arms, got 1: give more, such as --means 0.9,0.5"
        )
    return model


def _as_parts(offers: Sequence[hs.rewards.Offer]) -> dict[str, str]:
    """What prices offer, as the text of a reward model has it."""
    x, costs, taxes = ([exact(value) for value in column] for column in zip(*offers, strict=True))
    parts = {"prices": "/".join(x), "cost": "/".join(costs), "tax": taxes[0]}
    return {name: part for name, part in parts.items() if part.strip("0/")}


def parse_lifetimes(text: str | None, turns: int) -> hs.lifetimes.Lifetimes | None:
    """Lifetimes from the text of `--lifetimes`."""
    try:
        return None if text is None else hs.lifetimes.parse(text, turns)
    except ValueError as reason:
        raise usage_error(f"--lifetimes {text}: {reason}") from reason


def match_arms(
    rewards: hs.rewards.Rewards, population: hs.lifetimes.Lifetimes | None, given: bool
) -> hs.rewards.Rewards:
    """As many arms as have lifetimes, unless the arms or their number were `given`."""
    if population is None or rewards.fixed is not None:
        return rewards
    if given and rewards.arms != population.arms:
        raise usage_error(
            f"--arms {rewards.arms}: --lifetimes describes {population.arms} arms; leave out --arms"
        )
    return replace(rewards, arms=population.arms)


Function = Callable[..., Any]
Decorator = Callable[[Function], Function]


def reader(expected: str, parse: Function, accepts: Function = lambda value: True) -> Function:
    """A type of option: what `parse` makes of the text, if it `accepts` that."""

    def read(text: str) -> Any:
        try:
            value = parse(text)
            if accepts(value):
                return value
        except AmbiguousError as question:
            raise click.BadParameter(str(question)) from question
        except ValueError:
            pass
        raise click.BadParameter(f"expected {expected}, got {text!r}")

    return read


def whole(least: int) -> Function:
    """A whole number, at least `least`.

    >>> whole(1)("25")
    25
    """
    return reader(f"a whole number, at least {least}", int, lambda number: number >= least)


finite = reader("a finite number", read_number, math.isfinite)
#: What is counted, and need not be whole, such as visitors.
quantity = reader("a finite number", partial(read_number, whole=True), math.isfinite)
positive = reader("a number above 0", read_number, lambda number: 0 < number < math.inf)
share = reader("a number from 0 to 1", read_number, lambda number: 0 <= number <= 1)


def option(spec: str, text: str, **more: Any) -> Decorator:
    """An option as help writes it, such as `--policy -p NAME`; help shows its default, if any."""
    names = [word for word in spec.split() if word == word.lower()]
    metavar = " ".join(word for word in spec.split() if word not in names) or None
    shown = "default" in more
    return click.option(*names, metavar=metavar, help=text, show_default=shown, **more)


#: An option without a value.
flag = functools.partial(option, is_flag=True)
#: An option that takes a path, usually of a file to write.
path = functools.partial(option, type=click.Path(path_type=Path))


def count(name: str, text: str, least: int = 1, **more: Any) -> Decorator:
    """An option that counts something."""
    return option(f"{name} NUMBER", text, type=whole(least), **more)


def number(name: str, text: str, metavar: str = "NUMBER", **more: Any) -> Decorator:
    """An option that takes a finite number, above 0 unless `type` says otherwise."""
    return option(f"{name} {metavar}", text, **{"type": positive, **more})


def choice(name: str, text: str, choices: Iterable[str], **more: Any) -> Decorator:
    """An option that takes one of a few words."""
    return option(name, text, type=click.Choice(list(choices)), **more)


def _starting(names: Iterable[str], incomplete: str) -> list[CompletionItem]:
    return [CompletionItem(name) for name in names if name.startswith(incomplete.lower())]


def policy_names(_: Any, __: Any, incomplete: str) -> list[CompletionItem]:
    """Policies that a shell may complete the text to."""
    return _starting(hs.policies.registry(), incomplete)


def _draw_in(context: click.Context, _: click.Parameter, size: tuple[float, float] | None) -> None:
    if size is not None:
        from highseason.report import figure_size

        context.with_resource(figure_size(*size))
        context.meta[SIZE_GIVEN] = True


#: The size of figures, for commands that draw some.
size = option(
    "--size WIDTHxHEIGHT",
    "Size of the figure in inches, such as 10x5.  [default: 8 wide]",
    type=reader(
        "WIDTHxHEIGHT in inches, such as 10x5",
        lambda text: tuple(map(float, text.lower().split("x"))),
        lambda size: len(size) == 2 and 0 < min(size) <= max(size) <= 100,
    ),
    expose_value=False,
    callback=_draw_in,
)

seed = option(
    "--seed",
    "Seed of all random numbers: same seed, same result.",
    type=click.IntRange(min=0),
    default=0,
)

#: For commands without randomness: accepted, so that scripts may pass it everywhere.
ignored_seed = click.option("--seed", type=int, expose_value=False, hidden=True)

_executor = option(
    "--executor NAME|ADDRESS",
    "Where work runs: local (all cores), serial, gpu (games), ray or dask (started on this "
    "machine), ray://HOST:PORT or dask://HOST:PORT (a cluster).",
    default="local",
)
_workers = count("--workers", "Number of workers.  [default: all cores, or the whole cluster]")


def workers(function: Function) -> Function:
    """Where work runs, and how many workers it has: `executor` and `workers`."""
    return _executor(_workers(function))


lifetimes = option(
    "--lifetimes lifetimes_text 1-90,30-,…|NAME",
    "When each arm exists: START-END of each, or drawn for every game: "
    "articles[:turns_per_hour=60], flow:alive=10,life=100.  Append ,known=false to hide from "
    "policies when an arm will end.",
)


def parsed(
    name: str, parse: Callable[..., Any], given: str, *options: Decorator, keep: str = ""
) -> Decorator:
    """Declare options, and pass the command as `name` what `parse` makes of those `given`.

    `keep` names what an earlier decorator parsed and both `parse` and the command need.
    """

    def decorate(function: Function) -> Function:
        @functools.wraps(function)
        def called(**values: Any) -> Any:
            kept = {key: values[key] for key in keep.split()}
            one = parse(**{key: values.pop(key) for key in given.split()}, **kept)
            return function(**values, **{name: one})

        decorated: Function = called
        for add in reversed(options):  # so that `--help` lists them in this order
            decorated = add(decorated)
        return decorated

    return decorate


def import_file(path: Path) -> ModuleType:
    """A Python file as a module; worker processes find it by its folder."""
    sys.path.append(str(path.resolve().parent))
    try:
        module = import_module(path.stem)
    except Exception as reason:  # the user's code: any fault
        raise usage_error(f"{path} fails with {type(reason).__name__}: {reason}") from reason
    if Path(module.__file__ or "").resolve() != path.resolve():
        raise usage_error(f"another module is called {path.stem!r}: rename {path}")
    return module


#: Files with policies of one's own, for every command that takes names of policies.
imports = option(
    "--import FILE",
    "A Python file with policies of your own, found by name; repeatable.",
    multiple=True,
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    is_eager=True,  # before the names are looked up
    expose_value=False,
    callback=lambda _, __, paths: [import_file(path) for path in paths],
)

#: Policies by label, which is the text that was typed.
players = parsed(
    "players",
    parse_policies,
    "policy profile",
    option(
        "--policy -p NAME[:KEY=VALUE,…]",
        "A policy, such as soft-ucb or ucb-z:z=30; repeatable.",
        multiple=True,
        shell_complete=policy_names,
    ),
    imports,
    option(
        "--profile NAME",
        "Published parameters for policies given by bare name: paper.",
        shell_complete=lambda _, __, text: _starting(("paper",), text),
    ),
)

#: Policies that `advise` compares besides its own.
also = option(
    "--also policies NAME[:KEY=VALUE,…]",
    "One more policy to compare, such as ada-ucb, searched if no parameters are given; repeatable.",
    multiple=True,
    shell_complete=policy_names,
)

zone = option("--zone NAME", "The time zone whose days count, such as Europe/Rome.")
dates = choice("--dates", "Order of day, month and year, if the file leaves it open.", ORDERS)
decimal = choice("--decimal", "Decimal mark, if the file leaves it open.", (",", "."))
#: How to read a file of traffic, by the names of the arguments of `parse_multiplier`.
_FILE_OPTIONS = (
    option("--time COLUMN", "The file's time column, if it is not obvious."),
    option("--value COLUMN", "The file's value column, if it is not obvious."),
    number("--floor", "Minimum value; smaller ones are raised to it (for closed hours)."),
    option("--every LENGTH", "Join turns: 1D turns hours into days, 1W days into weeks."),
    zone,
    dates,
    decimal,
)
_FILE_KEYS = "time value floor every zone dates decimal"
#: The options that say which traffic a command works with.
TRAFFIC_KEYS = f"multiplier turns ahead events {_FILE_KEYS}"

#: A file of days that the shop names itself.
events = option(
    "--events FILE", "Your own days, past and coming: a date and a kind (sale, closed, …) a row."
)
_ahead = count("--ahead", "Treat the file as the past: forecast this many turns and use those.")

#: A multiplier: the file of a shop's past, whose next two months are meant, or a shape or a file,
#: how to read that, and how far to go on.
stakes = parsed(
    "G",
    parse_multiplier,
    f"file {TRAFFIC_KEYS}",
    click.argument("file", metavar="[FILE]", required=False),
    option(
        "--multiplier -m SHAPE|FILE",
        "wave, christmas, step, constant, sine, or a CSV, Excel or Parquet file.",
        default=_SHAPE,
        type=lambda text: text.lower() if text.lower() in SHAPES else text,
        shell_complete=lambda _, __, text: [
            *_starting(SHAPES, text),
            CompletionItem(text, type="file"),
        ],
    ),
    count("--turns", "Number of turns; of a file, the first N.  [default: 500, or the whole file]"),
    _ahead,
    events,
    *_FILE_OPTIONS,
)

#: The traffic of an experiment to serve, if any.
experiment = parsed(
    "G",
    lambda experiment, **how: experiment and parse_multiplier("", file=experiment, **how),
    f"experiment ahead events {_FILE_KEYS}",
    option("--experiment FILE", "Start an experiment on this traffic: FILE as in 'plan'."),
    _ahead,
    events,
    *_FILE_OPTIONS,
)
#: A range of rewards per visitor.
reward_range = option(
    "--range reward_range LOW..HIGH",
    "Smallest and largest reward per visitor; UCB policies need it.",
    type=reader(
        "two numbers, such as 0..12",
        lambda text: tuple(map(read_number, text.split(".."))),
        lambda ends: len(ends) == 2,
    ),
)

cost = reader("a cost of 0 or more", read_number, lambda cost: 0 <= cost < math.inf)
tax = option(
    "--tax SHARE",
    "The tax in the prices, such as 19%, where costs have none in them.",
    type=reader("a share below 1, such as 19%", read_share, lambda tax: 0 <= tax < 1),
)
_price_options = (
    option("--price PRICE", "A price to choose from; repeatable.", multiple=True, type=positive),
    option("--prices LOW..HIGH/N", "Or N prices in equal steps, such as 8.99..14.99/8."),
    option(
        "--cost COST",
        "What a sold piece costs you; or one for each price, in their order.  [default: 0]",
        multiple=True,
        type=cost,
    ),
    tax,
)
_PRICE_KEYS = "price prices cost tax"

#: What prices offer, if there are any.
offers = parsed("offers", parse_offers, _PRICE_KEYS, *_price_options)

#: Prices and what they cost, for commands that know others besides.
more_prices = parsed("asked", parse_prices, _PRICE_KEYS, *_price_options)

#: What money is called.
unit = option("--unit TEXT", "What gains are in, such as €.  [default: orders, unless it is money]")

#: The arms: by name, by number, or prices.
choice_of_arms = parsed(
    "arms",
    parse_arms,
    f"arm arms {_PRICE_KEYS}",
    option("--arm ID[=LABEL]", "An arm, such as a banner; repeatable.", multiple=True),
    count("--arms", f"Or their number.  [default: {DEFAULT_ARMS}]", least=2),
    *_price_options,
)

#: The traffic of the past, from a file.
traffic = parsed(
    "past",
    lambda file, **how: parse_multiplier(file, **how),
    f"file {_FILE_KEYS}",
    click.argument("file", metavar="FILE"),
    *_FILE_OPTIONS,
)

rates = option(
    "--rates LOW..HIGH",
    "Range of the arms' rates, such as 2%..4%; of prices, of the rate at the middle one.",
    type=lambda text: text.replace(",", "."),  # no rate has thousands
)
rho = option(
    "--rho NUMBER",
    "Correlation of the visitors of a turn: 0 if each decides alone, 1 if a turn is one draw.",
    type=share,
)

#: A reward model; goes below `stakes`, as G decides which is usual.
arms_that_pay = parsed(
    "rewards",
    parse_rewards,
    f"rewards arms means rates rho {_PRICE_KEYS}",
    option(
        "--rewards -r NAME[:KEY=VALUE,…]",
        "What arms pay: visitors (each of a turn's visitors buys or not), bernoulli (the paper's "
        "world: a turn is one draw from [0, 1]), truncated-normal:sigma=0.1, spend:cv=1, "
        "prices:demand=linear.  "
        "[default: visitors for a file, bernoulli for a shape]",
    ),
    rates,
    rho,
    count("--arms", "Number of arms.  [default: 25, or as many as --means]", least=2),
    option(
        "--means NUMBERS",
        "Mean reward of each arm, e.g. 0.9,0.5 (truncated-normal: centres; visitors: rates).",
    ),
    *_price_options,
    keep="G",
)
