"""What checks ask of a subject is recorded: no change may silently make them ask less.

After a change that is meant: `python -m tests.checks.test_asked`, and look at what differs.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.reference.recorded import Cases, assert_recorded, plain, record

import highseason as hs
from highseason.checks import catalogue, forecasters, games, plans, rules
from highseason.checks.catalogue import Check, checks_in
from highseason.checks.multipliers import SIZES, same_call_same_values
from highseason.policies import EPSILON, Policy
from highseason.traffic import MovingAverage, Multiplier

RECORDED = Path(__file__).parent / "recorded.json"


class Notes:
    """How often each question was asked, and a digest of all of them in order."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.digest = hashlib.sha256()

    def take(self, kind: str, *values: Any) -> None:
        self.counts[kind] += 1
        for value in values:
            numbers = np.ravel(np.asarray(value, np.float64)).tolist()
            self.digest.update(repr(plain(numbers)).encode())

    def told(self) -> dict[str, Any]:
        return {**self.counts, "digest": self.digest.hexdigest()[:16]}


NOTES = Notes()


@dataclass(frozen=True)
class NotedForecaster(MovingAverage):
    """Notes what it is fitted on, and what it is asked to predict."""

    name = ""  # so that it is in no list
    window: int = 3

    def fit(self, series: Any) -> Any:
        NOTES.take("fit", hs.traffic.as_multiplier(series).values)
        known = super().fit(series)
        predict, update = known.predict, known.update

        def noted_predict(turns: int) -> Any:
            NOTES.take("predict", turns)
            forecast = predict(turns)
            quantile = forecast.quantile

            def noted_quantile(level: float) -> Any:
                NOTES.take("quantile", level)
                return quantile(level)

            object.__setattr__(forecast, "quantile", noted_quantile)
            return forecast

        def noted_update(value: float) -> None:
            NOTES.take("update", value)
            update(value)

        known.predict, known.update = noted_predict, noted_update
        return known

    def path(self, G: Any) -> Multiplier:
        NOTES.take("path", hs.traffic.as_multiplier(G).values)
        return super().path(G)


def noted_choose(state: Any, turn: Any) -> tuple[int, bool]:
    numbers = (state.pulls, state.sums, state.available, state.selections, state.end, state.start)
    NOTES.take("choose", *numbers, turn.t, turn.level, turn.future, turn.turns_left, turn.key % 97)
    return EPSILON.choose(state, turn)


@dataclass(frozen=True)
class NotedPolicy(hs.EpsilonZGreedy):
    """Notes every question to its plan and to its rule."""

    name = ""
    rule = replace(EPSILON, name="noted", choose=noted_choose)

    def step(self, carry: Any, view: Any) -> Any:
        NOTES.take("step", view.t, view.G, view.arms)
        return super().step(carry, view)

    def levels(self, G: Any, arms: int) -> Any:
        """Turn by turn, so that all are noted."""


def asked_of_a_forecaster() -> dict[str, Any]:
    return asked(checks_in(forecasters), NotedForecaster())


def asked_of_a_plan() -> dict[str, Any]:
    policy = NotedPolicy(k=1.0, z=20.0)
    return asked([check for check in checks_in(plans) if check.applies(policy)], policy)


def asked_of_a_rule() -> dict[str, Any]:
    chosen = [rules.choosing_changes_nothing, rules.choice_ignores_the_future,
              rules.probabilities_match_choices]  # fmt: skip
    deterministic = replace(NotedPolicy(k=1.0, z=20.0), k=0.0)
    found = asked(chosen, NotedPolicy(k=1.0, z=20.0))
    other = [rules.deterministic_choice_ignores_random_numbers, rules.stable_choice_is_repeated,
             rules.local_choice_ignores_absent_arms]  # fmt: skip
    return found | asked(other, deterministic)


def asked(checks: Any, subject: Any) -> dict[str, Any]:
    """What each check asked, whether or not it was content with the answers."""
    global NOTES
    found: dict[str, Any] = {}
    for check in checks:
        NOTES, verdict = Notes(), "passed"
        try:
            check.run(subject)
        except catalogue.CheckFailed as failure:
            verdict = str(failure)
        found[check.name] = NOTES.told() | {"verdict": verdict}
    return found


PLAYERS: tuple[Policy, ...] = (
    hs.EpsilonZGreedy(), hs.UCBZ(), hs.SoftEpsilonGreedy(), hs.VariablePool(), hs.Greedy(),
    hs.policies.NaiveUCB(), hs.SoftUCBMortal(),
)  # fmt: skip
#: Those that play quickly.
GAMES: tuple[Check, ...] = tuple(
    check
    for check in checks_in(games)
    if check.name not in ("play_and_simulate_agree", "beats_uniform_random")
)


def games_of(policy: Policy) -> dict[str, Any]:
    """What is played for each check: games, their multiplier, rewards and lifetimes."""
    found = {}
    for check in GAMES:
        if not check.applies(policy):
            continue
        notes = Notes()

        def noting(kind: str, real: Callable[..., Any], notes: Notes = notes) -> Callable[..., Any]:
            def call(player: Any, model: Any, G: Any, *rest: Any, **more: Any) -> Any:
                lifetimes = more.get("lifetimes")
                spans = None if lifetimes is None else [lifetimes.arms, lifetimes.known]
                more = {key: value for key, value in more.items() if key != "lifetimes"}
                result = real(player, model, G, *rest, **more, lifetimes=lifetimes)
                numbers = [value for value in (*rest, *more.values()) if value is not None]
                notes.take(kind, G.values, numbers, model.arms, 0 if spans is None else spans)
                if kind == "play":
                    notes.take("paid", result.arms, result.paid, result.means)
                return result

            return call

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(games, "play", noting("play", games.play))
            patch.setattr(games, "simulate", noting("simulate", games.simulate))
            try:
                check.run(policy)
                verdict = "passed"
            except catalogue.CheckFailed as failure:
                verdict = str(failure)
        found[check.name] = notes.told() | {"verdict": verdict}
    return found


def played_with() -> dict[str, Any]:
    """The seasons, rewards and limits that checks use."""
    long = catalogue.reward_models()[2]
    seasons = [[G.turns, G.total, arms] for G, arms in catalogue.seasons()]
    limits = [games.LONG, games.MANY, games.CLEARLY, games.FACTOR, rules.TIMES, rules.TOLERANCE]
    return {
        "seasons": seasons, "limits": limits, "sizes": SIZES,
        "eighths": [long.draw(u, p, 1, 1.0) for u in (0.0, 0.4, 0.9) for p in (0.1, 0.6, 0.95)],
    }  # fmt: skip


CASES: Cases = {
    "forecaster": asked_of_a_forecaster,
    "plan": asked_of_a_plan,
    "rule": asked_of_a_rule,
    **{f"games, {policy}": partial(games_of, policy) for policy in PLAYERS},
    "played with": played_with,
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.filterwarnings("ignore::highseason.policies.PlanWarning")
@pytest.mark.filterwarnings("ignore::highseason.traffic.ThresholdWarning")
def test_the_questions_are_those_that_were_recorded(name: str) -> None:
    assert_recorded(RECORDED, CASES, name)


def test_the_mean_of_coarse_rewards_is_that_of_their_quantile() -> None:
    levels = np.linspace(0.0, 1.0, 41)
    luck = (np.arange(20_000) + 0.5) / 20_000
    for level, mean in zip(levels, catalogue.coarse_mean(levels), strict=True):
        drawn = np.floor(8.0 * (0.3 * luck + 0.7 * level)) / 8.0
        assert drawn[7777] == catalogue.coarse_quantile(luck[7777], level, 0.0)
        assert mean == pytest.approx(drawn.mean(), abs=1e-4)


def test_a_multiplier_is_asked_for_in_every_size_twice() -> None:
    sizes: list[int] = []

    def shape(turns: int) -> list[float]:
        sizes.append(turns)
        return [1.0] * turns

    same_call_same_values.run(shape)
    assert sizes == [size for size in (1, 2, 3, 10, 97, 500) for _ in range(2)]


if __name__ == "__main__":
    record(RECORDED, CASES)
