"""The heuristics by which the authors won the click contest, as wrappers."""

from __future__ import annotations

from dataclasses import dataclass

from highseason.policies.parameters import EXPLORATION, parameter, window
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
    """Hold an arm that is on a run: its last 100 displays earned 9 or more.

    While it is held it is played and nothing is explored.  It is released when the mean of its
    window falls below another arm's estimate, or when it ends.  Runs are looked at when a reward
    arrives: after an arm has ended, the next one is held one reward later.

    >>> import highseason as hs
    >>> print(PeakGrabber(hs.SoftUCB(unit=1)))
    peak-grabber+soft-ucb:unit=1
    """

    name = "peak-grabber"

    window: int = window(100, "displays of an arm to look back on")
    trigger: float = parameter(
        9.0, "what these must have earned together", above=0.0, search=EXPLORATION
    )

    def wrapped(self, rule: Rule) -> Rule:
        """With a window for each arm."""
        return peak_grabber(rule, self.window, self.trigger)


@dataclass(frozen=True)
class DynamicPeakGrabber(Wrapper):
    """Hold an arm whose recent displays earn 15% more than all recent displays.

    Its last 100 displays are compared with a moving average over all displays.  It is released when
    it falls below the line, or when it ends.

    >>> import highseason as hs
    >>> print(DynamicPeakGrabber(hs.UCB(), lift=1.3))
    dynamic-peak-grabber:lift=1.3+ucb
    """

    name = "dynamic-peak-grabber"

    window: int = window(100, "displays of an arm to look back on")
    lift: float = parameter(1.15, "times the rate of all displays", above=0.0, search=EXPLORATION)
    memory: float = parameter(
        0.01,
        "by how much a display moves the rate of all",
        above=0.0,
        at_most=1.0,
        search=(1e-3, 1.0, "log"),
    )

    def wrapped(self, rule: Rule) -> Rule:
        """With a window for each arm, and the rate of all."""
        return dynamic_peak_grabber(rule, self.window, self.lift, self.memory)


@dataclass(frozen=True)
class SpareOldArms(Wrapper):
    """Stop exploring old arms: the bonus is multiplied by max(0, 1 - age / lifetime).

    The bonus of an arm without an end does not fade.  An unknown lifetime is taken to be the mean
    of those that have ended.  Only around index rules (the UCB family): others have no bonus.

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

    New arms are therefore tried when no known arm promises as much, not at once; at the start only
    those that the policy within opens with (`initial`), if it says how many.  Only around index
    rules (the UCB family).  Put it outermost: a capped rule has no bonus.

    >>> import highseason as hs
    >>> print(CapIndex(SpareOldArms(hs.UCB())))
    cap+spare-old-arms+ucb
    """

    name = "cap"

    cap: float = parameter(0.88, "the highest index", search=EXPLORATION)

    def wrapped(self, rule: Rule) -> Rule:
        """With capped indices."""
        return capped(rule, self.cap)
