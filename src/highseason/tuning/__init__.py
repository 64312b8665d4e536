"""Find good parameters by playing: many candidates on few games, the best of them on more.

>>> import highseason as hs
>>> G = hs.multipliers.wave(turns=200)
>>> tuned = hs.tune(hs.UCBZ, hs.rewards.bernoulli(arms=5), G, trials=6, games=40, search="spread")
>>> tuned.policy.name, len(tuned.trials)
('ucb-z', 6)
"""

from highseason.tuning.halving import SEARCHES, Trial, search
from highseason.tuning.outcome import Curve, Tuned
from highseason.tuning.space import Axis, Space
from highseason.tuning.tuner import derive_seed, tune

__all__ = [
    "SEARCHES",
    "Axis",
    "Curve",
    "Space",
    "Trial",
    "Tuned",
    "derive_seed",
    "search",
    "tune",
]
