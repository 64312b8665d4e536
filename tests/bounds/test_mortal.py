"""The bound for arms with lifetimes: special cases, hand-made populations, refusals."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.reference.bounds_instances import mortal_bound

import highseason as hs
from highseason import bounds


def test_one_arm_or_equal_arms_cost_nothing() -> None:
    G = hs.traffic.wave(50)
    assert mortal_bound([0.5], [(1, 50)], G).total == 0.0
    assert mortal_bound([0.5, 0.5], [(1, 50), (10, 20)], G).total == 0.0


def test_by_hand() -> None:
    """Two arms, the better one born in turn 3; the worse one alive from 1 to 4."""
    G = [2.0, 2.0, 3.0, 5.0, 7.0]
    bound = mortal_bound([0.2, 0.7], [(1, 4), (3, 5)], G)
    # In turns 1 and 2 arm 1 is alone; turns 3 and 4 are one run of length 2 with D = 0.5, where
    # u = max ceil(8 psi² log(1 + t/G) / 0.25) is above 2.
    assert bound.parts["initialisation"] == 0.0
    assert bound.parts["epochs"] == pytest.approx(0.5 * (3.0 + 5.0))  # clipped at the worst case
    assert bound.vacuous


def test_immortal_arms_are_soft_ucb() -> None:
    """c = 1, births 0: the same radius, so the same trivial bound and a comparable guarantee."""
    G = hs.traffic.wave(5000)
    means = [0.95, 0.05]
    mortal = mortal_bound(means, [(1, math.inf)] * 2, G)
    soft = bounds.regret(hs.SoftUCB(unit=1), means=means, multiplier=G)
    assert mortal.trivial == pytest.approx(soft.trivial)
    assert not mortal.vacuous
    # tighter here, as it leaves out turns too early for an arm to have been tried often enough
    assert mortal.total < soft.total


def test_opening_skips_the_dead() -> None:
    """The second arm dies before its turn would come."""
    G = np.ones(10)
    lifetimes = [(1, 10), (1, 1), (1, 10)]
    bound = mortal_bound([0.5, 0.9, 0.3], lifetimes, G)
    # turn 1: arm 1 against arm 2 (0.4); turn 2: arm 3 against arm 1 (0.2)
    assert bound.parts["initialisation"] == pytest.approx(0.6)
    chosen = mortal_bound([0.5, 0.9, 0.3], lifetimes, G, initial=1)
    assert chosen.parts["initialisation"] == pytest.approx(0.4)  # arm 1 against arm 2


def test_forecast_steers_and_g_weighs() -> None:
    G = np.array([1.0, 1.0, 5.0, 1.0, 5.0, 1.0])
    means, lifetimes = [0.9, 0.1], [(1, 6), (1, 6)]
    known = mortal_bound(means, lifetimes, G)
    believed = mortal_bound(means, lifetimes, G, H=G)
    assert believed.total == known.total
    scaled = mortal_bound(means, lifetimes, G * 3, H=G)
    assert scaled.total == pytest.approx(3 * known.total)
    in_unit = mortal_bound(means, lifetimes, G * 3, unit=3.0)
    assert in_unit.total == pytest.approx(3 * known.total)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"c": -0.5}, "at least 0"),
        ({"form": "printed"}, "'safe' or 'paper'"),
        ({"unit": 0.0}, "above 0"),
        ({"spans": [(1, 5)]}, "2 arms but 1 lifetimes"),
        ({"spans": [(1, 2), (4, 5)]}, "no arm is alive at turn 3"),
    ],
)
def test_refusals(arguments: dict[str, object], message: str) -> None:
    given = {
        "means": [0.9, 0.1],
        "spans": [(1, 5), (2, 5)],
        "G": [1.0] * 5,
    } | arguments
    with pytest.raises(ValueError, match=message):
        mortal_bound(**given)


@pytest.mark.parametrize("instance", range(4))
def test_safe_holds_for_the_policy_as_it_plays(instance: int) -> None:
    """Random lifetimes, means, c, scores and openings against the games that `simulate` plays."""
    generator = np.random.default_rng(instance)
    turns, arms = 400, int(generator.integers(2, 7))
    first = np.concatenate([[1, 1], generator.integers(1, turns, arms - 2)])
    last = np.minimum(turns, first + generator.integers(0, turns, arms))
    last[0] = turns
    policy = hs.SoftUCBMortal(
        c=float(generator.choice([0.1, 1.0, 2.0])),
        remaining=bool(generator.integers(2)),
        initial=int(generator.integers(3)),
    )
    means = generator.random(arms)
    G = hs.traffic.christmas(turns) if instance % 2 else hs.traffic.wave(turns)
    lifetimes = hs.lifetimes.fixed(list(zip(first.tolist(), last.tolist(), strict=True)))
    bound = bounds.regret(policy, means=means, multiplier=G, lifetimes=lifetimes)
    played = hs.simulate(
        policy,
        hs.rewards.bernoulli(means=means.tolist()),
        G,
        games=200,
        seed=instance,
        lifetimes=lifetimes,
    )
    assert bound.total <= bound.trivial * (1 + 1e-9)
    assert played.mean("regret", 0) - 3 * played.error("regret", 0) <= bound.total


def test_printed_form_fails_where_the_reference_says() -> None:
    """One arm that stays and, in each later turn, two of one turn's life, worth 0 and 1."""
    turns = 200
    spans = [(1, math.inf), *((t, t) for t in range(2, turns + 1) for _ in range(2))]
    means = [0.5, *[0.0, 1.0] * (turns - 1)]
    lifetimes, G = hs.lifetimes.fixed(spans), hs.traffic.constant(turns)
    policy = hs.SoftUCBMortal(c=1.0, unit=1.0)
    printed = bounds.regret(policy, means=means, multiplier=G, lifetimes=lifetimes, form="paper")
    played = hs.play(policy, hs.rewards.bernoulli(means=means), G, lifetimes=lifetimes)
    assert (printed.total, printed.valid, played.regret) == (0.0, False, 199.0)


def test_lives_are_for_the_theorem_that_has_them() -> None:
    lifetimes, G = hs.lifetimes.fixed([(1, 9), (2, 9)]), hs.traffic.wave(9)
    with pytest.raises(bounds.NoTheoremError, match="covers arms that stay"):
        bounds.regret(hs.SoftUCB(), means=[0.1, 0.2], multiplier=G, lifetimes=lifetimes)
    with pytest.raises(ValueError, match="drawn in every game"):
        bounds.regret(
            hs.SoftUCBMortal(),
            means=[0.1],
            multiplier=G,
            lifetimes=hs.lifetimes.birth_and_death(9, 1, 5),
        )
    with pytest.raises(ValueError, match="3 arms but 2 lifetimes"):
        bounds.regret(hs.SoftUCBMortal(), means=[0.1, 0.2, 0.3], multiplier=G, lifetimes=lifetimes)


def test_a_policy_that_does_not_know_ends_ranks_lives_otherwise() -> None:
    G, means = hs.traffic.wave(6000), [0.9, 0.1, 0.2]
    spans = [(1, math.inf), (1, 3000), (1, 3000)]
    knowing, unknowing = (
        bounds.regret(
            hs.SoftUCBMortal(c=2, unit=1),
            means=means,
            multiplier=G,
            lifetimes=hs.lifetimes.fixed(spans, known=known),
        )
        for known in (True, False)
    )
    assert unknowing.total > knowing.total  # the short-lived are explored as much


def test_an_arm_born_after_the_end_changes_nothing() -> None:
    G, spans = hs.traffic.wave(500), [(1, math.inf), (1, 100)]
    policy = hs.SoftUCBMortal(c=1, unit=1)
    late = bounds.regret(
        policy,
        means=[0.1, 0.9, 0.5],
        multiplier=G,
        lifetimes=hs.lifetimes.fixed([*spans, (600, 700)]),
    )
    assert late.total == mortal_bound([0.1, 0.9], spans, G).total
