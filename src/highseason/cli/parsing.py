"""From text on the command line to policies, multipliers, rewards and lifetimes."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import highseason as hs
from highseason.cli.output import usage_error
from highseason.core.specs import split_spec
from highseason.core.text import counted
from highseason.traffic import SHAPES, Multiplier

if TYPE_CHECKING:
    from highseason.policies import Policy
    from highseason.policies.lifetimes import Lifetimes
    from highseason.rewards import Rewards

DEFAULT_ARMS, DEFAULT_TURNS = 25, 500


def parse_policies(texts: Sequence[str], profile: str | None) -> dict[str, Policy]:
    """Policies by the text that was typed, in order; repeated ones are numbered.

    >>> parse_policies(["ucb", "ucb-z:z=30"], profile=None)["ucb-z:z=30"].z
    30.0
    """
    if not texts:
        raise usage_error(
            "no policy given. Try --policy soft-ucb; 'highseason policies' lists them all"
        )
    from highseason.engine import unique_labels

    players = [parse_policy(text, profile) for text in texts]
    return dict(zip(unique_labels(texts), players, strict=True))


def parse_policy(text: str, profile: str | None = None) -> Policy:
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
    text: str,
    turns: int | None = None,
    *,
    floor: float | None = None,
    every: str | None = None,
    **columns: Any,
) -> Multiplier:
    """A shape by its name, or a file by its path; `columns` says how to read that."""
    path = Path(text)
    if text in SHAPES:
        for name in ("every", *columns):
            if columns.get(name, every if name == "every" else None) is not None:
                raise usage_error(
                    f"--{name} says how to read a file, and {text!r} is a shape: leave it out, or "
                    "give a file with --multiplier"
                )
        return hs.traffic.as_multiplier(text, turns=turns or DEFAULT_TURNS, floor=floor)
    if not path.suffix and not path.exists():
        return hs.traffic.as_multiplier(text)  # suggests the nearest shape
    if not path.exists():
        raise usage_error(
            f"there is no file {text}: check the path, or give a shape ({', '.join(SHAPES)})"
        )
    G = hs.traffic.read(text, floor=floor, **columns)
    if every is not None:  # a length of time such as 1D, or a number of turns
        G = G.resample(int(every) if every.isdecimal() else every)
    if turns is not None and turns > G.turns:
        raise usage_error(
            f"{text} has {counted(G.turns, 'turn')}, fewer than --turns {turns}: leave --turns "
            "out, or give a longer file"
        )
    return G if turns is None else G.window(1, turns)


def parse_ahead(text: str, past: Multiplier, turns: int) -> Multiplier:
    """The traffic expected after a past, by the default forecaster."""
    if text in SHAPES:
        raise usage_error(
            f"--ahead forecasts the traffic of a file, and {text!r} is a shape: leave it out, or "
            "give a file with --multiplier"
        )
    season = hs.traffic.Blend().fit(past).predict(turns)
    return replace(season, name=f"{past.name}, forecast").multiplier()


def parse_rewards(
    text: str | None,
    arms: int | None,
    means: str | None,
    rates: str | None = None,
    rho: float | None = None,
    *,
    G: Multiplier,
) -> Rewards:
    """A reward model; where there is no text, the usual one for G.

    >>> G = hs.traffic.wave(turns=9)
    >>> parse_rewards("truncated-normal:sigma=0.2", arms=3, means=None, G=G).scale
    0.2
    >>> parse_rewards("visitors", arms=3, means=None, rates="2%..4%", rho=0.01, G=G).between
    (0.02, 0.04)
    """
    from highseason.rewards.text import usual_rewards

    text = text or usual_rewards(G)
    arm = {"bernoulli": "means", "truncated-normal": "centres"}.get(text.partition(":")[0], "rates")
    for option in ([f"{arm}={rates}"] if rates else []) + ([] if rho is None else [f"rho={rho:g}"]):
        text += f"{',' if ':' in text else ':'}{option}"
    fixed = None
    if means is not None:
        try:
            fixed = [_number(part, "--means") for part in means.split(",")]
        except ValueError as reason:
            raise usage_error(f"{reason}; write numbers with commas, such as 0.9,0.5") from reason
    if fixed is not None and arms not in (None, len(fixed)):
        raise usage_error(
            f"--arms {arms} does not match the {len(fixed)} numbers of --means: leave --arms out"
        )
    return hs.rewards.parse(text, arms, fixed, default_arms=DEFAULT_ARMS)


def _numbers(name: str, options: dict[str, str], known: Sequence[str]) -> dict[str, Any]:
    for key in options:
        if key not in known:
            raise ValueError(
                f"{name} has no parameter {key!r}; it has: {', '.join(known) or 'none'}"
            )
    return {key: _number(value, f"{name}: {key}") for key, value in options.items()}


def _number(text: str, what: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"{what}: {text.strip()!r} is not a number") from None


def parse_lifetimes(text: str | None, turns: int) -> Lifetimes | None:
    """Lifetimes from the text of `--lifetimes`.

    >>> parse_lifetimes("1-90,30-", turns=100).arms
    2
    >>> parse_lifetimes("flow:alive=10,life=50", turns=100).arms
    30
    >>> parse_lifetimes("1-90,30-,known=false", turns=100).known
    False
    """
    if text is None:
        return None
    described = re.sub("[,:]known=false$", "", text)
    try:
        return replace(_lifetimes(described, turns), known=described == text)
    except ValueError as reason:
        raise usage_error(f"--lifetimes {text}: {reason}") from reason


def _lifetimes(text: str, turns: int) -> Lifetimes:
    name = text.partition(":")[0]
    if name == "articles":
        known = ("turns_per_hour", "start_hour")
        return hs.lifetimes.articles(turns, **_numbers(name, split_spec(text)[1], known))
    if name == "flow":
        flow: dict[str, Any] = {"alive": 10.0, "life": turns / 5}
        flow |= _numbers(name, split_spec(text)[1], ("alive", "life"))
        if flow["alive"].is_integer():  # the library takes whole numbers as int
            flow["alive"] = int(flow["alive"])
        return hs.lifetimes.birth_and_death(turns, **flow)
    return hs.lifetimes.fixed([_span(part.strip()) for part in text.split(",")])


def _span(text: str) -> tuple[float, float]:
    try:
        start, end = text.split("-")
        return float(int(start)), float(int(end)) if end else math.inf
    except ValueError:
        raise ValueError(
            f"invalid lifetime {text!r}; expected START-END for each arm, such as 1-90,30-, or "
            "articles, or flow:alive=10,life=100"
        ) from None


def match_arms(rewards: Rewards, population: Lifetimes | None, given: bool) -> Rewards:
    """As many arms as have lifetimes, unless the arms or their number were `given`."""
    if population is None or rewards.fixed is not None:
        return rewards
    if given and rewards.arms != population.arms:
        raise usage_error(
            f"--arms {rewards.arms}: --lifetimes describes {population.arms} arms; leave out --arms"
        )
    return replace(rewards, arms=population.arms)
