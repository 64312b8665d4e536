"""A plan: how much each turn may explore, worked out before the game from what is known of G."""

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

if TYPE_CHECKING:
    from highseason.policies.base import Policy


class PlanWarning(UserWarning):
    """A plan that never explores, or always does: seldom what was meant."""


#: Below this share of a full exploration, a turn counts as exploiting in pictures and tables.
NEGLIGIBLE = 0.01


@dataclass(frozen=True, eq=False)
class Plan:
    """One number per turn; what it means is the rule's business (ε, radius, pool size).

    It behaves as an array (`np.asarray(plan)`, `plan[0]`); `plan.at(t)` counts turns from 1 or
    takes a date.  `exploration` puts every policy on one scale: 0 exploits, 1 explores as much as
    can be.
    """

    policy: Policy
    multiplier: Multiplier
    arms: int
    levels: NDArray[np.float64]

    def at(self, t: Any) -> float:
        """The number of turn `t` (from 1), or of a date if the multiplier has a calendar."""
        return float(self.levels[self.multiplier.turn_of(t) - 1])

    @cached_property
    def exploration(self) -> NDArray[np.float64]:
        """How much each turn explores, in [0, 1]; 1 while every arm is tried once."""
        rule = self.policy.rule
        turns = np.arange(1, len(self) + 1)
        shares = self.policy.weight_scale * rule.intensity(self.levels, turns, self.arms)
        if rule.traits.tries_each_arm:
            shares[: self.arms] = 1.0
        return np.clip(shares, 0.0, 1.0)

    @property
    def digest(self) -> str:
        """A fingerprint of the numbers: equal digests, equal plans."""
        return hashlib.sha256(self.levels.tobytes()).hexdigest()[:16]

    def warn_if_one_sided(self) -> None:
        """Say so when no turn, or every turn, explores: the plan then regulates nothing."""
        rule = self.policy.rule
        chosen = slice(self.arms if rule.traits.tries_each_arm else 0, None)
        if self.policy.suppress_plan_warning or self.levels[chosen].size == 0:
            return
        if rule.negligible(self.levels[chosen]).all():
            message = f"never explores{self.policy.advice_if_never(self)}"
        elif self.exploration[chosen].min() >= 1.0:
            message = f"explores fully in every turn{self.policy.advice_if_always(self)}"
        else:
            return
        warn_user(f"{self.policy}: the plan {message}", PlanWarning)

    def __array__(
        self, dtype: DTypeLike | None = None, copy: bool | None = None
    ) -> NDArray[np.float64]:
        """The numbers, so that NumPy and matplotlib take a plan as it is."""
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
        """The numbers, turn by turn."""
        return iter(self.levels.tolist())
