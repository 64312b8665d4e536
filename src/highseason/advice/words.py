"""Advice in words: three sentences, two small tables, and what to do next; 80 columns."""

from __future__ import annotations

import json
import math
import shlex
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from highseason.advice.candidates import Kind
from highseason.advice.outcome import Answer, Compared, WorldOutcome
from highseason.core.formatting import counted, format_number, percent
from highseason.core.table import wrapped
from highseason.engine import Estimate, Table
from highseason.policies import Policy
from highseason.traffic import SHAPES

if TYPE_CHECKING:
    from highseason.advice.advice import Advice

_wrapped = partial(wrapped, width=80)
#: Leads below this are none.
_LEVEL = 5e-5
#: Each answer as part of a sentence.
_ANSWERS: dict[Answer, str] = {
    "greedy": "greedy is enough",
    "explore": "explore at any time",
    "regulate": "explore when quiet",
}


_KINDS: tuple[Kind, ...] = ("greedy", "unregulated", "regulated")


def verdict(outcome: WorldOutcome, flips: str = "") -> str:
    """What to use, whether regulating pays, and what would change that."""
    earned = percent(outcome.chosen.earned, 2)
    use = f"Use {outcome.policy}: it earns {earned} of what the best arm would."
    reason, rival = _reason(outcome), outcome.runner_up
    if not outcome.settled:
        most = 100 * max(0.0, -rival.lead.low)
        reason += f"  This is not settled: {rival.policy} may be ahead by up to {most:.2f} points."
    elif rival.lead.value < -_LEVEL and str(rival.policy) not in reason:
        reason = f"{reason[:-1]}; {rival.policy} is {_ahead(rival.lead)}, hardly noticeably."
    return "  ".join(part for part in (use, reason, flips) if part)


def _reason(outcome: WorldOutcome) -> str:
    greedy, plain = outcome.best("greedy"), outcome.best("unregulated")
    if outcome.answer == "greedy":
        return (
            "Neither exploring nor regulating pays: nothing tried is noticeably better than "
            f"showing every arm once and then the leader (the strongest rival, "
            f"{outcome.runner_up.policy}, is {_ahead(outcome.runner_up.lead)})."
        )
    loss = f"greedy is {_ahead(greedy.lead)}"
    ignores = f"{plain.policy}, the best policy that ignores traffic, is {_ahead(plain.lead)}"
    if outcome.answer == "regulate":
        return f"Regulating pays: {ignores}, and {loss}."
    if outcome.chosen.kind == "regulated":
        why = f"makes no clear difference: {ignores}."
    else:
        regulated = outcome.best("regulated")
        why = f"does not: the best policy that does, {regulated.policy}, is "
        why += f"{_ahead(regulated.lead)}."
    return f"Exploring pays ({loss}), but regulating it by traffic {why}"


def flips(advice: Advice) -> str:
    """Whether the answer depends on what is uncertain."""
    if not advice.others:
        return ""
    if not advice.rates_known:
        return _by_rates(advice)
    if not advice.flips:
        if all(one.settled for one in advice.by_rho):
            return "The answer is the same for every correlation of visitors (rho) from 0 to 1."
        return "No other answer is clear for any rho from 0 to 1, but see the question marks below."
    changes = [f"from rho = {rho:.2g} on, {_ANSWERS[one.answer]}" for rho, one in advice.flips]
    lowest = advice.by_rho[0]
    first = f"at {lowest.world.rho:g}, {_ANSWERS[lowest.answer]}"
    return f"It depends on rho: {first}; {'; '.join(changes)}."


def _by_rates(advice: Advice) -> str:
    every = (advice.outcome, *advice.others)
    if len({one.answer for one in every}) == 1:
        same = "The answer is the same for all typical rates and correlations below"
        unsettled = ", though a question mark shows where it is not settled"
        return f"{same}{'' if all(one.settled for one in every) else unsettled}."
    return "It depends on rates and rho (see below): give your own rates, with --rates 2%..4%."


def policies_table(outcome: WorldOutcome, entries: Iterable[Compared]) -> Table:
    """What each policy earns, and how far the advised one is ahead."""
    rows = [
        (str(one.policy), percent(one.earned, 2),
         *(("advised", "") if one.policy == outcome.policy else
           (_plus_minus(one.lead), _sure(one.probability))))
        for one in entries
    ]  # fmt: skip
    return Table(("policy", "earned", "lead", "sure"), tuple(rows), ("",) * 4)


def worlds_table(advice: Advice) -> Table:
    """A row for each world: what a turn teaches there, what is earned, and the answer."""
    rows = []
    every = [advice.outcome, *advice.others]
    every.sort(key=lambda one: (one.world.rates != advice.outcome.world.rates, one.world.rates,
                                one.world.rho or 0.0))  # fmt: skip
    for one in every:
        earned = (percent(one.best(kind).earned, 1) for kind in _KINDS)
        teaches = f"{one.world.counts_as(advice.multiplier):,.0f}"
        cells = (f"{one.world.rho:.2g}", teaches, *earned, one.answer + "?" * (not one.settled))
        rows.append(cells if advice.rates_known else (one.world.rates, *cells))
    first = () if advice.rates_known else ("rates",)
    columns = (*first, "rho", "worth", "greedy", "explore", "regulate", "answer")
    return Table(columns, tuple(rows), ("",) * len(columns))


def next_steps(advice: Advice, traffic: Mapping[str, Any]) -> tuple[str, str]:
    """How to see the plan, and Python that starts a bandit.

    With the options that gave `advise` its traffic, a command and a program of its own; without
    them, code for the program that has the advice.  A policy of another library only plays games.
    """
    policy, reward_range = _for_a_bandit(advice)
    if traffic:
        if traffic["multiplier"] in SHAPES:
            traffic = {**traffic, "turns": advice.multiplier.turns}
        show = _command(advice, traffic)
        begin, player, G = [*_reading(**traffic)], json.dumps(str(policy)), "G"
    else:
        show, begin, player, G = "print(advice.plan)", [], "advice.policy", "advice.multiplier"
        if policy is not advice.policy:
            player = json.dumps(str(policy))
    if not policy.rule.traits.compilable:
        game = "hs.play(advice.policy, advice.outcome.world.rewards, advice.multiplier)"
        return show, f"import highseason as hs\nprint({game}.arms)"
    scaled = [] if reward_range is None else [f"reward_range={reward_range}"]
    python = "\n".join([
        "import highseason as hs",
        *begin,
        _call("shop = hs.Bandit", f"range(1, {advice.plan.arms + 1})", player, G, *scaled),
        "arm = shop.pull(1)  # the arm to show in turn 1",
        "shop.update(arm, reward=20, t=1, traffic=900)  # what it brought; visitors",
        "print(shop.ranking())",
    ])  # fmt: skip
    return show, python


def _for_a_bandit(advice: Advice) -> tuple[Policy, str | None]:
    """The advised policy, and the range of rewards that a bandit scales to [0, 1].

    In a world with other rewards, a UCB policy was tuned to these as they are.  A bandit scales
    them, and b in sqrt(b / n) with their square.
    """
    policy, rewards = advice.policy, advice.outcome.world.rewards
    low, high = rewards.bounds
    if (low, high) != (0.0, 1.0):
        if not policy.rule.traits.unit_range:
            return policy, None
        likely = float(f"{10 * np.abs(advice.outcome.world.typical()).max():.2g}")
        low, high = max(low, -likely), min(high, likely)
        if "P" in policy.parameters():
            P = float(f"{policy.parameters()['P'] / (high - low) ** 2:.3g}")
            policy = policy.with_values({"P": P})
    return policy, f"({low:g}, {high:g})"


def _command(advice: Advice, traffic: Mapping[str, Any]) -> str:
    """The command that shows the plan, in lines of at most 78 columns where words allow it."""
    options = {"policy": advice.policy, **traffic, "arms": advice.plan.arms}
    lines = ["highseason plan"]
    for name, value in options.items():
        word = f"--{name} {shlex.quote(str(value))}"
        if len(lines[-1]) + len(word) > 75:
            lines.append(f"   {word}")
        else:
            lines[-1] += f" {word}"
    return " \\\n".join(lines)


def _reading(
    multiplier: str, turns: int | None = None, ahead: int | None = None, every: str | None = None,
    **how: Any,
) -> Iterator[str]:  # fmt: skip
    """Lines of Python that give the traffic which these options of the command line give."""
    if multiplier in SHAPES:
        how = {"turns": turns, **how}
    name = "as_multiplier" if multiplier in SHAPES else "read"
    options = (f"{key}={json.dumps(value, ensure_ascii=False)}" for key, value in how.items())
    path = json.dumps(multiplier, ensure_ascii=False)
    yield _call(f"G = hs.traffic.{name}", path, *options)
    if every is not None:
        yield f"G = G.resample({every if every.isdecimal() else json.dumps(every)})"
    if turns is not None and multiplier not in SHAPES:
        yield f"G = G.window(1, {turns})"
    if ahead is not None:
        yield f"G = hs.traffic.Blend().fit(G).predict({ahead}).multiplier()"


def _call(function: str, *arguments: str) -> str:
    """A call in one line, if that fits, or with an argument a line."""
    line = f"{function}({', '.join(arguments)})"
    if len(line) <= 78:
        return line
    return "\n".join([f"{function}(", *(f"    {one}," for one in arguments), ")"])


def text(advice: Advice, traffic: Mapping[str, Any]) -> str:
    """All of it, in lines of at most 80 columns."""
    shown = [one for one in advice.compared if one in _shown(advice.outcome)]
    command, python = next_steps(advice, traffic)
    parts = [
        _wrapped(advice.verdict), "", _wrapped(advice.assumption), "",
        str(policies_table(advice.outcome, shown)),
        _wrapped(_legend(advice)),
        *(_worlds(advice) if advice.others else ()), "",
        "What to do next:", textwrap.indent(command, "  "), "", textwrap.indent(python, "  "), "",
        _wrapped(f"When it explores: {advice.policy} {advice.timing.sentence()}"),
        *([] if advice.bounds is None else ["", _wrapped(guarantee(advice))]),
        *(["", "Watch out:"] if advice.warnings else []),
        *(_wrapped(f"- {one.text}", "  ") for one in advice.warnings),
    ]  # fmt: skip
    return "\n".join(parts)


def _shown(outcome: WorldOutcome) -> list[Compared]:
    return [outcome.chosen, outcome.runner_up, *(outcome.best(kind) for kind in _KINDS)]


def _legend(advice: Advice) -> str:
    G, outcome = advice.multiplier, advice.outcome
    return (
        f"{G.name}: {counted(G.turns, 'turn')}, {counted(advice.plan.arms, 'arm')}.  earned: of "
        "the best arm's reward.  lead: of the advised policy, in percentage points of that, ± half "
        "its 95% interval (paired).  sure: that it is better.  From "
        f"{counted(outcome.games, 'game')} not used to search the "
        f"{counted(outcome.tried, 'candidate')}."
    )


def _worlds(advice: Advice) -> list[str]:
    return [
        "",
        "If visitors of the same turn are alike (rho: 0 none, 0.001 typical, 0.01 high):",
        str(worlds_table(advice)),
        _wrapped(
            "worth: independent visitors that teach as much as a median turn.  greedy, explore, "
            "regulate: what the best policy earns that never explores, ignores traffic, or looks "
            "at it.  ?: another policy may be noticeably ahead."
        ),
    ]


def guarantee(advice: Advice) -> str:
    """What the safe bounds say."""
    useful = [(policy, bound) for policy, bound in advice.bounds or () if not bound.vacuous]
    if not useful:
        return (
            "The safe bounds are vacuous here: for typical arms, none is below the cost of always "
            "playing the worst arm."
        )
    policy, bound = min(useful, key=lambda entry: entry[1].total)
    simulated = next(one.regret for one in advice.compared if one.policy == policy)
    return (
        f"For typical arms the tightest safe bound is that of {policy}: it costs at most "
        f"{format_number(bound.total)}, {percent(bound.total / bound.trivial)} of the worst case "
        f"(simulated: {format_number(simulated)})."
    )


def _plus_minus(lead: Estimate) -> str:
    """A lead in percentage points, with half its interval.

    >>> _plus_minus(Estimate(0.0481, 0.0083, 0.0318, 0.0644))
    '+4.81 ± 1.63'
    """
    if not math.isfinite(lead.error):
        return f"{100 * lead.value:+.2f}"
    return f"{100 * lead.value:+.2f} ± {100 * (lead.high - lead.value):.2f}"


def _ahead(lead: Estimate) -> str:
    """Where another policy is, seen from the advised one.

    >>> _ahead(Estimate(0.0481, 0.0083, 0.0318, 0.0644)), _ahead(Estimate(0, 0, 0, 0))
    ('4.81 ± 1.63 points behind', 'level')
    """
    points, side = _plus_minus(lead), "behind" if lead.value > 0 else "ahead"
    if abs(lead.value) < _LEVEL:
        return "level"
    return f"{points.lstrip('+-')} points {side}"


def _sure(probability: float) -> str:
    """A probability estimated from games is never 0 or 1.

    >>> _sure(1.0), _sure(0.0), _sure(0.5)
    ('over 99%', 'under 1%', '50%')
    """
    return percent(min(max(probability, 1e-9), 1 - 1e-9))
