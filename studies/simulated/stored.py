"""What takes too long for `make demo`: `make record` computes it, and pages print its tables."""

import itertools
import math
from pathlib import Path

import numpy as np
import pandas as pd

import highseason as hs
from highseason import traffic
from highseason.bounds.regret_bound import Form
from highseason.core.warnings import quiet
from highseason.traffic import Multiplier
from studies.frames import Rows
from studies.session import SimulationTask
from studies.simulated import beyond, settings, side_results

#: Turns of the longest games; and how often each turn of Table 2 is played.
LONGEST, MANY = (50_000, 500_000), 200_000
#: The two arms of Table 2: the paper gives no gap.
_MEANS = [0.9, 0.1]


def longest_games(lengths: tuple[int, ...] = LONGEST) -> pd.DataFrame:
    """What regulating gains in the longest games; the study plays shorter ones."""
    played = {
        turns: beyond.long_game(turns, settings.GAMES, seed=0).result(None) for turns in lengths
    }
    return pd.DataFrame(beyond.long_rows(played, "make record"))


def simulated_table_2(turns: list[int] | None = None) -> pd.DataFrame:
    """How probable a suboptimal arm is in the turns of Table 2, in the game of Figure 4.

    ε/m + (1 - ε) q, where q is how often the leader is wrong; ties are broken at random.
    """
    G = hs.traffic.sine(1000)
    soft = hs.SoftEpsilonGreedy(k=11.0, unit=1.0, ties="random")
    both = {"old": hs.EpsilonGreedy(k=soft.k, ties="random"), "soft": soft}
    arms = hs.rewards.bernoulli(means=_MEANS)
    least = [float(G.values[len(_MEANS) :].min())]  # a plan of the whole game knows it
    rows = []
    for t in turns or [row.t for row in side_results.decay_table(soft, 0.8, G)]:
        before = Multiplier(G.values[: t - 1])
        right = beyond.leading(SimulationTask(both, arms, before, MANY, 0), None, least)
        row: dict[str, float] = {"turn": t, "games": MANY}
        for (name, policy), games in zip(both.items(), right, strict=True):
            epsilon = policy.plan(G, len(_MEANS)).at(t)
            wrong = 1.0 - float(games.mean())
            error = np.sqrt(wrong * (1.0 - wrong) / MANY)
            row[f"{name}_simulated"] = epsilon / len(_MEANS) + (1.0 - epsilon) * wrong
            row[f"{name}_simulated_se"] = (1.0 - epsilon) * error
        rows.append(row)
    return pd.DataFrame(rows)


_FORMS: tuple[Form, ...] = ("paper", "safe")
#: Two games whose gaps admit a small k: means, and the k that their bounds are taken with.
_BOUNDED = {(0.9, 0.1): 14.0, (0.0, 0.4, 0.7): 50.0}


def constant_bounds() -> pd.DataFrame:
    """Bounds without a multiplier, as printed and as they hold, beside the same rule's.

    Theorem 8 multiplies by z itself, so z is the least that makes every turn low.
    """
    G, z = traffic.constant(turns=3000), math.nextafter(1.0, 2.0)
    rows: Rows = []
    for means, k in _BOUNDED.items():
        pairs = [
            (hs.EpsilonZGreedy(k=k, z=z), hs.EpsilonGreedy(k=k)),
            (hs.SoftEpsilonGreedy(k=k, unit=1.0), hs.EpsilonGreedy(k=k)),
            (hs.UCBZ(z=z), hs.UCB()), (hs.SoftUCB(unit=1.0), hs.UCB()),
        ]  # fmt: skip
        for (new, old), form in itertools.product(pairs, _FORMS):
            with quiet():
                both = [hs.bounds.regret(p, list(means), multiplier=G, form=form).total
                        for p in (new, old)]  # fmt: skip
            rows.append({
                "means": " ".join(f"{mean:g}" for mean in means), "policy": new.name,
                "base": old.name, "form": form, "bound": both[0], "base_bound": both[1],
            })  # fmt: skip
    return pd.DataFrame(rows)


def read(name: str) -> pd.DataFrame:
    """What was recorded."""
    return pd.read_csv(_file(name))


def record() -> None:
    """Play all of it, and write the tables."""
    for name, table in (
        ("longest_games", longest_games()),
        ("simulated_table_2", simulated_table_2()),
        ("constant_bounds", constant_bounds()),
    ):
        table.to_csv(_file(name), index=False, lineterminator="\n")


def _file(name: str) -> Path:
    return Path(__file__).with_name(f"{name}.csv")
