"""What a result shows, in plain sentences; every one is worked out from the numbers.

A difference counts when the 95 % interval of the paired games lies on one side of zero.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from highseason.policies import Plan, Policy
from highseason.report.wording import listed, percent, signed_percent, with_range
from highseason.results import Estimate, SimulationResult

#: A clear gain below this share of the reward is still called small.
_SMALL = 0.02


def best(result: SimulationResult, labels: Sequence[str]) -> str:
    """Who earned most, and how much of what the best arm would have earned."""
    first = max(labels, key=lambda label: result.mean("reward", label))
    oracle = result.mean("reward", first) + result.mean("realised_regret", first)
    earned = percent(result.mean("reward", first) / oracle, 1)
    equals = [label for label in labels if label != first and _sign(result.gain(label, first)) == 0]
    shared = f" {listed(equals)} cannot be told from it." if equals else ""
    return f"{first} earned most: {earned} of what the best arm would have earned.{shared}"


def regulation(result: SimulationResult, base: str, regulated: Sequence[str]) -> str:
    """What looking at the stakes changed, against the same policy that does not."""
    told = [f"{label} {_told(result.gain(label, base))}" for label in regulated]
    return f"Against {base}, which explores whatever the stakes: {listed(told)}."


def against_greedy(result: SimulationResult, greedy: str, others: Sequence[str]) -> str:
    """Where plain greedy loses, ties or wins; said even when it is not what one hoped for."""
    gains = {label: result.gain(label, greedy) for label in others}
    above = [f"{label} {_told(g)}" for label, g in gains.items() if _sign(g) > 0]
    level = [label for label, g in gains.items() if _sign(g) == 0]
    below = [label for label, g in gains.items() if _sign(g) < 0]
    parts = [
        f"clearly more was earned by {listed(above)}" if above else "nothing clearly beat it",
        f"it ties with {listed(level)}" if level else "",
        f"it clearly beats {listed(below)}" if below else "",
    ]
    return (
        f"{greedy} tries every arm once and then never explores: "
        f"{'; '.join(filter(None, parts))}.{_moral(gains)}"
    )


def _moral(gains: Mapping[str, Estimate]) -> str:
    """How much there was to gain over never exploring again."""
    most = max((gain.value for gain in gains.values() if _sign(gain) > 0), default=0.0)
    if most >= _SMALL:
        return f" The most that any gains over it is {signed_percent(most)}."
    start = f" The most that any gains over it is {signed_percent(most)}: almost" if most else " So"
    return (
        f"{start} all that regulation gains over blind exploration, never exploring gains as well."
    )


def naive(result: SimulationResult, pairs: Mapping[str, str]) -> str:
    """What became of those that average takings instead of takings per customer."""
    told = [
        f"{label} {_told(result.gain(label, honest))} against {honest} "
        f"({percent(result.exploited_share(label))} of it earned exploiting)"
        for label, honest in pairs.items()
    ]
    return f"Averaging takings without dividing by G: {listed(told)}."


def never_settles(plans: Mapping[str, Plan]) -> str:
    """Which plans explore fully in every turn and so play at random; empty if none does."""
    found = [label for label, plan in plans.items() if _explores_always(plan)]
    if not found:
        return ""
    explore, play = ("explores", "plays") if len(found) == 1 else ("explore", "play")
    return f"{listed(found)} {explore} fully in every turn, and so {play} at random to the end."


def _explores_always(plan: Plan) -> bool:
    policy: Policy = plan.policy
    later = plan.exploration[plan.arms if policy.decides_by.tries_each else 0 :]
    # A wide radius is not a random choice: only for the ε rule does 1 mean "any arm".
    by_chance = policy.decides_by.name == "epsilon" and not policy.deliberate
    return by_chance and later.size > 0 and bool((later >= 1.0).all())


def _sign(gain: Estimate) -> int:
    """1 or -1 where the interval lies on one side of zero, else 0."""
    return int(gain.low > 0) - int(gain.high < 0)


def _told(gain: Estimate) -> str:
    if _sign(gain) == 0:
        return f"no clear difference ({signed_percent(gain.value)})"
    return with_range(gain.value, gain.low, gain.high)
