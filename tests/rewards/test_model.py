from __future__ import annotations

import copy
import math
import pickle
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from highseason.core.random import arm_uniforms, game_keys
from highseason.core.special import normal_quantile
from highseason.rewards import (
    Rewards,
    bernoulli,
    check_arms,
    custom,
    truncated_normal,
    visitors,
)
from highseason.rewards.truncated_normal import clipped_normal_quantile

GRID = (np.arange(20_000) + 0.5) / 20_000


def triangle(u: float, top: float, scale: float) -> float:
    return top * math.sqrt(u)


def triangle_mean(top: Any) -> Any:
    return 2 * top / 3


MODELS: dict[str, Callable[..., Rewards]] = {
    "bernoulli": lambda **how: bernoulli(**how),
    "normal": lambda **how: truncated_normal(sigma=0.4, **how),
    "custom": lambda **how: custom(triangle, triangle_mean, **how),
}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("parameter", [0.0, 0.2, 0.5, 0.93, 1.0])
def test_the_mean_is_that_of_the_quantile(name: str, parameter: float) -> None:
    model = MODELS[name](arms=2)
    drawn = [model.draw(u, parameter, 1, 1.0) for u in GRID.tolist()]
    mean = model.means(np.array([parameter]))[0]
    assert mean == pytest.approx(np.mean(drawn), abs=1e-4)
    assert model.bounds[0] <= min(drawn) <= max(drawn) <= model.bounds[1]


@pytest.mark.parametrize("name", MODELS)
@given(u=st.floats(0, 1, exclude_max=True), p=st.floats(0, 1), q=st.floats(0, 1))
def test_a_better_arm_never_pays_less(name: str, u: float, p: float, q: float) -> None:
    # Which is what sharing one uniform number among all arms relies on.
    model = MODELS[name](arms=2)
    low, high = sorted((p, q))
    assert model.draw(u, low, 1, 1.0) <= model.draw(u, high, 1, 1.0)


def test_bernoulli_pays_exactly_its_share() -> None:
    model = bernoulli(arms=1)
    assert [model.draw(u, 0.0, 1, 1.0) for u in (0.0, 1 - 2.0**-53)] == [0.0, 0.0]
    assert [model.draw(u, 1.0, 1, 1.0) for u in (0.0, 1 - 2.0**-53)] == [1.0, 1.0]
    paid = [model.draw(i / 1000, 0.25, 1, 1.0) for i in range(1000)]
    assert sum(paid) == 250
    assert paid == sorted(paid)


def test_clipped_normal_at_the_ends() -> None:
    model = truncated_normal(arms=1, sigma=1.0)
    assert model.draw(0.0, 0.7, 1, 1.0) == 0.0
    assert model.draw(1 - 2.0**-53, 0.7, 1, 1.0) == 1.0
    assert model.draw(0.5, 0.7, 1, 1.0) == 0.7


@given(
    u=st.floats(0.0, 1.0, exclude_max=True) | st.sampled_from([0.0749, 0.075, 0.925, 0.9251]),
    centre=st.floats(0.0, 1.0),
    sigma=st.floats(0.01, 3.0),
)
def test_clipped_normal_is_the_quantile_of_a_normal_clipped(
    u: float, centre: float, sigma: float
) -> None:
    plain = max(0.0, min(1.0, centre + sigma * normal_quantile(u)))
    assert clipped_normal_quantile(u, centre, sigma) == plain


def test_arms_are_drawn_for_every_game() -> None:
    keys = game_keys(5, range(3000))
    model = bernoulli(arms=7, between=(0.2, 0.6))
    drawn = model.parameters(keys)
    assert drawn.shape == (3000, 7)
    assert np.array_equal(drawn, 0.2 + (0.6 - 0.2) * arm_uniforms(keys, 7))
    assert 0.2 <= drawn.min() < 0.21
    assert 0.59 < drawn.max() <= 0.6
    assert drawn.mean() == pytest.approx(0.4, abs=0.005)


def test_more_arms_leave_the_first_ones_as_they_are() -> None:
    keys = game_keys(5, range(10))
    few, many = bernoulli(arms=3).parameters(keys), bernoulli(arms=30).parameters(keys)
    assert np.array_equal(few, many[:, :3])


def test_fixed_arms_are_the_same_in_every_game() -> None:
    model = bernoulli(means=[0.9, 0.5, 0.1])
    assert model.arms == 3
    assert model.parameters(game_keys(1, range(4))).tolist() == [[0.9, 0.5, 0.1]] * 4
    with pytest.raises(ValueError, match="read-only"):
        model.fixed[0] = 0.0  # type: ignore[index]


def test_many_means_are_compiled_and_the_same_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    model = truncated_normal(arms=4, sigma=0.3)
    centres = model.parameters(game_keys(2, range(50)))
    plain = model.means(centres)
    room = sys.modules["highseason.rewards.truncated_normal"]  # the package calls its function so
    monkeypatch.setattr(room, "_WORTH_COMPILING", 0)
    assert np.array_equal(model.means(centres), plain)
    assert plain.shape == (50, 4)
    assert not np.array_equal(plain, centres)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: bernoulli(), r"give the number of arms \(arms=25\) or means="),
        (lambda: bernoulli(arms=0), "at least 1, got 0"),
        (lambda: bernoulli(arms=-3), "at least 1, got -3"),
        (lambda: bernoulli(arms=2.5), "whole number, at least 1, got 2.5"),
        (lambda: bernoulli(arms=True), "got True"),
        (lambda: bernoulli(means=[]), "non-empty list"),
        (lambda: bernoulli(means=[[0.1]]), "non-empty list"),
        (lambda: bernoulli(means=[0.5, 1.5]), "means of arm 2 is 1.5; it must be between 0 and 1"),
        (lambda: bernoulli(means=[0.5, -0.1]), "means of arm 2 is -0.1"),
        (lambda: bernoulli(means=[math.nan]), "means of arm 1 is nan"),
        (lambda: bernoulli(arms=3, means=[0.5]), "arms=3, but means has 1 numbers"),
        (lambda: bernoulli(arms=3, between=(0.9, 0.1)), "two rising numbers between 0 and 1"),
        (lambda: bernoulli(arms=3, between=(0, math.nan)), "two rising numbers"),
        (lambda: bernoulli(arms=3, between=(-1, 1)), "two rising numbers between 0 and 1"),
        (lambda: truncated_normal(arms=3, sigma=0), "sigma must be a number > 0, not 0"),
        (lambda: truncated_normal(arms=3, sigma=-1.0), "sigma must be a number > 0"),
        (lambda: truncated_normal(arms=3, sigma=math.nan), "sigma must be a number > 0"),
        (lambda: truncated_normal(arms=3, sigma=math.inf), "sigma must be a number > 0"),
        (lambda: truncated_normal(centres=[2.0]), "centres of arm 1 is 2.0"),
        (lambda: custom(triangle, triangle_mean), "give the number of arms"),
        (lambda: custom(triangle, triangle_mean, arms=2, bounds=(1, 0)), "two rising numbers"),
        (lambda: custom(triangle, triangle_mean, parameters=[math.inf]), "parameters of arm 1"),
    ],
)
def test_invalid_arguments_are_refused(make: Callable[[], Rewards], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


def test_arms_may_be_a_numpy_integer() -> None:
    assert check_arms(np.int64(3)) == 3  # type: ignore[arg-type]
    assert isinstance(check_arms(np.int64(3)), int)  # type: ignore[arg-type]


def test_a_custom_model_hands_its_scale_to_the_quantile() -> None:
    model = custom(
        lambda u, p, s: s * p,
        lambda p: 10 * p,
        parameters=[0.1, 0.2],
        scale=10.0,
        bounds=(0.0, 2.0),
    )
    assert model.draw(0.3, 0.2, 1, 1.0) == 2.0
    assert model.name == "custom"


def test_rewards_beyond_their_bounds_are_refused() -> None:
    with pytest.raises(ValueError, match=r"quantile\(0.5, 0\) is 2.5, outside bounds=\(0, 1\)"):
        custom(lambda u, p, s: 5 * u, lambda p: 0 * p + 2.5, arms=2)


def test_a_mean_for_all_arms_together_is_refused() -> None:
    model = custom(lambda u, p, s: u, lambda p: 0.5, arms=2)  # type: ignore[arg-type, return-value]
    with pytest.raises(ValueError, match=r"one mean per parameter"):
        model.means(np.zeros((3, 2)))


@pytest.mark.parametrize(
    "model",
    [bernoulli(arms=3), truncated_normal(arms=3, sigma=0.2), custom(triangle, triangle_mean, 2)],
    ids=lambda model: model.name,
)
def test_rewards_pickle_and_copy(model: Rewards) -> None:
    keys = game_keys(1, range(5))
    for same in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        parameters = same.parameters(keys)
        assert np.array_equal(parameters, model.parameters(keys))
        assert np.array_equal(same.means(parameters), model.means(parameters))
        assert same.quantile is model.quantile
        assert same.kind == model.kind


def test_parameters_of_your_own_are_drawn_between_0_and_1_unless_said_otherwise() -> None:
    usual = custom(lambda u, p, scale: p, lambda p: p, arms=3)
    drawn = usual.parameters(game_keys(1, range(2000)))
    assert stats.kstest(drawn.ravel(), stats.uniform(0, 1).cdf).pvalue > 1e-3
    assert usual.bounds == (0.0, 1.0)


def test_a_model_without_visitors_counts_one_a_turn() -> None:
    assert bernoulli(arms=2).visitors_at(50.0) == 1.0
    assert visitors(arms=2, share=0.5).visitors_at(50.0) == 25.0
