"""What was simulated, in half a line: the small print under every picture of a result."""

from __future__ import annotations

from typing import Any

from highseason.core.formatting import counted
from highseason.results import SimulationResult


def setting(result: SimulationResult) -> str:
    """The games, turns, arms, multiplier and seed of a result.

    >>> import highseason as hs
    >>> G = hs.multipliers.wave(turns=30)
    >>> setting(hs.simulate(hs.UCB(), hs.rewards.bernoulli(arms=3), G, games=4, seed=7))
    '4 games of 30 turns, 3 arms (bernoulli), multiplier wave, seed 7'
    """
    told: dict[str, Any] = result.settings
    scale = f", sigma {told['rewards_scale']:g}" if told["rewards_scale"] else ""
    return (
        f"{counted(told['games'], 'game')} of {counted(told['turns'], 'turn')}, "
        f"{counted(told['arms'], 'arm')} ({told['rewards']}{scale}), "
        f"multiplier {told['multiplier']}, seed {told['seed']}"
    )
