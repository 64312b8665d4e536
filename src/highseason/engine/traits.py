"""What a rule declares about itself.  Nothing is inferred from names or identities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

#: How long a choice can be reused, from never to the least that can change it.
Stability = Literal["never", "until-change", "unless-coin-explores", "while-level-at-most-1"]


@dataclass(frozen=True)
class RuleTraits:
    """What the library may assume of a rule.  The defaults assume nothing.

    Attributes:
        local: The choice depends only on the entries of the available arms and on their order, so
            that the rule may be shown a state without the other arms.  Not true of a rule that
            pools statistics over arms or keeps an arm's number in `state.shared`.
        stable: How long a choice stays valid, with ties broken by the lowest arm.  "never": ask
            again each time.  "until-change": until the state, the level or the clock changes.
            The other two hold for choices that exploit, until the state changes:
            "unless-coin-explores" while the turn's first random number is at least the level,
            "while-level-at-most-1" while the level is at most 1.
        integer_level: Levels count something: a mean of levels is rounded.
        unit_range: Rewards must lie in [0, 1] for the rule to mean anything (UCB).
        tries_each_arm: Every available arm is played once before the rule starts to choose.
        stochastic: The choice depends on the turn's random numbers even where no arms tie.
        uses_future: The choice depends on `turn.future` or `turn.turns_left`, so the rule cannot
            play where they are unknown.
    """

    local: bool = False
    stable: Stability = "never"
    integer_level: bool = False
    unit_range: bool = False
    tries_each_arm: bool = False
    stochastic: bool = True
    uses_future: bool = False
