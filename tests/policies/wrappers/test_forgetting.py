"""Estimates that forget: computed by hand, and nothing new where nothing is forgotten."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.policies.story import Story

import highseason as hs
from highseason.policies import EPSILON, UCB_RULE, estimate
from highseason.policies.contest import peak_grabber
from highseason.policies.wrappers import discounted, windowed

VALUES = st.lists(st.floats(0, 1), min_size=1, max_size=30)


def test_three_rewards_by_hand() -> None:
    """1, 0, 1 with weights of 1/4, 1/2, 1; or only the last two."""
    fading, short = Story(discounted(EPSILON, 0.5), 1), Story(windowed(EPSILON, 2), 1)
    for story in (fading, short):
        story.tell(0, [1.0, 0.0, 1.0])
    assert (fading.state.pulls[0], fading.state.sums[0]) == (1.75, 1.25)
    assert (short.state.pulls[0], short.state.sums[0]) == (2.0, 1.0)


@given(VALUES, st.sampled_from([0.5, 0.9, 0.99]))
def test_a_discounted_estimate_is_a_weighted_mean(values: list[float], discount: float) -> None:
    story = Story(discounted(EPSILON, discount), 2)
    story.tell(1, values)
    weights = [discount**age for age in range(len(values))][::-1]
    by_hand = sum(w * x for w, x in zip(weights, values, strict=True)) / sum(weights)
    assert estimate(story.state, 1) == pytest.approx(by_hand)
    assert story.state.pulls.tolist() == pytest.approx([0.0, sum(weights)])
    assert story.state.selections.tolist() == [0, len(values)]


@given(VALUES, st.integers(1, 8))
def test_a_windowed_estimate_is_the_mean_of_the_last(values: list[float], window: int) -> None:
    story = Story(windowed(EPSILON, window), 2)
    story.tell(1, values)
    last = values[-window:]
    assert estimate(story.state, 1) == pytest.approx(sum(last) / len(last))
    assert story.state.pulls.tolist() == [0.0, len(last)]


def test_a_window_keeps_no_rounding_errors() -> None:
    story = Story(windowed(EPSILON, 2), 1)
    story.tell(0, [1e16, 0.1, 0.1])
    assert estimate(story.state, 0) == 0.1


def test_by_hand() -> None:
    fading = Story(discounted(EPSILON, 0.5), 1)
    fading.tell(0, [1.0, 0.0, 1.0])
    assert fading.state.pulls[0] == 1.75
    assert fading.state.sums[0] == 1.25
    kept = Story(windowed(EPSILON, 2), 1)
    kept.tell(0, [1.0, 0.0, 0.5])
    assert kept.state.sums[0] == 0.5


def test_a_drifting_arm_is_noticed() -> None:
    """Arm 0 was good for long and is not any more; arm 1 is mediocre throughout."""
    plain, fading = Story(EPSILON, 2), Story(discounted(EPSILON, 0.9), 2)
    for story in (plain, fading, kept := Story(windowed(EPSILON, 20), 2)):
        story.tell(0, [0.9] * 300)
        story.tell(1, [0.5] * 10)
        story.tell(0, [0.1] * 30)
    assert plain.ask() == (0, True)
    assert fading.ask() == (1, True)
    assert kept.ask() == (1, True)


def test_a_bonus_widens_again() -> None:
    story = Story(windowed(UCB_RULE, 5), 1, number=1.0)
    story.tell(0, [0.5] * 100)
    assert UCB_RULE.bonus is not None
    assert UCB_RULE.bonus(story.state, story.turn(), 0) == pytest.approx(5**-0.5)


@pytest.mark.parametrize(
    "wrapper",
    [
        lambda base: hs.Discounted(base, discount=1),
        lambda base: hs.Windowed(base, window=10_000),
    ],
    ids=["discount of 1", "window over all"],
)
@pytest.mark.parametrize("base", [hs.UCB(), hs.EpsilonGreedy(k=2), hs.SoftUCBMortal()], ids=str)
def test_who_forgets_nothing_plays_as_before(wrapper: object, base: hs.Policy) -> None:
    policy = wrapper(base)  # type: ignore[operator]  # a function of a policy
    rewards, G = hs.rewards.truncated_normal(arms=6, sigma=0.3), hs.traffic.wave(150)
    for seed in range(4):
        game = hs.play(policy, rewards, G, seed=seed)
        assert game.arms.tolist() == hs.play(base, rewards, G, seed=seed).arms.tolist()


def test_what_does_not_keep_a_plain_average_is_refused() -> None:
    for made in (discounted, windowed):
        with pytest.raises(ValueError, match="put the forgetting around the innermost policy"):
            made(peak_grabber(UCB_RULE, 5, 2.0), 1)
    with pytest.raises(ValueError, match="a window changes how a plain average is kept"):
        windowed(discounted(UCB_RULE, 0.9), 5)
