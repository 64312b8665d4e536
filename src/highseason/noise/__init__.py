"""How much a turn teaches, from a history: rates, correlation of visitors, day effects.

>>> import numpy as np, pandas as pd
>>> rng = np.random.default_rng(0)
>>> visitors = rng.integers(500, 5000, 200)
>>> rates = rng.beta(0.03 * 99, 0.97 * 99, 200)  # rho = 1 / (1 + 99) = 0.01
>>> history = pd.DataFrame({"turn": np.arange(200), "visitors": visitors})
>>> history["successes"] = rng.binomial(visitors, rates)
>>> found = fit(history)
>>> found.rho.low < 0.01 < found.rho.high
True
"""

from highseason.noise.fit import NoiseFit, fit
from highseason.noise.history import VisitorHistory, read_history

__all__ = ["NoiseFit", "VisitorHistory", "fit", "read_history"]
