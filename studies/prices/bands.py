"""What `price-curve` says of demand at the end of a game, beside what is true."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import highseason as hs
from highseason.core.parallel import Executors
from highseason.core.random import game_keys
from highseason.engine.play import play_planned
from highseason.policies import demand_of
from highseason.policies.rule import Observation, Turn
from studies.session import SimulationTask

#: The columns of a result.
TRIED, HELD, SAID, TRUE = range(4)


@dataclass(frozen=True, eq=False)
class BandsTask(SimulationTask):
    """Games of `price-curve`, each asked at its end about every price."""

    def result(self, executor: Executors = "serial") -> NDArray[np.float64]:
        """A row for each price of each game.

        Whether it was tried, whether its band holds, how likely it was said to be the best, and
        whether it is.
        """
        keys = game_keys(self.seed, range(self.games))
        return np.concatenate([self._asked(int(key)) for key in keys])

    def _asked(self, key: int) -> NDArray[np.float64]:
        offers = self.rewards.offers
        assert offers is not None
        plan = hs.PriceCurve(count="visitors").plan(self.G, len(offers))
        played = play_planned(plan, self.rewards, key)
        rates = self.rewards.parameters(np.array([key], np.uint64))[0][:, 0]
        rule = plan.policy.rule
        state = rule.fresh_state(len(offers), offers)
        turns = zip(played.arms, played.paid, self.G.values, strict=True)
        for t, (arm, paid, G) in enumerate(turns, start=1):
            turn = Turn(t, 0.0, float(G), 0.0, 0, 1, False, t)
            seen = float(paid) / offers[arm].margin
            rule.observe(state, turn, Observation(int(arm), seen, self.rewards.visitors_at(G)))
        best = max(offer.margin * rate for offer, rate in zip(offers, rates, strict=True))
        return np.array(
            [
                (
                    row.visitors > 0,
                    row.share_range[0] <= rates[row.arm] <= row.share_range[1],
                    row.best,
                    row.margin * rates[row.arm] == best,
                )
                for row in demand_of(state)
            ],
            dtype=np.float64,
        )
