"""Advice: right where the answer is known, honest where there is nothing to gain."""

from __future__ import annotations

import json
from functools import cache

import numpy as np
import pytest

import highseason as hs
from highseason.advice import Advice
from highseason.advice.candidates import GRID, candidates
from highseason.advice.recommend import _choose, _lead
from highseason.cli.output import plain


@cache
def advised(case: str) -> Advice:
    t = np.arange(1000)
    G, arms, gap = {
        # Cheap turns in plenty before dear ones, and arms that one try cannot tell apart.
        "quiet first": (np.where(t % 500 < 300, 1.0, 60.0), 4, 0.2),
        "constant": (np.ones(1000), 3, None),
        "short": (hs.multipliers.wave(turns=60).values, 25, None),
        "all tries": (hs.multipliers.wave(turns=10).values, 12, None),
        "early": (np.where(t < 300, 500.0, 1.0), 8, None),
    }[case]
    return hs.advise(G, arms, gap=gap, games=200, seed=5)


def test_where_regulating_pays_it_is_advised() -> None:
    advice = advised("quiet first")
    assert advice.chosen.kind == "regulated"
    assert advice.pays
    assert "Regulating pays here" in advice.verdict
    assert advice.unregulated.lead.low > 0
    assert advice.greedy.probability > 0.99
    assert not advice.warns_of("short-horizon")


def test_where_stakes_never_change_regulating_does_not_pay() -> None:
    advice = advised("constant")
    assert not advice.pays
    assert advice.warns_of("no-low-turns")
    assert advice.warns_of("threshold-splits-nothing")
    assert not any(getattr(one.policy, "z", None) for one in advice.compared)


def test_where_the_horizon_is_short_greedy_is_as_good() -> None:
    advice = advised("short")
    assert advice.warns_of("short-horizon")
    assert not advice.pays
    assert advice.policy == hs.Greedy()
    assert "Neither exploring nor regulating pays here" in advice.verdict


def test_where_all_turns_are_first_tries_nothing_matters() -> None:
    advice = advised("all tries")
    assert advice.warns_of("nothing-to-learn")
    assert "It makes no difference" in advice.verdict
    assert {one.lead.value for one in advice.compared} == {0.0}
    assert {one.probability for one in advice.compared} == {0.5}
    assert all(one.bound is None for one in advice.compared)


def test_the_text_fits_a_terminal() -> None:
    for case in ("quiet first", "short", "early"):
        lines = str(advised(case)).splitlines()
        assert max(map(len, lines)) <= 80
        assert not any(line.endswith("-") for line in lines)  # names are not broken


def test_an_early_peak_is_reported() -> None:
    assert advised("early").warns_of("high-early")
    assert "high early" in str(advised("early"))


def test_no_number_comes_from_games_that_chose() -> None:
    """What is reported is what the finalists do on the evaluation seed, and on no other."""
    advice = advised("quiet first")
    players = [one.policy for one in advice.compared]
    judged = hs.simulate(
        players, advice.belief.rewards(), advice.multiplier, games=200, seed=3 * 5 + 2
    )
    for i, one in enumerate(advice.compared):
        assert one.regret == judged.mean("regret", i)
        assert one.error == judged.error("regret", i)


def test_one_line_for_each_policy() -> None:
    advice = advised("quiet first")
    assert {type(one.policy) for one in advice.compared} == set(GRID)
    regrets = [one.regret for one in advice.compared]
    assert regrets == sorted(regrets)
    assert advice.compared[advice.runner_up].policy != advice.policy


def test_the_simpler_is_chosen_unless_clearly_beaten() -> None:
    G = hs.multipliers.wave(turns=50)
    same = [hs.Greedy(), hs.EpsilonGreedy(k=0), hs.EpsilonZGreedy(k=0)]
    with pytest.warns(hs.PlanWarning):
        result = hs.simulate(same, hs.rewards.bernoulli(arms=3), G, games=30)
    chosen, runner_up = _choose(same, result)
    assert (chosen, runner_up) == (0, 1)
    assert _lead(result, 1, 0).value == 0.0


def test_the_lead_is_paired() -> None:
    G = hs.multipliers.wave(turns=100)
    arms = hs.rewards.bernoulli(arms=5)
    result = hs.simulate([hs.UCB(), hs.Greedy()], arms, G, games=50, seed=1)
    assert result.games is not None
    regret = result.games["regret"]
    most = result.mean("reward", 0) + result.mean("realised_regret", 0)
    lead = _lead(result, 1, 0)
    assert lead.value == pytest.approx((regret[0] - regret[1]).mean() / most)
    assert lead.error == pytest.approx((regret[0] - regret[1]).std(ddof=1) / 50**0.5 / most)


def test_candidates_hold_defaults_and_no_plan_twice() -> None:
    G = hs.multipliers.wave(turns=300)
    wave = candidates(G, 5)
    assert [p for p in wave if p == type(p)()] == wave[: len(GRID)]
    assert len(wave) == len(set(wave))
    step = candidates(hs.multipliers.step(turns=300), 5)
    assert len(step) < len(wave)  # q0.75 and 0.5*max split its two values alike


def test_a_policy_of_your_own_is_tried() -> None:
    own = hs.UCB(P=0.02)
    advice = hs.advise("constant", 3, turns=60, games=20, policies=[own])
    assert advice.tried == len(candidates(advice.multiplier, 3)) + 1


def test_same_seed_same_advice_and_it_is_json() -> None:
    calls: list[tuple[int, int]] = []
    G = hs.multipliers.wave(turns=80)
    first, second = (
        hs.advise(G, 4, games=20, seed=9, progress=lambda *now: calls.append(now)) for _ in "ab"
    )
    document = plain(first.to_dict())
    assert document == plain(second.to_dict())
    assert json.loads(json.dumps(document, allow_nan=False)) == document
    assert calls[-1] == (80, 80)
    assert repr(first) == str(first)


def test_a_picture_has_all_the_others() -> None:
    advice = advised("quiet first")
    figure = advice.figure()
    assert figure.title == f"Use {advice.policy}"
    top = figure.canvas.axes[0]
    labels = [tick.get_text().replace("\n", "") for tick in top.get_yticklabels()]
    assert labels == [str(one.policy) for one in advice.compared if one is not advice.chosen]
    assert len(figure.encode("png")) < 150_000


@pytest.mark.parametrize(("games", "message"), [(1, "at least 2"), (True, "at least 2")])
def test_refuses(games: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        hs.advise("wave", 3, turns=50, games=games)
