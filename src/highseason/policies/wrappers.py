"""Wrappers: policies around policies.  The plan stays the inner one's, the rule is changed.

The four for the click contest are the heuristics by which the authors won it; two more forget, for
rewards that drift.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from highseason.core.ordered import WithOne
from highseason.policies.base import (
    EXPLORATION,
    Limits,
    Policy,
    Role,
    declared,
    parameter,
    parse,
    window,
)
from highseason.policies.lifetimes import LifetimeOptions
from highseason.policies.plan import View
from highseason.policies.rule import Rule
from highseason.policies.ucb import UCB
from highseason.policies.wrapped_rules import (
    capped,
    discounted,
    dynamic_peak_grabber,
    peak_grabber,
    sparing_old_arms,
    windowed,
)
from highseason.traffic import Threshold

#: What a wrapper takes over from the class of the policy within.
_TAKEN_OVER = (
    "uses_future_g",
    "uses_future",
    "carry_depends_on",
    "learns_scaled",
    "suppress_plan_warning",
)
#: The parameters that every wrapper has.
_COMMON = ("base", "ties")


@dataclass(frozen=True)
class Wrapper(Policy):
    """What all wrappers share.  Subclasses give `name`, and `change` or `wrapped(rule)`.

    On the command line wrappers are joined to what they wrap by a plus sign:
    `peak-grabber+soft-ucb:unit=1`.

    Attributes:
        base: The policy within, or its text as on the command line.
    """

    #: Gives the changed rule, from the rule of the policy within and the wrapper's own parameters.
    change: ClassVar[Callable[..., Rule] | None] = None

    base: Policy = parameter(UCB(), "the policy within", inner=True)

    def _check_rule(self) -> None:
        """Take over what the policy within declares, and wrap its rule."""
        if isinstance(self.base, str):
            object.__setattr__(self, "base", parse(self.base))
        if not isinstance(self.base, Policy):
            raise ValueError(f"{self.label}: base must be a policy, got {self.base!r}")
        ties = "random" if "random" in (self.ties, self.base.ties) else "lowest"
        inherited: dict[str, Any] = {name: getattr(self.base, name) for name in _TAKEN_OVER}
        inherited |= {"ties": ties, "base": replace(self.base, ties=ties)}
        try:
            inherited["rule"] = self.wrapped(self.base.rule)
        except ValueError as reason:
            raise ValueError(f"{self.label} around {self.base}: {reason}") from None
        for name, value in inherited.items():
            object.__setattr__(self, name, value)

    def wrapped(self, rule: Rule) -> Rule:
        """The rule of the policy within, changed."""
        if self.change is None:
            raise TypeError(
                f"{type(self).__name__} has no wrapped(rule): define it to return a Rule"
            )
        own = [value for name, value in self.parameters().items() if name not in _COMMON]
        return self.change(rule, *own)  # by position: the caches of rules tell keywords apart

    # -- all of this is the inner policy's business -----------------------------------------------

    def begin(self) -> Any:
        """As the policy within."""
        return self.base.begin()

    def step(self, carry: Any, view: View) -> tuple[float, Any]:
        """As the policy within."""
        return self.base.step(carry, view)

    def levels(self, G: NDArray[np.float64], arms: int) -> NDArray[np.float64] | None:
        """As the policy within."""
        return self.base.levels(G, arms)

    def resolve_thresholds(self, values: NDArray[np.float64] | WithOne) -> Self:
        """Its own expressions turned into numbers, and those of the policy within."""
        expressions = super().unresolved_thresholds()
        own: dict[str, Any] = {name: e.resolve(values) for name, e in expressions.items()}
        return replace(self, base=self.base.resolve_thresholds(values), **own)

    def unresolved_thresholds(self) -> dict[str, Threshold]:
        """Its own, or those of the policy within."""
        return super().unresolved_thresholds() or self.base.unresolved_thresholds()

    def in_role(self, role: Role) -> Any:
        """Its own parameter, or that of the policy within."""
        own = super().in_role(role)
        return self.base.in_role(role) if own is None else own

    def tunable(self) -> dict[str, Limits]:
        """Its own parameters, and those of the policy within that have other names."""
        own, within = declared(self), self.base.tunable()
        others = {name: limits for name, limits in within.items() if name not in own}
        return super().tunable() | others

    def with_values(self, values: Mapping[str, Any]) -> Self:
        """Its own values, and the policy within with the others."""
        own = {name: value for name, value in values.items() if name in declared(self)}
        within = {name: value for name, value in values.items() if name not in own}
        return replace(self, base=self.base.with_values(within), **own)

    @property
    def lifetime_options(self) -> LifetimeOptions:
        """As the policy within."""
        return self.base.lifetime_options

    def precision(self, visitors: float) -> float:
        """As the policy within."""
        return self.base.precision(visitors)

    @property
    def unwrapped(self) -> Policy:
        """The innermost policy."""
        return self.base.unwrapped

    def __getattr__(self, name: str) -> Any:
        """Parameters of the plan, such as `z`, are those of the policy within."""
        if name.startswith("_") or "base" not in self.__dict__:
            raise AttributeError(name)
        return getattr(self.__dict__["base"], name)

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(type(self), **self.parameters()), ()

    def __str__(self) -> str:
        return f"{self._spec(except_for=_COMMON)}+{self.base}"


@dataclass(frozen=True)
class PeakGrabber(Wrapper):
    """Stay with an arm on a winning streak: its last 100 displays earned 9 or more.

    While it is held it is played and nothing is explored.  It is released when the mean of its
    window falls below another arm's estimate, or when it ends.  Runs are looked at when a reward
    arrives: after an arm has ended, the next one is held one reward later.

    >>> import highseason as hs
    >>> print(PeakGrabber(hs.SoftUCB(unit=1)))
    peak-grabber+soft-ucb:unit=1
    """

    name = "peak-grabber"
    change = staticmethod(peak_grabber)

    window: int = window(100, "displays of an arm to look back on")
    trigger: float = parameter(
        9.0, "what these must have earned together", above=0.0, search=EXPLORATION
    )


@dataclass(frozen=True)
class DynamicPeakGrabber(Wrapper):
    """Stay with an arm whose recent displays earn 15% more than all recent displays.

    Its last 100 displays are compared with a moving average over all displays.  It is released when
    it falls below the line, or when it ends.

    >>> import highseason as hs
    >>> print(DynamicPeakGrabber(hs.UCB(), lift=1.3))
    dynamic-peak-grabber:lift=1.3+ucb
    """

    name = "dynamic-peak-grabber"
    change = staticmethod(dynamic_peak_grabber)

    window: int = window(100, "displays of an arm to look back on")
    lift: float = parameter(1.15, "times the rate of all displays", above=0.0, search=EXPLORATION)
    memory: float = parameter(
        0.01,
        "by how much a display moves the rate of all",
        above=0.0,
        at_most=1.0,
        search=(1e-3, 1.0, "log"),
    )


@dataclass(frozen=True)
class SpareOldArms(Wrapper):
    """Stop exploring old arms: the bonus is multiplied by max(0, 1 - age / lifetime).

    The bonus of an arm without an end does not fade.  An unknown lifetime is taken to be the mean
    of those that have ended.  Only around index rules (the UCB family): others have no bonus.

    >>> import highseason as hs
    >>> SpareOldArms(hs.EpsilonGreedy())
    Traceback (most recent call last):
    ...
    ValueError: spare-old-arms around epsilon-greedy: sparing old arms changes the bonus of an index
    rule (UCB, soft UCB mortal …), but the 'epsilon' rule has no bonus
    """

    name = "spare-old-arms"
    change = staticmethod(sparing_old_arms)


@dataclass(frozen=True)
class CapIndex(Wrapper):
    """Cap every index at 0.88; untried arms sit at the cap, behind those that reach it.

    New arms are therefore tried when no known arm promises as much, not at once; at the start only
    those that the policy within opens with (`initial`), if it says how many.  Only around index
    rules (the UCB family).  Put it outermost: a capped rule has no bonus.

    >>> import highseason as hs
    >>> print(CapIndex(SpareOldArms(hs.UCB())))
    cap+spare-old-arms+ucb
    """

    name = "cap"
    change = staticmethod(capped)

    cap: float = parameter(0.88, "the highest index", search=EXPLORATION)


@dataclass(frozen=True)
class Discounted(Wrapper):
    """With every new reward of an arm its older ones count a little less.

    pulls := discount · pulls + 1 and sum := discount · sum + reward, so an estimate rests on at
    most 1 / (1 - discount) rewards, and the bonus of an index rule stays as wide as that.

    >>> import highseason as hs
    >>> print(Discounted(hs.UCB(), discount=0.99))
    discounted:discount=0.99+ucb
    """

    name = "discounted"
    change = staticmethod(discounted)

    discount: float = parameter(
        0.999,
        "what is left of a reward's weight after the next",
        above=0.0,
        at_most=1.0,
        search=(1e-3, 1.0, "log"),
    )


@dataclass(frozen=True)
class Windowed(Wrapper):
    """Only an arm's last rewards count.

    >>> import highseason as hs
    >>> print(Windowed(hs.EpsilonGreedy(), window=50))
    windowed:window=50+epsilon-greedy
    """

    name = "windowed"
    change = staticmethod(windowed)

    window: int = window(1000, "how many of an arm's rewards count")
