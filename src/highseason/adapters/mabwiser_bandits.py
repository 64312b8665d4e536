"""MABWiser: its learning policies in our games, and ours as one of its bandits."""

import functools
from collections.abc import Callable
from typing import Any

from mabwiser.base_mab import BaseMAB  # type: ignore[import-untyped]  # it has no types
from mabwiser.mab import MAB, LearningPolicy  # type: ignore[import-untyped]

from highseason.adapters.online import OnlineGame
from highseason.policies import Policy

#: Learning policies that need contexts.
_CONTEXTUAL = (LearningPolicy.LinGreedy, LearningPolicy.LinTS, LearningPolicy.LinUCB)


def check_learning_policy(learning_policy: Any) -> None:
    """Refuse anything but a learning policy that needs no contexts."""
    kinds = [kind for kind in vars(LearningPolicy).values() if isinstance(kind, type)]
    if not isinstance(learning_policy, tuple(kinds)) or isinstance(learning_policy, _CONTEXTUAL):
        raise ValueError(
            "expected a learning policy of MABWiser that needs no contexts, such as "
            f"LearningPolicy.UCB1(alpha=1), got {learning_policy!r}"
        )


class MabwiserPlayer:
    """A bandit of MABWiser as `ForeignPolicy` takes it."""

    def __init__(self, learning_policy: Any, seed: int, arms: int) -> None:
        self._mab = MAB(list(range(arms)), learning_policy, seed=seed)
        self._seen: set[int] = set()

    def pull(self, arms: list[int]) -> int:
        """An arm without a reward, or the one that is predicted; of those there, the next best."""
        for arm in arms:
            if arm not in self._seen:
                return arm
        predicted = int(self._mab.predict())
        if predicted in arms:
            return predicted
        expected = self._mab.predict_expectations()
        return max(arms, key=lambda arm: float(expected[arm]))

    def update(self, arm: int, reward: float) -> None:
        """Learn from one turn."""
        learn = self._mab.partial_fit if self._seen else self._mab.fit
        learn([arm], [reward])
        self._seen.add(arm)


class MabwiserBandit(MAB):  # type: ignore[misc]
    """A policy of highseason behind the interface of `MAB`.

    `predict` decides a turn.  Set `visitors` before it, where the policy is to know G and it is not
    known as a whole (`multiplier`).
    """

    def __init__(
        self, policy: Policy | str, arms: list[Any], seed: int = 0, multiplier: Any = None
    ) -> None:
        super().__init__(arms, LearningPolicy.Random(), seed=seed)
        self._policy = policy
        make = functools.partial(OnlineGame, policy, seed, multiplier)
        self._imp = _Learner(self._rng, self.arms, make)

    @property
    def learning_policy(self) -> Any:
        """The policy within."""
        return self._policy

    @property
    def visitors(self) -> float:
        """G of the next turn, if it is not known from the start."""
        return float(self._imp.visitors)

    @visitors.setter
    def visitors(self, value: float) -> None:
        self._imp.visitors = float(value)


class _Learner(BaseMAB):  # type: ignore[misc]
    """What MABWiser calls an implementation."""

    def __init__(self, rng: Any, arms: list[Any], make: Callable[[], OnlineGame]) -> None:
        super().__init__(rng, arms, 1)
        self._make, self.visitors = make, 1.0
        self._game = self._started()

    def _started(self) -> OnlineGame:
        game = self._make()
        for arm in self.arms:
            game.add(arm)
        return game

    def fit(self, decisions: Any, rewards: Any, contexts: Any = None) -> None:
        """Start again, and learn."""
        self._game = self._started()
        self._reset_arm_to_status()
        self.partial_fit(decisions, rewards, contexts)

    def partial_fit(self, decisions: Any, rewards: Any, contexts: Any = None) -> None:
        """Learn more."""
        for arm, reward in zip(decisions.tolist(), rewards.tolist(), strict=True):
            self._game.learn(arm, reward)
        self._set_arms_as_trained(decisions=decisions, is_partial=True)
        estimates = self._game.estimates()
        self.arm_to_expectation.update({arm: estimates[arm] for arm in self.arms})

    def predict(self, contexts: Any = None) -> Any:
        """The arm of the next turn, or of one turn for each context; contexts are ignored."""
        if contexts is None:
            return self._game.choose(self.arms, self.visitors)
        return [self._game.choose(self.arms, self.visitors) for _ in contexts]

    def predict_expectations(self, contexts: Any = None) -> Any:
        """What the policy compares each arm by, such as its average reward."""
        expected = dict(self.arm_to_expectation)
        return expected if contexts is None else [dict(expected) for _ in contexts]

    def warm_start(self, arm_to_features: Any, distance_quantile: float) -> None:
        """Arms that are like others: not known here."""
        raise NotImplementedError("policies of highseason know nothing of features of arms")

    def _copy_arms(self, cold_arm_to_warm_arm: Any) -> None:
        raise NotImplementedError("policies of highseason know nothing of features of arms")

    def _uptake_new_arm(self, arm: Any, binarizer: Any = None) -> None:
        self._game.add(arm)

    def _drop_existing_arm(self, arm: Any) -> None:
        """It is no longer offered; what was learned of it stays, should it come back."""

    def _fit_arm(self, arm: Any, decisions: Any, rewards: Any, contexts: Any = None) -> None:
        raise NotImplementedError("arms are not fitted one by one")

    def _predict_contexts(
        self, contexts: Any, is_predict: bool, seeds: Any = None, start_index: Any = None
    ) -> list[Any]:
        return list((self.predict if is_predict else self.predict_expectations)(contexts))
