"""A wrapper is a policy around another one: the plan is the inner policy's, the rule is changed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from highseason.multipliers import Threshold
from highseason.policies.base import Policy
from highseason.policies.parameters import parameter
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
    "needs_expiry",
)


@dataclass(frozen=True)
class Wrapper(Policy):
    """What all wrappers share.  Subclasses give `name` and `wrapped(rule)`.

    On the command line wrappers are joined to what they wrap by a plus sign:
    `peak-grabber+soft-ucb:unit=1`.

    Attributes:
        base: The policy within, or its name as on the command line.
    """

    base: Policy = parameter(UCB(), "the policy within", inner=True)

    def __post_init__(self) -> None:
        """Check the parameters; build the rule, which refuses rules that it does not fit."""
        super().__post_init__()
        if isinstance(self.base, str):
            object.__setattr__(self, "base", parse(self.base))
        if not isinstance(self.base, Policy):
            raise ValueError(f"{self.label}: base={self.base!r} is not a policy")
        ties = "random" if "random" in (self.ties, self.base.ties) else "lowest"
        made: dict[str, Any] = {name: getattr(self.base, name) for name in _TAKEN_OVER}
        made |= {"ties": ties, "base": replace(self.base, ties=ties)}
        made["rule"] = self._rule()
        for name, value in made.items():
            object.__setattr__(self, name, value)

    def wrapped(self, rule: Rule) -> Rule:
        """The rule of the policy within, changed."""
        raise TypeError(f"{type(self).__name__} has no wrapped(rule)")

    def _rule(self) -> Rule:
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

    @property
    def weight_scale(self) -> float:
        """As the policy within."""
        return self.base.weight_scale

    @property
    def ranks_by_expiry(self) -> bool:
        """As the policy within."""
        return self.base.ranks_by_expiry

    @property
    def initial_arms(self) -> int:
        """As the policy within."""
        return self.base.initial_arms

    @property
    def unwrapped(self) -> Policy:
        """The innermost policy."""
        return self.base.unwrapped

    def __getattr__(self, name: str) -> Any:
        """Parameters of the plan, such as `z` and `unit`, are those of the policy within."""
        if name.startswith("_") or "base" not in self.__dict__:
            raise AttributeError(name)
        return getattr(self.__dict__["base"], name)

    def __reduce__(self) -> tuple[Any, ...]:
        """Made again from its parameters: a rule is functions, which cannot be pickled."""
        return partial(type(self), **self.parameters()), ()

    def __str__(self) -> str:
        """The wrapper, a plus sign, and the policy within."""
        return f"{self._told(except_for=('base', 'ties'))}+{self.base}"
