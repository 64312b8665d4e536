"""Simulated games per second against peers, NumPy and the limits we set ourselves, in one run.

Ours is `simulate` on one thread, warm, with its default statistics; CPU time per game.  Peers are
measured in the same process, where they are installed.  They accept live rewards turn by turn;
these ratios are for simulated batches only.

    make bench
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable

import numpy_loops
import peers
from rich.console import Console
from rich.progress import track
from rich.table import Table

import highseason as hs

SIZES = ((25, 500), (200, 1500))
GAMES = 400
POLICIES = {
    "ucb": hs.UCB(),
    "epsilon": hs.EpsilonGreedy(k=1),
    "pool": hs.VariablePool(c=10, unit=1),
}
#: The ratio each peer must reach, for the two sizes.
NEEDED = {
    "MABWiser UCB1": (5500, 9000),
    "River UCB": (800, 1600),
    "River ε-greedy": (200, 450),
    "NumPy loop, one game, UCB": (175, 70),
    "NumPy loop, one game, ε": (175, 70),
    "NumPy, 50 games at once, UCB": (12, 8),
    "NumPy, 50 games at once, ε": (12, 8),
    "NumPy, 50 games at once, pool": (12, 8),
}
#: Milliseconds a game that a hand-written kernel reached on a machine like this one, and how many
#: times slower we may be.
LIMITS = {"ucb": (0.0043, 0.033), "epsilon": (0.0043, 0.024), "pool": (0.0076, 0.033)}
WITHIN = (2.5, 3.0)


def ours(kind: str, arms: int, turns: int, games: int = GAMES) -> float:
    """CPU seconds a game."""
    setting = (POLICIES[kind], hs.rewards.bernoulli(arms=arms), hs.traffic.wave(turns))
    hs.simulate(*setting, games=8, workers=1)
    return least(lambda: _clock(lambda: hs.simulate(*setting, games=games, workers=1)) / games, 9)


def least(measure: Callable[[], float], times: int) -> float:
    """The smallest of several measurements: what the machine can do when it is left alone."""
    return min(measure() for _ in range(times))


def _clock(work: Callable[[], object]) -> float:
    begin = time.process_time()
    work()
    return time.process_time() - begin


def rivals() -> dict[str, tuple[str, Callable[[int, int], float]]]:
    """Everything we compare with: the kind of policy, and CPU seconds a game."""
    found: dict[str, tuple[str, Callable[[int, int], float]]] = {}
    for name, (kind, game) in peers.PEERS.items():
        try:
            game(2, 4, 0)
        except Exception as reason:  # a peer that is not there, or does not run here, is named
            print(f"left out: {name}: {type(reason).__name__}: {reason}", file=sys.stderr)
            continue
        found[name] = (kind, lambda a, n, game=game: least(lambda: game(a, n, 1), 2))
    for label, kind in (("UCB", "ucb"), ("ε", "epsilon"), ("pool", "pool")):
        if kind != "pool":
            found[f"NumPy loop, one game, {label}"] = (
                kind,
                lambda a, n, kind=kind: least(lambda: numpy_loops.one_game(kind, a, n, 1), 5),
            )
        found[f"NumPy, 50 games at once, {label}"] = (
            kind,
            lambda a, n, kind=kind: least(lambda: numpy_loops.many_games(kind, a, n, 1), 3),
        )
    return found


def compare(console: Console) -> bool:
    """Print the ratios; whether all that are asked for were reached."""
    mine = {(kind, size): ours(kind, *size) for kind in POLICIES for size in SIZES}
    table = Table(
        "milliseconds a game", *(f"{a} arms, {n} turns" for a, n in SIZES), "ratio", "needed"
    )
    good = True
    for kind in POLICIES:
        spent = [mine[kind, size] * 1e3 for size in SIZES]
        ratios = [s / limit for s, limit in zip(spent, LIMITS[kind], strict=True)]
        good &= all(r <= w for r, w in zip(ratios, WITHIN, strict=True))
        table.add_row(
            f"highseason {kind}",
            *(f"{s:.4f}" for s in spent),
            " and ".join(f"{r:.1f}" for r in ratios) + " x the limit",
            " and ".join(f"<= {w}" for w in WITHIN),
        )
    for name, (kind, game) in track(rivals().items(), "peers", console=Console(stderr=True)):
        spent = [game(*size) for size in SIZES]
        ratios = [s / mine[kind, size] for s, size in zip(spent, SIZES, strict=True)]
        needed = NEEDED.get(name)
        good &= needed is None or all(r >= w for r, w in zip(ratios, needed, strict=True))
        table.add_row(
            name,
            *(f"{s * 1e3:.3f}" for s in spent),
            " and ".join(f"{r:,.0f}" for r in ratios) + " x ours",
            " and ".join(f"{w:,}" for w in needed) if needed else "-",
        )
    console.print(table)
    return good


def growth(console: Console) -> bool:
    """How the cost of a turn grows from 25 to 1,600 arms, at twenty turns an arm."""
    table = Table("nanoseconds a turn", "25 arms", "200 arms", "1,600 arms", "growth", "allowed")
    good = True
    for kind, allowed in (("epsilon", 8), ("ucb", 12), ("pool", 25)):
        cost = [
            ours(kind, a, 20 * a, max(16, 40_000 // a)) / (20 * a) * 1e9 for a in (25, 200, 1600)
        ]
        good &= cost[2] <= allowed * cost[0]
        table.add_row(kind, *(f"{c:.1f}" for c in cost), f"{cost[2] / cost[0]:.1f}", str(allowed))
    console.print(table)
    return good


def main() -> None:
    """Print all tables; exit 1 where something asked for was not reached."""
    warnings.simplefilter("ignore", hs.policies.PlanWarning)
    console = Console(width=120)
    good = compare(console)
    good &= growth(console)
    console.print(
        "Peers accept live rewards turn by turn; these ratios are for simulated batches.",
        "All reached." if good else "[bold]Not all reached.[/]",
    )
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
