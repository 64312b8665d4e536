"""The heuristics by which the authors won the click contest, as wrappers."""

from __future__ import annotations

from dataclasses import dataclass

from highseason.policies.parameters import EXPLORATION, parameter
from highseason.policies.wrappers.base import Wrapper
from highseason.rules import Rule
from highseason.rules.wrapped import (
    capped,
    dynamic_peak_grabber,
    peak_grabber,
    sparing_old_arms,
)


@dataclass(frozen=True)
class PeakGrabber(Wrapper):
    """Hold an arm that is on a run: the last 100 displays brought 9 or more.

    While it is held it is played and nothing is explored.  It is let go when the mean of its window
    falls below another arm's estimate, or when it dies.  All of that is seen when a reward comes:
    an arm kept back by one that has just died is held a reward later.

    >>> import highseason as hs
    >>> print(PeakGrabber(hs.SoftUCB(unit=1)))
    peak-grabber+soft-ucb:unit=1
    """

    name = "peak-grabber"

    window: int = parameter(
        100,
        "displays of an arm to look back on",
        at_least=1,
        at_most=1e6,
        whole=True,
        search=(1.01, 1e3, "log"),
    )
    trigger: float = parameter(
        9.0, "what these must have brought together", above=0.0, search=EXPLORATION
    )

    def wrapped(self, rule: Rule) -> Rule:
        """With a window for each arm and the one that is held."""
        return peak_grabber(rule, self.window, self.trigger)


@dataclass(frozen=True)
class DynamicPeakGrabber(Wrapper):
    """Hold an arm that does 15% better of late than all displays of late.

    Its last 100 displays are compared with a moving average over all displays.  It is let go when
    it falls below the line, or when it dies.

    >>> import highseason as hs
    >>> print(DynamicPeakGrabber(hs.UCB(), lift=1.3))
    dynamic-peak-grabber:lift=1.3+ucb
    """

    name = "dynamic-peak-grabber"

    window: int = parameter(
        100,
        "displays of an arm to look back on",
        at_least=1,
        at_most=1e6,
        whole=True,
        search=(1.01, 1e3, "log"),
    )
    lift: float = parameter(1.15, "times the rate of all displays", above=0.0, search=EXPLORATION)
    memory: float = parameter(
        0.01,
        "by how much a display moves the rate of all",
        above=0.0,
        at_most=1.0,
        search=(1e-3, 1.0, "log"),
    )

    def wrapped(self, rule: Rule) -> Rule:
        """With a window for each arm, the rate of all, and the one that is held."""
        return dynamic_peak_grabber(rule, self.window, self.lift, self.memory)


@dataclass(frozen=True)
class SpareOldArms(Wrapper):
    """Stop exploring old arms: the bonus is multiplied by max(0, 1 - age / life).

    The bonus of an arm that stays for ever does not fade.  Where nobody knows an arm's expiry, its
    life is taken to be the mean life of those that died.
    Only around index rules (the UCB family): others have no bonus.

    >>> import highseason as hs
    >>> SpareOldArms(hs.EpsilonGreedy())
    Traceback (most recent call last):
    ...
    ValueError: spare-old-arms around epsilon-greedy: sparing old arms changes the bonus of an index
    rule (UCB, soft UCB mortal …), but the 'epsilon' rule has no bonus
    """

    name = "spare-old-arms"

    def wrapped(self, rule: Rule) -> Rule:
        """With a bonus that fades."""
        return sparing_old_arms(rule)


@dataclass(frozen=True)
class CapIndex(Wrapper):
    """No index above 0.88; arms never tried stand at the cap, behind those that reach it.

    So new arms are tried when no known one promises as much, and are not tried at once; at the
    start only those that the policy within opens with (`initial`), if it says how many.  Only
    around index rules (the UCB family).  Put it outermost: what is capped has no bonus any more.

    >>> import highseason as hs
    >>> print(CapIndex(SpareOldArms(hs.UCB())))
    cap+spare-old-arms+ucb
    """

    name = "cap"

    cap: float = parameter(0.88, "the highest index", search=EXPLORATION)

    def wrapped(self, rule: Rule) -> Rule:
        """With capped indices."""
        return capped(rule, self.cap)
