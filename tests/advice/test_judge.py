"""Which policy is advised, against slow and obvious code on the regrets of single games."""

from __future__ import annotations

import math
from statistics import NormalDist, fmean, stdev

import numpy as np
import pytest

import highseason as hs
from highseason.advice import World
from highseason.advice.comparison import Leads, judge, kind_of
from highseason.engine import Moments, SimulationResult

#: Kinds: greedy, then two policies that ignore traffic and two that are regulated by it.
POLICIES = [hs.Greedy(), hs.UCB(P=0.1), hs.Thompson(), hs.UCBZ(), hs.SoftUCB()]
KINDS = [kind_of(policy) for policy in POLICIES]
GAMES = 40


def played(seed: int) -> np.ndarray:
    """Regrets of single games, as shares of what the best arm earns."""
    rng = np.random.default_rng(seed)
    level = rng.choice([0.004, 0.01, 0.02, 0.05], size=(5, 1))
    return level + rng.choice([1e-4, 3e-3, 2e-2]) * rng.standard_normal((5, GAMES))


def result_of(regrets: np.ndarray) -> SimulationResult:
    def moments(values: np.ndarray) -> Moments:
        return Moments(GAMES, values.mean(axis=1), np.cov(values) * (GAMES - 1))

    kept = {"regret": moments(regrets), "reward": moments(1.0 - regrets)}
    kept["exploited"] = kept["reward"]
    return SimulationResult(tuple("abcde"), {}, (), kept, kept["regret"], None, {})


class Plainly:
    """The rules of `Leads`, game by game."""

    def __init__(self, regrets: np.ndarray) -> None:
        self.regrets = [row.tolist() for row in regrets]

    def lead(self, ahead: int, behind: int) -> tuple[float, float]:
        pairs = zip(self.regrets[behind], self.regrets[ahead], strict=True)
        gains = [lost - kept for lost, kept in pairs]
        return fmean(gains), stdev(gains) / math.sqrt(GAMES)

    def noticeable(self, behind: int) -> float:
        return max(0.0015, 0.05 * fmean(self.regrets[behind]))

    def beats(self, ahead: int, behind: int) -> bool:
        value, error = self.lead(ahead, behind)
        clear = value > NormalDist().inv_cdf(1 - 0.025 / 5) * error
        return clear and value > self.noticeable(behind)

    def choose(self) -> tuple[int, str]:
        unbeaten = [i for i in range(5) if not any(self.beats(j, i) for j in range(5) if j != i)]
        if unbeaten[0] == 0:
            return 0, "greedy"
        for i in unbeaten:
            if i >= 3 and self.beats(i, 0) and self.beats(i, 1) and self.beats(i, 2):
                return i, "regulate"
        return unbeaten[0], "explore"

    def settled(self, chosen: int) -> bool:
        z = NormalDist().inv_cdf(0.975)
        lows = [value - z * error for value, error in (self.lead(chosen, i) for i in range(5))]
        return min(lows) > -2 * self.noticeable(chosen)

    def decided(self, chosen: int, answer: str) -> bool:
        by_regret = sorted(range(5), key=lambda i: fmean(self.regrets[i]))
        pairs = [(by_regret[0], i) for i in range(chosen + 1)]
        if answer != "greedy":
            regulated = next(i for i in by_regret if i >= 3)
            pairs.append((regulated, next(i for i in by_regret if i < 3)))
        for ahead, behind in pairs:
            value, error = self.lead(ahead, behind)
            if abs(value - self.noticeable(behind)) < 2 * error:
                return False
        return True


def test_it_is_as_the_rules_say() -> None:
    met = set()
    for seed in range(120):
        regrets = played(seed)
        plainly = Plainly(regrets)
        comparison = judge(World.of("bernoulli", 3), POLICIES, result_of(regrets), tried=9)
        chosen, answer = plainly.choose()
        assert (comparison.policy, comparison.answer) == (POLICIES[chosen], answer)
        assert comparison.settled == plainly.settled(chosen)
        assert comparison.decided == plainly.decided(chosen, answer)
        assert (comparison.tried, comparison.games) == (9, GAMES)
        regret = {one.policy: one.regret for one in comparison.compared}
        assert list(regret.values()) == sorted(regret.values())
        for i, policy in enumerate(POLICIES):
            one = next(each for each in comparison.compared if each.policy == policy)
            value, error = plainly.lead(chosen, i)
            assert one.lead.value == pytest.approx(value, abs=1e-12)
            assert one.lead.error == pytest.approx(error, abs=1e-9)
            assert one.earned == pytest.approx(1 - fmean(plainly.regrets[i]))
            assert one.kind == KINDS[i]
            if error > 0 and i != chosen:
                assert one.probability == pytest.approx(NormalDist().cdf(value / error))
        met.add((answer, comparison.settled, comparison.decided))
    assert {answer for answer, *_ in met} == {"greedy", "explore", "regulate"}
    assert {settled for _, settled, _ in met} == {decided for *_, decided in met} == {True, False}


def test_a_lead_that_is_just_noticeable_is_not_enough() -> None:
    for more, beaten in ((-1e-9, False), (1e-9, True)):
        loss = 0.0400
        regrets = np.full((5, GAMES), loss)
        regrets[3] = loss - 0.05 * loss - more
        leads = Leads(result_of(regrets), KINDS)
        assert leads.beats(3, 0) == beaten
