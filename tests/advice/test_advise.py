"""Advice: right where the answer is known, honest where there is nothing to gain."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import warnings
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import highseason as hs
from highseason.advice import Advice, World, Zoom, derive_seed, on_games, recommend
from highseason.advice.comparison import (
    NOTICEABLE,
    OF_LOSS,
    Leads,
    candidates,
    judge,
    kind_of,
    spaces,
    tried,
)
from highseason.advice.recommend import Finalists, Judge, middle_of_flip
from highseason.advice.trials import ends_of
from highseason.cli.output import plain
from highseason.core.parallel import opened
from highseason.engine import Estimate, Moments, SimulationResult

T = np.arange(120)


@cache
def advised(case: str) -> Advice:
    wave, settings = hs.traffic.wave(turns=60).values, {"rewards": "bernoulli"}
    G, arms, more = {
        # Cheap turns in plenty before dear ones, and arms that one try cannot tell apart.
        "quiet first": (np.where(T < 60, 1.0, 500.0), 4, {"gap": 0.2, "games": 200}),
        "constant": (np.ones(120), 3, {}),
        "short": (wave, 25, {}),
        "all tries": (wave[:10], 12, {}),
        "early": (np.where(T < 40, 500.0, 1.0), 4, {}),
    }[case]
    return hs.advise(G, arms, **{"games": 100, "seed": 5, **settings, **more})


@cache
def visitors(rho: float | None = None) -> Advice:
    """The best of many parameters would change neither answer."""
    G = hs.traffic.from_values(1e5 * (1 + T % 7), name="shop")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(recommend, "Zoom", partial(Zoom, trials=2, steps=1))
        return hs.advise(G, 3, rates=(0.1, 0.9), gap=0.2, rho=rho, games=200, seed=1)


def warns(advice: Advice, code: str) -> bool:
    return code in {one.code for one in advice.warnings}


def losing(*regrets: float, error: float = 0.0, games: int = 100) -> SimulationResult:
    """Games in which policies lose these shares; `error` is that of the first one's lead."""
    regret, scatter = np.array(regrets), np.zeros((len(regrets), len(regrets)))
    means = {"regret": regret, "reward": 1.0 - regret, "exploited": np.zeros_like(regret)}
    moments = {name: Moments(games, mean, scatter) for name, mean in means.items()}
    uncertain = scatter.copy()
    uncertain[0, 0] = error**2 * games * (games - 1)
    moments["regret"] = Moments(games, regret, uncertain)
    names = tuple(map(str, range(len(regrets))))
    return SimulationResult(names, {}, (), moments, moments["regret"], None, {})


def test_where_regulating_pays_it_is_advised() -> None:
    advice = advised("quiet first")
    assert advice.answer == "regulate"
    assert "Regulating pays" in advice.verdict
    assert advice.comparison.best("unregulated").lead.low > 0
    assert advice.comparison.best("greedy").probability > 0.99


def test_where_a_turn_is_one_draw_there_is_one_world_and_it_teaches_one_draw() -> None:
    (row,) = advised("constant").worlds_table().rows
    assert row[:2] == ("0", "1")


def test_where_stakes_never_change_regulating_does_not_pay() -> None:
    advice = advised("constant")
    assert advice.answer != "regulate"
    assert warns(advice, "no-low-turns")


def test_where_the_horizon_is_short_greedy_is_as_good() -> None:
    advice = advised("short")
    assert advice.answer != "regulate"


def test_where_all_turns_are_first_tries_there_is_nothing_to_learn() -> None:
    advice = advised("all tries")
    assert warns(advice, "nothing-to-learn")
    assert advice.answer != "regulate"


def test_an_early_peak_is_reported() -> None:
    assert warns(advised("early"), "high-early")
    assert "high early" in str(advised("early"))


def test_busy_days_with_independent_visitors_need_no_exploring() -> None:
    """A day of 100,000 visitors tells arms apart at once; one coin a day does not."""
    advice = visitors()
    assert advice.answer == "greedy"
    assert advice.answer != "regulate"
    assert advice.comparison.chosen.earned > 0.98
    assert "every visitor counts" in str(advice)
    assert [one.world.rho for one in advice.by_rho][-1] == 1.0


def test_a_high_correlation_flips_the_answer_and_the_text_says_where() -> None:
    advice = visitors()
    first, later = advice.flips[0]
    assert later.answer != "greedy"
    assert f"from {first:.2g} on" in advice.verdict
    assert 0 < first <= 1
    alike = visitors(rho=0.9)
    assert alike.answer != "greedy"
    assert alike.comparison.best("greedy").earned < 0.95
    assert "(rho = 0.9)" in alike.assumption
    assert "at 0, greedy is enough; from " in alike.verdict


@pytest.mark.usefixtures("quick_search")
def test_without_rates_typical_ones_are_tried() -> None:
    G = hs.traffic.from_values([50.0, 80.0, 200.0] * 6, name="shop")
    advice = hs.advise(G, 2, games=20)
    assert len({one.world.rates for one in (advice.comparison, *advice.others)}) == 3
    assert len(advice.others) == 8
    assert not advice.rates_known
    every = (advice.comparison, *advice.others)
    same, settled = len({one.answer for one in every}) == 1, all(one.settled for one in every)
    assert ("give your own rates" in advice.verdict) != same
    assert ("correlations below." in advice.verdict) == (same and settled)
    when = str(advice).partition("When it explores:")[2]
    assert ("price of trying" in " ".join(when.split())) == (advice.policy.label == "option-index")


def test_the_text_fits_a_terminal() -> None:
    for advice in (advised("quiet first"), advised("early"), visitors()):
        lines = str(advice).splitlines()
        assert max(map(len, lines)) <= 80
        assert not any(line.endswith("-") for line in lines)  # names are not broken


def test_no_number_comes_from_games_of_the_search() -> None:
    """What is reported is what the finalists do in the rounds of the verdict, and in no others."""
    advice = advised("quiet first")
    rounds = [
        hs.simulate(
            {str(i): one.policy for i, one in enumerate(advice.comparison.compared)},
            advice.comparison.world.rewards, advice.multiplier, games=200,
            seed=derive_seed(5, f"verdict/{number}"),
        ).games
        for number in range(1, 1 + advice.comparison.games // 200)
    ]  # fmt: skip
    regret = np.concatenate([played["regret"] for played in rounds if played is not None], axis=1)
    for i, one in enumerate(advice.comparison.compared):
        assert one.regret == pytest.approx(regret[i].mean())
        assert one.error == pytest.approx(regret[i].std(ddof=1) / advice.comparison.games**0.5)


@pytest.mark.parametrize(
    ("lead", "error", "rounds"), [(0.004, 0.0005, 1), (0.0001, 0.0002, 1), (0.0017, 0.0003, 3)]
)
def test_further_rounds_are_played_where_the_answer_hangs_by_a_thread(
    monkeypatch: pytest.MonkeyPatch, lead: float, error: float, rounds: int
) -> None:
    """A lead far above or below what is noticeable needs one round; a close one needs more."""
    count, asked = 100, []

    def played(study: Judge, world: World, finalists: Finalists, number: int) -> SimulationResult:
        asked.append(number)
        return losing(0.01 + lead, 0.01, error=error, games=count)

    monkeypatch.setattr(Judge, "played", played)
    finalists = Finalists((hs.Greedy(), hs.OptionIndex()), 2)
    with opened("serial") as pool:
        study = Judge(hs.traffic.wave(9), count, 0, pool)
        comparison = study.verdict(World.of("visitors", 3), finalists)
    assert asked == list(range(1, rounds + 1))
    assert comparison.games == rounds * count
    assert comparison.answer == ("regulate" if lead > NOTICEABLE else "greedy")


def test_one_line_for_each_policy_and_the_rival_is_the_strongest() -> None:
    advice = advised("quiet first")
    assert len(advice.comparison.compared) == len(candidates())
    regrets = [one.regret for one in advice.comparison.compared]
    assert regrets == sorted(regrets)
    others = [one for one in advice.comparison.compared if one.policy != advice.policy]
    assert advice.comparison.runner_up is others[0]


def test_sentences_name_the_strongest_rivals_of_their_own_tables() -> None:
    """Of each kind the best, and whatever is ahead of the advised policy: never another one."""
    cases = [advised("quiet first"), advised("constant"), advised("early"), visitors()]
    for comparison in (each for advice in cases for each in (advice.comparison, *advice.others)):
        said, rivals = (
            comparison.verdict,
            [c for c in comparison.compared if c is not comparison.chosen],
        )
        leads = [one.lead.value for one in rivals]
        assert comparison.runner_up.lead.value == min(leads)
        named = [one for one in rivals if re.search(rf" {re.escape(str(one.policy))},? ", said)]
        kinds = {one.kind: one for one in reversed(rivals)}  # the best of each
        assert set(named) <= {*kinds.values(), comparison.best("greedy")}
        if min(leads) < -5e-5:
            assert comparison.runner_up in named


@pytest.mark.parametrize(
    "visitors",
    [np.full(60, 40.0), 1e5 * (1 + T[:60] % 7), np.where(T[:60] < 40, 30.0, 3000.0)],
    ids=["few", "weeks", "late peak"],
)
def test_no_optimum_is_at_an_end_of_what_was_tried(visitors: np.ndarray) -> None:
    """Values below and above it were tried, unless none beyond it would make a difference."""
    evaluate = on_games(hs.rewards.visitors(4), hs.traffic.from_values(visitors), seed=3)
    for space in spaces(tried(0.0)):
        trials = Zoom(games=20).search(space, evaluate)
        for axis in space.axes:
            best = getattr(trials[0].policy, axis.name)
            places = [axis.place(getattr(one.policy, axis.name)) for one in trials]
            ends = [axis.place(axis.form.format(end) if axis.form else end)
                    for end in ends_of(axis, trials[0].policy) if end < np.inf]  # fmt: skip
            inside = min(places) < axis.place(best) < max(places)
            assert inside or best == 0 or min(abs(axis.place(best) - e) for e in ends) < 0.02


@pytest.mark.parametrize(("visitors", "suffices"), [(1e6, True), (20.0, False)])
def test_nothing_is_tuned_where_greedy_loses_less_than_is_noticeable(
    visitors: float, suffices: bool
) -> None:
    G = hs.traffic.from_values(np.full(400, visitors))
    with opened("serial") as pool:
        study = Judge(G, 20, 0, pool)
        world = World.of("visitors", 2, (0.02, 0.05))
        (finalists,) = study.finalists([world])
        comparison = study.verdict(world, finalists)
    assert (finalists.tried == len(finalists.policies)) == suffices
    assert {policy.label for policy in finalists.policies} >= {"greedy", "option-index"}
    assert (len(finalists.policies) < len(tried(0.0))) == suffices
    if suffices:
        assert (comparison.answer, comparison.settled) == ("greedy", True)


def test_the_simplest_of_indistinguishable_policies_is_advised() -> None:
    G = hs.traffic.wave(turns=50)
    same = [hs.Greedy(), hs.EpsilonGreedy(k=0), hs.EpsilonZGreedy(k=0)]
    with pytest.warns(hs.policies.PlanWarning):
        result = hs.simulate(same, hs.rewards.bernoulli(arms=3), G, games=30)
    comparison = judge(World.of("bernoulli", 3), same, result, tried=3)
    assert comparison.policy == hs.Greedy()
    assert comparison.settled
    assert comparison.answer == "greedy"
    assert comparison.runner_up.lead.value == 0.0


@pytest.mark.parametrize(
    ("regrets", "advised", "answer"),
    [
        ((0.0100, 0.0095, 0.0095, 0.0090, 0.0090), "greedy", "greedy"),
        ((0.0300, 0.0100, 0.0101, 0.0090, 0.0090), "option-index", "explore"),
        ((0.0300, 0.0100, 0.0200, 0.0190, 0.0090), "option-index", "regulate"),
        ((0.0300, 0.0120, 0.0100, 0.0090, 0.0090), "option-index:regulated=false", "explore"),
        ((0.0300, 0.0200, 0.0200, 0.0100, 0.0090), "ucb:P=0.1", "explore"),
        ((0.0300, 0.0200, 0.0200, 0.0200, 0.0100), "ucb-z", "regulate"),
    ],
)
def test_what_needs_no_tuning_is_simpler_than_what_was_tuned(
    regrets: tuple[float, ...], advised: str, answer: str
) -> None:
    """A tuned policy is advised where its lead is noticeable, and only there."""
    policies = [
        hs.Greedy(), hs.OptionIndex(), hs.OptionIndex(regulated=False), hs.UCB(P=0.1),
        hs.UCBZ(),
    ]  # fmt: skip
    assert [policy.label for policy in policies] == [
        each.label for each in candidates() if each.label in {policy.label for policy in policies}
    ]
    comparison = judge(World.of("bernoulli", 3), policies, losing(*regrets), tried=5)
    assert (str(comparison.policy), comparison.answer) == (advised, answer)
    said = comparison.verdict
    assert f"Use {advised}:" in said
    assert ("Regulating pays" in said) == (answer == "regulate")


@pytest.mark.usefixtures("quick_search")
@pytest.mark.parametrize(
    ("turns", "arms", "rho", "reason"),
    [
        (14, 10, 0.001, "exploring-less-pays"),
        (12, 10, 0.001, "exploring-less-pays"),
        (40, 30, 0.0, "exploring-less-pays"),
        (14, 20, 0.001, "exploring-less-pays"),
        (300, 3, 0.1, "exploring-pays"),
    ],
)
def test_where_less_exploring_than_greedys_pays_the_reason_says_so(
    turns: int, arms: int, rho: float, reason: str
) -> None:
    """With hardly more turns than arms, one try of each is too many."""
    G = hs.traffic.from_values(np.full(turns, 1000.0))
    world = World.of("visitors", arms, (0.02, 0.05), rho)
    with opened("serial") as pool:
        study = Judge(G, 200, 0, pool)
        comparison = study.verdict(world, *study.finalists([world]))
    assert (comparison.answer, comparison.reason) == ("explore", reason)
    assert comparison.to_dict()["reason"] == reason
    less = reason == "exploring-less-pays"
    assert (comparison.chosen.exploited > comparison.best("greedy").exploited) == less
    assert ("Exploring less than greedy pays (" in comparison.verdict) == less
    assert (f"tries all {arms} arms first" in comparison.verdict) == less
    assert ("Exploring pays (" in comparison.verdict) != less


def test_the_reason_is_part_of_what_changes_along_rho() -> None:
    """Of two worlds with the answer "explore", one may call for less of it than greedy's."""
    advice, reasons = visitors(), []
    for exploited in (0.2, 0.8):
        both = (hs.Greedy(), hs.UCB(P=0.1), hs.UCBZ())
        result = losing(0.03, 0.01, 0.01)
        result.moments["exploited"].mean[:] = 0.5, exploited, exploited
        world = World.of("visitors", 3, (0.1, 0.9), rho=exploited)
        reasons.append(judge(world, both, result, tried=3))
    first, second = reasons
    assert (first.reason, second.reason) == ("exploring-pays", "exploring-less-pays")
    advice = replace(advice, comparison=first, others=(second,))
    assert [rho for rho, _ in advice.flips] == [0.8]
    assert "at 0.2, explore at any time; from 0.8 on, explore less than greedy" in str(
        " ".join(advice.verdict.split())
    )
    assert advice.to_dict()["flips"][0]["reason"] == "exploring-less-pays"


def test_a_lead_must_be_clear_and_noticeable() -> None:
    G = hs.traffic.wave(turns=100)
    arms = hs.rewards.bernoulli(arms=5)
    result = hs.simulate([hs.UCB(), hs.Greedy()], arms, G, games=50, seed=1)
    assert result.games is not None
    regret = result.games["regret"]
    most = result.best_reward
    leads = Leads(result, ["unregulated", "greedy"])
    lead = leads.of(1, 0)
    assert lead.value == pytest.approx((regret[0] - regret[1]).mean() / most)
    assert lead.error == pytest.approx((regret[0] - regret[1]).std(ddof=1) / 50**0.5 / most)
    lost = regret[0].mean() / most
    assert leads.noticeable(0) == pytest.approx(max(NOTICEABLE, OF_LOSS * lost))
    clear = leads.of(1, 0, 0.975).low > 0
    assert leads.beats(1, 0) == (clear and lead.value > leads.noticeable(0))
    assert not leads.beats(0, 1)
    assert not leads.beats(0, 0)


def test_the_flip_is_searched_between_the_nearest_answers() -> None:
    comparisons = visitors().by_rho
    flip = next(i for i, one in enumerate(comparisons) if one.answer != comparisons[0].answer)
    below, above = comparisons[flip - 1].world.rho, comparisons[flip].world.rho
    middle = middle_of_flip(list(comparisons))
    assert None not in (below, above, middle)
    assert max(below, 1e-6) < middle < above  # type: ignore[type-var]


@pytest.mark.parametrize(
    ("own", "others", "middle"),
    [
        (0.0, {0.01: "explore", 0.1: "regulate"}, (1e-6 * 0.01) ** 0.5),
        (0.0, {0.01: "greedy", 0.1: "explore", 0.5: "regulate"}, (0.01 * 0.1) ** 0.5),
        (0.1, {0.0: "explore", 0.01: "explore", 0.05: "greedy"}, (0.01 * 0.05) ** 0.5),
        (0.1, {0.0: "explore", 0.01: "explore"}, (0.01 * 0.1) ** 0.5),
        (0.1, {0.05: "explore", 0.5: "explore"}, (0.1 * 0.5) ** 0.5),  # above comes first
        (0.1, {0.0: "greedy", 0.5: "greedy"}, None),
    ],
)
def test_between_which_correlations_the_answer_flips(
    own: float, others: dict[float, str], middle: float | None
) -> None:
    worlds = [SimpleNamespace(world=SimpleNamespace(rho=own), answer="greedy")]
    worlds += [SimpleNamespace(world=SimpleNamespace(rho=r), answer=a) for r, a in others.items()]
    found = middle_of_flip(worlds)  # type: ignore[arg-type]  # what it reads of them
    assert found == (None if middle is None else pytest.approx(middle))


def test_worlds_come_in_the_order_of_their_correlation() -> None:
    rhos = [one.world.rho for one in visitors().others]
    assert rhos == sorted(rhos, key=float)  # type: ignore[arg-type]  # none is None


def test_no_chance_is_shown_as_certain() -> None:
    advice = visitors()
    one = advice.comparison.runner_up
    for lead, shown in (
        (Estimate(0.5, 1e-3, 0, 1), "over 99%"),
        (Estimate(-0.5, 1e-3, -1, 0), "under 1%"),
    ):
        assert advice.table([replace(one, lead=lead)]).rows[0][-1] == shown


def test_what_is_not_settled_is_marked_and_flips_nothing() -> None:
    advice = visitors()
    open_ones = [replace(one, settled=False) for one in advice.others]
    unsure = replace(advice, others=tuple(open_ones))
    answers = [row[-1] for row in unsure.worlds_table().rows]
    assert [answer for answer in answers if not answer.endswith("?")] == ["greedy"]
    silent = replace(unsure, others=tuple(one for one in open_ones if one.answer == "greedy"))
    assert silent.flips == []
    assert "the same" not in silent.verdict


def test_a_policy_of_your_own_is_tried() -> None:
    own = hs.UCB(P=0.0213)
    assert len(spaces(candidates(), [own, hs.Greedy()])) == len(candidates()) + 1
    advice = hs.advise("constant", 3, turns=30, games=20, policies=[own])
    assert own in [one.policy for one in advice.comparison.compared]


def test_bounds_are_there_where_they_are_asked_for() -> None:
    plain_advice = hs.advise("constant", 3, turns=30, games=20)
    assert plain_advice.bounds is None
    assert "afe bound" not in str(plain_advice)
    assert "afe bound" in str(hs.advise("constant", 3, turns=30, games=20, bounds=True))


@pytest.mark.usefixtures("quick_advice")
def test_same_seed_same_advice_and_it_is_json() -> None:
    calls: list[tuple[int, int]] = []
    filters = list(warnings.filters)
    first, second = (
        hs.advise(
            "wave", 4, turns=40, rewards="visitors", games=20, seed=9, workers=workers,
            progress=lambda *now: calls.append(now),
        )
        for workers in (1, 3)
    )  # fmt: skip
    assert warnings.filters == filters
    document = plain(first.to_dict())
    assert document == plain(second.to_dict())
    assert json.loads(json.dumps(document, allow_nan=False)) == document
    assert calls == [(n, 4) for n in (0, 1, 2, 3, 4)] * 2
    assert repr(first) == str(first)


def test_a_picture_and_a_page_have_all_the_others() -> None:
    advice = visitors()
    figure = hs.report.advice(advice)
    assert figure.title == f"Use {advice.policy}"
    top = figure.canvas.axes[0]
    labels = [tick.get_text().replace("\n", "") for tick in top.get_yticklabels()]
    assert labels == [
        str(one.policy) for one in advice.comparison.compared if one.policy != advice.policy
    ]
    page = advice.page()
    for words in (f"Use {advice.policy}", "What to do next", "bandit_arguments", "rho", "<img"):
        assert words in page
    assert "<code>highseason plan</code>" in advice.page(["highseason plan"])


def test_candidates_come_in_the_order_that_they_declare() -> None:
    assert [str(policy) for policy in candidates()] == [
        "greedy", "option-index", "option-index:regulated=false", "constant-epsilon",
        "epsilon-greedy", "ucb", "thompson", "epsilon-z", "ucb-z", "soft-epsilon", "soft-ucb",
        "variable-pool",
    ]  # fmt: skip


def test_every_kind_of_policy_is_tried_and_visitors_are_counted_where_there_are_any() -> None:
    assert {policy.label for policy in tried(None)} == {policy.label for policy in candidates()}
    assert all(policy.precision(50.0) == 1.0 for policy in tried(None))
    counting = [p for p in tried(0.01) if p.counting("visitors").precision(50.0) > 1.0]
    assert {policy.label for policy in counting} == {p.label for p in candidates()} - {
        "variable-pool"
    }
    assert {kind_of(policy) for policy in counting} == {"greedy", "unregulated", "regulated"}
    known = [policy for policy in counting if hasattr(policy, "rho")]
    assert all(policy.rho == 0.01 for policy in known)


def test_the_numbers_of_all_worlds_in_one_table() -> None:
    advice = visitors()
    table = advice.to_pandas()
    assert len(table) == sum(len(one.compared) for one in (advice.comparison, *advice.others))
    main = table[(table["rho"] == 0.0) & table["advised"]]
    assert main["policy"].tolist() == [str(advice.policy)]
    assert main["earned_share"].tolist() == [advice.comparison.chosen.earned]


def upworthy(days: int, games: int, rho: float | None = None) -> Advice:
    path = Path(__file__).parents[2].parent / "shared/data/upworthy_daily_pageviews.csv"
    if not path.exists():
        pytest.skip(f"{path} is not there")
    G = hs.traffic.read(path).window(1, days)
    return hs.advise(G, 4, rates=(0.005, 0.03), rho=rho, games=games)


def expect_no_exploring(advice: Advice) -> str:
    """Gives the text of the advice, in one line."""
    assert advice.answer == "greedy"
    assert advice.comparison.best("greedy").earned > 0.99
    text = " ".join(str(advice).split())
    assert "every visitor counts" in text
    assert "Regulating pays" not in text
    return text


@pytest.mark.realdata
def test_page_views_of_a_news_site_need_no_exploring() -> None:
    """The paper's world on this traffic says that greedy earns 71% and that regulating pays."""
    expect_no_exploring(upworthy(days=60, games=50))


@pytest.mark.soak
@pytest.mark.realdata
@pytest.mark.parametrize(("days", "games"), [(120, 700), (850, 1000)])
def test_page_views_need_exploring_only_where_visitors_are_alike(days: int, games: int) -> None:
    advice = upworthy(days, games)
    text = expect_no_exploring(advice)
    rho, later = advice.flips[0]
    assert later.answer != "greedy"
    assert f"from {rho:.2g} on" in text


@pytest.mark.parametrize(("games", "message"), [(1, "at least 2"), (True, "at least 2")])
def test_refuses(games: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        hs.advise("wave", 3, turns=50, games=games)


def test_rates_are_given_once() -> None:
    with pytest.raises(ValueError, match="its own"):
        hs.advise([1.0, 2.0], 3, rewards=hs.rewards.visitors(3), rates=(0.1, 0.2))


def test_advice_needs_no_figures_until_one_is_drawn() -> None:
    code = "import sys, highseason.advice; print('highseason.report' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


@pytest.mark.usefixtures("quick_advice")
def test_another_policy_is_searched_if_it_is_named() -> None:
    own = hs.AdaUCB(P=0.2)
    G = hs.traffic.wave(24).values * 100
    advice = hs.advise(
        G, 3, rates=(0.2, 0.6), rho=0.2, games=10, policies=["ada-ucb", "ucb:P=0.0213", own]
    )
    compared = [one.policy for one in advice.comparison.compared]
    assert own in compared
    assert hs.UCB(P=0.0213) in compared
    found = [one for one in compared if isinstance(one, hs.AdaUCB) and one != own]
    assert sorted((one.count, one.rho) for one in found) == [("auto", 0.2)]
    assert all(one.P != hs.AdaUCB().P for one in found), "they were searched"
    assert str(advice).count("ada-ucb:") >= 2, "what was asked for is shown"
    assert not any(isinstance(one, hs.AdaUCB) for one in tried(0.2))
    assert len(tried(None, also=[hs.UCB()])) == len(candidates()), "no policy is tried twice"
    with pytest.raises(ValueError, match="Did you mean 'ada-ucb'"):
        hs.advise(G, 3, policies=["adda"])
