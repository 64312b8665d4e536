"""What policies declare of themselves for other rooms, so that nobody has to infer it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import highseason as hs
from highseason.policies import Policy, View, registry

ARMS = 3
#: The same turns at other values of G.
ONE, OTHER = np.tile([5.0, 1.0, 40.0], 20), np.tile([1.0, 40.0, 5.0], 20)


def _every() -> Iterator[Policy]:
    for kind in registry(added=False).values():
        yield from kind.candidates()
    yield hs.UCBL(xi="age")
    yield hs.policies.Discounted(base=hs.UCB())
    yield hs.policies.Discounted(base=hs.SoftUCB())
    yield hs.policies.LimitSwitching(base=hs.Greedy(), stay=3)
    yield hs.regulate(hs.UCB(), by="threshold", z=4)


EVERY = list(_every())


@pytest.mark.filterwarnings("ignore::highseason.policies.PlanWarning")
@pytest.mark.parametrize("policy", EVERY, ids=str)
def test_who_looks_at_g_plans_by_it(policy: Policy) -> None:
    first, second = (policy.plan(G, ARMS).levels for G in (ONE, OTHER))
    assert policy.looks_at_g == (first.tolist() != second.tolist())


@pytest.mark.filterwarnings("ignore::highseason.policies.PlanWarning")
@pytest.mark.parametrize("policy", EVERY, ids=str)
def test_who_never_explores_says_so(policy: Policy) -> None:
    always = policy.plan(ONE, ARMS).levels == policy.rule.exploits_at
    assert policy.explores != always.all()


def test_the_candidates_come_the_simplest_first() -> None:
    kinds = [kind for kind in registry(added=False).values() if kind.candidate is not None]
    kinds.sort(key=lambda kind: kind.candidate or 0.0)
    assert [str(one) for kind in kinds for one in kind.candidates()] == [
        "greedy", "price-curve", "price-curve:regulated=false", "option-index",
        "option-index:regulated=false", "constant-epsilon", "epsilon-greedy", "ucb", "thompson",
        "epsilon-z", "ucb-z", "soft-epsilon", "soft-ucb", "variable-pool",
    ]  # fmt: skip


@dataclass(frozen=True)
class Twin(hs.Greedy):
    """Another class with the step of greedy."""


@dataclass(frozen=True)
class Bold(hs.Greedy):
    """A class with a step of its own: nothing that was said of greedy's holds."""

    def step(self, carry: Any, view: View) -> tuple[float, Any]:
        return 1.0, carry


def test_what_is_declared_of_a_step_goes_with_it() -> None:
    assert (Twin.explores, Twin.looks_at_g, Twin.carry_depends_on) == (False, False, "nothing")
    assert (Bold.explores, Bold.looks_at_g, Bold.carry_depends_on) == (True, True, "arms")
    assert Twin.candidate is None is Bold.candidate  # a place is one class's


def test_what_is_counted() -> None:
    ucb, pool = hs.UCB(rho=0.5), hs.VariablePool()
    assert (ucb.counts, pool.counts) == ("turns", None)
    assert (ucb.precision(100.0), pool.precision(100.0)) == (1.0, 1.0)
    assert pool.counting("visitors").counts is None
    shop = ucb.counting("visitors")
    assert (shop.counts, shop.correlation) == ("visitors", 0.5)
    assert shop.precision(100.0) == 100.0 / (1.0 + 99.0 * 0.5)
    wrapped = hs.policies.Windowed(base=shop)
    assert (wrapped.counts, wrapped.correlation) == ("visitors", 0.5)
    assert wrapped.precision(100.0) == shop.precision(100.0)


def test_a_precision_of_its_own_is_refused() -> None:
    with pytest.raises(TypeError, match=r"Sharp has a precision .* the properties counts and"):

        class Sharp(hs.Greedy):
            def precision(self, visitors: float) -> float:
                return 2.0
