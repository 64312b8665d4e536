"""Everything a worker needs travels: policies, rules and lifetimes pickle and copy."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import highseason as hs
from highseason.policies import Policy, Rule, index_rule, leader, registry
from highseason.policies.contest import capped, peak_grabber, sparing_old_arms
from highseason.policies.ucb import bonus, intensity
from highseason.policies.wrappers import discounted, windowed

POLICIES = [
    *(cls() for cls in registry().values() if cls.__module__.startswith("highseason.")),
    hs.policies.CapIndex(hs.policies.SpareOldArms(hs.SoftUCBMortal(initial=2)), cap=0.5),
    hs.policies.PeakGrabber(hs.Windowed(hs.EpsilonZGreedy(z=3.0), window=5), window=9),
]
UCB_RULE = hs.policies.UCB_RULE
RULES = [
    hs.policies.EPSILON,
    hs.policies.POOL,
    UCB_RULE,
    hs.policies.MORTAL,
    hs.policies.LIFE,
    capped(sparing_old_arms(hs.policies.MORTAL), 0.4),
    peak_grabber(discounted(UCB_RULE, 0.9), 10, 3.0),
    windowed(hs.policies.EPSILON, 7),
    index_rule("mine", bonus, intensity),
    Rule("plain", leader, intensity),  # type: ignore[arg-type]  # any function with a name will do
]
WAYS = [lambda thing: pickle.loads(pickle.dumps(thing)), copy.deepcopy, copy.copy]


@pytest.mark.parametrize("policy", POLICIES, ids=str)
def test_policies_travel_with_their_rules(policy: Policy) -> None:
    for travel in WAYS:
        arrived = travel(policy)
        assert arrived == policy
        assert str(arrived) == str(policy)
        assert arrived.rule == policy.rule


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_rules_travel(rule: Rule) -> None:
    for travel in WAYS:
        arrived = travel(rule)
        assert arrived == rule
        assert hash(arrived) == hash(rule)


@pytest.mark.parametrize(
    "lifetimes",
    [
        hs.lifetimes.fixed([(1, 9), (3, 40)], known=False),
        hs.lifetimes.birth_and_death(40, alive=3, life=9),
        hs.lifetimes.articles(40, turns_per_hour=2.0),
    ],
    ids=lambda lifetimes: lifetimes.name,
)
def test_lifetimes_travel(lifetimes: Any) -> None:
    keys = np.arange(1, 5, dtype=np.uint64)
    spans = lifetimes.draw(keys, 40)
    for travel in WAYS:
        arrived = travel(lifetimes)
        assert arrived.known == lifetimes.known
        assert np.array_equal(arrived.draw(keys, 40), spans)
