"""The index of an arm: where what its option pays equals what trying it costs."""

from __future__ import annotations

import math
from typing import NamedTuple

from highseason.core.beta import beta_call, log_beta
from highseason.core.jitable import inlined, jitable

#: Plays needed to change one's mind about an arm, per play it was worth so far: the value at which
#: the index follows the Gittins index of a normal arm.
PERSISTENCE = 0.3
#: Among many arms a search ends before all are tried: so many times the root of the turns, at most.
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
