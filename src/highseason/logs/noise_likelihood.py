"""The likelihood of a history, as a function of rho and the day effect.

Successes are beta-binomial with rate p_j·f_t; sums of other rewards are normal with the same first
two moments.  log f_t is normal with standard deviation `day` and is integrated out turn by turn by
adaptive Gauss-Hermite quadrature.  The rates are weighted means, with the weights of that rho.
"""

import functools
import math

import numpy as np
from numpy.typing import NDArray

from highseason.logs.noise_history import VisitorHistory
from highseason.rewards import effective_visitors

#: Nodes of the quadrature.
_NODES = 9
#: Steps of Newton's method from weighted means to the most likely rates.
_NEWTON = 4
#: Below this correlation visitors are independent to all digits.
_NONE = 1e-9

Numbers = NDArray[np.float64]


class Likelihood:
    """The log-likelihood of a history, up to a constant; each value is computed once."""

    def __init__(self, history: VisitorHistory) -> None:
        from scipy.special import gammaln

        self._gammaln = gammaln
        self._h, self._x = history, history.successes / history.visitors
        self.arms, self.turns = len(history.arms), history.turns.size
        # Turns with several arms tell a day's effect from the noise of an arm.
        self.knows_days = bool(self._x.size - self.arms - self.turns + 1 >= 5)
        self._nodes, self._weights = np.polynomial.hermite.hermgauss(_NODES)
        self.at, self.rates = functools.cache(self._at), functools.cache(self._rates)

    def _rates(self, rho: float) -> Numbers:
        """The rate of each arm: most likely for successes, a weighted mean for other rewards."""
        weight = effective_visitors(self._h.visitors, rho)
        total = np.bincount(self._h.arm, weight, self.arms)
        rates = np.bincount(self._h.arm, weight * self._x, self.arms) / total
        if self._h.squares is None and rho >= _NONE:
            for _ in range(_NEWTON):
                rates = self._improved(rates, rho)
        return np.asarray(rates)

    def _improved(self, rates: Numbers, rho: float) -> Numbers:
        """A step of Newton's method, at most to a factor of 2."""
        from scipy.special import polygamma, psi

        y, n, sums = self._h.successes, self._h.visitors, 1.0 / rho - 1.0
        safe = np.clip(rates, 1e-9, 1.0 - 1e-9)
        a, b = safe[self._h.arm] * sums, (1.0 - safe[self._h.arm]) * sums
        slope = psi(y + a) - psi(a) - psi(n - y + b) + psi(b)
        bend = polygamma(1, a) - polygamma(1, y + a) + polygamma(1, b) - polygamma(1, n - y + b)
        slopes = np.bincount(self._h.arm, slope, self.arms)
        bends = sums * np.bincount(self._h.arm, bend, self.arms)
        moved = safe + slopes / np.maximum(bends, 1e-300)
        moved = np.clip(moved, safe / 2.0, 1.0 - (1.0 - safe) / 2.0)
        return np.where(rates > 0.0, np.minimum(moved, 2.0 * safe), 0.0)

    def spread(self, rho: float) -> Numbers:
        """The variance of one visitor's reward, by arm."""
        rates = self.rates(rho)
        if self._h.squares is None:
            return rates * (1.0 - rates)
        total = np.bincount(self._h.arm, self._h.visitors, self.arms)
        return np.bincount(self._h.arm, self._h.squares, self.arms) / total - rates**2

    def _at(self, rho: float, day: float) -> float:
        means = self.rates(rho)[self._h.arm]
        if day <= 0.0:
            return float(self._cells(means[:, None], rho).sum())
        middle, width = self._modes(means, rho, day)
        nodes = middle[:, None] + math.sqrt(2.0) * width[:, None] * self._nodes
        by_node = self._cells(means[:, None] * np.exp(nodes[self._h.turn]), rho)
        sums = [np.bincount(self._h.turn, column, self.turns) for column in by_node.T]
        by_turn = np.stack(sums, axis=1).astype(np.float64)
        by_turn += self._nodes**2 + np.log(self._weights) - 0.5 * ((nodes / day + 0.5 * day) ** 2)
        top = by_turn.max(axis=1)
        inner = np.log(np.exp(by_turn - top[:, None]).sum(axis=1)) + top
        return float((inner + np.log(width / (math.sqrt(math.pi) * day))).sum())

    def _modes(self, means: Numbers, rho: float, day: float) -> tuple[Numbers, Numbers]:
        """Where a turn's effect lies, and how widely: its estimate combined with its prior."""
        spread = np.maximum(self.spread(rho)[self._h.arm], 1e-12)
        weight = effective_visitors(self._h.visitors, rho) * means / spread
        seen = np.bincount(self._h.turn, weight * self._x, self.turns)
        due = np.bincount(self._h.turn, weight * means, self.turns)
        precision = due + 1.0 / day**2
        estimate = np.log((seen + 0.5) / (due + 0.5))
        return (due * estimate - 0.5) / precision, 1.0 / np.sqrt(precision)

    def _cells(self, means: Numbers, rho: float) -> Numbers:
        """The log-likelihood of each entry at each of its means (a column per node)."""
        y, n = self._h.successes[:, None], self._h.visitors[:, None]
        if self._h.squares is not None:
            spread = np.maximum(self.spread(rho)[self._h.arm][:, None], 1e-12)
            variance = spread / effective_visitors(n, rho)
            return np.asarray(
                -0.5 * ((self._x[:, None] - means) ** 2 / variance + np.log(variance))
            )
        means = np.clip(means, 1e-12, 1.0 - 1e-9)
        if rho < _NONE:
            return np.asarray(y * np.log(means) + (n - y) * np.log1p(-means))
        total, g = 1.0 / rho - 1.0, self._gammaln
        a, b = means * total, (1.0 - means) * total
        return np.asarray(g(y + a) - g(a) + g(n - y + b) - g(b) + (g(total) - g(n + total)))
