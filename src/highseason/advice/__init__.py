"""Advice: which policy to use on a given traffic, how sure that is, and when not to bother.

>>> import highseason as hs
>>> advice = hs.advise(hs.multipliers.constant(turns=60), arms=20, games=40)
>>> advice.warns_of("no-low-turns")
True
"""

from highseason.advice.advise import advise
from highseason.advice.belief import Belief
from highseason.advice.candidates import Kind, kind_of
from highseason.advice.pathologies import CODES, Pathology
from highseason.advice.result import Advice, Compared

__all__ = ["CODES", "Advice", "Belief", "Compared", "Kind", "Pathology", "advise", "kind_of"]
