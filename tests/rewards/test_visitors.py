"""The models that know G: visitors, spend, and arms that drift."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from scipy import stats

import highseason as hs
from highseason.core.random import game_key, game_keys
from highseason.rewards import Rewards, parse, spend, visitors
from highseason.rewards.model import check_rates

KEYS = game_keys(3, range(4000))


def test_more_visitors_scatter_less() -> None:
    model = visitors(rates=[0.1], share=0.5)
    uniforms = ((np.arange(4000) + 0.5) / 4000).tolist()
    for G, n in ((0.2, 1), (3.0, 2), (20.0, 10), (2000.0, 1000)):
        drawn = np.array([model.draw(u, 0.1, 1, G) for u in uniforms])
        assert drawn.mean() == pytest.approx(0.1, rel=2e-3)
        assert drawn.var() == pytest.approx(0.09 / n, rel=5e-3)
        assert np.allclose(drawn * n, np.round(drawn * n))


def test_a_day_effect_is_common_to_all_arms_and_keeps_the_mean() -> None:
    model = visitors(rates=[0.02, 0.04], day=0.2)
    uniforms = np.random.default_rng(1).random(20_000).tolist()
    low, high = (np.array([model.draw(u, rate, 1, 1e7) for u in uniforms]) for rate in (0.02, 0.04))
    assert low.mean() == pytest.approx(0.02, rel=0.006)
    assert low.std() == pytest.approx(0.2 * 0.02, rel=0.03)
    assert np.corrcoef(low, high)[0, 1] > 0.99


@pytest.mark.parametrize(("n", "rho"), [(1, 0.0), (1, 0.3), (20, 0.0), (20, 0.3)])
def test_a_day_effect_replaces_part_of_the_other_variance(n: int, rho: float) -> None:
    model = visitors(rates=[0.5], day=0.5, rho=rho)
    drawn = [model.draw(u, 0.5, 1, n) for u in np.random.default_rng(1).random(40_000).tolist()]
    share = 0.5**2 * 0.5 / (1 - 0.5)  # of the day
    variance = 0.25 * (share + (1 - share) * (rho + (1 - rho) / n))
    assert np.var(drawn) == pytest.approx(variance, rel=0.03)


def test_baskets_vary_as_they_should() -> None:
    model = spend(rates=[0.5], values=[3.0], cv=2.0)
    uniforms = np.random.default_rng(2).random(40_000).tolist()
    drawn = np.array([model.draw(u, np.array([0.5, 3.0]), 1, 40.0) for u in uniforms])
    # n buyers with probability p, baskets of variance (cv·value)²
    variance = 3.0**2 * 0.5 * (0.5 + 2.0**2) / 40
    assert drawn.mean() == pytest.approx(1.5, rel=0.02)
    assert drawn.var() == pytest.approx(variance, rel=0.04)
    exactly = spend(rates=[0.5], values=[3.0], cv=0.0)
    assert exactly.draw(0.5, np.array([0.5, 3.0]), 1, 40.0) == 1.5


def test_arms_are_drawn_from_ranges_and_priors() -> None:
    ranges = visitors(arms=3, between=(0.02, 0.04)).parameters(KEYS)
    assert ranges.shape == (4000, 3)
    assert stats.kstest(ranges.ravel(), stats.uniform(0.02, 0.02).cdf).pvalue > 1e-3
    prior = visitors(arms=3, prior=(0.03, 0.004)).parameters(KEYS)
    assert prior.mean() == pytest.approx(0.03, rel=0.01)
    assert prior.std() == pytest.approx(0.004, rel=0.03)
    both = spend(arms=3, values_between=(10, 20)).parameters(KEYS)
    assert both.shape == (4000, 3, 2)
    assert both[..., 1].min() >= 10 > 0.05 >= both[..., 0].max()
    assert stats.kstest(both[..., 1].ravel(), stats.uniform(10, 10).cdf).pvalue > 1e-3
    assert spend(arms=3).means(both).shape == (4000, 3)


def test_a_walk_has_its_step_and_stays_inside() -> None:
    model = visitors(arms=2, between=(0.02, 0.04), drift=0.001)
    path = np.stack(
        [
            model.means_by_turn(model.parameters(KEYS[[i]])[0], game_key(3, i), np.ones(60))
            for i in range(100)
        ]
    )
    steps = np.diff(path, axis=1)
    inside = (path[:, :-1] > 0.025) & (path[:, :-1] < 0.035)
    assert steps[inside].std() == pytest.approx(0.001, rel=0.03)
    assert 0.02 <= path.min() <= path.max() <= 0.04


def test_a_change_comes_at_its_turn() -> None:
    model = hs.rewards.bernoulli(means=[0.9, 0.1], change=4, then=[0.2, 0.3])
    path = model.means_by_turn(model.parameters(KEYS[:1])[0], game_key(3, 0), np.ones(6))
    assert path.tolist() == [[0.9, 0.1]] * 3 + [[0.2, 0.3]] * 3


def test_forgetting_pays_where_the_best_arm_changes() -> None:
    rewards = hs.rewards.bernoulli(means=[0.8, 0.5], change=150, then=[0.2, 0.5])
    players = {"ucb": hs.UCB(), "windowed": hs.Windowed(hs.UCB(), window=30)}
    result = hs.simulate(players, rewards, np.ones(400), games=200, seed=1)
    assert result.gain("windowed").low > 0.05


@pytest.mark.parametrize(
    ("text", "how"),
    [
        ("visitors:rates=2%..4%", {"between": (0.02, 0.04)}),
        ("visitors:rates=0.03+-0.01,rho=0.1", {"prior": (0.03, 0.01), "rho": 0.1}),
        ("visitors:rates=0.03±1%,day=5%,share=2", {"prior": (0.03, 0.01), "day": 0.05, "share": 2}),
        ("visitors:drift=0.01,change=9", {"drift": 0.01, "change": 9}),
    ],
)  # fmt: skip
def test_text_gives_the_same_model(text: str, how: dict[str, object]) -> None:
    read, made = parse(text, arms=3), visitors(arms=3, **how)  # type: ignore[arg-type]
    assert (read.name, read.kind, read.drift) == (made.name, made.kind, made.drift)
    assert (read.parameters(KEYS[:5]) == made.parameters(KEYS[:5])).all()
    assert parse(made.name, arms=3).name == made.name


def test_text_names_each_arm() -> None:
    model = parse("spend:rates=2%/3%,values=40/30,cv=0.5")
    assert model.fixed is not None
    assert model.fixed.tolist() == [[0.02, 40.0], [0.03, 30.0]]
    fixed = parse("bernoulli:means=0.4/0.6,change=10,then=0.6/0.4").fixed
    assert fixed is not None
    assert fixed.tolist() == [[0.4, 0.6], [0.6, 0.4]]
    assert parse("visitors", means=[0.1, 0.2, 0.3]).arms == 3
    assert parse("bernoulli").arms == 25


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("visitor", "Did you mean 'visitors'"),
        ("visitors:rho=2", "rho is a correlation, from 0 to 1, not 2"),
        ("visitors:share=0", "share must be a number above 0"),
        ("visitors:day=-1", "day must be a number >= 0"),
        ("visitors:day=3,rates=0.2..0.5", "at most 1"),
        ("visitors:rates=0.5..0.2", "two rising numbers"),
        ("visitors:rates=0.5+-0.6", "standard deviation between 0 and 0.5"),
        ("visitors:rates=many", "'many' is not a number"),
        ("visitors:size=3", "has no parameter 'size'; it has: rates, share"),
        ("visitors:rates=0.1/0.2/0.3,change=9", "need those after the change"),
        ("visitors:then=0.1", "needs the turn of the change"),
        ("visitors:change=9,then=0.1", "leave out then"),
        ("visitors:change=1", "change"),
        ("visitors:drift=-1", "drift must be a number >= 0"),
        ("spend:cv=-1", "cv must be a number >= 0"),
        ("spend:values=1/2", "one for each of the 3 arms"),
        ("spend:values=2..1", "two rising numbers above 0"),
        ("truncated-normal:centres=0.5+-0.1", "give a range"),
        ("bernoulli:means=0.1/0.2", "leave one out"),
    ],
)
def test_errors_say_what_to_change(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message.replace("+", r"\+").replace("(", r"\(")):
        parse(text, arms=3)


def test_a_prior_and_given_rates_exclude_each_other() -> None:
    with pytest.raises(ValueError, match="not both"):
        visitors(rates=[0.1], prior=(0.1, 0.01))
    with pytest.raises(ValueError, match="names the rates"):
        parse("visitors:rates=0.1/0.2", means=[0.1, 0.2])
    with pytest.raises(ValueError, match="one for each of the rates"):
        spend(rates=[0.1], values_between=(1, 2))


@pytest.mark.parametrize(
    "model",
    [visitors(arms=2, prior=(0.1, 0.02)), spend(arms=2), visitors(arms=2, change=5)],
    ids=lambda model: model.name,
)
def test_models_pickle_and_copy(model: Rewards) -> None:
    for twin in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert (twin.parameters(KEYS[:3]) == model.parameters(KEYS[:3])).all()
        assert twin.kind == model.kind


def test_rates_of_a_prior_are_quantiles_of_a_beta_distribution() -> None:
    prior = check_rates("visitors", 3, None, (0.0, 1.0), (0.3, 0.1), "rates")
    uniforms = (np.arange(4000) + 0.5) / 4000
    rates = prior.draw(uniforms)
    assert rates.mean() == pytest.approx(0.3, abs=1e-4)
    assert rates.std() == pytest.approx(0.1, abs=1e-3)
    assert (np.diff(rates) > 0).all()
    assert prior.highest == pytest.approx(0.9)


def test_a_name_says_what_is_not_as_usual() -> None:
    for name in ("visitors", "visitors:rho=0.2,day=0.1", "visitors:share=30"):
        options = dict(part.split("=") for part in name.partition(":")[2].split(",") if part)
        numbers = {option: float(value) for option, value in options.items()}
        assert visitors(rates=[0.1, 0.2], **numbers).name == name


@pytest.mark.parametrize(
    ("options", "most", "name"),
    [
        ("values=8/15,cv=0", 15.0, "spend:cv=0,most=15"),
        ("values=8/15,cv=0,most=20", 20.0, "spend:cv=0,most=20"),
        ("values=8/15,cv=1", 138.15, "spend:most=138.15"),  # exp(-9.21) is 1 in 10,000
        ("values=8/15,cv=0.1", 21.3, "spend:cv=0.1,most=21.3"),
        ("values=8/15,cv=0.1,most=30", 30.0, "spend:cv=0.1,most=30"),
        ("values=8..15,cv=0", 15.0, "spend:cv=0,most=15"),
    ],
)
def test_the_most_that_a_visitor_brings(options: str, most: float, name: str) -> None:
    model = parse(f"spend:{options}", arms=2)
    assert model.bounds == model.reward_range == pytest.approx((0.0, most))
    assert model.name == name


@pytest.mark.parametrize(
    ("options", "least"),
    [("cv=0,most=14", "15"), ("cv=0.1,most=15", "21.3"), ("cv=1,most=0", "138.15")],
)
def test_a_most_that_visitors_exceed_is_refused_with_one_that_is_not(
    options: str, least: str
) -> None:
    text = f"spend:values=8/15,{options}"
    with pytest.raises(ValueError, match=f"Give most={least} or more"):
        parse(text, arms=2)
    parse(f"{text.partition(',most')[0]},most={least}", arms=2)


def test_no_turn_brings_more_than_the_most_per_visitor() -> None:
    model = spend(rates=[1.0], values=[2.0], cv=3.0)
    top = model.draw(1.0 - 2.0**-53, np.array([1.0, 2.0]), 1, 1.0)
    assert 0.0 < top <= model.bounds[1]
    draws = [
        model.draw(u, np.array([1.0, 2.0]), 1, 1.0) for u in np.random.default_rng(3).random(20_000)
    ]
    assert max(draws) <= model.bounds[1]
    assert np.mean(draws) == pytest.approx(2.0, abs=5 * 6.0 / np.sqrt(20_000))
