"""When a plan explores, in numbers and words."""

from __future__ import annotations

import json
import math
from types import SimpleNamespace

import numpy as np
import pytest

import highseason as hs
from highseason.engine import with_interval
from highseason.report import timing
from highseason.report.drawing import PAGE_WIDTH, figure_size
from highseason.report.plan_plots import advice


def test_the_numbers_are_those_of_the_plan() -> None:
    G = hs.traffic.christmas(turns=500)
    plan = hs.UCBZ(z=30).plan(G, arms=25)
    timed = timing(plan)
    later, quiet = plan.exploration[25:], G.values[25:] < 30
    assert (timed.turns, timed.first_round) == (500, 25)
    assert timed.exploiting == int((later == 0).sum())
    assert timed.quiet_turns == quiet.mean()
    assert timed.quiet_below == plan.busy_from == 30
    assert timed.quiet_exploration == 1.0
    assert timed.stakes_exploring == pytest.approx(
        (plan.exploration * G.values).sum() / G.values.sum()
    )


def test_without_a_threshold_the_busiest_quarter_is_busy() -> None:
    G = hs.traffic.christmas(turns=500)
    for policy in (hs.UCB(), hs.SoftUCB()):
        timed = timing(policy.plan(G, arms=5))
        assert timed.quiet_below == np.quantile(G.values, 0.75)


def test_a_plan_prints_as_a_table() -> None:
    plan = hs.UCBZ().plan(hs.traffic.christmas(turns=500), arms=25)
    text = str(plan)
    assert text.startswith("christmas: 500 turns, G from ")
    assert "explores most" in text
    assert max(map(len, text.splitlines())) <= 80
    assert "<td>ucb-z</td>" in plan._repr_html_()
    assert repr(plan) == "<Plan ucb-z: 500 turns on christmas, 25 arms>"


def test_a_plan_as_a_frame() -> None:
    days = np.datetime64("2025-01-01") + np.arange(4)
    plan = hs.UCBZ(z=30).plan(hs.traffic.from_values([1, 1, 40, 1], days), arms=1)
    frame = plan.to_pandas()
    assert list(frame.columns) == ["G", "level", "exploration", "busy"]
    assert frame["busy"].tolist() == [False, False, True, False]
    assert frame.loc["2025-01-03", "level"] == plan.at(3)


def test_stretches_are_the_turns_near_the_most() -> None:
    plan = hs.EpsilonZGreedy(k=1, z=30).plan([1, 1, 1, 40, 40, 1, 1], arms=1)
    timed = timing(plan)
    assert [(s.first, s.last) for s in timed.most] == [(2, 2)]
    assert plan.exploration.tolist() == pytest.approx([1, 1 / 2, 1 / 3, 0, 0, 1 / 4, 1 / 5])
    assert "explores most on turn 2;" in timed.sentence()


def test_many_stretches_are_counted() -> None:
    G = hs.traffic.wave(turns=400)
    sentence = timing(hs.UCBZ(z=30).plan(G, arms=80)).sentence()
    assert "more stretches" in sentence


@pytest.mark.parametrize(
    ("policy", "words"),
    [
        (hs.Greedy(), "once (5 turns, 5% of total G), and never explores after that."),
        (hs.UniformRandom(), "explores most on every turn alike; 0 of 95 turns exploit"),
    ],
)
def test_those_that_never_or_always_explore(policy: hs.Policy, words: str) -> None:
    assert words in timing(policy.plan(hs.traffic.constant(turns=100), arms=5)).sentence()


def test_a_game_of_nothing_but_first_tries() -> None:
    timed = timing(hs.UCB().plan(hs.traffic.wave(turns=5), arms=9))
    assert timed.sentence() == "tries a new arm in every turn (5 turns)."
    assert math.isnan(timed.quiet_exploration)


def test_a_calendar_is_timed_in_dates() -> None:
    days = ["2026-12-21", "2026-12-22", "2026-12-23", "2026-12-24"]
    G = hs.traffic.from_values([1, 1, 40, 1], calendar=days)
    timed = timing(hs.EpsilonZGreedy(k=1, z=30).plan(G, arms=1))
    assert "explores most on 2026-12-22;" in timed.sentence()
    assert timed.to_dict()["most"] == [
        {"first": 2, "last": 2, "begins": "2026-12-22", "ends": "2026-12-22"}
    ]


def test_it_goes_into_json() -> None:
    timed = timing(hs.UCBZ(z=30).plan(hs.traffic.wave(turns=100), arms=5)).to_dict()
    assert json.loads(json.dumps(timed)) == timed


def test_a_plan_of_prices_claims_no_share_of_exploration() -> None:
    plan = hs.OptionIndex().plan([1, 1, 40, 1, 1, 1], arms=2)
    timed = timing(plan)
    assert "worth the price of trying it, which is lowest on turns 1 to 2." in timed.sentence()
    assert timed.to_dict()["exploiting"] is None
    row = next(line for line in str(plan).splitlines() if line.startswith("option-index"))
    assert row.split() == ["option-index", "1", "turns", "1", "to", "2", "–", "–", "–"]


def test_exploring_is_cheapest_on_a_quarter_of_the_turns() -> None:
    G = hs.traffic.wave(turns=500)
    plan = hs.OptionIndex(wait=False).plan(G, arms=25)
    stretches = timing(plan).most
    assert sum(one.last - one.first + 1 for one in stretches) == 125
    assert (stretches[0].first, stretches[0].last) == (14, 24)  # around the first trough
    assert timing(hs.OptionIndex().plan([5], arms=2)).most == ()


@pytest.mark.parametrize("policy", [hs.OptionIndex(), hs.UCBZ()], ids=["prices", "exploration"])
def test_long_names_leave_all_words_of_the_advice_inside(policy: hs.Policy) -> None:
    label = "option-index:count=visitors,regulated=false"
    plan = policy.plan(hs.traffic.wave(turns=60), arms=4)
    compared = [SimpleNamespace(policy=label, lead=with_interval(0.02, 0.01))]
    comparison = SimpleNamespace(compared=compared)
    with figure_size(PAGE_WIDTH, 6):
        figure = advice(SimpleNamespace(plan=plan, policy=policy, comparison=comparison))
    figure.canvas.draw_without_rendering()  # which lays it out
    for axes in figure.canvas.axes:
        for text in (*figure.canvas.texts, axes.xaxis.label, axes.title, *axes.get_yticklabels()):
            box = text.get_window_extent()
            assert box.x0 >= -1, text
            assert box.x1 <= figure.canvas.bbox.width + 1, text
