"""Score candidates on simulated games, each of which is played once."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from highseason.advice.trials import Evaluate, Score
from highseason.core.executors import Executors, Pool, opened
from highseason.core.random import game_keys
from highseason.core.warnings import quiet
from highseason.engine import Moments
from highseason.engine.kernels.arguments import Arms
from highseason.engine.kernels.build import has_own_kernel
from highseason.engine.parts import arms_of
from highseason.engine.simulate import Run, regrets_of, simulate
from highseason.policies import Plan, Policy
from highseason.rewards import Rewards
from highseason.traffic import Multiplier

Numbers = NDArray[np.float64]
_NONE = np.empty(0)


def on_games(rewards: Rewards, G: Multiplier, seed: int, executor: Executors = None) -> Evaluate:
    """Score candidates by their regret in simulated games.

    What is played in this process is kept: candidates that go on play only the games that are new
    to them, and those whose plans are the same play once.  The scores are those of `simulate`.
    """
    known = _KnownRegrets()

    def evaluate(policies: Sequence[Policy], games: int) -> list[Score]:
        players = {str(i): policy for i, policy in enumerate(policies)}
        with quiet(), opened(executor) as pool:
            run = Run.prepare(players, rewards, G, seed, None, False, None)
            if pool.in_process and not pool.on_gpu and games <= run.block:
                regret = Moments.of(known.of(run, games, pool))
            else:
                result = simulate(players, rewards, G, games, seed, executor=pool, keep="summary")
                regret = result.moments["regret"]
        return list(map(Score, regret.mean.tolist(), regret.error.tolist()))

    return evaluate


@dataclass(eq=False)
class _KnownRegrets:
    """The regrets of the games that were played so far, by what decides them."""

    _played: dict[Hashable, Numbers] = field(default_factory=dict)
    _arms: dict[range, tuple[NDArray[np.uint64], Arms]] = field(default_factory=dict)

    def of(self, run: Run, games: int, pool: Pool) -> Numbers:
        """The regrets of the first games: a row per policy of the run."""
        keys = [_key(plan, run.rewards) for plan in run.plans]
        new: dict[int, dict[Hashable, Plan]] = {}  # by how many games were played
        for key, plan in zip(keys, run.plans, strict=True):
            done = self._played.get(key, _NONE).size
            if done < games:
                new.setdefault(done, {})[key] = plan
        for done, plans in new.items():
            some = replace(run, labels=run.labels[: len(plans)], plans=tuple(plans.values()))
            regrets = regrets_of(some, range(done, games), self._meet, pool)
            for key, row in zip(plans, regrets, strict=True):
                self._played[key] = np.concatenate((self._played.get(key, _NONE), row))
        return np.array([self._played[key][:games] for key in keys])

    def _meet(self, run: Run, games: range) -> tuple[NDArray[np.uint64], Arms]:
        """The keys and arms of some games, which all candidates meet."""
        if games not in self._arms:
            keys = game_keys(run.seed, games)
            self._arms[games] = keys, arms_of(run, keys)
        return self._arms[games]


def _key(plan: Plan, rewards: Rewards) -> Hashable:
    """What decides how a policy plays: its levels, if the kernel looks at nothing else."""
    policy = plan.policy
    if has_own_kernel(policy, rewards, None):
        return policy.rule, policy.learns_scaled, plan.levels[plan.arms :].tobytes()
    try:
        hash(policy)
    except TypeError:  # a user's policy may have parameters that cannot be hashed
        return object()
    return policy
