"""Searches and advice are those they were: they change only where that is meant.

After a change that is meant: `python -m tests.advice.test_recorded`, and look at what differs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.reference.recorded import Cases, assert_recorded, defaults_of, record

import highseason as hs
from highseason.advice import Zoom, recommend
from highseason.advice.comparison import candidates, spaces, tried
from highseason.advice.trials import Axis, Budget, Score, Space, Trial, axes, search
from highseason.advice.worlds import World, apart
from highseason.policies import Policy

RECORDED = Path(__file__).parent / "recorded.json"
SIZES = ((900, 5), (20_000, 5), (365, 40), (50, 2))


def hill(best: dict[str, float]) -> Any:
    """Scores by how far the logarithms of the parameters are from those of the best."""

    def evaluate(policies: Sequence[Policy], games: int) -> list[Score]:
        scores = []
        for policy in policies:
            known = policy.resolve_thresholds(hs.traffic.wave(turns=100).values).parameters()
            far = [math.log((float(known[name]) + 1e-9) / value) for name, value in best.items()]
            scores.append(Score(sum(x * x for x in far), 1.0 / math.sqrt(games)))
        return scores

    return evaluate


def told(trials: Sequence[Trial]) -> list[Any]:
    return [[str(one.policy), one.games, one.loss, one.error] for one in trials]


def zoomed(policy: Policy, best: dict[str, float], **how: Any) -> list[Any]:
    near = how.pop("near", None)
    return told(Zoom(**how).search(Space(policy, axes(policy)), hill(best), near))


def halved(policy: Policy, best: dict[str, float], trials: int, games: int) -> list[Any]:
    space = Space.of(policy, hs.traffic.wave(turns=100))
    return told(search(space, hill(best), Budget.halving(trials, games)))


def small_parts() -> dict[str, Any]:
    """Axes, spaces, budgets and worlds."""
    G = hs.traffic.wave(turns=100)
    known = {str(one): one for one in candidates()}
    both = [Axis("k", 0.01, 10.0, "log"), Axis("c", 2, 50, "linear", whole=True)]
    moved = [axis.around(0.9, 0.5, (0.05, 40.0)) for axis in both]
    drawn = np.array([[0.2, 0.5, 0.3], [0.1, 0.05, 0.02], [0.4, 0.4, 0.1]])
    return {
        "axes": {name: [vars(axis) for axis in axes(one)] for name, one in known.items()},
        "on G": {
            name: [vars(axis) for axis in Space.of(one, G).axes]
            for name, one in known.items()
            if one.tunable()
        },
        "places": [[one.value(x), one.place(one.value(x))] for one in both for x in (0.1, 0.6)],
        "moved": [vars(axis) for axis in moved],
        "budgets": [Budget.halving(*pair).rounds for pair in ((2, 19), (3, 60), (81, 1000))],
        "tried": [list(map(str, tried(rho))) for rho in (None, 0.1)],
        "spaces": [len(spaces(tried(0.1), (hs.UCB(P=3.0),)))],
        "apart": apart(drawn, 0.05, 0.2),
        "typical": [World.of("visitors", 5, (0.02, 0.05), 0.01, x).typical() for x in (None, 0.01)],
        "games": [recommend.affordable(hs.traffic.wave(turns), arms) for turns, arms in SIZES],
    }  # fmt: skip


def shop(turns: int = 40) -> hs.traffic.Multiplier:
    t = np.arange(turns)
    values = np.round(400 * (1 + 0.4 * (t % 7 > 4)) * (1 + 3 * (t > 0.7 * turns)))
    return hs.traffic.from_values(values, np.datetime64("2025-11-20") + t, name="shop")


def advised(G: Any, arms: int, **how: Any) -> dict[str, Any]:
    """Everything that advice says, without the moment at which it was said."""
    advice = hs.advise(G, arms, games=30, seed=2, executor="serial", **how)
    document = advice.to_dict()
    document.pop("worlds")
    others = [[one.world.rates, one.world.rho, str(one.policy), one.answer, one.reason]
              for one in advice.others]  # fmt: skip
    return document | {
        "others": others,
        "text": advice.text(details=True).splitlines(),
        "units": [advice.in_units(worth=20.0, unit="EUR"), advice.in_units()],
    }


CASES: Cases = {
    "small parts": small_parts,
    "defaults": partial(defaults_of, "advice"),
    "zoom, one axis": partial(zoomed, hs.EpsilonGreedy(), {"k": 0.3}, trials=5),
    "zoom, far away": partial(zoomed, hs.UCB(), {"P": 3000.0}, trials=4, steps=5),
    "zoom, near": partial(zoomed, hs.UCB(), {"P": 0.4}, trials=4, near=hs.UCB(P=0.5)),
    "zoom, two axes": partial(zoomed, hs.UCBZ(), {"P": 0.1, "z": 20.0}, trials=3, narrow=1),
    "zoom, pools": partial(zoomed, hs.VariablePool(), {"c": 4.0, "unit": 9.0}, trials=3),
    "halving": partial(halved, hs.UCBZ(), {"P": 0.1, "z": 20.0}, 20, 200),
    "halving, whole": partial(halved, hs.VariablePool(), {"c": 9.0}, 9, 100),
    "tuned": lambda: str(
        hs.tune(hs.UCBZ, hs.rewards.bernoulli(arms=4), hs.traffic.wave(turns=40), trials=9,
                games=60, search="spread", seed=4)
    ).splitlines(),
    "advice, a shape": lambda: advised("wave", 4, turns=60),
    "advice, a shop": lambda: advised(shop(24), 3, rates="2%..6%", rho=0.05, bounds=True),
    "advice, typical rates": lambda: advised(shop(28), 2),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
@pytest.mark.filterwarnings("ignore::highseason.policies.PlanWarning")
def test_what_is_found_and_said_is_what_was_recorded(name: str) -> None:
    assert_recorded(RECORDED, CASES, name)


if __name__ == "__main__":
    record(RECORDED, CASES)
