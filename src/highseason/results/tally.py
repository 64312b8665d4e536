"""Gathers games block by block into a `SimulationResult`; memory does not grow unless asked to."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from highseason.results.curves import Curves
from highseason.results.simulation import METRICS, SimulationResult
from highseason.results.statistics import Moments


class Tally:
    """Blocks come in order, whatever thread played them, so that sums are the same bits."""

    def __init__(self, games_to_keep: int, policies: int, curves: dict[str, Curves]) -> None:
        """`games_to_keep` is 0 where only sufficient statistics are wanted."""
        self._moments: dict[str, Moments] = {}
        self._ratios: Moments | None = None
        self._curves = curves
        self._kept = (
            {metric: np.empty((policies, games_to_keep)) for metric in METRICS}
            if games_to_keep
            else None
        )
        self._done = 0

    def add(self, block: dict[str, NDArray[np.float64]]) -> None:
        """A block of games: for each metric a row per policy, a column per game."""
        count = block["reward"].shape[1]
        for metric in METRICS:
            found = Moments.of(block[metric])
            before = self._moments.get(metric)
            self._moments[metric] = before.merge(found) if before else found
            if self._kept is not None:
                self._kept[metric][:, self._done : self._done + count] = block[metric]
        with np.errstate(divide="ignore", invalid="ignore"):  # a first policy that earned nothing
            ratios = Moments.of(block["reward"] / block["reward"][0])
        self._ratios = self._ratios.merge(ratios) if self._ratios else ratios
        self._done += count

    def add_curves(self, policy: int, trace: NDArray[np.float64]) -> None:
        """Running totals of a block of games of one policy."""
        for i, curve in enumerate(self._curves.values()):
            curve.add(policy, trace[:, :, i])

    def result(
        self, labels: tuple[str, ...], settings: dict[str, Any], digests: tuple[str, ...]
    ) -> SimulationResult:
        """Everything seen so far."""
        if self._ratios is None:
            raise ValueError("no game was played")
        return SimulationResult(
            labels, settings, digests, self._moments, self._ratios, self._kept, self._curves
        )
