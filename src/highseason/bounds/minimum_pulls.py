"""The minimum pulls of every arm under UCB, whatever the rewards within their range.

The radius of a neglected arm grows with log t.  Once it exceeds the other arms' radii by the range
of the rewards, UCB must choose the arm.

References:
    Tracà, Rudin and Yan, "Regulating Greed Over Time in Multi-Armed Bandits", 2021,
    https://jmlr.org/papers/v22/17-720.html
"""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from highseason.bounds.regret_bound import Form

#: A function of the turn: the number under the root, times the pulls.
Root = Callable[[float], float]
#: phi, given the range to a rival and the pulls of the arm.
Phi = Callable[[float, int], float]

#: A turn must exceed `need` by more than rounding.
_CLEARLY = 1.0 + 1e-12


def need(t: float, r: float, y: int, P: float = 2.0) -> float:
    """The pulls a rival must have before an arm with `y` pulls is preferred at turn t.

    P log t / (sqrt(P log t / y) - r)², infinite while the root does not exceed r.  It falls with t
    and rises with y.

    Args:
        t: The turn.
        r: The range of the rewards: the rival always paid the most, the arm the least.
        y: The pulls of the arm.
        P: The radius is sqrt(P log t / pulls); 2 is UCB1's.

    >>> round(need(1000, r=1.0, y=4), 2)
    18.75
    >>> need(3, r=1.0, y=4)
    inf
    """
    return _need(P * math.log(t), P * math.log(t), r, y)


def _need(rival: float, own: float, r: float, y: int) -> float:
    """`need`, given what is under the rival's root and under the arm's own."""
    excess = math.sqrt(own / y) - r
    return rival / (excess * excess) if excess > 0.0 else math.inf


def tau(r: float, y: int, P: float = 2.0) -> float:
    """The first turn whose radius after y pulls reaches r: ceil(exp(r² y / P)), 1 if r <= 0.

    A whole number, or infinity where it exceeds what a float can hold.

    >>> tau(1.0, 4)
    8
    >>> tau(1.0, 10_000)
    inf
    """
    if r <= 0.0:
        return 1
    return ceil_exp(r * r * y / P if P > 0 else math.inf)


def ceil_exp(exponent: float) -> float:
    """ceil(e^exponent), or infinity where it exceeds what a float can hold."""
    return math.ceil(math.exp(exponent)) if exponent < 709.0 else math.inf


def phi(r: float, y: int, P: float = 2.0) -> float:
    """The first turn t >= tau with t > need(t): no rival can then be pulled more than t times.

    With r <= 0, where no reward of the rival exceeds any of the arm's, it is y + 1.

    >>> phi(2.0, 1), phi(1.0, 4), phi(0.0, 3)
    (24, 50, 4)
    """
    return _phi(r, y, P, lambda t: P * math.log(t))


def _phi(
    r: float, y: int, P: float, own: Root, rival: Root | None = None, start: float = 1
) -> float:
    """`phi` with `own` under the root in place of P log t, from turn `start` on."""
    if r <= 0.0:
        return y + 1
    if P <= 0.0:
        return math.inf
    other = rival or own
    return first_true(lambda t: t > _need(other(t), own(t), r, y) * _CLEARLY, start)


def minimum_pulls(
    turns: int, arms: int, r: float = 1.0, P: float = 2.0, form: Form = "safe"
) -> int:
    """Lemma 6, x_n: the minimum number of times UCB pulls every arm in n turns.

    Safe: max{y >= 1 : (m-1) phi(r,y) + y + 1 <= n} + 1, and 1 if there is no such y.  The printed
    condition, (m-1) phi(r,y) <= n, omits the y turns of the arm itself and the turn that pulls it.

    Args:
        turns: n, at least the number of arms; 10^12 is no problem.
        arms: m.
        r: The range of the rewards.
        P: The radius is sqrt(P log t / pulls).
        form: "safe", or "paper" for the lemma as printed, which is false.

    >>> minimum_pulls(10**12, arms=10)
    51
    >>> minimum_pulls(24, arms=2, r=2.0), minimum_pulls(24, arms=2, r=2.0, form="paper")
    (1, 2)
    """
    return least_pulls(turns, [r] * (arms - 1), partial(phi, P=P), form)


def minimum_pulls_ranges(
    turns: int, ranges: Sequence[tuple[float, float]], P: float = 2.0, form: Form = "safe"
) -> tuple[int, ...]:
    """Corollary 17: x_n(j) of each arm when arm i pays between a_i and b_i.

    As `minimum_pulls` with the sum of phi(b_i - a_j, y) over rivals i.  A rival that cannot pay
    more than the arm (b_i <= a_j) needs only one pull more than it: phi = y + 1.  (The printed
    formula gives 1, or 0/0.)

    >>> minimum_pulls_ranges(10_000, [(0, 1), (0.5, 0.6), (0, 0.2)])
    (45, 63, 17)
    """
    return _by_arm(turns, ranges, partial(phi, P=P), form)


def soft_minimum_pulls(
    turns: int,
    arms: int,
    highest: float,
    lowest: float | None = None,
    r: float = 1.0,
    P: float = 2.0,
    form: Literal["safe", "paper", "literal"] = "safe",
    ranges: Sequence[tuple[float, float]] | None = None,
) -> int | tuple[int, ...]:
    """Lemmas 22 and 23: x_n under soft UCB, from the highest (and lowest) G after the first round.

    All arms share xi(t), and `need` falls with it, so only the least xi matters:
    log xi_lo(t) = log(1 + t/max G) takes the place of log t.

    Args:
        turns: n.
        arms: m.
        highest: The greatest G after the first round, in the policy's unit.
        lowest: The least; only the printed forms use it.
        r: The range of the rewards.
        P: The radius is sqrt(P log xi(t) / pulls).
        form: "safe"; "paper", as printed, with xi_up = 1 + t/min G for the rivals, read with one
            logarithm; "literal", with the two logarithms that are printed.
        ranges: Where arm i pays between a_i and b_i; the result then has a number per arm.

    >>> soft_minimum_pulls(300_000, arms=2, highest=1.0)
    25
    >>> soft_minimum_pulls(300_000, arms=2, highest=1.0, lowest=1.0, form="literal")
    6
    """
    least = highest if lowest is None or form == "safe" else lowest

    def root(G: float, t: float) -> float:
        log = math.log1p(t / G)
        if form == "literal":
            log = math.log(log) if log > 1.0 else 0.0
        return P * log

    def soft_phi(s: float, y: int) -> float:
        return _phi(s, y, P, partial(root, highest), partial(root, least))

    shape: Form = "safe" if form == "safe" else "paper"
    if ranges is None:
        return least_pulls(turns, [r] * (arms - 1), soft_phi, shape)
    return _by_arm(turns, ranges, soft_phi, shape)


def pull_steps(
    turns: int, arms: int, r: float = 1.0, P: float = 2.0, form: Form = "safe"
) -> NDArray[np.int64]:
    """The turns at which the minimum pulls rise: x_t = 1 + the number of them that are <= t.

    >>> pull_steps(100, arms=2)
    array([ 8, 17, 32, 55, 89])
    """
    if arms < 2:
        return np.arange(2, turns + 1)
    steps: list[int] = []
    before: float = 1
    for y in range(1, turns):
        before = _phi(r, y, P, lambda t: P * math.log(t), start=before)
        spent = _spent((arms - 1) * before, y, form)
        if not spent <= turns:
            break
        steps.append(int(spent))
    return np.array(steps, dtype=np.int64)


def _spent(rivals: float, y: int, form: Form) -> float:
    """The turns after which the arm must have been pulled y + 1 times."""
    return rivals + y + 1 if form == "safe" else rivals


def _by_arm(
    turns: int, ranges: Sequence[tuple[float, float]], phi_of: Phi, form: Form
) -> tuple[int, ...]:
    return tuple(
        least_pulls(turns, [b - a for i, (_, b) in enumerate(ranges) if i != j], phi_of, form)
        for j, (a, _) in enumerate(ranges)
    )


def least_pulls(turns: int, ranges: Sequence[float], phi_of: Phi, form: Form) -> int:
    """x_n of an arm, given the range of the rewards to each rival."""
    if turns < len(ranges) + 1:
        raise ValueError(f"{turns} turns are too few to try {len(ranges) + 1} arms once")
    if not ranges:
        return turns
    counted = Counter(ranges)

    def is_free(y: float) -> bool:
        rivals = math.fsum(count * phi_of(r, int(y)) for r, count in counted.items())
        return not _spent(rivals, int(y), form) <= turns

    return int(first_true(is_free, 1))


def first_true(holds: Callable[[float], bool], start: float) -> float:
    """The first whole number >= start for which `holds`, which stays true once true.

    By doubling and bisection; infinity if no float is large enough.
    """
    if math.isinf(start) or holds(start):
        return start
    below, width = int(start), 1
    while not holds(below + width):
        below += width
        width *= 2
        if below.bit_length() > 1000:
            return math.inf
    above = below + width
    while above - below > 1:
        middle = (below + above) // 2
        below, above = (below, middle) if holds(middle) else (middle, above)
    return above
