"""Play every cell with G known and with each of the paper's estimators, on the same games."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd

import highseason as hs
from highseason import traffic
from highseason.engine import Estimate, Moments, SimulationResult, ratio_gain
from highseason.rewards import Rewards, bernoulli, truncated_normal
from highseason.traffic import SHAPES, Multiplier, OneStep
from studies.authors_code import published
from studies.frames import Rows, columns
from studies.paper import REGULATED
from studies.session import SimulationTask, StudySession
from studies.study import Results

ARMS, TURNS, GAMES, QUICK_GAMES = 25, 500, 400, 40

ESTIMATORS: dict[str, OneStep] = {
    "random walk": traffic.RandomWalk(),
    "simple average": traffic.SimpleAverage(),
    "moving average": traffic.MovingAverage(),
    "weighted moving average": traffic.WeightedMovingAverage(),
    "exponential smoothing": traffic.ExponentialSmoothing(),
    "double exponential smoothing": traffic.DoubleExponentialSmoothing(),
}

LAWS: dict[str, Callable[[], Rewards]] = {
    "Bernoulli": lambda: bernoulli(arms=ARMS),
    "clipped normal, sigma 0.1": lambda: truncated_normal(arms=ARMS, sigma=0.1),
    "clipped normal, sigma 1": lambda: truncated_normal(arms=ARMS, sigma=1.0),
}


@dataclass(frozen=True)
class Cell:
    """One multiplier and one distribution: a figure of its own."""

    multiplier: str
    law: str

    @property
    def id(self) -> str:
        """A readable name, also of files."""
        return f"{self.multiplier}-{self.law.lower()}".replace(", ", "-").replace(" ", "-")

    @property
    def G(self) -> Multiplier:
        """The multiplier."""
        return SHAPES[self.multiplier](TURNS)

    @property
    def rewards(self) -> Rewards:
        """What the arms pay."""
        return LAWS[self.law]()


#: The paper's six come first; it leaves open whether its normal has sigma 0.1 or 1.
CELLS = tuple(Cell(name, law) for law in LAWS for name in ("wave", "step", "christmas"))


@dataclass(frozen=True, eq=False)
class UnknownResults(Results):
    """The frame `changes` has a row for each policy and estimator in each cell."""

    cells: tuple[Cell, ...]


def run(session: StudySession) -> UnknownResults:
    """Play all cells."""
    if len(session.profiles) > 1:
        raise ValueError("the study unknown_traffic takes one profile: paper or authors_code")
    games = session.games or (QUICK_GAMES if session.quick else GAMES)
    cells = CELLS[:3] if session.quick else CELLS
    session.expect(len(cells) * (1 + len(ESTIMATORS)))
    (profile,) = session.profiles
    known: dict[str, OneStep | None] = {"": None, **ESTIMATORS}
    tasks = [
        _task(cell, how, games, session.seed, profile) for cell in cells for how in known.values()
    ]
    played = iter(session.results("simulating", tasks))
    rows = [row for cell in cells for row in _rows(cell, {name: next(played) for name in known})]
    changes = pd.DataFrame(rows)
    size = {"arms": str(ARMS), "turns": str(TURNS)}
    facts = {"games per cell": f"{games:,}", **size}
    return UnknownResults({"changes": changes}, games, facts, cells)


def _task(
    cell: Cell, forecaster: OneStep | None, games: int, seed: int, profile: str
) -> SimulationTask:
    players: dict[str, hs.Policy] = {kind.name: published(kind, profile) for kind in REGULATED}
    return SimulationTask(players, cell.rewards, cell.G, games, seed, forecaster)


def _rows(cell: Cell, played: dict[str, SimulationResult]) -> Rows:
    """What each estimator changes, as shares of what G known gives."""
    known = played[""]
    return [
        {
            "cell": cell.id, "multiplier": cell.multiplier, "law": cell.law, "policy": policy,
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
