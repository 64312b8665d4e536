"""Every bound against play, on hundreds of random games: who is violated, who says nothing.

    python benchmarks/bounds_harness.py [--instances 60] [--games 60] [--seed 1]

Prints a row for each policy.  "violated": the played mean, less three standard errors, is above the
bound.  The last column must be all zeros, and the exit code says so.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.reference.bounds_games import forced_pulls
from tests.reference.bounds_instances import (
    POLICIES,
    Compared,
    compare,
    compare_mortal,
    instances,
    populations,
)

from highseason import bounds

TURNS = (300, 15_000)


def row(name: str, compared: list[Compared]) -> tuple[object, ...]:
    informative = [o.safe.total / o.played.mean for o in compared if not o.safe.vacuous]
    return (
        name,
        len(compared),
        sum(o.paper_violated for o in compared),
        sum(not o.paper_defined for o in compared),
        sum(o.paper.vacuous for o in compared),
        sum(o.paper.valid for o in compared),
        sum(o.paper.valid and o.paper_violated for o in compared),
        sum(o.safe.vacuous for o in compared),
        f"{np.median(informative):.1f}" if informative else "-",
        sum(o.safe_violated or o.safe.total > o.safe.trivial for o in compared),
    )


def mortal_row(count: int, games: int, seed: int) -> tuple[object, ...]:
    found = [compare_mortal(p, games) for p in populations(count, seed, (200, 2000))]
    return (
        "soft-ucb-mortal", len(found),
        sum(played.exceeds(paper) for _, paper, _, played in found),
        "-", "-", "-", "-",
        sum(vacuous for _, _, vacuous, _ in found), "-",
        sum(played.exceeds(safe) for safe, _, _, played in found),
    )  # fmt: skip


def pulls_report(runs: int, seed: int) -> tuple[int, int, int]:
    """Turns checked, and on how many the printed and the safe lemma exceed the worst case."""
    rng = np.random.default_rng(seed)
    checked = printed = safe = 0
    for _ in range(runs):
        m, n = int(rng.integers(2, 12)), int(rng.integers(1_000, 60_000))
        r, P = float(rng.uniform(0.3, 2.0)), float(rng.uniform(0.5, 4.0))
        t = np.arange(1, n + 1)
        pulls = forced_pulls(P * np.log(t), [r] * (m - 1) + [0.0])
        for form in ("paper", "safe"):
            steps = bounds.pull_steps(n, m, r, P, form=form)
            over = int(np.sum((1 + np.searchsorted(steps, t, side="right") > pulls)[m - 1 :]))
            printed, safe = (printed + over, safe) if form == "paper" else (printed, safe + over)
        checked += n - m + 1
    return checked, printed, safe


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--instances", type=int, default=60, help="games drawn for each policy")
    parser.add_argument("--games", type=int, default=60, help="how often each is played")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    start = time.perf_counter()
    head = ("policy", "games", "paper violated", "undefined", "vacuous", "valid", "valid+violated",
            "safe vacuous", "safe/played", "safe violated")  # fmt: skip
    rows = [head]
    for name in POLICIES:
        drawn = instances(name, given.instances, given.seed, TURNS)
        rows.append(row(name, [compare(instance, given.games) for instance in drawn]))
    rows.append(mortal_row(given.instances, given.games, given.seed))
    widths = [max(len(str(r[i])) for r in rows) for i in range(len(head))]
    for cells in rows:
        print("  ".join(str(c).rjust(w) for c, w in zip(cells, widths, strict=True)))
    checked, printed, safe = pulls_report(given.instances, given.seed)
    print(
        f"minimum pulls: of {checked:,} turns the printed lemma exceeds the worst case on "
        f"{printed:,}, the safe one on {safe:,}"
    )
    print(f"{time.perf_counter() - start:.1f} s")
    return int(safe > 0 or any(r[-1] for r in rows[1:]))


if __name__ == "__main__":
    sys.exit(main())
