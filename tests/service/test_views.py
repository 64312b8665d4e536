"""What the dashboard computes: histories that follow the log, charts, reasons in words."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from tests.service.conftest import MOMENT, settings

import highseason as hs
from highseason.traffic.timeline import Calendar
from highseason_service import Service
from highseason_service.charts import COLUMNS, LINE, Buckets, PlayHistory, traffic
from highseason_service.forecast import TrafficForecast
from highseason_service.model import Arm, Outcome
from highseason_service.views import Views


def test_a_history_is_what_the_log_says(service: Service) -> None:
    """Late, out of order, and corrected."""

    def history() -> PlayHistory:
        return service.read(lambda one: PlayHistory.read(one, "shelf"))

    assert history().turns == 0
    arms = {turn: service.decide("shelf", turn).arm for turn in (1, 2, 3, 7, 5)}
    service.update_many("shelf", [Outcome(7, 70.0, 9.0), Outcome(2, 20.0, 80.0)])
    service.correct("shelf", Outcome(2, 25.0, 85.0))
    service.add_arm("shelf", Arm("8.99", when="now"))
    service.remove_arm("shelf", "9.99")
    known = history()
    names = list(known.numbers)
    played = [(t, names[i]) for t, i in zip(known.turn, known.arm, strict=True)]
    assert played == sorted(arms.items())
    np.testing.assert_array_equal(known.entry, [2, 3, 4, 6, 5])
    np.testing.assert_array_equal(known.reward, [np.nan, 25.0, np.nan, np.nan, 70.0])
    np.testing.assert_array_equal(known.visitors, [np.nan, 85.0, np.nan, np.nan, 9.0])
    visitors = known.by_turn(known.visitors, 8)
    np.testing.assert_array_equal(visitors, [np.nan, 85.0, *[np.nan] * 4, 9.0, np.nan])
    assert known.exploited.tolist() == [
        service.decision("shelf", t).exploited for t in sorted(arms)
    ]
    assert [(c.arm, c.removed) for c in known.changes] == [("8.99", False), ("9.99", True)]
    assert sum(known.plays(before=7).values()) == 4


def test_black_friday_and_christmas_are_marked(service: Service) -> None:
    chart = Views(service).get("shelf").charts["traffic"]
    assert [name for _, name in chart.marks] == ["Black Friday"]
    [(place, _)] = chart.marks
    assert chart.labels[chart.times.index(place)] == "Fri 27 Nov 2026"
    service.create(settings("season", turns=60))
    season = Views(service).get("season").charts["traffic"].data()
    assert [name for _, name in season["marks"]] == ["Black Friday", "Christmas"]


@pytest.mark.parametrize(
    ("every", "count", "most", "width"),
    [("day", 365, LINE, 1), ("day", 365, COLUMNS, 7), ("hour", 100_000, LINE, 672),
     ("hour", 200, COLUMNS, 6), ("minute", 200_000, LINE, 1440), ("week", 52, COLUMNS, 1)],
)  # fmt: skip
def test_points_are_few_and_keep_the_mean(every: str, count: int, most: int, width: int) -> None:
    values = np.random.default_rng(1).random(count)
    turns = TrafficForecast((1.0,) * count, Calendar.starting("2020-01-01", every))
    groups = Buckets.of(turns, count, most)
    means = groups.mean(values)
    assert (groups.width, means.size <= most) == (width, True)
    sizes = groups.lasts - groups.firsts + 1
    assert (means * sizes).sum() == pytest.approx(values.sum())
    values[: groups.width] = np.nan
    assert np.isnan(groups.mean(values)[0])


def test_very_long_games_without_a_calendar_have_few_points() -> None:
    groups = Buckets.of(TrafficForecast((1.0,) * 100_000), 100_000, LINE)
    assert groups.firsts.size <= LINE
    assert groups.turns.name(1_000) == "turn 1,000"


def test_charts_add_up(service: Service) -> None:
    for turn in range(1, 21):
        arm = service.decide("shelf", turn).arm
        service.update_many("shelf", [Outcome(turn, 9.0 * float(arm), 100.0 + turn)])
    service.decide("shelf", 21)
    view = Views(service).get("shelf")
    records = service.decisions("shelf")
    coming, choices, rewards = view.charts.values()
    earned, possible = (one.values for one in rewards.series)
    assert earned[-1] == pytest.approx(sum(one.reward or 0.0 for one in records))
    best = max(service.state("shelf").arms, key=lambda arm: arm.estimate or 0.0)
    visitors = sum(one.visitors or 0.0 for one in records)
    assert possible[-1] == pytest.approx(visitors * (best.estimate or 0.0))
    expected, came, planned = (one.values for one in coming.series)
    assert expected.tolist() == [100.0, 250.0, 60.0, 80.0] * 10
    assert came[0] == 101.0
    assert np.isnan(came[20:]).all()
    assert np.isnan(planned[:21]).all()
    assert ((planned[21:] >= 0) & (planned[21:] <= 1)).all()
    explored = sum(not one.exploited for one in records)
    assert view.explored == pytest.approx(explored / 21)
    assert choices.series[1].values.sum() == pytest.approx(explored)
    assert choices.sentence.startswith(f"On {round(100 * explored / 21)}% of 21 days it explored")
    assert view.waiting == [(21, f"{view.turns.name(21)}: {view.name(records[0].arm)}")]


def test_a_naive_policy_is_valued_per_visitor(opened: Callable[[], Service]) -> None:
    """Its estimates are per turn; the best arm is still compared per visitor."""
    service = opened()
    service.create(settings(policy="naive-epsilon", arms=(Arm("a"), Arm("b"))))
    service.decide("shelf", 1)
    service.update_many("shelf", [Outcome(1, 500.0, 100.0)])
    view = Views(service).get("shelf")
    assert view.worth == pytest.approx(5.0)


def test_views_are_computed_once_per_change(service: Service) -> None:
    views = Views(service)
    first = views.get("shelf")
    assert views.get("shelf") is first
    service.decide("shelf", 1)
    second = views.get("shelf")
    assert second is not first
    assert second.state.decided == 1


def reasons(service: Service, experiment: str) -> dict[int, str]:
    view = Views(service).get(experiment)
    return {one.turn: view.reason(one) for one in view.latest}


def test_reasons_are_what_happened(opened: Callable[[], Service]) -> None:
    service = opened()
    values = (100.0, 100.0, 100.0, 900.0, 100.0, 100.0, 100.0)
    forecast = TrafficForecast(values, Calendar.starting("2026-12-23"))
    arms = (Arm("9.99"), Arm("11.99", "premium"))
    service.create(settings("xmas", forecast=forecast, arms=arms, policy="greedy"))
    for turn in (1, 2, 3, 4):
        arm = service.decide("xmas", turn).arm
        per_visitor = {"9.99": 5.0, "11.99": 2.0}[arm]
        service.update_many("xmas", [Outcome(turn, 100.0 * per_visitor, 100.0)])
    service.remove_arm("xmas", "11.99")
    service.decide("xmas", 5)
    assert reasons(service, "xmas") == {
        1: "2 days before Christmas: tried 9.99, as every arm is tried once first",
        2: "Christmas Eve: tried premium, as every arm is tried once first",
        3: "Christmas Day: played 9.99, the best so far",
        4: "Boxing Day: played 9.99, the best so far",
        5: "2 days after Christmas: played 9.99, the only arm",
    }


def test_reasons_for_exploring(opened: Callable[[], Service]) -> None:
    service = opened()
    service.create(settings(policy="soft-ucb:count=turns", turns=40))
    for turn in range(1, 13):
        arm = service.decide("shelf", turn).arm
        service.update_many(
            "shelf", [Outcome(turn, 100.0 * (8.0 if arm == "9.99" else 4.0), 100.0)]
        )
    view = Views(service).get("shelf")
    for one in view.latest:
        busy, reason = view.turns.values[one.turn - 1] >= view.plan.busy_from, view.reason(one)
        assert reason.startswith("Busy day: " if busy else "Quiet day: ")
        counts = view.history.plays(one.turn)
        own = counts.get(one.arm, 0)
        least = own == min(counts.get(arm, 0) for arm in view.arms)
        assert (own == 0) == reason.endswith("as every arm is tried once first")
        if own and not one.exploited:
            assert least == reason.endswith("the least known arm")
    assert any(view.reason(one).endswith("the least known arm") for one in view.latest)


def test_the_first_choice_of_the_option_index_rests_on_nothing(
    opened: Callable[[], Service],
) -> None:
    service = opened()
    service.create(settings(policy="option-index", turns=40))
    for turn in (1, 2):
        service.decide("shelf", turn)
    said = reasons(service, "shelf")
    assert said[1].endswith("as nothing is known yet")
    assert said[2].endswith("for the first time")


def test_chance_is_named(opened: Callable[[], Service]) -> None:
    service = opened()
    service.create(settings(policy="uniform", turns=40))
    for turn in range(1, 31):
        arm = service.decide("shelf", turn).arm
        service.update_many("shelf", [Outcome(turn, 10.0 * float(arm), 100.0)])
    drawn = [one for one in reasons(service, "shelf").values() if "drawn at random" in one]
    assert drawn


def test_now_is_a_turn_of_the_calendar(service: Service) -> None:
    view = Views(service).get("shelf")
    assert view.now == view.at(MOMENT)[0] == 3
    assert view.at(MOMENT.replace(year=2030)) == (None, 40)


def test_now_is_drawn_from_the_clock(service: Service) -> None:
    service.decide("shelf", 1)
    service.decide("shelf", 30)  # far ahead: it is still the third of November
    chart = Views(service).get("shelf").charts["traffic"]
    assert chart.now == chart.times[2]
    assert chart.sentence.startswith("38 days to come")


def test_a_view_follows_the_clock(opened: Callable[[], Service]) -> None:
    service = opened()
    service.create(settings())
    views = Views(service)
    assert views.get("shelf").now == 3
    service.clock = lambda: MOMENT + timedelta(days=1)
    assert views.get("shelf").now == 4


def test_the_clock_counts_on_closed_days_and_after_the_end(opened: Callable[[], Service]) -> None:
    service = opened()
    calendar = Calendar.starting("2026-11-02", zone="+01:00", closed=(6,))  # Mondays to Saturdays
    service.create(settings(forecast=TrafficForecast((9.0,) * 12, calendar)))
    for turn in (1, 2, 3):
        service.decide("shelf", turn)
    views, found = Views(service), {}
    for day in (1, 7, 8, 15, 30):  # a Sunday after the other: the same view would not do
        service.clock = lambda day=day: datetime(2026, 11, day, 12, tzinfo=UTC)
        view = views.get("shelf")
        found[day] = view.past, view.late
    assert found == {1: (0, 0), 7: (5, 3), 8: (6, 3), 15: (12, 3), 30: (12, 3)}
    assert view.without_turn == "The forecast has ended"


def test_what_someone_should_look_at_is_said(opened: Callable[[], Service]) -> None:
    service = opened()
    service.create(settings())
    views = Views(service)
    assert "explores on 3 of your 3 busiest days" in views.get("shelf").banners[0]
    service.clock = lambda: MOMENT + timedelta(days=2)
    for turn in (1, 2, 3):
        service.decide("shelf", turn)
    assert views.get("shelf").banners[0].startswith("3 days without a reward")
    for arm in ("9.99", "10.99", "11.99"):
        service.remove_arm("shelf", arm)
    assert "No arm is in the game." in " ".join(views.get("shelf").banners)
    assert views.get("shelf").coming == []


def test_huge_estimates_have_a_place(service: Service) -> None:
    decided = service.decide("shelf", 1)
    service.update_many("shelf", [Outcome(1, 1e12, 1e-6)], confirm=True)
    row = next(one for one in Views(service).get("shelf").arm_rows() if one.mark is not None)
    assert row.report.id == decided.arm


def test_without_a_calendar_the_next_turn_is_now(opened: Callable[[], Service]) -> None:
    service = opened()
    service.create(settings(forecast=TrafficForecast((5.0, 6.0))))
    views = Views(service)
    assert views.get("shelf").now == 1
    service.decide("shelf", 1)
    service.decide("shelf", 2)
    assert views.get("shelf").now is None
    view = views.get("shelf")
    assert [view.turns.name(one.turn) for one in view.latest] == ["turn 2", "turn 1"]


def test_a_plan_of_prices_shows_where_exploring_is_cheapest() -> None:
    forecast = TrafficForecast((100.0, 250.0, 60.0, 80.0) * 10)
    plan = hs.OptionIndex().plan(forecast.multiplier, arms=3)
    chart = traffic(forecast, plan, None)
    assert chart.title == "Visitors, and where exploring is cheapest"
    assert chart.series[-1].name == "cheapest to explore"
    cheap = plan.levels >= np.quantile(plan.levels, 0.75)
    assert chart.series[-1].values.tolist() == cheap.astype(float).tolist()
    assert "Exploring is cheapest on 10 of them; how much it explores" in chart.sentence
    assert [row[-1] for row in chart.rows()] == ["yes" if one else "no" for one in cheap]


def test_exploring_is_cheapest_on_some_of_the_coming_turns(service: Service) -> None:
    service.create(settings("tea", policy="option-index"))
    for turn in range(1, 31):
        arm = service.decide("tea", turn).arm
        service.update_many("tea", [Outcome(turn, 10.0 * float(arm), 100.0)])
    chart = Views(service).get("tea").charts["traffic"]
    shown = chart.series[-1].values
    assert np.isnan(shown[:30]).all()
    assert 0 < shown[30:].sum() < 10
    assert f"Exploring is cheapest on {shown[30:].sum():.0f} of them" in chart.sentence


@pytest.mark.parametrize("policy", ["option-index", "thompson"])
def test_the_best_row_is_the_arm_played_as_the_best(
    opened: Callable[[], Service], policy: str
) -> None:
    service = opened()
    service.create(settings(policy=policy, turns=60))
    exploited = 0
    for turn in range(1, 51):
        made = service.decide("shelf", turn)
        view = Views(service).get("shelf")
        rows = view.arm_rows()
        assert [row.best for row in rows] == [i == 0 and turn > 1 for i in range(3)]
        if made.exploited:
            exploited += 1
            assert view.best is not None
            assert view.best.id == rows[0].report.id == made.arm
        visitors = 3000.0 if turn % 3 else 1.0
        paid = 0.2 * float(made.arm) if turn % 3 else turn * 7 % 5
        came = [Outcome(turn, (paid + turn % 2) * visitors, visitors)]
        service.update_many("shelf", came, confirm=True)
    assert exploited
