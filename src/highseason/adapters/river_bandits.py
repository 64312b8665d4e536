"""River: its bandit policies in our games, and ours as one of its own."""

import itertools
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from river.bandit.base import ArmID, Policy

from highseason.adapters.online import OnlineGame


def fresh_clone(policy: Policy, seed: int, arms: int) -> Any:
    """A clone that has seen nothing, whose random numbers, and those of its arms, are its own.

    River gives every arm a clone of one reward object: with one seed, all arms would draw alike.
    """
    has_seed = "seed" in policy._get_params()
    twin: Policy = policy.clone({"seed": seed} if has_seed else None)
    reward: Any = twin.reward_obj
    if "seed" in reward._get_params():
        seeds = itertools.count(seed + 1)
        twin._rewards = defaultdict(lambda: reward.clone({"seed": next(seeds)}))
    return twin


class RiverPolicy(Policy):
    """A policy of highseason, by its text, behind River's interface.

    What `reward_scaler` makes of a reward is learned; `multiplier` is the whole of G, if it is
    known.
    """

    def __init__(
        self,
        policy: str,
        multiplier: Any = None,
        reward_obj: Any = None,
        reward_scaler: Any = None,
        burn_in: int = 0,
        seed: int = 0,
    ) -> None:
        super().__init__(reward_obj=reward_obj, reward_scaler=reward_scaler, burn_in=burn_in)
        self.policy, self.multiplier, self.seed = policy, multiplier, seed
        self.visitors = 1.0
        self._game = OnlineGame(policy, seed, multiplier)

    def _pull(self, arm_ids: list[ArmID]) -> Any:
        return self._game.choose(list(arm_ids), self.visitors)

    def update(self, arm_id: Any, *reward_args: Any, **reward_kwargs: Any) -> None:
        """Learn, as River's policies do, and let ours learn."""
        super().update(arm_id, *reward_args, **reward_kwargs)  # type: ignore[no-untyped-call]
        reward = reward_args[0]
        scaler: Any = self.reward_scaler
        self._game.learn(arm_id, reward if scaler is None else scaler.func(reward))

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {"policy": "thompson"}
        yield {"policy": "soft+kl-ucb", "seed": 3}
