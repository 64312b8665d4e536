"""What is assumed about the arms and their visitors.

The answer depends most on what a turn teaches.  Where every visitor counts, a busy turn teaches
much; where the visitors of a turn decide alike (rho = 1), or in the paper's world, a turn is one
draw, however many come.
"""

import math
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from highseason.core.text import decimal
from highseason.rewards import Rewards, bernoulli, check_arms, visitors
from highseason.rewards.text import rates_text

Numbers = NDArray[np.float64]
Rates = tuple[float, float]

#: Rates where none are given: clicks on advertisements, orders in a shop, sign-ups.
TYPICAL_RATES: tuple[Rates, ...] = ((0.02, 0.05), (0.002, 0.01), (0.1, 0.3))
#: No correlation, a typical one, a high one; and on to 1, where a turn is one draw.
RHOS = (0.0, 0.0001, 0.001, 0.01, 0.1, 1.0)
FEW_RHOS = (0.0, 0.001, 0.01)


@dataclass(frozen=True, eq=False)
class World:
    """A reward model, and what it says.

    >>> world = World.of("visitors", 4, (0.005, 0.03), rho=0.01)
    >>> world.rates, world.rho
    ('0.5% to 3%', 0.01)
    """

    rewards: Rewards
    demand: str = ""  # what is assumed of it, where arms are prices

    @classmethod
    def of(
        cls, rewards: str | Rewards, arms: int, rates: Rates | None = None,
        rho: float | None = None, gap: float | None = None,
    ) -> Self:  # fmt: skip
        """Arms with rates in a range; with a gap, the second best is that far below the best."""
        if check_arms(arms) < 2:
            raise ValueError("advice needs at least 2 arms: with one there is nothing to choose")
        if not isinstance(rewards, str):
            world = cls(rewards)
            return world if rho is None else world.with_rho(rho)
        low, high = rates or (0.0, 1.0)
        if not 0.0 <= low < high <= 1.0:
            raise ValueError(
                f"rates must be two rising numbers from 0 to 1, got {low:g} and {high:g}"
            )
        if rewards not in ("visitors", "bernoulli"):
            raise ValueError(
                f"rewards={rewards!r} must be 'visitors', 'bernoulli' (the paper's world: a turn "
                "is one draw) or a reward model"
            )
        if rewards == "visitors":
            model = visitors(arms, between=(low, high), rho=rho or 0.0)
        elif rho is None:
            model = bernoulli(arms, between=(low, high))
        else:
            raise ValueError("rho has no meaning for bernoulli rewards, where a turn is 1 draw")
        if gap is None:
            return cls(model)
        if not (math.isfinite(gap) and 0.0 < gap <= high - low):
            raise ValueError(
                f"gap must be above 0 and at most {high - low:g}, the width of the range of rates, "
                f"got {gap:g}"
            )
        fields: dict[str, Any] = vars(model)
        return cls(_Apart(**fields, gap=gap))

    @property
    def rho(self) -> float | None:
        """The correlation of a turn's visitors; None where a turn is one draw."""
        rho: float | None = self.rewards.kind.rho
        return rho

    @property
    def arm(self) -> str:
        """What an arm is called."""
        return "arm" if self.rewards.offers is None else "price"

    @property
    def rates(self) -> str:
        """The range of the arms' rates, as part of a sentence."""
        return rates_text(self.rewards)

    def with_rho(self, rho: float) -> Self:
        """The same arms with another correlation."""
        if self.rho is None:
            raise ValueError(f"rho has no meaning for {self.rewards.name} rewards")
        if not 0.0 <= rho <= 1.0:
            raise ValueError(f"rho is a correlation, from 0 to 1, got {rho!r}")
        name = f"{self.rewards.name.partition(':')[0]}:rho={decimal(rho, 6)}"
        kind: Any = self.rewards.kind  # a named tuple that has one
        changed = replace(self.rewards, name=name, kind=kind._replace(rho=float(rho)))
        return replace(self, rewards=changed)

    def typical(self) -> Numbers:
        """Typical means of a game, for bounds, which need given arms."""
        model = self.rewards
        if model.fixed is not None or model.width != 1:
            return np.asarray(model.means(model.parameters(np.zeros(1, dtype=np.uint64)))[0])
        low, high = model.between
        even = low + (high - low) * np.arange(1, model.arms + 1) / (model.arms + 1)
        if isinstance(model, _Apart):
            even = apart(even[None, :], low, model.gap)[0]
        # The order of the first round must not depend on the means.
        return np.asarray(np.random.default_rng(0).permutation(even))


@dataclass(frozen=True, eq=False)
class _Apart(Rewards):
    """Arms drawn in every game, the second best a given gap below the best."""

    gap: float = 0.0

    def parameters(self, keys: NDArray[np.uint64]) -> Numbers:
        """The arms of each game."""
        return apart(super().parameters(keys), self.between[0], self.gap)


def apart(means: Numbers, low: float, gap: float) -> Numbers:
    """Compress all but the best arm of each row, so that the second best is `gap` below it.

    >>> apart(np.array([[0.9, 0.8, 0.4]]), 0.0, 0.5)
    array([[0.9, 0.4, 0.2]])
    """
    rows = np.arange(means.shape[0])
    best = means.argmax(axis=1)
    top = np.maximum(means[rows, best], low + gap)
    rest = means.copy()
    rest[rows, best] = -np.inf
    second = rest.max(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        scale = np.where(second > low, (top - gap - low) / (second - low), 0.0)
    pressed = low + (means - low) * scale[:, None]
    pressed[rows, best] = top
    return np.asarray(pressed)
