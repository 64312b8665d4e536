"""The authors' code where it differs from the paper's text: shapes, formulas, values.

All but `StaleIndex` is that of the simulations (5tefan0/Regulating-Greed-Over-Time); that one is of
the notebook on logged clicks (ShrekFelix/Regulating-Greed-Over-Time).  The policies have no names,
because they are shown under those of the paper's.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

import highseason as hs
from highseason.core.jitable import jitable
from highseason.policies.epsilon import decaying_epsilon
from highseason.policies.plan import View
from highseason.policies.rule import ArmState, Observation, Rule, Turn, made_once, observe_mean
from highseason.policies.ucb import index_rule
from highseason.policies.wrappers import Wrapper
from highseason.traffic import Multiplier

# -- shapes: turns count from 0 --------------------------------------------------------------------


def wave(turns: int) -> Multiplier:
    """One turn ahead of the paper's."""
    return _shape("wave", _wave(np.arange(turns)))


def christmas(turns: int) -> Multiplier:
    """The peak is 0.5n ≤ t < 0.6n."""
    t = np.arange(turns)
    peak = (5 * turns <= 10 * t) & (10 * t < 6 * turns)  # whole numbers: 0.6 n is inexact
    return _shape("christmas", np.where(peak, 1000.0, _wave(t)))


def step(turns: int) -> Multiplier:
    """20 and 40 by quarters: 40 where floor(4 t/n) is odd."""
    return _shape("step", np.where((4 * np.arange(turns) // turns) % 2 == 1, 40.0, 20.0))


def _wave(t: NDArray[np.int64]) -> NDArray[np.float64]:
    return np.asarray(21.0 + 20.0 * np.sin(0.25 * t))


def _shape(name: str, values: NDArray[np.float64]) -> Multiplier:
    return Multiplier(values, name=name, is_shape=True)


SHAPES: dict[str, Callable[[int], Multiplier]] = {
    "wave": wave,
    "christmas": christmas,
    "step": step,
}

# -- policies --------------------------------------------------------------------------------------


@jitable
def clock(t: int) -> int:
    """The turn inside a logarithm, counted from 0."""
    return max(1, t - 1)


class AboveThreshold(hs.Policy):
    """High turns are those with G > z, where the paper has G >= z."""

    @property
    def threshold(self) -> float | str | None:
        """The least G that is high."""
        z = super().threshold
        return math.nextafter(z, math.inf) if isinstance(z, float) else z


@dataclass(frozen=True)
class AuthorsEpsilonZGreedy(AboveThreshold, hs.EpsilonZGreedy):
    """ε falls with the calendar turn t, not with the number of low turns."""

    def step(self, carry: Any, view: View) -> tuple[float, Any]:
        """Nothing is carried."""
        return (0.0 if view.G > self.z else decaying_epsilon(self.k, view.arms, view.t)), carry


@dataclass(frozen=True)
class AuthorsSoftEpsilonGreedy(hs.SoftEpsilonGreedy):
    """The smallest G is that of all turns, those of the first round included."""

    def step(self, carry: Any, view: View) -> tuple[float, Any]:
        """Nothing is carried."""
        psi = math.log1p(self.unit / view.G) / math.log1p(self.unit / view.lowest)
        return min(1.0, psi, decaying_epsilon(self.k, view.arms, view.t)), carry


@dataclass(frozen=True)
class AuthorsUCB(hs.UCB):
    """Turns count from 0 inside the logarithm."""

    def step(self, carry: Any, view: View) -> tuple[float, Any]:
        """Nothing is carried."""
        return self.P * math.log(clock(view.t)), carry


@dataclass(frozen=True)
class AuthorsUCBZ(AboveThreshold, hs.UCBZ):
    """Turns count from 0 inside the logarithm."""

    def step(self, carry: Any, view: View) -> tuple[float, Any]:
        """Nothing is carried."""
        return (0.0 if view.G > self.z else self.P * math.log(clock(view.t))), carry


@dataclass(frozen=True)
class AuthorsSoftUCB(hs.SoftUCB):
    """Turns count from 0 inside xi."""

    def step(self, carry: Any, view: View) -> tuple[float, Any]:
        """Nothing is carried."""
        scaled = view.G / self.unit
        return self.P * math.log1p(clock(view.t) / scaled), carry


@dataclass(frozen=True)
class AuthorsVariablePool(hs.VariablePool):
    """The pool's size is multiplied by G(t), as both public codes do: it *grows* on busy turns."""

    def step(self, carry: Any, view: View) -> tuple[float, Any]:
        """The floor is taken in double precision, without a tolerance."""
        scaled = view.G / self.unit
        size = self.c * view.arms / view.t * scaled
        return max(1.0, math.floor(min(size, view.arms))), carry


@made_once
def stale(rule: Rule) -> Rule:
    """An index rule whose bonus stays as it was when its arm was last pulled."""
    place = rule.memory

    @jitable
    def observe(state: ArmState, turn: Turn, observation: Observation) -> None:
        """Learn, and compute the bonus with the turn and the G of this pull."""
        observe_mean(state, turn, observation)
        # A high turn of UCB-z has no radius of its own: the arm gets that of UCB.
        level = turn.level if turn.level > 0.0 else 2.0 * math.log(turn.t)
        arm = observation.arm
        state.memory[arm, place] = math.sqrt(level) * (1.0 / math.sqrt(state.pulls[arm]))

    @jitable
    def kept(state: ArmState, turn: Turn, arm: int) -> float:
        """The bonus of the last pull; none where the turn has none."""
        return state.memory[arm, place] if turn.level > 0.0 else 0.0

    index = index_rule(rule.name, kept, rule.intensity, zero_exploits=rule.zero_exploits)
    return replace(
        index,
        name=f"{rule.name}, stale",
        observe=observe,
        memory=rule.memory + 1,
        traits=replace(index.traits, own_arm_only=False),
    )


@dataclass(frozen=True)
class StaleIndex(Wrapper):
    """UCB, UCB-z or soft UCB as the notebook plays them: an index is set when its arm is pulled.

    Algorithms 3, 4 and 7 compute all indices anew in every turn.
    """

    change = staticmethod(stale)


#: The policies with the values of the code, by the names of the paper's.
POLICIES: dict[str, hs.Policy] = {
    "epsilon-greedy": hs.EpsilonGreedy(k=110.0),
    "epsilon-z": AuthorsEpsilonZGreedy(k=110.0, z="q0.65"),
    "soft-epsilon": AuthorsSoftEpsilonGreedy(k=110.0, unit=1.0),
    "ucb": AuthorsUCB(),
    "ucb-z": AuthorsUCBZ(z="q0.65"),
    "soft-ucb": AuthorsSoftUCB(unit=1.0),
    "variable-pool": AuthorsVariablePool(c=1.1, unit=1.0),
}


def published(kind: type[hs.Policy], profile: str, k: float | None = None) -> hs.Policy:
    """A policy of the paper with the values of its text and some k, or as the code has it."""
    if profile == "authors_code":
        return POLICIES[kind.name]
    policy = kind.profile(profile)
    return policy if k is None or "k" not in policy.parameters() else policy.with_values({"k": k})
