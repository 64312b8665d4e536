"""The result of a simulation, gathered block by block; to pandas, to a file and back."""

from __future__ import annotations

import io
import json
import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from highseason.core.atomic import atomic_write
from highseason.core.specs import did_you_mean
from highseason.core.text import Printable, Table, counted, percent, with_error, with_range
from highseason.engine.statistics import Curves, Estimate, Moments, ratio_gain, with_interval

if TYPE_CHECKING:
    import pandas as pd

#: What is measured in every game, and what is measured only with `simulate(…, realised=True)`.
METRICS = ("reward", "regret", "exploited", "best_pulls")
REALISED = "realised_regret"

_FORMAT = 1
#: The name of the rewards over the first policy's among the moments of a `Tally`.
RATIOS = "reward over the first policy's"


@dataclass(frozen=True)
class PolicyNumbers:
    """One policy's means over all games.

    Attributes:
        policy: Its label.
        reward: Mean reward per game, with its 95% interval.
        regret: Mean regret per game, by the arms' true means.
        best_share: Share of what always playing the best arm would have earned.
        exploited_share: Share of the reward from pure exploitation.
        best_pulls_share: Share of the turns in which the best arm was played.
        gain: Change of the mean reward against the first policy, as a share; games paired.
    """

    policy: str
    reward: Estimate
    regret: Estimate
    best_share: float
    exploited_share: float
    best_pulls_share: float
    gain: Estimate


@dataclass(frozen=True, eq=False, repr=False)
class SimulationResult(Printable):
    """Many games of several policies, paired: game g has the same arms and luck for every policy.

    Printing it shows a table; `result["ucb"]` has the numbers of one policy.

    Attributes:
        policies: Labels, in the order given; unique.
        settings: What was simulated: arms, turns, games, seed, rewards, multiplier, version …
        plan_digests: A fingerprint of each policy's plan.
        moments: For each metric, count, mean and covariance over games: those of `METRICS`, and
            with `simulate(…, realised=True)` also "realised_regret".
        ratios: The reward of each policy over that of the first, game by game: mean and scatter.
        games: For each metric a row per policy and a column per game, or None where only
            sufficient statistics were kept.
        curves: Running totals of "reward" and "regret" over turns; empty if not asked for.
    """

    policies: tuple[str, ...]
    settings: dict[str, Any]
    plan_digests: tuple[str, ...]
    moments: dict[str, Moments]
    ratios: Moments
    games: dict[str, NDArray[np.float64]] | None
    curves: dict[str, Curves]

    def __repr__(self) -> str:
        """One line; `print(result)` shows the numbers."""
        shape = "{games:,} games of {turns:,} turns with {arms:,} arms".format_map(self.settings)
        return f"<SimulationResult: {', '.join(self.policies)}; {shape}>"

    def __getitem__(self, policy: str | int) -> PolicyNumbers:
        """The numbers of one policy, by its label or its position."""
        i = self.index(policy)
        reward, regret = (
            with_interval(self.mean(metric, i), self.error(metric, i))
            for metric in ("reward", "regret")
        )
        best_pulls = self.mean("best_pulls", i) / self.settings["turns"]
        return PolicyNumbers(
            self.policies[i], reward, regret, self.best_share(i), self.exploited_share(i),
            best_pulls, self.gain(i),
        )  # fmt: skip

    def __iter__(self) -> Iterator[str]:
        return iter(self.policies)

    def __len__(self) -> int:
        return len(self.policies)

    def index(self, policy: str | int) -> int:
        """The position of a policy, given its label or its position."""
        if isinstance(policy, int):
            return policy
        if policy not in self.policies:
            hint = did_you_mean(policy, self.policies)
            raise KeyError(f"no policy is called {policy!r}. {hint}")
        return self.policies.index(policy)

    def mean(self, metric: str, policy: str | int) -> float:
        """The mean of a metric over games."""
        return float(self._of(metric).mean[self.index(policy)])

    def error(self, metric: str, policy: str | int) -> float:
        """Its standard error."""
        return float(self._of(metric).error[self.index(policy)])

    def _of(self, metric: str) -> Moments:
        if metric not in self.moments:
            how = "; simulate(…, realised=True) measures it" if metric == REALISED else ""
            raise KeyError(f"no metric {metric!r}; there are: {', '.join(self.moments)}{how}")
        return self.moments[metric]

    def exploited_share(self, policy: str | int) -> float:
        """The share of the reward that came from pure exploitation."""
        total = self.mean("reward", policy)
        return self.mean("exploited", policy) / total if total else 0.0

    def gain(self, policy: str | int, over: str | int = 0, level: float = 0.95) -> Estimate:
        """By how much a policy's mean reward exceeds another's, as a share; paired interval."""
        return ratio_gain(self.moments["reward"], self.index(policy), self.index(over), level)

    def mean_ratio_gain(self, policy: str | int, level: float = 0.95) -> Estimate:
        """The mean over games of the reward over the first policy's, less 1; with its interval."""
        i = self.index(policy)
        return with_interval(float(self.ratios.mean[i]) - 1.0, float(self.ratios.error[i]), level)

    @property
    def best_reward(self) -> float:
        """What always playing the best arm would have earned in a mean game.

        Every policy's reward plus its regret is an estimate; this is the mean of them all.
        """
        return float(np.mean(self.moments["reward"].mean + self.moments["regret"].mean))

    def best_share(self, policy: str | int) -> float:
        """What a policy earned as a share of what always playing the best arm would have earned.

        By the arms' true means: 1 - regret / the best arm's reward; NaN if that is 0 or less.
        """
        best = self.best_reward
        return 1.0 - self.mean("regret", policy) / best if best > 0 else math.nan

    @property
    def caption(self) -> str:
        """The games, turns, arms, multiplier and seed, in one line."""
        known = self.settings
        scale = f", sigma {known['rewards_scale']:g}" if known["rewards_scale"] else ""
        return (
            f"{counted(known['games'], 'game')} of {counted(known['turns'], 'turn')}, "
            f"{counted(known['arms'], 'arm')} ({known['rewards']}{scale}), "
            f"multiplier {known['multiplier']}, seed {known['seed']}"
        )

    def summary(self, level: float = 0.95) -> Table:
        """A row per policy: reward, share of the best arm's, regret, exploited, gain.

        The realised regret follows the regret where it was measured.
        """
        realised = (REALISED,) if REALISED in self.moments else ()
        regret_columns = [metric.replace("_", " ") for metric in ("regret", *realised)]
        columns = ("policy", "reward", "of best", *regret_columns, "exploited",
                   f"gain over {self.policies[0]}")  # fmt: skip
        rows = []
        for i, label in enumerate(self.policies):
            reward, *regrets = (
                with_error(self.mean(metric, i), self.error(metric, i))
                for metric in ("reward", "regret", *realised)
            )
            gain = self.gain(i, level=level)
            over = with_range(gain.value, gain.low, gain.high) if i else ""
            shares = percent(self.best_share(i), 1), percent(self.exploited_share(i))
            rows.append((label, reward, shares[0], *regrets, shares[1], over))
        return Table(columns, tuple(rows), ("",) * len(columns))

    def blocks(self) -> list[str | Table]:
        """What was simulated, `summary()`, and what its columns mean."""
        luck = "realised: with the luck of the game in it; " if REALISED in self.moments else ""
        legend = (
            "±: one standard error; of best: share of what the best arm would have earned; "
            f"{luck}exploited: share of the reward from pure exploitation; "
            "gain: with its 95% interval, games paired."
        )
        return [self.caption, self.summary(), legend]

    def to_dict(self) -> dict[str, Any]:
        """The numbers of the command line's `--json`."""
        policies = []
        for i, label in enumerate(self.policies):
            entry: dict[str, Any] = {"name": label}
            for metric in self.moments:
                entry[f"{metric}_mean"] = self.mean(metric, i)
                entry[f"{metric}_se"] = self.error(metric, i)
            gain, paired = self.gain(i), self.mean_ratio_gain(i)
            entry |= {
                "best_share": self.best_share(i), "exploited_share": self.exploited_share(i),
                "gain_over_first": gain.value, "gain_low": gain.low, "gain_high": gain.high,
                "mean_ratio_gain": paired.value, "mean_ratio_gain_low": paired.low,
                "mean_ratio_gain_high": paired.high, "plan_digest": self.plan_digests[i],
            }  # fmt: skip
            policies.append(entry)
        return {"policies": policies, **self.settings}

    def to_pandas(self) -> pd.DataFrame:
        """A row per policy and game; a row per policy where single games were not kept."""
        import pandas as pd

        if self.games is None:
            return pd.DataFrame(self.to_dict()["policies"])
        policies, games = next(iter(self.games.values())).shape
        columns: dict[str, Any] = {
            "policy": np.repeat(np.array(self.policies, object), games),
            "game": np.tile(np.arange(games), policies),
        }
        columns |= {metric: values.ravel() for metric, values in self.games.items()}
        return pd.DataFrame(columns)

    def save(self, path: str | Path) -> Path:
        """Write everything to one `.npz` file; it appears whole or not at all.

        Raises:
            ValueError: The path has another ending, such as `.json`.
        """
        target = _npz(Path(path))
        parts: dict[str, Moments | Curves] = {"ratios": self.ratios}
        parts |= {f"moments/{metric}": moments for metric, moments in self.moments.items()}
        parts |= {f"curves/{metric}": curve for metric, curve in self.curves.items()}
        arrays = {f"games/{metric}": values for metric, values in (self.games or {}).items()}
        for part, content in parts.items():
            arrays |= {f"{part}/{name}": np.asarray(v) for name, v in vars(content).items()}
        head = {"format": _FORMAT, "policies": self.policies, "settings": self.settings,
                "plan_digests": self.plan_digests}  # fmt: skip
        arrays["head"] = np.frombuffer(json.dumps(head).encode(), np.uint8)
        with atomic_write(target) as unfinished, unfinished.open("wb") as file:
            np.savez_compressed(file, **arrays)  # type: ignore[arg-type]  # stubs want no str keys
        return target

    @classmethod
    def load(cls, path: str | Path) -> SimulationResult:
        """Read what `save` wrote."""
        content = io.BytesIO(Path(path).read_bytes())  # np.load leaves a damaged file open
        try:
            with np.load(content, allow_pickle=False) as stored:
                arrays = {key: stored[key] for key in stored.files}
            head = json.loads(arrays.pop("head").tobytes())
        except Exception as reason:  # a damaged archive may fail in any way
            raise ValueError(f"{path} is not a saved highseason result: {reason}") from None
        if head["format"] != _FORMAT:
            raise ValueError(
                f"{path} has format {head['format']}; this version reads format {_FORMAT}"
            )
        parts: defaultdict[str, dict[str, Any]] = defaultdict(dict)
        for key, value in arrays.items():
            part, _, name = key.rpartition("/")
            parts[part][name] = int(value) if name == "count" else value
        games = parts.pop("games", None)
        ratios = Moments(**parts.pop("ratios"))
        kinds: dict[str, dict[str, Any]] = {"moments": {}, "curves": {}}
        for part, values in parts.items():
            kind, _, metric = part.partition("/")
            kinds[kind][metric] = (Moments if kind == "moments" else Curves)(**values)
        labels, digests = tuple(head["policies"]), tuple(head["plan_digests"])
        return cls(labels, head["settings"], digests, ratios=ratios, games=games, **kinds)


def _npz(path: Path) -> Path:
    """The path with its ending; `k=0.5` has none, `x.json` has a wrong one."""
    if path.suffix == ".npz":
        return path
    if path.suffix[1:2].isalpha():
        raise ValueError(f"a result is saved as an .npz file, got {path}: end the name in .npz")
    return path.with_name(path.name + ".npz")


def unique_labels(labels: Sequence[str]) -> tuple[str, ...]:
    """The same labels, numbered where one occurs twice."""
    seen: Counter[str] = Counter()
    unique = []
    for label in labels:
        seen[label] += 1
        unique.append(label if seen[label] == 1 else f"{label} ({seen[label]})")
    return tuple(unique)


class Tally:
    """The statistics of some games, and with `keep` the games themselves.

    Tallies of blocks are merged in a tree that depends on the number of blocks alone (see
    `core.parallel.merge_tree`), whichever worker played them: so sums have the same bits on any
    number of workers.
    """

    def __init__(self, keep: bool, curves: dict[str, Curves]) -> None:
        self._moments: dict[str, Moments] = {}
        self._curves = curves
        self._kept: list[dict[str, NDArray[np.float64]]] | None = [] if keep else None

    def add(self, block: dict[str, NDArray[np.float64]]) -> None:
        """A block of games: for each metric a row per policy, a column per game."""
        moments = {metric: Moments.of(values) for metric, values in block.items()}
        with np.errstate(divide="ignore", invalid="ignore"):  # a first policy that earned nothing
            moments[RATIOS] = Moments.of(block["reward"] / block["reward"][0])
        self.add_moments(moments)
        if self._kept is not None:
            self._kept.append(block)

    def add_moments(self, moments: dict[str, Moments]) -> None:
        """Games of which only the moments are known, by metric and those of `RATIOS`."""
        for metric, one in moments.items():
            before = self._moments.get(metric)
            self._moments[metric] = before.merge(one) if before else one

    def add_curves(self, policy: int, trace: NDArray[np.float64]) -> None:
        """Running totals of a block of games of one policy."""
        for i, curve in enumerate(self._curves.values()):
            curve.add(policy, trace[:, :, i])

    def merge(self, later: Tally) -> Tally:
        """Add the games of another tally, which follow the games of this one; gives this one."""
        self.add_moments(later._moments)
        for metric, curve in self._curves.items():
            curve.merge(later._curves[metric])
        if self._kept is not None and later._kept is not None:
            self._kept += later._kept
        return self

    def share_counts(self, total: Tally) -> Tally:
        """Let the counts of its curves be held by `total`, an earlier one; gives this one."""
        curves = self._curves.items()
        self._curves = {metric: c.sharing(total._curves[metric]) for metric, c in curves}
        return self

    def result(
        self, labels: tuple[str, ...], settings: dict[str, Any], digests: tuple[str, ...]
    ) -> SimulationResult:
        """Everything seen so far."""
        if not self._moments:
            raise ValueError("no game was played")
        moments = dict(self._moments)
        ratios = moments.pop(RATIOS)
        games = None
        if self._kept is not None:
            games = {m: np.concatenate([one[m] for one in self._kept], axis=1) for m in moments}
        return SimulationResult(labels, settings, digests, moments, ratios, games, self._curves)
