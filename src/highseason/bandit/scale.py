"""From a turn's total reward to the value a rule learns, and from its estimates back."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from highseason.bandit.errors import BanditError
from highseason.policies import Policy


@dataclass(frozen=True)
class Scale:
    """The range of a reward per customer, mapped to [0, 1].

    Attributes:
        low: The least reward per customer; 0 if no range was given.
        high: The greatest reward per customer; 1 if no range was given.
        clips: Whether a range was given: values outside it are clipped.
        per_turn: Learn a turn's total instead of its mean per customer (the naive policies).
    """

    low: float
    high: float
    clips: bool
    per_turn: bool

    @classmethod
    def of(cls, reward_range: Any, policy: Policy) -> Scale:
        """Check the range for this policy."""
        rule = policy.rule
        if reward_range is None:
            if rule.traits.unit_range:
                raise BanditError(
                    f"{policy.label} needs reward_range: its confidence radius assumes rewards "
                    "in [0, 1]. Give the least and the greatest reward per customer, such as "
                    "reward_range=(0, 12)"
                )
            return cls(0.0, 1.0, False, policy.learns_scaled)
        try:
            low, high = (float(end) for end in reward_range)
        except (TypeError, ValueError):
            low = high = math.nan
        if not (low < high and math.isfinite(high - low)):
            raise BanditError(
                "reward_range must be two rising numbers, the least and the greatest reward per "
                f"customer, got {reward_range!r}"
            )
        return cls(low, high, True, policy.learns_scaled)

    @property
    def reward_range(self) -> tuple[float, float] | None:
        """The range that was given, or None."""
        return (self.low, self.high) if self.clips else None

    def learned(self, reward: float, traffic: float) -> tuple[float, bool]:
        """The value that the rule learns from a turn's total, and whether it was clipped.

        With the range (0, 1) this is reward / traffic to the last bit, as in `play`.
        """
        if self.per_turn:
            value, top = (reward - self.low * traffic) / (self.high - self.low), traffic
        else:
            value, top = (reward / traffic - self.low) / (self.high - self.low), 1.0
        if self.clips and not 0.0 <= value <= top:
            return (0.0 if value < 0.0 else top), True
        return value, False

    def shown(self, estimate: float) -> float:
        """An estimate of the rule, in the user's unit."""
        span = self.high - self.low
        return span * estimate if self.per_turn else self.low + span * estimate
