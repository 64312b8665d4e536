"""The option index beside the paper's policies, AdaUCB and greedy, tuned to each setting.

The settings, candidates and intervals of the study `vs_option_index`, with other games and
without Thompson sampling, KL-UCB and constant ε, so that 1,000 games of 108 settings take minutes
on a GPU.  Prints geometric means of regret ratios, in how many settings the option index is lower
or clearly higher, and the settings in which a tuned rival is lower.  `--workers` settings are
played at a time, each in a process of its own; on a GPU the processes share it (with NVIDIA's MPS,
kernels of several run side by side).

A longer search has more `--candidates` and games of `--tuning`.  Beside it stands what the study's
own search, the first 16 candidates in the first 100 games, chooses for the same games to judge by.
Settings are played in an order that mixes all kinds, so `--first` takes some of every kind.

    python benchmarks/option_many_games.py paper --games 1000 --tuning 500 --executor gpu
    python benchmarks/option_many_games.py paper --games 300 --tuning 1500 --candidates 64
    python benchmarks/option_many_games.py visitors --games 400 --tuning 200 --executor gpu
"""

from __future__ import annotations

import argparse
import functools
import math
import multiprocessing
import re
import sys
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

import highseason as hs
from highseason.advice import derive_seed
from highseason.core.parallel import opened
from highseason.core.warnings import quiet
from highseason.engine.results import Estimate

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # for the studies
from studies.vs_option_index.entrants import (
    OPTION,
    TWIN,
    UNTUNED,
    Entrant,
    Lineup,
    entrants_of,
    lineup,
)
from studies.vs_option_index.run import BEST, Met
from studies.vs_option_index.settings import FULL, Meeting, paper_settings, visitors_settings

SEED = 11  # the study's is 0
#: Of each rival, how many settings in which it does best are printed.
CLOSEST = 12
PARTS = {"paper": paper_settings, "visitors": visitors_settings}


class Played(NamedTuple):
    """The regret of the option index over that of each rival in one setting."""

    setting: str
    rho: float | None
    ratios: dict[str, Estimate]
    searched_less: Estimate  # Over the best rival that the study's own search chooses
    best: str  # The rival chosen, with its constants


def takes_part(entrant: Entrant, meeting: Meeting) -> bool:
    fast = entrant.group == "paper" or entrant.label.startswith(("greedy", "ada-ucb"))
    return fast or entrant.label == OPTION or (entrant.label == TWIN and meeting.rho is not None)


def play(part: str, number: int, games: int, tuning: int, candidates: int, executor: str) -> Played:
    """Tune everyone in one setting, and judge them in other games."""
    meeting = list(PARTS[part](False))[number]
    who = lineup(
        meeting, candidates, [one for one in entrants_of(meeting) if takes_part(one, meeting)]
    )
    own = derive_seed(SEED, f"{meeting.world}/{meeting.id}")

    def lost(rows: list[int], games: int, seed: int) -> NDArray[np.float64]:
        players = {str(row): who.policies[row] for row in rows}
        with quiet(), opened(executor, 1) as pool:
            result = hs.simulate(
                players, meeting.rewards, meeting.G, games, seed, executor=pool, keep="games"
            )
        assert result.games is not None
        return np.asarray(result.games["regret"]) / result.best_reward

    tried = np.full((len(who.policies), tuning), math.inf)
    tried[who.tried] = lost(who.tried, tuning, derive_seed(own, "search"))
    tried[~np.isfinite(tried)] = 1e9  # never chosen: it does not play games of tuning
    judged = lost(list(range(len(who.policies))), games, own)
    met = Met.of(judged, who, own, tried)
    ratios = {rival: met.fit.ratio(OPTION, rival) for rival in met.fit.chosen if rival != OPTION}
    few = {label: rows[: FULL.candidates] for label, rows in who.families.items()}
    less = Met.of(judged, Lineup(who.policies, few, who.tried), own, tried[:, : FULL.tuning])
    return Played(
        meeting.id, meeting.rho, ratios, less.fit.ratio(OPTION, BEST), met.parameters(BEST)
    )


def mean(ratios: list[Estimate]) -> str:
    """The geometric mean with its 95% interval."""
    middle = sum(math.log(one.value) for one in ratios) / len(ratios)
    widths = [math.log(one.high / one.low) / 2 for one in ratios]
    half = math.sqrt(sum(width**2 for width in widths)) / len(ratios)
    low, high = math.exp(middle - half), math.exp(middle + half)
    return f"{math.exp(middle):.3f} ({low:.3f} to {high:.3f})"


def law_of(played: Played) -> str:
    """The beginning of the name of a setting: its rewards, or its multiplier."""
    return re.split("-(?:wave|christmas|step|rho)-", played.setting)[0]


def show(played: list[Played], searched: str) -> None:
    console = Console(width=110)
    console.print(f"{len(played)} settings; {searched}")
    table = Table("option index / rival", "geometric mean", "lower in", "above 1", "above 1.02")
    for rival in played[0].ratios:
        ratios = [one.ratios[rival] for one in played]
        counts = [sum(one.value < 1 for one in ratios)]
        counts += [sum(one.low > limit for one in ratios) for limit in (1.0, 1.02)]
        table.add_row(rival, mean(ratios), *map(str, counts))
    console.print(table)
    usual = f"{FULL.candidates} candidates and {FULL.tuning} games of tuning"
    console.print(f"{usual}: {mean([one.searched_less for one in played])} of the {BEST}")
    for law in dict.fromkeys(map(law_of, played)):
        there = [one for one in played if law_of(one) == law]
        ratios, before = [one.ratios[BEST] for one in there], [one.searched_less for one in there]
        console.print(f"{law}: {mean(ratios)} of the {BEST}; {usual}: {mean(before)}")
    console.print(f"The {CLOSEST} settings in which the best rival comes closest:")
    for one in sorted(played, key=lambda one: -one.ratios[BEST].value)[:CLOSEST]:
        ratio, before = one.ratios[BEST], one.searched_less
        console.print(
            f"  {one.setting}: {ratio.value:.3f} ({ratio.low:.3f} to {ratio.high:.3f}), before "
            f"{before.value:.3f}, of {one.best}"
        )
    for rho in sorted({one.rho for one in played if one.rho is not None}):
        there = [one.ratios for one in played if one.rho == rho]
        best, twin = (mean([one[rival] for one in there]) for rival in (BEST, TWIN))
        console.print(f"rho {rho:g}: {best} of the {BEST}, {twin} of its unregulated twin")
    together = ("best", TWIN)
    single = [label for label in played[0].ratios if not label.startswith(together)]
    single = [label for label in single if not label.endswith(UNTUNED)]
    losses = {
        one.setting: {label: one.ratios[label] for label in single if one.ratios[label].value >= 1}
        for one in played
    }
    lower = sum(not rivals for rivals in losses.values())
    console.print(f"Lower than every single tuned rival in {lower} of {len(played)}; not in:")
    for setting, rivals in losses.items():
        for label, ratio in rivals.items():
            console.print(
                f"  {setting}: {ratio.value:.3f} ({ratio.low:.3f} to {ratio.high:.3f}) of {label}"
            )


def mixed(count: int) -> list[int]:
    """Settings in an order whose first ones are of all kinds: laws, shapes, arms and turns."""
    return [place * 41 % count for place in range(count)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=PARTS)
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--tuning", type=int, default=500, help="games of tuning")
    parser.add_argument("--executor", choices=("serial", "gpu"), default="serial")
    parser.add_argument("--workers", type=int, default=5, help="settings at a time")
    parser.add_argument("--candidates", type=int, default=FULL.candidates, help="of each policy")
    parser.add_argument("--first", type=int, help="play only the first settings of the mixed order")
    parser.add_argument(
        "--only", default="", help="play only settings whose name has this (a regex)"
    )
    parser.add_argument("--limit", type=float, default=math.inf, help="seconds; show what is done")
    given = parser.parse_args()
    begin = time.perf_counter()
    names = [meeting.id for meeting in PARTS[given.part](False)]
    numbers = [i for i in mixed(len(names)) if re.search(given.only, names[i])][: given.first]
    one = functools.partial(
        play, given.part, games=given.games, tuning=given.tuning, candidates=given.candidates,
        executor=given.executor,
    )  # fmt: skip
    played = []
    with ProcessPoolExecutor(given.workers, multiprocessing.get_context("spawn")) as pool:
        waiting = [pool.submit(one, number) for number in numbers]
        try:
            for future in as_completed(waiting, None if given.limit == math.inf else given.limit):
                played.append(future.result())
                print(f"{len(played)} of {len(waiting)}: {played[-1].setting}", file=sys.stderr)
        except TimeoutError:
            pool.shutdown(wait=False, cancel_futures=True)
    searched = f"{given.candidates} candidates and {given.tuning} games of tuning"
    show(sorted(played, key=lambda each: each.setting), searched)
    print(f"{time.perf_counter() - begin:.0f} seconds")


if __name__ == "__main__":
    main()
