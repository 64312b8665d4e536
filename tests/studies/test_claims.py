"""Every verdict on the paper's page: each claim is planted true, and planted false."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest

import highseason as hs
from highseason.engine import Moments, SimulationResult
from studies.paper import SAME_RULE
from studies.simulated import beyond, claims, settings
from studies.simulated.claims import FAILS, FIVE, HOLDS, PARTLY, TWO, Claim
from studies.simulated.run import frames_of


def invented(**rewards: float) -> SimulationResult:
    """A result in which each policy earned what is given, with little noise."""
    labels = [*settings.names(settings.SEVEN), "greedy", "uniform"]
    labels += [settings.OURS, "epsilon-greedy (tuned)", "ucb (tuned)"]
    players = {label: hs.Greedy() for label in labels}
    result = hs.simulate(players, hs.rewards.bernoulli(arms=3), hs.traffic.wave(30), games=40)
    noise = np.random.default_rng(1).normal(0, 0.05, (len(labels), 40))
    values = np.array([[rewards.get(label.replace("-", "_"), 100.0)] for label in labels]) + noise
    moments = result.moments | {"reward": Moments.of(values), "regret": Moments.of(200.0 - values)}
    return replace(result, moments=moments)


class Grid(NamedTuple):
    """The frames of four settings in which all policies earn the same everywhere."""

    numbers: pd.DataFrame
    comparisons: pd.DataFrame
    headline: Any


def grid(**rewards: float) -> Grid:
    result = invented(**rewards)
    law = settings.LAWS[0]
    cells = {
        settings.SimulatedSetting(law, "wave", m, n): result for m in (25, 50) for n in (500, 1000)
    }
    frames = frames_of({"paper": cells}, {"paper": result})
    return Grid(frames["numbers"], frames["comparisons"], frames["headline"].iloc[0])


MORE = dict.fromkeys(("epsilon_z", "soft_epsilon", "ucb_z", "soft_ucb"), 150.0)
LESS = dict.fromkeys((*MORE, "variable_pool"), 90.0)


def exploiting(mean: float) -> Grid:
    """ε-greedy earns this much by exploiting."""
    played = grid()
    return played._replace(numbers=played.numbers.assign(exploited_mean=mean))


def trends(arms: float, turns: float) -> pd.DataFrame:
    """Gains that rise by so much from 25 arms to 50, and from 500 turns to 1,000."""
    return pd.DataFrame([
        {"policy": policy, "base": base, "arms": m, "turns": n,
         "gain": 0.3 + arms * (m == 50) + turns * (n == 1000)}
        for policy in FIVE for base in TWO for m in (25, 50) for n in (500, 1000)
    ])  # fmt: skip


def same_rule(gain: float) -> pd.DataFrame:
    """Each regulated policy gains this over the same rule."""
    return pd.DataFrame([
        {"setting": "one", "policy": policy, "base": base, "gain": gain, "gain_low": gain - 0.01,
         "gain_high": gain + 0.01}
        for policy, base in SAME_RULE.items()
    ])  # fmt: skip


def by_k(**gains: float) -> pd.DataFrame:
    """A table over k in which `k14=0.68` has that gain, and other values have none."""
    return pd.DataFrame([
        {"k": k, "games": 4000, "gain": gains.get(f"k{k:g}", 0.0), "gain_se": 0.003,
         "gain_low": 0.0, "gain_high": 1.0, "points": 60, "least": 0.1, "greatest": 0.8,
         "in_range": gains.get(f"in_range_{k:g}", 0.3), "sizes": 12, "random_sizes": 6}
        for k in beyond.KS
    ])  # fmt: skip


def asked(share: float) -> pd.DataFrame:
    """With the k asked for, this share of the games is random."""
    row = {"arms": 25, "turns": 500, "games": 4000, "median_k": 5000.0, "share_random": share}
    return pd.DataFrame([row])


SHAPES = ("wave", "step", "christmas")


def naive(less: float, gain: float = -0.1, places: int = 9) -> tuple[pd.DataFrame, ...]:
    """Naive policies lead with the best arm less often by so much, in so many of nine places."""
    rows = [
        {"setting": shape, "shape": shape, "policy": policy, "base": base, "base_share": 0.6}
        for shape in SHAPES
        for policy, base in beyond.PAIRS.items()
    ]
    for i, row in enumerate(rows):
        by = less if i < places else 0.0
        row |= {"share": 0.6 - by, "less": -by, "less_low": -by - 0.01, "less_high": 0.01 - by}
        row |= {"at_random": False, "gain": gain, "gain_low": gain - 0.01, "gain_high": gain + 0.01}
    random = {**rows[1], "at_random": True, "gain": 0.0, "gain_low": 0.0, "gain_high": 0.0}
    return pd.DataFrame(rows), pd.DataFrame(rows), pd.DataFrame([*rows, random])


def long(*gains: float) -> pd.DataFrame:
    """Every policy gains this in games of 500, 5,000 … turns."""
    return pd.DataFrame([
        {"turns": 500 * 10**i, "policy": policy, "gain": gain}
        for policy in SAME_RULE for i, gain in enumerate(gains)
    ])  # fmt: skip


def peak(first: float, last: float) -> pd.DataFrame:
    """What policies earn with the busy turns first, and last."""
    return pd.DataFrame([{"policy": p, "share_first": first, "share_last": last} for p in FIVE])


def two(least: float, greatest: float) -> pd.DataFrame:
    """The rewards with several thresholds."""
    return pd.DataFrame([{"policy": "ucb-z", "least": least, "greatest": greatest}])


def constant(
    same: bool = True, gain: float = 0.002, ratio: float = 1.0, soft: float = 0.99,
    sizes: tuple[int, ...] = (3, 3, 2, 2, 1),
) -> tuple[pd.DataFrame, ...]:  # fmt: skip
    """G = 1: whether games are the same, soft UCB's gain, ratios of bounds, and the pool."""
    games = same_rule(gain).assign(the_same=same)
    bounds = [
        {"policy": policy, "base": base, "base_bound": 80.0,
         "bound": 80.0 * (soft if policy == "soft-ucb" else ratio)}
        for policy, base in SAME_RULE.items()
    ]  # fmt: skip
    turns = np.arange(1, len(sizes) + 1)
    pool = pd.DataFrame({"turn": turns, "size": sizes, "arms": 3})
    return games, pd.DataFrame(bounds), pool


#: Of each claim, arguments that make it true, and arguments that make it false.
PLANTED: dict[Callable[..., Claim], tuple[tuple[Any, ...], tuple[Any, ...]]] = {
    claims.beats_everywhere: (
        (grid(**MORE, variable_pool=150.0).comparisons,), (grid(**LESS).comparisons,)
    ),
    claims.ten_to_eighty: (
        (grid(**MORE, variable_pool=150.0).comparisons,), (grid(**LESS).comparisons,)
    ),
    claims.sixty_eight: ((grid(soft_epsilon=168.0).headline,), (grid(**MORE).headline,)),
    claims.ten_to_eighty_by_k: ((by_k(in_range_14=0.97),), (by_k(),)),
    claims.sixty_eight_by_k: ((by_k(k13=0.66, k14=0.68),), (by_k(k1100=0.76),)),
    claims.pool_performs_well: (grid(variable_pool=150.0)[:2], grid(**MORE)[:2]),
    claims.biased_without_dividing: (naive(less=0.3), naive(less=-0.3)),
    claims.alike_in_the_long_run: ((long(0.6, 0.1, -0.024, 0.01),), (long(0.1, 0.1, 0.2, 0.3),)),
    claims.hopeless_if_busy_first: ((peak(0.6, 0.9),), (peak(0.9, 0.6),)),
    claims.any_threshold_between: ((two(7.0, 7.0),), (two(7.0, 7.1),)),
    claims.standard_without_multiplier: (
        constant(), constant(False, 0.3, ratio=2.0, soft=1.5, sizes=(1, 2, 2, 3, 3))
    ),
    claims.condition_on_k: ((asked(0.999), by_k()), (asked(0.2), by_k())),
    claims.never_exploits: (exploiting(0.0)[:2], exploiting(5.0)[:2]),
    claims.ties_with_greedy: (
        (grid(greedy=120.0).comparisons,), (grid(**MORE).comparisons,)
    ),
    claims.more_arms_and_fewer_turns: ((trends(0.1, -0.1),), (trends(-0.1, 0.1),)),
    claims.no_worse_when_tuned: (
        (grid(**{"ucb (tuned)": 160.0}, **MORE).comparisons, "ucb"),
        (grid(**MORE, variable_pool=150.0).comparisons, "ucb"),
    ),
    claims.least_regret: (
        (grid(**{"option_index (ours)": 150.0}).numbers,), (grid(greedy=150.0).numbers,)
    ),
    claims.little_at_equal_tuning: ((same_rule(0.01),), (same_rule(0.05),)),
}  # fmt: skip


def test_every_claim_is_planted_true_and_false() -> None:
    functions = [f for _, f in inspect.getmembers(claims, inspect.isfunction)]
    ours = {f for f in functions if f.__annotations__.get("return") in (Claim, "Claim")}
    assert ours == set(PLANTED)


@pytest.mark.parametrize("claim", PLANTED, ids=lambda f: f.__name__)
def test_a_claim_planted_true_holds_and_planted_false_does_not(
    claim: Callable[..., Claim],
) -> None:
    true, false = PLANTED[claim]
    assert claim(*true).verdict == HOLDS
    assert claim(*false).verdict == FAILS


PARTLY_TRUE: list[tuple[Callable[..., Claim], tuple[Any, ...]]] = [
    (claims.beats_everywhere, (grid(**MORE, variable_pool=90.0).comparisons,)),
    (claims.ten_to_eighty_by_k, (by_k(in_range_14=0.6),)),
    (claims.biased_without_dividing, naive(less=0.3, places=6)),
    (claims.alike_in_the_long_run, (
        pd.concat([long(0.6, 0.1, 0.01)[:6], long(0.6, 0.1, 0.03)[6:]]),)),
    (claims.standard_without_multiplier, constant(gain=0.05)),
    (claims.standard_without_multiplier, constant(ratio=1.001)),
    (claims.standard_without_multiplier, constant(soft=1.1)),
    (claims.standard_without_multiplier, constant(sizes=(2, 2, 1, 1, 1))),
    (claims.standard_without_multiplier, constant(sizes=(3, 1, 2, 2, 1))),
    (claims.more_arms_and_fewer_turns, (trends(0.1, 0.1),)),
]  # fmt: skip


@pytest.mark.parametrize("case", PARTLY_TRUE, ids=lambda case: str(case[0].__name__))
def test_a_claim_planted_partly_true_holds_partly(
    case: tuple[Callable[..., Claim], tuple[Any, ...]],
) -> None:
    claim, planted = case
    assert claim(*planted).verdict == PARTLY


def test_estimates_are_judged_and_rewards_are_told_in_two_halves() -> None:
    """Games that only play at random are left out; what naive UCB earns changes no verdict."""
    worse, better = (claims.biased_without_dividing(*naive(0.3, gain)) for gain in (-0.1, 0.1))
    assert worse.verdict == better.verdict == HOLDS
    assert "naive-epsilon earns clearly less in 3 and more in 0 of 3 settings" in worse.evidence
    assert "and in 1 other both only play at random" in worse.evidence
    assert "more in 3, less in 0, unclear in 0; with the radius" in better.evidence
    assert "wave more in 1 and less in 0, step more in 1" in better.evidence


def test_the_values_of_k_are_named() -> None:
    soft = claims.sixty_eight_by_k(by_k(k13=0.66, k14=0.68))
    assert "with k = 13 and 14, of the 7 values" in soft.evidence
    assert soft.place == "Appendix G, Figure 29"
    assert "with no k" in claims.sixty_eight_by_k(by_k(k1100=0.76)).evidence


def test_a_long_game_counts_by_the_size_of_its_gain() -> None:
    assert claims.alike_in_the_long_run(long(0.6, -0.1, 0.019)).verdict == HOLDS
    assert claims.alike_in_the_long_run(long(0.6, 0.1, 0.03)).verdict == FAILS  # not little yet
    assert claims.alike_in_the_long_run(long(0.01, 0.001, 0.002)).verdict == FAILS  # not less
