"""What is tried: policies from the simplest to the most elaborate, and where each is searched."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from highseason.policies import (
    UCB,
    UCBZ,
    ConstantEpsilon,
    EpsilonGreedy,
    EpsilonZGreedy,
    Greedy,
    OptionIndex,
    Policy,
    SoftEpsilonGreedy,
    SoftUCB,
    Thompson,
    VariablePool,
)
from highseason.policies.parameters import EXPLORATION, Limits, declared
from highseason.tuning import Axis, Space

#: When a policy explores: never, regardless of G, or regulated by G.
Kind = Literal["greedy", "unregulated", "regulated"]

#: Every policy that is tried, the simplest first: of policies that cannot be told apart, the first
#: is advised.  The naive policies and `uniform` are baselines, not candidates.
TRIED: tuple[Policy, ...] = (
    Greedy(),
    ConstantEpsilon(),
    EpsilonGreedy(),
    UCB(),
    Thompson(),
    EpsilonZGreedy(),
    UCBZ(),
    SoftEpsilonGreedy(),
    SoftUCB(),
    VariablePool(),
    OptionIndex(variant="unregulated"),
    OptionIndex(),
)
_UNREGULATED = (ConstantEpsilon, EpsilonGreedy, UCB, Thompson)


def kind_of(policy: Policy) -> Kind:
    """Whether a policy is regulated by G; a policy of your own is assumed to be.

    >>> import highseason as hs
    >>> kind_of(hs.UCB()), kind_of(hs.UCBZ()), kind_of(hs.Greedy())
    ('unregulated', 'regulated', 'greedy')
    """
    if type(policy) is Greedy:
        return "greedy"
    if getattr(policy, "variant", "") == "unregulated":
        return "unregulated"
    return "unregulated" if type(policy) in _UNREGULATED else "regulated"


def documented_parameters(policy: Policy) -> dict[str, Any]:
    """The values of all parameters, a policy within as text."""
    values = policy.parameters().items()
    return {name: str(value) if isinstance(value, Policy) else value for name, value in values}


def spaces(more: Iterable[Policy] = ()) -> list[Space]:
    """Every policy with its axes; policies of your own are tried as they are.

    >>> import highseason as hs
    >>> [axis.name for axis in spaces()[6].axes], str(spaces([hs.UCB(P=0.1)])[-1].start)
    (['z', 'P'], 'ucb:P=0.1')
    """
    return [*(Space(policy, axes(policy)) for policy in TRIED), *(Space(p, ()) for p in more)]


def axes(policy: Policy) -> tuple[Axis, ...]:
    """Constants of exploration in equal factors; what is measured on G as a share of it."""
    axes = (_axis(name, limits) for name, limits in declared(policy).items() if limits.numeric)
    return tuple(axis for axis in axes if axis is not None)


def _axis(name: str, limits: Limits) -> Axis | None:
    if limits.role == "threshold":
        return Axis(name, 0.0, 1.0, "linear", form="q{:.2f}")
    if limits.role == "unit":
        return Axis(name, 1e-3, 10.0, "log", form="{:.3g}*max")
    if limits.search is None:
        return None
    low, high, kind = limits.search
    return Axis(name, low, high if limits.search != EXPLORATION else high / 10, kind)
