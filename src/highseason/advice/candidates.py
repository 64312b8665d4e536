"""The candidates: every policy with its defaults, and a small grid of its parameters."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal

from highseason.core.warnings import quiet
from highseason.multipliers import Multiplier, Threshold
from highseason.policies import (
    UCB,
    UCBZ,
    EpsilonGreedy,
    EpsilonZGreedy,
    Greedy,
    Plan,
    Policy,
    SoftEpsilonGreedy,
    SoftUCB,
    VariablePool,
)

#: When a policy explores: never, regardless of G, or regulated by G.
Kind = Literal["greedy", "unregulated", "regulated"]

_KS = (0.02, 0.1, 0.3, 1.0, 3.0)
_PS = (0.1, 0.5, 2.0)
_ZS = ("q0.5", "q0.75", "0.5*max")
_UNITS = ("q0.1", "q0.5")

#: A few values of each parameter that did well on many seasons, so that an answer takes seconds.
#: The parameters' search ranges are far wider: they are for tuning.
GRID: Mapping[type[Policy], Mapping[str, tuple[Any, ...]]] = {
    Greedy: {},
    EpsilonGreedy: {"k": _KS},
    EpsilonZGreedy: {"k": _KS, "z": _ZS},
    SoftEpsilonGreedy: {"k": _KS, "unit": _UNITS},
    UCB: {"P": _PS},
    UCBZ: {"P": _PS, "z": _ZS},
    SoftUCB: {"P": _PS, "unit": _UNITS},
    VariablePool: {"c": (2.0, 5.0, 20.0, 50.0)},
}
_UNREGULATED = (EpsilonGreedy, UCB)


def kind_of(policy: Policy) -> Kind:
    """Whether a policy is regulated by G; a policy of your own is assumed to be.

    >>> import highseason as hs
    >>> kind_of(hs.UCB()), kind_of(hs.UCBZ()), kind_of(hs.Greedy())
    ('unregulated', 'regulated', 'greedy')
    """
    if type(policy) is Greedy:
        return "greedy"
    return "unregulated" if type(policy) in _UNREGULATED else "regulated"


def idle_thresholds(G: Multiplier) -> list[str]:
    """The thresholds of the grid that put every turn on the same side.

    >>> import highseason as hs
    >>> idle_thresholds(hs.multipliers.from_values([1] * 9 + [40]))
    ['q0.5', 'q0.75']
    """
    high = {z: G.values >= Threshold.of(z).resolve(G.values) for z in _ZS}
    return [z for z, turns in high.items() if turns.all() or not turns.any()]


def candidates(G: Multiplier, arms: int, more: Iterable[Policy] = ()) -> list[Policy]:
    """The candidates for this G, defaults first; one of those with the same plan."""
    idle = idle_thresholds(G)
    by_plan: dict[tuple[str, str], Policy] = {}
    for policy in (*_grid(), *more):
        if policy.threshold in idle:
            continue
        plan = quiet_plan(policy, G, arms)
        by_plan.setdefault((policy.rule.name, plan.digest), policy)
    return list(by_plan.values())


def quiet_plan(policy: Policy, G: Multiplier, arms: int) -> Plan:
    """The plan without its warnings: the advice lists what is unusual, once."""
    with quiet():
        return policy.plan(G, arms)


def _grid() -> Iterator[Policy]:
    for cls in GRID:
        yield cls()
    for cls, axes in GRID.items():
        for values in itertools.product(*axes.values()) if axes else ():
            yield cls(**dict(zip(axes, values, strict=True)))
