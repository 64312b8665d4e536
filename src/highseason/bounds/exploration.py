"""The figure of exploration probabilities: soft ε under its ceiling psi, beside ε-greedy."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from highseason.bounds.setting import Numbers, Setting, read_plan
from highseason.bounds.soft_epsilon_greedy import least_psi, psi
from highseason.multipliers import sine
from highseason.policies import EpsilonGreedy, SoftEpsilonGreedy


@dataclass(frozen=True, eq=False)
class ExplorationFigure:
    """The curves and marks of the paper's figure of exploration probabilities.

    Attributes:
        turns: t = m+1, …, n.
        psi: psi(t), the regulated ceiling.
        old: min(1, km/t), ε-greedy.
        soft: min(psi, km/t), soft ε-greedy.
        n_prime: n' = floor(km); up to it ε-greedy always explores.
        w: floor(km/gamma) + 1, the first t with km/t < gamma; from it on both explore alike.
        gamma: The least psi.
    """

    turns: NDArray[np.int64]
    psi: Numbers
    old: Numbers
    soft: Numbers
    n_prime: int
    w: int
    gamma: float

    def phase(self, t: int) -> str:
        """In which of the paper's three phases a turn lies."""
        if t < self.n_prime:
            return "t < n'"
        return "n' <= t <= w" if t <= self.w else "t > w"


def exploration_figure(
    policy: SoftEpsilonGreedy | None = None, multiplier: Any = None, arms: int = 2
) -> ExplorationFigure:
    """The data of the figure; by default G(t) = 20 + 19 sin(t/2), k = 11, 2 arms, 1000 turns.

    (The paper gives G and none of the other numbers.  These put n' and w on the axis.)

    >>> figure = exploration_figure()
    >>> figure.n_prime, figure.w
    (22, 603)
    """
    chosen = SoftEpsilonGreedy(k=11.0, unit=1.0) if policy is None else policy
    G = sine(1000) if multiplier is None else multiplier
    setting = Setting.of(None, [0.0] * arms, G)
    m, gamma = setting.arms, least_psi(chosen, setting)
    return ExplorationFigure(
        turns=np.arange(m + 1, setting.turns + 1),
        psi=psi(chosen, setting),
        old=read_plan(EpsilonGreedy(k=chosen.k), setting).levels[m:],
        soft=read_plan(chosen, setting).levels[m:],
        n_prime=math.floor(chosen.k * m),
        w=math.floor(chosen.k * m / gamma) + 1,
        gamma=gamma,
    )
