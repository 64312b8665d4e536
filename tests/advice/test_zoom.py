"""The search moves on until the best candidate is inside its range."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest

import highseason as hs
from highseason.advice import Axis, Score, Space, Zoom
from highseason.policies import Policy


@pytest.mark.parametrize("best", [1e-8, 3e-4, 0.2, 500.0])
def test_it_finds_an_optimum_far_outside_its_range(best: float) -> None:
    def evaluate(policies: Sequence[Policy], games: int) -> list[Score]:
        losses = (abs(math.log10((p.parameters()["P"] or 1e-30) / best)) for p in policies)
        return [Score(loss, 0.0) for loss in losses]

    space = Space(hs.UCB(), (Axis("P", 1e-2, 1e1, "log"),))
    assert Zoom().search(space, evaluate)[0].loss < 0.2


def test_two_axes_and_natural_ends() -> None:
    def evaluate(policies: Sequence[Policy], games: int) -> list[Score]:
        places = [(float(p.z[1:]), p.k) for p in policies]  # type: ignore[attr-defined]
        return [Score(abs(z - 1.0) + abs(k - 0.02) ** 0.5, 0.0) for z, k in places]

    axes = (Axis("z", 0.0, 1.0, "linear", form="q{:.2f}"), Axis("k", 0.1, 10.0, "log"))
    best = Zoom(trials=12).search(Space(hs.EpsilonZGreedy(z="q0.5"), axes), evaluate)[0].policy
    assert float(best.parameters()["z"][1:]) > 0.85
    assert 0.0 <= best.parameters()["k"] < 0.08


def test_a_constant_of_zero_is_a_natural_end() -> None:
    def evaluate(policies: Sequence[Policy], games: int) -> list[Score]:
        return [Score(p.parameters()["k"], 0.0) for p in policies]

    space = Space(hs.EpsilonGreedy(), (Axis("k", 1e-2, 1e1, "log"),))
    trials = Zoom().search(space, evaluate)
    assert trials[0].policy == hs.EpsilonGreedy(k=0)
    assert [trial.games for trial in trials[:4]] == [240, 240, 240, 60]


def test_without_parameters_nothing_is_played() -> None:
    def never(policies: Sequence[Policy], games: int) -> list[Score]:
        raise AssertionError

    assert [trial.policy for trial in Zoom().search(Space(hs.Greedy(), ()), never)] == [hs.Greedy()]


@pytest.mark.parametrize("best", [1e-6, 0.02, 0.05])
def test_it_starts_near_the_best_of_similar_games_and_leaves_if_it_must(best: float) -> None:
    played: list[float] = []

    def evaluate(policies: Sequence[Policy], games: int) -> list[Score]:
        values = [p.parameters()["P"] for p in policies]
        played.extend(values)
        return [Score(abs(math.log10((value or 1e-30) / best)), 0.0) for value in values]

    space = Space(hs.UCB(count="visitors", rho=0.5), (Axis("P", 1e-3, 1e1, "log"),))
    trials = Zoom().search(space, evaluate, near=hs.UCB(P=0.03))
    assert played[0] == 0.03
    assert trials[0].loss < 0.2
    assert all(getattr(trial.policy, "rho", None) == 0.5 for trial in trials)
    if best > 1e-3:
        assert max(played) <= 0.3
        assert len(trials) < len(Zoom().search(space, evaluate))


@pytest.mark.parametrize(("best", "steps"), [(0.3, 3), (1e200, 8)])
def test_a_search_ends_when_the_range_has_shrunk_twice_or_after_eight_steps(
    best: float, steps: int
) -> None:
    played: list[tuple[int, int]] = []

    def evaluate(policies: Sequence[Policy], games: int) -> list[Score]:
        played.append((len(policies), games))
        values = (p.parameters()["P"] or 1e-30 for p in policies)
        return [Score(abs(math.log10(value / best)), 0.0) for value in values]

    Zoom().search(Space(hs.UCB(), (Axis("P", 1e-2, 1e1, "log"),)), evaluate)
    assert len(played) == steps + 1
    assert played[0] == (8, 60)
    assert played[-1] == (3, 240)
