"""Play every cell with G known and with every estimator, on the same games."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from highseason.results import Estimate, Moments, SimulationResult, ratio_gain
from highseason.studies.frames import columns
from highseason.studies.session import StudySession
from highseason.studies.study import Results
from highseason.studies.unknown import settings
from highseason.studies.unknown.settings import Cell, policies


@dataclass(frozen=True, eq=False)
class UnknownResults(Results):
    """The frame `changes` has a row for each policy and estimator in each cell."""

    cells: tuple[Cell, ...]


def run(session: StudySession) -> UnknownResults:
    """Play all cells."""
    if len(session.profiles) > 1:
        raise ValueError("the study unknown takes one profile: paper or authors_code")
    games = session.games or (settings.QUICK_GAMES if session.quick else settings.GAMES)
    cells = settings.CELLS[:3] if session.quick else settings.CELLS
    session.expect(len(cells) * (1 + len(settings.ESTIMATORS)))
    rows = []
    for cell in cells:
        known, estimated = _play(session, cell, games)
        rows += rows_of(cell, known, estimated)
    size = {"arms": str(settings.ARMS), "turns": str(settings.TURNS)}
    facts = {"games per cell": f"{games:,}", **size}
    return UnknownResults({"changes": pd.DataFrame(rows)}, games, facts, cells)


def _play(
    session: StudySession, cell: Cell, games: int
) -> tuple[SimulationResult, dict[str, SimulationResult]]:
    (profile,) = session.profiles
    setting = policies(profile), cell.rewards, cell.G, games, session.seed
    known = session.simulate(f"{profile}/{cell.id}/known", *setting)
    estimated = {
        name: session.simulate(
            f"{profile}/{cell.id}/{name.replace(' ', '-')}", *setting, forecast=forecaster
        )
        for name, forecaster in settings.ESTIMATORS.items()
    }
    return known, estimated


def rows_of(
    cell: Cell, known: SimulationResult, estimated: Mapping[str, SimulationResult]
) -> list[dict[str, Any]]:
    """What each estimator changes, as shares of what G known gives."""
    rows = []
    for estimator, result in estimated.items():
        for i, policy in enumerate(known.policies):
            row: dict[str, Any] = {
                "cell": cell.id,
                "multiplier": cell.multiplier,
                "law": cell.law,
                "policy": policy,
                "estimator": estimator,
            }
            for metric in ("reward", "regret"):
                row |= columns(metric, _change(known, result, metric, i))
            rows.append(row)
    return rows


def _change(
    known: SimulationResult, estimated: SimulationResult, metric: str, policy: int
) -> Estimate:
    """Of one policy, paired by game."""
    assert known.games is not None
    assert estimated.games is not None
    pair = np.vstack([known.games[metric][policy], estimated.games[metric][policy]])
    return ratio_gain(Moments.of(pair), 1, 0)
