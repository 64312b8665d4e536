"""The engine: turns, the state of the arms, their lifetimes, and the one definition of a turn.

It lies below the rules and knows a rule only by its functions and its traits.
"""

from highseason.engine.arms import NO_END, UNKNOWN_END, ArmState, fresh_state, reset_state
from highseason.engine.horizon import FutureUnknownError, Horizon, turns_left
from highseason.engine.step import (
    IllegalArmError,
    RuleTraits,
    decide,
    illegal_arm,
    is_legal,
    learn,
    select,
)
from highseason.engine.turn import UNKNOWN_TURNS, Observation, Turn

__all__ = [
    "NO_END",
    "UNKNOWN_END",
    "UNKNOWN_TURNS",
    "ArmState",
    "FutureUnknownError",
    "Horizon",
    "IllegalArmError",
    "Observation",
    "RuleTraits",
    "Turn",
    "decide",
    "fresh_state",
    "illegal_arm",
    "is_legal",
    "learn",
    "reset_state",
    "select",
    "turns_left",
]
