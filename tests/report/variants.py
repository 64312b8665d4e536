"""Figures with options that the examples of the documentation do not show."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
from tests.logs.logs import fixed_log, mortal_log, two_pools

import highseason as hs
from highseason import report
from highseason.engine import Estimate, with_interval
from highseason.logs import replay, replay_many
from highseason.report.drawing import drawing, legend_below
from highseason.report.figure import Figure
from highseason.report.interval_plots import draw_intervals, interval_panels
from highseason.report.simulation_plots import draw_reward_bars
from studies.logged import plots
from studies.logged.lifespans import best_slice, lifespans
from studies.minimum_pulls import minimum_pulls

ARMS = hs.rewards.bernoulli(arms=4)


def days(first: str, count: int, peak: float = 3.0) -> hs.traffic.Multiplier:
    when = np.datetime64(first) + np.arange(count)
    busy = (when.astype("datetime64[M]").astype(int) % 12 == 11) * (peak - 1.0)
    return hs.traffic.from_values(100 * (1 + busy) * (1 + 0.3 * (np.arange(count) % 7 > 4)), when)


def bounds() -> list[Figure]:
    G = hs.traffic.step(turns=120)
    sure, odd = hs.EpsilonZGreedy(k=20, z=30), hs.UCB()
    both = [hs.bounds.regret(one, means=[0.9, 0.5, 0.1], multiplier=G) for one in (sure, odd)]
    printed = hs.bounds.regret(odd, means=[0.9, 0.1], multiplier=G, form="paper")
    once = hs.simulate(odd, hs.rewards.bernoulli(means=[0.9, 0.1]), G, games=1, seed=1, curves=True)
    pulls = np.arange(1, 300) // 30 + 1
    return [
        report.bound(both),
        report.bound(printed, once, title="as printed"),
        minimum_pulls(pulls, arms=5, r=2.0, P=1.0),
    ]


def estimates(count: int, width: float = 0.02) -> dict[str, Estimate]:
    return {f"policy {i}": with_interval(0.05 * (i - 1), width) for i in range(count)}


def intervals() -> list[Figure]:
    panels = {
        "first": {"wave": estimates(3), "step": estimates(2)},
        "second": {"wave": estimates(5)},
    }
    with drawing("upright", [3.0]) as (canvas, [axes]):
        series = {name: [(1.0, one), (2.0, one)] for name, one in estimates(3).items()}
        draw_intervals(axes, series, upright=True, joined=True, faded=("policy 1",), spread=0.5)
        legend_below(canvas, [axes], columns=2)
    single = {"one": Estimate(0.2, np.nan, 0.2, 0.2)}
    return [
        interval_panels(panels, "gain", "cut", limit=0.06),
        interval_panels({"": {"a": single}}, "gain", "one game"),
        Figure(canvas, "upright"),
    ]


def logs() -> list[Figure]:
    uniform, tilted = fixed_log((0.2, 0.5), 900), fixed_log((0.2, 0.5), 4000, chances=(0.8, 0.2))
    told = fixed_log((0.2, 0.5), 4000, chances=(0.8, 0.2), tell=True)
    spans = lifespans(mortal_log(900))
    moved = replace(spans, start=spans.start + 1_700_000_000, end=spans.end + 1_700_000_000)
    many = replay_many(["uniform", "epsilon-z:z=4"], uniform, runs=4)
    return [
        report.replays(many, published={"uniform": 0.3}, source="a shop"),
        report.replays(replay(["uniform", "ucb"], tilted), title="tilted"),
        report.replays(replay("ucb", told), source="a shop"),
        report.replays(replay("ucb", two_pools(20_000))),
        plots.lifespans(spans),
        plots.lifespans(moved, best_slice(moved, least_arms=3)),
    ]


def multipliers() -> list[Figure]:
    long = days("2023-11-20", 395)
    ahead = hs.traffic.SeasonalNaive().fit(long).predict(20)
    made = {"level": np.linspace(90, 110, 20), "week": np.exp(np.sin(np.arange(20.0))),
            "season": np.full(20, 2.0)}  # fmt: skip
    hours = hs.traffic.from_values(
        10.0 + np.arange(60) % 24, np.datetime64("2024-05-01T00", "h") + np.arange(60)
    )
    walk = hs.traffic.RandomWalk()
    return [
        report.multiplier(days("2024-11-01", 50)),
        report.multiplier(days("2024-11-01", 60, peak=40.0), z="q0.75"),
        report.multiplier(hs.traffic.from_values([3.0], ["2024-01-01"])),
        report.multiplier(hours, z=20),
        report.multiplier(hs.traffic.from_values([2.0, 3.0, 1.0])),  # ticks are whole turns
        report.forecast(ahead, long, country="GB", parts=made),
        report.forecast(walk.fit([1.0, 4.0, 2.0, 3.0]).predict(5), z=2.0, confidence=0.5),
        report.forecast(walk.fit(hours).predict(6), hours),
        report.forecast(walk.fit(days("2024-12-01", 20)).predict(30)),
    ]


def advised(plan: hs.policies.Plan, rivals: int) -> SimpleNamespace:
    """What an advice holds that its figure shows."""
    compared = [SimpleNamespace(policy=k, lead=lead) for k, lead in estimates(rivals).items()]
    comparison = SimpleNamespace(compared=compared)
    return SimpleNamespace(plan=plan, policy="option-index", comparison=comparison)


def plans() -> list[Figure]:
    G, steep = days("2024-11-20", 60), days("2024-11-20", 60, peak=40.0)
    priced = hs.OptionIndex().plan(G, arms=3)
    each = [hs.UCB().plan(G, arms=3), hs.SoftUCB().plan(G, arms=3), priced]
    return [
        report.plan(each),
        report.plan(priced),
        report.plan(hs.SoftUCB().plan(steep, arms=3), z=50.0),
        report.plan(hs.VariablePool(c=2).plan(hs.traffic.wave(turns=40), arms=5)),
        report.calendar({"ours": priced, "soft": each[1]}),
        report.calendar(hs.SoftUCB().plan(steep, arms=3), title="steep"),
        report.advice(advised(priced, 3)),
        report.advice(advised(each[1], 2), title="soft"),
    ]


def simulations() -> list[Figure]:
    G = hs.traffic.wave(turns=40)
    players = [hs.UCB(), hs.UCBZ(), hs.SoftUCB(), hs.Greedy(), hs.UniformRandom(),
               hs.EpsilonGreedy(k=5), hs.VariablePool(c=3, unit=1)]  # fmt: skip
    result = hs.simulate(players, ARMS, G, games=12, seed=1, curves=True)
    labels = result.policies
    groups = {"two": labels[:2], "three": labels[2:5]}
    tuned = hs.tune(hs.EpsilonGreedy, ARMS, G, trials=4, games=10, search="spread")
    with drawing("thin", [2.0]) as (canvas, [axes]):
        draw_reward_bars(axes, [0.0, 1.5], [(result, 0), (result, 3)], thin=True)
    return [
        report.rewards(result, policies=labels[4:1:-1]),
        report.rewards(hs.simulate(hs.UCB(), ARMS, G, games=1, seed=1)),
        report.curves(result, "reward"),
        report.curves(result, policies=groups, band=(0.25, 0.75)),
        report.sensitivity(tuned),
        Figure(canvas, "thin"),
    ]


VARIANTS: Mapping[str, Callable[[], list[Figure]]] = {
    "bound": bounds, "interval": intervals, "log": logs, "multiplier": multipliers, "plan": plans,
    "simulation": simulations,
}  # fmt: skip
