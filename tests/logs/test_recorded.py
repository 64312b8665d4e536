"""The findings on some logs and histories are those they were: they change only where it is meant.

After a change that is meant: `python -m tests.logs.test_recorded`, and look at what differs.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.logs.logs import fixed_log, mortal_log, two_pools, with_chances
from tests.reference.recorded import Cases, assert_recorded, defaults_of, record

from highseason.logs import Events, PreparedLog, diagnose, fit_noise, replay, replay_many
from studies.logged.front_page import START, FrontPage, GeneratedWorld
from studies.logged.lifespans import frontier, lifespans

RECORDED = Path(__file__).parent / "recorded.json"
SOME = ["arm1", "arm4"]
MEANS, CHANCES = (0.3, 0.5, 0.7), (0.6, 0.3, 0.1)


# ---- noise -------------------------------------------------------------------------------------


def counts(
    turns: int, arms: int, rho: float, day: float = 0.0, shared: bool = True, dated: bool = False
) -> pd.DataFrame:
    """Successes of visitors; with `shared` every arm is shown in every turn."""
    luck = np.random.RandomState(turns + arms)
    turn = np.repeat(np.arange(turns), arms if shared else 1)
    arm = np.tile(np.arange(arms), turns) if shared else np.arange(turns) % arms
    visitors = np.maximum(1, 700 * (1 + turn % 7 / 3) * luck.lognormal(0, 0.3, turn.size))
    effect = np.exp(day * luck.standard_normal(turns))[turn]
    centre = np.linspace(0.03, 0.05, arms)[arm] * effect
    sums = 1 / rho - 1 if rho else 1e9
    seen = luck.binomial(visitors.astype(int), luck.beta(centre * sums, (1 - centre) * sums))
    when = np.datetime64("2024-01-01") + turn if dated else turn
    columns = {"turn": when, "arm": arm, "visitors": visitors.astype(int), "successes": seen}
    return pd.DataFrame(columns)


def money(every_visitor: bool = False) -> pd.DataFrame:
    luck = np.random.RandomState(5)
    rows = []
    for turn in range(60):
        spent = luck.gamma(0.5, 60, luck.randint(100, 500)) * luck.normal(1, 0.1)
        spent = spent if every_visitor else spent * (luck.random_sample(spent.size) < 0.2)
        rows.append((turn, turn % 2, spent.sum(), (spent**2).sum(), spent.size))
    return pd.DataFrame(rows, columns=["turn", "arm", "sum", "squares", "visitors"])


def noise_of(frame: pd.DataFrame) -> dict[str, Any]:
    found = fit_noise(frame)
    taught = [found.teaches(1000, 100), found.teaches(1000, 100, rho=0.1)]
    document = found.to_dict() | {"teaches": taught, "text": str(found)}
    turns = {name: values[:3] + values[-2:] for name, values in document["turns"].items()}
    return document | {"turns": turns}


# ---- logs and replays --------------------------------------------------------------------------


def changing() -> Events:
    """A tilt in the last quarter alone."""
    log = fixed_log(MEANS, 8000, seed=3)
    arm = log.arm.copy()
    arm[7000:][arm[7000:] == 0] = 1
    return replace(log, arm=arm)


LOGS = {
    "uniform": lambda: fixed_log(MEANS, 6000, a_bin=(3, 12)),
    "tilted": lambda: fixed_log(MEANS, 6000, chances=CHANCES),
    "told": lambda: fixed_log(MEANS, 6000, chances=CHANCES, tell=True),
    "told wrongly": lambda: replace(
        fixed_log(MEANS, 6000, chances=CHANCES),
        propensity=with_chances(fixed_log(MEANS, 6000, chances=CHANCES)),
    ),
    "told a uniform log": lambda: fixed_log(MEANS, 4000, tell=True),
    "changing": changing,
    "mortal": lambda: mortal_log(5000),
    "two pools": lambda: two_pools(8000),
    "two pools, told": lambda: two_pools(8000, tell=True),
    "short": lambda: fixed_log(MEANS, 90),
}


def summary_of(name: str) -> dict[str, Any]:
    found = diagnose(PreparedLog.of(LOGS[name]()))
    return found.to_dict() | {"text": str(found)}


def replay_of(name: str, **options: Any) -> dict[str, Any]:
    found = replay(["uniform", "ucb", "ucb-z:z=7"], LOGS[name](), **options)
    runs = [run.to_dict() for run in found.runs]
    for run in runs:
        run["curve"] = {name: values[::40] for name, values in run["curve"].items()}
    return {"runs": runs, "verdicts": [found.verdict(label) for label in found.policies]}


def many_of(name: str, **options: Any) -> dict[str, Any]:
    found = replay_many(["uniform", "ucb", "epsilon-z:z=7"], LOGS[name](), runs=5, **options)
    return found.to_dict() | {"notes": found.notes}


# ---- the synthetic front page ------------------------------------------------------------------


def page_of(**settings: Any) -> dict[str, Any]:
    """The world behind a page, and an hour of its events."""
    world = GeneratedWorld.of(FrontPage(**settings))
    hour = world.events(START + 20 * 3600, START + 20 * 3600 + 900)
    shown = np.bincount(hour.arm, minlength=len(world.ids))
    return {
        "articles": len(world.ids),
        "ids": world.ids[:5] + world.ids[-2:],
        "starts": (world.starts - START)[::7],
        "ends": (world.ends - START)[::7],
        "rates": world.rates[::7],
        "pools": world.pools.sizes[::9],
        "since": (world.since - START)[::9],
        "events": [len(hour.time), int(hour.reward.sum()), int((hour.time - START).sum())],
        "shown": shown[shown > 0][:20],
        "propensity": [float(hour.propensity[i]) for i in (0, 1, -1)],
    }


def lives_of() -> dict[str, Any]:
    log = mortal_log(3000)
    spans = lifespans(log)
    found = frontier(log)
    part = found.with_arms(4)
    return {
        "spans": spans.columns(),
        "text": str(spans),
        "frontier": found.table.rows,
        "slice": {
            "start": part.start,
            "end": part.end,
            "hours": part.hours,
            "arms": list(part.arms),
            "unbroken": part.unbroken(log),
            "events": len(part.cut(log)),
        },
    }


CASES: Cases = {
    "noise, days": lambda: noise_of(counts(50, 3, 0.003, 0.2, dated=True)),
    "noise, one arm at a time": lambda: noise_of(counts(60, 2, 0.01, shared=False)),
    "noise, none": lambda: noise_of(counts(40, 2, 0.0, shared=False)),
    "noise, of few turns": lambda: noise_of(counts(6, 2, 0.02)),
    "noise, money": lambda: noise_of(money()),
    "noise, money of everyone": lambda: noise_of(money(every_visitor=True)),
    **{f"log, {name}": partial(summary_of, name) for name in LOGS},
    **{f"replay, {name}": partial(replay_of, name) for name in LOGS},
    "replay, thinned": lambda: replay_of("told", reweigh="accept"),
    "replay, some turns of some arms": lambda: replay_of("mortal", turns=400, arms=SOME),
    "many, windows": lambda: many_of("uniform", window=1500, step=1000),
    "many, repeated": lambda: many_of("tilted", how="repeat", times=2, shuffle=True),
    "page, a day": lambda: page_of(days=1.0, seed=3),
    "page, articles that stay": lambda: page_of(days=2.0, seed=4, articles=9, bursts=0.5),
    "page, busy and tilted": lambda: page_of(
        days=1.0, rates=[0.02, 0.05, 0.1], tilt=1.5, events_per_second=150.0, bursts=1.0, rhythm=0.9
    ),
    "lives": lives_of,
    "defaults": partial(defaults_of, "logs"),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
@pytest.mark.filterwarnings("ignore::highseason.policies.PlanWarning")
def test_findings_are_those_that_were_recorded(name: str) -> None:
    assert_recorded(RECORDED, CASES, name)


if __name__ == "__main__":
    record(RECORDED, CASES)
