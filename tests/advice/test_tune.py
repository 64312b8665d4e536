"""Tuning chooses on some games and reports on others, the same every time."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Sequence

import numpy as np
import pytest

import highseason as hs
from highseason.advice import Axis, Budget, Score, Space, derive_seed, on_games, search
from highseason.advice.tuner import Curve, Tuned
from highseason.engine import Estimate

G = hs.traffic.wave(turns=200)
ARMS = hs.rewards.bernoulli(arms=8)


@pytest.mark.parametrize("how", ["spread", "tpe"])
def test_it_finds_better_than_far_too_much(how: str) -> None:
    tuned = hs.tune(hs.EpsilonGreedy(k=110), ARMS, G, trials=12, games=60, search=how)
    assert tuned.policy.parameters()["k"] < 1
    assert tuned.gain().low > 0.2
    assert len(tuned.trials) == 12


@pytest.mark.parametrize("how", ["spread", "tpe"])
def test_the_same_seed_gives_the_same(how: str) -> None:
    first, again = (
        hs.tune(hs.UCBZ, ARMS, G, trials=10, games=60, search=how, seed=5, workers=workers)
        for workers in (1, 2)
    )
    assert first.to_dict() == again.to_dict()
    assert first.to_dict() != hs.tune(
        hs.UCBZ, ARMS, G, trials=10, games=60, search=how, seed=6
    ).to_dict()  # fmt: skip


def test_what_is_reported_was_not_chosen_by() -> None:
    tuned = hs.tune(hs.UCB, ARMS, G, trials=4, games=50, search="spread", seed=3)
    assert tuned.search_seed == derive_seed(3, "search") != 3
    again = hs.simulate(tuned.policy, ARMS, G, games=50, seed=3)
    assert tuned.reported.mean("reward", "tuned") == again.mean("reward", 0)


def test_only_the_best_go_on_and_meet_the_same_games() -> None:
    evaluate = on_games(ARMS, G, seed=1)
    trials = search(Space.of(hs.UCBZ, G), evaluate, Budget.halving(trials=12, games=180))
    played = [trial.games for trial in trials]
    assert played == sorted(played, reverse=True)
    assert set(played) == {20, 60, 180}
    assert played.count(20) > played.count(60) >= 1
    assert trials[0].loss == min(t.loss for t in trials if t.games == 180)
    (again,) = evaluate([trials[0].policy], 180)
    assert again.loss == trials[0].loss


def test_any_evaluator_can_be_searched() -> None:
    seen: list[tuple[int, int]] = []

    def evaluate(policies: Sequence[hs.policies.Policy], games: int) -> list[Score]:
        seen.append((len(policies), games))
        return [Score(abs(policy.parameters()["P"] - 1), 0.0) for policy in policies]

    trials = search(Space.of(hs.UCB, G), evaluate, Budget(((40, 1), (5, 6))))
    assert seen == [(40, 1), (5, 6)]
    assert trials[0].policy.parameters()["P"] == pytest.approx(1, abs=0.3)
    assert [trial.games for trial in trials[:6]] == [6] * 5 + [1]


def test_the_curve_is_zero_where_it_was_tuned() -> None:
    tuned = hs.tune(hs.UCBZ, ARMS, G, trials=6, games=40, search="spread")
    for curve in tuned.curves:
        assert list(curve.values) == sorted(curve.values)
        place = curve.values.index(getattr(tuned.policy, curve.axis.name))
        assert curve.changes[place].value == 0


def test_a_threshold_may_leave_all_turns_high_or_none() -> None:
    step = hs.traffic.step(turns=100)
    z = Space.of(hs.UCBZ, step).axes[0]
    assert step.high(z.value(0.0)).all()
    assert not step.high(z.value(1.0)).any()
    # Between the two levels any threshold does the same: most of the axis is there.
    assert step.high(z.value(0.1)).sum() == step.high(z.value(0.9)).sum() == (step.values > 1).sum()


def test_an_instance_keeps_what_is_not_tuned() -> None:
    start = hs.UCBZ(z=30, ties="random")
    tuned = hs.tune(start, ARMS, G, trials=5, games=20, search="spread", space=["P"])
    assert isinstance(tuned.policy, hs.UCBZ)
    assert (tuned.policy.z, tuned.policy.ties) == (30, "random")


def test_the_spread_is_even() -> None:
    space = Space.of(hs.UCBZ, G)
    tried = space.candidates(64 + len(space.anchors()))[len(space.anchors()) :]
    for axis in space.axes:
        places = [axis.place(getattr(policy, axis.name)) for policy in tried]
        for part in range(4):
            inside = sum(part / 4 <= place < (part + 1) / 4 for place in places)
            assert 12 <= inside <= 20


def test_ranges_can_be_given() -> None:
    assert Space.of(hs.UCB, G, {"P": (0.01, 4)}).axes == (Axis("P", 0.01, 4.0, "log"),)
    assert Space.of(hs.UCBZ, G, {"z": (10, 40)}).axes == (Axis("z", 10.0, 40.0, "linear"),)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"space": ["q"]}, "ucb has no parameter 'q' to tune; it has: P"),
        ({"space": {"P": (3, 2)}}, "two rising numbers"),
        ({"search": "magic"}, "must be one of tpe, spread"),
        ({"trials": 0}, "trials must be a whole number, at least 1"),
        ({"games": 1}, "games must be a whole number, at least 2"),
    ],
)
def test_what_is_wrong_is_said(arguments: dict[str, object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        hs.tune(hs.UCB, ARMS, G, **arguments)  # type: ignore[arg-type]  # wrong on purpose


def test_a_policy_without_parameters_cannot_be_tuned() -> None:
    with pytest.raises(ValueError, match="nothing to tune"):
        hs.tune(hs.Greedy, ARMS, G)


def test_without_optuna_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "optuna", None)
    with pytest.raises(ImportError, match=r"highseason\[tuning\]"):
        hs.tune(hs.UCB, ARMS, G, trials=4, games=20)


@pytest.mark.parametrize("name", hs.policies.registry())
def test_every_policy_has_axes_on_which_every_place_makes_sense(name: str) -> None:
    kind = hs.policies.registry()[name]
    try:
        space = Space.of(kind, G)
    except ValueError as reason:
        assert "has no parameters" in str(reason)  # noqa: PT017  # which policies these are varies
        return
    for place in (0.0, 0.37, 1.0):
        found = space.candidate([place] * len(space.axes))
        assert type(found) is kind
    assert not {"ties", "rule", "base", "remaining"} & {axis.name for axis in space.axes}


def test_whole_numbers_stay_whole_and_limits_are_kept() -> None:
    axes = {axis.name: axis for axis in Space.of(hs.policies.DynamicPeakGrabber, G).axes}
    assert axes["window"].value(0.0) == 1
    assert isinstance(axes["window"].value(0.4), int)
    assert axes["memory"].value(1.0) == 1.0
    named = Space.of(hs.policies.PeakGrabber, G, {"window": (5, 50)}).axes[0]
    assert [named.value(place) for place in (0.0, 0.5, 1.0)] == [5, 28, 50]


def test_the_policies_for_mortal_arms_can_be_tuned() -> None:
    start = hs.SoftUCBMortal(c=50)
    tuned = hs.tune(start, ARMS, G, space=["c"], trials=8, games=40, search="spread")
    assert tuned.policy.parameters()["c"] < 5


@pytest.fixture(scope="module")
def tuned() -> Tuned:
    return hs.tune(hs.UCB, ARMS, G, trials=3, games=20, search="spread", workers=1)


def test_curves_reach_both_ends_in_eight_even_steps_and_are_paired(tuned: Tuned) -> None:
    (curve,) = tuned.curves
    even = {curve.axis.value(step / 8) for step in range(9)}
    assert list(curve.values) == sorted(even | {tuned.policy.parameters()["P"]})
    assert {curve.values[0], curve.values[-1]} == {curve.axis.value(0), curve.axis.value(1)}
    players = {"tuned": tuned.policy, "sixth": hs.UCB(P=curve.values[5])}
    again = hs.simulate(players, ARMS, G, games=20, seed=0).gain("sixth", "tuned")
    assert curve.changes[5].value == pytest.approx(again.value)
    assert curve.changes[5].error == pytest.approx(again.error)


def test_it_prints_the_policies_beside_each_other_and_the_curves(tuned: Tuned) -> None:
    lines = str(tuned).splitlines()
    rows = {line.split()[0]: line for line in lines if line}
    assert "games that none of the 3 candidates played" in " ".join(lines[:2])
    assert str(tuned.policy) in rows["tuned"]
    assert f" {tuned.reported.mean('reward', 'tuned'):,.0f} ±" in rows["tuned"]
    assert "%" not in rows["tuned"]
    assert "%" in rows["greedy"]
    points = str(tuned).partition("P, others as tuned: ")[2]
    assert points.count("%") == len(tuned.curves[0].values)
    table = tuned.to_pandas()
    assert table["regret"].tolist() == [trial.loss for trial in tuned.trials]
    assert table["P"].tolist() == [trial.policy.parameters()["P"] for trial in tuned.trials]


def test_what_is_not_given_is_as_documented() -> None:
    usual = inspect.signature(hs.tune).parameters
    given = {name: usual[name].default for name in ("trials", "games", "seed", "search")}
    assert given == {"trials": 48, "games": 400, "seed": 0, "search": "tpe"}


@pytest.mark.parametrize(
    ("trials", "games", "rounds"),
    [
        (3, 400, [(3, 400)]),
        (4, 59, [(4, 59)]),
        (4, 60, [(4, 20), (2, 60)]),
        (48, 400, [(48, 44), (16, 133), (5, 400)]),
        (200, 10_000, [(200, 123), (66, 370), (22, 1111), (7, 3333), (2, 10_000)]),
    ],
)
def test_budgets(trials: int, games: int, rounds: list[tuple[int, int]]) -> None:
    assert list(Budget.halving(trials, games).rounds) == rounds


def test_a_best_value_at_an_end_of_its_range_is_named() -> None:
    options = {"trials": 9, "games": 60, "search": "spread"}
    cut = hs.tune(hs.EpsilonGreedy(k=110), ARMS, G, space={"k": (20, 110)}, **options)
    assert cut.at_ends == ("k",)
    assert cut.to_dict()["at_ends"] == ["k"]
    assert "k is best at an end of its range, 20 to 110: widen it" in str(cut)
    inside = hs.tune(hs.EpsilonGreedy(k=110), ARMS, G, space={"k": (1e-3, 1e3)}, **options)
    assert inside.at_ends == ()
    assert "widen" not in str(inside)


def test_a_result_that_equals_greedy_is_called_so_and_no_range_is_blamed() -> None:
    """What `tune soft-ucb` finds for a season of visitors: P = 0, at which no unit matters."""
    shop = hs.rewards.visitors(3, between=(0.01, 0.05))
    season = np.tile([1_000.0, 3_000.0, 10_000.0], 10)
    options = {"trials": 4, "games": 40, "search": "spread", "workers": 1}
    tuned = hs.tune(hs.SoftUCB, shop, season, **options)
    assert tuned.policy.parameters()["P"] == 0
    assert tuned.at_ends == ()  # P cannot be below 0, and the curve of unit is flat
    assert "Tuned, it is greedy: exploring was not found to pay here." in str(tuned)
    assert "widen" not in str(tuned)


def test_a_tuned_policy_that_explores_is_not_called_greedy(tuned: Tuned) -> None:
    assert "it is greedy" not in str(tuned)


@pytest.mark.parametrize(
    ("best", "change", "complete", "goes_on"),
    [
        (100.0, -0.1, False, True),
        (100.0, 0.0, False, False),  # flat
        (100.0, -0.1, True, False),  # a threshold above all of G
        (0.0, -0.1, False, False),  # the least that P may be
        (0.001, -0.1, False, True),
        (1.0, -0.1, False, False),
    ],
)
def test_a_range_is_widened_only_where_better_may_lie_beyond(
    best: float, change: float, complete: bool, goes_on: bool
) -> None:
    axis = Axis("P", 0.001, 100.0, "log")
    changes = (Estimate(0.0, 0.0, 0.0, 0.0), Estimate(change, 0.001, change - 0.01, change + 0.01))
    curve = Curve(axis, (best, 2.0), changes, complete)
    assert curve.may_go_on(best, hs.UCB().tunable()["P"]) is goes_on


def test_a_threshold_over_all_of_g_is_complete() -> None:
    options = {"trials": 2, "games": 2, "search": "spread", "workers": 1}
    whole = hs.tune(hs.UCBZ, ARMS, G, space=["z"], **options)
    part = hs.tune(hs.UCBZ, ARMS, G, space={"z": (10, 20)}, **options)
    assert [tuned.curves[0].complete for tuned in (whole, part)] == [True, False]
