"""What tuning found: the policy, what it gives on other games, and how much it matters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from highseason.policies import Policy
from highseason.results import Estimate, SimulationResult, Table
from highseason.tuning.halving import Trial
from highseason.tuning.space import Axis


@dataclass(frozen=True)
class Curve:
    """How the reward changes along one parameter, the others as tuned; on the reported games.

    Attributes:
        axis: The parameter and its range.
        values: The values tried, rising.
        changes: The change of the mean reward against the tuned policy, as a share; paired.
    """

    axis: Axis
    values: tuple[float, ...]
    changes: tuple[Estimate, ...]


@dataclass(frozen=True, eq=False)
class Tuned:
    """The outcome of `tune`.

    Attributes:
        policy: The best that was found.
        start: What it started from.
        trials: Every candidate with the games it was allowed; the best first.
        reported: "tuned", "as given" and "greedy" on games that chose nothing.
        curves: A sensitivity curve for each parameter, on those games, too.
        search: How candidates were proposed.
        search_seed: The seed of the games that chose.
    """

    policy: Policy
    start: Policy
    trials: tuple[Trial, ...]
    reported: SimulationResult
    curves: tuple[Curve, ...]
    search: str
    search_seed: int

    def gain(self, over: str = "as given") -> Estimate:
        """The gain in mean reward over "as given" or "greedy", on games that chose nothing."""
        return self.reported.gain("tuned", over)

    def summary(self) -> Table:
        """The finalists and the rest: parameters, games, regret."""
        rows = tuple((str(t.policy), t.games, t.regret, t.error) for t in self.trials)
        return Table(("candidate", "games", "regret", "± se"), rows, ("", "d", ".2f", ".2f"))

    def to_dict(self) -> dict[str, Any]:
        """The numbers of the command line's `--json`."""
        return {
            "policy": str(self.policy),
            "parameters": self.policy.parameters(),
            "start": str(self.start),
            "gain_over_start": vars(self.gain()),
            "gain_over_greedy": vars(self.gain("greedy")),
            "reported": self.reported.to_dict(),
            "trials": [
                {"policy": str(t.policy), "games": t.games, "regret": t.regret, "error": t.error}
                for t in self.trials
            ],
            "sensitivity": [
                {
                    "parameter": curve.axis.name,
                    "points": [
                        {"value": value, **vars(change)}
                        for value, change in zip(curve.values, curve.changes, strict=True)
                    ],
                }
                for curve in self.curves
            ],
            "search": self.search,
            "search_seed": self.search_seed,
        }
