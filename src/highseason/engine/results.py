"""The result of a simulation, gathered block by block; to pandas, to a file and back.

Means, errors and covariances are gathered in flat memory: it does not grow with the games.
"""

from __future__ import annotations

import io
import json
import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from highseason.core.atomic import atomic_write
from highseason.core.specs import did_you_mean
from highseason.core.text import Printable, Table, counted, percent, with_error, with_range
from highseason.core.validation import share

if TYPE_CHECKING:
    import pandas as pd

Numbers = NDArray[np.float64]


class Measured(NamedTuple):
    """What is measured in every game: a column of a kernel's `out` each."""

    reward: float
    regret: float
    exploited: float
    best_pulls: float


METRICS = Measured._fields
#: What is measured only with `simulate(…, realised=True)`.
REALISED = "realised_regret"
#: How finely the quantiles of running totals are known.
BINS = 2048

_FORMAT = 1


@dataclass(frozen=True, eq=False)
class Moments:
    """Count, mean and scatter of vectors that were seen together (one vector per game).

    `scatter` is the sum of outer products of deviations, so any two entries can be compared in
    pairs: games share their random numbers, and that covariance makes differences precise.
    """

    count: int
    mean: Numbers
    scatter: Numbers

    @classmethod
    def of(cls, values: Numbers) -> Self:
        """The moments of a block: one row per entry, one column per game.

        Axes before these hold several tables of the same games.
        """
        mean = values.mean(axis=-1)
        centred = values - mean[..., None]
        rows = range(values.shape[-2])
        # Row by row, not `centred @ centred.T`: NumPy adds in the same order on every machine.
        scatter = [(centred[..., i, None, :] * centred).sum(axis=-1) for i in rows]
        return cls(values.shape[-1], mean, np.stack(scatter, axis=-2))

    def merge(self, later: Self) -> Self:
        """The moments of both blocks together (Chan, Golub, LeVeque 1983)."""
        count = self.count + later.count
        shift = later.mean - self.mean
        mean = self.mean + shift * (later.count / count)
        between = shift[..., :, None] * shift[..., None, :] * (self.count * later.count / count)
        return type(self)(count, mean, self.scatter + later.scatter + between)

    @property
    def covariance(self) -> Numbers:
        """The sample covariance; NaN for a single game."""
        if self.count < 2:
            return np.full_like(self.scatter, math.nan)
        return self.scatter / (self.count - 1)

    @property
    def error(self) -> Numbers:
        """The standard error of each mean."""
        return np.sqrt(np.diag(self.covariance) / self.count)


@dataclass(frozen=True, eq=False)
class Curves:
    """Running totals of one quantity over turns: their mean, and their quantiles from fixed bins.

    Axes are (policies, checkpoints) and, in `counts`, bins.  A running total after turn t is kept
    as its share of the way from the least to the most it can be, which follows from G(1) + … + G(t)
    and the bounds of the rewards.  The bins are even in the square root of that share, so that
    small regrets are distinguished.  Memory does not grow with the number of games.
    """

    turns: NDArray[np.int64]
    least: Numbers
    most: Numbers
    sums: Numbers
    counts: NDArray[np.int64]

    @classmethod
    def empty(cls, turns: NDArray[np.int64], least: Numbers, most: Numbers, policies: int) -> Self:
        """No game yet; `least` and `most` are what a running total can be at each checkpoint."""
        shape = (policies, turns.size)
        return cls(turns, least, most, np.zeros(shape), np.zeros((*shape, BINS), np.int64))

    def binned(self, values: Numbers) -> NDArray[np.uint16]:
        """The bin of each running total: one row per game, one column per checkpoint."""
        shares = np.clip((values - self.least) / (self.most - self.least), 0.0, 1.0)
        return np.asarray(np.minimum(np.sqrt(shares) * BINS, BINS - 1), np.uint16)

    def add(self, policy: int, sums: Numbers, bins: NDArray[np.uint16]) -> None:
        """Add a block of games: the sum at each checkpoint, and what `binned` gave."""
        self.sums[policy] += sums
        places = np.arange(self.turns.size) * BINS + bins
        np.add.at(self.counts[policy].reshape(-1), places.ravel(), 1)

    @property
    def mean(self) -> Numbers:
        """The mean running total: a row per policy."""
        return np.asarray(self.sums / self.counts.sum(axis=2))

    @property
    def error(self) -> Numbers:
        """The standard error of that mean, to the width of a bin; NaN for a single game."""
        games = self.counts.sum(axis=2)
        middles = ((np.arange(BINS) + 0.5) / BINS) ** 2
        centred = middles - (self.counts @ middles / games)[:, :, None]
        squares = (self.counts * centred**2).sum(axis=2)
        with np.errstate(invalid="ignore", divide="ignore"):
            shares = np.sqrt(squares / (games - 1) / games)
        return np.asarray(shares * (self.most - self.least))

    def quantile(self, q: float) -> Numbers:
        """The running total that a share `q` of the games stays below, to the width of a bin."""
        reached = self.counts.cumsum(axis=2)
        wanted = share("q", q) * reached[:, :, -1:]
        bins = (reached < np.maximum(wanted, 1)).sum(axis=2)  # q = 0: the least game's bin
        below = np.take_along_axis(reached - self.counts, bins[:, :, None], axis=2)[:, :, 0]
        inside = np.take_along_axis(self.counts, bins[:, :, None], axis=2)[:, :, 0]
        part = (wanted[:, :, 0] - below) / np.maximum(inside, 1)
        return np.asarray(self.least + ((bins + part) / BINS) ** 2 * (self.most - self.least))


@dataclass(frozen=True)
class Estimate:
    """A number with its standard error and a confidence interval."""

    value: float
    error: float
    low: float
    high: float


def errors_wide(confidence: float = 0.95) -> float:
    """Half the width of a normal confidence interval, in standard errors."""
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must lie between 0 and 1, such as 0.95, got {confidence!r}")
    return NormalDist().inv_cdf(0.5 + confidence / 2)


def with_interval(value: float, error: float, confidence: float = 0.95) -> Estimate:
    """A normal confidence interval around `value`."""
    width = errors_wide(confidence) * error
    return Estimate(value, error, value - width, value + width)


def ratio_gain(moments: Moments, entry: int, base: int, confidence: float = 0.95) -> Estimate:
    """By how much the mean of `entry` exceeds that of `base`, as a share of the latter.

    The ratio of means over paired games; its error by the delta method, pairing included.
    """
    a, b = float(moments.mean[entry]), float(moments.mean[base])
    if b == 0:
        return Estimate(math.nan, math.nan, math.nan, math.nan)
    ratio = a / b
    c = moments.covariance
    variance = float(c[entry, entry] - 2 * ratio * c[entry, base] + ratio * ratio * c[base, base])
    error = math.sqrt(max(variance, 0.0) / moments.count) / abs(b)  # NaN for a single game
    return with_interval(ratio - 1, error, confidence)


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

    def gain(self, policy: str | int, over: str | int = 0, confidence: float = 0.95) -> Estimate:
        """By how much a policy's mean reward exceeds another's, as a share; paired interval."""
        return ratio_gain(self.moments["reward"], self.index(policy), self.index(over), confidence)

    def mean_ratio_gain(self, policy: str | int, confidence: float = 0.95) -> Estimate:
        """The mean over games of the reward over the first policy's, less 1; with its interval."""
        i = self.index(policy)
        ratio, error = float(self.ratios.mean[i]), float(self.ratios.error[i])
        return with_interval(ratio - 1.0, error, confidence)

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

    def summary(self, confidence: float = 0.95) -> Table:
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
            gain = self.gain(i, confidence=confidence)
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


class BlockSummary(NamedTuple):
    """What is kept of a block of games: little, so it travels quickly."""

    moments: Moments  # Of each metric, and of the rewards over the first policy's
    sums: Numbers  # Of running totals, by quantity, policy and checkpoint
    bins: NDArray[np.uint16]  # Those they fall into, by quantity, policy, game and checkpoint
    games: Numbers | None  # All numbers by metric, policy and game, where they are kept

    @classmethod
    def of(
        cls, games: Sequence[Numbers], sums: Numbers, bins: NDArray[np.uint16], keep: bool
    ) -> Self:
        """The summary of games: for each metric, rewards first, a row per policy."""
        reward = games[0]
        ratio = np.full_like(reward, math.nan)  # where the first policy earned nothing
        values = np.stack([*games, np.divide(reward, reward[0], out=ratio, where=reward[0] != 0)])
        return cls(Moments.of(values), sums, bins, values[:-1] if keep else None)


class Tally:
    """The statistics of all blocks so far.

    Blocks are added in the order of their games, whichever worker played them: so every number has
    the same bits on any executor.
    """

    def __init__(self, metrics: Sequence[str], curves: dict[str, Curves]) -> None:
        self._metrics = metrics
        self._curves = curves
        self._moments: Moments | None = None
        self._games: list[Numbers] = []

    def add(self, block: BlockSummary) -> None:
        """Add the block that follows."""
        moments = self._moments
        self._moments = block.moments if moments is None else moments.merge(block.moments)
        for curve, sums, bins in zip(self._curves.values(), block.sums, block.bins, strict=True):
            for policy in range(len(sums)):
                curve.add(policy, sums[policy], bins[policy])
        if block.games is not None:
            self._games.append(block.games)

    def result(
        self, labels: tuple[str, ...], settings: dict[str, Any], digests: tuple[str, ...]
    ) -> SimulationResult:
        """Everything about the games."""
        if self._moments is None:
            raise ValueError("no game was played")
        count, means, scatters = vars(self._moments).values()
        *moments, ratios = map(Moments, repeat(count), means, scatters)
        by_metric = dict(zip(self._metrics, moments, strict=True))
        games = None
        if self._games:
            games = dict(zip(self._metrics, np.concatenate(self._games, axis=2), strict=True))
        return SimulationResult(labels, settings, digests, by_metric, ratios, games, self._curves)
