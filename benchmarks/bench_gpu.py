"""Games on a GPU: the same bits as on the CPU, and how fast, kernels alone and end to end.

    python benchmarks/bench_gpu.py          # equality and speed
    python benchmarks/bench_gpu.py --grid   # also the paper's 72 settings with a million games each

Run it on a machine with an NVIDIA GPU and highseason[gpu].  Kernel times are the GPU's own (events,
the best of three, inputs in its memory).  End to end is a warm call of `simulate`.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

import highseason as hs
from highseason.engine.gpu import kernels
from highseason.engine.gpu.device import the_gpu
from highseason.engine.gpu.play import Games, GpuGames, GpuRoundingWarning
from highseason.engine.simulate import Simulation

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # for the studies
from studies.simulated.settings import SEVEN, grid

SEED = 7
MILLION = 1_000_000
POLICIES = {"UCB": hs.UCB(), "ε-greedy": hs.EpsilonGreedy(k=1)}
POOL = hs.VariablePool(c=10, unit=1)
#: Rules without a kernel of their own on a GPU, and settings in which those above have none.
GENERIC = {
    "pool": POOL,
    "UCB, random ties": hs.UCB(ties="random"),
    "ε-greedy, random ties": hs.EpsilonGreedy(k=1, ties="random"),
}
SIZES = ((25, 500), (50, 500), (100, 1000), (200, 1500))
#: Billions of turns a second that kernels must reach at the first and the last size; end to end
#: half of that.
NEEDED = {"UCB": (20, 3), "ε-greedy": (8, 3)}


def games_of(policies: Any, rewards: Any, G: Any, lifetimes: Any = None) -> GpuGames:
    """Games on the GPU."""
    prepared = Simulation.prepare(policies, rewards, G, SEED, lifetimes=lifetimes)
    return GpuGames(replace(prepared, realised=True), the_gpu())


def compared() -> Iterator[tuple[str, Any, Any, int, Any]]:
    """What is compared: policies, rewards, turns and lifetimes."""
    three = [*POLICIES.values(), POOL]
    for arms, turns in ((2, 30), *SIZES):
        yield f"Bernoulli, {arms} x {turns}", three, hs.rewards.bernoulli(arms=arms), turns, None
    yield "Bernoulli, 300 x 700", three, hs.rewards.bernoulli(arms=300), 700, None
    yield "Bernoulli, 1000 x 1500", three, hs.rewards.bernoulli(arms=1000), 1500, None
    fixed = hs.rewards.bernoulli(means=[0.2, 0.8, 0.5])
    yield "Bernoulli, given means", three, fixed, 100, None
    naive = [hs.policies.NaiveUCB(), hs.policies.NaiveEpsilonGreedy()]
    yield "naive policies", naive, hs.rewards.bernoulli(arms=25), 500, None
    ties = [hs.UCB(ties="random"), hs.EpsilonGreedy(k=1, ties="random"),
            replace(POOL, ties="random")]  # fmt: skip
    yield "random ties", ties, hs.rewards.bernoulli(arms=25), 500, None
    regulated = [hs.SoftUCB(), hs.UCBZ(z=30), hs.EpsilonZGreedy(z=30), hs.Greedy()]
    yield "regulated policies", regulated, hs.rewards.bernoulli(arms=25), 500, None
    contest = hs.policies
    wrappers = (contest.PeakGrabber, contest.DynamicPeakGrabber, contest.CapIndex, hs.Discounted,
                contest.SpareOldArms, hs.Windowed)  # fmt: skip
    wrapped = [wrapper(hs.UCB()) for wrapper in wrappers]
    yield "wrapped policies", wrapped, hs.rewards.bernoulli(arms=25), 500, None
    lifetimes = hs.lifetimes.articles(300)
    some = [hs.UCB(), hs.EpsilonGreedy(k=1)]
    yield "lifetimes", some, hs.rewards.bernoulli(arms=lifetimes.arms), 300, lifetimes
    normal = hs.rewards.truncated_normal(arms=25, sigma=1.0)
    yield "clipped normal, 25 x 500", three, normal, 500, None
    drifting = hs.rewards.bernoulli(arms=10, drift=0.02)
    yield "drift (uses log)", three, drifting, 300, None
    narrow = hs.rewards.truncated_normal(arms=25, sigma=0.1)
    yield "clipped normal, sigma 0.1 (uses log)", three, narrow, 500, None
    for rho in (0.0, 0.001, 0.01):
        counted = hs.rewards.visitors(arms=25, between=(0.02, 0.2), rho=rho)
        yield f"visitors, rho {rho:g} (uses log)", three, counted, 500, None
    sampling = [hs.SoftUCBMortal(), hs.UCBL(), hs.Thompson(), hs.GaussianThompson(), hs.KLUCB()]
    for policy in (*sampling, hs.OptionIndex()):
        name = f"{type(policy).__name__} (uses log)"
        yield name, [policy], hs.rewards.bernoulli(arms=25), 500, None


def equality(console: Console, games: int = 2048) -> bool:
    """Count the games that agree in every bit; whether all do that promise it."""
    table = Table("compared with the CPU, bit for bit", "games", "equal")
    good = True
    for name, policies, rewards, turns, lifetimes in compared():
        G = hs.traffic.wave(turns)
        played = games_of(policies, rewards, G, lifetimes).play(range(games))
        totals, best, _ = map(the_gpu().download, played)
        cpu = hs.simulate(
            policies, rewards, G, games, SEED, keep="games", lifetimes=lifetimes, realised=True
        ).games
        assert cpu is not None
        columns = (("reward", 0), ("regret", 1), ("exploited", 2), ("best_pulls", 3))
        same = np.all([totals[:, :, i] == cpu[metric] for metric, i in columns], axis=0)
        same &= best - totals[:, :, 0] == cpu["realised_regret"]
        good &= bool(same.all()) or "uses log" in name
        table.add_row(name, f"{same.size:,}", f"{same.sum():,}")
    console.print(table)
    return good


def kernel_rate(policy: hs.Policy, arms: int, turns: int) -> float:
    """Billions of turns a second of the kernel that plays a policy."""
    import cupy

    device, count = the_gpu(), 2**20 if arms < 100 else 2**18
    played = games_of([policy], hs.rewards.bernoulli(arms=arms), hs.traffic.wave(turns))
    keys = device.empty((count,), np.uint64)
    device.spread(kernels.draw_keys, count, np.uint64(SEED), 0, keys)
    parameters, means = played._arms(keys)
    out, trace = device.empty((count, 4)), device.empty((count, 0, 2))
    games = Games(played._on_device[0], keys, parameters, means, out, trace)
    seconds = []
    for _ in range(4):  # the first loads the kernel
        start, end = cupy.cuda.Event(), cupy.cuda.Event()
        start.record()
        played._play(0, games, played._spans(keys))
        end.record()
        end.synchronize()
        seconds.append(cupy.cuda.get_elapsed_time(start, end) / 1e3)
    return count * turns / min(seconds) / 1e9


def whole_rate(policy: hs.Policy, arms: int, turns: int) -> float:
    """Billions of turns a second of `simulate(executor="gpu")` with a million games."""
    setting = (policy, hs.rewards.bernoulli(arms=arms), hs.traffic.wave(turns))
    seconds = []
    for _ in range(3):
        begin = time.perf_counter()
        hs.simulate(*setting, games=MILLION, executor="gpu", keep="summary")
        seconds.append(time.perf_counter() - begin)
    return MILLION * turns / min(seconds) / 1e9


def speed(console: Console) -> bool:
    """Print the speed table; whether what is asked for was reached."""
    sizes = [f"{arms} x {turns}" for arms, turns in SIZES]
    table = Table("billions of turns a second", *sizes, "needed at the first and last")
    good = True
    for name, policy in POLICIES.items():
        needed = NEEDED[name]
        for what, rate, share in (("kernel", kernel_rate, 1.0), ("simulate", whole_rate, 0.5)):
            rates = [rate(policy, *size) for size in SIZES]
            good &= rates[0] >= share * needed[0] and rates[-1] >= share * needed[1]
            limits = " and ".join(f"{share * least:g}" for least in needed)
            table.add_row(f"{name}, {what}", *(f"{each:.2f}" for each in rates), limits)
    for name, policy in GENERIC.items():
        rates = [kernel_rate(policy, *size) for size in SIZES]
        table.add_row(f"{name}, generic kernel", *(f"{each:.3f}" for each in rates), "-")
    console.print(table)
    return good


def paper(console: Console) -> bool:
    """The paper's settings, a million games each; whether it takes minutes and errors are small."""
    settings = [setting for setting in grid() if setting.law.published]
    begin, worst = time.perf_counter(), 0.0
    for setting in settings:
        players = [policy.profile("paper") for policy in SEVEN]
        G = setting.multiplier("paper")
        result = hs.simulate(players, setting.rewards(), G, MILLION, executor="gpu")
        errors = (result.error("reward", i) / result.mean("reward", i) for i in range(len(players)))
        worst = max(worst, *errors)
    took = time.perf_counter() - begin
    console.print(
        f"{len(settings)} settings, {len(SEVEN)} policies, {MILLION:,} games each: {took:.0f} s; "
        f"largest standard error of a mean reward: {worst:.3%}"
    )
    return took < 600 and worst < 0.001


def main() -> None:
    """Print everything; exit 1 where something was not reached."""
    for category in (hs.policies.PlanWarning, GpuRoundingWarning):
        warnings.simplefilter("ignore", category)
    console = Console(width=120)
    good = equality(console)
    good &= speed(console)
    if "--grid" in sys.argv:
        good &= paper(console)
    console.print("All reached." if good else "[bold]Not all reached.[/]")
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
