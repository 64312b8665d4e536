"""A wrapper is a policy around another one: the plan is the inner policy's, the rule is changed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from highseason.engine.lifetimes.presence import LifetimeOptions
from highseason.multipliers import Threshold
from highseason.policies.base import Policy
from highseason.policies.parameters import Role, parameter
from highseason.policies.registry import parse
from highseason.policies.ucb import UCB
from highseason.policies.view import View
from highseason.rules import Rule

#: What a wrapper takes over from the class of the policy within.
_TAKEN_OVER = (
    "uses_future_g",
    "uses_future",
    "learns_scaled",
    "suppress_plan_warning",
)


@dataclass(frozen=True)
class Wrapper(Policy):
    """What all wrappers share.  Subclasses give `name` and `wrapped(rule)`.

    On the command line wrappers are joined to what they wrap by a plus sign:
    `peak-grabber+soft-ucb:unit=1`.

    Attributes:
        base: The policy within, or its text as on the command line.
    """

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
        inherited["rule"] = self._wrapped_rule()
        for name, value in inherited.items():
            object.__setattr__(self, name, value)

    def wrapped(self, rule: Rule) -> Rule:
        """The rule of the policy within, changed."""
        raise TypeError(f"{type(self).__name__} has no wrapped(rule): define it to return a Rule")

    def _wrapped_rule(self) -> Rule:
        try:
            return self.wrapped(self.base.rule)
        except ValueError as reason:
            raise ValueError(f"{self.label} around {self.base}: {reason}") from None

    # -- all of this is the inner policy's business -----------------------------------------------

    def begin(self) -> Any:
        """As the policy within."""
        return self.base.begin()

    def step(self, carry: Any, view: View) -> tuple[float, Any]:
        """As the policy within."""
        return self.base.step(carry, view)

    def resolve_thresholds(self, values: NDArray[np.float64]) -> Self:
        """The same wrapper around the resolved policy."""
        return replace(self, base=self.base.resolve_thresholds(values))

    def unresolved_thresholds(self) -> dict[str, Threshold]:
        """Those of the policy within."""
        return self.base.unresolved_thresholds()

    def in_role(self, role: Role) -> Any:
        """As the policy within."""
        return self.base.in_role(role)

    @property
    def lifetime_options(self) -> LifetimeOptions:
        """As the policy within."""
        return self.base.lifetime_options

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
        """Build it again from its parameters, and its rule with it."""
        return partial(type(self), **self.parameters()), ()

    def __str__(self) -> str:
        """The wrapper, a plus sign, and the policy within."""
        return f"{self._spec(except_for=('base', 'ties'))}+{self.base}"
