"""The registry of theorems, and `regret`, the one way to ask for a bound.

A theorem for a policy of your own is a function registered for its class:

>>> import highseason as hs
>>> from highseason.bounds import theorem
>>> from highseason.bounds.epsilon import safe_bound
>>> from highseason.bounds.setting import read_plan
>>> @theorem(hs.UniformRandom)
... def uniform(policy, setting, form):
...     return safe_bound(policy, setting, read_plan(policy, setting))
>>> bound = hs.bounds.regret(hs.UniformRandom(), gaps=[0, 0.5], multiplier=[1, 1, 4, 4])
>>> bound.total
2.5
>>> unregister(hs.UniformRandom)
"""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from highseason.bounds.regret_bound import FORMS, Form, RegretBound
from highseason.bounds.setting import Means, Setting
from highseason.core.validation import one_of
from highseason.policies import Policy, SoftUCBMortal
from highseason.policies.lifetimes import Lifetimes
from highseason.rewards import Rewards

Calculator = Callable[[Any, Setting, Form], RegretBound]
C = TypeVar("C", bound=Calculator)

_calculators: dict[type[Policy], Calculator] = {}


class NoTheoremError(ValueError):
    """No theorem covers this policy; the message lists those that have one."""


def theorem(policy: type[Policy]) -> Callable[[C], C]:
    """Register a function `(policy, setting, form) -> RegretBound` for a policy class.

    Subclasses do not inherit it: what is proved of a class need not hold for one that changes it.
    """

    def register(calculate: C) -> C:
        _calculators[policy] = calculate
        return calculate

    return register


def unregister(policy: type[Policy]) -> None:
    """Remove a theorem."""
    _calculators.pop(policy, None)


def provable() -> tuple[type[Policy], ...]:
    """The policy classes that have a theorem.

    >>> import highseason as hs
    >>> hs.SoftUCB in provable(), hs.Greedy in provable()
    (True, False)
    """
    return tuple(_calculators)


def regret(
    policy: Policy,
    means: Means | None = None,
    gaps: Sequence[float] | NDArray[np.float64] | None = None,
    multiplier: Any = None,
    form: Form = "safe",
    H: Any = None,
    r: float = 1.0,
    Gamma: float = 12.0,
    lifetimes: Lifetimes | None = None,
) -> RegretBound:
    """Bound the mean regret of a policy before it is played.

    Args:
        policy: A policy with a theorem: ε-greedy, ε-z, soft ε, UCB, UCB-z, soft UCB, variable pool,
            soft UCB mortal.
        means: The true means of the arms, in the order of the first round, or a reward model with
            fixed arms (which knows that the mean of a truncated normal is not its centre).
        gaps: Or how far each arm is below the best.
        multiplier: G: anything `as_multiplier` takes.  It weights the regret.
        form: "safe", our corrected form, which always holds; or "paper", the formula as printed,
            which may be inf, nan or below the true regret (see `RegretBound.valid`).
        H: The policy's forecast of G, as `forecast` in `simulate`.  It regulates the policy; the
            regret is still weighted by G.
        r: The range of the rewards, highest minus lowest.
        Gamma: The constant above 5 in the variable pool's theorem; only its printed form uses it.
        lifetimes: When each arm is available, `hs.lifetimes.fixed([…])`; only soft UCB mortal has a
            theorem about arms that come and go.

    >>> import highseason as hs
    >>> G = hs.traffic.constant(turns=10_000)
    >>> bound = regret(hs.UCB(), means=[0.9, 0.4], multiplier=G)
    >>> round(bound.total, 1)  # 8 log(10000)/0.5 + (1 + pi²/3) 0.5, Auer's bound
    149.5
    >>> bound.valid, bound.vacuous
    (True, False)
    """
    calculate = _calculators.get(type(policy))
    if calculate is None:
        raise NoTheoremError(
            f"no theorem covers {policy.label}; there are bounds for "
            f"{', '.join(cls.name for cls in _calculators)}"
        )
    if isinstance(means, Rewards) and means.noise is not None:
        policy = policy.counting("visitors")
    if policy.counts == "visitors":
        raise NoTheoremError(
            f"{policy}: the theorems are about policies that count turns, as in the paper; there "
            "is none for count='visitors'"
        )
    one_of("form", form, FORMS)
    if lifetimes is not None and not isinstance(policy, SoftUCBMortal):
        raise NoTheoremError(
            f"the theorem about {policy.label} covers arms that stay; for arms with lifetimes "
            f"there is one about {SoftUCBMortal.name}"
        )
    return calculate(policy, Setting.of(means, gaps, multiplier, H, r, Gamma, lifetimes), form)
