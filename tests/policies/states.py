"""States of a game in the middle, for the tests of rules."""

from __future__ import annotations

import math

from hypothesis import strategies as st

from highseason.core.random import game_key, turn_key
from highseason.policies import ArmState, Turn, fresh_state

#: A chi-square statistic is above this once in 10,000 tests, by its degrees of freedom.
CHI2_LIMIT = {1: 15.1, 2: 18.4, 3: 21.1, 4: 23.5}


def turn(level: float, t: int = 9, key: int = 0, random_ties: bool = False) -> Turn:
    """A turn of a game whose future is unknown."""
    return Turn(t, level, 1.0, math.nan, -1, key, random_ties, t)


def known(averages: list[float], pulls: list[int] | int = 1) -> ArmState:
    """A state in which every arm was played and has this average."""
    state = fresh_state(len(averages))
    state.selections[:] = state.pulls[:] = pulls
    state.sums[:] = state.pulls * averages
    return state


@st.composite
def states(draw: st.DrawFn, observed: bool = False) -> ArmState:
    """Some arms gone, some never chosen, some chosen but not observed; few values, so many ties."""
    arms = draw(st.integers(1, 7))
    state = fresh_state(arms)
    for arm in range(arms):
        state.pulls[arm] = draw(st.integers(1 if observed else 0, 4))
        state.selections[arm] = state.pulls[arm] + draw(st.integers(0, 2))
        state.sums[arm] = state.pulls[arm] * draw(st.sampled_from([0.0, 0.25, 0.5, 1.0]))
        state.available[arm] = draw(st.booleans())
    state.available[draw(st.integers(0, arms - 1))] = True
    return state


@st.composite
def turns(draw: st.DrawFn, numbers: st.SearchStrategy[float], random_ties: bool = False) -> Turn:
    t = draw(st.integers(1, 1000))
    key = turn_key(game_key(draw(st.integers(0, 10**6)), 0), t)
    return Turn(t, draw(numbers), 1.0, math.nan, -1, key, random_ties, t)


def means(state: ArmState) -> dict[int, float]:
    """What was learned of the arms that are there and were observed."""
    return {
        arm: state.sums[arm] / state.pulls[arm]
        for arm in range(state.pulls.size)
        if state.available[arm] and state.pulls[arm] > 0
    }


def present(state: ArmState) -> list[int]:
    return [arm for arm in range(state.available.size) if state.available[arm]]


def never_chosen(state: ArmState) -> list[int]:
    return [arm for arm in present(state) if state.selections[arm] == 0]
