"""Sentences follow the numbers: they change when the numbers do."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import highseason as hs
from highseason.report import findings
from highseason.results import METRICS
from highseason.results.tally import Tally

NOISE = np.random.default_rng(1).normal(size=400)


def result(**means: float) -> hs.SimulationResult:
    """A result in which each policy earns a given mean, with the same luck and some of its own."""
    rewards = np.array([
        mean + NOISE + 0.3 * np.roll(NOISE, i) for i, mean in enumerate(means.values(), start=1)
    ])  # fmt: skip
    block: dict[str, NDArray[np.float64]] = dict.fromkeys(METRICS, rewards * 0.5)
    block["reward"] = rewards
    block["realised_regret"] = 200.0 + NOISE - rewards
    tally = Tally(0, len(means), {})
    tally.add(block)
    return tally.result(tuple(means), {"turns": 10, "max_reward": 300.0}, ("",) * len(means))


def test_the_best_is_the_best() -> None:
    told = findings.best(result(a=100, b=120), ["a", "b"])
    assert told == "b earned most: 60.0 % of what the best arm would have earned."


def test_the_best_may_have_equals() -> None:
    assert "b cannot be told from it." in findings.best(result(a=100.02, b=100), ["a", "b"])


def test_regulation_helps_or_does_not() -> None:
    told = findings.regulation(
        result(base=100, up=110, down=90, same=100), "base", ["up", "down", "same"]
    )
    assert "up +10.0 % (+" in told
    assert "down -10.0 % (-" in told
    assert "same no clear difference (" in told


def test_greedy_loses() -> None:
    told = findings.against_greedy(result(greedy=100, a=110, b=90), "greedy", ["a", "b"])
    assert "clearly more was earned by a +10.0 %" in told
    assert "it clearly beats b" in told
    assert "The most that any gains over it is +10.0 %." in told
    assert "never exploring gains as well" not in told


def test_greedy_nearly_wins() -> None:
    told = findings.against_greedy(result(greedy=100, a=101, b=90), "greedy", ["a", "b"])
    assert "The most that any gains over it is +1.0 %: almost all that regulation gains" in told


def test_greedy_ties_and_wins() -> None:
    told = findings.against_greedy(result(greedy=100, a=100.01, b=90), "greedy", ["a", "b"])
    assert "nothing clearly beat it; it ties with a; it clearly beats b." in told
    assert (
        "So all that regulation gains over blind exploration, never exploring gains as well" in told
    )


def test_the_naive_are_compared_with_what_they_were_made_from() -> None:
    told = findings.naive(result(ucb=100, naive=80), {"naive": "ucb"})
    assert "naive -20.0 %" in told
    assert "against ucb (50 % of it earned exploiting)" in told


@pytest.mark.parametrize("k", [0.1, 50.0])
def test_only_those_that_never_settle_are_named(k: float) -> None:
    G = hs.multipliers.wave(turns=100)
    with_k = hs.EpsilonGreedy(k=k)
    if k > 1:
        with pytest.warns(hs.PlanWarning):
            plan = with_k.plan(G, arms=5)
    else:
        plan = with_k.plan(G, arms=5)
    others = {"uniform": hs.UniformRandom().plan(G, arms=5)}
    told = findings.never_settles({"ε": plan, **others})
    assert told == (
        "ε explores fully in every turn, and so plays at random to the end." if k > 1 else ""
    )
