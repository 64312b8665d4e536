"""The price curve, slow and obvious: matrices are inverted, modes and integrals searched by SciPy.

It reads nothing of a rule but its constants and, from the state, what was seen of every price.
"""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import integrate, optimize, special, stats

from highseason.policies import price_curve as rule
from highseason.policies.noise import RHO, effective, expected_visitors
from highseason.policies.rule import ArmState, Turn

Numbers = NDArray[np.float64]


class Seen(NamedTuple):
    """What was seen of every price: effective visitors, and those of them who bought."""

    prices: Numbers
    margins: Numbers
    trials: Numbers
    successes: Numbers

    @classmethod
    def of(cls, state: ArmState) -> Seen:
        return cls(*(state.memory[:, column].copy() for column in range(4)))


def prior(seen: Seen, square: float) -> tuple[Numbers, Numbers]:
    """μ and C for a deviation with this square."""
    x, m = seen.prices, seen.margins
    u = 2.0 * (x - x.min()) / (x.max() - x.min()) - 1.0
    b = 0.5 * np.log(m[x.argmax()] / m[x.argmin()])
    mean = rule.LEVEL - rule.STEEPER * b * u + rule.BEND * (b * u) ** 2
    covariance = np.full((x.size, x.size), rule.LEVEL_SD**2)
    covariance += (rule.SLOPE_SD * b) ** 2 * np.outer(u, u)
    covariance += (rule.BEND_SD * b * b) ** 2 * np.outer(u**2, u**2)
    same_side = np.sign(u)[:, None] * np.sign(u)[None, :] > 0
    walk = np.minimum(np.abs(u)[:, None], np.abs(u)[None, :]) * same_side
    return mean, covariance + 0.5 * square * (walk + np.eye(x.size))


def posterior(seen: Seen, square: float) -> tuple[Numbers, Numbers, float]:
    """Mode, covariance and the logarithm of the marginal likelihood, by Laplace's method."""
    mean, covariance = prior(seen, square)
    precision = np.linalg.inv(covariance)

    def loss(f: Numbers) -> float:
        fit = seen.successes @ f - seen.trials @ np.logaddexp(0.0, f)
        return float(0.5 * (f - mean) @ precision @ (f - mean) - fit)

    def slope(f: Numbers) -> Numbers:
        return precision @ (f - mean) - seen.successes + seen.trials * special.expit(f)

    def bend(f: Numbers) -> Numbers:
        p = special.expit(f)
        return precision + np.diag(seen.trials * p * (1.0 - p))

    found = optimize.minimize(
        loss, mean, jac=slope, hess=bend, method="trust-exact", options={"gtol": 1e-9}
    )
    v = np.linalg.inv(bend(found.x))
    evidence = -loss(found.x) + 0.5 * np.linalg.slogdet(precision @ v)[1]
    return found.x, v, float(evidence)


def deviation(seen: Seen) -> float:
    """s², the mean over its values by their marginal likelihoods."""
    squares = np.square(rule.DEVIATIONS)
    weights = special.softmax([posterior(seen, square)[2] for square in squares])
    return float(weights @ squares)


def profits(seen: Seen, square: float) -> Numbers:
    """P of every price, in money."""
    f, v, _ = posterior(seen, square)
    p, spread = special.expit(f), np.diag(v)
    return np.asarray(seen.margins * p * np.exp(0.5 * (1.0 - p) ** 2 * (spread - spread.min())))


def expected_greatest(logs: Numbers, slopes: Numbers) -> float:
    """E max of exp(ln P - b²/2 + b Z), integrated between all points where two lines cross."""
    lines = logs - 0.5 * slopes**2
    with np.errstate(divide="ignore", invalid="ignore"):
        cross = (lines[:, None] - lines) / (slopes - slopes[:, None])
    ends = np.unique(cross[np.isfinite(cross) & (np.abs(cross) < 12.0)])
    points = [-12.0, *ends.tolist(), 12.0]

    def density(z: float) -> float:
        return float(np.exp((lines + slopes * z).max()) * stats.norm.pdf(z))

    parts = [integrate.quad(density, a, b)[0] for a, b in itertools.pairwise(points)]
    return float(sum(parts))


def scores(state: ArmState, turn: Turn) -> Numbers:
    """The score of every available price, over the greatest margin; -inf for the others."""
    seen, square = Seen.of(state), float(state.shared[rule.SQUARE])
    f, v, _ = posterior(seen, square)
    p, earned = special.expit(f), profits(seen, square) / seen.margins.max()
    there = np.flatnonzero(state.available)
    top = earned[there].max()
    worth = effective(float(state.shared[RHO]), expected_visitors(state, turn))
    out = np.full(p.size, -np.inf)
    for j in there:
        noise = 1.0 / (worth * p[j] * (1.0 - p[j]))
        # H turns like this one follow, and this one: noise is that of all of them.
        slopes = (1.0 - p) * v[:, j] / np.sqrt(v[j, j] + noise / (1.0 + turn.level))
        gain = expected_greatest(np.log(earned[there]), slopes[there]) - top
        shortfall = (1.0 + 0.3 * noise / v[j, j]) * (top - earned[j])
        out[j] = rule.SHARE_OF_GAIN * turn.level * gain - shortfall
    return out
