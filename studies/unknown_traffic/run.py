"""Play every cell with G known and with each of the paper's estimators, on the same games."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from highseason import traffic
from highseason.engine import Estimate, Moments, SimulationResult, ratio_gain
from highseason.traffic import OneStep
from studies import paper
from studies.authors_code import published
from studies.frames import Rows, columns
from studies.paper import REGULATED
from studies.session import SimulationTask, StudySession
from studies.simulated.settings import LAWS, SHAPES, SimulatedSetting, own_labels
from studies.study import Results

GAMES, QUICK_GAMES = 400, 40

#: Section 4 of the paper has sigma 0.1 and 1 in one sentence, Appendix G has 1.
CELLS = tuple((law, shape) for law in LAWS for shape in SHAPES)
#: The paper gives no size for its figures; this is ours.
ARMS, TURNS = 25, 500

ESTIMATORS: dict[str, OneStep] = {
    "random walk": traffic.RandomWalk(),
    "simple average": traffic.SimpleAverage(),
    "moving average": traffic.MovingAverage(),
    "weighted moving average": traffic.WeightedMovingAverage(),
    "exponential smoothing": traffic.ExponentialSmoothing(),
    "double exponential smoothing": traffic.DoubleExponentialSmoothing(),
}


@dataclass(frozen=True, eq=False)
class UnknownResults(Results):
    """The frame `changes` has a row for each policy and estimator in each cell."""

    cells: tuple[SimulatedSetting, ...]


def run(session: StudySession) -> UnknownResults:
    """Play all cells."""
    if len(session.profiles) > 1:
        raise ValueError("the study unknown_traffic takes one profile: paper or authors_code")
    games = session.games or (QUICK_GAMES if session.quick else GAMES)
    size = session.arms or ARMS, session.turns or TURNS
    cells = tuple(SimulatedSetting(*c, *size) for c in (CELLS[:3] if session.quick else CELLS))
    session.expect(len(cells) * (1 + len(ESTIMATORS)))
    (profile,) = session.profiles
    known: dict[str, OneStep | None] = {"": None, **ESTIMATORS}
    players = {kind.name: published(kind, profile, session.k) for kind in REGULATED}
    players |= own_labels(session.policies)
    tasks = [
        SimulationTask(
            players, cell.rewards(), cell.multiplier("paper"), games, session.seed, forecaster
        )
        for cell in cells
        for forecaster in known.values()
    ]
    played = iter(session.results("simulating", tasks))
    rows = [row for cell in cells for row in _rows(cell, {name: next(played) for name in known})]
    changes = pd.DataFrame(rows)
    facts = {
        "games per cell": f"{games:,}",
        "arms": str(cells[0].arms),
        "turns": str(cells[0].turns),
        "k": f"{session.k or paper.K:g}",
    }
    return UnknownResults({"changes": changes}, games, facts, cells, quick=session.quick)


def _rows(cell: SimulatedSetting, played: dict[str, SimulationResult]) -> Rows:
    """What each estimator changes, as shares of what G known gives."""
    known = played[""]
    return [
        {
            "cell": cell.id, "multiplier": cell.shape, "law": cell.law.title, "policy": policy,
            "estimator": estimator,
            **columns("reward", _change(known, played[estimator], "reward", i)),
            **columns("regret", _change(known, played[estimator], "regret", i)),
        }
        for estimator in ESTIMATORS
        for i, policy in enumerate(known.policies)
    ]  # fmt: skip


def _change(
    known: SimulationResult, estimated: SimulationResult, metric: str, policy: int
) -> Estimate:
    """Of one policy, paired by game."""
    pair = [result.games[metric][policy] for result in (known, estimated) if result.games]
    return ratio_gain(Moments.of(np.vstack(pair)), 1, 0)
