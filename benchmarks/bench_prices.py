"""What price-curve loses where arms are prices, beside others; its bands; and its time a turn.

Ratios are geometric means over settings, ± two standard errors.  "Reported" settings have the
families of `hs.rewards.prices`; on "design" settings, which share no ladder, demand, size or seed
with them, the numbers of the rule were chosen.

    python benchmarks/bench_prices.py [--part design] [--settings 84] [--games 60]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

import highseason as hs
from highseason.core.random import game_keys
from highseason.engine.play import play_planned
from highseason.policies import demand_of, price_curve
from highseason.policies.rule import ArmState, Observation, Turn
from studies.prices.settings import Setting, settings

RIVALS = ("option-index", "thompson", "greedy")


def ratio(ours: NDArray[np.float64], theirs: NDArray[np.float64]) -> str:
    """The geometric mean of the ratios, and how often it is lower."""
    logs = np.log(ours / theirs)
    error = 2.0 * logs.std() / np.sqrt(logs.size)
    lower = f"{(logs < 0).sum()} of {logs.size}"
    mean, worst = np.exp(logs.mean()), np.exp(logs.max())
    return (
        f"{mean:.2f} ({mean * np.exp(-error):.2f}–{mean * np.exp(error):.2f}), {lower}, {worst:.2f}"
    )


def regrets(places: Sequence[Setting], games: int, console: Console) -> None:
    """The table of what is lost."""
    lost = {
        name: np.array([place.lost(name, games) for place in places])
        for name in ("price-curve", *RIVALS)
    }
    table = Table("settings", "loses, %", *(f"of {name}, lower in, worst" for name in RIVALS))
    groups: dict[str, list[bool]] = {"all": [True] * len(places)}
    for name, of in {
        "prices": lambda place: place.prices, "visitors": lambda place: place.visitors,
        "turns": lambda place: place.turns, "": lambda place: place.demand,
    }.items():  # fmt: skip
        for value in dict.fromkeys(map(of, places)):
            groups[f"{value} {name}".strip()] = [of(place) == value for place in places]
    for name, mine in groups.items():
        ours = lost["price-curve"][mine]
        cells = (ratio(ours, lost[rival][mine]) for rival in RIVALS)
        table.add_row(name, f"{100 * ours.mean():.1f}", *cells)
    console.print(table)


def final_state(place: Setting, game: int) -> tuple[ArmState, NDArray[np.float64]]:
    """What the rule knows at the end of a game, and the rates that are true."""
    plan = hs.PriceCurve(count="visitors").plan(place.G, place.prices)
    start = int(game_keys(place.seed, range(game, game + 1))[0])
    played = play_planned(plan, place.rewards, start)
    rule = plan.policy.rule
    state = rule.fresh_state(place.prices, place.rewards.offers)
    rates = place.rewards.parameters(np.array([start], np.uint64))[0][:, 0]
    for t, (arm, paid, G) in enumerate(
        zip(played.arms, played.paid, place.G.values, strict=True), 1
    ):
        assert place.rewards.offers is not None
        value = paid / place.rewards.offers[arm].margin
        turn = Turn(t, 0.0, float(G), 0.0, 0, 1, False, t)
        rule.observe(state, turn, Observation(int(arm), float(value), place.rewards.visitors_at(G)))
    return state, rates


def bands(places: Sequence[Setting], games: int, console: Console) -> None:
    """How often 90% bands hold, and whether chances are true."""
    inside: dict[tuple[str, bool], list[bool]] = {}
    chances, hits = [], []
    for place in places:
        for game in range(games):
            state, rates = final_state(place, game)
            rows = demand_of(state)
            profits = [row.margin * rates[row.arm] for row in rows]
            for row in rows:
                held = row.share_range[0] <= rates[row.arm] <= row.share_range[1]
                inside.setdefault((place.demand, row.visitors > 0), []).append(held)
            chances += [row.best for row in rows]
            hits += [profit == max(profits) for profit in profits]
    table = Table("demand", "tried, %", "untried, %")
    for demand in dict.fromkeys(name for name, _ in inside):
        cells = (100 * np.mean(inside.get((demand, tried), [])) for tried in (True, False))
        table.add_row(demand, *(f"{cell:.0f}" for cell in cells))
    means = [
        np.mean([np.mean(v) for (_, tried), v in inside.items() if tried == one])
        for one in (True, False)
    ]
    table.add_row("mean", *(f"{100 * mean:.0f}" for mean in means))
    console.print(table)
    said, true = np.array(chances), np.array(hits)
    fifths = np.minimum(4, (5 * said).astype(int))
    pairs = (f"{said[fifths == k].mean():.2f} is {true[fifths == k].mean():.2f}" for k in range(5))
    console.print("the chance of being best, by fifths:", ", ".join(pairs))


def speed(console: Console) -> None:
    """CPU time a turn, compiled and in Python."""
    table = Table("prices", "compiled, µs", "Python, ms")
    for count in (3, 5, 8, 15):
        shelf = hs.rewards.prices(f"8.99..14.99/{count}", cost=4)
        G = 300 * hs.traffic.constant(200)
        hs.simulate("price-curve", shelf, G, games=1, workers=1)
        started = time.process_time()
        hs.simulate("price-curve", shelf, G, games=100, workers=1)
        compiled = (time.process_time() - started) / 20_000 * 1e6
        started = time.process_time()
        hs.play("price-curve", shelf, G)
        python = (time.process_time() - started) / 200 * 1e3
        table.add_row(str(count), f"{compiled:.1f}", f"{python:.2f}")
    console.print(table, f"deviations from a curve: {price_curve.DEVIATIONS}")


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--part", default="reported", choices=["reported", "design"])
    parser.add_argument("--settings", type=int, default=84)
    parser.add_argument("--games", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    given, console = parser.parse_args(), Console(width=160)
    places = list(settings(given.part, given.settings, given.seed))
    regrets(places, given.games, console)
    bands(places[::2], max(1, given.games // 10), console)
    speed(console)


if __name__ == "__main__":
    main()
