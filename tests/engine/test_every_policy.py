"""Every policy plays the same game compiled, in threads, among others, and as visitors count."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest
from tests.engine import agreement

import highseason as hs
from highseason.checks.catalogue import ARMS, SEED, offers, reward_models, season
from highseason.checks.games import lifetime_settings, same_course
from highseason.core import parallel
from highseason.core.validation import declared
from highseason.policies import Policy, registry

pytestmark = [
    pytest.mark.filterwarnings("ignore::highseason.policies.PlanWarning"),
    pytest.mark.filterwarnings("ignore::highseason.traffic.ThresholdWarning"),
]

EVERY = pytest.mark.parametrize("policy", [kind() for kind in registry().values()], ids=str)
COUNTING = [
    kind()
    for kind in registry().values()
    if "visitors" in getattr(declared(kind()).get("count"), "choices", ())
]


@EVERY
def test_play_and_simulate_agree(policy: Policy) -> None:
    for model in reward_models():
        # Deliberately not a multiple of eight: some kernels play eight games side by side.
        for seed, games in ((SEED, 11), (SEED + 1, 1)):
            agreement.play_and_simulate_agree(policy, model, games, seed)
        course = hs.simulate(policy, model, season(), 1, SEED, curves=season().turns)
        same_course(course, hs.play(policy, model, season(), SEED), model.name)


@pytest.mark.parametrize("policy", COUNTING, ids=str)
def test_play_and_simulate_agree_on_visitors(policy: Policy) -> None:
    counted: dict[str, Any] = {"count": "visitors"}
    model = hs.rewards.visitors(arms=ARMS, between=(0.1, 0.5), rho=0.02, share=5.0)
    model = replace(model, offers=offers(ARMS))
    agreement.play_and_simulate_agree(replace(policy, **counted), model, 5)


@EVERY
def test_play_and_simulate_agree_on_arms_that_come_and_go(policy: Policy) -> None:
    for lifetimes, model, where in lifetime_settings(policy):
        agreement.play_and_simulate_agree(policy, model, 5, lifetimes=lifetimes)
        how: dict[str, Any] = {"lifetimes": lifetimes, "curves": season().turns}
        course = hs.simulate(policy, model, season(), 1, SEED, **how)
        same_course(course, hs.play(policy, model, season(), SEED, lifetimes=lifetimes), where)


@EVERY
def test_threads_do_not_matter(policy: Policy) -> None:
    agreement.threads_do_not_matter(policy)


@EVERY
def test_company_does_not_matter(policy: Policy) -> None:
    agreement.company_does_not_matter(policy)


@pytest.mark.parametrize("policy", [hs.UCB(), hs.UCBL(), hs.OptionIndex()], ids=str)
def test_games_that_compare_threads_use_them(
    policy: Policy, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: list[int] = []

    class Noted(ThreadPoolExecutor):
        def submit(self, *task: Any, **named: Any) -> Any:
            threads.append(self._max_workers)
            return super().submit(*task, **named)

    monkeypatch.setattr(parallel, "ThreadPoolExecutor", Noted)
    agreement.threads_do_not_matter(policy)
    assert len(threads) >= 2
    assert set(threads) == {2}


@pytest.mark.parametrize(
    ("same", "strange"),
    [
        (agreement.threads_do_not_matter, lambda players, how: how.get("workers") == 2),
        (agreement.company_does_not_matter, lambda players, how: "greedy" in list(players)[:1]),
    ],
    ids=["threads", "company"],
)
def test_results_that_depend_on_circumstances_are_found(
    monkeypatch: pytest.MonkeyPatch,
    same: Callable[[Policy], None],
    strange: Callable[[Any, dict[str, Any]], bool],
) -> None:
    simulate = hs.simulate

    def altered(players: Any, *arguments: Any, **how: Any) -> Any:
        listed = players if isinstance(players, dict) else {"it": players}
        how["seed"] += int(strange(listed, how))
        return simulate(players, *arguments, **how)

    monkeypatch.setattr(hs, "simulate", altered)
    with pytest.raises(AssertionError, match="reward of a game"):
        same(hs.EpsilonGreedy(k=0.3))
