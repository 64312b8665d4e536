"""Charts, views, forms and rules of the service, each where it changes; without a server."""

from __future__ import annotations

import asyncio
import inspect
import itertools
import math
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from tests.service.conftest import MOMENT, settings

import highseason as hs
from highseason.traffic.timeline import Calendar
from highseason_service import Service, app, charts, forms, routes, security
from highseason_service.charts import Buckets, PlayHistory
from highseason_service.client import Client
from highseason_service.errors import ClashError, InvalidError, UnconfirmedError, _shown, in_words
from highseason_service.experiments import settings_body
from highseason_service.forecast import TrafficForecast, replacement
from highseason_service.live import LiveExperiment
from highseason_service.model import Arm, ArmReport, Entry, Noise, Outcome, Settings
from highseason_service.views import ExperimentView, Views
from highseason_service.web import _local

NAN = math.nan


def days(turns: int, every: str = "day", zone: str = "UTC") -> TrafficForecast:
    start = "2026-11-02" if every in ("day", "week") else "2026-11-02 00:00"
    return TrafficForecast((100.0,) * turns, Calendar.starting(start, every, zone))


def played(arms: list[int], rewards: list[float] | None = None, **more: Any) -> PlayHistory:
    """Turns with these arms, -1 where nothing is decided; each has a reward if none is given."""
    arm = np.array(arms, np.int32)
    reward = np.full(arm.size, 50.0) if rewards is None else np.array(rewards)
    columns: dict[str, Any] = {
        "turn": np.arange(1, arm.size + 1),
        "entry": np.arange(1, arm.size + 1),
        "arm": arm,
        "exploited": arm == 0,
        "reward": reward,
        "visitors": np.where(np.isnan(reward), NAN, 100.0),
        "brought": reward,
    } | more
    rows = {name: np.asarray(values)[arm >= 0] for name, values in columns.items()}
    return PlayHistory(numbers={name: i for i, name in enumerate("abc")}, changes=[], **rows)


# ---- charts ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("every", "widths"),
    [
        ("minute", (1, 5, 15, 60, 360, 1440, 10080, 20160)),  # an hour, a day, a week
        ("hour", (1, 6, 24, 168, 672, 1344)),
        ("day", (1, 7, 28, 91, 364, 728)),
        ("week", (1, 4, 13, 52, 104)),
        ("turn", (1, 2, 4, 8)),
    ],
)
def test_points_stand_for_lengths_that_people_know(every: str, widths: tuple[int, ...]) -> None:
    turns = TrafficForecast((1.0,)) if every == "turn" else days(1, every)
    for width, wider in itertools.pairwise(widths):
        full = Buckets.of(turns, 60 * width, 60)
        assert (full.width, full.firsts.size) == (width, 60)
        assert full.lasts.tolist() == [width * (i + 1) - 1 for i in range(60)]
        more = Buckets.of(turns, 60 * width + 1, 60)
        assert (more.width, int(more.lasts[-1])) == (wider, 60 * width)


def test_lines_have_400_points_and_columns_are_60() -> None:
    for turns, points in ((400, 400), (401, 58)):
        plan = hs.EpsilonGreedy().plan(days(turns).multiplier, 3)
        assert len(charts.traffic(days(turns), plan).times) == points
    for turns, points in ((60, 60), (61, 9)):
        assert len(charts.choices(days(turns), played([0] * turns)).times) == points
        assert len(charts.rewards(days(turns), played([0] * turns), "a", 1.0).times) == turns


def test_points_are_named_by_what_they_hold() -> None:
    one, seven = (Buckets.of(days(n), n, 60).chart("x", "X", "") for n in (2, 61))
    assert (one.labels, one.point, one.step) == (
        ["Mon 2 Nov 2026", "Tue 3 Nov 2026"], "one day", 86400.0
    )  # fmt: skip
    assert (seven.labels[:2], seven.point, seven.step) == (
        ["from Mon 2 Nov 2026", "from Mon 9 Nov 2026"], "7 days", 7 * 86400.0
    )  # fmt: skip
    ends = Buckets.of(days(61), 61, 60).chart("x", "X", "", ends=True)
    assert (ends.labels[0], ends.labels[-1]) == ("to Sun 8 Nov 2026", "to Fri 1 Jan 2027")
    bare = Buckets.of(TrafficForecast((5.0, 6.0)), 2, 60).chart("x", "X", "")
    assert (bare.times, bare.step, bare.dated) == ([1.0, 2.0], 1.0, False)


def test_means_are_of_what_is_known() -> None:
    groups = Buckets.of(days(130), 61, 9)
    values = np.full(61, NAN)
    values[:10] = np.arange(10.0)
    means = groups.mean(values)
    assert means[:2].tolist() == [3.0, 8.0]
    assert np.isnan(means[2:]).all()
    assert Buckets.of(days(5), 0, 9).mean(np.empty(0)).size == 0


@pytest.mark.parametrize(
    ("past", "over", "now"),
    [(0, None, None), (1, None, 1), (3, 1, 1), (2, None, 2), (3, None, None)],
)
def test_now_is_drawn_between_turns(past: int, over: int | None, now: int | None) -> None:
    turns = days(3)
    chart = charts.traffic(turns, hs.EpsilonGreedy().plan(turns.multiplier, 2), None, past, over)
    assert chart.now == (None if now is None else chart.times[now])
    shown = chart.series[-1].values
    assert np.isnan(shown).tolist() == [turn < past for turn in range(3)]


def test_what_came_is_drawn_beside_what_was_expected() -> None:
    turns = days(3)
    plan = hs.EpsilonGreedy().plan(turns.multiplier, 2)
    for arms in ([0, 1], [0, 1, 2, 0]):  # fewer than the forecast, and more
        expected, came, _ = charts.traffic(turns, plan, played(arms), 1).series
        assert expected.values.tolist() == [100.0] * 3
        assert came.values[:2].tolist() == [100.0, 100.0]
        assert math.isnan(came.values[2]) == (len(arms) == 2)


def planned(values: list[float], explored: list[float], busy_from: float) -> Any:
    multiplier = SimpleNamespace(values=np.array(values))
    return SimpleNamespace(
        multiplier=multiplier, exploration=np.array(explored), busy_from=busy_from
    )


@pytest.fixture
def unpriced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(charts, "prices", lambda _: None)


@pytest.mark.usefixtures("unpriced")
def test_a_plan_is_summed_up() -> None:
    plan = planned([10.0, 20.0, 30.0, 30.0], [1.0, 0.5, 0.5, 0.0], 30.0)
    said = charts._traffic_sentence
    assert said(plan, 0, "day") == (
        "4 days to come, 2 of them busy (30 visitors or more). "
        "Of the planned exploration, 75% falls on quiet days."
    )
    assert said(plan, 3, "day").endswith("1 of them busy (30 visitors or more). No exploration is "
                                         "planned.")  # fmt: skip
    assert said(plan, 4, "day").startswith("The forecast is played to its end: 4 days.")


@pytest.mark.usefixtures("unpriced")
@pytest.mark.parametrize(
    ("turns", "explored", "past", "warned"),
    [
        (9, [0.6] * 9, 0, False),
        (10, [0.0] * 9 + [0.6], 0, True),
        (10, [0.0] * 9 + [0.5], 0, False),  # as likely as not
        (10, [0.6] * 9 + [0.0], 0, False),
        (20, [0.0] * 19 + [0.6], 0, False),  # on one of the two busiest
        (20, [0.0] * 18 + [0.6] * 2, 0, True),
        (11, [0.0] * 10 + [0.6], 1, True),
        (11, [0.0] * 10 + [0.6], 2, False),
    ],
)
def test_a_plan_that_explores_on_busy_days_is_warned_of(
    turns: int, explored: list[float], past: int, warned: bool
) -> None:
    plan = planned([float(i + 1) for i in range(turns)], explored, 5.0)
    assert bool(charts.busy_warning(plan, "day", past)) == warned


def test_rewards_are_compared_with_the_best_arm() -> None:
    history = played([0, -1, 1], [60.0, NAN, 20.0])

    def said(worth: float, known: PlayHistory = history) -> str:
        return charts.rewards(days(3), known, "red", worth).sentence

    assert said(0.5) == (
        "80 earned. That is 80% of the 100 that red, the best arm so far at 0.5 per visitor, would "
        "have earned from the start."
    )
    assert said(NAN) == said(0.0) == said(-0.5) == "80 earned."
    assert "of the 1 that red" in said(0.005)
    assert said(0.5, played([0], [NAN])) == "There is no reward yet."
    earned, possible = charts.rewards(days(3), history, "red", 0.5).series
    assert (earned.values.tolist(), possible.values.tolist()) == (
        [60.0, 60.0, 80.0],
        [50.0, 50.0, 100.0],
    )
    assert charts.choices(days(3), played([])).sentence == "Nothing is decided yet."
    assert charts.choices(days(3), history).sentence.startswith("On 50% of 2 days it explored")


def test_a_turn_is_cheap_or_not_and_of_several_a_share_is() -> None:
    assert [charts._yes_or_share(x) for x in (0.0, 1.0, 0.25)] == ["no", "yes", "25%"]


def test_plays_are_counted_up_to_a_turn() -> None:
    history = played([0, -1, 1, 0])
    assert history.plays(before=1) == {"a": 0, "b": 0, "c": 0}
    assert history.plays(before=4) == {"a": 1, "b": 1, "c": 0}
    assert history.plays(before=5) == {"a": 2, "b": 1, "c": 0}


# ---- views -------------------------------------------------------------------------------------


def report(name: str, status: str = "playing", **numbers: Any) -> ArmReport:
    known = {"estimate": None, "low": None, "high": None} | numbers
    return ArmReport(name, "", status, None, None, 0, 0, **known)  # type: ignore[arg-type]  # one of four words


def viewed(history: PlayHistory, **changes: Any) -> ExperimentView:
    """Ten days in November of an experiment, seen at noon of the third."""
    turns = changes.pop("turns", days(10))
    state = SimpleNamespace(priced=False, **{
        "arms": (report("a", estimate=5.0), report("b")), "best": "a", "turns": 10, "decided": 4,
        "reward_range": None, "status": "running",
    } | changes.pop("state", {}))  # fmt: skip
    arms = {name: Arm(name) for name in "ab"}
    moment = datetime(2026, 11, 4, 12, tzinfo=UTC)
    given: dict[str, Any] = {
        "state": state, "policy": hs.UCB(), "turns": turns, "arms": arms,
        "plan": hs.EpsilonGreedy().plan(turns.multiplier, 2), "coming": [], "latest": [],
        "history": history, "moment": moment,
    }  # fmt: skip
    return ExperimentView(**given | changes)


def test_estimates_lie_on_a_scale_with_margins() -> None:
    arms = (report("a", estimate=15.0, low=10.0, high=20.0), report("b"))
    first, second = viewed(played([]), state={"arms": arms}).arm_rows()
    assert (first.low, first.mark, first.high) == (3.7, 50.0, 96.3)  # 0.4 of 10.8
    assert (second.low, second.mark, second.high) == (None, None, None)
    for value in (0.0, 5.0, -5.0):
        rows = viewed(played([]), state={"arms": (report("a", estimate=value),)}).arm_rows()
        assert rows[0].mark == 50.0
    close = (report("a", estimate=1000.0), report("b", estimate=1000.1))
    marks = [one.mark for one in viewed(played([]), state={"arms": close}).arm_rows()]
    assert marks == pytest.approx([100 * 1.0001 / 2.1002, 100 * 1.1001 / 2.1002], abs=0.01)


def test_arms_in_the_game_come_first_and_the_best_before_them() -> None:
    arms = (
        report("gone", "removed", estimate=99.0), report("over", "ended", estimate=98.0),
        report("soon", "waiting", estimate=97.0), report("new"), report("good", estimate=5.0),
        report("better", estimate=6.0), report("best", estimate=4.0),
    )  # fmt: skip
    view = viewed(played([]), state={"arms": arms, "best": "best"})
    names = [row.report.id for row in view.arm_rows()]
    assert names == ["best", "better", "good", "new", "soon", "over", "gone"]
    assert [row.best for row in view.arm_rows()] == [True] + [False] * 6
    assert [row.report.id for row in view.arm_rows(2, 3)] == ["good", "new", "soon"]


def test_turns_that_wait_for_a_reward() -> None:
    view = viewed(played([0, 1, -1, 0, 1], [NAN, 40.0, NAN, NAN, NAN]))
    assert (view.now, view.past, view.late) == (3, 2, 1)
    assert [turn for turn, _ in view.waiting] == [1, 4, 5]  # what is over first, then today
    assert view.waiting[0][1] == "Mon 2 Nov 2026: a"
    assert view.rewarded == [(2, "Tue 3 Nov 2026: b, 40 from 100 visitors")]
    assert view.explored == 0.5
    assert view.earned == 40.0
    assert view.planned_from == 2
    assert math.isnan(viewed(played([])).explored)
    many = viewed(played([0] * 130, [NAN] * 130), turns=days(130))
    assert [turn for turn, _ in many.waiting] == list(range(31, 131))


@pytest.mark.parametrize(
    ("arms", "rewards", "planned_from"),
    [
        ([0, 1], [50.0, NAN], 2),
        ([0, 1, 0, -1, 1], None, 3),
        ([0, 1, 0, 1], None, 4),
        ([0, 1], [NAN, NAN], 2),
        ([], None, 2),
    ],
)
def test_a_plan_begins_after_what_is_over_or_decided(
    arms: list[int], rewards: list[float] | None, planned_from: int
) -> None:
    view = viewed(played(arms, rewards))
    assert view.planned_from == planned_from


def test_without_a_calendar_what_is_decided_is_over() -> None:
    assert viewed(played([0]), turns=TrafficForecast((5.0,) * 10)).past == 1


@pytest.mark.parametrize(
    ("moment", "said"),
    [
        (datetime(2026, 11, 1, 23, tzinfo=UTC), "Begins Mon 2 Nov 2026"),
        (datetime(2026, 11, 5, 12, tzinfo=UTC), "Closed now"),
        (datetime(2026, 11, 12, 1, tzinfo=UTC), "The forecast has ended"),
    ],
)
def test_why_no_turn_is_now(moment: datetime, said: str) -> None:
    assert viewed(played([]), moment=moment).without_turn == said
    bare = viewed(played([]), turns=TrafficForecast((5.0,) * 10), moment=moment)
    assert bare.without_turn == "All turns are decided"


def test_what_someone_should_look_at() -> None:
    def banners(history: PlayHistory, **state: Any) -> str:
        moment = datetime(2026, 11, 6, 12, tzinfo=UTC)  # four days are over
        return " ".join(viewed(history, moment=moment, turns=days(9), state=state).banners)

    assert banners(played([0, 1, 0, 1], [NAN, NAN, 5.0, 5.0])) == ""
    assert banners(played([0, 1, 0, 1], [NAN, NAN, NAN, 5.0])).startswith("3 days without a reward")
    gone, soon = report("a", "removed"), report("b", "waiting")
    assert banners(played([]), arms=(gone,)) == "No arm is in the game. Add one, or bring one back."
    assert banners(played([]), arms=(gone, soon)).endswith("One waits for its first turn.")
    assert banners(played([]), arms=(gone,), status="paused") == ""


@pytest.mark.parametrize(
    ("removed", "later", "was_there"),
    [(False, [], True), (True, [], False), (True, ["went"], True), (False, ["came", "went"], False),
     (False, ["another came", "went"], True), (False, ["before: came"], True)],
)  # fmt: skip
def test_an_arm_was_there_by_its_first_change_since(
    removed: bool, later: list[str], was_there: bool
) -> None:
    changes = [
        charts.ArmChange(
            3 if "before" in one else 5 + place, "b" if "another" in one else "a", "went" in one
        )
        for place, one in enumerate(later)
    ]
    view = SimpleNamespace(
        history=SimpleNamespace(turn=[1], entry=[4], changes=changes),
        arms={"a": Arm("a", removed=removed)},
    )
    for chosen, others in (("c", ["a"] * was_there), ("a", [])):
        record = SimpleNamespace(turn=1, arm=chosen)
        assert list(ExperimentView._others(view, record)) == others


def test_a_day_is_busy_from_where_the_plan_says() -> None:
    turns = TrafficForecast((10.0, 20.0, 30.0))
    view = viewed(played([]), turns=turns, plan=SimpleNamespace(busy_from=20.0))
    assert [view.occasion(turn) for turn in (1, 2, 3)] == ["Quiet turn", "Busy turn", "Busy turn"]
    christmas = TrafficForecast((10.0,) * 3, Calendar.starting("2026-12-24"))
    named = viewed(played([]), turns=christmas, plan=SimpleNamespace(busy_from=20.0))
    assert [named.occasion(turn) for turn in (1, 2)] == ["Christmas Eve", "Christmas Day"]


# ---- forecasts ---------------------------------------------------------------------------------


def test_a_moment_belongs_to_the_turn_that_has_begun() -> None:
    turns = days(3, zone="Europe/Rome")
    midnight = datetime(2026, 11, 1, 23, tzinfo=UTC)  # of 2 November in Rome
    assert turns.turn_at(midnight) == 1
    assert turns.turn_at(midnight + timedelta(days=3, seconds=-1)) == 3
    assert [turns.place(midnight + timedelta(days=d)) for d in (-1, 0, 3)] == [0, 1, 4]
    for moment in (midnight - timedelta(seconds=1), midnight + timedelta(days=3)):
        with pytest.raises(ClashError, match="goes from 2026-11-02 to 2026-11-04"):
            turns.turn_at(moment)
    assert (turns.starts(2), turns.time(2)) == ("2026-11-03T00:00+01:00", "2026-11-03")
    assert turns.replaced(2, [7.0]).values == (100.0, 7.0)


def test_landmarks_are_where_the_axis_has_their_days() -> None:
    turns = TrafficForecast((1.0,) * 29, Calendar.starting("2026-11-27"))
    friday, christmas = turns.landmarks()
    assert friday == (turns.positions(np.array([0]))[0], "Black Friday")
    assert christmas == (turns.positions(np.array([28]))[0], "Christmas")
    assert turns.landmarks() == replace(turns, values=(1.0,) * 40).landmarks()


@pytest.mark.parametrize(
    ("first_day", "first_open", "found"),
    [
        ("2026-11-02", 1, (1, [1.0, 2.0])),
        ("2026-11-04", 1, (3, [1.0, 2.0])),
        ("2026-11-05", 1, (4, [1.0, 2.0])),  # right after the three turns that there are
        ("2026-11-06", 1, None),
        ("2026-11-01", 1, None),
        ("2026-11-02", 2, (2, [2.0])),
        ("2026-11-02", 3, "decided"),
    ],
)
def test_a_new_forecast_begins_where_its_rows_do(
    first_day: str, first_open: int, found: Any
) -> None:
    G = hs.traffic.from_values([1.0, 2.0], np.datetime64(first_day) + np.arange(2))
    known = Calendar.starting("2026-11-02")
    if isinstance(found, tuple):
        assert replacement(known, 3, first_open, G) == found
        assert replacement(None, 3, first_open, G) == (first_open, [1.0, 2.0])
    else:
        with pytest.raises(
            ClashError if found else InvalidError, match=found or "expected one per day"
        ):
            replacement(known, 3, first_open, G)


# ---- arms, turns and settings ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arm", "turns"),
    [(Arm("a"), {1, 2, 3, 4, 5}), (Arm("a", start=2), {2, 3, 4, 5}), (Arm("a", end=3), {1, 2, 3}),
     (Arm("a", start=2, end=2), {2})],
)  # fmt: skip
def test_an_arm_spans_its_first_and_last_turn(arm: Arm, turns: set[int]) -> None:
    assert {turn for turn in range(1, 6) if arm.spans(turn)} == turns


def test_settings_are_what_they_were_after_a_round_trip() -> None:
    for one in (settings(), settings(noise=Noise("visitors", 0.01), stay_with_leader=True)):
        again = Settings.from_dict(settings_body(one))
        assert again == one


def live(**changes: Any) -> LiveExperiment:
    entry = Entry(1, "", "created", None, settings_body(settings(turns=6, **changes)))
    return LiveExperiment([entry])


def test_rewards_at_the_ends_of_their_range_are_not_asked_about() -> None:
    one = live(reward_range=(1.0, 12.0))
    for reward in (10.0, 120.0):
        one.ask([Outcome(1, reward, 10.0)], confirm=False)
    for reward in (9.9, 120.1):
        with pytest.raises(UnconfirmedError, match=r"turn 1: .* outside the range of 1 to 12"):
            one.ask([Outcome(1, reward, 10.0)], confirm=False)
    free = live(reward_range=None, policy="epsilon-z")
    free.ask([Outcome(1, 1e9, 100.0)], confirm=False)


def test_only_turns_of_the_forecast_can_be_decided() -> None:
    one = live()
    for turn in (0, 7):
        with pytest.raises(ClashError, match="which has the turns 1 to 6"):
            one.check_turn(turn)
    one.check_turn(1)
    one.check_turn(6)


@pytest.fixture
def shop(tmp_path: Path, shelf: Path) -> Iterator[Service]:
    """A service with an experiment of 40 days, on its third."""
    with Service(shutil.copy(shelf, tmp_path), clock=lambda: MOMENT) as service:
        yield service


def looked(service: Service, ask: Callable[[LiveExperiment], Any]) -> Any:
    return service.look("shelf", ask)


def test_what_is_late_and_what_is_next(shop: Service) -> None:
    for turn in (1, 2, 4):
        shop.decide("shelf", turn)
    shop.update_many("shelf", [Outcome(2, 10.0, 50.0)])
    assert [looked(shop, lambda one, t=t: one.late(t)) for t in (1, 2, 4, 5)] == [0, 1, 1, 2]
    state = shop.state("shelf")
    assert (state.decided, state.rewarded, state.first_open, state.last_turn) == (3, 1, 3, 4)
    before, after = MOMENT - timedelta(days=90), MOMENT + timedelta(days=90)
    assert [looked(shop, lambda one, m=m: one.next_turn(m)) for m in (before, MOMENT, after)] == [
        3,
        3,
        3,
    ]
    assert [one.turn for one in shop.plan("shelf", 3)] == [3, 5, 6]


def test_a_plan_says_what_exploring_may_cost(shop: Service) -> None:
    for turn, each in ((1, 5.0), (2, 3.0), (3, 4.0)):
        shop.decide("shelf", turn)
        shop.update_many("shelf", [Outcome(turn, each * 100.0, 100.0)])
    (first, *_) = shop.plan("shelf", 1)
    known = {arm.id: arm.estimate for arm in shop.state("shelf").arms}
    best = max(known, key=lambda arm: known[arm] or 0.0)
    chances = looked(shop, lambda one: one.bandit.probabilities(4, list(known)))
    assert first.turn == 4
    assert first.best == best
    assert first.exploration == pytest.approx(1.0 - chances[best])
    lost = sum(chances[arm] * (known[best] - known[arm]) for arm in known)  # type: ignore[operator]  # all are known
    assert first.cost == pytest.approx(80.0 * lost)  # visitors of the fourth day


def test_what_an_arm_without_an_estimate_costs_is_not_known(shop: Service) -> None:
    shop.decide("shelf", 1)
    shop.update_many("shelf", [Outcome(1, 500.0, 100.0)])
    (untried,) = shop.plan("shelf", 1)
    assert untried.best is not None
    assert untried.cost is None


def test_arms_and_forecasts_are_refused_where_turns_are_decided(shop: Service) -> None:
    for turn in (1, 2, 3):
        shop.decide("shelf", turn)
    with pytest.raises(ClashError, match="would end at turn 3: that is decided"):
        shop.add_arm("shelf", Arm("8.99", start=2, end=3))
    shop.add_arm("shelf", Arm("8.99", start=2, end=4))
    with pytest.raises(ClashError, match=r"there is an arm '8.99' already"):
        shop.add_arm("shelf", Arm("8.99"))
    with pytest.raises(ClashError, match="the forecast ends at turn 40, so 42 cannot be the next"):
        shop.reforecast("shelf", 42, [5.0])
    with pytest.raises(ClashError, match="every turn of the new forecast is decided"):
        shop.reforecast("shelf", 1, [5.0, 5.0])
    with pytest.raises(ClashError, match="every turn of the new forecast is decided"):
        shop.reforecast("shelf", 2, [5.0, 5.0])
    assert shop.reforecast("shelf", 41, [5.0])["turns"] == 41
    assert shop.reforecast("shelf", 3, [7.0, 8.0]) == {"version": 3, "turns": 4}
    kept = looked(shop, lambda one: one.forecast.values)
    assert kept == (100.0, 250.0, 60.0, 8.0)  # the third was decided with 60


def test_views_of_fifty_experiments_are_kept(shop: Service) -> None:
    assert Views(shop)._known._most == 50


# ---- requests ----------------------------------------------------------------------------------


def test_scopes_include_those_before_them() -> None:
    scopes = ("read", "decide", "admin")
    allowed = {(a, b) for a in scopes for b in scopes if security.includes(a, b)}
    assert allowed == {(a, b) for i, a in enumerate(scopes) for b in scopes[: i + 1]}


@pytest.mark.parametrize(
    ("method", "headers", "status"),
    [
        ("POST", {"origin": "http://shop:8000", "host": "shop:8000"}, None),
        ("POST", {"origin": "http://shop", "host": "shop:8000"}, 403),
        ("GET", {"origin": "http://other", "host": "shop"}, None),
        ("POST", {"host": "shop"}, None),
        ("POST", {"content-length": str(8 * 1024 * 1024)}, None),
        ("POST", {"content-length": str(8 * 1024 * 1024 + 1)}, 413),
        ("POST", {"content-length": "-1"}, 413),
    ],
)
def test_requests_are_refused_before_they_are_read(
    method: str, headers: dict[str, str], status: int | None
) -> None:
    raw = [(name.encode(), value.encode()) for name, value in headers.items()]
    asked = {"type": "http", "method": method, "headers": raw}
    found = security._refusal(asked, security.MOST_BYTES)
    assert (None if found is None else found.status_code) == status


def test_bytes_are_counted_as_they_come() -> None:
    async def read(*parts: bytes) -> None:
        left = list(parts)

        async def receive() -> Any:
            return {"body": left.pop(0), "more_body": bool(left)}

        counted = security._limited(receive, 4)
        while left:
            await counted()

    asyncio.run(read(b"ab", b"cd"))
    with pytest.raises(HTTPException, match="at most 4 bytes"):
        asyncio.run(read(b"ab", b"cde"))


@pytest.mark.parametrize(
    ("address", "safe"),
    [("/", True), ("/experiments/a?b=c", True), ("//other.site", False), ("/\\other", False),
     ("http://other", False), ("experiments", False), ('/a"b', False), ("", False)],
)  # fmt: skip
def test_only_addresses_of_this_service_are_followed(address: str, safe: bool) -> None:
    assert _local(address) == (address if safe else "/")


def test_answer_times_are_counted_from_a_millisecond_to_five_seconds() -> None:
    each = [unit * power for power in (0.001, 0.01, 0.1, 1.0) for unit in (1, 2.5, 5)]
    assert list(app.EDGES) == pytest.approx(each)


def test_defaults_are_the_same_in_every_door() -> None:
    """The client's, the library's, and those of the addresses that they ask."""
    asked = {one.name: one.endpoint for one in routes.router.routes if isinstance(one, APIRoute)}
    for name, route in {
        "decisions": "list_decisions",
        "plan": "plan",
        "events": "list_events",
    }.items():
        ours, theirs, answered = (
            {
                key: value.default
                for key, value in inspect.signature(one).parameters.items()
                if key in ("limit", "turns", "after")
            }
            for one in (getattr(Service, name), getattr(Client, name), asked[route])
        )
        assert ours == theirs == answered
    assert inspect.signature(Service.decisions).parameters["limit"].default == 100


# ---- forms and errors --------------------------------------------------------------------------


def test_what_was_sent_is_shown_briefly() -> None:
    assert _shown("x" * 40) == repr("x" * 40)
    assert _shown("x" * 41) == repr("x" * 39 + "…")
    assert [_shown(one) for one in (None, True, False, 12, [1, 2], {})] == [
        "nothing", "true", "false", "12", "a list of 2", "an object"
    ]  # fmt: skip
    assert len(_shown(10**60)) == 40


def test_three_mistakes_are_named_each_once() -> None:
    def missing(*place: Any) -> dict[str, Any]:
        return {"type": "missing", "loc": place}

    four = [missing("body", name) for name in "abcd"]
    assert in_words([four[0], *four]) == "a: it is missing; b: it is missing; c: it is missing"
    assert in_words([missing("x", "body")]) == "x.body: it is missing"
    assert in_words([missing("query")]) == "the body: it is missing"
    assert in_words([missing()]) == "the body: it is missing"
    assert in_words([{"type": "json_invalid", "loc": ("body", 7)}]).endswith("see character 8")
    nested = missing("body", "arms", 0, "value", "float")
    assert in_words([nested]).startswith("arms[0].value: expected a number, a text")


@pytest.mark.parametrize(
    ("text", "found"),
    [("12", 12), (" -3 ", -3), ("9" * 15, int("9" * 15)), ("9" * 16, None), ("1.5", None)],
)
def test_whole_numbers_are_typed(text: str, found: int | None) -> None:
    if found is None:
        with pytest.raises(InvalidError, match="turns: expected a whole number, got '"):
            forms.whole({"turns": text}, "turns")
    else:
        assert forms.whole({"turns": text}, "turns") == found
    assert forms.whole({}, "turns", "5") == forms.whole({"turns": ""}, "turns", "5") == 5


def test_numbers_are_typed() -> None:
    assert forms.number({"x": " 1.5 "}, "x") == 1.5
    assert forms.number({"x": ""}, "x", "0") == 0.0
    with pytest.raises(InvalidError, match=r"x: expected a number such as 1234.5, got 'a'"):
        forms.number({"x": "a"}, "x")


def test_an_address_is_made_from_a_name() -> None:
    assert forms.address("Tea & Coffee, 2026!") == "tea-coffee-2026"
    assert forms.address("茶") == "experiment"
    assert len(forms.address("x" * 101)) == 100


FIELDS = dict.fromkeys(("zone", "dates", "decimal", "value", "every", "floor", "events"), "")


def past(turns: str, events: str = "", rows: int = 21, dates: str = "") -> Any:
    first = date(2026, 11, 2)
    lines = [f"{first + timedelta(days=i)},{100 + 50 * (i % 7 > 4)}" for i in range(rows)]
    content = "\n".join(["day,visitors", *lines]).encode()
    fields = FIELDS | {"meaning": "past", "turns": turns, "events": events, "dates": dates}
    return forms.uploaded_forecast(fields, "shop.csv", content)


@pytest.mark.parametrize(
    ("turns", "is_fine"), [("0", False), ("1", True), ("210", True), ("211", False)]
)
def test_ten_times_the_past_can_be_forecast(turns: str, is_fine: bool) -> None:
    if is_fine:
        assert past(turns)[0].turns == int(turns)
    else:
        with pytest.raises(InvalidError, match="turns: from 1 to 210 can be forecast from 21 rows"):
            past(turns)


def test_own_days_are_a_date_and_a_kind() -> None:
    with pytest.raises(InvalidError, match="expected a date and a kind, got '2026-11-25'"):
        past("7", "2026-11-25")
    with pytest.raises(InvalidError, match="pass dates='dmy' or dates='mdy'"):
        past("7", "05/11/2026 sale")
    assert past("7", "05/11/2026 sale", dates="dmy")[1] == ["Your own days: sale"]
    G, notes = past("7", "2026-11-25 closed\n2026-11-10, big sale\n\n2026-11-12;big sale")
    closed = G.values[2]  # Wednesday, the third day to come
    assert closed == min(1.0, G.values.min()) == 1.0
    assert sum(G.values == closed) == 1
    assert notes[-2:] == ["Wed 25 Nov: closed, nobody is expected", "Your own days: big sale"]


def test_a_file_has_fewer_than_a_thousand_separators_in_a_row() -> None:
    forms._check_size("x.csv", b"a" + b"," * 999)
    with pytest.raises(InvalidError, match="at most 1,000 columns"):
        forms._check_size("x.csv", b"a" + b";" * 1000)
