"""The option index, a policy of ours: explore where it is cheap, wait where it soon will be.

First the index of an arm, where what its option pays equals what trying it costs; then the rule,
which plays the highest index; then the policy.  What is learned during the game, what arms have in
common and how noisy turns are, is in `option_prior`.

References:
    Gittins, "Bandit Processes and Dynamic Allocation Indices", Journal of the Royal Statistical
    Society B 41(2), 1979, https://doi.org/10.1111/j.2517-6161.1979.tb01068.x (the index it follows
    where G is constant).
"""

import math
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from highseason.core.jitable import inlined, jitable
from highseason.core.special import beta_call, log_beta
from highseason.policies import noise
from highseason.policies import option_prior as prior
from highseason.policies.base import CountingPolicy
from highseason.policies.noise import (
    COUNTED,
    NoiseRows,
    add_to_rows,
    count_visitors,
    effective,
    expected_visitors,
    fill_rows,
    learn_noise,
)
from highseason.policies.parameters import parameter
from highseason.policies.plan import View, effective_horizons
from highseason.policies.ranking import (
    count_available,
    mean_ended_lifetime,
    tie_probabilities,
    wins_tie,
)
from highseason.policies.rule import (
    NO_END,
    UNKNOWN_END,
    UNKNOWN_TURNS,
    ArmState,
    Floats,
    LifetimeOptions,
    Observation,
    Rule,
    RuleTraits,
    Turn,
    copy_values,
    made_once,
)

#: Plays needed to change one's mind about an arm, per play it was worth so far: the value at which
#: the index follows the Gittins index of a normal arm.
PERSISTENCE = 0.3
#: Among many arms a search ends before all are tried: at this many times the root of the turns.
SEARCHED = 2.0
_INVERSE_TWO_PI = 0.5 / math.pi


class Terms(NamedTuple):
    """What trying an arm costs in a turn, whatever the arm."""

    rho: float  # The part of a turn's noise that more visitors do not take away
    # The part that they do, (1-ρ)/v for v visitors: a turn is worth 1/(ρ + spread) trials
    spread: float
    whole: float  # The weight still to come, over the weight of this turn
    level: float  # The same, or less where a cheaper turn is near enough to wait for


@jitable
def arms_to_try(arms: int, turns: int) -> float:
    """How many of the arms are worth a first try: all, or as many as a search in `turns` takes.

    Another arm is worth its turn until one is found that few others exceed; in n turns that takes
    some √n arms, however many there are.
    """
    return min(float(arms), SEARCHED * math.sqrt(turns))


@jitable
def price(terms: Terms, n: float, life: float) -> float:
    """What trying an arm costs per unit of what it may bring; `n` are the trials it is known by.

    One turn, and more turns the better the arm is known; all of it is paid back over the weight
    still to come, or over the arm's own `life` if that is less.  What a cheaper turn would save is
    the part of the cost that varies with the turn: the trials that visitors bring cost the same
    wherever they are bought.
    """
    fixed = PERSISTENCE * terms.rho * n
    now = (1.0 + (fixed + PERSISTENCE * terms.spread * n)) / min(terms.whole, life)
    return max(now, (1.0 + fixed) / min(terms.level, life))


@jitable
def solve(p: float, n: float, rate: float, start: float, challenged: bool) -> float:
    """The root λ of E(Y - λ)⁺ = rate (λ - p), Y ~ Beta(pn, (1-p)n), by Halley's method.

    A challenger whose root is not above `start` gets just that: one evaluation shows it.
    """
    a, b = p * n, (1.0 - p) * n
    norm, sd = log_beta(a, b), math.sqrt(p * (1.0 - p) / (n + 1.0))
    x = start
    for i in range(60):
        call, tail, density = beta_call(a, b, norm, x)
        value, slope = call - rate * (x - p), tail + rate
        if challenged and i == 0 and value <= 0.0:
            return start
        step = value / (slope - 0.5 * value * density / slope)
        if not abs(step) <= abs(2.0 * value / slope):  # too bent here: Newton's step
            step = value / slope
        x = min(max(x + step, p), 0.5 * (1.0 + x))
        if abs(step) <= 1e-3 * min(sd, 1.0 - x):  # the next step would be a millionth of it
            break
    return x


@jitable
def first_guess(p: float, n: float, rate: float) -> float:
    """A start for Newton's method, from a normal distribution."""
    sd = math.sqrt(p * (1.0 - p) / (n + 1.0))
    z = math.sqrt(math.log1p(0.35 / rate))
    return min(p + z * sd, 0.5 * (1.0 + p))


@inlined
def least_growth(p: float, n: float, x: float) -> float:
    """A lower bound on exp(n kl(p, x)), without exponentials and logarithms.

    kl(p, x), of Bernoulli p from Bernoulli x, is an average of (x - p)²/2 / (y (1-y)) over y from p
    to x, at (p + 2x)/3 in the mean; that is convex in y.  And exp(z) >= (1 + z/32)^32.
    """
    d, y = x - p, (p + 2.0 * x) * (1.0 / 3.0)
    growth = 1.0 + n * d * d / (64.0 * y * (1.0 - y))
    for _ in range(5):
        growth *= growth
    return growth


@inlined
def is_hopeless(p: float, n: float, rate: float, x: float) -> bool:
    """Whether an upper bound already shows that the surplus at x > p is not positive.

    P(Y > y) <= exp(-n kl(p, y)), and kl is convex in y, so its tangent at x bounds the call.  The
    call is also f (1/n - d P(Y > x)/f) with f = x^a (1-x)^b / B(a, b), which Stirling's formula
    bounds.
    """
    d = x - p
    cost = rate * d * least_growth(p, n, x)
    if x * (1.0 - x) <= cost * n * d:
        return True
    a, b = p * n, (1.0 - p) * n
    return math.sqrt(_INVERSE_TWO_PI * p * b) * (1.0 / n - d * least_tail(a, b, x)) <= cost


@inlined
def least_tail(a: float, b: float, x: float) -> float:
    """A lower bound on P(Y > x) B(a, b) / (x^a (1-x)^b), 0 where none is at hand.

    The first terms of the continued fraction of `beta_fraction`; all its terms are positive from
    a = 2 on, so they are too high and too low in turn.  Up to a = 1 the first is too low already.
    """
    n, y = a + b, 1.0 - x
    room = b + 1.0 - n * y
    if room <= 0.0 or 1.0 < a < 2.0:
        return 0.0
    if a <= 1.0:
        return (b + 1.0) / (b * room)
    share = 1.0 / (b + 1.0)
    r = (a - 1.0) * y * share
    c, d = r * y * b * n, 1.0 + r + (b + 1.0) * (room + 2.0 - y) / (b + 3.0)
    return (b + 1.0) * d / (b * room * d + c)


@jitable
def hopeless_beyond(rate: float, x: float) -> float:
    """A bound on n (x - p)² above which `is_hopeless` holds for any p and n and any higher rate."""
    variance = x * (1.0 - x)
    double = 2.0 * (variance if x < 0.5 else 0.25)
    return double * max(1.0, math.log(variance / (rate * double)))


#: Where draws are scaled, the equation for ρ is linear in 1/ρ: two rows are exact.
SCALED = (1.0, 2.0**-12)
#: Indices this close are the same: the lower arm keeps its place.
SAME = 1e-11


@jitable
def posterior(state: ArmState, arm: int) -> tuple[float, float]:
    """The mean of an arm, and the trials that it is known as well as.

    As Python's numbers: all that follows would take four times as long with NumPy's.
    """
    pi, nu = float(state.shared[prior.PI]), float(state.shared[prior.NU])
    n = nu + float(state.memory[arm, prior.TRIALS])
    return (nu * pi + float(state.memory[arm, prior.SUCCESSES])) / n, n


def posterior_mean(state: ArmState, arm: int) -> float:
    """What arms are compared by where nothing is left to explore for."""
    return posterior(state, arm)[0]


@jitable
def typical_lifetime(state: ArmState, turn: Turn) -> float:
    """What stands for unknown lifetimes: the mean of those that ended, -1 if there are none."""
    end = state.end
    for arm in range(end.size):
        if end[arm] == UNKNOWN_END:
            return mean_ended_lifetime(state, turn.clock)
    return -1.0


@jitable
def life_of(state: ArmState, turn: Turn, life: float, arm: int) -> float:
    """The horizon of an arm's own remaining life; infinite for one that stays.

    It earns on the weight to come, less what is left when it ends.  Where its end is unknown, or
    how many turns follow (then as many as there were), all turns weigh alike.
    """
    end = state.end[arm]
    if end == NO_END or (end == UNKNOWN_END and life < 0.0):
        return math.inf
    if turn.turns_left != UNKNOWN_TURNS and end != UNKNOWN_END:
        return float(max(0.0, turn.future - state.weight[arm]) / turn.G)
    age = turn.clock - state.start[arm]
    left = max(0.0, life - age if end == UNKNOWN_END else float(end - turn.clock))
    if turn.turns_left == UNKNOWN_TURNS:
        return turn.level * (left / max(1, turn.clock))
    return left / max(1, turn.turns_left) * turn.future / turn.G


@jitable
def terms_of(state: ArmState, turn: Turn) -> Terms:
    """What the turn costs.  Without visitors its level says it all."""
    rho, judged = float(state.shared[noise.RHO]), state.shared[noise.JUDGED]
    if judged == noise.BY_LEVEL:
        return Terms(rho, 0.0, turn.level, turn.level)
    spread = (1.0 - rho) / expected_visitors(state, turn)
    if judged == noise.BY_MEAN or turn.turns_left == UNKNOWN_TURNS:
        return Terms(rho, spread, turn.level, turn.level)
    whole, patience = turn.future / turn.G, patience_of(state, turn)
    level = turn.level / patience if patience > 0.0 else math.inf
    return Terms(rho, spread, whole, min(whole, level))


@jitable
def patience_of(state: ArmState, turn: Turn) -> float:
    """How much waiting counts, from 1 down to 0 where trying every arm takes all turns left.

    The plan waits for the K-th best of the turns to come, one for each of K arms to try.  An arm
    that takes several turns to try needs more of them, and later ones save less.
    """
    arms, shared = arms_to_try(count_available(state), turn.t + turn.turns_left), state.shared
    per_turn = shared[noise.PER_TURN]
    if per_turn <= 0.0:
        per_turn = effective(shared[noise.RHO], expected_visitors(state, turn))
    plays = 1.0 + PERSISTENCE * shared[prior.NU] / per_turn
    if arms * plays >= turn.turns_left:
        return 0.0
    return 1.0 - math.log(plays) / math.log(turn.turns_left / arms)


@jitable
def favourite(state: ArmState, turn: Turn, life: float) -> tuple[int, int]:
    """The tried arm with the highest mean, and the first of those untried; -1 if there is none.

    Untried arms differ in their horizons only; one that was chosen before, and whose reward has not
    arrived, comes later.
    """
    available, selections, pulls = state.available, state.selections, state.pulls
    best, fresh, top, longest = -1, -1, -1.0, 0.0
    for arm in range(available.size):
        if not available[arm]:
            continue
        if pulls[arm] > 0.0:
            p, _ = posterior(state, arm)
            if p > top:
                best, top = arm, p
        elif fresh < 0 or selections[arm] <= selections[fresh]:
            horizon = min(turn.level, life_of(state, turn, life, arm))
            if fresh < 0 or selections[arm] < selections[fresh] or horizon > longest:
                fresh, longest = arm, horizon
    return best, fresh


@jitable
def highest_mean(state: ArmState, best: int, fresh: int) -> int:
    """Where nothing is left to explore for: the favourite, unless the prior promises more."""
    if best < 0 or fresh < 0:
        return max(best, fresh)
    return fresh if posterior(state, best)[0] < state.shared[prior.PI] else best


@jitable
def highest_index(state: ArmState, turn: Turn, life: float, best: int, fresh: int) -> int:
    """The arm with the highest index; few arms need their index solved, the others a comparison.

    The favourite comes first, then one of the untried arms, then the others.
    """
    available, end, pulls, terms = state.available, state.end, state.pulls, terms_of(state, turn)
    champion, x, bound = -1, 0.0, -1.0
    for place in range(-2, available.size):
        arm = best if place == -2 else (fresh if place == -1 else place)
        if arm < 0 or (place >= 0 and (arm == best or pulls[arm] <= 0.0)):
            continue
        p, n = posterior(state, arm)
        d = x - p
        if not available[arm] or (d > 0.0 and n * d * d > bound):
            continue
        own = math.inf if end[arm] == NO_END else life_of(state, turn, life, arm)
        if own <= 0.0:  # it ends now: its index is its mean
            if champion >= 0 and d >= -SAME:
                continue
            champion, x = arm, p
        else:
            rate = price(terms, n, own)
            if d > 0.0 and is_hopeless(p, n, rate, x):
                continue
            start = max(x, p) if champion >= 0 else first_guess(p, n, rate)
            higher = solve(p, n, rate, start, champion >= 0)
            if champion >= 0 and higher <= x + SAME:
                continue
            champion, x = arm, higher
        bound = hopeless_beyond(price(terms, 0.0, math.inf), x)
    return champion


@jitable
def alike(state: ArmState, turn: Turn, life: float, arm: int, other: int) -> bool:
    """Whether both arms are available and have the same index for the same reasons."""
    memory, selections = state.memory, state.selections
    return bool(
        state.available[other]
        and memory[other, prior.TRIALS] == memory[arm, prior.TRIALS]
        and memory[other, prior.SUCCESSES] == memory[arm, prior.SUCCESSES]
        and (memory[arm, prior.TRIALS] > 0.0 or selections[other] == selections[arm])
        and min(turn.level, life_of(state, turn, life, other))
        == min(turn.level, life_of(state, turn, life, arm))
    )


@jitable
def break_tie(state: ArmState, turn: Turn, life: float, arm: int) -> int:
    """`arm` is the lowest of those alike; where ties are random, any of them wins."""
    winner = arm
    for other in range(arm + 1, state.available.size):
        if alike(state, turn, life, arm, other) and wins_tie(turn, other, winner):
            winner = other
    return winner


@jitable
def choose(state: ArmState, turn: Turn) -> tuple[int, bool]:
    """The highest index; it exploits if that arm also has the highest mean of those tried."""
    life = typical_lifetime(state, turn)
    best, fresh = favourite(state, turn, life)
    if turn.level > 0.0:
        arm = highest_index(state, turn, life, best, fresh)
    else:
        arm = highest_mean(state, best, fresh)
    exploited = arm == best
    return (break_tie(state, turn, life, arm) if turn.random_ties else arm), exploited


def probabilities(state: ArmState, turn: Turn) -> Floats:
    """One arm is certain; where ties are random, it shares with those that are alike."""
    arm, _ = choose(state, turn._replace(random_ties=False))
    life = typical_lifetime(state, turn)
    equals = [alike(state, turn, life, arm, other) for other in range(state.available.size)]
    return tie_probabilities(turn, np.array(equals))


@jitable
def keep_scores(state: ArmState, clock: int, scores: Floats, scale: float) -> None:
    """An arm's weight is what is left of the season when it ends."""
    copy_values(scores, state.weight)


@made_once
def option_rule(rhos: tuple[float, ...] = SCALED, judged: float = noise.BY_LEVEL) -> Rule:
    """The rule whose noise is kept at these values of ρ, falling from 1; two do for scaled draws.

    Rewards are in [0, 1].  Where visitors are counted, an
    observation's precision is their number.
    """
    rows = NoiseRows(rhos, prior.ARM_ROWS, prior.ROWS)

    @jitable
    def start(state: ArmState) -> None:
        """The prior before any data, π from .0009 to .98; a turn counts as one trial at first."""
        shared = state.shared
        shared[noise.RHO], shared[prior.BINARY], shared[noise.JUDGED] = 1.0, 1.0, judged
        shared[prior.CENTRE], shared[prior.SPACING] = -1.5, 1.0
        prior.rebuild(state)
        prior.summarize(state)

    @jitable
    def observe(state: ArmState, turn: Turn, observation: Observation) -> None:
        """Add the observation to the sums, then renew noise and prior."""
        arm, value = observation.arm, min(max(observation.value, 0.0), 1.0)
        visitors = count_visitors(state, turn, observation.precision)
        plain = (value == 0.0 or value == 1.0) and (judged == noise.BY_LEVEL or visitors <= 1.0)
        if state.shared[prior.BINARY] > 0.0 and not plain:
            state.shared[prior.BINARY] = 0.0
            fill_rows(state, rows, math.inf if judged == noise.BY_LEVEL else 1.0)
            prior.rebuild(state)
        state.pulls[arm] += 1.0
        state.sums[arm] += value
        state.shared[noise.TURNS] += 1.0
        if state.shared[prior.BINARY] > 0.0:
            state.memory[arm, prior.TRIALS] += 1.0
            state.memory[arm, prior.SUCCESSES] += value
            prior.add_trial(state, arm, value > 0.5)
        else:
            add_to_rows(state, arm, rows, visitors, value)
            learn_noise(state, rows, prior.TRIALS)
            prior.renew_arms(state)
        prior.summarize(state)

    return Rule(
        "option",
        choose,
        intensity,
        observe=observe,
        start=start,
        memory=rows.ends[0],
        shared=rows.ends[1],
        allowed=(0.0, math.inf),
        traits=RuleTraits(
            stable="until-change", prices=True, unit_range=True, stochastic=False, work=20.0
        ),
        probabilities=probabilities,
        exploits_at=0.0,
        set_weights=keep_scores,
        leads_by=posterior_mean,
    )


def intensity(horizons: Floats, turns: NDArray[np.int64], arms: int) -> Floats:
    """The horizon's share of itself and the number of arms: half where it is one turn an arm."""
    return np.asarray(horizons / (horizons + arms))


OPTION = option_rule()
#: The same where the visitors of a turn are counted; the second ignores G.
OPTION_COUNTED = option_rule(COUNTED, noise.BY_VISITORS)
OPTION_UNREGULATED = option_rule(COUNTED, noise.BY_MEAN)


@dataclass(frozen=True)
class OptionIndex(CountingPolicy):
    """Play the arm with the highest option index: what exploring it may bring, at today's price.

    Exploring an arm now costs G(t) and pays on the weight W(t) still to come, so the plan's level
    is a horizon: H = W(t) / G(t), or less where a cheaper turn is near enough to wait for.  The
    index of an arm is the λ at which H · E(Y - λ)⁺ = (1 + 0.3 n) (λ - p): trying it then brings as
    much as it costs, compared with an arm that pays λ.  Y is what the arm may be worth, p its mean,
    and n the turns that it is known as well as.  What arms have in common, and how noisy turns are,
    is learned during the game.  There is nothing to tune.

    Where visitors are counted, in a shop and in games with `rewards.visitors` or `spend`, a turn
    that n of them saw is worth n / (1 + (n - 1) rho) trials; how alike the visitors of a turn are,
    rho, is learned too.  A busy turn then teaches more, and only the part of the price that
    visitors do not bring back is worth waiting for.  With other rewards, and with `count="turns"`,
    turns differ in G and not in what they teach, as in the paper.

    Rewards are learned as shares of the most that they may be.  No arm is tried merely because it
    was never tried.

    An arm that ends has a shorter horizon: that of its own remaining life, which is taken to be the
    mean of the lifetimes that have ended if it is unknown.

    The plan needs the whole of G, known or forecast; a forecast counts with its mean.  Where turns
    come one at a time, it assumes that as much weight follows as was seen.

    >>> import highseason as hs
    >>> hs.OptionIndex().plan([1, 1, 40, 1], arms=1).levels.round(1).tolist()
    [42.0, 41.0, 0.0, 0.0]
    >>> hs.play(hs.OptionIndex(), "bernoulli:means=0.2/0.8", [1, 1, 1, 40, 1, 1]).arms
    array([0, 1, 0, 1, 0, 1])
    """

    name = "option-index"
    rule = OPTION
    needs_whole_g = True
    carry_depends_on = "G"
    candidate = 1
    #: Its rules where visitors are counted: looking at G, and not; a class with its own rule
    #: declares both.
    counted_rules: ClassVar[tuple[Rule, Rule]] = (OPTION_COUNTED, OPTION_UNREGULATED)

    wait: bool = parameter(
        True, "wait for cheaper turns, or look at the price of this turn only", flag=True
    )
    regulated: bool = parameter(True, "follow G, or treat all turns alike", flag=True)

    def _check_rule(self) -> None:
        """The rule depends on what is counted."""
        object.__setattr__(self, "looks_at_g", self.regulated)
        if self.counts == "visitors":
            object.__setattr__(self, "rule", self.counted_rules[0 if self.regulated else 1])
        super()._check_rule()

    @classmethod
    def candidates(cls) -> tuple[Self, ...]:
        """Following G and not: what following it brings."""
        return cls(), cls(regulated=False)

    @property
    def lifetime_options(self) -> LifetimeOptions:
        """What an arm's own life can earn follows from what is left when it ends."""
        return LifetimeOptions(scores_left=True)

    def levels(self, G: NDArray[np.float64], arms: int) -> NDArray[np.float64]:
        """The horizon of every turn of a game whose G is known."""
        if not self.regulated:
            return np.arange(G.size - 1.0, -1.0, -1.0)
        plays = int(arms_to_try(arms, G.size)) if self.wait else G.size
        return effective_horizons(G, plays)

    def begin(self) -> Any:
        """The weight seen."""
        return 0.0

    def step(self, carry: Any, view: View) -> tuple[float, Any]:
        """Where the future is unknown: as much weight follows as there was, this turn included."""
        weight = view.G if self.regulated else 1.0
        return (carry + weight) / weight, carry + weight


#: The policy where none is named: it has nothing to tune, and every visitor counts.
DEFAULT_POLICY = OptionIndex.name
