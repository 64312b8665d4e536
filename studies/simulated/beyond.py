"""Games beyond the grid, for what the paper leaves open or says in words.

It states no k: the constant of the ε policies is played with several values.  Naive policies, long
games, busy turns that come first, two values of G and no multiplier at all test what its text says.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

import highseason as hs
from highseason import rewards, traffic
from highseason.core.random import game_keys
from highseason.engine import SimulationResult
from highseason.traffic import Multiplier
from studies import paper
from studies.frames import Rows, columns
from studies.session import SimulationTask
from studies.simulated import settings
from studies.simulated.settings import SimulatedSetting

#: The values of k that the verdicts rest on; the paper asks for k > 10.
KS = (11.0, 13.0, 14.0, 15.0, 20.0, 110.0, 1100.0)
#: Where the threshold of two values lies between them, as shares of the way.
PLACES = (0.1, 0.5, 0.9)

Results = Mapping[tuple[Any, ...], SimulationResult]


def tasks(quick: bool, games: int, seed: int) -> dict[tuple[Any, ...], SimulationTask]:
    """The games, by what they are for."""
    many = games if quick else settings.HEADLINE_GAMES
    small = settings.HEADLINE
    chosen: dict[tuple[Any, ...], SimulationTask] = {
        ("headline",): _task(_pairs_by_k(), small, many, seed)
    }
    for cell in settings.grid(quick):
        if not cell.law.published:
            continue
        chosen["naive", cell] = _task(_naive(), cell, games, seed)
        if cell.law is small.law and cell.shape == small.shape:
            chosen["by k", cell] = _task(_all_by_k(), cell, games, seed)
    seven = {policy.name: policy.profile("paper") for policy in settings.SEVEN}
    others = {"greedy": hs.Greedy(), settings.OURS: hs.OptionIndex()}
    for turns in (100, 1000) if quick else (500, 5000, 50_000):
        cell = SimulatedSetting(small.law, small.shape, small.arms, turns)
        chosen["long", turns] = _task(seven, cell, games, seed)
    for name, G in _peaks(small.turns).items():
        chosen["peak", name] = _task(seven | others, small, games, seed, G)
    step = traffic.SHAPES["step"](small.turns)
    low, high = float(step.values.min()), float(step.values.max())
    thresholds = {f"{place:.0%}": low + place * (high - low) for place in PLACES}
    for kind in (hs.EpsilonZGreedy, hs.UCBZ):
        same = {label: _with(kind, z=z) for label, z in thresholds.items()}
        chosen["two values", kind.name] = _task(same, small, games, seed, step)
    chosen["constant",] = _task(seven, small, games, seed, Multiplier(np.ones(small.turns)))
    return chosen


def frames(played: Results, seed: int) -> dict[str, pd.DataFrame]:
    """The table over k, what its second condition asks for, and a row for each claim in words."""
    return {
        "by_k": pd.DataFrame(_by_k(played)),
        "condition_on_k": pd.DataFrame(_condition(seed, list(_part(played, "by k")))),
        "naive": pd.DataFrame(_gains(played, "naive", paper.NAIVE)),
        "long_games": pd.DataFrame(_long(played)),
        "early_peak": pd.DataFrame(_peak_shares(played)),
        "two_values": pd.DataFrame(_two_values(played)),
        "constant_g": pd.DataFrame(_constant(played)),
    }


def _part(played: Results, name: str) -> dict[Any, SimulationResult]:
    """The results of one part, by what tells them apart."""
    return {key[1]: result for key, result in played.items() if key[0] == name}


def _task(
    policies: Mapping[str, hs.Policy], cell: SimulatedSetting, games: int, seed: int,
    G: Multiplier | None = None,
) -> SimulationTask:  # fmt: skip
    return SimulationTask(policies, cell.rewards(), G or cell.multiplier("paper"), games, seed)


def _with(kind: type[hs.Policy], **values: Any) -> hs.Policy:
    """A policy of the profile `paper`, with other values."""
    return replace(kind.profile("paper"), **values)


def _label(name: str, k: float) -> str:
    return f"{name}, k = {k:g}"


def _pairs_by_k() -> dict[str, hs.Policy]:
    return {
        _label(kind.name, k): _with(kind, k=k)
        for k in KS
        for kind in (hs.EpsilonGreedy, hs.SoftEpsilonGreedy)
    }


def _all_by_k() -> dict[str, hs.Policy]:
    kinds = (hs.EpsilonGreedy, hs.EpsilonZGreedy, hs.SoftEpsilonGreedy)
    by_k = {_label(kind.name, k): _with(kind, k=k) for k in KS for kind in kinds}
    rest = (hs.UCBZ, hs.SoftUCB, hs.VariablePool)
    return by_k | {kind.name: kind.profile("paper") for kind in rest}


def _naive() -> dict[str, hs.Policy]:
    naive = hs.policies
    return {
        "ucb": hs.UCB.profile("paper"), "naive-ucb": naive.NaiveUCB(),
        "epsilon-greedy": hs.EpsilonGreedy.profile("paper"),
        "naive-epsilon": _with(naive.NaiveEpsilonGreedy, k=paper.K),
    }  # fmt: skip


def _peaks(turns: int) -> dict[str, Multiplier]:
    """Busy turns that come first and pass quickly; and the same backwards."""
    falling = 1.0 + 999.0 * np.exp(-np.arange(turns) / (turns / 20))
    return {"first": Multiplier(falling), "last": Multiplier(falling[::-1].copy())}


def _by_k(played: Results) -> Iterator[dict[str, Any]]:
    headline = played["headline",]
    cells = _part(played, "by k")
    for k in KS:
        base, soft = _label("epsilon-greedy", k), _label("soft-epsilon", k)
        gains = [
            result.gain(label, base).value
            for result in cells.values()
            for label in (_label("epsilon-z", k), soft, "ucb-z", "soft-ucb", "variable-pool")
        ]
        at_random = sum(k * cell.arms >= cell.turns for cell in cells)
        yield {
            "k": k, "games": headline.settings["games"],
            **columns("gain", headline.gain(soft, base)),
            "points": len(gains), "least": min(gains), "greatest": max(gains),
            "in_range": float(np.mean([paper.RANGE[0] <= g <= paper.RANGE[1] for g in gains])),
            "sizes": len(cells), "random_sizes": at_random,
        }  # fmt: skip


def _condition(seed: int, cells: Sequence[Any]) -> Iterator[dict[str, Any]]:
    """The least k > 4 / min Δ² in each game, and how often ε-greedy then only plays at random."""
    games = settings.HEADLINE_GAMES
    for cell in cells:
        means = rewards.bernoulli(arms=cell.arms).parameters(game_keys(seed, range(games)))
        ordered = np.sort(np.asarray(means).reshape(games, cell.arms), axis=1)
        needed = 4.0 / (ordered[:, -1] - ordered[:, -2]) ** 2
        yield {
            "arms": cell.arms, "turns": cell.turns, "games": games,
            "median_k": float(np.median(needed)),
            "share_random": float(np.mean(np.maximum(needed, 10.0) * cell.arms >= cell.turns)),
        }  # fmt: skip


def _gains(played: Results, part: str, pairs: Mapping[str, str]) -> Rows:
    return [
        {"setting": cell.id, "policy": label, "base": base}
        | columns("gain", result.gain(label, base))
        for cell, result in _part(played, part).items()
        for label, base in pairs.items()
    ]


def _long(played: Results) -> Rows:
    return [
        {"turns": turns, "policy": label, "base": base} | columns("gain", result.gain(label, base))
        for turns, result in _part(played, "long").items()
        for label, base in paper.SAME_RULE.items()
    ]


def _peak_shares(played: Results) -> Rows:
    first, last = played["peak", "first"], played["peak", "last"]
    return [
        {"policy": label, "share_first": first.best_share(label),
         "share_last": last.best_share(label)}
        for label in first.policies
    ]  # fmt: skip


def _two_values(played: Results) -> Rows:
    rows: Rows = []
    for kind, result in _part(played, "two values").items():
        means = [result.mean("reward", label) for label in result.policies]
        rows.append({"policy": kind, "least": min(means), "greatest": max(means)})
    return rows


def _constant(played: Results) -> Rows:
    result = played["constant",]
    return [
        {"policy": label, "base": base, "the_same": _the_same(result, label, base)}
        | columns("gain", result.gain(label, base))
        for label, base in paper.SAME_RULE.items()
    ]


def _the_same(result: SimulationResult, one: str, other: str) -> bool:
    """Whether two policies earn the same in every game."""
    assert result.games is not None  # they are kept
    games = result.games["reward"]
    return bool(np.array_equal(games[result.index(one)], games[result.index(other)]))


def apart(row: Any) -> float:
    """Standard deviations between our gain and the paper's, which has the luck of its 50 games."""
    theirs = row.gain_se * math.sqrt(row.games / settings.GAMES)
    return float(abs(row.gain - paper.SOFT) / math.hypot(row.gain_se, theirs))
