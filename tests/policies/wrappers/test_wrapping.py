"""What all wrappers share: names, texts, JSON, ties, and the plan of the policy within."""

from __future__ import annotations

import copy
import math
import pickle
from dataclasses import FrozenInstanceError, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import highseason as hs
from highseason.policies import Policy, Wrapper, from_json, parse

NESTED = "cap+spare-old-arms+soft-ucb-mortal:c=3"
TEXTS = [
    NESTED,
    "peak-grabber+soft-ucb:unit=1",
    "peak-grabber:window=50,trigger=4.5+ucb-z:z=30",
    "dynamic-peak-grabber:lift=1.3,memory=0.05+discounted:discount=0.9+epsilon-greedy:k=2",
    "windowed:window=20+soft-epsilon:unit=1e+16",
    "peak-grabber+cap:cap=0.5+spare-old-arms+windowed+ucb-l:ties=random,c=0.3,xi=age",
    "peak-grabber+dynamic-peak-grabber+greedy",
    "discounted+variable-pool",
]


@pytest.mark.parametrize("text", TEXTS)
def test_text_and_json_lead_back(text: str) -> None:
    policy = parse(text)
    assert str(policy) == text
    for twin in (parse(str(policy)), from_json(policy.to_json())):
        assert twin == policy
        assert hash(twin) == hash(policy)
        assert twin.rule is policy.rule


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize(
    "copied", [lambda p: pickle.loads(pickle.dumps(p)), copy.copy, copy.deepcopy, replace],
    ids=["pickle", "copy", "deepcopy", "replace"],
)  # fmt: skip
def test_copies_are_equal(text: str, copied: Any) -> None:
    policy = parse(text)
    twin = copied(policy)
    assert twin == policy
    assert twin.rule is policy.rule


def test_signs_of_numbers_are_not_joints() -> None:
    assert parse("discounted:discount=1e-1+ucb") == hs.Discounted(hs.UCB(), discount=0.1)
    assert parse("cap+soft-ucb:unit=1e+5") == hs.policies.CapIndex(hs.SoftUCB(unit=1e5))
    assert parse("cap:cap=+0.5+ucb") == hs.policies.CapIndex(hs.UCB(), cap=0.5)
    assert parse("cap:cap=1e+5 + ucb") == hs.policies.CapIndex(hs.UCB(), cap=1e5)


def test_without_a_policy_within_it_is_around_ucb() -> None:
    assert parse("peak-grabber") == hs.policies.PeakGrabber() == hs.policies.PeakGrabber(hs.UCB())
    assert str(hs.policies.PeakGrabber()) == "peak-grabber+ucb"


def test_the_policy_within_may_be_given_by_name() -> None:
    assert hs.policies.CapIndex("ucb-l:c=3") == hs.policies.CapIndex(hs.UCBL(c=3))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ucb+cap", "ucb is not a wrapper: it cannot be put before '\\+', got 'ucb"),
        ("cap+", r"unknown policy 'cap\+'. Did you mean 'cap'"),
        ("+ucb", "unknown policy ''"),
        ("cap+ucbl", "unknown policy 'ucbl'. Did you mean 'ucb"),
        ("cap+ucb:z=3", "ucb has no parameter 'z'"),
        ("cap:z=3+ucb", "cap has no parameter 'z'"),
        ("cap+greedy", "cap around greedy: the cap changes the bonus of an index rule"),
        ("cap+variable-pool", "the 'pool' rule has no bonus"),
        ("cap+cap+ucb", r"cap around cap\+ucb: .*'ucb, capped' rule has no bonus"),
        ("spare-old-arms+cap+ucb", r"spare-old-arms around cap\+ucb"),
        ("cap+peak-grabber+ucb", r"cap around peak-grabber\+ucb"),
        ("discounted+discounted+ucb", "put the forgetting around the innermost policy"),
        ("windowed+peak-grabber+ucb", "a window changes how a plain average is kept"),
        ("peak-grabber:window=0+ucb", "peak-grabber: window=0 must be at least 1"),
        ("peak-grabber:window=2.5+ucb", "window=2.5 must be a whole number"),
        ("windowed:window=1e9+ucb", "must be at most 1e[+]06"),
        ("discounted:discount=0+ucb", "discount=0 must be above 0"),
        ("discounted:discount=1.1+ucb", "discount=1.1 must be at most 1"),
        ("dynamic-peak-grabber:memory=0+ucb", "memory=0 must be above 0"),
        ("soft-ucb-mortal:remaining=maybe", "remaining='maybe' must be true or false"),
        ("soft-ucb-mortal:initial=-1", "initial=-1 must be at least 0"),
        ("ucb-l:xi=hard", "xi='hard' must be one of soft, age"),
    ],
)
def test_what_does_not_fit_is_refused_saying_why(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse(text)


@pytest.mark.parametrize("base", [None, 3, hs.UCB, Policy], ids=str)
def test_what_is_no_policy_is_refused(base: Any) -> None:
    with pytest.raises(ValueError, match=r"cap: base must be a policy, got "):
        hs.policies.CapIndex(base)


@pytest.mark.parametrize(
    "policy",
    [
        hs.policies.PeakGrabber(hs.UCB(ties="random")),
        hs.policies.PeakGrabber(hs.UCB(), ties="random"),
        parse("peak-grabber:ties=random+ucb"),
        parse("peak-grabber+ucb:ties=random"),
    ],
    ids=["within", "around", "text around", "text within"],
)
def test_random_ties_on_either_side_are_random(policy: hs.policies.PeakGrabber) -> None:
    assert policy.ties == policy.base.ties == "random"
    assert policy == parse(str(policy))
    game = hs.play(policy, hs.rewards.bernoulli(means=[1.0] * 5), [1.0] * 40, seed=1)
    assert len(set(game.arms[5:].tolist())) > 1


# -- the plan is that of the policy within ---------------------------------------------------------


@given(
    st.sampled_from(["ucb-z", "soft-ucb", "soft-epsilon", "epsilon-z:k=2", "soft-ucb-mortal"]),
    st.lists(st.floats(0.1, 100), min_size=5, max_size=40),
)
@pytest.mark.filterwarnings("ignore::highseason.policies.PlanWarning")
@pytest.mark.filterwarnings("ignore::highseason.traffic.ThresholdWarning")
def test_the_plan_stays(base: str, G: list[float]) -> None:
    inner = parse(base)
    wrapped = hs.policies.PeakGrabber(hs.Discounted(inner))
    assert wrapped.plan(G, arms=3).levels.tolist() == inner.plan(G, arms=3).levels.tolist()
    assert wrapped.needs_g_ahead == inner.needs_g_ahead
    assert wrapped.unwrapped == inner
    values = np.array(G)
    assert wrapped.unresolved_thresholds().keys() == inner.unresolved_thresholds().keys()
    assert wrapped.resolve_thresholds(values) == hs.policies.PeakGrabber(
        hs.Discounted(inner.resolve_thresholds(values))
    )
    assert not wrapped.resolve_thresholds(values).unresolved_thresholds()


def test_parameters_of_the_plan_can_be_asked_for() -> None:
    policy = hs.policies.PeakGrabber(hs.Windowed(hs.UCBZ(z=30), window=7))
    assert policy.z == 30
    assert policy.window == 100  # its own
    assert policy.base.window == 7
    with pytest.raises(AttributeError, match="k"):
        _ = policy.k


@pytest.mark.parametrize(
    ("base", "attribute"),
    [
        (hs.policies.NaiveUCB(), "learns_scaled"),
        (hs.SoftEpsilonGreedy(), "needs_whole_g"),
        (hs.UniformRandom(), "suppress_plan_warning"),
    ],
    ids=["learns_scaled", "needs_whole_g", "suppress_plan_warning"],
)
def test_what_the_policy_within_declares(base: Policy, attribute: str) -> None:
    assert getattr(hs.policies.PeakGrabber(base), attribute)
    assert not getattr(hs.policies.PeakGrabber(hs.UCB()), attribute)
    assert not getattr(hs.policies.PeakGrabber, attribute)  # of this one only


def test_what_mortal_arms_need_to_know() -> None:
    policy = hs.policies.CapIndex(
        hs.policies.SpareOldArms(hs.SoftUCBMortal(c=3, remaining=True, initial=5))
    )
    assert policy.lifetime_options == (False, True, 3.0, 5, False)
    assert hs.policies.PeakGrabber(hs.UCBL()).lifetime_options.needs_end
    assert not hs.policies.PeakGrabber(hs.UCB()).lifetime_options.needs_end


def test_it_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        hs.policies.PeakGrabber().window = 3  # type: ignore[misc]  # that is the point


def test_advice_names_the_parameters_of_the_plan() -> None:
    with pytest.warns(
        hs.policies.PlanWarning, match=r"peak-grabber\+epsilon-greedy:k=0.*A larger k"
    ):
        hs.policies.PeakGrabber(hs.EpsilonGreedy(k=0)).plan([1.0] * 30, arms=2)


def test_a_wrapper_of_ones_own() -> None:
    class Same(Wrapper):
        def wrapped(self, rule: hs.policies.Rule) -> hs.policies.Rule:
            return rule

    policy = Same(hs.UCBZ(z=30))
    G, rewards = hs.traffic.wave(60), hs.rewards.bernoulli(arms=4)
    assert policy.label == "Same"
    assert np.array_equal(hs.play(policy, rewards, G).arms, hs.play(hs.UCBZ(z=30), rewards, G).arms)
    with pytest.raises(TypeError, match=r"has no wrapped\(rule\)"):
        Wrapper()


# -- soft UCB mortal and UCB-L ---------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::highseason.policies.PlanWarning")
def test_the_numbers_of_a_mortal_plan_are_stakes_in_the_policys_unit() -> None:
    G = [1.0, 4.0, 8.0]
    assert hs.SoftUCBMortal(unit=2).plan(G, arms=2).levels.tolist() == [0.5, 2.0, 4.0]
    assert hs.UCBL(unit=2).plan(G, arms=2).levels.tolist() == [0.5, 2.0, 4.0]
    assert hs.UCBL(xi="age").plan(G, arms=2).levels.tolist() == [0.0] * 3


def test_published_values() -> None:
    assert hs.SoftUCBMortal.profile("paper") == hs.SoftUCBMortal(c=2, unit=1)
    assert hs.UCBL.profile("paper") == hs.UCBL(c=0.011, unit=1)


def test_words_for_yes_and_no() -> None:
    for text, value in (("yes", True), ("true", True), ("No", False), ("FALSE", False)):
        assert parse(f"soft-ucb-mortal:remaining={text}").remaining is value
    assert str(hs.SoftUCBMortal(remaining=True)) == "soft-ucb-mortal:remaining=true"


def test_exploration_grows_with_c() -> None:
    G = hs.traffic.wave(300)
    little, much = (hs.SoftUCBMortal(c=c).plan(G, arms=4).exploration for c in (0.1, 0.5))
    assert much[50:].mean() == pytest.approx(5 * little[50:].mean())
    assert math.isfinite(much.sum())
