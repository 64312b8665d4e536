"""Numbers and borders of advice that no whole answer shows: each is put exactly on its border."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime
from typing import Any, cast

import numpy as np
import pytest

import highseason as hs
from highseason.advice import (
    Advice,
    Axis,
    Budget,
    Compared,
    Score,
    Space,
    World,
    WorldComparison,
    Zoom,
    derive_seed,
    kind_of,
    recommend,
    search,
)
from highseason.advice.cautions import cautions
from highseason.advice.comparison import Leads
from highseason.advice.days import Day, as_calendar, coming_days, in_words
from highseason.advice.recommend import Finalists, Judge
from highseason.advice.trials import axes, ends_of
from highseason.advice.tuner import Curve, Tuned
from highseason.advice.worlds import apart
from highseason.core.parallel import opened
from highseason.engine import Estimate, Moments, SimulationResult
from highseason.policies import Policy

LEVEL = Estimate(0.0, 0.0, 0.0, 0.0)
#: A day that is no feast, in the week before Black Friday.
MONDAY = np.datetime64("2025-11-17")


def advised(
    world: World,
    G: hs.traffic.Multiplier | None = None,
    policy: Policy | None = None,
    lead: Estimate = LEVEL,
    earned: float = 0.9,
) -> Advice:
    """Advice to explore: of 100 orders its policy loses what it does not earn."""
    G = hs.traffic.from_values([100.0] * 10) if G is None else G
    policy = hs.UCB(P=0.5) if policy is None else policy
    compared = tuple(
        Compared(one, kind_of(one), 100 * (1 - earned), 0.1, earned, 0.5, lead)
        for one in (policy, hs.Greedy(), hs.UCBZ())
    )
    comparison = WorldComparison(world, policy, "explore", compared, True, True, 4, 100)
    return Advice(comparison, (), policy.plan(G, world.rewards.arms), (), None, True, 0)


SHOP = World.of("visitors", 4, (0.02, 0.04))


# ---- in words ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("low", "value", "high", "said"),
    [
        (0.0, 0.1, 0.2, "no clear difference to greedy: 0 orders less to 20 more;"),
        (-0.2, -0.1, 0.0, "no clear difference to greedy: 20 orders less to 0 more;"),
        (-0.004, 0.1, 0.3, "no clear difference to greedy: 0 orders less to 30 more;"),
        (0.004, 0.006, 0.008, "about 1 orders more than greedy, between 0 and 1;"),
        (-0.008, -0.006, -0.004, "about 1 orders less than greedy, between 0 and 1;"),
    ],
)
def test_a_difference_is_clear_where_its_interval_leaves_zero_out(
    low: float, value: float, high: float, said: str
) -> None:
    assert said in advised(SHOP, lead=Estimate(value, 0.1, low, high)).in_units()


def test_a_policy_that_loses_nothing_loses_no_orders() -> None:
    said = advised(SHOP, earned=1.0).in_units()
    assert said.endswith("; and 0 orders less than with the best arm known from the start.")


@pytest.mark.parametrize(
    ("rewards", "unit"),
    [
        (hs.rewards.spend(4, between=(0.02, 0.04), values=40), ""),
        (hs.rewards.visitors(4, between=(0.02, 0.04)), " orders"),
    ],
)
def test_what_is_paid_in_money_is_not_called_orders(rewards: Any, unit: str) -> None:
    advice = advised(World(rewards), lead=Estimate(0.2, 0.1, 0.1, 0.3))
    assert f"about 20{unit} more than greedy" in advice.in_units()
    assert "about 140 € more than greedy" in advice.in_units(7, "€")


def test_a_season_is_named_by_its_last_day() -> None:
    G = hs.traffic.from_values([100.0] * 3, MONDAY + np.arange(3))
    assert advised(SHOP, G).in_units().startswith("By 19 November 2025: ")


@pytest.mark.parametrize(
    ("tries", "arm", "what"),
    [
        (1.0, "a", "try a"),
        (0.0, "a", "play the best so far"),
        (0.5, None, "try another arm"),
        (0.475, None, "play the best so far, or try another arm (48%)"),
        (0.125, None, "play the best so far, or try another arm (12%)"),
        (0.1, None, "play the best so far"),
    ],
)
def test_what_to_do_depends_on_how_often_bandits_do_it(
    tries: float, arm: str | None, what: str
) -> None:
    assert Day(1, None, True, 1.0, "", tries, arm).what == what


@pytest.mark.parametrize(
    ("today", "turns"),
    [
        ("2025-11-16", [1, 2, 3, 4, 5]),
        ("2025-11-20", [4, 5]),
        ("2025-11-21", [5]),
        ("2025-11-22", [1, 2, 3, 4, 5]),  # the season is over: it may come again
    ],
)
def test_coming_days_end_with_the_season(today: str, turns: list[int]) -> None:
    G = hs.traffic.from_values([10.0, 20.0, 30.0, 40.0, 50.0], MONDAY + np.arange(5))
    plan = hs.Greedy().plan(G, 2)
    days = coming_days(plan, hs.rewards.visitors(2), today=date.fromisoformat(today))
    assert [day.turn for day in days] == turns
    assert [day.visitors for day in days] == [10.0 * turn for turn in turns]
    assert [day.begins for day in days] == [datetime(2025, 11, 16 + turn) for turn in turns]


@pytest.mark.parametrize(("hours", "whole"), [([0], True), ([0, 24], True), ([0, 23], False)])
def test_turns_shorter_than_a_day_say_when_they_begin(hours: list[int], whole: bool) -> None:
    friday = np.datetime64("2025-11-28T09", "h") + np.array(hours)
    G = hs.traffic.from_values([10.0] * len(hours), friday)
    first = coming_days(hs.Greedy().plan(G, 2), hs.rewards.visitors(2), today=date(2025, 11, 28))[0]
    assert first.whole == whole
    assert first.when == ("Fri 28 Nov" if whole else "Fri 28 Nov, 09:00")
    assert first.special == ("Black Friday" if whole else "")


def test_lines_of_a_calendar_are_folded_above_75_bytes() -> None:
    for length in range(1, 80):
        day = Day(1, datetime(2025, 11, 17), True, 9.0, "x" * length, 0.0, None)
        whole = f"SUMMARY:{'x' * length}\\, 9 visitors expected: play the best so far"
        lines = as_calendar([day]).split("\r\n")
        assert (whole in lines) == (len(whole) <= 75)
        assert max(map(len, lines)) <= 75
        assert f"\r\n{whole}\r\n" in as_calendar([day]).replace("\r\n ", "")


def test_the_list_of_days_says_what_its_percentages_are_of() -> None:
    assert "Percentages are of 40 simulated games." in in_words([])


def test_traffic_of_another_library_has_no_days_and_neither_has_a_shape() -> None:
    class First:
        def pull(self, arms: list[int]) -> int:
            return arms[0]

        def update(self, arm: int, reward: float) -> None:
            pass

    G = hs.traffic.from_values([100.0] * 3, MONDAY + np.arange(3))
    assert advised(SHOP, G, hs.policies.ForeignPolicy.of(First())).days() == []
    assert advised(SHOP, hs.traffic.wave(turns=5)).days() == []
    assert len(advised(SHOP, G).days()) == 3


# ---- when to be cautious -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "arms", "codes"),
    [
        ([3.0] * 10 + [1.0] * 10, 10, ["high-early"]),  # 1.5 times the mean
        ([8.0, 12.0] * 50, 4, ["no-low-turns"]),  # 0.8 of the mean is not quiet
        ([1.0, 9.0, 2.0], 3, ["nothing-to-learn"]),
        ([1.0, 9.0], 3, ["nothing-to-learn"]),
        ([9.0, 9.0, 9.0, 9.0], 3, ["no-low-turns"]),
    ],
)
def test_cautions_on_their_borders(values: list[float], arms: int, codes: list[str]) -> None:
    found = cautions(hs.traffic.from_values(values), arms)
    assert [one.code for one in found if one.code != "few-low-turns"] == codes
    assert all(one.code != "few-low-turns" for one in found) or len(values) == 20


def test_a_high_start_is_said_in_numbers() -> None:
    values = np.concatenate([np.full(12, 25.0), np.full(108, 7.5)])  # a tenth, and 27% of 1,110
    (one,) = (each for each in cautions(hs.traffic.from_values(values), 3) if "high" in each.text)
    assert "the first 12 turns average 2.703 times the season's mean and carry 27% of" in one.text


# ---- searches ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("policy", "ends"),
    [
        (hs.UCBZ(), {"z": (0.0, 1.0), "P": (1e-12, math.inf)}),
        (hs.VariablePool(), {"c": (1.01, math.inf), "unit": (1e-6, 1e3)}),
        (hs.policies.ConstantEpsilon(), {"epsilon": (1e-12, 1.0)}),
    ],
)
def test_no_search_goes_beyond_its_natural_ends(policy: Policy, ends: dict[str, Any]) -> None:
    assert {axis.name: ends_of(axis, policy) for axis in axes(policy)} == ends


def test_optuna_is_asked_for_eight_candidates_at_a_time_whatever_the_seed() -> None:
    pytest.importorskip("optuna")

    def found(seed: int) -> tuple[list[int], list[str]]:
        asked: list[int] = []

        def evaluate(policies: Sequence[Policy], games: int) -> list[Score]:
            asked.append(len(policies))
            return [Score(abs(policy.parameters()["P"] - 1), 0.0) for policy in policies]

        space = Space(hs.UCB(), (Axis("P", 1e-2, 1e1, "log"),))
        trials = search(space, evaluate, Budget(((21, 1),)), method="tpe", seed=seed)
        return asked, [str(trial.policy) for trial in trials]

    (asked, first), (_, other), (_, large) = map(found, (3, 2**31 + 3, 2**33 - 1))
    assert asked == [2, 8, 8, 3]
    assert len({tuple(first), tuple(other), tuple(large)}) == 3


def test_progress_counts_rounds() -> None:
    told: list[tuple[int, int]] = []
    space = Space(hs.UCB(), (Axis("P", 1e-2, 1e1, "log"),))

    def evaluate(policies: Sequence[Policy], games: int) -> list[Score]:
        return [Score(1.0, 0.0) for _ in policies]

    search(space, evaluate, Budget.halving(9, 180), progress=lambda *now: told.append(now))
    assert told == [(1, 2), (2, 2)]


def test_a_seed_for_the_search_has_48_bits_of_its_hash() -> None:
    assert derive_seed(3, "search") == int(hashlib.sha256(b"3/search").hexdigest()[:12], 16)


def test_a_zoom_near_something_tries_at_least_two() -> None:
    played: list[int] = []

    def evaluate(policies: Sequence[Policy], games: int) -> list[Score]:
        played.append(len(policies))
        return [Score(policy.parameters()["P"], 0.0) for policy in policies]

    space = Space(hs.UCB(), (Axis("P", 1e-2, 1e1, "log"),))
    Zoom(trials=2, steps=1).search(space, evaluate, near=hs.UCB(P=0.3))
    assert played[0] == 2
    (only,) = Zoom().search(Space(hs.Greedy(), ()), evaluate)
    assert (only.games, math.isnan(only.loss)) == (0, True)


@pytest.mark.parametrize(
    ("games", "turns", "searched"),
    [(1000, 100, 100), (20, 100, 40), (700, 300, 70), (1000, 2000, 75), (1000, 9000, 40)],
)
def test_a_search_plays_a_tenth_of_the_games_and_not_too_many_turns(
    games: int, turns: int, searched: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Caught:
        def __init__(self, games: int) -> None:
            self.games = games

        def search(self, *_: Any) -> int:
            return self.games

    monkeypatch.setattr(recommend, "Zoom", Caught)
    with opened("serial") as pool:
        study = Judge(hs.traffic.wave(turns=turns), games, 0, pool)
        assert study.search((SHOP.rewards, Space(hs.UCB(), ()), None)) == searched


@pytest.mark.parametrize(
    ("games", "size", "rounds"),
    [(1000, 100, 3), (200, 30, 2), (100, 30, 1), (20, 6, 1), (5, 2, 1), (2, 2, 1)],
)
def test_other_worlds_are_judged_in_three_tenths_of_the_games(
    games: int, size: int, rounds: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Judge, "verdict", lambda study, *_: study)
    monkeypatch.setattr(Judge, "finalists", lambda study, worlds, near: [near] * len(worlds))
    with opened("serial") as pool:
        study = Judge(hs.traffic.wave(turns=9), games, 0, pool)
        (few,) = cast(Any, list(study.glances([SHOP], Finalists((), 0))))
    assert (few.games, few.rounds) == (size, rounds)


def losing(
    *regrets: float, error: float = 0.0, best: float = 1.0, games: int = 100
) -> SimulationResult:
    """Games whose best arm earns `best`; the regret of the first policy has this error."""
    regret, scatter = np.array(regrets), np.zeros((len(regrets), len(regrets)))
    uncertain = scatter.copy()
    uncertain[0, 0] = error**2 * games * (games - 1)
    means = {"reward": best - regret, "exploited": np.zeros_like(regret)}
    moments = {name: Moments(games, mean, scatter) for name, mean in means.items()}
    moments["regret"] = Moments(games, regret, uncertain)
    names = tuple(map(str, range(len(regrets))))
    return SimulationResult(names, {}, (), moments, moments["regret"], None, {})


@pytest.mark.parametrize(
    ("loss", "error", "best", "suffices"),
    [
        (0.0010, 0.00016, 1.0, True),  # three errors more are 0.148%
        (0.0010, 0.00018, 1.0, False),
        (0.0010, 0.0, 0.5, False),
        (0.0050, 0.0, 4.0, True),
        (0.0015, 0.0, 1.0, False),
    ],
)
def test_nothing_is_tuned_where_greedy_clearly_loses_too_little(
    loss: float, error: float, best: float, suffices: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []

    def played(study: Judge, world: World, some: Finalists, number: int) -> SimulationResult:
        asked.append((some.policies, number))
        return losing(loss, error=error, best=best)

    monkeypatch.setattr(Judge, "played", played)
    with opened("serial") as pool:
        every = Judge(hs.traffic.wave(turns=9), 10, 0, pool).spaces(SHOP)
    assert asked == [((hs.Greedy(),), 0)]  # no game of a verdict
    assert any(space.axes for space in every) != suffices
    assert hs.Greedy() in [space.start for space in every]


def test_an_answer_that_is_decided_but_not_settled_takes_more_games(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[int] = []

    def played(study: Judge, world: World, some: Finalists, number: int) -> SimulationResult:
        asked.append(number)
        return losing(0.0099, 0.01, error=0.01)

    monkeypatch.setattr(Judge, "played", played)
    with opened("serial") as pool:
        study = Judge(hs.traffic.wave(turns=9), 100, 0, pool)
        found = study.verdict(SHOP, Finalists((hs.Greedy(), hs.OptionIndex()), 2))
    assert (found.decided, found.settled, asked) == (True, False, [1, 2, 3])


def test_a_lead_that_is_exactly_noticeable_is_not_enough_and_no_tie() -> None:
    leads = Leads(losing(0.0015, 0.0), ["greedy", "unregulated"])
    assert leads.of(1, 0).value == leads.noticeable(0) == 0.0015
    assert not leads.beats(1, 0)
    assert leads.choose() == (0, "greedy")
    assert leads.decide(0, "greedy", [1, 0])  # more games would not change it


@pytest.mark.parametrize(("above", "middle"), [(1e-6, None), (4e-6, 2e-6)])
def test_no_flip_is_searched_where_correlations_are_none(above: float, middle: Any) -> None:
    first = advised(SHOP.with_rho(0.0)).comparison
    other = replace(first, world=SHOP.with_rho(above), answer="regulate")
    assert recommend.middle_of_flip([first, other]) == pytest.approx(middle)


# ---- worlds, and whole answers -----------------------------------------------------------------


def test_without_rates_any_rate_is_possible_and_the_guides_ranges_are_typical() -> None:
    assert World.of("bernoulli", 3).rewards.between == (0.0, 1.0)
    assert World.of("visitors", 3, (0.0, 0.5), gap=0.5).rewards.between == (0.0, 0.5)
    said = [World.of("visitors", 3, rates).rates for rates in recommend.TYPICAL_RATES]
    assert said == ["2% to 5%", "0.2% to 1%", "10% to 30%"]
    assert recommend.RHOS == (0.0, 0.0001, 0.001, 0.01, 0.1, 1.0)
    assert recommend.FEW_RHOS == (0.0, 0.001, 0.01)


def test_typical_means_are_those_that_are_given() -> None:
    assert World.of(hs.rewards.visitors(rates=[0.02, 0.03]), 2).typical().tolist() == [0.02, 0.03]
    assert sorted(World.of("visitors", 3, (0.2, 0.6)).typical()) == pytest.approx([0.3, 0.4, 0.5])


def test_arms_that_are_all_the_worst_stay_so() -> None:
    assert apart(np.array([[0.9, 0.1, 0.1]]), 0.1, 0.3).tolist() == [[0.9, 0.1, 0.1]]
    assert apart(np.array([[0.2, 0.15, 0.1]]), 0.1, 0.3) == pytest.approx(
        np.array([[0.4, 0.1, 0.1]])
    )


@pytest.mark.parametrize(
    ("turns", "codes"),
    [(2, ["nothing-to-learn"]), (3, ["nothing-to-learn"]), (4, ["no-low-turns", "short-horizon"])],
)
def test_as_many_turns_as_arms_teach_nothing_but_have_bounds(
    turns: int, codes: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World.of("bernoulli", 3)
    found = replace(advised(world).comparison, policy=hs.Greedy(), answer="greedy")
    monkeypatch.setattr(Judge, "comparisons", lambda *_: [found])
    advice = hs.advise([2.0] * turns, 3, rewards="bernoulli", games=2, bounds=True)
    assert [one.code for one in advice.warnings] == codes
    assert [policy for policy, _ in advice.bounds or ()] == [hs.UCB(P=0.5), hs.UCBZ()] * (turns > 2)


def test_values_at_two_hundredths_of_a_range_are_at_its_end() -> None:
    axis = Axis("P", 0.0, 100.0, "linear")
    curve = Curve(axis, (0.0,), (Estimate(-0.1, 0.01, -0.12, -0.08),))

    def at_ends(P: float) -> tuple[str, ...]:
        return Tuned(hs.UCB(P=P), hs.UCB(), (), losing(0.1), (curve,), "spread", 0).at_ends

    assert [at_ends(P) for P in (2.0, 2.1, 97.9, 98.0)] == [("P",), (), (), ("P",)]


def test_worlds_are_sorted_with_none_first(monkeypatch: pytest.MonkeyPatch) -> None:
    worlds = [SHOP.with_rho(rho) for rho in (0.1, 0.0, 1.0)]
    advice = advised(SHOP)
    others = tuple(replace(advice.comparison, world=world) for world in worlds[1:])
    both = replace(advice, comparison=replace(advice.comparison, world=worlds[0]), others=others)
    assert [one.world.rho for one in both.by_rho] == [0.0, 0.1, 1.0]
    assert [row[0] for row in both.worlds_table().rows] == ["0", "0.1", "1"]
    monkeypatch.setattr(Judge, "comparisons", lambda *_: [both.comparison, *reversed(others)])
    G = hs.traffic.from_values([100.0] * 10)
    found = hs.advise(G, 4, rates=(0.02, 0.04), rho=0.1, games=2)
    assert [one.world.rho for one in found.others] == [0.0, 1.0]
