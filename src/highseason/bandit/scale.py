"""From a turn's takings to the number a rule learns, and from its estimates back to takings."""

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
        low: What a customer brings at least; 0 where no range was given.
        high: What a customer brings at most; 1 where no range was given.
        clips: Whether a range was given: values outside it are then brought to its ends.
        per_turn: Learn a turn's total instead of its mean per customer (the naive policies).
    """

    low: float
    high: float
    clips: bool
    per_turn: bool

    @classmethod
    def of(cls, reward_range: Any, policy: Policy) -> Scale:
        """Check the range that was given for this policy."""
        rule = policy.rule
        if reward_range is None:
            if rule.needs_range:
                raise BanditError(
                    f"{policy.label} compares estimates with a confidence radius that is made for "
                    "rewards in [0, 1]: say what one customer brings at least and at most, "
                    "such as reward_range=(0, 12)"
                )
            return cls(0.0, 1.0, False, policy.learns_scaled)
        try:
            low, high = (float(end) for end in reward_range)
        except (TypeError, ValueError):
            low = high = math.nan
        if not (low < high and math.isfinite(high - low)):
            raise BanditError(
                f"reward_range={reward_range!r} must be two rising numbers: what one customer "
                "brings at least and at most"
            )
        return cls(low, high, True, policy.learns_scaled)

    @property
    def reward_range(self) -> tuple[float, float] | None:
        """The range that was given, or None."""
        return (self.low, self.high) if self.clips else None

    def learnt(self, reward: float, traffic: float) -> tuple[float, bool]:
        """What the rule is told of a turn's total, and whether it had to be clipped.

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
        """An estimate of the rule in the user's unit."""
        span = self.high - self.low
        return span * estimate if self.per_turn else self.low + span * estimate
