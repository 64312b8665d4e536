"""KL-UCB: confidence bounds that know how rewards between 0 and 1 vary."""

import math
from dataclasses import dataclass
from typing import Any

from highseason.policies.base import WeighingPolicy, exploration
from highseason.policies.kl_ucb_rule import KL_UCB_RULE
from highseason.policies.plan import View


@dataclass(frozen=True)
class KLUCB(WeighingPolicy):
    """UCB with bounds made for rewards in [0, 1].

    An arm's bound is the highest q for which pulls · kl(estimate, q) <= P log t.
    kl is the divergence of Bernoulli variables: for 0/1 rewards this is KL-UCB, for other rewards
    in [0, 1] kl-UCB (Garivier and Cappé 2011).  P = 1 is what they recommend in practice; the proof
    adds 3 log log t.  Where rates are low its bounds are far tighter than UCB's.

    >>> import highseason as hs
    >>> hs.KLUCB().plan(hs.traffic.wave(turns=100), arms=5).at(100)  # log 100
    4.60...
    """

    name = "kl-ucb"
    rule = KL_UCB_RULE
    carry_depends_on = "nothing"

    P: float = exploration(1.0, "the divergence is at most P log t / pulls; 1 is the textbook's")

    def step(self, carry: Any, view: View) -> tuple[float, Any]:
        """What pulls · kl may be at most."""
        return self.P * math.log(view.t), carry
