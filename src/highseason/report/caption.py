"""Captions: what was simulated, in half a line."""

from __future__ import annotations

from highseason.core.formatting import counted
from highseason.results import SimulationResult


def setting(result: SimulationResult) -> str:
    """The games, turns, arms, multiplier and seed of a result.

    >>> import highseason as hs
    >>> G = hs.multipliers.wave(turns=30)
    >>> setting(hs.simulate(hs.UCB(), hs.rewards.bernoulli(arms=3), G, games=4, seed=7))
    '4 games of 30 turns, 3 arms (bernoulli), multiplier wave, seed 7'
    """
    known = result.settings
    scale = f", sigma {known['rewards_scale']:g}" if known["rewards_scale"] else ""
    return (
        f"{counted(known['games'], 'game')} of {counted(known['turns'], 'turn')}, "
        f"{counted(known['arms'], 'arm')} ({known['rewards']}{scale}), "
        f"multiplier {known['multiplier']}, seed {known['seed']}"
    )
