"""Wrappers: policies around policies.  The plan stays the inner one's, the rule is changed.

Here are what they share, and two that forget, for rewards that drift.  The function before a class
builds its rule from the rule within.  Called twice, it gives the same object, so that it is
compiled once.

References:
    Garivier and Moulines, "On Upper-Confidence Bound Policies for Non-Stationary Bandit Problems",
    2008, https://arxiv.org/abs/0805.3415 (discounts and windows).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from highseason.core.jitable import jitable
from highseason.core.ordered import WithOne
from highseason.core.validation import Limits, declared
from highseason.policies.base import Counts, Policy, Role, parse
from highseason.policies.parameters import parameter, window
from highseason.policies.plan import View
from highseason.policies.rule import (
    ArmState,
    LifetimeOptions,
    Observation,
    Rule,
    Turn,
    made_once,
)
from highseason.policies.ucb import UCB
from highseason.traffic import Threshold

#: What a wrapper takes over from the class of the policy within.
_TAKEN_OVER = (
    "needs_whole_g",
    "needs_horizon",
    "carry_depends_on",
    "learns_scaled",
    "suppress_plan_warning",
    "looks_at_g",
    "explores",
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
        own = {name: value for name, value in self.parameters().items() if name not in _COMMON}
        return self.change(rule, **own)

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

    def name_in_role(self, role: Role) -> str:
        """Its own parameter, or that of the policy within."""
        return super().name_in_role(role) or self.base.name_in_role(role)

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

    @property
    def counts(self) -> Counts | None:
        """As the policy within."""
        return self.base.counts

    @property
    def correlation(self) -> float:
        """As the policy within."""
        return self.base.correlation

    def counting(self, what: Counts) -> Self:
        """Around the policy within as it plays there."""
        return replace(self, base=self.base.counting(what))

    def kept(self, ages: NDArray[np.int64]) -> NDArray[np.float64]:
        """As the policy within."""
        return self.base.kept(ages)

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


@made_once
def discounted(rule: Rule, discount: float) -> Rule:
    """With every reward of an arm, those before it lose the share 1 - discount of their weight."""
    _check_plain_mean(rule, "a discount")

    @jitable
    def observe(state: ArmState, turn: Turn, observation: Observation) -> None:
        """Let the past fade, then add the value."""
        arm, value, precision = observation
        state.pulls[arm] = discount * state.pulls[arm] + precision
        state.sums[arm] = discount * state.sums[arm] + precision * value

    return replace(
        rule,
        name=f"{rule.name}, discounted",
        observe=observe,
        traits=replace(rule.traits, own_arm_only=False),
    )


@dataclass(frozen=True)
class Discounted(Wrapper):
    """With every new reward of an arm its older ones count a little less.

    pulls := discount · pulls + 1 and sum := discount · sum + reward, so an estimate rests on at
    most 1 / (1 - discount) rewards, and the bonus of an index rule stays as wide as that.

    >>> import highseason as hs
    >>> print(Discounted(hs.UCB(), discount=0.99))
    discounted:discount=0.99+ucb
    >>> hs.play("discounted:discount=0.9+thompson", "bernoulli:means=0.2/0.8", [1] * 8).arms
    array([1, 1, 1, 1, 0, 0, 1, 0])
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

    def kept(self, ages: NDArray[np.int64]) -> NDArray[np.float64]:
        """They fade with every later reward."""
        return np.asarray(self.discount**ages)


@made_once
def windowed(rule: Rule, window: int, weighs: bool = False) -> Rule:
    """Only the last `window` rewards of an arm count, each as much as another or as it `weighs`."""
    _check_plain_mean(rule, "a window")
    first = rule.memory  # a ring of rewards, how many there have been, and their precisions
    count = first + window
    weights = count + 1

    @jitable
    def observe(state: ArmState, turn: Turn, observation: Observation) -> None:
        """Overwrite the oldest, and add up the ring: rounding errors cannot accumulate."""
        arm = observation.arm
        seen = int(state.memory[arm, count])
        state.memory[arm, first + seen % window] = observation.value
        state.memory[arm, count] = seen + 1
        if weighs:
            state.memory[arm, weights + seen % window] = observation.precision
        held = total = 0.0
        for i in range(min(seen + 1, window)):
            weight = state.memory[arm, weights + i] if weighs else 1.0
            held += weight
            total += weight * state.memory[arm, first + i]
        state.pulls[arm], state.sums[arm] = held, total

    return replace(
        rule,
        name=f"{rule.name}, windowed",
        observe=observe,
        memory=weights + (window if weighs else 0),
        traits=replace(rule.traits, own_arm_only=False),
    )


@dataclass(frozen=True)
class Windowed(Wrapper):
    """Only an arm's last rewards count.

    >>> import highseason as hs
    >>> print(Windowed(hs.EpsilonGreedy(), window=50))
    windowed:window=50+epsilon-greedy
    >>> hs.play("windowed:window=2+greedy", "bernoulli:means=0.2/0.8", [1] * 8, seed=2).arms
    array([0, 1, 1, 1, 1, 1, 0, 0])
    """

    name = "windowed"

    window: int = window(1000, "how many of an arm's rewards count")

    def wrapped(self, rule: Rule) -> Rule:
        """The rule within, with a window."""
        return windowed(rule, self.window, self.base.counts == "visitors")

    def kept(self, ages: NDArray[np.int64]) -> NDArray[np.float64]:
        """All or nothing."""
        return np.where(ages < self.window, 1.0, 0.0)


def _check_plain_mean(rule: Rule, what: str) -> None:
    if not rule.traits.own_arm_only:
        raise ValueError(
            f"{what} changes how a plain average is kept, but the {rule.name!r} rule keeps "
            "something else: put the forgetting around the innermost policy; a rule of your own "
            "that keeps plain averages declares own_arm_only"
        )
