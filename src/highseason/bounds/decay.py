"""The table of decay rates: how likely a bad arm is under soft ε and ε-greedy, in numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from highseason.bounds.epsilon_family import blind_pulls, leader_chances, printed_beta, printed_x
from highseason.bounds.exploration import ExplorationFigure, exploration_figure
from highseason.bounds.result import Form, show
from highseason.bounds.setting import Setting, read_plan
from highseason.policies import EpsilonGreedy, SoftEpsilonGreedy


class Decay(NamedTuple):
    """One entry of the table: the bound on the chance of a suboptimal arm at one turn.

    Attributes:
        phase: "t < n'", "n' <= t <= w" or "t > w".
        season: "high" or "low" G within the phase.
        t: The turn.
        G: Its multiplier.
        old: ε/m + (1-ε) beta of ε-greedy.
        soft: The same of soft ε-greedy.
        soft_explores: Its share ε/m, which the paper's table leaves out where G is high.
    """

    phase: str
    season: str
    t: int
    G: float
    old: float
    soft: float
    soft_explores: float

    @property
    def faster(self) -> bool:
        """Whether soft ε is below ε-greedy."""
        return self.soft < self.old


class DecayTable(tuple[Decay, ...]):
    """The entries; prints as a table."""

    __slots__ = ()

    def __str__(self) -> str:
        """Columns: phase, G, turn, both chances, and which is lower."""
        rows = [("phase", "G", "turn", "old", "soft", "of it ε/m", "soft lower?")]
        rows += [
            (e.phase, f"{e.season} ({e.G:g})", f"{e.t:,}", show(e.old), show(e.soft),
             show(e.soft_explores), "yes" if e.faster else "no")
            for e in self
        ]  # fmt: skip
        widths = [max(len(row[i]) for row in rows) for i in range(7)]
        return "\n".join(
            "  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)).rstrip() for row in rows
        )


def decay_table(
    policy: SoftEpsilonGreedy,
    gap: float,
    multiplier: Any,
    arms: int = 2,
    form: Form = "safe",
    turns: Sequence[int] | None = None,
    r: float = 1.0,
) -> DecayTable:
    """The paper's table of decay rates, evaluated: soft ε against ε-greedy with the same k.

    Without `turns`, each phase is sampled at the last of its turns with the highest and with the
    lowest G (rounded to three digits, so that a wave's crests count as equal).

    >>> import highseason as hs
    >>> table = decay_table(hs.SoftEpsilonGreedy(k=11, unit=1), 0.8, hs.multipliers.sine(1000))
    >>> [(e.phase, e.season, e.t) for e in table][:3]
    [("t < n'", 'high', 3), ("t < n'", 'low', 9), ("n' <= t <= w", 'high', 556)]
    """
    setting = Setting.of(None, [0.0] * (arms - 1) + [gap], multiplier, r=r)
    marks = exploration_figure(policy, setting.multiplier, arms)
    old = read_plan(EpsilonGreedy(k=policy.k), setting).levels
    new = read_plan(policy, setting).levels
    if form == "paper":
        beta_old = printed_beta(printed_x(setting.clock, policy.k, arms), policy.k, gap / r)
        x = printed_x(marks.gamma * setting.clock, policy.k, arms)
        beta_new = printed_beta(x, policy.k, gap / r)
    else:
        beta_old = leader_chances(blind_pulls(old, arms), gap / r)
        beta_new = leader_chances(blind_pulls(new, arms), gap / r)
    entries = []
    for phase, season, t in _samples(setting, marks, turns):
        i = t - 1 - arms
        chances = [
            e[t - 1] / arms + ((1.0 - e[t - 1]) * beta[i] if e[t - 1] < 1.0 else 0.0)
            for e, beta in ((old, beta_old), (new, beta_new))
        ]
        before, now = (float(chance) for chance in chances)
        explores = float(new[t - 1]) / arms
        entries.append(Decay(phase, season, t, float(setting.G[t - 1]), before, now, explores))
    return DecayTable(entries)


def _samples(
    setting: Setting, marks: ExplorationFigure, turns: Sequence[int] | None
) -> list[tuple[str, str, int]]:
    clock = np.arange(setting.arms + 1, setting.turns + 1)
    level = np.round(setting.weights, 3 - 1 - math.floor(math.log10(setting.weights.max())))
    middle = float(np.median(setting.weights))
    if turns is not None:
        return [
            (marks.phase(t), "high" if setting.G[t - 1] > middle else "low", int(t)) for t in turns
        ]
    found = []
    for phase in ("t < n'", "n' <= t <= w", "t > w"):
        inside = np.array([marks.phase(int(t)) == phase for t in clock])
        if not inside.any():
            continue
        for season, target in (("high", level[inside].max()), ("low", level[inside].min())):
            found.append((phase, season, int(clock[inside & (level == target)][-1])))
    return found
