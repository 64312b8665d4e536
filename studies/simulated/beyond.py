"""Games beyond the grid, for what the paper leaves open or says in words.

It states no k: the constant of the ε policies is played with several values.  Naive policies, long
games, busy turns that come first, two values of G and no multiplier at all test what its text says.
The longest games are in `stored`.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import highseason as hs
from highseason import rewards, traffic
from highseason.core.parallel import Executors
from highseason.core.random import game_keys
from highseason.core.warnings import quiet
from highseason.engine import SimulationResult, with_interval
from highseason.traffic import Multiplier
from studies import paper
from studies.frames import Rows, columns
from studies.session import SimulationTask, Task
from studies.simulated import settings
from studies.simulated.settings import SimulatedSetting

#: The values of k that the verdicts rest on; the paper asks for k > 10.
KS = (11.0, 13.0, 14.0, 15.0, 20.0, 110.0, 1100.0)
#: Where the threshold of two values lies between them, as shares of the way.
PLACES = (0.1, 0.5, 0.9)

#: Naive UCB with the radius that its theory asks for: rewards lie between 0 and the greatest G.
OWN_UNIT = "naive-ucb in its unit"
#: The naive policies, and the smarter ones.
PAIRS = paper.NAIVE | {OWN_UNIT: "ucb"}
#: Games played here; longer ones are stored.
TURNS, QUICK_TURNS = (500, 5000), (100, 1000)

Results = Mapping[tuple[Any, ...], Any]
#: Whether the arm with the highest estimate is the best: a row for each policy, a column for games.
Leading = NDArray[np.bool_]


class LeadersTask(SimulationTask):
    """In which games the arm with the highest estimate at the end is truly the best."""

    def result(self, executor: Executors = "serial") -> Leading:
        """A row for each policy, a column for each game."""
        return leading(self, executor)


def leading(task: SimulationTask, executor: Executors, after: Sequence[float] = ()) -> Leading:
    """Let everyone play its leader for one more turn, which is worth more than all others.

    Turns `after` it change no estimate, but plans may look at them.
    """
    others = task.G.total + sum(after)
    last = 1e12 * others
    G = Multiplier(np.append(task.G.values, [last, *after]))
    greedy_last: dict[str, Any] = {
        label: hs.regulate(policy, by="threshold", z=last)
        for label, policy in task.policies.items()
    }
    result = replace(task, policies=greedy_last, G=G).simulated(executor)
    assert result.games is not None  # they are kept
    return np.asarray(result.games["regret"] <= others)  # which a wrong leader would exceed


def tasks(quick: bool, games: int, seed: int) -> dict[tuple[Any, ...], Task]:
    """The games, by what they are for."""
    many = games if quick else settings.HEADLINE_GAMES
    small = settings.HEADLINE
    chosen: dict[tuple[Any, ...], Task] = {("headline",): _task(_pairs_by_k(), small, many, seed)}
    for cell in settings.grid(quick):
        if not cell.law.published:
            continue
        naive = _naive(cell)
        chosen["naive", cell] = _task(naive, cell, games, seed)
        where = cell.rewards(), cell.multiplier("paper")
        chosen["leaders", cell] = LeadersTask(naive, *where, games, seed)
        if cell.law is small.law and cell.shape == small.shape:
            chosen["by k", cell] = _task(_all_by_k(), cell, games, seed)
    others = {"greedy": hs.Greedy(), settings.OURS: hs.OptionIndex()}
    seven = _seven()
    for turns in QUICK_TURNS if quick else TURNS:
        chosen["long", turns] = long_game(turns, games, seed)
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
        "naive": pd.DataFrame(_gains(played, "naive", PAIRS)),
        **_leaders(_part(played, "leaders")),
        "long_games": pd.DataFrame(long_rows(_part(played, "long"), "here")),
        "early_peak": pd.DataFrame(_peak_shares(played)),
        "two_values": pd.DataFrame(_two_values(played)),
        "constant_g": pd.DataFrame(_constant(played)),
        "constant_pool": _constant_pool(),
    }


def long_game(turns: int, games: int, seed: int) -> SimulationTask:
    """The policies in a game of any length, otherwise as the paper's smallest."""
    cell = replace(settings.HEADLINE, turns=turns)
    return _task(_seven(), cell, games, seed)


def long_rows(played: Mapping[int, SimulationResult], where: str) -> Rows:
    """What regulating gains in games of each length, and where they were played."""
    return [
        {"turns": turns, "policy": label, "base": base} | columns("gain", result.gain(label, base))
        | {"games": result.settings["games"], "seed": result.settings["seed"], "played": where}
        for turns, result in played.items()
        for label, base in paper.SAME_RULE.items()
    ]  # fmt: skip


def _part(played: Results, name: str) -> dict[Any, Any]:
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
        for k in dict.fromkeys(map(_enough, KS))
        for kind in (hs.EpsilonGreedy, hs.SoftEpsilonGreedy)
    }


def _enough(k: float) -> float:
    """A k that plays the headline alike: from turns / arms on, km/t is never below 1."""
    return min(k, settings.HEADLINE.turns / settings.HEADLINE.arms)


def _all_by_k() -> dict[str, hs.Policy]:
    kinds = (hs.EpsilonGreedy, hs.EpsilonZGreedy, hs.SoftEpsilonGreedy)
    by_k = {_label(kind.name, k): _with(kind, k=k) for k in KS for kind in kinds}
    rest = (hs.UCBZ, hs.SoftUCB, hs.VariablePool)
    return by_k | {kind.name: kind.profile("paper") for kind in rest}


def _seven() -> dict[str, hs.Policy]:
    return {policy.name: policy.profile("paper") for policy in settings.SEVEN}


def _naive(cell: SimulatedSetting) -> dict[str, hs.Policy]:
    naive, most = hs.policies, float(cell.multiplier("paper").values.max())
    return {
        "ucb": hs.UCB.profile("paper"), "naive-ucb": naive.NaiveUCB(),
        OWN_UNIT: naive.NaiveUCB(P=naive.NaiveUCB().P * most**2),
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
        pair = _label("soft-epsilon", _enough(k)), _label("epsilon-greedy", _enough(k))
        gains = [
            result.gain(label, base).value
            for result in cells.values()
            for label in (_label("epsilon-z", k), soft, "ucb-z", "soft-ucb", "variable-pool")
        ]
        at_random = sum(k * cell.arms >= cell.turns for cell in cells)
        yield {
            "k": k, "games": headline.settings["games"],
            **columns("gain", headline.gain(*pair)),
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
        {"setting": cell.id, "shape": cell.shape, "policy": label, "base": base}
        | {"at_random": label == "naive-epsilon" and paper.K * cell.arms >= cell.turns}
        | columns("gain", result.gain(label, base))
        for cell, result in _part(played, part).items()
        for label, base in pairs.items()
    ]


def _leaders(best: Mapping[SimulatedSetting, Leading]) -> dict[str, pd.DataFrame]:
    """How often the best arm leads at the end: in each setting, and over those of a shape."""
    labels = list(_naive(settings.HEADLINE))

    def row(games: NDArray[np.float64], policy: str, base: str) -> dict[str, Any]:
        naive, smart = (games[labels.index(label)] for label in (policy, base))
        more = naive - smart  # in pairs
        error = float(more.std(ddof=1)) / math.sqrt(more.size)
        return {
            "policy": policy, "base": base, "share": naive.mean(), "base_share": smart.mean(),
            **columns("less", with_interval(float(more.mean()), error)),
        }  # fmt: skip

    single = [
        {"setting": cell.id, "shape": cell.shape} | row(games.astype(float), *pair)
        for cell, games in best.items()
        for pair in PAIRS.items()
    ]
    together = []
    for shape in settings.SHAPES:
        # Games of one number share arms and luck between settings, so they count as one.
        games = np.mean([each for cell, each in best.items() if cell.shape == shape], axis=0)
        together += [{"shape": shape} | row(games, *pair) for pair in PAIRS.items()]
    return {"leaders": pd.DataFrame(single), "leaders_by_shape": pd.DataFrame(together)}


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


def _constant_pool() -> pd.DataFrame:
    """The size of the pool in every turn without a multiplier."""
    small = settings.HEADLINE
    with quiet():
        sizes = hs.VariablePool.profile("paper").plan(np.ones(small.turns), small.arms).levels
    return pd.DataFrame(
        {"turn": np.arange(1, small.turns + 1), "size": sizes.astype(int), "arms": small.arms}
    )


def _the_same(result: SimulationResult, one: str, other: str) -> bool:
    """Whether two policies earn the same in every game."""
    assert result.games is not None  # they are kept
    games = result.games["reward"]
    return bool(np.array_equal(games[result.index(one)], games[result.index(other)]))


def apart(row: Any) -> float:
    """Standard deviations between our gain and the paper's, which has the luck of its 50 games."""
    theirs = row.gain_se * math.sqrt(row.games / settings.GAMES)
    return float(abs(row.gain - paper.SOFT) / math.hypot(row.gain_se, theirs))
