"""`tune`: search on some games, report on others, and show how much each parameter matters."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from highseason.games import simulate
from highseason.multipliers import Multiplier, as_multiplier
from highseason.policies import Greedy, Policy
from highseason.results import SimulationResult, ratio_gain
from highseason.rewards import Rewards
from highseason.tuning.halving import Table, Told, quiet_plans
from highseason.tuning.halving import search as look
from highseason.tuning.outcome import Curve, Tuned
from highseason.tuning.space import Axis, Space

#: Values of each parameter on its sensitivity curve.
_POINTS = 9


def tune(
    policy: Policy | type[Policy],
    rewards: Rewards,
    multiplier: Any,
    *,
    trials: int = 48,
    games: int = 400,
    seed: int = 0,
    space: Mapping[str, tuple[float, float] | None] | Sequence[str] | None = None,
    search: str = "tpe",
    threads: int | None = None,
    progress: Told | None = None,
) -> Tuned:
    """Find parameters with low regret, and say what they give on games they were not chosen by.

    Candidates are compared on the same games (common random numbers) by successive halving: all
    play a few, the best third plays three times as many, and so on.  What is reported, and the
    sensitivity curves, come from other games: those of `simulate(…, seed=seed)`.

    Args:
        policy: A class, or an instance to start from.
        rewards: What the arms pay.
        multiplier: G, such as the traffic of a past season.
        trials: How many candidates.
        games: How many games the finalists play, and how many are reported.
        seed: Same seed, same result.
        space: Which parameters, or a range for each, such as `{"k": (0.01, 10), "z": None}`;
            all of them over their usual ranges if None.
        search: "tpe" lets Optuna propose candidates (the extra `tuning`); "spread" covers the
            space evenly and needs nothing.
        threads: How many; all cores if None.
        progress: Called with (steps done, steps in all).

    >>> import highseason as hs
    >>> G = hs.multipliers.wave(turns=300)
    >>> arms = hs.rewards.bernoulli(arms=20)
    >>> tuned = tune(hs.EpsilonGreedy(k=110), arms, G, trials=9, games=90, search="spread")
    >>> tuned.gain().value > 0.3  # 110 is far too much
    True
    """
    for name, value, least in (("trials", trials, 1), ("games", games, 2)):
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise ValueError(f"{name} must be a whole number, at least {least}, not {value!r}")
    G = as_multiplier(multiplier)
    chosen = Space.of(policy, G, space)
    start = policy() if isinstance(policy, type) else policy
    table = Table(rewards, G, derive_seed(seed, "search"), threads)
    found = look(chosen, table, trials, games, search, progress)
    best = found[0].policy
    reported = _report(best, start, rewards, G, games, seed, threads)
    curves = tuple(_curve(axis, best, rewards, G, games, seed, threads) for axis in chosen.axes)
    return Tuned(best, start, found, reported, curves, search, table.seed)


def derive_seed(seed: int, use: str) -> int:
    """A seed for games that no report shows.

    >>> derive_seed(0, "search") != derive_seed(1, "search") != 0
    True
    """
    return int.from_bytes(hashlib.sha256(f"{seed}/{use}".encode()).digest()[:6], "big")


def _report(
    best: Policy,
    start: Policy,
    rewards: Rewards,
    G: Multiplier,
    games: int,
    seed: int,
    threads: int | None,
) -> SimulationResult:
    players: dict[str, Policy] = {"tuned": best, "as given": start, "greedy": Greedy()}
    with quiet_plans():
        return simulate(players, rewards, G, games, seed, threads=threads)


def _curve(
    axis: Axis,
    best: Policy,
    rewards: Rewards,
    G: Multiplier,
    games: int,
    seed: int,
    threads: int | None,
) -> Curve:
    """The reward along one axis, the other parameters as tuned; all on the same games."""
    values = dict.fromkeys(axis.value(i / (_POINTS - 1)) for i in range(_POINTS))
    values[getattr(best, axis.name)] = None
    ordered = sorted(values)
    players = {"tuned": best}
    for value in ordered:
        changed: dict[str, Any] = {axis.name: value}
        players[str(value)] = replace(best, **changed)
    with quiet_plans():
        result = simulate(players, rewards, G, games, seed, threads=threads, keep="summary")
    gains = tuple(ratio_gain(result.moments["reward"], i, 0) for i in range(1, len(players)))
    return Curve(axis, tuple(ordered), gains)
