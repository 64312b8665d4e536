"""Gathers games block by block into a `SimulationResult`; memory does not grow unless asked to."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from highseason.results.curves import Curves
from highseason.results.simulation import METRICS, SimulationResult
from highseason.results.statistics import Moments


class Tally:
    """The statistics of some games.

    Blocks are added, or tallies of blocks merged, in the order of the games, whichever worker
    played them: so sums have the same bits on any number of workers.
    """

    def __init__(self, games_to_keep: int, policies: int, curves: dict[str, Curves]) -> None:
        """`games_to_keep` is 0 where only sufficient statistics are wanted."""
        self._moments: dict[str, Moments] = {}
        self._curves = curves
        self._kept = (
            {metric: np.empty((policies, games_to_keep)) for metric in METRICS}
            if games_to_keep
            else None
        )
        self._done = 0

    def add(self, block: dict[str, NDArray[np.float64]]) -> None:
        """A block of games: for each metric a row per policy, a column per game."""
        for metric in METRICS:
            self._merge_moments(metric, Moments.of(block[metric]))
        with np.errstate(divide="ignore", invalid="ignore"):  # a first policy that earned nothing
            ratios = Moments.of(block["reward"] / block["reward"][0])
        self._merge_moments(_RATIOS, ratios)
        self._keep({metric: block[metric] for metric in METRICS})

    def add_curves(self, policy: int, trace: NDArray[np.float64]) -> None:
        """Running totals of a block of games of one policy."""
        for i, curve in enumerate(self._curves.values()):
            curve.add(policy, trace[:, :, i])

    def merge(self, later: Tally) -> None:
        """Add the games of another tally, which follow the games of this one."""
        for metric, moments in later._moments.items():
            self._merge_moments(metric, moments)
        self._curves = {
            metric: curve.merge(later._curves[metric]) for metric, curve in self._curves.items()
        }
        if later._kept is not None:
            self._keep({key: values[:, : later._done] for key, values in later._kept.items()})
        else:
            self._done += later._done

    def _merge_moments(self, metric: str, moments: Moments) -> None:
        before = self._moments.get(metric)
        self._moments[metric] = before.merge(moments) if before else moments

    def _keep(self, games: dict[str, NDArray[np.float64]]) -> None:
        done = self._done + games["reward"].shape[1]
        if self._kept is not None:
            for metric, values in games.items():
                self._kept[metric][:, self._done : done] = values
        self._done = done

    def result(
        self, labels: tuple[str, ...], settings: dict[str, Any], digests: tuple[str, ...]
    ) -> SimulationResult:
        """Everything seen so far."""
        if not self._done:
            raise ValueError("no game was played")
        moments = dict(self._moments)
        ratios = moments.pop(_RATIOS)
        return SimulationResult(
            labels, settings, digests, moments, ratios, self._kept, self._curves
        )


_RATIOS = "reward over the first policy's"
