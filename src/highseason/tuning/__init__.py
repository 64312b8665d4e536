"""Search for good parameters: many candidates on few games, the best of them on more.

>>> import highseason as hs
>>> G = hs.multipliers.wave(turns=200)
>>> tuned = hs.tune(hs.UCBZ, hs.rewards.bernoulli(arms=5), G, trials=6, games=40, search="spread")
>>> tuned.policy.name, len(tuned.trials)
('ucb-z', 6)
"""

from highseason.tuning.crossfit import CrossFit, crossfit
from highseason.tuning.halving import METHODS, Budget, Evaluate, Score, Trial, derive_seed, search
from highseason.tuning.space import Axis, Space
from highseason.tuning.tuner import Curve, Tuned, on_games, tune
from highseason.tuning.zoom import Zoom

__all__ = [
    "METHODS",
    "Axis",
    "Budget",
    "CrossFit",
    "Curve",
    "Evaluate",
    "Score",
    "Space",
    "Trial",
    "Tuned",
    "Zoom",
    "crossfit",
    "derive_seed",
    "on_games",
    "search",
    "tune",
]
