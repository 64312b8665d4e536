"""What the tests of games play."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from tests.reference import game as blackboard

import highseason as hs
from highseason.checks.catalogue import altered
from highseason.core.random import game_keys
from highseason.policies import Policy
from highseason.rewards import Rewards
from studies.authors_code import AuthorsVariablePool

#: Every policy of the paper with parameters that make it explore now and then, and odd variants.
POLICIES: dict[str, Policy] = {
    "greedy": hs.Greedy(),
    "uniform": hs.UniformRandom(),
    "epsilon": hs.EpsilonGreedy(k=0.5),
    "epsilon-z": hs.EpsilonZGreedy(k=1.5, z=30),
    "soft-epsilon": hs.SoftEpsilonGreedy(k=2, unit=1),
    "ucb": hs.UCB(),
    "ucb-small": hs.UCB(P=0.1),
    "ucb-z": hs.UCBZ(z=30, P=0.5),
    "soft-ucb": hs.SoftUCB(unit=1),
    "ada-ucb": hs.AdaUCB(),
    "pool": hs.VariablePool(c=60, unit=1),
    "pool-code": AuthorsVariablePool(c=1.1, unit=1),
    "naive-epsilon": hs.policies.NaiveEpsilonGreedy(k=0.5),
    "naive-ucb": hs.policies.NaiveUCB(),
}


def eighths(u: float, level: float, scale: float) -> float:
    """Few values, so that arms tie; and G·x/G is often not x, so that they nearly tie."""
    return math.floor(8.0 * (0.3 * u + 0.7 * level)) / 8.0


def triangle(u: float, top: float, scale: float) -> float:
    return top * math.sqrt(u)


def triangle_mean(top: Any) -> Any:
    return 2.0 * np.asarray(top) / 3.0


def on_generic_path(policy: Policy) -> Policy:
    """The policy without a fast kernel: its rule is the same, under another name."""
    rule = policy.rule
    return altered(policy, rule=replace(rule, name=f"{rule.name}, arm by arm"))


REWARDS: dict[str, Callable[..., Rewards]] = {
    "bernoulli": hs.rewards.bernoulli,
    "extremes": partial(hs.rewards.bernoulli, between=(0.0, 0.05)),
    "normal": partial(hs.rewards.truncated_normal, sigma=0.3),
    "triangle": partial(hs.rewards.custom, triangle, triangle_mean),
    "eighths": partial(hs.rewards.custom, eighths, np.asarray),
}

#: (arms, turns): one arm, fewer turns than arms, as many, one more, two arms, several.
SIZES = [(1, 12), (5, 3), (5, 5), (5, 6), (2, 40), (7, 60)]


def on_the_blackboard(
    policy: Policy, rewards: Rewards, G: Any, seed: int, number: int
) -> blackboard.Record:
    """The naive game with the arms that this game has, and the plan that this policy makes."""
    parameters = rewards.parameters(game_keys(seed, range(number, number + 1)))[0].tolist()
    plan = policy.plan(G, rewards.arms)
    return blackboard.play(
        policy.rule.name,
        plan.levels.tolist(),
        G.values.tolist(),
        [partial(lambda p, u: rewards.draw(u, p, 1, 1.0), p) for p in parameters],
        seed,
        number,
        naive=policy.learns_scaled,
    )
