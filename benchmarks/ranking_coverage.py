"""How often the intervals of `ranking()` hold the truth, and its chances of being best come true.

Every season has four arms with random rates, and days whose visitors are lognormal with a standard
deviation of 1.  After 8, 12, 20 and 60 turns each arm's interval is compared with its rate, and its
stated chance with whether it is the best.  A share of 1,600 intervals is known within 1 point.

    python benchmarks/ranking_coverage.py [--seasons N] [POLICY …]
"""

from __future__ import annotations

import argparse
import warnings
from collections import defaultdict
from itertools import pairwise

import numpy as np

import highseason as hs
from highseason.bandit import certainty

ARMS, TURNS, STOPS = 4, 60, (8, 12, 20, 60)
#: Arms dealt evenly, and chosen by the policy.
DEALT = (
    *("ucb:count=turns", "ucb", "windowed:window=8+ucb:count=turns"),
    "discounted:discount=0.9+ucb:count=turns",
)
CHOSEN = (
    *("option-index", "thompson:count=turns", "greedy:count=turns", "ucb:count=turns"),
    *("constant-epsilon:count=turns", "thompson", "greedy", "ucb"),
)
PULLS = {"2": (2, 2), "3 to 4": (3, 4), "5 to 9": (5, 9), "10 or more": (10, TURNS)}
BINS = (0.0, 0.05, 0.2, 0.4, 0.6, 0.8, 0.95, 1.0)


def season(world: str, number: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The arms' rates, the visitors of each turn, and what each arm would bring per visitor."""
    rng = np.random.default_rng([7, number])
    visitors = np.maximum(1, np.round(300 * rng.lognormal(0, 1, TURNS)))
    if world == "draws":  # every turn is one draw of 0 or 1, for all of its visitors
        rates = rng.uniform(0.2, 0.8, ARMS)
        return rates, visitors, (rng.random((TURNS, ARMS)) < rates).astype(float)
    rates, alike = rng.uniform(0.02, 0.05, ARMS), 1 / 0.002 - 1
    of_day = rng.beta(rates * alike, (1 - rates) * alike, (TURNS, ARMS))
    bought = rng.binomial(visitors.astype(int)[:, None], of_day)
    return rates, visitors, bought / visitors[:, None]


def played(
    world: str, policy: str, dealt: bool, seasons: int
) -> tuple[dict[str, list[bool]], list[tuple[float, bool]], list[tuple[float, float]]]:
    """Whether intervals held by pulls; chances and whether they came true; losses and the truth."""
    held, chances, losses = defaultdict(list), [], []
    for number in range(seasons):
        rates, visitors, paid = season(world, number)
        bandit = hs.Bandit(
            range(ARMS), policy, visitors, reward_range=(0, 1), seed=number, known=True
        )
        for t in range(1, TURNS + 1):
            arm = bandit.pull(t, [(t - 1) % ARMS] if dealt else None)
            bandit.update(arm, paid[t - 1, arm] * visitors[t - 1], t)
            if t not in STOPS:
                continue
            rows = bandit.ranking()
            for row in rows:
                if row.low is not None:
                    name = next(n for n, (a, b) in PULLS.items() if a <= row.pulls <= b)
                    held[name].append(row.low <= rates[row.arm] <= row.high)
                if row.chance_best is not None:
                    chances.append((row.chance_best, row.arm == rates.argmax()))
            if rows[0].loss is not None:
                losses.append((rows[0].loss, rates.max() - rates[rows[0].arm]))
    return held, chances, losses


def shares(held: dict[str, list[bool]]) -> list[str]:
    """The share of intervals that held, by pulls and over all."""
    groups = [held.get(name, []) for name in PULLS]
    groups.append([one for group in groups for one in group])
    return [f"{100 * np.mean(group):.1f}%" if group else "–" for group in groups]


def reliability(chances: list[tuple[float, bool]]) -> list[str]:
    """In each bin of stated chances: the mean chance, and how often it came true."""
    table, cells = np.array(chances, float).reshape(-1, 2), []
    for low, high in pairwise(BINS):
        part = table[(table[:, 0] >= low) & (table[:, 0] < high)]
        said = f"{100 * part[:, 0].mean():.0f} → {100 * part[:, 1].mean():.0f}" if len(part) else ""
        cells.append(said if len(part) >= 50 else "–")
    return cells


def main() -> None:
    """Print both tables, as in the guide."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("policies", nargs="*")
    parser.add_argument("--seasons", type=int, default=400)
    chosen = parser.parse_args()
    certainty.UNSURE = 1.0  # look also at the chances that are not shown, because they are off
    warnings.simplefilter("ignore", hs.policies.PlanWarning)
    wanted = [(p, True) for p in DEALT] + [(p, False) for p in CHOSEN]
    wanted = [one for one in wanted if not chosen.policies or one[0] in chosen.policies]
    tables: dict[str, list[list[str]]] = {"held": [], "sure": []}
    for world in ("visitors", "draws"):
        for policy, dealt in wanted:
            name = [world, f"{policy}, dealt" if dealt else policy]
            held, chances, losses = played(world, policy, dealt, chosen.seasons)
            tables["held"].append(name + shares(held))
            mean = np.array(losses).reshape(-1, 2).mean(axis=0) if losses else (np.nan, np.nan)
            tables["sure"].append(name + reliability(chances) + [f"{mean[0]:.2g} → {mean[1]:.2g}"])
            print(*tables["held"][-1], *tables["sure"][-1][2:], sep=" | ", flush=True)
    bins = [f"{100 * a:g} to {100 * b:g}%" for a, b in pairwise(BINS)]
    for head, rows in (([*PULLS, "all"], tables["held"]), ([*bins, "loss"], tables["sure"])):
        print()
        for row in (["world", "policy", *head], ["---"] * (2 + len(head)), *rows):
            print("|", " | ".join(row), "|")


if __name__ == "__main__":
    main()
