"""Wrappers that change a bonus need a rule that has one."""

from __future__ import annotations

from highseason.rules.rule import Bonus, Rule


def bonus_of(rule: Rule, wrapper: str) -> Bonus:
    """The bonus of an index rule; any other rule is refused, saying why."""
    if rule.bonus is None:
        raise ValueError(
            f"{wrapper} changes what an index rule (UCB, soft UCB mortal …) adds to an arm's "
            f"estimate, but the {rule.name!r} rule adds nothing that could be changed"
        )
    return rule.bonus
