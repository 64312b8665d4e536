"""Advice and tuning: which policy and which parameters suit given traffic, and how sure that is.

>>> import highseason as hs
>>> advice = hs.advise(hs.traffic.constant(turns=60), arms=20, games=40)
>>> [caution.code for caution in advice.warnings]
['no-low-turns']
>>> G = hs.traffic.wave(turns=200)
>>> tuned = hs.tune(hs.UCBZ, hs.rewards.bernoulli(arms=5), G, trials=6, games=40, search="spread")
>>> tuned.policy.name, len(tuned.trials)
('ucb-z', 6)
"""

from highseason.advice.advice import Advice as Advice
from highseason.advice.cautions import Caution as Caution
from highseason.advice.comparison import Answer as Answer
from highseason.advice.comparison import Compared as Compared
from highseason.advice.comparison import Kind as Kind
from highseason.advice.comparison import WorldComparison as WorldComparison
from highseason.advice.comparison import kind_of as kind_of
from highseason.advice.recommend import advise as advise
from highseason.advice.trials import Axis as Axis
from highseason.advice.trials import Budget as Budget
from highseason.advice.trials import Evaluate as Evaluate
from highseason.advice.trials import Score as Score
from highseason.advice.trials import Space as Space
from highseason.advice.trials import Trial as Trial
from highseason.advice.trials import Zoom as Zoom
from highseason.advice.trials import derive_seed as derive_seed
from highseason.advice.trials import on_games as on_games
from highseason.advice.trials import search as search
from highseason.advice.tuner import Curve as Curve
from highseason.advice.tuner import Tuned as Tuned
from highseason.advice.tuner import tune as tune
from highseason.advice.worlds import World as World
from highseason.core.names import public_names as _public_names

__dir__ = _public_names(__name__)
