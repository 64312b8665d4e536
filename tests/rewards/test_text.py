"""Reward models in a sentence."""

import pytest

import highseason as hs
from highseason.rewards.text import assumption, independent_visitors


def test_a_model_says_what_it_assumes() -> None:
    G = hs.traffic.from_values([100.0, 1000.0, 5000.0])
    alone = hs.rewards.visitors(3, between=(0.02, 0.04))
    assert "every visitor counts (rates 2% to 4%)" in assumption(alone, G)
    assert "rho, how alike the visitors of a turn decide, is 0" in assumption(alone, G)
    alike = hs.rewards.visitors(3, between=(0.02, 0.04), rho=0.01)
    assert "1,000 visitors teaches as much as 91" in assumption(alike, G)
    assert independent_visitors(alike, G) == pytest.approx(1000 / (1 + 999 * 0.01))
    assert "the paper's world" in assumption(hs.rewards.bernoulli(3), G)
    assert "rates as given" in assumption(hs.rewards.spend(2), G)
