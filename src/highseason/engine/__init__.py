"""The engine: turns, the state of the arms, their lifetimes, and the one definition of a turn.

It lies below the rules and knows a rule only by its functions and its traits.
"""

from highseason.engine.arms import NO_END as NO_END
from highseason.engine.arms import UNKNOWN_END as UNKNOWN_END
from highseason.engine.arms import ArmState as ArmState
from highseason.engine.arms import fresh_state as fresh_state
from highseason.engine.horizon import FutureUnknownError as FutureUnknownError
from highseason.engine.horizon import Horizon as Horizon
from highseason.engine.step import IllegalArmError as IllegalArmError
from highseason.engine.step import RuleTraits as RuleTraits
from highseason.engine.step import decide as decide
from highseason.engine.step import illegal_arm as illegal_arm
from highseason.engine.step import is_legal as is_legal
from highseason.engine.step import learn as learn
from highseason.engine.step import select as select
from highseason.engine.turn import UNKNOWN_TURNS as UNKNOWN_TURNS
from highseason.engine.turn import Observation as Observation
from highseason.engine.turn import Turn as Turn
