"""The settings of the map: those a rule is fitted on, others that judge it, and real traffic."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from highseason.advice import derive_seed
from highseason.core.random import draw, seed_key
from highseason.rewards import effective_visitors
from highseason.traffic import Multiplier
from studies.session import shuffled
from studies.vs_option_index.settings import SERIES, Meeting, counted, real_series, shape_of

#: How much of an arm's prior it takes to find out what the arm is worth: the option index's 0.3.
COST = 0.3


@dataclass(frozen=True)
class MapEffort:
    """How much is played."""

    games: int  # In every setting, at least
    turns: int  # Of every policy, at least: short games are cheap
    candidates: int
    settings: dict[str, int]  # How many of each part

    def games_of(self, turns: int) -> int:
        """How many games a setting with `turns` turns gets."""
        return max(self.games, min(_MOST_GAMES, self.turns // turns))


_MOST_GAMES = 400
FULL = MapEffort(80, 30_000, 16, {"fitted": 110, "unseen": 60, "fresh": 60})
QUICK = MapEffort(8, 0, 3, {"fitted": 5, "unseen": 2, "fresh": 5})


class Levels(NamedTuple):
    """What settings are drawn from."""

    shapes: Sequence[str]
    rates: Sequence[str]
    visitors: Sequence[float]
    rhos: Sequence[float]
    arms: Sequence[int]
    turns_per_arm: Sequence[int]


#: Three draws that share no level of rates, visitors, arms and turns, and no rho but 0.  The first
#: rule was fitted on "fitted" and judged on "unseen", which showed that it matters where the peak
#: is.  The rules of today were then fitted on both, and "fresh" was drawn to judge them.
LEVELS = {
    "fitted": Levels(
        ("wave", "christmas", "step", "week-and-year", "early-5", "early-50", "late-5", "late-50",
         "middle-5", "middle-50"),
        ("0.01-to-0.05", "0.2-to-0.6", "0.03+-0.003", "0.1+-0.03"),
        (30, 500, 5_000, 50_000), (0.0, 0.0005, 0.005, 0.05, 1.0), (5, 20), (4, 12, 40),
    ),
    "unseen": Levels(
        ("wave", "christmas", "step", "week-and-year", "shuffled-christmas", "week", "sawtooth",
         "growth", "early-20", "late-20"),
        ("0.02-to-0.08", "0.3-to-0.5", "0.05+-0.004", "0.001-to-0.01"),
        (100, 3_000, 60_000), (0.0, 0.0002, 0.002, 0.02, 0.2), (3, 10, 30), (5, 18, 50),
    ),
    "fresh": Levels(
        ("wave", "step", "week-and-year", "shuffled-christmas", "sawtooth", "decline", "two-peaks",
         "early-10", "middle-20", "late-30"),
        ("0.04-to-0.09", "0.4-to-0.55", "0.02+-0.003", "0.002-to-0.02"),
        (60, 1_000, 20_000), (0.0, 0.0001, 0.001, 0.01, 0.1), (4, 8, 25), (6, 15, 30),
    ),
}  # fmt: skip
#: What each draw is for.
PARTS = {"fitted": "fitted", "unseen": "fitted", "fresh": "unseen", "traffic": "traffic"}


def map_settings(part: str, count: int) -> Iterator[Meeting]:
    """`count` settings of a part, each level drawn at random: always the same ones."""
    levels = LEVELS[part]
    for i in range(count):
        shape, rates, visitors, rho, arms, per_arm = _pick(levels, i, part)
        name = f"{shape}-{rates}-{visitors}-visitors-rho-{rho:g}-{arms}-arms-{per_arm}-turns-each"
        G = _shape(shape, arms * per_arm)
        yield counted(part, f"{i + 1:03d}-{name}", G, arms, rates, visitors, rho)


def _pick(levels: Levels, i: int, part: str) -> list[Any]:
    key = np.uint64(seed_key(derive_seed(i, f"map {part}")))
    uniforms = np.asarray(draw(key, np.arange(len(levels), dtype=np.uint64)))
    return [level[int(u * len(level))] for level, u in zip(levels, uniforms, strict=True)]


def traffic_settings(quick: bool, data: Path | None) -> Iterator[Meeting]:
    """Real seasons, with few and many visitors, alike and on their own."""
    if data is None:
        return
    for name in list(SERIES)[2:3] if quick else SERIES:
        if not (data / SERIES[name][0]).is_file():
            continue
        _, G = real_series(name, data)
        for arms, visitors, rho in (
            (5, 500, 0.0),
            (20, 500, 0.02),
            (5, 20_000, 0.02),
            (20, 20_000, 0.0),
        ):
            title = f"{name}-{visitors}-visitors-rho-{rho:g}-{arms}-arms"
            yield counted("traffic", title, G, arms, "0.01-to-0.05", visitors, rho)


_BUSY_SHARE = 0.1
_PLACES = {"early": 0.1, "middle": 0.45, "late": 0.85}


def _shape(name: str, turns: int) -> Multiplier:
    """One of the paper's shapes, a peak ("early-50": 50 times the rest), or another."""
    place, _, height = name.partition("-")
    if place in _PLACES:
        t = (np.arange(turns) + 0.5) / turns - _PLACES[place]
        return Multiplier(np.where((t >= 0) & (t < _BUSY_SHARE), float(height), 1.0), name=name)
    return Multiplier(_OTHERS[name](turns), name=name) if name in _OTHERS else shape_of(name, turns)


_OTHERS: dict[str, Callable[[int], NDArray[np.float64]]] = {
    "shuffled-christmas": lambda n: shape_of("christmas", n).values[shuffled(n, 0, "christmas")],
    "week": lambda n: np.array([0.6, 0.6, 0.7, 0.8, 1.2, 1.8, 1.3])[np.arange(n) % 7],
    "sawtooth": lambda n: 1.0 + 19.0 * (np.arange(n) % 25) / 24,
    "growth": lambda n: np.exp(3.0 * np.arange(n) / n),
    "decline": lambda n: np.exp(-3.0 * np.arange(n) / n),
    "two-peaks": lambda n: np.where(10 * np.arange(n) // n % 5 == 2, 30.0, 1.0),
}


class Traits(NamedTuple):
    """What a reader can write down before starting, and what follows from it."""

    spread: float  # The standard deviation of the arms' rates over their mean
    tells: float  # Effective visitors of a mean turn over those that an arm's prior is worth
    load: float  # The share of the turns that it takes to try everything
    varies: float  # The share of the cost of trying that goes with the size of a turn
    peakiness: float  # 1 - the mean of the quietest quarter of the turns over the mean
    position: float  # Where the weight lies: 0 at the beginning, 1 at the end
    turns_per_arm: float

    @classmethod
    def of(cls, meeting: Meeting) -> Self:
        """The traits of a setting in which visitors are counted."""
        G, arms = meeting.G.values, meeting.rewards.arms
        mean, deviation = meeting.rates
        rho = meeting.rho or 0.0
        prior = mean * (1 - mean) / deviation**2
        visitors = meeting.rewards.kind.share * float(G.mean())
        one_turn = float(effective_visitors(visitors, rho))
        quiet = np.sort(G)[: max(1, G.size // 4)].mean()
        middle = (np.arange(G.size) + 0.5) / G.size
        costs = 1 + COST * prior / one_turn
        return cls(
            spread=deviation / mean,
            tells=one_turn / prior,
            load=arms / G.size * costs,
            varies=(1 + COST * prior * rho) / costs,
            peakiness=float(1 - quiet / G.mean()),
            position=float((middle * G).sum() / G.sum()),
            turns_per_arm=G.size / arms,
        )
