from __future__ import annotations

import math
from dataclasses import FrozenInstanceError, dataclass, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import highseason as hs
from highseason.policies import Policy, find, from_json, parameter, parse, registry
from highseason.policies.rule import LifetimeOptions

WRONG: list[tuple[type[Policy], dict[str, Any], str]] = [
    (hs.EpsilonGreedy, {"k": -1}, "epsilon-greedy: k=-1 must be at least 0"),
    (hs.EpsilonGreedy, {"k": math.nan}, "epsilon-greedy: k=nan is not a finite number"),
    (hs.EpsilonGreedy, {"k": math.inf}, "epsilon-greedy: k=inf is not a finite number"),
    (hs.EpsilonGreedy, {"k": "many"}, "epsilon-greedy: k='many' is not a number"),
    (hs.EpsilonGreedy, {"k": None}, "epsilon-greedy: k=None is not a number"),
    (hs.EpsilonGreedy, {"ties": "coin"}, "ties='coin' must be one of lowest, random"),
    (hs.EpsilonZGreedy, {"z": 0}, "epsilon-z: z=0 must be above 0"),
    (hs.EpsilonZGreedy, {"z": math.nan}, "z=nan is not a finite number"),
    (hs.EpsilonZGreedy, {"count": "visits"}, "count='visits' must be one of auto, turns, visitors"),
    (hs.UCBZ, {"z": "q75"}, r"ucb-z: z: .*did you mean \"q0.75\""),
    (hs.UCBZ, {"z": "3/4 max"}, "ucb-z: z: '3/4 max' is not a threshold"),
    (hs.UCB, {"P": -0.1}, "ucb: P=-0.1 must be at least 0"),
    (hs.AdaUCB, {"low": 3, "high": 2}, "ada-ucb: low=3.0 must be at most high=2.0"),
    (hs.AdaUCB, {"low": "q0.9", "high": "q0.1"}, "low=q0.9 must be at most high=q0.1"),
    (hs.SoftUCB, {"unit": 0}, "soft-ucb: unit=0 must be above 0"),
    (hs.SoftUCB, {"unit": -1.0}, "unit=-1.0 must be above 0"),
    (hs.VariablePool, {"c": 1}, "variable-pool: c=1 must be above 1"),
    (hs.VariablePool, {"c": math.nan}, "c=nan is not a finite number"),
]


@pytest.mark.parametrize(
    ("policy", "values", "message"), WRONG, ids=[f"{p.name}-{v}" for p, v, _ in WRONG]
)
def test_invalid_arguments_are_refused(
    policy: type[Policy], values: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        policy(**values)


@pytest.mark.parametrize(
    ("policy", "values"),
    [(hs.UCBZ, {"z": "-5"}), (hs.SoftUCB, {"unit": "0"}), (hs.SoftUCB, {"unit": "-1"})],
)
def test_numbers_written_as_text_keep_their_limits(
    policy: type[Policy], values: dict[str, Any]
) -> None:
    with pytest.raises(ValueError, match="must be above 0"):
        policy(**values)


@pytest.mark.parametrize("policy", [hs.SoftUCB, hs.SoftEpsilonGreedy, hs.VariablePool])
def test_an_infinite_unit_is_refused(policy: type[Policy]) -> None:
    with pytest.raises(ValueError, match="unit=inf"):
        policy(unit=math.inf)  # type: ignore[call-arg]


def test_an_infinite_threshold_means_never_high() -> None:
    assert hs.UCBZ(z=math.inf).z == math.inf
    assert hs.UCBZ(z="inf").z == math.inf


def test_values_are_kept_as_numbers() -> None:
    assert (
        repr(hs.EpsilonGreedy(k=2)) == "EpsilonGreedy(ties='lowest', count='auto', rho=0.0, k=2.0)"
    )
    assert hs.UCBZ(z="30").z == 30.0
    assert hs.UCBZ(z=" Q.75 ").z == "q0.75"
    assert hs.UCBZ(z="0.750 * max").z == "0.75*max"


def test_policies_are_values() -> None:
    assert hs.UCBZ(z=30) == hs.UCBZ(z=30.0)
    assert hs.UCBZ(z=30) != hs.UCBZ(z=31)
    assert hs.EpsilonGreedy(k=3) != hs.policies.NaiveEpsilonGreedy(k=3)
    assert len({hs.UCB(), hs.UCB(P=2), hs.UCB(P=1)}) == 2
    with pytest.raises(FrozenInstanceError):
        hs.UCB().P = 3  # type: ignore[misc]


# Written down and read back.

numbers = st.floats(1e-3, 1e12)
policies = st.one_of(
    st.builds(hs.EpsilonGreedy, k=numbers, ties=st.sampled_from(["lowest", "random"])),
    st.builds(
        hs.EpsilonZGreedy,
        k=numbers,
        z=st.one_of(numbers, st.just(math.inf), st.sampled_from(["q0.3", "0.6*max"])),
        count=st.sampled_from(["auto", "turns", "visitors"]),
    ),
    st.builds(hs.SoftUCB, unit=st.one_of(numbers, st.just("q0.25")), P=numbers),
    st.builds(hs.VariablePool, c=st.floats(1.0001, 1e6)),
    st.sampled_from([cls() for cls in registry().values()]),
)


@given(policies)
def test_text_and_json_lead_back(policy: Policy) -> None:
    assert parse(str(policy)) == policy
    assert from_json(policy.to_json()) == policy


@pytest.mark.parametrize(
    ("policy", "text"),
    [
        (hs.UCB(), "ucb"),
        (hs.UCBZ(z=31), "ucb-z:z=31"),
        (hs.EpsilonZGreedy(k=110, z=30), "epsilon-z:k=110,z=30"),
        (hs.UCBZ(z=math.inf), "ucb-z:z=inf"),
        (hs.UCBZ(z=0.1 + 0.2), "ucb-z:z=0.30000000000000004"),
        (hs.UCBZ(z="0.75*max", ties="random"), "ucb-z:ties=random,z=0.75*max"),
    ],
)
def test_how_policies_are_written(policy: Policy, text: str) -> None:
    assert str(policy) == text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ucb-y", r"unknown policy 'ucb-y'\. Did you mean 'ucb-z'\?"),
        ("xyzzy", r"unknown policy 'xyzzy'\. Choose from: "),
        ("ucb-z:w=3", "ucb-z has no parameter 'w'; it has: ties, count, rho, z, P"),
        ("ucb-z:z", "expected key=value after the colon, got 'z'"),
        ("ucb-z:z=1,z=2", "'z' is given twice"),
        ("ucb-z:z=", "ucb-z: z"),
        ("ucb-z:z=-3", "z=-3.0 must be above 0"),
        ("epsilon-greedy:k=lots", "epsilon-greedy: k='lots' is not a number"),
        ("variable-pool:c=0.5", "must be above 1"),
    ],
)
def test_what_cannot_be_read_is_explained(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse(text)


def test_blanks_in_text_do_not_matter() -> None:
    assert parse(" ucb-z : z = 31 , P = 1 ") == hs.UCBZ(z=31, P=1)


def test_the_registry_has_the_papers_policies() -> None:
    assert {
        "epsilon-greedy", "epsilon-z", "soft-epsilon", "ucb", "ucb-z", "soft-ucb", "variable-pool",
        "greedy", "uniform", "naive-epsilon", "naive-ucb",
    } <= set(registry())  # fmt: skip
    assert find("ucb-z") is hs.UCBZ
    registry().clear()  # a copy
    assert find("ucb-z") is hs.UCBZ


# Policies of the user's own.


@dataclass(frozen=True)
class Halving(Policy):
    rule = hs.policies.EPSILON
    rate: float = parameter(0.5, "factor from turn to turn", above=0)

    def begin(self) -> float:
        return 1.0

    def step(self, carry: float, view: Any) -> tuple[float, float]:
        return carry, carry * self.rate


def test_a_policy_without_a_name_is_known_by_its_class() -> None:
    assert "" not in registry()
    assert str(Halving(rate=0.25)) == "Halving:rate=0.25"
    assert replace(Halving(), rate=0.1).plan([1, 1, 1], arms=1).levels.tolist() == [1, 0.1, 0.1**2]
    with pytest.raises(ValueError, match="Halving: rate=0 must be above 0"):
        Halving(rate=0)


def test_a_policy_without_a_step_says_so() -> None:
    class Lazy(Policy):
        rule = hs.policies.EPSILON

    with pytest.raises(TypeError, match=r"Lazy has no plan: define step\("):
        Lazy().plan([1, 2], arms=1)


def test_a_policy_that_says_nothing_of_lifetimes_ignores_them() -> None:
    assert tuple(LifetimeOptions()) == (False, False, 1.0, 0, False)
    assert not LifetimeOptions().at_end
