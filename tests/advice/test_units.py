"""Leads and losses in orders or money."""

from __future__ import annotations

import pytest

import highseason as hs
from highseason.advice import Advice, Compared, World, WorldComparison, kind_of
from highseason.engine import Estimate


def leading(*lead: float) -> Advice:
    """Advice to explore; its policy loses 10 orders of 100, and is so far ahead of greedy."""
    policy, rival = hs.UCB(P=0.01), hs.Greedy()
    compared = tuple(
        Compared(one, kind_of(one), 10.0, 0.1, 0.9, 0.5, Estimate(lead[0], 0.01, *lead[1:]))
        for one in (policy, rival)
    )
    world = World.of("visitors", 4, (0.02, 0.04))
    G = hs.traffic.from_values([100.0] * 10)
    comparison = WorldComparison(world, policy, "explore", compared, True, True, 4, 100)
    return Advice(comparison, (), policy.plan(G, 4), (), None, True, 0)


@pytest.mark.parametrize(
    ("lead", "said"),
    [
        ((0.2, 0.1, 0.3), "about 20 orders more than greedy, between 10 and 30;"),
        ((-0.2, -0.3, -0.1), "about 20 orders less than greedy, between 10 and 30;"),
        ((0.1, -0.2, 0.3), "no clear difference to greedy: 20 orders less to 30 more;"),
    ],
)
def test_a_lead_is_said_in_orders(lead: tuple[float, ...], said: str) -> None:
    assert said in leading(*lead).in_units()


def test_orders_have_a_worth() -> None:
    text = leading(0.2, 0.1, 0.3).in_units(35, "€")
    assert "about 700 € more than greedy, between 350 and 1,050;" in text
    assert "and 350 € less than with the best arm known from the start." in text
