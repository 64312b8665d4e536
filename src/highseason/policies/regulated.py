"""Regulators: wrappers that take exploration away from busy turns, around any policy.

A regulator gives each turn a share between 0 and 1.  The level of the policy within is moved
towards the one at which its rule exploits (`Rule.exploits_at`): with a share of 1 it stays, with 0
the turn exploits.  So regulating never explores more than the policy within, and with a constant G
every share is 1: the policy within plays as if it were alone.

What a share means is the rule's business.  It scales a probability (ε), what stands under a root
(UCB), a divergence (KL-UCB), and the variance of a draw (Thompson).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from highseason.core.jitable import jitable
from highseason.policies.base import OnG, Policy, parameter, threshold, unit_of_g
from highseason.policies.foreign import ForeignPolicy
from highseason.policies.plan import View, all_levels, effective_horizons
from highseason.policies.rule import Rule
from highseason.policies.wrappers import Wrapper

Floats = NDArray[np.float64]
#: Shares above this are 1.
_ALL = 1.0 - 1e-9


@jitable
def towards(exploiting: float, level: float, share: float, whole: bool) -> float:
    """The level `share` of the way from the one that exploits; to the nearest whole number."""
    moved = exploiting + share * (level - exploiting)
    return math.floor(moved + 0.5) if whole and share < 1.0 else moved


@dataclass(frozen=True)
class Regulator(Wrapper):
    """What regulators share.  Subclasses give `share(view)`."""

    def _check_rule(self) -> None:
        super()._check_rule()
        object.__setattr__(self, "looks_at_g", True)

    def wrapped(self, rule: Rule) -> Rule:
        """The rule stays; it must have a level that exploits."""
        if rule.exploits_at is None:
            raise ValueError(
                f"regulating moves a level towards the one that exploits, but the {rule.name!r} "
                "rule has none (its policies look at G themselves): regulate another policy"
            )
        return rule

    def share(self, view: View) -> float:
        """How much of its exploration the turn keeps, from 0 to 1."""
        raise TypeError(f"{type(self).__name__} has no share(view): define it")

    def step(self, carry: Any, view: View) -> tuple[float, Any]:
        """The level within, moved towards the one that exploits."""
        level, carry = self.base.step(carry, view)
        return self._moved(level, self.share(view)), carry

    def compilable_step(self) -> Callable[..., tuple[float, Any]]:
        """The same for compiled code, which sees the policy within as a record."""
        rule: Rule = self.rule
        return _compilable(
            type(self).share,
            self.base.compilable_step(),
            rule.exploits_at or 0.0,
            rule.traits.integer_level,
        )

    def levels(self, G: Floats, arms: int) -> Floats | None:
        """Where the plan within is made as a whole: that plan, turn by turn."""
        within = self.base.levels(G, arms)
        if within is None:
            return None
        shares = [self.share(View(1, g, 1, g, g, math.nan, -1)) for g in G.tolist()]
        return self._all_moved(within, np.array(shares))

    def _moved(self, level: float, share: float) -> float:
        rule: Rule = self.rule
        return towards(rule.exploits_at or 0.0, level, share, rule.traits.integer_level)

    def _all_moved(self, levels: Floats, shares: Floats) -> Floats:
        pairs = zip(levels.tolist(), shares.tolist(), strict=True)
        return np.array([self._moved(level, share) for level, share in pairs])

    @property
    def unwrapped(self) -> Policy:
        """Its step makes the plan."""
        return self

    @property
    def plans_any_turn(self) -> bool:
        """As the policy within: a share needs no other turn."""
        return self.base.plans_any_turn


@functools.cache
def _compilable(
    share: Callable[..., float], within: Callable[..., Any], exploiting: float, whole: bool
) -> Callable[..., tuple[float, Any]]:
    share, within = jitable(share), jitable(within)

    def step(self: Any, carry: Any, view: View) -> tuple[float, Any]:
        level, after = within(self["base"], carry, view)  # `.base` is NumPy's own
        return towards(exploiting, level, share(self, view), whole), after

    return step


@dataclass(frozen=True)
class RegulateByThreshold(Regulator):
    """High turns (G(t) >= z) exploit; low turns are left to the policy within.

    Around UCB it is UCB-z.  (ε-z also counts low turns only.)

    >>> import highseason as hs
    >>> hs.policies.RegulateByThreshold(hs.Thompson(), z=30).plan([1, 1, 40, 1], arms=2).levels
    array([1., 1., 0., 1.])
    """

    name = "threshold"

    z: OnG = threshold("q0.75")

    def share(self, view: View) -> float:
        """Nothing or all."""
        return 0.0 if view.G >= self.z else 1.0


@dataclass(frozen=True)
class RegulateSoftly(Regulator):
    """Exploration falls with G: the share is min(1, u/G), u the unit.

    So what exploring may cost, G times the share, never exceeds u: a busy turn costs no more than a
    turn with G = u would.

    >>> import highseason as hs
    >>> hs.policies.RegulateSoftly(hs.ConstantEpsilon(), unit=2).plan([1, 2, 40, 4], arms=2).levels
    array([0.1  , 0.1  , 0.005, 0.05 ])
    """

    name = "soft"

    unit: OnG = unit_of_g("q0.1")

    def share(self, view: View) -> float:
        """In proportion to the price of the turn, from the unit on."""
        return float(min(1.0, self.unit / view.G))


@dataclass(frozen=True)
class RegulateAhead(Regulator):
    """Explore as much as what is still to come is worth, at the price of this turn.

    H turns "like this one" follow: H = W(t)/G(t), or less where a cheaper turn is near enough to
    wait for, as in the option index.  Were all turns alike, as many would follow as turns are left;
    the share is (H + 1) / (turns left + 1), at most 1.

    The plan needs the whole of G, known or forecast.  Where turns come one at a time, it assumes
    that turns to come weigh as those seen.

    >>> import highseason as hs
    >>> hs.policies.RegulateAhead(hs.ConstantEpsilon()).plan([1, 1, 40, 1], arms=1).levels.round(4)
    array([0.1   , 0.1   , 0.0512, 0.1   ])
    """

    name = "ahead"
    needs_whole_g = True

    wait: bool = parameter(
        True, "wait for cheaper turns, or look at the price of this turn only", flag=True
    )

    def _check_rule(self) -> None:
        super()._check_rule()
        carry = "arms" if self.base.carry_depends_on == "arms" else "G"
        object.__setattr__(self, "needs_whole_g", True)
        object.__setattr__(self, "carry_depends_on", carry)

    @property
    def plans_any_turn(self) -> bool:
        """The plan is made as a whole."""
        return False

    def levels(self, G: Floats, arms: int) -> Floats:
        """The plan within, times the share of every turn."""
        horizons = effective_horizons(G, arms if self.wait else G.size)
        shares = (horizons + 1.0) / np.arange(G.size, 0, -1.0)
        shares[shares > _ALL] = 1.0  # a share that is 1 but for rounding must change no bit
        return self._all_moved(all_levels(self.base, G, arms), shares)

    def begin(self) -> Any:
        """The weight seen, the turns, and what the plan within carries."""
        return 0.0, 0, self.base.begin()

    def step(self, carry: Any, view: View) -> tuple[float, Any]:
        """Where the future is unknown: the mean of the turns so far, over the price of this one."""
        weight, turns, within = carry
        weight, turns = weight + view.G, turns + 1
        level, within = self.base.step(within, view)
        share = min(1.0, weight / turns / view.G)
        return self._moved(level, share), (weight, turns, within)


_REGULATORS: dict[str, type[Regulator]] = {
    kind.name: kind for kind in (RegulateByThreshold, RegulateSoftly, RegulateAhead)
}


def regulate(policy: Any, by: str = "soft", **options: Any) -> Policy:
    """Make a policy exploit on busy turns.

    Args:
        policy: A policy, its text as on the command line, or any object with `pull` and `update`
            (see `ForeignPolicy`).
        by: "threshold": turns with G >= z exploit.  "soft": exploration falls with G.  "ahead":
            exploration follows from what is still to come, too.
        options: The parameters of that regulator: `z`, `unit` or `wait`.

    >>> print(regulate("thompson"), regulate("kl-ucb", by="threshold", z=30), sep=", ")
    soft+thompson, threshold:z=30+kl-ucb
    """
    if by not in _REGULATORS:
        known = ", ".join(_REGULATORS)
        raise ValueError(f"by={by!r} must be one of: {known}")
    if not isinstance(policy, Policy | str):
        policy = ForeignPolicy.of(policy)
    return _REGULATORS[by](base=policy, **options)
