"""Every figure of the paper's simulated part, by file name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from highseason import multipliers, rewards
from highseason.bounds import exploration_figure
from highseason.core.random import game_keys
from highseason.core.warnings import quiet
from highseason.policies import VariablePool
from highseason.report import Figure, exploration, increase, pools, reward_grid, shapes
from highseason.results import SimulationResult, Table
from highseason.studies.simulated.analysis import Results
from highseason.studies.simulated.settings import (
    BASELINES,
    LAWS,
    REGULATED,
    SHAPES,
    Law,
    Setting,
    Z,
    names,
    tuned_label,
)

#: Long enough to show each shape, short enough to tell the waves apart.
_SHOWN = 300
#: Of the pictures of the pool: the first turn after every arm was tried, with the paper's c.
_POOL_ARMS, _POOL_C = 25, 10.0


@dataclass(frozen=True)
class Family:
    """The settings that share a figure: a profile, a reward law, a shape."""

    profile: str
    law: Law
    shape: str
    results: Mapping[Setting, SimulationResult]

    @property
    def id(self) -> str:
        """Part of file names."""
        return f"{self.profile.replace('_', '-')}-{self.law.id}-{self.shape}"

    @property
    def title(self) -> str:
        """Part of titles."""
        return f"{self.law.title}, {self.shape}"


def families(results: Results) -> list[Family]:
    """All of them, in the order of the report."""
    found = []
    for profile, settings in results.items():
        for law in LAWS:
            for shape in SHAPES:
                inside = {
                    s: result for s, result in settings.items() if (s.law, s.shape) == (law, shape)
                }
                if inside:
                    found.append(Family(profile, law, shape, inside))
    return found


def drawings(results: Results, seed: int) -> Iterator[tuple[str, Callable[[], Figure]]]:
    """Each figure's file name, and how to draw it."""
    three = [multipliers.SHAPES[name](turns=_SHOWN) for name in SHAPES]
    yield "multipliers", lambda: shapes(three)
    yield "multipliers-and-z", lambda: shapes(three, Z)
    yield "exploration-chances", chances
    yield "pools", lambda: pool_pictures(seed)
    for family in families(results):
        for base in names(BASELINES):
            yield increase_name(family, base), _increase(family, base)
        yield rewards_name(family), _rewards(family)


def increase_name(family: Family, base: str) -> str:
    """The file of an increase plot."""
    return f"increase-{family.id}-over-{base}"


def rewards_name(family: Family) -> str:
    """The file of the reward bars."""
    return f"rewards-{family.id}"


def _increase(family: Family, base: str) -> Callable[[], Figure]:
    found = {setting.axis_label: result for setting, result in family.results.items()}
    some = next(iter(found.values()))
    beside = [
        label
        for label in ("greedy", *(tuned_label(policy) for policy in BASELINES))
        if label in some.policies
    ]
    title = f"Increase over {base}: {family.title}"
    return lambda: increase(found, base, names(REGULATED), title, beside)


def _rewards(family: Family) -> Callable[[], Figure]:
    found = {
        (f"{setting.arms} arms", f"{setting.turns} turns"): result
        for setting, result in family.results.items()
    }
    labels = next(iter(found.values())).policies
    return lambda: reward_grid(found, labels, f"Mean reward of a game: {family.title}")


def chances() -> Figure:
    """The probability of exploring, regulated and not."""
    return exploration(exploration_figure())


def chance_table() -> Table:
    """The numbers of that figure, every tenth turn."""
    data = exploration_figure()
    G = multipliers.sine(turns=int(data.turns[-1]))
    rows = tuple(
        (t, G.at(t), psi, soft, old)
        for t, psi, soft, old in zip(
            data.turns.tolist(), data.psi.tolist(), data.soft.tolist(), data.old.tolist(),
            strict=True,
        )
        if t % 10 == 0 and t < data.turns[-1]
    )  # fmt: skip
    head = ("turn", "G", "psi", "soft ε-greedy", "ε-greedy")
    return Table(head, rows, ("d", ".2f", ".4f", ".4f", ".4f"))


def pool_sizes() -> dict[str, int]:
    """How large the published pool is in its first turn, where G is low and where it is high."""
    wave = multipliers.wave(turns=1500).values
    t = _POOL_ARMS + 1
    sizes = {}
    for name, G in (("G low", float(wave.min())), ("G high", float(wave.max()))):
        values = np.full(t, G)
        with quiet():
            plan = VariablePool(c=_POOL_C, unit=1.0).plan(values, _POOL_ARMS)
        sizes[f"{name} ({G:.3g})"] = int(plan.at(t))
    return sizes


def pool_pictures(seed: int) -> Figure:
    """The pool at low and at high stakes."""
    return pools(_pool_estimates(seed), pool_sizes())


def pool_table(seed: int) -> Table:
    """The numbers of those pictures: the arms, and the pools they are in."""
    estimates, sizes = _pool_estimates(seed), pool_sizes()
    ranked = sorted(range(_POOL_ARMS), key=lambda arm: (-estimates[arm], arm))
    rows = tuple(
        (arm + 1, estimates[arm], *("in" if arm in ranked[:n] else "" for n in sizes.values()))
        for arm in range(_POOL_ARMS)
    )
    return Table(("arm", "estimated mean", *sizes), rows, ("d", ".3f", "", ""))


def _pool_estimates(seed: int) -> list[float]:
    """The means of the arms of some game."""
    found = rewards.bernoulli(arms=_POOL_ARMS).parameters(game_keys(seed, range(1)))[0]
    return [float(value) for value in found]
