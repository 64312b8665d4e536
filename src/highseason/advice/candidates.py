"""What is tried: policies from the simplest to the most elaborate, and where each is searched."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Literal

from highseason.advice.space import Axis, Space
from highseason.policies import (
    KLUCB,
    UCB,
    UCBZ,
    ConstantEpsilon,
    EpsilonGreedy,
    EpsilonZGreedy,
    GaussianThompson,
    Greedy,
    OptionIndex,
    Policy,
    SoftEpsilonGreedy,
    SoftUCB,
    Thompson,
    VariablePool,
)
from highseason.policies.parameters import EXPLORATION, Limits

#: When a policy explores: never, regardless of G, or regulated by G.
Kind = Literal["greedy", "unregulated", "regulated"]

#: Every policy that is tried, the simplest first: of policies that cannot be told apart, the first
#: is advised.  Greedy is the simplest; what has no constants comes before what has to be tuned, and
#: what ignores G before what is regulated by it.  The naive policies and `uniform` are baselines,
#: not candidates.
TRIED: tuple[Policy, ...] = (
    Greedy(),
    OptionIndex(),
    OptionIndex(variant="unregulated"),
    ConstantEpsilon(),
    EpsilonGreedy(),
    UCB(),
    Thompson(),
    EpsilonZGreedy(),
    UCBZ(),
    SoftEpsilonGreedy(),
    SoftUCB(),
    VariablePool(),
)
#: Where visitors are counted, these are tried both ways, turns and visitors …
_BOTH_WAYS = (Greedy, UCB, UCBZ, SoftUCB)
#: … and these with visitors only.
_VISITORS = (Thompson, OptionIndex)
#: These take rewards between 0 and 1 only.
_BOUNDED = (Thompson, OptionIndex)
_UNREGULATED = (ConstantEpsilon, EpsilonGreedy, UCB, KLUCB, Thompson, GaussianThompson)


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


def tried(rho: float | None, bounded: bool = True) -> list[Policy]:
    """The policies for a world: with visitors, if they have a correlation.

    A policy that counts visitors is given their correlation, as it would be in a shop: by the same
    assumption, or by `highseason noise`.

    >>> [str(policy) for policy in tried(0.01)[:3]]
    ['greedy', 'greedy:count=visitors,rho=0.01', 'option-index:count=visitors']
    """
    chosen = [p for p in TRIED if bounded or not isinstance(p, _BOUNDED)]
    if rho is None:
        return chosen
    return [each for policy in chosen for each in _ways(policy, rho)]


def _ways(policy: Policy, rho: float) -> Iterator[Policy]:
    if not isinstance(policy, _VISITORS):
        yield policy
    if isinstance(policy, OptionIndex):  # it learns rho
        yield replace(policy, count="visitors")
    elif type(policy) in _BOTH_WAYS + _VISITORS:
        more: dict[str, Any] = {"count": "visitors", "rho": rho}
        yield replace(policy, **more)


def spaces(policies: Sequence[Policy], more: Iterable[Policy] = ()) -> list[Space]:
    """Every policy with its axes; policies of your own are tried as they are.

    >>> import highseason as hs
    >>> first, last = spaces([hs.UCBZ()], [hs.UCB(P=0.1)])
    >>> [axis.name for axis in first.axes], str(last.start)
    (['z', 'P'], 'ucb:P=0.1')
    """
    own = (Space(policy, ()) for policy in more if policy not in policies)
    return [*(Space(policy, axes(policy)) for policy in policies), *own]


def axes(policy: Policy) -> tuple[Axis, ...]:
    """Constants of exploration in equal factors; what is measured on G as a share of it."""
    axes = (_axis(name, limits) for name, limits in policy.tunable().items())
    return tuple(axis for axis in axes if axis is not None)


def _axis(name: str, limits: Limits) -> Axis | None:
    if limits.role == "threshold":
        return Axis(name, 0.0, 1.0, "linear", form="q{:.2f}")
    if limits.role == "unit":
        return Axis(name, 1e-3, 10.0, "log", form="{:.3g}*max")
    if limits.search is None:
        return None
    low, high, kind = limits.search
    high = high / 10 if limits.search == EXPLORATION else high
    return Axis(name, low, high, kind, whole=limits.whole)
