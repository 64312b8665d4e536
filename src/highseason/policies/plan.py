"""A plan: how much each turn may explore, computed before the game from what is known of G."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import DTypeLike, NDArray

from highseason.core.warnings import warn_user
from highseason.multipliers import Multiplier
from highseason.policies.parameters import short

if TYPE_CHECKING:
    from highseason.policies.base import Policy  # for annotations: a plan never makes a policy


class PlanWarning(UserWarning):
    """A plan that never explores, or always does: seldom what was meant."""


#: Below this share of full exploration, a turn counts as exploiting in figures and tables.
NEGLIGIBLE = 0.01


@dataclass(frozen=True, eq=False)
class Plan:
    """One exploration level per turn; its meaning is the rule's (ε, radius, pool size).

    It behaves as an array (`np.asarray(plan)`, `plan[0]`); `plan.at(t)` counts turns from 1 or
    takes a date.  `exploration` puts every policy on one scale: 0 exploits, 1 explores fully.
    """

    policy: Policy
    multiplier: Multiplier
    arms: int
    levels: NDArray[np.float64]

    def at(self, t: Any) -> float:
        """The level of turn `t` (from 1), or of a date if the multiplier has a calendar."""
        return float(self.levels[self.multiplier.turn_of(t) - 1])

    @cached_property
    def exploration(self) -> NDArray[np.float64]:
        """How much each turn explores, in [0, 1]; 1 while every arm is tried once."""
        rule = self.policy.rule
        turns = np.arange(1, len(self) + 1)
        shares = self.policy.lifetime_options.weight_scale * rule.intensity(
            self.levels, turns, self.arms
        )
        shares[: self.first_choice] = 1.0
        return np.clip(shares, 0.0, 1.0)

    @property
    def first_choice(self) -> int:
        """How many turns pass while every arm is tried once; 0 for rules that do not."""
        return self.arms if self.policy.rule.traits.tries_each_arm else 0

    @property
    def digest(self) -> str:
        """A fingerprint of the levels: equal digests, equal plans."""
        return hashlib.sha256(self.levels.tobytes()).hexdigest()[:16]

    def warn_if_one_sided(self) -> None:
        """Warn if no turn, or every turn, explores: the plan then regulates nothing."""
        free = slice(self.first_choice, None)
        if self.policy.suppress_plan_warning or self.levels[free].size == 0:
            return
        if self.policy.rule.negligible(self.levels[free]).all():
            message = f"never explores{_why_never(self)}"
        elif self.exploration[free].min() >= 1.0:
            message = f"explores fully in every turn{_why_always(self)}"
        else:
            return
        warn_user(f"{self.policy}: the plan {message}", PlanWarning)

    def __array__(
        self, dtype: DTypeLike | None = None, copy: bool | None = None
    ) -> NDArray[np.float64]:
        """The levels, so that NumPy and matplotlib take a plan as it is."""
        return np.array(self.levels, dtype=dtype, copy=copy)

    def __len__(self) -> int:
        """How many turns."""
        return int(self.levels.size)

    @overload
    def __getitem__(self, item: int) -> float: ...
    @overload
    def __getitem__(self, item: slice) -> NDArray[np.float64]: ...
    def __getitem__(self, item: int | slice) -> float | NDArray[np.float64]:
        """As an array: position 0 is turn 1."""
        return self.levels[item]

    def __iter__(self) -> Iterator[float]:
        """The levels, turn by turn."""
        return iter(self.levels.tolist())


def _why_never(plan: Plan) -> str:
    """Why the plan may never explore; the end of a warning's sentence."""
    G = plan.multiplier.values
    z = plan.policy.resolve_thresholds(G).threshold
    if isinstance(z, float) and bool((G[plan.arms :] >= z).all()):
        return f": every turn after the first round is high (G >= {short(z)}). Raise z"
    unit = plan.policy.unwrapped.in_role("unit")
    if isinstance(unit, float):
        extent = f"G runs from {G.min():g} to {G.max():g}, unit={short(unit)}"
        return f" ({extent}): it plays greedily. A larger unit, such as unit='q0.5', helps"
    return f": it plays greedily. A larger {_knobs(plan)} lets it explore"


def _why_always(plan: Plan) -> str:
    """Why the plan may explore all the time."""
    return (
        f": with {plan.arms} arms and {len(plan)} turns it never settles on the best arm. "
        f"A smaller {_knobs(plan)}, or a longer game, lets it"
    )


def _knobs(plan: Plan) -> str:
    """The parameters that set how much the policy explores."""
    names = plan.policy.unwrapped.parameters()
    return " or ".join(name for name in ("k", "P", "c") if name in names) or "plan"
