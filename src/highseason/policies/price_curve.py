"""The price curve, a policy of ours: arms are prices of one thing, and one price tells of another.

Prices x_1 < … < x_K with margins m_j = x_j - cost stand at the places u_j = (x_j - middle)/half on
their ladder, from -1 to 1.  The profit per visitor is m_j p_j, where p_j is the share who buy, and
only p_j is unknown.  With b = ln(m_K/m_1)/2, the slope at which both ends of the ladder earn the
same, the logits of p have the prior N(μ, C):

    μ_j  = -3.5 - 1.25 b u_j - b² u_j²/4
    C_ij = 2² + (3b/4)² u_i u_j + (3b²/4)² u_i² u_j²                         level, slope and bend
           + s²/2 min(|u_i|, |u_j|) if on the same side of 0, + s²/2 if i = j          deviation

Whoever lists these prices believes that the best one is among them, so that no end is favoured by
much; a little steeper, because a price that is too low loses some of its margin, and one that is
too high all of its sales.  Demand bends as something between exponential and linear, and deviates
from such a curve by s.  What is learned of s is its mean square over five values, by their marginal
likelihood; how noisy a turn is, is learned in `noise`.

With the visitors E_j that are worth as much as all that saw price j, S_j of whom bought, Laplace's
method gives the mode f and the covariance V of the logits.  P_j is what price j earns, and λ the
greatest P.  In a turn with H times its own weight to come, whose visitors are worth e:

    P_j     = m_j p_j exp((1 - p_j)² (V_jj - min V)/2)
    v_j     = 1/(e p_j (1 - p_j)),  n_j = v_j/V_jj            noise of the turn, turns known already
    b_i     = (1 - p_i) V_ij/sqrt(V_jj + v_j/(1 + H)),  a_i = ln P_i - b_i²/2
    gain_j  = E max_i exp(a_i + b_i Z) - λ                    of finding out all about j, Z normal
    score_j = 0.3 H gain_j - (1 + 0.3 n_j)(λ - P_j)

The highest score is played: what finding out may bring on the weight to come, against the turns of
shortfall that it takes.  The leader costs nothing, and teaches too.  The lines a_i + b_i z have an
upper envelope, so that the expectation is a sum over its pieces, and no random numbers are needed.

The functions run on lists in Python and on arrays in kernels: `numbers` makes what they need.

References:
    Frazier, Powell and Dayanik, "The Knowledge-Gradient Policy for Correlated Normal Beliefs",
    INFORMS Journal on Computing 21(4), 2009, https://doi.org/10.1287/ijoc.1080.0314 (the envelope).
    Rasmussen and Williams, "Gaussian Processes for Machine Learning", 2006,
    https://gaussianprocess.org/gpml (section 3.4, Laplace's method).
"""

import math
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from highseason.core.jitable import jitable, jitable_as
from highseason.core.special import normal_cdf, share_of
from highseason.policies import noise
from highseason.policies.base import CountingPolicy
from highseason.policies.noise import (
    COUNTED,
    HEAD,
    PER_ARM,
    NoiseRows,
    add_to_rows,
    count_visitors,
    effective,
    expected_visitors,
    learn_noise,
    rho_of_days,
)
from highseason.policies.option_index import PERSISTENCE
from highseason.policies.parameters import parameter
from highseason.policies.plan import Horizon, View
from highseason.policies.ranking import highest_probabilities, precedes
from highseason.policies.rule import (
    ArmState,
    Floats,
    Observation,
    Rule,
    RuleTraits,
    Turn,
    made_once,
)

#: The prior: mean and deviation of the level, of the slope over -b, and of the bend over b².
LEVEL, LEVEL_SD, STEEPER, SLOPE_SD, BEND, BEND_SD = -3.5, 2.0, 1.25, 0.75, -0.25, 0.75
#: The deviations from a curve, equally likely.
DEVIATIONS = (0.025, 0.05, 0.1, 0.2, 0.4)
#: How much of what finding out may bring is counted.
SHARE_OF_GAIN = 0.3
#: The deviation is learned again when there are this many times the turns.
RENEWED_BY = 1.1
#: Newton's method: the longest step, and the one after which the next would be its square.
LONGEST, SHORTEST, STEPS = 1.0, 1e-5, 100

# Columns of `memory`: the constants, effective visitors and buyers, and the mode of the logit less
# its prior mean, from where the next is sought.  Then the rows of the noise.
PRICE, MARGIN, TRIALS, SUCCESSES, MODE, OWN = range(6)
#: Places in `shared`, behind those of `noise`: s², and the turns when it was learned.
SQUARE, LEARNED, ROWS = range(HEAD, HEAD + 3)
NOISE = NoiseRows(COUNTED, OWN, ROWS, day=0.1)

#: Numbers by their place: a list in Python, an array in kernels.
Numbers = Any


@jitable_as(lambda size: lambda size: np.zeros(size))
def numbers(size: int) -> Numbers:
    """As many zeros."""
    return [0.0] * size


class Curve(NamedTuple):
    """The prices on offer and those that were tried, in the order of arms; matrices by rows."""

    arms: Numbers
    size: int
    margins: Numbers  # Over the greatest
    unit: float  # The greatest
    trials: Numbers
    successes: Numbers
    mean: Numbers  # μ, the prior's
    curve: Numbers  # C without deviation
    walk: Numbers  # What s² adds to it


class Fit(NamedTuple):
    """The logits' mode f, the shares p there, their covariance V, and the marginal likelihood."""

    logits: Numbers
    shares: Numbers
    covariance: Numbers
    evidence: float


@jitable
def curve_of(state: ArmState) -> Curve:
    """Which prices there are, what was seen of them, and their prior."""
    memory, size = state.memory, state.available.size
    arms, n = numbers(size), 0
    low, high, unit = -1, -1, 0.0
    for arm in range(size):
        if not state.available[arm] and state.pulls[arm] <= 0.0:
            continue
        arms[n] = arm
        n += 1
        low = arm if low < 0 or memory[arm, PRICE] < memory[low, PRICE] else low
        high = arm if high < 0 or memory[arm, PRICE] > memory[high, PRICE] else high
        unit = max(unit, float(memory[arm, MARGIN]))
    margins, trials, successes, mean = numbers(n), numbers(n), numbers(n), numbers(n)
    curve, walk, u = numbers(n * n), numbers(n * n), numbers(n)
    slope = 0.5 * math.log(memory[high, MARGIN] / memory[low, MARGIN])
    spread = max(slope, 0.5 * math.log(memory[high, PRICE] / memory[low, PRICE]))
    for i in range(n):
        arm = int(arms[i])
        margins[i] = share_of(float(memory[arm, MARGIN]), 0.0, unit)
        trials[i], successes[i] = float(memory[arm, TRIALS]), float(memory[arm, SUCCESSES])
        if low != high:
            place = share_of(float(memory[arm, PRICE]), memory[low, PRICE], memory[high, PRICE])
            u[i] = float(2.0 * place - 1.0)
        mean[i] = LEVEL - STEEPER * slope * u[i] + BEND * spread * spread * (u[i] * u[i])
    line, bend = (SLOPE_SD * spread) ** 2, (BEND_SD * spread * spread) ** 2
    for i in range(n):
        for j in range(n):
            both = u[i] * u[j]
            curve[i * n + j] = LEVEL_SD * LEVEL_SD + (line * both + bend * (both * both))
            walk[i * n + j] = 0.5 * min(abs(u[i]), abs(u[j])) if both > 0.0 else 0.0
        walk[i * n + i] += 0.5
    return Curve(arms, n, margins, unit, trials, successes, mean, curve, walk)


@jitable
def factorize(matrix: Numbers, n: int) -> None:
    """The lower triangle of a positive definite matrix becomes that of its Cholesky factor."""
    for j in range(n):
        for i in range(j, n):
            total = matrix[i * n + j]
            for k in range(j):
                total -= matrix[i * n + k] * matrix[j * n + k]
            matrix[i * n + j] = math.sqrt(total) if i == j else total / matrix[j * n + j]


@jitable
def put_covariance(prior: Numbers, root: Numbers, n: int, factor: Numbers, v: Numbers) -> None:
    """V = C - C W^½ B^-1 W^½ C with B = 1 + W^½ C W^½: prices without visitors do no harm."""
    for i in range(n):
        for j in range(i + 1):
            factor[i * n + j] = root[i] * prior[i * n + j] * root[j]
        factor[i * n + i] += 1.0
    factorize(factor, n)
    parts = numbers(n * n)  # row j: the factor's inverse, times W^½ and column j of C
    for j in range(n):
        for i in range(n):
            total = root[i] * prior[i * n + j]
            for k in range(i):
                total -= factor[i * n + k] * parts[j * n + k]
            parts[j * n + i] = total / factor[i * n + i]
    for i in range(n):
        for j in range(i + 1):
            total = prior[i * n + j]
            for k in range(n):
                total -= parts[i * n + k] * parts[j * n + k]
            v[i * n + j] = v[j * n + i] = total


@jitable
def fit(state: ArmState, curve: Curve, square: float) -> Fit:
    """Laplace's method with the deviation's square given, by Newton's from the mode noted last."""
    n, mean, trials = curve.size, curve.mean, curve.trials
    prior, factor, v = numbers(n * n), numbers(n * n), numbers(n * n)
    f, p, root, pull, ahead = numbers(n), numbers(n), numbers(n), numbers(n), numbers(n)
    for i in range(n * n):
        prior[i] = curve.curve[i] + square * curve.walk[i]
    for i in range(n):
        f[i] = mean[i] + float(state.memory[int(curve.arms[i]), MODE])
    for _ in range(STEPS):
        for i in range(n):
            p[i] = 1.0 / (1.0 + math.exp(-f[i]))
            w = trials[i] * p[i] * (1.0 - p[i])
            root[i] = math.sqrt(w)
            pull[i] = w * (f[i] - mean[i]) + (curve.successes[i] - trials[i] * p[i])
        put_covariance(prior, root, n, factor, v)
        longest = 0.0
        for i in range(n):
            total = mean[i] - f[i]
            for j in range(n):
                total += v[i * n + j] * pull[j]
            ahead[i] = total
            longest = max(longest, abs(total))
        for i in range(n):
            f[i] += ahead[i] * (LONGEST / longest if longest > LONGEST else 1.0)
        if longest <= SHORTEST:
            break
    evidence = 0.0  # C^-1 (f - μ) is the slope of the likelihood, at the mode
    for i in range(n):
        slope = curve.successes[i] - trials[i] * p[i]
        none = max(f[i], 0.0) + math.log1p(math.exp(-abs(f[i])))  # -log(1 - p)
        evidence += curve.successes[i] * f[i] - trials[i] * none
        evidence -= 0.5 * slope * (f[i] - mean[i]) + math.log(factor[i * n + i])
    return Fit(f, p, v, evidence)


@jitable
def note_mode(state: ArmState, curve: Curve, found: Fit) -> None:
    """The next fit begins here."""
    for i in range(curve.size):
        state.memory[int(curve.arms[i]), MODE] = found.logits[i] - curve.mean[i]


@jitable
def put_profits(curve: Curve, found: Fit, out: Numbers) -> None:
    """P of every price, in units of the greatest margin."""
    n, v = curve.size, found.covariance
    least = math.inf
    for i in range(n):
        least = min(least, v[i * n + i])
    for i in range(n):
        p = found.shares[i]
        spread = (1.0 - p) * (1.0 - p) * (v[i * n + i] - least)
        out[i] = curve.margins[i] * p * math.exp(0.5 * spread)


@jitable
def expected_greatest(
    profits: Numbers, logs: Numbers, slopes: Numbers, order: Numbers, count: int
) -> float:
    """E max of exp(a_i + b_i Z), with a = ln P - b²/2, over the first `count` numbers of `order`.

    The lines are sorted by their slopes; those that no Z makes the highest are dropped.  On its
    piece of the envelope from z to z' line i brings P_i (Φ(z' - b_i) - Φ(z - b_i)).
    """
    for k in range(1, count):
        i, place = order[k], k
        while place > 0 and slopes[int(order[place - 1])] > slopes[int(i)]:
            order[place] = order[place - 1]
            place -= 1
        order[place] = i
    lines, starts, held = numbers(count), numbers(count), 0
    for k in range(count):
        i = int(order[k])
        b = slopes[i]
        start = -math.inf
        while held > 0:
            j = int(lines[held - 1])
            lower = logs[j] - 0.5 * slopes[j] * slopes[j] - (logs[i] - 0.5 * b * b)
            if b > slopes[j]:
                start = lower / (b - slopes[j])
            else:  # the same slope: the higher of the two
                start = -math.inf if lower <= 0.0 else math.inf
            if start > starts[held - 1]:
                break
            held -= 1
            start = -math.inf
        if start < math.inf:
            lines[held], starts[held] = i, start
            held += 1
    total = 0.0
    for k in range(held):
        i = int(lines[k])
        above = normal_cdf(starts[k + 1] - slopes[i]) if k + 1 < held else 1.0
        below = normal_cdf(starts[k] - slopes[i]) if k > 0 else 0.0
        total += profits[i] * (above - below)
    return total


@jitable
def put_scores(state: ArmState, turn: Turn, scores: Numbers) -> int:
    """The score of every price on offer; gives the leader."""
    curve = curve_of(state)
    found = fit(state, curve, float(state.shared[SQUARE]))
    n, v = curve.size, found.covariance
    profits, logs, slopes, order = numbers(n), numbers(n), numbers(n), numbers(n)
    put_profits(curve, found, profits)
    best, top = -1, 0.0
    for i in range(n):
        logs[i] = math.log(profits[i])
        arm = int(curve.arms[i])
        if state.available[arm] and precedes(turn, arm, profits[i], best, top):
            best, top = arm, profits[i]
    worth = float(effective(float(state.shared[noise.RHO]), expected_visitors(state, turn)))
    for j in range(n):
        arm = int(curve.arms[j])
        if not state.available[arm]:
            continue
        p, own = found.shares[j], v[j * n + j]
        spread, count = 1.0 / (worth * p * (1.0 - p)), 0
        deviation = math.sqrt(own + spread / (1.0 + turn.level))
        for i in range(n):
            slopes[i] = (1.0 - found.shares[i]) * v[i * n + j] / deviation
            if state.available[int(curve.arms[i])]:
                order[count] = i
                count += 1
        gain = max(0.0, expected_greatest(profits, logs, slopes, order, count) - top)
        known = PERSISTENCE * spread / own
        scores[arm] = SHARE_OF_GAIN * turn.level * gain - (1.0 + known) * (top - profits[j])
    return best


@jitable
def choose(state: ArmState, turn: Turn) -> tuple[int, bool]:
    """The highest score, or the leader in the end; it exploits if they are the same."""
    scores = numbers(state.available.size)
    leader = put_scores(state, turn, scores)
    if turn.level <= 0.0:
        return leader, True
    best, top = -1, 0.0
    for arm in range(state.available.size):
        if state.available[arm] and precedes(turn, arm, scores[arm], best, top):
            best, top = arm, scores[arm]
    return best, best == leader


def probabilities(state: ArmState, turn: Turn) -> Floats:
    """One arm is certain; where ties are random, it shares with those that score the same."""
    scores = numbers(state.available.size)
    put_scores(state, turn, scores)
    return highest_probabilities(state, turn, np.where(state.available, scores, -np.inf))


def expected_profit(state: ArmState, arm: int) -> float:
    """What a visitor brings at a price, in money."""
    curve = curve_of(state)
    profits = numbers(curve.size)
    put_profits(curve, fit(state, curve, float(state.shared[SQUARE])), profits)
    arms = [int(one) for one in curve.arms[: curve.size]]
    return float(curve.unit * profits[arms.index(arm)]) if arm in arms else 0.0


@jitable
def learn_deviation(state: ArmState) -> None:
    """s²: its mean over a few values, weighed by how likely they make what was seen."""
    curve, likely = curve_of(state), numbers(len(DEVIATIONS))
    top = -math.inf
    for k in range(len(DEVIATIONS)):
        found = fit(state, curve, DEVIATIONS[k] * DEVIATIONS[k])
        note_mode(state, curve, found)
        likely[k] = found.evidence
        top = max(top, likely[k])
    total, mean = 0.0, 0.0
    for k in range(len(DEVIATIONS)):
        weight = math.exp(likely[k] - top)
        total += weight
        mean += weight * DEVIATIONS[k] * DEVIATIONS[k]
    state.shared[SQUARE], state.shared[LEARNED] = mean / total, state.shared[noise.TURNS]


@jitable
def observe(state: ArmState, turn: Turn, observation: Observation) -> None:
    """Add what was seen to the sums; then renew the noise, and the deviation if it is time."""
    arm, value = observation.arm, min(max(observation.value, 0.0), 1.0)
    visitors = count_visitors(state, turn, observation.precision)
    state.pulls[arm] += 1.0
    state.sums[arm] += value
    state.shared[noise.TURNS] += 1.0
    add_to_rows(state, arm, NOISE, visitors, value)
    learn_noise(state, NOISE, TRIALS)
    if state.shared[noise.TURNS] >= RENEWED_BY * state.shared[LEARNED]:
        learn_deviation(state)


def intensity(horizons: Floats, turns: NDArray[np.int64], arms: int) -> Floats:
    """As of the option index: half where one turn an arm is still to come."""
    return np.asarray(horizons / (horizons + arms))


@made_once
def curve_rule(judged: float = noise.BY_MEAN) -> Rule:
    """The rule; turns are judged by their own visitors, or by those of a turn on average."""

    @jitable
    def start(state: ArmState) -> None:
        """Nothing was seen: days are as the prior has them, and deviations equally likely."""
        state.shared[noise.JUDGED] = judged
        state.shared[noise.RHO] = rho_of_days(NOISE.day, 1.0 / (1.0 + math.exp(-LEVEL)))
        for k in range(len(DEVIATIONS)):
            state.shared[SQUARE] += DEVIATIONS[k] * DEVIATIONS[k] / len(DEVIATIONS)

    return Rule(
        "price-curve",
        choose,
        intensity,
        observe=observe,
        start=start,
        memory=NOISE.ends[0],
        shared=NOISE.ends[1],
        constants=("price", "margin"),
        allowed=(0.0, math.inf),
        traits=RuleTraits(
            prices=True,
            unit_range=True,
            stochastic=False,
            work=100.0,
            learns="seen",
            knows_untried=True,
            makes_arrays=True,
        ),
        probabilities=probabilities,
        exploits_at=0.0,
        leads_by=expected_profit,
    )


CURVE = curve_rule(noise.BY_VISITORS)
CURVE_UNREGULATED = curve_rule(noise.BY_MEAN)


@dataclass(frozen=True)
class PriceCurve(CountingPolicy):
    """Play the price whose trial brings most, where one price tells about all others.

    Arms are prices of one thing, and lie on one demand curve: what is learned at 9.99 says
    something about 10.99.  The policy knows prices and costs, and learns the share of visitors who
    buy.  It expects a curve between exponential and linear whose best price is among those listed,
    and learns how far demand deviates from such a curve, and how noisy turns are.  There is nothing
    to tune.  Eight or more prices cost it little more than three.

    Trying a price costs what it earns less than the leader, on G(t) now; what it teaches pays on
    the weight W(t) still to come.  So the plan's level is the horizon H = W(t) / G(t).

    Arms must be prices: a bandit with `prices=`, or `hs.rewards.prices`.  Where a price must stay
    for a week, `LimitSwitching` goes around it.

    The plan needs the whole of G, known or forecast; a forecast counts with its mean.  Where turns
    come one at a time, it assumes that as much weight follows as was seen.

    >>> import highseason as hs
    >>> hs.PriceCurve().plan([1, 1, 40, 1], arms=3).levels.tolist()
    [42.0, 41.0, 0.025, 0.0]
    >>> shelf = hs.rewards.prices([8.99, 9.99, 10.99], rates=[0.05, 0.03, 0.028], cost=4)
    >>> hs.play(hs.PriceCurve(), shelf, [500] * 10).arms
    array([0, 2, 0, 0, 1, 0, 0, 0, 0, 0])
    """

    name = "price-curve"
    rule = CURVE_UNREGULATED
    needs_whole_g = True
    carry_depends_on = "G"
    candidate = 0.5

    regulated: bool = parameter(True, "follow G, or treat all turns alike", flag=True)

    def _check_rule(self) -> None:
        """The rule depends on what a turn is judged by."""
        object.__setattr__(self, "looks_at_g", self.regulated)
        by_visitors = self.regulated and self.counts == "visitors"
        object.__setattr__(self, "rule", CURVE if by_visitors else CURVE_UNREGULATED)
        super()._check_rule()

    @classmethod
    def candidates(cls) -> tuple[Self, ...]:
        """Following G and not: what following it brings."""
        return cls(), cls(regulated=False)

    def levels(self, G: NDArray[np.float64], arms: int) -> NDArray[np.float64]:
        """The horizon of every turn of a game whose G is known."""
        if not self.regulated:
            return np.arange(G.size - 1.0, -1.0, -1.0)
        return Horizon.known(G).future / G

    def begin(self) -> Any:
        """The weight seen."""
        return 0.0

    def step(self, carry: Any, view: View) -> tuple[float, Any]:
        """Where the future is unknown: as much weight follows as there was, this turn included."""
        weight = view.G if self.regulated else 1.0
        return (carry + weight) / weight, carry + weight


# -- what is known of demand -----------------------------------------------------------------------

#: How many curves are drawn for the chance of being the best, and the normal quantile at 95%.
DRAWS, NINETY = 4096, 1.6448536269514722
#: Points and weights of the mean over a normal variable.
_POINTS, _WEIGHTS = np.polynomial.hermite_e.hermegauss(15)


class PriceDemand(NamedTuple):
    """What is known of a price; each range holds with 90%."""

    arm: int
    price: float
    margin: float
    visitors: float  # Who saw it
    purchases: float
    share: float  # Of visitors who buy: its mean
    share_range: tuple[float, float]
    profit: float  # Per visitor
    profit_range: tuple[float, float]
    best: float  # The chance that it earns most of the prices on offer


def demand_of(state: ArmState) -> list[PriceDemand]:
    """What the state of a `price-curve` rule says of every price on offer, in the order of prices.

    The posterior's logits are normal.  Chances are counted over evenly spread curves, without
    random numbers: the same state gives the same numbers.

    >>> from highseason.policies import Observation, Turn
    >>> from highseason.rewards import Offer
    >>> state = CURVE.fresh_state(2, [Offer(9.0, cost=4.0), Offer(12.0, cost=4.0)])
    >>> turn = Turn(1, 1.0, 1000.0, 1000.0, 1, 1, False, 1)
    >>> CURVE.observe(state, turn, Observation(0, value=0.04, precision=1000.0))
    >>> low, high = demand_of(state)
    >>> low.visitors, low.purchases, high.visitors
    (1000.0, 40.0, 0.0)
    >>> low.share_range[1] < 0.06 and high.share_range[1] - high.share_range[0] > 0.02
    True
    """
    curve = curve_of(state)
    found = fit(state, curve, float(state.shared[SQUARE]))
    arms = np.array(curve.arms[: curve.size], dtype=int)
    logits = np.array(found.logits)
    v = np.array(found.covariance).reshape(curve.size, curve.size)
    deviations, margins = np.sqrt(np.diag(v)), state.memory[arms, MARGIN]
    offered = np.flatnonzero(state.available[arms])
    shares = _logistic(logits + NINETY * deviations * np.array([[-1.0], [1.0]]))
    means = _WEIGHTS @ _logistic(logits + _POINTS[:, None] * deviations) / _WEIGHTS.sum()
    curves = _logistic(logits + _normals(curve.size) @ np.linalg.cholesky(v).T)
    winners = offered[(curves * margins)[:, offered].argmax(axis=1)]
    best = np.bincount(winners, minlength=curve.size) / DRAWS
    everyone = NOISE.own + PER_ARM * (len(NOISE.rhos) - 1)  # ρ is 0 there: all count in full
    rows = []
    for i in sorted(offered.tolist(), key=lambda i: float(state.memory[arms[i], PRICE])):
        price, margin = state.memory[arms[i], [PRICE, MARGIN]].tolist()
        visitors, purchases = state.memory[arms[i], everyone : everyone + 2].round(6).tolist()
        low, high = shares[:, i].tolist()
        rows.append(
            PriceDemand(
                int(arms[i]), price, margin, visitors, purchases,
                float(means[i]), (low, high),
                margin * float(means[i]), (margin * low, margin * high),
                float(best[i]),
            )
        )  # fmt: skip
    return rows


def _logistic(x: Floats) -> Floats:
    return np.asarray(1.0 / (1.0 + np.exp(-x)))


def _normals(width: int) -> Floats:
    """Normal numbers spread evenly in so many dimensions: Roberts's sequence (2018)."""
    from scipy.special import ndtri

    ratio = 2.0
    for _ in range(60):  # the root of x^(width + 1) = x + 1
        ratio = (1.0 + ratio) ** (1.0 / (width + 1.0))
    powers = ratio ** -np.arange(1.0, width + 1.0)
    return np.asarray(ndtri((0.5 + np.arange(1.0, DRAWS + 1.0)[:, None] * powers) % 1.0))
