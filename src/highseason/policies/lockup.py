"""Limits on switching around any policy: real shops cannot change an arm every turn."""

import re
from dataclasses import dataclass
from functools import partial
from typing import Any

from highseason.policies.base import parameter
from highseason.policies.lockup_rule import SwitchingLimits, limited
from highseason.policies.rule import Rule
from highseason.policies.wrappers import Wrapper

_SPAN = re.compile(r"(\d+)(?:-(\d+))?")
#: A number of turns or changes that tuning leaves alone: a fact about the shop.
_limit = partial(parameter, at_least=0, at_most=1e6, whole=True, known=True)


@dataclass(frozen=True)
class LimitSwitching(Wrapper):
    """Keep an arm for a while, change rarely, and not at all on some turns.

    Where the limits do not allow a change, the arm on display stays, unless it is no longer there;
    such a turn counts neither as exploring nor as exploiting, and its propensity is 1.  Otherwise
    the policy within decides.  Without limits it plays as if it were alone.

    >>> import highseason as hs
    >>> weekly = LimitSwitching(hs.Thompson(), stay=7, freeze="50-60")
    >>> print(weekly)
    limit-switching:stay=7,freeze=50-60+thompson
    >>> arms = hs.play(weekly, hs.rewards.bernoulli(arms=3), hs.traffic.wave(turns=80)).arms
    >>> bool((arms[:7] == arms[0]).all() and (arms[49:60] == arms[48]).all())
    True
    """

    name = "limit-switching"

    stay: int = _limit(0, "turns that an arm stays at least; 0 or 1 is no limit")
    changes: int = _limit(0, "changes allowed within any `period` turns; 0 is no limit")
    period: int = _limit(0, "the turns in which `changes` are counted")
    freeze: str = parameter(
        "", "turns on which the arm must not change, such as 50-60/320-365", inner=True
    )

    def _check_rule(self) -> None:
        if (self.changes == 0) != (self.period == 0):
            raise ValueError(
                f"{self.label}: changes={self.changes} and period={self.period} belong together: "
                "give both, such as changes=2, period=28, or neither"
            )
        spans = frozen_spans(self.label, self.freeze)
        object.__setattr__(self, "freeze", "/".join(_text(span) for span in spans))
        super()._check_rule()

    def wrapped(self, rule: Rule) -> Rule:
        """The rule within, with these limits."""
        spans = frozen_spans(self.label, self.freeze)
        return limited(rule, SwitchingLimits(self.stay, self.changes, self.period, spans))


def frozen_spans(owner: str, text: Any) -> tuple[tuple[int, int], ...]:
    """Read spans of turns, such as "50-60/320-365"; a single turn is its own span.

    >>> frozen_spans("limit-switching", "50-60/80")
    ((50, 60), (80, 80))
    """
    spans = []
    for part in str(text).split("/") if text != "" else ():
        match = _SPAN.fullmatch(part.strip())
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
        if not 1 <= first <= last:
            raise ValueError(
                f"{owner}: freeze={text!r} must be spans of turns such as 50-60/320-365, counted "
                "from 1"
            )
        spans.append((first, last))
    return tuple(spans)


def _text(span: tuple[int, int]) -> str:
    return f"{span[0]}-{span[1]}" if span[0] < span[1] else str(span[0])
