"""Advice: which policy to use on given traffic, how sure that is, and when it does not matter.

>>> import highseason as hs
>>> advice = hs.advise(hs.multipliers.constant(turns=60), arms=20, games=40)
>>> advice.warns_of("no-low-turns")
True
"""

from highseason.advice.advice import Advice, Compared
from highseason.advice.candidates import Belief, Kind, kind_of
from highseason.advice.cautions import CODES, Caution
from highseason.advice.recommend import advise

__all__ = ["CODES", "Advice", "Belief", "Caution", "Compared", "Kind", "advise", "kind_of"]
