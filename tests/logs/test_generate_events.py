"""Generated logs: the facts they are made after, and that the truth given beside them is true."""

from __future__ import annotations

import numpy as np
import pytest

from highseason.logs import Events
from studies.logged.generate import Generated, generate_events

HOUR = 1 / 24


@pytest.fixture(scope="module")
def week() -> Generated:
    return generate_events(7, seed=3)


def same(one: Events, other: Events) -> bool:
    columns = ("time", "arm", "reward", "pool")
    return (
        all(np.array_equal(getattr(one, name), getattr(other, name)) for name in columns)
        and one.arms == other.arms
        and np.array_equal(one.pools.members, other.pools.members)
        and np.array_equal(one.pools.offsets, other.pools.offsets)
    )


def test_it_looks_like_the_front_page(week: Generated) -> None:
    log = week.events
    sizes = log.pools.sizes[log.pool]
    assert 20 <= sizes.min() <= sizes.max() <= 51
    assert sizes.mean() == pytest.approx(36.5, abs=4)
    assert len(log) / (7 * 86400) == pytest.approx(21.0, abs=1.0)
    slice_of_the_paper = log.between(1317783600, 1317830699)
    a_second = np.unique(slice_of_the_paper.time, return_counts=True)[1]
    assert np.quantile(a_second, 0.75) == pytest.approx(31, abs=2)
    assert len(log.arms) == pytest.approx(36 + 7 * 41, rel=0.15)
    hours = np.quantile((week.ends - week.starts) / 3600, [0.25, 0.5, 0.75])
    assert hours == pytest.approx([16.4, 21.9, 24.5], abs=2.0)
    assert log.reward.mean() == pytest.approx(0.037, abs=0.003)
    assert week.rates.min() >= 0.013
    assert week.rates.max() <= 0.069
    assert (week.starts % 300 == 0).all()
    in_the_busy_half = (week.starts - 14 * 3600) % 86400 < 43200
    assert in_the_busy_half.mean() == pytest.approx(0.8, abs=0.08)


def test_a_click_log_takes_17_bytes_an_event(week: Generated) -> None:
    assert week.events.nbytes == 17 * len(week.events)


def test_articles_are_offered_as_long_as_they_live(week: Generated) -> None:
    log = week.events
    pools = [log.pools[pool] for pool in log.pool[::997]]
    offered = np.array([np.isin(np.arange(len(log.arms)), pool) for pool in pools])
    time = log.time[::997, None]
    assert np.array_equal(offered, (week.starts <= time) & (time < week.ends))


def test_all_of_a_pool_are_shown_equally_often(week: Generated) -> None:
    log = week.events
    expected = np.zeros(len(log.arms))
    for pool, count in enumerate(np.bincount(log.pool)):
        expected[log.pools[pool]] += count / log.pools.sizes[pool]
    shown = np.bincount(log.arm, minlength=expected.size)
    assert (np.abs(shown - expected) < 5 * np.sqrt(expected) + 1).all()
    assert np.allclose(week.propensity, log.display_probability)


def test_clicks_come_at_the_true_rates() -> None:
    rates = [0.9, 0.5, 0.1]
    log = generate_events(HOUR, seed=1, rates=rates).events
    for arm, rate in enumerate(rates):
        shown = log.reward[log.arm == arm]
        assert shown.mean() == pytest.approx(rate, abs=4 * np.sqrt(rate * (1 - rate) / shown.size))


def test_a_tilted_log_shows_good_articles_more() -> None:
    made = generate_events(HOUR, seed=1, rates=[0.6, 0.3, 0.1], tilt=1.0)
    shares = np.bincount(made.events.arm) / len(made.events)
    assert shares == pytest.approx([0.6, 0.3, 0.1], abs=0.01)
    assert np.allclose(made.propensity, np.array([0.6, 0.3, 0.1])[made.events.arm])


def test_articles_wear_out() -> None:
    made = generate_events(5, seed=2, drift=1.0)
    log = made.events
    age = (log.time - made.starts[log.arm]) / (made.ends - made.starts)[log.arm]
    early, late = log.reward[age < 0.2].mean(), log.reward[age > 0.8].mean()
    assert early / late == pytest.approx(1.4 / 0.6, rel=0.1)


def test_a_longer_log_begins_with_the_shorter_one() -> None:
    short, long = (generate_events(d / 24, seed=5).events for d in (1, 3))
    assert np.array_equal(short.time, long.time[: len(short)])
    assert np.array_equal(short.reward, long.reward[: len(short)])


def test_the_seed_says_it_all() -> None:
    one, again, other = (generate_events(HOUR, seed=s, articles=5).events for s in (1, 1, 2))
    assert same(one, again)
    assert not same(one, other)


def test_many_events_a_second() -> None:
    log = generate_events(1 / 1440, seed=1, articles=3, events_per_second=5000).events
    assert len(log) / 60 == pytest.approx(5000, rel=0.6)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"days": 1e-9}, "at least one second"),
        ({"days": float("nan")}, "finite"),
        ({"events_per_second": 0}, "above 0"),
        ({"articles": 0}, "at least 1"),
        ({"rates": []}, "between 0 and 1"),
        ({"rates": [1.5]}, "between 0 and 1"),
        ({"rates": [0.5], "articles": 2}, "omit it"),
        ({"drift": 2}, "drift"),
        ({"rates": [0.0, 0.1], "tilt": -1}, "above 0"),
        ({"rates": [0.0, 0.0], "tilt": 1}, "above 0"),
    ],
)
def test_invalid_arguments_are_refused(wrong: dict[str, object], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        generate_events(**wrong)  # type: ignore[arg-type]  # wrong on purpose


def test_the_true_rate_of_every_event_is_known(week: Generated) -> None:
    events = week.events
    rate = week.rate(events.arm, events.time)
    error = np.sqrt((rate * (1 - rate)).sum())
    assert abs(events.reward.sum() - rate.sum()) < 4 * error
    late = events.time > (week.starts + week.ends)[events.arm] / 2
    assert abs(events.reward[late].sum() - rate[late].sum()) < 4 * error
    arm = int(events.arm[0])
    ends = week.rate(np.array([arm, arm]), np.array([week.starts[arm], week.ends[arm]]))
    assert ends.tolist() == pytest.approx([1.15 * week.rates[arm], 0.85 * week.rates[arm]])
