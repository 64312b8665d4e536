"""Advice: which policy to use on given traffic, what that assumes, and when it does not matter.

>>> import highseason as hs
>>> advice = hs.advise(hs.traffic.constant(turns=60), arms=20, games=40)
>>> advice.warns_of("no-low-turns")
True
"""

from highseason.advice.advice import Advice as Advice
from highseason.advice.candidates import Kind as Kind
from highseason.advice.candidates import kind_of as kind_of
from highseason.advice.cautions import CODES as CODES
from highseason.advice.cautions import Caution as Caution
from highseason.advice.evaluate import on_games as on_games
from highseason.advice.halving import METHODS as METHODS
from highseason.advice.halving import Budget as Budget
from highseason.advice.halving import Evaluate as Evaluate
from highseason.advice.halving import Score as Score
from highseason.advice.halving import Trial as Trial
from highseason.advice.halving import derive_seed as derive_seed
from highseason.advice.halving import search as search
from highseason.advice.outcome import Answer as Answer
from highseason.advice.outcome import Compared as Compared
from highseason.advice.outcome import WorldOutcome as WorldOutcome
from highseason.advice.recommend import advise as advise
from highseason.advice.space import Axis as Axis
from highseason.advice.space import Space as Space
from highseason.advice.tuner import Curve as Curve
from highseason.advice.tuner import Tuned as Tuned
from highseason.advice.tuner import tune as tune
from highseason.advice.worlds import World as World
from highseason.advice.zoom import Zoom as Zoom
