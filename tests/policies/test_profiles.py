from __future__ import annotations

import pytest

import highseason as hs
from highseason.policies import Policy, registry

PAPER = {
    "epsilon-greedy": hs.EpsilonGreedy(k=14),
    "epsilon-z": hs.EpsilonZGreedy(k=14, z=30),
    "soft-epsilon": hs.SoftEpsilonGreedy(k=14, unit=1),
    "ucb": hs.UCB(),
    "ucb-z": hs.UCBZ(z=30),
    "soft-ucb": hs.SoftUCB(unit=1),
    "variable-pool": hs.VariablePool(c=10, unit=1),
    "greedy": hs.Greedy(),
    "uniform": hs.UniformRandom(),
}


@pytest.mark.parametrize("name", PAPER)
def test_the_papers_values(name: str) -> None:
    assert registry()[name].profile("paper") == PAPER[name]


@pytest.mark.parametrize("policy", [hs.UCB, hs.VariablePool])
def test_an_unknown_profile_is_an_error(policy: type[Policy]) -> None:
    with pytest.raises(ValueError, match=r"no profile 'papre'; it has: paper"):
        policy.profile("papre")
