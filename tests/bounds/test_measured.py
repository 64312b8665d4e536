"""What the reference measured: the printed forms' wrong values, and the safe forms that hold.

Numbers are compared to the digits in which they were written down.  Played means were taken from
60 to 400 games, so they are met within a few of their standard errors.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.reference.bounds_games import mortal_sample, pool_sample, ucb_sample
from tests.reference.bounds_instances import mortal_bound

import highseason as hs
from highseason import bounds
from studies.simulated import side_results
from studies.simulated.pool_repair import repair

G = hs.traffic


def digits(value: float, significant: int) -> float:
    """Rounded to so many digits."""
    return float(f"{value:.{significant - 1}e}")


def both(policy: hs.Policy, means: list[float], stakes: object) -> tuple[bounds.RegretBound, ...]:
    return tuple(
        bounds.regret(policy, means=means, multiplier=stakes, form=form)
        for form in ("paper", "safe")
    )


def played(
    policy: hs.Policy, means: list[float], stakes: object, games: int = 200
) -> tuple[float, float]:
    rewards = hs.rewards.bernoulli(means=means)
    result = hs.simulate(policy, rewards, stakes, games=games, seed=3)
    return result.mean("regret", 0), result.error("regret", 0)


# -- ε policies: section 5's table, section 6 ------------------------------------------------------

TABLE = [
    # policy, means, G, played, paper, digits of it, safe, digits, trivial, digits
    (hs.EpsilonGreedy(k=50), [0.9, 0.1], G.constant(20_000), 251, 10_535, 5, 254, 3, 15_999, 5),
    (hs.EpsilonGreedy(k=101), [0.9, 0.7], G.constant(50_000),
     131, -806_085, 6, 4_085, 4, 10_000, 4),
    (hs.EpsilonGreedy(k=401), [0.9, 0.8, 0.7, 0.6, 0.5], G.constant(50_000),
     1_689, -1.3e20, 2, 5_875, 4, 19_999, 5),
    (hs.EpsilonZGreedy(k=50, z=30), [0.9, 0.1], G.step(20_000), 222, 10_819, 5, 226, 3, 328_000, 4),
    (hs.EpsilonZGreedy(k=26, z=30), [0.9, 0.5], G.wave(20_000),
     866, -6.1e9, 2, 22_787, 5, 168_000, 4),
    (hs.EpsilonZGreedy(k=101, z=30), [0.9, 0.7], G.christmas(50_000),
     1_495, -1.8e32, 2, 380_500, 4, 1_189_200, 5),
]  # fmt: skip


@pytest.mark.parametrize("row", TABLE, ids=[f"{row[0]} {row[2].name}" for row in TABLE])
def test_table_of_epsilon_bounds(row: tuple) -> None:
    policy, means, stakes, mean, paper, p_digits, safe, s_digits, trivial, t_digits = row
    printed, held = both(policy, means, stakes)
    assert digits(printed.total, p_digits) == pytest.approx(paper)
    assert digits(held.total, s_digits) == pytest.approx(safe)
    assert digits(held.trivial, t_digits) == pytest.approx(trivial)
    assert not printed.valid
    average, error = played(policy, means, stakes)
    assert average == pytest.approx(mean, abs=6 * error + 0.01 * mean)
    assert average <= held.total


def test_epsilon_z_above_every_g_is_epsilon_greedy() -> None:
    """The table's first rows were made with ε-z and a z above G."""
    stakes = G.constant(20_000)
    for form in ("paper", "safe"):
        old = bounds.regret(hs.EpsilonGreedy(k=50), means=[0.9, 0.1], multiplier=stakes, form=form)
        new = bounds.regret(
            hs.EpsilonZGreedy(k=50, z=math.inf), means=[0.9, 0.1], multiplier=stakes, form=form
        )
        assert new.total == pytest.approx(old.total, rel=1e-12)


def test_soft_epsilon_on_the_wave() -> None:
    soft = hs.SoftEpsilonGreedy(k=101, unit=1)
    stakes = G.wave(50_000)
    printed, safe = both(soft, [0.9, 0.7], stakes)
    assert digits(printed.total, 2) == -2.4e41
    average, error = played(soft, [0.9, 0.7], stakes)
    assert average == pytest.approx(1_540, abs=6 * error)
    assert average <= safe.total


@pytest.mark.parametrize(("shape", "gamma"), [(G.wave, 0.035), (G.christmas, 0.0014)])
def test_gamma_of_peaky_multipliers(shape: object, gamma: float) -> None:
    figure = side_results.exploration_figure(
        hs.SoftEpsilonGreedy(k=11, unit=1), shape(1500), arms=2
    )
    assert digits(figure.gamma, 2) == gamma


# -- UCB-z: section 8 ------------------------------------------------------------------------------


def test_early_peak_violates_the_printed_form() -> None:
    n = 100_000
    stakes = np.where(np.arange(n) < n // 2, 1000.0, 1.0)
    policy = hs.UCBZ(z=500)
    printed, safe = both(policy, [0.9, 0.5], stakes)
    assert round(printed.total) == 109_456
    average, error = played(policy, [0.9, 0.5], stakes, games=300)
    assert average - 3 * error > printed.total
    assert average == pytest.approx(973_000, abs=6 * 78_000)
    assert average <= safe.total
    assert not printed.valid


def test_log_of_low_turns_is_not_enough() -> None:
    """A high stretch to t = 8e8, then 40 low turns: the bad arm is played in all of them."""
    start = 8e8
    good, bad = start - 2, 1.0  # pulls of arms that always pay 1 and 0
    for t in range(int(start) + 1, int(start) + 41):
        assert 0 + math.sqrt(2 * math.log(t) / bad) > 1 + math.sqrt(2 * math.log(t) / good)
        bad += 1
    assert bad - 1 == 40
    allowed = 8 * math.log(42) + 1 + math.pi**2 / 3
    assert digits(allowed, 3) == 34.2
    # the safe form takes the log of the last low turn, and is then capped at 40
    assert 8 * math.log(start + 40) + math.pi**2 / 3 > 40


@pytest.mark.parametrize("longest", [100_000, pytest.param(1_000_000, marks=pytest.mark.soak)])
def test_high_part_is_not_logarithmic(longest: int) -> None:
    stakes = np.tile([2.0, 1.0], longest // 2)
    grid = [n for n in (1_000, 10_000, 100_000, 1_000_000) if n <= longest]
    for gap, expected in ((0.7, [343, 1415, 4020, 11_178]), (0.5, [250, 2500, 25_000, 199_462])):
        growth = side_results.growth(hs.UCBZ(z=2), gaps=[0, gap], multiplier=stakes, turns=grid)
        shown = expected[: len(grid)]
        assert (growth.part("high") / 2).tolist() == pytest.approx(shown, rel=2e-4, abs=0.6)
    # it approaches the power 1 - D²/r² (0.51 for a gap of 0.7), and is linear while vacuous
    assert growth.exponents("high")[0] == pytest.approx(1.0, abs=1e-3)


@pytest.mark.parametrize(("gap", "pulls"), [(0.5, 24), (0.2, 232)])
def test_how_many_forced_pulls_a_gap_needs(gap: float, pulls: int) -> None:
    """2 beta^U < 1 only if x > 1 + (2/D²) log(4/D²)."""
    beta = [2 * (2 / gap**2) * math.exp(-(gap**2) / 2 * (x - 1)) for x in (pulls - 1, pulls)]
    assert beta[0] >= 1 > beta[1]
    turns = bounds.paper.phi(1.0, pulls - 1)
    if gap == 0.5:
        assert digits(turns, 2) == 1.3e5
    else:
        assert math.log(turns) == pytest.approx(115, abs=1)


def test_ucb_z_on_the_wave() -> None:
    stakes = G.wave(20_000)
    printed, safe = both(hs.UCBZ(z=30), [0.95, 0.05], stakes)
    assert (round(printed.total), round(safe.total)) == (9_085, 9_421)
    assert digits(safe.trivial, 3) == 378_000
    average, error = played(hs.UCBZ(z=30), [0.95, 0.05], stakes)
    assert average == pytest.approx(377, abs=6 * error)
    printed, safe = both(hs.UCBZ(z=30), [0.9, 0.5], stakes)
    assert digits(printed.total, 5) == 770_450
    assert printed.vacuous
    assert digits(safe.total, 4) == 110_500
    assert digits(safe.trivial, 3) == 168_000


@pytest.mark.parametrize("shape", [G.wave, G.step, G.christmas])
@pytest.mark.parametrize("turns", [20_000, 50_000])
def test_printed_ucb_z_is_vacuous_for_gaps_up_to_04(shape: object, turns: int) -> None:
    for gap in (0.4, 0.2):
        printed = bounds.regret(hs.UCBZ(z=30), gaps=[0, gap], multiplier=shape(turns), form="paper")
        assert printed.vacuous


# -- soft UCB: section 9 ---------------------------------------------------------------------------


def test_soft_ucb() -> None:
    soft = hs.SoftUCB(unit=1)
    printed, safe = both(soft, [0.9, 0.1], G.wave(1500))
    assert digits(printed.total, 5) == 407_530
    assert (round(safe.total), round(safe.trivial)) == (5_358, 25_262)
    assert printed.vacuous
    average, error = played(soft, [0.9, 0.1], G.wave(1500))
    assert average == pytest.approx(58, abs=6 * error)
    printed, safe = both(soft, [0.9, 0.1], G.christmas(1500))
    assert digits(printed.total, 2) == 1.5e10
    assert printed.vacuous
    assert safe.vacuous
    _, safe = both(soft, [0.9, 0.5], G.christmas(20_000))
    assert digits(safe.total, 5) == 459_560
    assert digits(safe.trivial, 5) == 951_640
    printed, safe = both(soft, [0.9, 0.7], G.constant(50_000))
    assert digits(printed.total, 4) == 433.2
    assert digits(safe.total, 4) == 432.8


@pytest.mark.parametrize("shape", [G.wave, G.step, G.christmas])
def test_printed_soft_ucb_is_vacuous_on_all_shapes(shape: object) -> None:
    printed, _ = both(hs.SoftUCB(unit=1), [0.9, 0.1], shape(1500))
    assert printed.vacuous


def test_size_of_the_convergent_series() -> None:
    """For constant G about (2/3) G³; its terms fall below 1 only for t > 1.4 G²."""
    level, m = 50.0, 2
    t = np.arange(m + 1, 4_000_000, dtype=float)
    terms = 2 * (t - 1 - m) ** 2 / (1 + t / level) ** 4
    assert terms.sum() == pytest.approx(2 / 3 * level**3, rel=0.1)
    last = t[terms >= 1][-1]
    assert last == pytest.approx(1.4 * level**2, rel=0.1)


# -- variable pool: section 10 ---------------------------------------------------------------------


def test_pool_without_its_hypothesis() -> None:
    pool = hs.VariablePool(c=10, unit=1)
    printed, safe = both(pool, [0.9, 0.5], G.wave(20_000))
    assert round(printed.total) == 3_112
    assert not printed.valid
    assert "hypothesis" in printed.notes[0]
    sizes = bounds.read_plan(pool, bounds.Setting.of([0.9, 0.5], None, G.wave(20_000))).levels
    assert set(sizes[2:]) == {1.0}
    average, error = played(hs.Greedy(), [0.9, 0.5], G.wave(20_000), games=1500)
    assert average - 3 * error > printed.total
    assert average == pytest.approx(8_598, abs=4 * 826)
    assert safe.vacuous


@pytest.mark.parametrize(
    ("mode", "mean", "bound"), [("block", 1882, 3005), ("minimal", 1993, 3157)]
)
def test_repaired_pool(mode: str, mean: float, bound: float) -> None:
    stakes, pool = G.wave(20_000), hs.VariablePool(c=10, unit=1)
    repaired = repair(stakes, 2, 10, 12, mode)
    if mode == "block":
        assert repaired.changed == 475
    safe = bounds.regret(pool, means=[0.9, 0.5], multiplier=stakes, H=repaired.multiplier)
    assert round(safe.total) == bound
    assert digits(safe.trivial, 3) == 168_000
    sizes = pool.plan(stakes, 2, repaired.multiplier).levels
    sample = pool_sample(sizes, stakes.values, [0.9, 0.5], 100, seed=1)
    assert sample.mean == pytest.approx(mean, rel=0.005)


# -- mortal arms: section 11 -----------------------------------------------------------------------


def test_mortal_printed_form_is_negative() -> None:
    stakes, lifetimes = G.wave(20_000), [(1, 20_000)] * 2
    printed = mortal_bound([0.9, 0.5], lifetimes, stakes, form="paper")
    assert digits(printed.total, 2) == -1.5e6
    assert not printed.valid
    sample = mortal_sample(lifetimes, stakes.values, [0.9, 0.5], 1.0, 100, seed=1)
    assert sample.mean == pytest.approx(104, abs=6 * sample.error)
    assert sample.mean <= mortal_bound([0.9, 0.5], lifetimes, stakes).total


def test_one_turn_arms_get_nothing_in_print() -> None:
    n = 200
    lifetimes, means = [(1, n)], [0.5]
    for t in range(2, n + 1):
        lifetimes += [(t, t), (t, t)]
        means += [0.0, 1.0]
    stakes = np.ones(n)
    assert mortal_bound(means, lifetimes, stakes, form="paper").total == 0.0
    sample = mortal_sample(lifetimes, stakes, means, 1.0, 2, seed=1)
    assert sample.mean == 199.0
    assert mortal_bound(means, lifetimes, stakes).total >= 199.0


def test_ucb_sample_plays_as_the_library_does() -> None:
    """The tests' own player against `simulate`, where ties do not matter."""
    stakes = G.wave(2_000)
    radii = hs.UCB().plan(stakes, 2).levels
    sample = ucb_sample(radii, stakes.values, [0.8, 0.4], 300, seed=9)
    average, error = played(hs.UCB(), [0.8, 0.4], stakes, games=300)
    assert sample.mean == pytest.approx(average, abs=5 * math.hypot(error, sample.error))
