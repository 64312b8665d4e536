"""Runs as `simulate` prepares them, on a device."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import highseason as hs
from highseason.engine.gpu.play import GpuGames
from highseason.engine.simulate import Simulation

SEED, GAMES = 7, 9
#: Two rules with a kernel of their own, and one that has it on the CPU alone.
THREE = (hs.UCB(), hs.EpsilonGreedy(k=1), hs.VariablePool(c=3, unit=1))


def games_of(
    device: Any, policies: Any, rewards: Any, turns: int = 20, lifetimes: Any = None
) -> GpuGames:
    """Games of these policies, with three checkpoints."""
    G = hs.traffic.wave(turns)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", hs.policies.PlanWarning)  # games this short always explore
        prepared = Simulation.prepare(policies, rewards, G, SEED, None, 3, lifetimes)
    return GpuGames(replace(prepared, realised=True), device)
