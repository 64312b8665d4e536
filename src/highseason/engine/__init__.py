"""The engine: how a turn is played, and how turns become games and results.

`play` is the readable loop, `simulate` plays many games at once; both choose the same arms.
"""

from highseason.core.names import public_names as _public_names
from highseason.core.specs import unique_labels as unique_labels
from highseason.core.text import Table as Table
from highseason.engine.play import Game as Game
from highseason.engine.play import play as play
from highseason.engine.results import METRICS as METRICS
from highseason.engine.results import REALISED as REALISED
from highseason.engine.results import Curves as Curves
from highseason.engine.results import Estimate as Estimate
from highseason.engine.results import Moments as Moments
from highseason.engine.results import SimulationResult as SimulationResult
from highseason.engine.results import ratio_gain as ratio_gain
from highseason.engine.results import with_interval as with_interval
from highseason.engine.simulate import simulate as simulate
from highseason.engine.turn import IllegalArmError as IllegalArmError
from highseason.engine.turn import decide as decide
from highseason.engine.turn import learn as learn
from highseason.engine.turn import select as select

__dir__ = _public_names(__name__)
