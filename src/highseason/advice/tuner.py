"""`tune`: search on some games, report on others, and show how much each parameter matters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from highseason.advice.trials import (
    Axis,
    Budget,
    Progress,
    Space,
    Trial,
    Wanted,
    derive_seed,
    on_games,
)
from highseason.advice.trials import search as _search
from highseason.core.parallel import Executors, opened
from highseason.core.text import Printable, counted, signed_percent, with_error, with_range
from highseason.core.validation import Limits, whole_number
from highseason.core.warnings import quiet
from highseason.engine import Estimate, SimulationResult, Table, ratio_gain, simulate
from highseason.policies import Greedy, Policy
from highseason.policies.base import labelled
from highseason.rewards import Rewards
from highseason.rewards.model import as_rewards
from highseason.traffic import as_multiplier

if TYPE_CHECKING:
    import pandas as pd

#: Values of each parameter on its sensitivity curve.
_POINTS = 9
#: A value within this share of a range from its end lies at the end.
_END = 0.02


@dataclass(frozen=True)
class Curve:
    """How the reward changes along one parameter, the others as tuned; on the reported games.

    Attributes:
        axis: The parameter and its range.
        values: The values tried, rising.
        changes: The change of the mean reward against the tuned policy, as a share; paired.
        complete: Whether values beyond the range do the same as its ends: a threshold's.
    """

    axis: Axis
    values: tuple[float, ...]
    changes: tuple[Estimate, ...]
    complete: bool = False

    def may_go_on(self, best: float, limits: Limits) -> bool:
        """Whether the best value is at an end of the range, and better ones may lie beyond."""
        if self.axis.value(_END) < best < self.axis.value(1.0 - _END):
            return False
        makes_a_difference = any(not to.low <= 0.0 <= to.high for to in self.changes)
        is_last = self.complete or best in (limits.at_least, limits.at_most)
        return makes_a_difference and not is_last


@dataclass(frozen=True, eq=False, repr=False)
class Tuned(Printable):
    """The result of `tune`; printing it shows what the parameters gain, and how much each matters.

    Attributes:
        policy: The best candidate.
        start: The policy the search started from.
        trials: Every candidate with the games it played; the best first.
        reported: "tuned", "as given" and "greedy" on games that no candidate was chosen by.
        curves: A sensitivity curve for each parameter, on those games too.
        search: How candidates were proposed.
        search_seed: The seed of the games that candidates were chosen by.
    """

    policy: Policy
    start: Policy
    trials: tuple[Trial, ...]
    reported: SimulationResult
    curves: tuple[Curve, ...]
    search: str
    search_seed: int

    def gain(self, over: str = "as given") -> Estimate:
        """The gain in mean reward over "as given" or "greedy", on the reported games."""
        return self.reported.gain("tuned", over)

    @property
    def at_ends(self) -> tuple[str, ...]:
        """The parameters whose best value lies at an end of its range: more may lie beyond."""
        limits, curves = self.policy.tunable(), {curve.axis.name: curve for curve in self.curves}
        return tuple(
            name
            for name, curve in curves.items()
            if curve.may_go_on(getattr(self.policy, name), limits[name])
        )

    def __repr__(self) -> str:
        """One line; `print(tuned)` shows the numbers."""
        return f"<Tuned {self.policy}: the best of {counted(len(self.trials), 'candidate')}>"

    def comparison(self) -> Table:
        """The tuned policy, the one given, and greedy, on the reported games."""
        players = {"tuned": str(self.policy), "as given": str(self.start), "greedy": "greedy"}
        rows = []
        for label, parameters in players.items():
            means = (
                with_error(self.reported.mean(metric, label), self.reported.error(metric, label))
                for metric in ("reward", "regret")
            )
            gain = self.gain(label)
            over = "" if label == "tuned" else with_range(gain.value, gain.low, gain.high)
            rows.append((label, parameters, *means, over))
        columns = ("policy", "parameters", "reward", "regret", "gain of tuned")
        return Table(columns, tuple(rows), ("",) * len(columns), "<<>>>")

    def blocks(self) -> list[str | Table]:
        """What was played, a comparison, and how the reward changes along each parameter."""
        others = f"games that none of the {len(self.trials)} candidates played"
        greedy = self.gain("greedy")
        same = greedy.low == greedy.high == 0.0
        lines = ["Tuned, it is greedy: exploring was not found to pay here."] if same else []
        for curve in self.curves:
            changes = zip(curve.values, curve.changes, strict=True)
            points = ", ".join(f"{value:g}: {signed_percent(to.value)}" for value, to in changes)
            lines.append(f"{curve.axis.name}, others as tuned: {points}")
            if curve.axis.name in self.at_ends:
                given = f"{curve.axis.low:g} to {curve.axis.high:g}"
                lines.append(f"{curve.axis.name} is best at an end of its range, {given}: widen it")
        parts: list[str | Table] = [f"{self.reported.caption} ({others})", self.comparison()]
        return [*parts, "\n".join(lines)] if lines else parts

    def to_pandas(self) -> pd.DataFrame:
        """A row per candidate, the best first: its parameters, games, regret and error."""
        import pandas as pd

        names = [curve.axis.name for curve in self.curves]
        return pd.DataFrame([
            {"policy": str(t.policy)} | {name: getattr(t.policy, name) for name in names}
            | {"games": t.games, "regret": t.loss, "error": t.error}
            for t in self.trials
        ])  # fmt: skip

    def to_dict(self) -> dict[str, Any]:
        """The content of the command line's `--json`."""
        return {
            "policy": str(self.policy),
            "parameters": self.policy.to_dict(),
            "start": str(self.start),
            "gain_over_start": vars(self.gain()),
            "gain_over_greedy": vars(self.gain("greedy")),
            "reported": self.reported.to_dict(),
            "trials": [
                {"policy": str(t.policy), "games": t.games, "regret": t.loss, "error": t.error}
                for t in self.trials
            ],
            "sensitivity": [
                {"parameter": curve.axis.name,
                 "points": [{"value": value, **vars(change)}
                            for value, change in zip(curve.values, curve.changes, strict=True)]}
                for curve in self.curves
            ],
            "at_ends": list(self.at_ends),
            "search": self.search,
            "search_seed": self.search_seed,
        }  # fmt: skip


def tune(
    policy: Policy | type[Policy] | str,
    rewards: Rewards | str,
    multiplier: Any,
    *,
    trials: int = 48,
    games: int = 400,
    seed: int = 0,
    space: Wanted = None,
    search: str = "tpe",
    executor: Executors = None,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Tuned:
    """Find parameters with low regret, and report what they give on other games.

    Candidates are compared on the same games (common random numbers) by successive halving: all
    play a few, the best third plays three times as many, and so on.  The report and the sensitivity
    curves come from other games: those of `simulate(…, seed=seed)`.

    Args:
        policy: A class, or an instance to start from, or its text.
        rewards: What the arms pay, or its text.
        multiplier: G, such as the traffic of a past season.
        trials: How many candidates.
        games: How many games the finalists play, and how many are reported.
        seed: Same seed, same result.
        space: Which parameters, or a range for each, such as `{"k": (0.01, 10), "z": None}`;
            all of them over their usual ranges if None.
        search: "tpe" lets Optuna propose candidates (the extra `tuning`); "spread" covers the
            space evenly and needs no extra.
        executor: Where it runs: "local" (all cores), "serial", "ray", "dask", "ray://HOST:PORT",
            "dask://HOST:PORT", or any `concurrent.futures.Executor`.
        workers: How many workers; all there are if None.
        progress: Called with (rounds done, rounds in total).

    Returns:
        The best policy found, what it gains in games that no candidate was chosen by, and how much
        each parameter matters.

    >>> import highseason as hs
    >>> G = hs.traffic.wave(turns=300)
    >>> arms = hs.rewards.bernoulli(arms=20)
    >>> tuned = tune(hs.EpsilonGreedy(k=110), arms, G, trials=9, games=90, search="spread")
    >>> tuned.gain().value > 0.3  # 110 is far too much
    True
    """
    trials = whole_number("trials", trials, at_least=1)
    games = whole_number("games", games, at_least=2)
    G, own, model = as_multiplier(multiplier), derive_seed(seed, "search"), as_rewards(rewards)
    if model.arms < 2:
        raise ValueError("tuning needs at least two arms: with one there is nothing to choose")
    _, [start] = labelled(policy() if isinstance(policy, type) else policy)
    chosen = Space.of(start, G, space)
    budget = Budget.halving(trials, games)
    with opened(executor, workers) as pool:

        def play(policies: dict[str, Policy], **options: Any) -> SimulationResult:
            with quiet():
                return simulate(policies, model, G, games, seed, executor=pool, **options)

        evaluate = on_games(model, G, own, pool)
        done = _search(chosen, evaluate, budget, method=search, seed=own, progress=progress)
        best = done[0].policy
        reported = play({"tuned": best, "as given": start, "greedy": Greedy()})
        curves = []
        for axis in chosen.axes:  # the other parameters as tuned
            spread = {axis.value(i / (_POINTS - 1)) for i in range(_POINTS)}
            values = sorted(spread | {getattr(best, axis.name)})
            others = {str(value): best.with_values({axis.name: value}) for value in values}
            reward = play({"tuned": best, **others}, keep="summary").moments["reward"]
            changes = tuple(ratio_gain(reward, i + 1, 0) for i in range(len(values)))
            threshold = best.tunable()[axis.name].role == "threshold"
            complete = threshold and axis.low <= G.values.min() and axis.high > G.values.max()
            curves.append(Curve(axis, tuple(values), changes, bool(complete)))
    return Tuned(best, start, done, reported, tuple(curves), search, own)
