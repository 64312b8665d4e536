"""Search for good parameters: many candidates on few games, the best of them on more.

>>> import highseason as hs
>>> G = hs.multipliers.wave(turns=200)
>>> tuned = hs.tune(hs.UCBZ, hs.rewards.bernoulli(arms=5), G, trials=6, games=40, search="spread")
>>> tuned.policy.name, len(tuned.trials)
('ucb-z', 6)
"""

from highseason.tuning.evaluate import on_games as on_games
from highseason.tuning.halving import METHODS as METHODS
from highseason.tuning.halving import Budget as Budget
from highseason.tuning.halving import Evaluate as Evaluate
from highseason.tuning.halving import Score as Score
from highseason.tuning.halving import Trial as Trial
from highseason.tuning.halving import derive_seed as derive_seed
from highseason.tuning.halving import search as search
from highseason.tuning.space import Axis as Axis
from highseason.tuning.space import Space as Space
from highseason.tuning.tuner import Curve as Curve
from highseason.tuning.tuner import Tuned as Tuned
from highseason.tuning.tuner import tune as tune
from highseason.tuning.zoom import Zoom as Zoom
