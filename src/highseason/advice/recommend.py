"""`advise`: screen the candidates, choose one, and evaluate it in fresh games."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np

from highseason import bounds
from highseason.advice.advice import Advice, Compared
from highseason.advice.candidates import Belief, candidates, kind_of, quiet_plan
from highseason.advice.cautions import Caution, cautions, greedy_is_as_good
from highseason.bounds import NoTheoremError, RegretBound
from highseason.core.random import seed_key
from highseason.core.validation import whole_number
from highseason.core.warnings import quiet
from highseason.games import simulate
from highseason.multipliers import Multiplier, as_multiplier
from highseason.policies import Policy
from highseason.results import Estimate, SimulationResult, with_interval
from highseason.rewards import Rewards

Progress = Callable[[int, int], None]

#: Screening takes one game for every four of choosing, and at least this many.
_GAMES_PER_SCREENING, _LEAST_SCREENING = 4, 40


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
    workers: int | None = None,
    progress: Progress | None = None,
) -> Advice:
    """Recommend a policy for this traffic, and say how sure that is and what to watch out for.

    Every policy plays on this G with its defaults and with a small grid of parameters.  Some games
    select the best parameters of each policy, others choose among these policies, and others again
    evaluate the choice: no reported number comes from games that were used to choose.  A simpler
    policy is preferred unless a more elaborate one is clearly better: greedy first, then policies
    that ignore G, then policies regulated by G.

    Args:
        multiplier: G: anything `as_multiplier` takes.
        arms: The number of arms, at least 2.
        gap: How far the second best arm is below the best, if known.
        means_between: The range of the arms' means (uniform).
        turns: The number of turns, where the multiplier is the name of a shape.
        games: The number of games to choose by, and again to evaluate.
        seed: Same seed, same advice.
        policies: Candidates of your own, besides the built-in ones.
        workers: How many threads; all cores by default.
        progress: Called with (games done, total games) as the work proceeds.

    >>> import highseason as hs
    >>> G = hs.multipliers.wave(turns=200)
    >>> advice = advise(G, arms=4, games=50)
    >>> [one.kind for one in advice.compared].count("regulated")
    5
    """
    G = as_multiplier(multiplier, turns)
    belief = Belief(arms, (float(means_between[0]), float(means_between[1])), gap)
    games = whole_number("games", games, at_least=2)
    seed_key(seed)  # so that an error names the seed that was passed, not a multiple of it
    tried = candidates(G, arms, policies)
    screening = max(_LEAST_SCREENING, games // _GAMES_PER_SCREENING)
    simulator = _Simulator(belief.rewards(), G, workers, progress, screening + 2 * games)
    finalists = _best_of_each(tried, simulator.play(tried, screening, 3 * seed))
    chosen, runner_up = _choose(finalists, simulator.play(finalists, games, 3 * seed + 1))
    evaluated = simulator.play(finalists, games, 3 * seed + 2)
    lines = [_compare(evaluated, i, chosen, finalists[i], belief, G) for i in range(len(finalists))]
    order = sorted(range(len(finalists)), key=lambda i: lines[i].regret)
    compared = tuple(lines[i] for i in order)
    return Advice(
        policy=finalists[chosen],
        plan=quiet_plan(finalists[chosen], G, arms),
        compared=compared,
        runner_up=order.index(runner_up),
        warnings=tuple(_warnings(G, arms, compared, finalists[chosen])),
        belief=belief,
        tried=len(tried),
        games=games,
        seed=seed,
    )


@dataclass
class _Simulator:
    """Plays all games of one advice, and reports their progress."""

    rewards: Rewards
    G: Multiplier
    workers: int | None
    progress: Progress | None
    total: int
    done: int = 0

    def play(self, policies: Sequence[Policy], games: int, seed: int) -> SimulationResult:
        """Play more games."""
        before = self.done

        def report(done: int, _: int) -> None:
            if self.progress is not None:
                self.progress(before + done, self.total)

        with quiet():  # the advice itself lists what is unusual, once
            result = simulate(
                policies, self.rewards, self.G, games, seed, workers=self.workers, progress=report
            )
        self.done += games
        return result


def _best_of_each(tried: Sequence[Policy], result: SimulationResult) -> list[Policy]:
    """The policy with the least regret of each class."""
    best: dict[type[Policy], int] = {}
    for i, policy in enumerate(tried):
        held = best.setdefault(type(policy), i)
        if result.mean("regret", i) < result.mean("regret", held):
            best[type(policy)] = i
    return [tried[i] for i in best.values()]


def _choose(finalists: Sequence[Policy], result: SimulationResult) -> tuple[int, int]:
    """The simplest policy that no more elaborate one clearly beats, and the best other."""
    order = sorted(range(len(finalists)), key=lambda i: result.mean("regret", i))
    best = {kind: next((i for i in order if kind_of(finalists[i]) == kind), None)
            for kind in ("greedy", "unregulated", "regulated")}  # fmt: skip
    chosen = best["greedy"]
    assert chosen is not None  # greedy is always a candidate
    for kind in ("unregulated", "regulated"):
        rival = best[kind]
        if rival is not None and _lead(result, rival, chosen).low > 0:
            chosen = rival
    return chosen, next(i for i in order if i != chosen)


def _lead(result: SimulationResult, ahead: int, of: int) -> Estimate:
    """By how much one regret is below another, as a share of the best arm's reward; paired."""
    moments = result.moments["regret"]
    c = moments.covariance
    value = float(moments.mean[of] - moments.mean[ahead])
    variance = float(c[of, of] - 2 * c[of, ahead] + c[ahead, ahead])
    error = math.sqrt(max(variance, 0.0) / moments.count)
    most = _attainable(result)
    return with_interval(value / most, error / most)


def _attainable(result: SimulationResult) -> float:
    """The reward of the best arm, which is the same for every policy."""
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
        probability=_probability(lead),
        bound=_bound(policy, belief, G),
    )


def _probability(lead: Estimate) -> float:
    """The probability that the true lead is above zero, from its estimate and error."""
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
) -> list[Caution]:
    warnings = cautions(G, arms)
    greedy = next(one for one in compared if one.kind == "greedy")
    if G.turns > arms and (greedy.policy == chosen or greedy.lead.low <= 0):
        warnings.append(greedy_is_as_good(G.turns, arms))
    return warnings
