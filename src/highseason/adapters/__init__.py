"""Other libraries: their policies in our games, and ours behind their interfaces.

`from_river` and `from_mabwiser` make a policy that `play`, `simulate` and `replay` take, and that
`hs.regulate` regulates.  `to_river` and `to_mabwiser` go the other way.  Neither library is needed
until one of these is called.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from highseason.core.extras import require
from highseason.core.names import public_names as _public_names
from highseason.policies import ForeignPolicy, Policy

if TYPE_CHECKING:
    from highseason.adapters.mabwiser_bandits import MabwiserBandit
    from highseason.adapters.river_bandits import RiverPolicy

__all__ = ["from_mabwiser", "from_river", "to_mabwiser", "to_river"]
__dir__ = _public_names(__name__)


def from_river(policy: Any, title: str = "") -> ForeignPolicy:
    """A policy of `river.bandit` in our games; a fresh clone, with its own seed, plays each.

    >>> from river import bandit
    >>> import highseason as hs
    >>> theirs = from_river(bandit.EpsilonGreedy(epsilon=0.1))
    >>> print(hs.regulate(theirs, "threshold", z=30))
    threshold:z=30+river EpsilonGreedy
    """
    require("river", extra=None, purpose="an adapter to river")
    from river.bandit.base import Policy as RiverBase

    from highseason.adapters.river_bandits import fresh_clone

    if not isinstance(policy, RiverBase):
        raise ValueError(
            f"expected a policy of river.bandit, such as bandit.UCB(delta=1), got {policy!r}"
        )
    make = partial(fresh_clone, policy)
    return ForeignPolicy(make=make, title=title or f"river {type(policy).__name__}")


def from_mabwiser(learning_policy: Any, title: str = "") -> ForeignPolicy:
    """A learning policy of MABWiser without contexts, such as `LearningPolicy.UCB1(alpha=1)`.

    Every arm is tried once first, because MABWiser expects a history of every arm.

    >>> from mabwiser.mab import LearningPolicy
    >>> print(from_mabwiser(LearningPolicy.Softmax(tau=0.1)))
    mabwiser Softmax
    """
    require("mabwiser", extra=None, purpose="an adapter to mabwiser")
    from highseason.adapters.mabwiser_bandits import MabwiserPlayer, check_learning_policy

    check_learning_policy(learning_policy)
    make = partial(MabwiserPlayer, learning_policy)
    kind = type(learning_policy).__name__
    return ForeignPolicy(make=make, title=title or f"mabwiser {kind}")


def to_river(policy: Policy | str, seed: int = 0, **options: Any) -> RiverPolicy:
    """A policy of ours as a `river.bandit.base.Policy`.

    Args:
        policy: The policy, or its text as on the command line.
        seed: Its random numbers.
        options: `multiplier`, the whole of G if it is known, and River's own: `burn_in`,
            `reward_obj` and `reward_scaler`.  Where G comes turn by turn, set `visitors` before
            each pull.

    >>> ours = to_river("soft+thompson", seed=1)
    >>> ours.visitors = 300
    >>> arm = ours.pull(["red", "blue"])
    >>> ours.update(arm, 1.0)
    """
    require("river", extra=None, purpose="an adapter to river")
    from highseason.adapters.river_bandits import RiverPolicy

    return RiverPolicy(str(policy), seed=seed, **options)


def to_mabwiser(
    policy: Policy | str, arms: list[Any], seed: int = 0, multiplier: Any = None
) -> MabwiserBandit:
    """A policy of ours as a `mabwiser.mab.MAB`.

    >>> ours = to_mabwiser("kl-ucb", ["red", "blue"], seed=1)
    >>> ours.fit(["red", "blue", "red"], [1, 0, 1])
    >>> ours.predict()
    'red'
    """
    require("mabwiser", extra=None, purpose="an adapter to mabwiser")
    from highseason.adapters.mabwiser_bandits import MabwiserBandit

    return MabwiserBandit(policy, arms, seed, multiplier)
