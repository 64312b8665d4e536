"""Advice: which policy to use on given traffic, what that assumes, and when it does not matter.

>>> import highseason as hs
>>> advice = hs.advise(hs.multipliers.constant(turns=60), arms=20, games=40)
>>> advice.warns_of("no-low-turns")
True
"""

from highseason.advice.advice import Advice
from highseason.advice.candidates import Kind, kind_of
from highseason.advice.cautions import CODES, Caution
from highseason.advice.outcome import Answer, Compared, WorldOutcome
from highseason.advice.recommend import advise
from highseason.advice.worlds import World

__all__ = [
    "CODES",
    "Advice",
    "Answer",
    "Caution",
    "Compared",
    "Kind",
    "World",
    "WorldOutcome",
    "advise",
    "kind_of",
]
