"""The engine: turns, the state of the arms, their lifetimes, and compiled rules.

It lies below the rules and knows a rule only by its functions.
"""

from highseason.engine.arms import NO_END, UNKNOWN_END, ArmState, fresh_state, reset_state
from highseason.engine.turn import Turn

__all__ = ["NO_END", "UNKNOWN_END", "ArmState", "Turn", "fresh_state", "reset_state"]
