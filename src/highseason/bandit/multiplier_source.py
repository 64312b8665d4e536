"""What is known of the turns ahead: a whole multiplier, or nothing until each turn comes.

Either answers the same questions about a turn: which one it is (`turn_of`), how much it may explore
(`number`, for a turn that is not decided yet), whether it is low (`is_low`, after `number`), and
what its G is declared to be (`truth`).  It is told when the turn is decided, and what traffic came.
"""

from __future__ import annotations

import operator
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from highseason.bandit.errors import BanditError, PastForecastError
from highseason.bandit.numbers import positive
from highseason.engine.lifetimes import running_worth
from highseason.multipliers import Multiplier, Threshold, as_multiplier, concatenate
from highseason.multipliers.instants import When
from highseason.policies import Planner, Policy
from highseason.policies.planner import known_levels

#: Where a policy has no threshold of its own, turns below this count as low for new arms.
LOW = Threshold.of("q0.75")


class KnownMultiplier:
    """A multiplier for all turns, true or believed; the plan is one array, computed when needed."""

    def __init__(self, policy: Policy, multiplier: Multiplier, known: bool) -> None:
        """Nothing is computed yet."""
        self.policy, self.known = policy, known
        self._numbers: tuple[int, NDArray[np.float64]] | None = None
        self._set(multiplier)

    def _set(self, multiplier: Multiplier) -> None:
        self.multiplier = multiplier
        self._z = low_below(self.policy, multiplier.values)
        self._least = float(multiplier.values.min())
        self._worth: NDArray[np.float64] | None = None

    def plan_first(self, arms: int) -> None:
        """Compute the plan in the policy's own way, which warns where it is one-sided."""
        self.use(arms, self.policy.plan(self.multiplier, arms).levels)

    def use(self, arms: int, numbers: NDArray[np.float64]) -> None:
        """Take these numbers for the plan."""
        self._numbers = arms, numbers

    def plan(self, arms: int) -> NDArray[np.float64]:
        """The plan for so many arms on all turns known now; computed again when either changed."""
        if self._numbers is None or self._numbers[0] != arms:
            # Not policy.plan: its warnings were given once, by plan_first.
            self.use(arms, known_levels(self.policy, self.multiplier, arms))
        assert self._numbers is not None
        return self._numbers[1]

    def worth(self) -> NDArray[np.float64]:
        """Running sums of G, in the steps by which lifetimes are ranked."""
        if self._worth is None:
            self._worth = running_worth(self.multiplier.values)
        return self._worth

    def turn_of(self, t: Any) -> int:
        """A turn's number, or the turn that a date names."""
        if self._is_past(t):
            G = self.multiplier
            until = "" if G.moments is None else f" ({G.moments.show(-1)})"
            what = repr(t) if isinstance(t, When) else f"turn {t}"
            raise PastForecastError(
                f"{what} is past the forecast, which ends at turn {G.turns}{until}: "
                "append turns with extend(…)"
            )
        return self.multiplier.turn_of(t)

    def turn_by(self, when: str) -> int:
        """The last turn not after a date; the one after the last where it is past the forecast."""
        G = self.multiplier
        if G.moments is None:
            return G.turn_of(when)  # which says what is missing
        rows = G.moments.rows(when, when)
        return G.turns + 1 if rows.start >= G.turns else int(rows.stop)

    def _is_past(self, t: Any) -> bool:
        G = self.multiplier
        if isinstance(t, When):
            return G.moments is not None and G.moments.rows(t, t).start >= G.turns
        return isinstance(t, int | np.integer) and int(t) > G.turns

    def number(self, turn: int, arms: int, expected: Any) -> float:
        """Read off the plan."""
        if expected is not None:
            raise BanditError(
                "the multiplier already says what is expected of every turn: leave out expected="
            )
        return float(self.plan(arms)[turn - 1])

    def is_low(self, turn: int) -> bool:
        """Below the threshold; the quietest turns of all always are, so that waiting has an end."""
        value = self.multiplier.values[turn - 1]
        return bool(value < self._z or value <= self._least)

    def low_after(self, turn: int) -> bool:
        """Whether any later turn is low."""
        rest = self.multiplier.values[turn:]
        return bool(((rest < self._z) | (rest <= self._least)).any())

    def decided(self) -> None:
        """The plan stays as it is."""

    def saw(self, traffic: float) -> None:
        """The plan follows the forecast, whatever came."""

    def truth(self, turn: int) -> float | None:
        """G, where it is declared known."""
        return float(self.multiplier.values[turn - 1]) if self.known else None

    def extend(self, more: Any) -> None:
        """Append turns; the plan of the undecided ones is then that of the longer season."""
        self._set(concatenate(self.multiplier, as_multiplier(more)))
        self._numbers = None


class OnlineMultiplier:
    """No multiplier: each turn comes with what is expected of it, one after the other.

    The policy's planner runs along.  It is played again from what was believed and seen so far
    when the number of arms changes or a turn was asked about but not decided in that way.
    """

    known = False

    def __init__(self, policy: Policy) -> None:
        """Before the first turn."""
        self.policy = policy
        self.beliefs: list[float] = []
        self.seen: list[tuple[int, float]] = []  # (turns decided when it was told, traffic)
        self._planner: Planner | None = None
        self._arms = 0
        self._asked: tuple[float, float] | None = None  # (belief, number), not decided yet

    def turn_of(self, t: Any) -> int:
        """A decided turn, or the next."""
        try:
            turn = operator.index(t)
        except TypeError:
            raise BanditError(
                f"without a multiplier there is no calendar to find {t!r} in: use turns, from 1"
            ) from None
        if not 1 <= turn <= len(self.beliefs) + 1:
            raise BanditError(
                f"without a multiplier turns are decided one after the other: the next is turn "
                f"{len(self.beliefs) + 1}, not {turn}"
            )
        return turn

    def turn_by(self, when: str) -> int:
        """There is no calendar."""
        return self.turn_of(when)

    def number(self, turn: int, arms: int, expected: Any) -> float:
        """Let the planner take its next step, unless it just did with the same belief."""
        if expected is None:
            raise BanditError(
                f"nothing is known of turn {turn}: say what traffic you expect, such as "
                "pull(expected=300), or give the bandit a multiplier"
            )
        belief = positive("expected", expected)
        if self._asked is None or self._asked[0] != belief or self._arms != arms:
            number = self._ready(arms).number(belief)
            self._asked = belief, float(number)
        return self._asked[1]

    def _ready(self, arms: int) -> Planner:
        """A planner that stands right before the next turn."""
        if self._planner is None or self._asked is not None or self._arms != arms:
            self._planner, self._arms, self._asked = self.policy.planner(arms), arms, None
            told = iter([*self.seen, (len(self.beliefs) + 1, 0.0)])
            at, traffic = next(told)
            for turn, belief in enumerate(self.beliefs, start=1):
                self._planner.number(belief)
                while at == turn:
                    self._planner.saw(traffic)
                    at, traffic = next(told)
        return self._planner

    def is_low(self, turn: int) -> bool:
        """Compared with what was seen before and is expected now."""
        assert self._asked is not None, "is_low is asked after number"
        belief = self._asked[0]
        values = np.array([*(traffic for _, traffic in self.seen), belief])
        return bool(belief < low_below(self.policy, values) or belief <= values.min())

    def low_after(self, turn: int) -> bool:
        """Nobody knows."""
        return True

    def decided(self) -> None:
        """Keep the belief that was asked with."""
        assert self._asked is not None, "a turn is decided after its number was asked"
        self.beliefs.append(self._asked[0])
        self._asked = None

    def saw(self, traffic: float) -> None:
        """What thresholds and units are read from; turns without customers do not count there."""
        if traffic <= 0.0:
            return
        self.seen.append((len(self.beliefs), traffic))
        if self._asked is not None:  # the planner stands behind a turn that is not decided yet
            self._planner = self._asked = None
        elif self._planner is not None:
            self._planner.saw(traffic)

    def truth(self, turn: int) -> float | None:
        """Nothing is declared."""
        return None

    def extend(self, more: Any) -> None:
        """There is nothing to append to."""
        raise BanditError("this bandit has no multiplier to extend: its turns come with expected=…")


MultiplierSource: TypeAlias = KnownMultiplier | OnlineMultiplier


def low_below(policy: Policy, values: NDArray[np.float64]) -> float:
    """Turns below this are low: the policy's own z, or the 0.75 quantile where it has none."""
    z = getattr(policy.resolve_thresholds(values), "z", None)
    return float(z) if isinstance(z, int | float) else LOW.resolve(values)
