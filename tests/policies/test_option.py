"""The option index: against an exhaustive search, exact optima, and what must hold by symmetry."""

import functools
import math
from typing import Any

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import optimize, special, stats
from tests.reference.option_index import indices

import highseason as hs
from highseason.core.compile import compiled
from highseason.engine.kernels.interface import state_type, turn_type
from highseason.engine.turn import population_of, renew, score_lifetimes
from highseason.policies.noise import RHO
from highseason.policies.option_index import (
    OPTION,
    PERSISTENCE,
    choose,
    first_guess,
    is_hopeless,
    least_tail,
    life_of,
    posterior,
    price,
    solve,
    terms_of,
)
from highseason.policies.option_prior import NU, PI, SUCCESSES, TRIALS
from highseason.policies.rule import NO_END, UNKNOWN_END, ArmState, Observation, Turn, measure_of


def turn_of(level: float, G: float = 1.0, ties: bool = False) -> Turn:
    return Turn(1, level, G, level * G, 10, 1, ties, 1)


def slow_indices(
    state: ArmState, level: float, horizons: NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    """The index of every available arm by its definition, with SciPy."""
    out = np.full(state.pulls.size, -np.inf)
    pi, nu, rho = state.shared[PI], state.shared[NU], state.shared[RHO]
    for arm in np.flatnonzero(state.available):
        n = nu + state.memory[arm, TRIALS]
        p = (nu * pi + state.memory[arm, SUCCESSES]) / n
        a, b = p * n, (1 - p) * n
        horizon = level if horizons is None else horizons[arm]
        if horizon <= 0.0:
            out[arm] = p
            continue
        rate = (1 + PERSISTENCE * rho * n) / horizon

        def surplus(x: float, a: float = a, b: float = b, p: float = p, r: float = rate) -> float:
            call = p * stats.beta.sf(x, a + 1, b) - x * stats.beta.sf(x, a, b)
            return float(call - r * (x - p))

        out[arm] = optimize.brentq(surplus, p, 1.0, xtol=1e-13)
    return out


def random_state(seed: int) -> ArmState:
    rng = np.random.default_rng(seed)
    arms = int(rng.integers(1, 15))
    state = OPTION.fresh_state(arms)
    means = rng.beta(*rng.choice([0.5, 2.0, 8.0, 40.0], 2), arms)
    for _ in range(int(rng.integers(0, 120))):
        arm = int(rng.integers(arms))
        value = float(rng.random() < means[arm])
        if seed % 3 == 0:
            value = float(np.clip(rng.normal(means[arm], 0.15), 0, 1))
        state.selections[arm] += 1
        OPTION.observe(state, turn_of(1.0), Observation(arm, value, 1.0))
    state.available[:] = rng.random(arms) < 0.8
    state.available[rng.integers(arms)] = True
    return state


def seeds(few: int, many: int) -> list[Any]:
    """The first few always, the others in soak tests."""
    return [*range(few), *(pytest.param(n, marks=pytest.mark.soak) for n in range(few, many))]


@pytest.mark.parametrize("seed", seeds(20, 60))
def test_the_choice_is_the_highest_index(seed: int) -> None:
    state = random_state(seed)
    for level in (0.05, 1.0, 30.0, 4000.0):
        arm, _ = OPTION.choose(state, turn_of(level))
        indices = slow_indices(state, level)
        assert indices[arm] >= indices.max() - 1e-9


@pytest.mark.parametrize("seed", seeds(15, 40))
def test_an_arm_that_ends_has_the_horizon_of_its_own_life(seed: int) -> None:
    state, rng = random_state(seed), np.random.default_rng(seed)
    state.end[:] = 100 + rng.integers(0, 80, state.end.size)
    state.end[rng.random(state.end.size) < 0.3] = NO_END
    turn = Turn(100, 30.0, 2.0, 90.0, 50, 1, False, 100)
    # What is left of a weight of 90 when each arm ends; turns weigh ever more.
    state.weight[:] = 90.0 * (1 - np.clip((state.end - 100) / 50, 0, 1) ** 2)
    arm, _ = OPTION.choose(state, turn)
    lives = np.where(state.end == NO_END, np.inf, (90.0 - state.weight) / 2.0)
    indices = slow_indices(state, 30.0, np.minimum(30.0, lives))
    assert indices[arm] >= indices[state.memory[:, TRIALS] > 0].max(initial=-np.inf) - 1e-9
    fresh = indices[(state.memory[:, TRIALS] == 0) & (state.selections == 0)]
    assert indices[arm] >= fresh.max(initial=-np.inf) - 1e-9


@pytest.mark.soak
def test_the_compiled_choice_is_the_highest_of_all_indices() -> None:
    types = numba.types
    signature = types.Tuple((types.int64, types.boolean))(state_type(), turn_type())
    choose: Any = compiled(OPTION.choose, signature)
    rng = np.random.default_rng(5)
    for seed in range(600):
        state = random_state(seed)
        for level in 10.0 ** rng.uniform(-2, 5, 4):
            turn = turn_of(float(level))._replace(key=np.uint64(1))
            arm, _ = choose(state, turn)
            assert indices(state, turn)[arm] >= indices(state, turn).max() - 1e-9


def count_misses(state: ArmState, turn: Turn, numbers: NDArray[np.float64], scatter: float) -> int:
    """Play at random levels; how often the choice was not the highest of all indices, solved."""
    misses = 0
    for t in range(numbers.shape[0]):
        level, coin, stray, place = numbers[t]
        now = Turn(t + 1, 10.0 ** (7.0 * level - 2.0), 1.0, 1.0, 10, turn.key, False, 1)
        arm, _ = choose(state, now)
        terms = terms_of(state, now)
        top, own = -1.0, -1.0
        for other in range(state.pulls.size):
            p, n = posterior(state, other)
            rate = price(terms, n, math.inf)
            index = solve(p, n, rate, first_guess(p, n, rate), False)
            top = max(top, index)
            own = index if other == arm else own
        misses += own < top - 1e-9
        state.selections[arm] += 1
        played = arm if stray < 0.7 else int(place * state.pulls.size)
        mean = 0.1 + 0.8 * played / state.pulls.size
        value = 1.0 if coin < mean else 0.0
        if scatter > 0.0:
            value = min(max(mean + scatter * (coin - 0.5), 0.0), 1.0)
        observe(state, now, Observation(played, value, 1.0))
    return misses


observe = OPTION.observe


@pytest.mark.soak
@pytest.mark.parametrize("scatter", [0.0, 0.3, 3.0])
@pytest.mark.parametrize("arms", [2, 7, 25, 200])
def test_the_kernel_chooses_as_an_exhaustive_search_on_three_million_turns(
    arms: int, scatter: float
) -> None:
    types = numba.types
    signature = types.int64(state_type(), turn_type(), types.float64[:, ::1], types.float64)
    kernel: Any = compiled(count_misses, signature)
    turn = turn_of(1.0)._replace(key=np.uint64(1))
    rng = np.random.default_rng(arms)
    for _ in range(500):
        assert kernel(OPTION.fresh_state(arms), turn, rng.random((500, 4)), scatter) == 0


@given(
    st.floats(0.01, 0.99), st.floats(0.05, 2000.0), st.floats(-6.0, 3.0), st.floats(0.001, 0.999)
)
def test_an_arm_that_is_passed_over_has_no_surplus(
    p: float, n: float, magnitude: float, share: float
) -> None:
    a, b, x, rate = p * n, (1 - p) * n, p + (1 - p) * share**2, 10.0**magnitude
    front = math.exp(a * math.log(x) + b * math.log1p(-x) - special.betaln(a, b))
    tail = special.betaincc(a, b, x)
    # SciPy 1.13 loses the digits of tails below 1e-250.
    assert least_tail(a, b, x) * front <= tail * (1 + 1e-9) + 1e-250
    if is_hopeless(p, n, rate, x):
        call = p * special.betaincc(a + 1, b, x) - x * tail
        assert call <= rate * (x - p) + 1e-12


def test_indices_are_those_of_the_definition() -> None:
    for seed in range(8):
        state = random_state(seed)
        for level in (0.05, 3.0, 500.0):
            found = indices(state, turn_of(level))
            np.testing.assert_allclose(found, slow_indices(state, level), atol=1e-9)
        np.testing.assert_array_less(indices(state, turn_of(0.0)), 1.0)


def test_the_weight_of_an_arms_own_life_is_exact() -> None:
    """Two arms, one of which ends before the peak: only the other is worth trying late."""
    G = np.array([1.0, 1.0, 1.0, 1.0, 50.0, 50.0])
    lifetimes = hs.lifetimes.fixed([(1, 4), (1, 6)])
    policy, state = hs.OptionIndex(), OPTION.fresh_state(2)
    use = policy.lifetime_options
    population = population_of(policy, np.array([[1, 4], [1, 6]]), lifetimes, 6)
    score_lifetimes(population, measure_of(G, use), use.at_end, 6)
    renew(state, population, 1, OPTION.set_weights)
    assert state.weight.tolist() == [100.0, 0.0]
    turn = Turn(2, 102.0, 1.0, 102.0, 4, 1, False, 2)
    horizons = [life_of(state, turn, -1.0, arm) for arm in range(2)]
    assert horizons == [2.0, 102.0]  # turns 3 and 4; 3 to 6


def test_an_unknown_end_is_that_of_the_arms_that_ended() -> None:
    state = OPTION.fresh_state(4)
    state.available[0] = False
    state.end[:] = [20, UNKNOWN_END, UNKNOWN_END, UNKNOWN_END]  # the first lived 20 turns
    state.start[:] = [0, 5, 28, 10]
    turn = Turn(30, 40.0, 1.0, 40.0, 40, 1, False, 30)
    assert OPTION.choose(state, turn)[0] == 2  # it has 18 turns left, the others none
    state.end[0] = UNKNOWN_END  # nothing has ended: all may stay, and the lowest arm wins
    assert OPTION.choose(state, turn)[0] == 1


def test_without_a_future_it_plays_the_highest_mean() -> None:
    state = random_state(4)
    state.available[:] = True
    nu, pi = state.shared[NU], state.shared[PI]
    means = (nu * pi + state.memory[:, SUCCESSES]) / (nu + state.memory[:, TRIALS])
    assert OPTION.choose(state, turn_of(0.0)) == (means.argmax(), True)


def test_equal_arms_tie_and_the_lowest_wins_unless_ties_are_random() -> None:
    state = OPTION.fresh_state(5)
    assert OPTION.choose(state, turn_of(10.0))[0] == 0
    chosen = {
        OPTION.choose(state, turn_of(10.0, ties=True)._replace(key=key))[0] for key in range(60)
    }
    assert chosen == set(range(5))


def test_an_arm_whose_reward_is_late_is_not_chosen_again_before_the_others() -> None:
    state = OPTION.fresh_state(3)
    order = []
    for _ in range(3):
        arm, _ = OPTION.choose(state, turn_of(10.0))
        state.selections[arm] += 1
        order.append(arm)
    assert order == [0, 1, 2]


def test_zero_and_one_rewards_teach_one_trial_a_turn() -> None:
    state = random_state(7)
    assert state.shared[RHO] == 1.0
    np.testing.assert_array_equal(state.memory[:, TRIALS], state.pulls)


def test_steady_rewards_teach_more_than_one_trial_a_turn() -> None:
    rng, state = np.random.default_rng(1), OPTION.fresh_state(4)
    for i in range(200):
        value = float(np.clip(0.2 + 0.2 * (i % 4) + rng.normal(0, 0.05), 0, 1))
        OPTION.observe(state, turn_of(1.0), Observation(i % 4, value, 1.0))
    within = 0.05**2 / np.mean([m * (1 - m) for m in (0.2, 0.4, 0.6, 0.8)])
    assert state.shared[RHO] == pytest.approx(within, rel=0.25)


def test_the_prior_finds_where_the_arms_are() -> None:
    rng, state = np.random.default_rng(2), OPTION.fresh_state(40)
    means = rng.beta(0.03 * 300, 0.97 * 300, 40)
    for i in range(8000):
        arm = i % 40
        OPTION.observe(state, turn_of(1.0), Observation(arm, float(rng.random() < means[arm]), 1.0))
    assert state.shared[PI] == pytest.approx(means.mean(), rel=0.1)
    assert 60 < state.shared[NU] < 2000


def multipliers(n: int) -> dict[str, NDArray[np.float64]]:
    t = np.arange(1.0, n + 1)
    return {
        "constant": np.ones(n),
        "wave": hs.traffic.wave(turns=n).values,
        "christmas": hs.traffic.christmas(turns=n).values,
        "step": hs.traffic.step(turns=n).values,
        "rising": t,
        "falling": t[::-1].copy(),
        "alternating": np.where(t % 2, 1.0, 9.0),
        "early peak": np.where(t <= n // 5, 10.0, 1.0),
        "late peak": np.where(t > n - n // 5, 10.0, 1.0),
    }


def optimum(G: NDArray[np.float64]) -> float:
    """The Bayes-optimal reward of two Bernoulli arms with uniform priors, by recursion."""

    @functools.cache
    def value(t: int, won: int, lost: int, won2: int, lost2: int) -> float:
        if t == G.size:
            return 0.0
        p, q = (won + 1) / (won + lost + 2), (won2 + 1) / (won2 + lost2 + 2)
        first = p * (G[t] + value(t + 1, won + 1, lost, won2, lost2))
        first += (1 - p) * value(t + 1, won, lost + 1, won2, lost2)
        second = q * (G[t] + value(t + 1, won, lost, won2 + 1, lost2))
        second += (1 - q) * value(t + 1, won, lost, won2, lost2 + 1)
        return max(first, second)

    return value(0, 0, 0, 0, 0)


def expected(policy: hs.Policy, G: NDArray[np.float64]) -> float:
    """What the policy earns there, over all outcomes; histories with equal counts are joined."""
    levels = policy.plan(G, arms=2).levels
    future = np.append(np.cumsum(G[::-1])[::-1][1:], 0.0)
    layer = {(0, 0, 0, 0): (1.0, policy.rule.fresh_state(2))}
    total = 0.0
    for t in range(G.size):
        turn = Turn(t + 1, float(levels[t]), float(G[t]), float(future[t]), 0, 0, False, t + 1)
        following: dict[tuple[int, ...], tuple[float, ArmState]] = {}
        for counts, (weight, state) in layer.items():
            arm, _ = policy.rule.choose(state, turn)
            won, lost = counts[2 * arm : 2 * arm + 2]
            p = (won + 1) / (won + lost + 2)
            total += weight * p * G[t]
            for lose, share in ((0, p), (1, 1 - p)):
                key = tuple(c + (i == 2 * arm + lose) for i, c in enumerate(counts))
                before, after = following.get(key, (0.0, None))
                if after is None:
                    after = ArmState(*(array.copy() for array in state))
                    after.selections[arm] += 1
                    policy.rule.observe(after, turn, Observation(arm, 1.0 - lose, 1.0))
                following[key] = before + weight * share, after
        layer = following
    return total


def losses(n: int) -> list[float]:
    return [1 - expected(hs.OptionIndex(), G) / optimum(G) for G in multipliers(n).values()]


def test_it_is_near_the_exact_optimum_of_tiny_games() -> None:
    lost = losses(10)
    assert np.mean(lost) < 0.003
    assert max(lost) < 0.006


@pytest.mark.soak
@pytest.mark.parametrize("n", [20, 30])
def test_it_is_near_the_exact_optimum_of_small_games(n: int) -> None:
    lost = losses(n)
    assert np.mean(lost) < 0.003
    assert max(lost) < 0.006


def test_horizon_of_a_single_turn_is_zero() -> None:
    plan = hs.OptionIndex().plan([5.0], arms=3)
    assert plan.levels.tolist() == [0.0]
    assert not math.isnan(plan.exploration[0])


@pytest.mark.jit
@pytest.mark.parametrize("ties", [False, True])
def test_the_compiled_rule_learns_and_chooses_the_same(ties: bool) -> None:
    types = numba.types
    signature = types.Tuple((types.int64, types.boolean))(state_type(), turn_type())
    choose: Any = compiled(OPTION.choose, signature)
    for seed in range(12):
        state = random_state(seed)
        for level in (0.0, 0.5, 12.0, 900.0):
            turn = turn_of(level, ties=ties)
            assert tuple(choose(state, turn._replace(key=np.uint64(1)))) == OPTION.choose(
                state, turn
            )


def test_rewards_outside_the_range_count_as_its_ends() -> None:
    inside, outside = OPTION.fresh_state(2), OPTION.fresh_state(2)
    for low, high in ((0.0, -5.0), (1.0, 7.0), (0.4, 0.4)):
        OPTION.observe(inside, turn_of(1.0), Observation(0, low, 1.0))
        OPTION.observe(outside, turn_of(1.0), Observation(0, high, 1.0))
    np.testing.assert_array_equal(inside.shared, outside.shared)
    np.testing.assert_array_equal(inside.memory, outside.memory)
