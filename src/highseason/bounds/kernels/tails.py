"""How likely it is that an average misleads, after blind exploration; scalars only."""

from __future__ import annotations

import math

from highseason.core.jitable import jitable


@jitable
def beyond(pulls: float, kappa: float) -> float:
    """The sum of exp(-kappa s) over s > pulls: exp(-kappa pulls) / (exp(kappa) - 1)."""
    growth = math.expm1(kappa)
    if growth <= 0.0:  # kappa is 0, or so small that its square vanished: the sum has no end
        return math.inf
    return math.exp(-kappa * pulls) / growth


@jitable
def too_few(lam: float) -> float:
    """floor(lam) exp(-lam/5): the share of the tail in which blind pulls were too few."""
    return math.floor(lam) * math.exp(-lam / 5.0)
