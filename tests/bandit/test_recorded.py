"""Live seasons are those they were: choices, chances, documents and sentences.

After a change that is meant: `python -m tests.bandit.test_recorded`, and look at what differs.
"""

from __future__ import annotations

import math
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats
from tests.reference.recorded import Cases, assert_recorded, defaults_of, record

import highseason as hs
from highseason.bandit.certainty import Lessons

RECORDED = Path(__file__).parent / "recorded.json"
TURNS = 36
RATES = {"red": 0.03, "green": 0.05, "blue": 0.04, "late": 0.06, "brief": 0.02}


def season() -> hs.traffic.Multiplier:
    t = np.arange(TURNS)
    values = np.round(300 * (1 + 0.5 * np.sin(t)) * (1 + 2 * (t > 25)))
    return hs.traffic.from_values(values, np.datetime64("2025-11-10") + t)


def brings(arm: str, turn: int, visitors: float) -> float:
    """What a turn brings: above the arm's rate in some turns, below it in others."""
    return round(visitors * RATES[arm] * (1 + 0.4 * math.sin(7 * turn + len(arm))))


def live(policy: str, online: bool = False, **options: Any) -> dict[str, Any]:
    """A season with everything that may happen in one."""
    G = season()
    options = {"reward_range": (0, 1), "seed": 3, **options}
    bandit = hs.Bandit(["red", "green", "blue"], policy, None if online else G, **options)
    bandit.fit(
        [("red", 9, 1, 300), ("green", 16, 2, 310), ("red", 11, 3, 290), ("blue", 3, 4, 0)],
        confirm=True,
    )
    told: list[Any] = []
    for turn in range(1, TURNS + 1):
        guess = {"expected": float(G.values[turn - 1])} if online else {}
        if turn == 5:
            bandit.add_arm("late", "low")
        if turn == 8:
            bandit.add_arm("brief", "now", expires=15)
        if turn == 20:
            bandit.remove_arm("red")
        if turn == 30 and not online:
            bandit.reforecast(1.5 * G.window(30, None))
        if turn % 6 == 0:
            told.append([turn, bandit.probabilities(**guess), bandit.waiting])
        allowed = ["green", "blue"] if turn == 11 else None
        decided = bandit.decide(available=allowed, **guess)
        told.append([decided.arm, decided.probability, decided.exploited, decided.level])
        came = 0.9 * float(G.values[turn - 1])
        if turn % 5:
            bandit.update(decided.arm, brings(decided.arm, turn, came), turn, came, confirm=True)
        elif turn % 2:  # the visitors are counted later
            bandit.update(decided.arm, brings(decided.arm, turn, came), turn, confirm=True)
    if not bandit.known:
        bandit.count_visitors(15, 200.0, confirm=True)
    bandit.correct(7, 2.0, confirm=True)
    rows = [list(row) for row in bandit.ranking(gone=True)]
    open_turns = [[d.turn for d in some] for some in (bandit.pending, bandit.unrewarded)]
    again = hs.Bandit.from_json(bandit.to_json())
    return {
        "told": told, "ranking": rows, "verdict": bandit.verdict(), "open": open_turns,
        "again": again.expectations(),
    }  # fmt: skip


def lessons(seed: int, arms: int, turns: int, kind: str) -> Lessons:
    """Rewards of arms on days of very different size."""
    luck = np.random.RandomState(seed)
    which = np.arange(turns) % arms if kind != "uneven" else luck.randint(0, arms - 1, turns)
    visitors = np.floor(1 + 200 * luck.lognormal(0, 1, turns))
    values = 0.1 + 0.02 * which + luck.standard_normal(turns) / 20
    if kind == "binary":
        values = (luck.random_sample(turns) < 0.3 + 0.1 * which).astype(float)
    kept = 0.9 ** np.arange(turns, 0, -1.0) if kind == "fading" else np.ones(turns)
    weights = visitors if kind == "uneven" else np.ones(turns)
    return Lessons(which, values, visitors, weights, kept, arms, kind != "money")


def sureness(*setting: Any) -> dict[str, Any]:
    known = lessons(*setting)
    here = np.ones(known.size, np.bool_)
    here[0] = setting[0] % 2 == 0
    fits = [known._fitted(rho) for rho in (0.0, 0.01, 1.0)]
    return {"intervals": known.intervals(), "outlook": known.outlook(here), "fits": fits}


POLICIES = ("option-index:count=visitors", "soft+ucb", "threshold+thompson", "epsilon-z:z=400",
            "discounted:discount=0.9+ucb", "windowed:window=8+kl-ucb", "variable-pool")  # fmt: skip
KNOWN = (
    (1, 3, 30, "plain"), (2, 4, 60, "plain"), (3, 3, 45, "uneven"), (4, 3, 50, "binary"),
    (5, 3, 30, "fading"), (6, 2, 24, "money"), (7, 3, 14, "plain"), (8, 3, 15, "plain"),
    (10, 5, 200, "plain"),
)  # fmt: skip
CASES: Cases = {
    **{f"live, {policy}": partial(live, policy) for policy in POLICIES},
    "live, nothing known": lambda: live("soft+ucb", online=True),
    "live, nothing known, pools": lambda: live("variable-pool", online=True),
    "live, outliers confirmed": lambda: live("ucb", reward_range=(0, 0.05)),
    "live, visitors known": lambda: live("option-index", known=True),
    **{f"sure, {setting}": partial(sureness, *setting) for setting in KNOWN},
    "defaults": partial(defaults_of, "bandit"),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.filterwarnings("ignore::highseason.policies.PlanWarning")
def test_a_season_is_the_one_that_was_recorded(name: str) -> None:
    assert_recorded(RECORDED, CASES, name)


@pytest.mark.parametrize("setting", [*KNOWN[:3], KNOWN[4]], ids=str)
def test_intervals_are_students_with_the_degrees_that_weights_leave(setting: Any) -> None:
    """Turn by turn, by the formulas of Bell and McCaffrey."""
    known = lessons(*setting)
    low, high = known.intervals()
    for arm in range(known.size):
        mine = [i for i in range(known.arms.size) if known.arms[i] == arm]
        if len(mine) < 2:
            continue
        weights = [float(known.weights[i] * known.kept[i]) for i in mine]
        shares = [weight / sum(weights) for weight in weights]
        mean = sum(share * float(known.values[i]) for share, i in zip(shares, mine, strict=True))
        moved = [share**2 / (1 - share) for share in shares]
        pairs = list(zip(moved, mine, strict=True))
        squares = sum(part * (float(known.values[i]) - mean) ** 2 for part, i in pairs)
        turns = 1 / sum(share**2 for share in shares)
        degrees = 1 / (1 / turns + sum(moved) ** 2 - sum(part**2 for part in moved))
        width = stats.t.ppf(0.975, degrees) * math.sqrt(squares)
        assert (low[arm], high[arm]) == pytest.approx((mean - width, mean + width), rel=1e-9)


if __name__ == "__main__":
    record(RECORDED, CASES)
