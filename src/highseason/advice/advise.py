"""How advice is come by: candidates are thinned out, one is chosen, and fresh games judge it."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Sequence
from statistics import NormalDist
from typing import Any

import numpy as np

from highseason import bounds
from highseason.advice.belief import Belief
from highseason.advice.candidates import candidates, kind_of, quiet_plan
from highseason.advice.pathologies import Pathology, greedy_is_as_good, pathologies
from highseason.advice.result import Advice, Compared
from highseason.bounds import NoTheoremError, RegretBound
from highseason.core.random import seed_key
from highseason.games import simulate
from highseason.multipliers import Multiplier, as_multiplier
from highseason.policies import Policy
from highseason.results import Estimate, SimulationResult, with_interval

Progress = Callable[[int, int], None]

#: Thinning out the candidates takes a share of the games that choosing takes.
_SHARE, _LEAST = 4, 40


def advise(
    multiplier: Any,
    arms: int,
    *,
    gap: float | None = None,
    means_between: tuple[float, float] = (0.0, 1.0),
    turns: int | None = None,
    games: int = 1000,
    seed: int = 0,
    policies: Iterable[Policy] = (),
    threads: int | None = None,
    progress: Progress | None = None,
) -> Advice:
    """Say which policy to use on this traffic, how sure that is, and what to beware of.

    Every policy plays with its defaults and with a small grid of its parameters, on this very G.
    First a part of the games finds the best of each policy, then other games choose among these,
    and again others judge: no number in the answer comes from games that chose.  The simpler one is
    chosen unless the more elaborate is clearly better: greedy first, then what explores whatever
    the stakes, then what looks at them.

    Args:
        multiplier: G: anything `as_multiplier` takes.
        arms: How many arms, at least 2.
        gap: How far the second best arm is below the best, if that is known.
        means_between: Where the means of the arms lie, uniformly.
        turns: How many, where the multiplier is the name of a shape.
        games: How many games choose, and how many judge.
        seed: Same seed, same advice.
        policies: Candidates of your own, beside those that are always tried.
        threads: How many; all cores if None.
        progress: Called with (games done, games in all) as the work goes on.

    >>> import highseason as hs
    >>> G = hs.multipliers.wave(turns=200)
    >>> advice = advise(G, arms=4, games=50)
    >>> [one.kind for one in advice.compared].count("regulated")
    5
    """
    G = as_multiplier(multiplier, turns)
    belief = Belief(arms, (float(means_between[0]), float(means_between[1])), gap)
    games = _at_least_two(games)
    seed_key(seed)  # a bad seed is told as it was given, not as a multiple of it
    tried = candidates(G, arms, policies)
    thinning = max(_LEAST, games // _SHARE)
    stage = _Stage(belief, G, threads, progress, thinning + 2 * games)
    first = stage.play(tried, thinning, 3 * seed)
    finalists = _best_of_each(tried, first)
    second = stage.play(finalists, games, 3 * seed + 1)
    chosen, runner_up = _choose(finalists, second)
    judged = stage.play(finalists, games, 3 * seed + 2)
    compared = [_compare(judged, i, chosen, finalists[i], belief, G) for i in range(len(finalists))]
    order = sorted(range(len(finalists)), key=lambda i: compared[i].regret)
    told = tuple(compared[i] for i in order)
    return Advice(
        policy=finalists[chosen],
        plan=quiet_plan(finalists[chosen], G, arms),
        compared=told,
        runner_up=order.index(runner_up),
        warnings=tuple(_warnings(G, arms, told, finalists[chosen])),
        belief=belief,
        tried=len(tried),
        games=games,
        seed=seed,
    )


class _Stage:
    """Where all the games of one advice are played."""

    def __init__(
        self,
        belief: Belief,
        G: Multiplier,
        threads: int | None,
        progress: Progress | None,
        in_all: int,
    ) -> None:
        self.rewards, self.G, self.threads = belief.rewards(), G, threads
        self.progress, self.done, self.in_all = progress, 0, in_all

    def play(self, policies: Sequence[Policy], games: int, seed: int) -> SimulationResult:
        """Play so many games more."""
        before = self.done

        def tell(done: int, _: int) -> None:
            if self.progress is not None:
                self.progress(before + done, self.in_all)

        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # the advice says what is odd, once
            result = simulate(
                policies, self.rewards, self.G, games, seed, threads=self.threads, progress=tell
            )
        self.done += games
        return result


def _best_of_each(tried: Sequence[Policy], result: SimulationResult) -> list[Policy]:
    """Of each class the one with the least regret."""
    best: dict[type[Policy], int] = {}
    for i, policy in enumerate(tried):
        held = best.setdefault(type(policy), i)
        if result.mean("regret", i) < result.mean("regret", held):
            best[type(policy)] = i
    return [tried[i] for i in best.values()]


def _choose(finalists: Sequence[Policy], result: SimulationResult) -> tuple[int, int]:
    """The simplest that is not clearly beaten by something more elaborate; and the best other."""
    order = sorted(range(len(finalists)), key=lambda i: result.mean("regret", i))
    best = {kind: next((i for i in order if kind_of(finalists[i]) == kind), None)
            for kind in ("greedy", "unregulated", "regulated")}  # fmt: skip
    chosen = best["greedy"]
    assert chosen is not None  # greedy is always tried
    for kind in ("unregulated", "regulated"):
        rival = best[kind]
        if rival is not None and _lead(result, rival, chosen).low > 0:
            chosen = rival
    return chosen, next(i for i in order if i != chosen)


def _lead(result: SimulationResult, ahead: int, of: int) -> Estimate:
    """How much less one regrets than another, as a share of the best arm's takings; paired."""
    moments = result.moments["regret"]
    c = moments.covariance
    value = float(moments.mean[of] - moments.mean[ahead])
    variance = float(c[of, of] - 2 * c[of, ahead] + c[ahead, ahead])
    error = math.sqrt(max(variance, 0.0) / moments.count)
    most = _attainable(result)
    return with_interval(value / most, error / most)


def _attainable(result: SimulationResult) -> float:
    """What the best arm would have earned; the same whoever plays."""
    return result.mean("reward", 0) + result.mean("realised_regret", 0)


def _compare(
    result: SimulationResult, i: int, chosen: int, policy: Policy, belief: Belief, G: Multiplier
) -> Compared:
    lead = _lead(result, chosen, i)
    return Compared(
        policy=policy,
        kind=kind_of(policy),
        regret=result.mean("regret", i),
        error=result.error("regret", i),
        earned=1.0 - result.mean("regret", i) / _attainable(result),
        lead=lead,
        chance=_chance(lead),
        bound=_bound(policy, belief, G),
    )


def _chance(lead: Estimate) -> float:
    """How likely the true lead is above zero, from its estimate and error."""
    if lead.error > 0:
        return NormalDist().cdf(lead.value / lead.error)
    return 0.5 if lead.value == 0 else float(np.heaviside(lead.value, 0.5))


def _bound(policy: Policy, belief: Belief, G: Multiplier) -> RegretBound | None:
    if G.turns < belief.arms:
        return None
    try:
        return bounds.regret(policy, belief.typical(), multiplier=G)
    except NoTheoremError:
        return None


def _warnings(
    G: Multiplier, arms: int, compared: Sequence[Compared], chosen: Policy
) -> list[Pathology]:
    found = pathologies(G, arms)
    greedy = next(one for one in compared if one.kind == "greedy")
    if G.turns > arms and (greedy.policy == chosen or greedy.lead.low <= 0):
        found.append(greedy_is_as_good(G.turns, arms))
    return found


def _at_least_two(games: int) -> int:
    if isinstance(games, bool) or not isinstance(games, int | np.integer) or games < 2:
        raise ValueError(f"games must be a whole number, at least 2, not {games!r}")
    return int(games)
