"""The loops over arms and turns, compiled on first use; each ends by filling `out`."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from highseason.core.compile import compiled
from highseason.core.jitable import jitable

Numbers = NDArray[np.float64]
Counts = NDArray[np.int64]

#: No turn, in a list of turns.
NONE = -1


@jitable
def beyond(pulls: float, kappa: float) -> float:
    """The sum of exp(-kappa s) over s > pulls: exp(-kappa pulls) / (exp(kappa) - 1)."""
    growth = math.expm1(kappa)
    if growth <= 0.0:  # kappa is 0, or underflowed: the sum is infinite
        return math.inf
    return math.exp(-kappa * pulls) / growth


@jitable
def too_few(lam: float) -> float:
    """floor(lam) exp(-lam/5): the part of the tail with too few blind pulls."""
    return math.floor(lam) * math.exp(-lam / 5.0)


def tail(lam: float, kappa: float) -> float:
    """Bound the probability that an average misleads after 2·lam expected blind pulls.

    floor(lam) e^(-lam/5) + the sum of e^(-kappa s) over s > floor(lam): the arm was pulled blindly
    at most lam times (Bernstein), or more often and still misjudged (Hoeffding, for each s).  Any
    lower bound on lam will do.  With kappa = 0, also by underflow, the sum is infinite.

    Args:
        lam: Half the expected number of blind pulls, including the one of the first round.
        kappa: D²/(2r²) for a gap D and rewards in a range r.

    >>> round(tail(50.0, 0.32), 6)
    0.00227
    >>> tail(0.5, 0.0)
    inf
    """
    return too_few(lam) + beyond(float(math.floor(lam)), kappa)


def leader_kernel(gaps: Numbers, kappas: Numbers, lams: Numbers, out: Numbers) -> None:
    """`leader_regret(gaps, min(1, 2 tail(lam, kappa)))` for each `lam`.

    `gaps` must fall.  Only one term of a tail, the same for all arms, changes with every turn; the
    other changes when floor(lam) does.
    """
    arms = gaps.size
    far = np.empty(arms)
    known = -1.0
    for i in range(lams.size):
        pulls = float(math.floor(lams[i]))
        if pulls != known:
            known = pulls
            for j in range(arms):
                far[j] = beyond(pulls, kappas[j])
        near = too_few(lams[i])
        left, cost = 1.0, 0.0
        for j in range(arms):
            probability = min(left, 2.0 * (near + far[j]))
            cost += gaps[j] * probability
            left -= probability
            if left <= 0.0:
                break
        out[i] = cost


@jitable
def pool_cost(gaps: Numbers, size: int, lam: float, twice_range_squared: float) -> float:
    """The most a turn with a pool of `size` can cost per unit of G, after `lam`; `gaps` must fall.

    An arm worse than the size-th best is in the pool with probability at most (1 + size) tail, and
    any arm in it is drawn with probability 1/size.
    """
    arms = gaps.size
    edge = gaps[arms - size]  # the gap of the size-th best arm
    near = too_few(lam)
    left, cost = 1.0, 0.0
    for j in range(arms):
        behind = gaps[j] - edge
        inside = 1.0
        if behind > 0.0:
            kappa = behind * behind / twice_range_squared
            inside = min(1.0, (1.0 + size) * (near + beyond(float(np.floor(lam)), kappa)))
        probability = min(left, inside / size)
        cost += gaps[j] * probability
        left -= probability
        if left <= 0.0:
            break
    return cost


def pool_kernel(gaps: Numbers, sizes: Counts, twice_range_squared: float, out: Numbers) -> None:
    """`pool_cost` for every turn after the first round; full pools are blind exploration.

    The cost depends on the size and on the number of full pools so far, so it is computed only when
    one of these changes.
    """
    arms = gaps.size
    full = arms  # the first round counts as `arms` blind turns
    even = gaps.sum() / arms
    last_size, last_full, cost = -1, -1, 0.0
    for i in range(sizes.size):
        size = sizes[i]
        if size == arms:
            out[i] = even
            full += 1
            continue
        if size != last_size or full != last_full:
            last_size, last_full = size, full
            cost = pool_cost(gaps, size, full / (2.0 * arms), twice_range_squared)
        out[i] = cost


@jitable
def log_xi(t: int, start: int, G: float) -> float:
    """log(1 + age/G) of an arm whose lifetime starts at `start`."""
    return math.log1p((t - start) / G)


@jitable
def miss_probability(psi: float, log: float, r: float) -> float:
    """The probability that an average is outside its radius: xi^(-4 psi²/r²)."""
    return math.exp(-4.0 * psi * psi * log / (r * r))


def mortal_kernel(
    means: Numbers,
    spans: Counts,
    epochs: Counts,
    psi: Numbers,
    G: Numbers,
    first_round: int,
    r: float,
    out: Numbers,
) -> None:
    """Add to `out` what each turn adds to the bound, arm by arm and epoch by epoch.

    Args:
        means: Of each arm.
        spans: Start of each arm, 0 for those available in turn 1; last turn of each arm.
        epochs: The best available arm in each turn; the row of `psi` that applies to it.
        psi: psi_future by stretch (turns with the same arms available) and arm.
        G: The multiplier; what xi is computed from, G or its forecast in the policy's unit.
        first_round: The number of turns of the initialisation.
        r: The range of the rewards.
        out: One number per turn.
    """
    starts, ends = spans[0], spans[1]
    best, stretch = epochs[0], epochs[1]
    weights, believed = G[0], G[1]
    turns = weights.size
    logs = np.empty(turns)
    shared_start = -1
    for arm in range(means.size):
        if starts[arm] != shared_start:  # arms with the same start share xi
            shared_start = starts[arm]
            for s in range(max(1, shared_start), turns + 1):
                logs[s - 1] = log_xi(s, shared_start, believed[s - 1])
        start = max(1, starts[arm])
        t = max(start, first_round + 1)
        while t <= ends[arm]:
            star = best[t - 1]
            end = t
            while end < ends[arm] and best[end] == star:
                end += 1
            gap = means[star] - means[arm]
            if gap > 0.0:
                widest = 0.0
                for s in range(t, end + 1):
                    own = psi[stretch[s - 1], arm]
                    widest = max(widest, own * own * logs[s - 1])
                enough = max(1.0, np.ceil(8.0 * widest / (gap * gap)))
                star_start = max(1, starts[star])
                failures, heaviest, before = 0.0, 0.0, 0.0
                for s in range(t, end + 1):
                    trials = s - start - enough + 1.0
                    if trials > 0.0:
                        row = stretch[s - 1]
                        own_miss = miss_probability(psi[row, arm], logs[s - 1], r)
                        star_miss = own_miss
                        if starts[star] != starts[arm]:
                            log = log_xi(s, starts[star], believed[s - 1])
                            star_miss = miss_probability(psi[row, star], log, r)
                        elif psi[row, star] != psi[row, arm]:
                            star_miss = miss_probability(psi[row, star], logs[s - 1], r)
                        failures += min(1.0, trials * own_miss + (s - star_start) * star_miss)
                    heaviest = max(heaviest, weights[s - 1])
                    now = gap * heaviest * min(s - t + 1.0, enough + failures)
                    out[s - 1] += now - before
                    before = now
            t = end + 1


def top_sums_kernel(by_arm: Numbers, by_turn: Numbers, order: Counts, out: Numbers) -> None:
    """For each turn t: the cost of trying arms, and of trying and misjudging them together.

    An arm that must be tried q times before it is distinguished from the best costs at most the q
    heaviest turns.  Going forward, the q heaviest turns so far need a heap per arm.  Going
    backward, turns only leave: in a linked list of all turns by falling G, every arm keeps a
    pointer to the lightest of its q heaviest, and a turn that leaves moves it by one link.

    Args:
        by_arm: Gaps of the suboptimal arms; factors, with q_j(t) + 1 = ceil(factor * radius), at
            least 1.
        by_turn: G after the first round; the greatest level under the root so far (the radius);
            the sum so far of G times the probability of a misjudgement (the series).
        order: The turns by falling G.
        out: Sum of gap * min(all, q heaviest); sum of gap * min(all, q heaviest + series).
    """
    gaps, factors = by_arm[0], by_arm[1]
    weights, radii, series = by_turn[0], by_turn[1], by_turn[2]
    tried, total = out[0], out[1]
    turns, arms = weights.size, gaps.size
    rank = np.empty(turns, np.int64)
    heavier = np.full(turns, NONE, np.int64)
    lighter = np.full(turns, NONE, np.int64)
    for i in range(turns):
        rank[order[i]] = i
        if i > 0:
            heavier[order[i]] = order[i - 1]
            lighter[order[i - 1]] = order[i]
    # For each arm: how many turns it holds, their weight, and the lightest of them.
    count = np.zeros(arms, np.int64)
    held = np.zeros(arms)
    last = np.full(arms, NONE, np.int64)
    for j in range(arms):
        wanted = max(1.0, np.ceil(factors[j] * radii[turns - 1])) - 1.0
        while count[j] < turns and count[j] < wanted:
            last[j] = order[count[j]]
            held[j] += weights[last[j]]
            count[j] += 1
    everything = 0.0
    for i in range(turns):
        everything += weights[i]
    for t in range(turns - 1, -1, -1):
        for j in range(arms):
            wanted = max(1.0, np.ceil(factors[j] * radii[t])) - 1.0
            while count[j] > wanted:  # an earlier game needs fewer tries
                held[j] -= weights[last[j]]
                last[j] = heavier[last[j]]
                count[j] -= 1
            top = max(0.0, held[j])
            tried[t] += gaps[j] * min(everything, top)
            total[t] += gaps[j] * min(everything, top + series[t])
            if count[j] > 0 and rank[t] <= rank[last[j]]:  # t leaves, the next lighter one enters
                held[j] -= weights[t]
                entering = lighter[last[j]]
                if entering != NONE:
                    held[j] += weights[entering]
                    last[j] = entering
                else:
                    count[j] -= 1
                    if last[j] == t:
                        last[j] = heavier[t]
        everything -= weights[t]
        if heavier[t] != NONE:
            lighter[heavier[t]] = lighter[t]
        if lighter[t] != NONE:
            heavier[lighter[t]] = heavier[t]


def top_sums(
    gaps: Numbers, factors: Numbers, weights: Numbers, radii: Numbers, series: Numbers
) -> Numbers:
    """`top_sums_kernel`: the cost of trying arms, and of trying and misjudging them."""
    order, shape = np.argsort(-weights, kind="stable"), (2, weights.size)
    by_arm, by_turn = np.array([gaps, factors]), np.array([weights, radii, series])
    if order.size == 0:
        return np.zeros(shape)
    return run(top_sums_kernel, by_arm, by_turn, order, shape=shape)


def run(kernel: Callable[..., None], *arguments: Any, shape: int | tuple[int, ...]) -> Numbers:
    """What a kernel writes into an array of zeros of this shape, its last argument."""
    from numba import typeof, void

    ready = [  # numba gives read-only arrays another type
        np.require(value, requirements=("C", "W")) if isinstance(value, np.ndarray) else value
        for value in (*arguments, np.zeros(shape))
    ]
    compiled(kernel, void(*map(typeof, ready)))(*ready)
    return np.asarray(ready[-1])
