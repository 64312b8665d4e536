"""What `advise` says to do next: commands for the same traffic, and Python that starts a bandit."""

import json
import shlex
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from highseason.advice import Advice
from highseason.bandit import takings_at
from highseason.core.specs import arm_names, parse_arm
from highseason.core.text import exact
from highseason.traffic import SHAPES


def next_steps(
    advice: Advice, arms: Sequence[str], traffic: Mapping[str, Any], unit: str | None = None
) -> tuple[str, ...]:
    """The command that shows the plan, the one that serves an experiment, and Python.

    The traffic of a whole file can be served; a policy of another library has only a plan.

    Args:
        advice: The advice.
        arms: The arms as `--arm` takes them; none if they have no names.
        traffic: The options that gave the traffic, such as `{"multiplier": "visitors.csv"}`.
        unit: What money is called, where arms are prices.
    """
    start, names = advice.bandit_arguments(), list(arms)
    known = {key: start[key] for key in ("prices", "cost", "tax") if key in start}
    priced = [(key.removesuffix("s"), exact(value))
              for key, values in known.items() for value in np.atleast_1d(values).tolist()
    ]  # fmt: skip
    is_shape, source = traffic["multiplier"] in SHAPES, dict(traffic)
    if is_shape:
        source["turns"] = advice.multiplier.turns
    own = priced or [("arm", name) for name in names] or [("arms", str(advice.plan.arms))]
    plan = _command("plan", ("policy", advice.policy), *source.items(), *own)
    if not advice.policy.rule.traits.compilable:
        return (plan,)
    steps, policy = [plan], str(start["policy"])
    names = names or [f"arm {i + 1}" for i in range(advice.plan.arms)]
    ends = "{:.12g}..{:.12g}".format(*start.get("reward_range", (0, 1)))
    if not is_shape and "turns" not in source:
        past = [("experiment", source["multiplier"])]
        past += [each for each in source.items() if each[0] != "multiplier"]
        shown = [*priced, ("unit", unit)] if priced and unit else priced
        shown = shown or [*(("arm", name) for name in names), ("range", ends)]
        steps.append(_command("serve", *past, ("policy", policy), *shown))
    if priced:
        given = [*(f"{key}={value}" for key, value in known.items()), "multiplier=G"]
        given.append(f"policy={json.dumps(policy)}")
    else:
        given = [_quoted(arm_names(names)), json.dumps(policy), "G"]
        given.append(f"reward_range=({ends.replace('..', ', ')})")
    words = ("price", "purchases", "demand") if priced else ("arm", "reward", "ranking")
    arm, brought, table = words
    return *steps, "\n".join([
        "import highseason as hs",
        *_reading(**source),
        _call("shop = hs.Bandit", *given),
        f"{arm} = shop.pull(1)  # the {arm} to show in turn 1",
        f"shop.update({arm}, {brought}=20, t=1, visitors=900)  # what it brought",
        f"print(shop.{table}())",
    ])  # fmt: skip


def shown_steps(
    advice: Advice, arms: Sequence[str], steps: Sequence[str], details: bool
) -> list[str]:
    """The steps that are printed: Python only with details, or where nothing can be served."""
    shown = list(steps if details or len(steps) < 3 else steps[:-1])
    most = takings_at(parse_arm(one)[0] for one in arms)
    if most and advice.bandit_arguments().get("reward_range") == (0.0, 1.0):
        takings = f"This is for orders.  To report takings instead: --range 0..{most:g}"
        shown[-1] = f"{shown[-1]}\n{takings}"
    return shown


def _quoted(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _command(name: str, *options: tuple[str, Any]) -> str:
    """A command with its options, in lines of at most 78 columns where words allow it."""
    words = (f"--{name} {shlex.quote(str(value))}" for name, value in options)
    text = " ".join([f"highseason {name}", *(word.replace(" ", "\0") for word in words)])
    lines = textwrap.wrap(
        text, 76, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False
    )
    return " \\\n".join(lines).replace("\0", " ")


def _reading(
    multiplier: str, turns: int | None = None, ahead: int | None = None, events: str | None = None,
    **how: Any,
) -> Iterator[str]:  # fmt: skip
    """Lines of Python that give the traffic which these options of the command line give."""
    is_shape = multiplier in SHAPES
    how = {"turns": turns, **how} if is_shape else how
    options = (f"{key}={_quoted(value)}" for key, value in how.items())
    reader = "hs.traffic.as_multiplier" if is_shape else "hs.traffic.read"
    yield _call(f"G = {reader}", _quoted(multiplier), *options)
    if turns is not None and not is_shape:
        yield f"G = G.window(1, {turns})"
    if ahead is not None:
        own = [] if events is None else [f"events={_quoted(events)}"]
        yield _call("G = hs.forecast", "G", str(ahead), *own)


def _call(function: str, *arguments: str) -> str:
    """A call in one line, if that fits, or with an argument a line."""
    line = f"{function}({', '.join(arguments)})"
    if len(line) <= 78:
        return line
    return "\n".join([f"{function}(", *(f"    {one}," for one in arguments), ")"])
