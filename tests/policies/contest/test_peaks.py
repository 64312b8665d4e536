"""A peak grabber grabs peaks, and lets go."""

from __future__ import annotations

import pytest
from tests.policies.story import Story, clicks

from highseason.policies import EPSILON, UCB_RULE, Rule
from highseason.policies.contest import dynamic_peak_grabber, peak_grabber

GRABBER = peak_grabber(EPSILON, 100, 9.0)


def on_a_run(grabber: Rule = GRABBER) -> Story:
    """Arm 2 has 9 clicks of 100, the others have none; the rule within would explore (ε = 1)."""
    story = Story(grabber, 3, number=1.0)
    story.tell(0, clicks(0, 100))
    story.tell(1, clicks(0, 100))
    story.tell(2, clicks(9, 100))
    return story


# -- at 9 of 100 -----------------------------------------------------------------------------------


def test_nine_clicks_of_a_hundred_are_grabbed() -> None:
    assert on_a_run().ask() == (2, True)


def test_eight_are_not() -> None:
    story = Story(GRABBER, 3, number=0.0)
    for arm in (0, 1, 2):
        story.tell(arm, clicks(8, 100))
    assert story.ask() == (0, True)  # the rule within, which is greedy here
    assert story.state.shared[0] == 0.0


def test_only_the_last_hundred_displays_count() -> None:
    story = Story(GRABBER, 2)
    story.tell(0, clicks(0, 1))
    for _ in range(3):
        story.tell(1, clicks(8, 100))  # 24 in all, never more than 8 in the window
        assert story.state.shared[0] == 0.0
    story.tell(1, [1.0] * 9)
    assert story.state.shared[0] == 2.0


def test_nothing_is_explored_meanwhile() -> None:
    story = on_a_run()
    for _ in range(20):
        assert story.ask() == (2, True)
        story.tell(2, [0.0])


def test_the_arm_that_is_held_is_shown_first() -> None:
    story = Story(GRABBER, 3)
    story.tell(1, clicks(5, 100))
    story.tell(0, clicks(0, 900))
    story.tell(0, clicks(10, 100))
    assert story.ask() == (0, True)
    assert [arm for arm, _ in GRABBER.standings(story.state, -1)] == [0, 1, 2]
    story.tell(2, clicks(12, 100))
    assert story.ask() == (2, True)
    story.dies(2)  # the next best on a run is played, but another one leads
    assert story.ask() == (0, False)


# -- letting go ------------------------------------------------------------------------------------


def test_it_is_held_below_the_trigger_while_no_other_arm_is_better() -> None:
    story = on_a_run()
    story.tell(2, [0.0] * 5)  # the oldest leave the window: 4 clicks are left
    assert story.state.memory[2, 1:101].sum() == 4.0
    assert story.ask() == (2, True)
    story.tell(2, [0.0] * 4)
    assert story.ask() == (2, True)  # none at all, but no other arm has more


def test_it_is_let_go_when_another_arms_estimate_is_higher() -> None:
    story = Story(GRABBER, 3, number=0.0)
    story.tell(0, clicks(5, 100))  # estimate 0.05
    story.tell(1, clicks(0, 100))
    story.tell(2, clicks(9, 100))
    story.tell(2, [0.0] * 4)  # window mean 0.05: as good as the other, not below it
    assert story.state.shared[0] == 3.0
    story.tell(2, [0.0])  # window mean 0.04, though its estimate, 9 of 105, is still the highest
    assert story.state.shared[0] == 0.0


def test_an_arm_that_is_not_there_releases_no_arm() -> None:
    story = on_a_run()
    story.tell(0, [1.0] * 30)  # estimate 0.23
    assert story.ask()[0] == 0  # whose own window has 30 now
    story = on_a_run()
    story.dies(0)
    story.state.sums[0] = 90.0
    story.tell(2, [0.0] * 3)
    assert story.ask() == (2, True)


def test_it_is_let_go_when_it_dies() -> None:
    story = on_a_run()
    story.number = 0.0
    story.dies(2)
    assert story.ask() == (0, True)  # the greedy rule within
    story.tell(0, [0.0])
    assert story.state.shared[0] == 0.0


def test_when_it_dies_the_next_best_run_is_held_at_once() -> None:
    story = on_a_run()
    story.state.shared[0] = 0.0
    story.tell(1, clicks(12, 100))
    assert story.ask() == (1, True)
    story.dies(1)
    assert story.ask() == (2, True)


def test_of_several_the_highest_window_mean_is_held() -> None:
    story = Story(GRABBER, 4, number=1.0)
    for arm, count in enumerate((9, 12, 11, 3)):
        story.tell(arm, clicks(count, 100))
        story.state.shared[0] = 0.0  # as if no arm had been held on the way
    story.tell(3, [0.0])
    assert story.ask() == (1, True)


def test_a_trigger_below_another_arms_estimate_does_not_grab() -> None:
    story = Story(GRABBER, 2, number=0.0)
    story.tell(0, [1.0, 0.0] * 4)  # 4 clicks of 8: no trigger, an estimate of 0.5
    story.tell(1, clicks(9, 100))
    assert story.ask() == (0, True)
    assert story.state.shared[0] == 0.0


def test_the_rule_within_learns_as_always() -> None:
    story, plain = on_a_run(), Story(EPSILON, 3)
    plain.tell(0, clicks(0, 100))
    plain.tell(1, clicks(0, 100))
    plain.tell(2, clicks(9, 100))
    assert story.state.pulls.tolist() == plain.state.pulls.tolist()
    assert story.state.sums.tolist() == plain.state.sums.tolist()


# -- the dynamic one -------------------------------------------------------------------------------


DYNAMIC = dynamic_peak_grabber(EPSILON, 4, 1.15, 0.5)


def test_the_rate_of_all_starts_at_the_first_reward_and_moves() -> None:
    story = Story(DYNAMIC, 2)
    rates = []
    for arm, value in ((0, 0.8), (1, 0.0), (0, 1.0)):
        story.tell(arm, [value])
        rates.append(float(story.state.shared[1]))
    assert rates == pytest.approx([0.8, 0.4, 0.7])


def test_the_contests_memory() -> None:
    story = Story(dynamic_peak_grabber(EPSILON, 100, 1.15, 0.01), 1)
    story.tell(0, [1.0, 0.0, 0.0])
    assert float(story.state.shared[1]) == pytest.approx(0.99**2)


def test_it_grabs_what_is_15_per_cent_above_the_rate_of_all() -> None:
    # The window of arm 1 is 0.5; the rate of all is set by the last display of arm 0.
    for rate, grabbed in ((0.50 / 1.15 - 1e-3, True), (0.50 / 1.15 + 1e-3, False)):
        story = Story(DYNAMIC, 2, number=0.0)
        story.tell(1, [0.5] * 4)
        story.tell(0, [2 * rate - 0.5])  # (0.5 + x) / 2 = rate
        assert float(story.state.shared[1]) == pytest.approx(rate)
        assert bool(story.state.shared[0] == 2.0) is grabbed


def test_an_arm_counts_only_with_a_full_window() -> None:
    story = Story(DYNAMIC, 2, number=0.0)
    story.tell(0, [0.1] * 4)
    story.tell(1, [0.9] * 3)
    story.tell(0, [0.1] * 2)
    assert story.state.shared[0] == 0.0
    story.tell(1, [0.9])
    story.tell(0, [0.1] * 2)  # the rate of all falls, and arm 1 is well above it
    assert story.ask() == (1, True)


def test_it_is_let_go_below_the_line() -> None:
    story = Story(DYNAMIC, 2, number=0.0)
    story.tell(1, [0.6] * 4)
    story.tell(0, [0.1] * 4)
    assert story.ask() == (1, True)
    story.tell(1, [0.6] * 3)  # the rate of all comes up to its own
    assert story.state.shared[0] == 0.0
    assert story.ask()[0] == 1  # as the greedy rule within says


def test_a_rate_of_zero_is_no_peak() -> None:
    story = Story(DYNAMIC, 2, number=0.0)
    story.tell(0, [0.0] * 6)
    story.tell(1, [0.0] * 6)
    assert story.state.shared[0] == 0.0


def test_one_grabber_around_another_keeps_both_memories_apart() -> None:
    inner = peak_grabber(UCB_RULE, 3, 2.0)
    outer = dynamic_peak_grabber(inner, 4, 1.15, 0.5)
    assert outer.memory == (3 + 1) + (4 + 1)
    assert outer.shared == 6 + 6
    story, alone = Story(outer, 2), Story(inner, 2)
    for player in (story, alone):
        player.tell(0, [0.1, 0.2, 0.3, 0.4, 0.5])
        player.tell(1, [0.6])
    assert story.state.memory[:, :4].tolist() == alone.state.memory.tolist()
    assert story.state.shared[:6].tolist() == alone.state.shared.tolist()
    assert story.state.memory[0, 4:].tolist() == [5.0, 0.5, 0.2, 0.3, 0.4]


# -- ties ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("grabber", [GRABBER, dynamic_peak_grabber(UCB_RULE, 100, 1.1, 0.01)])
@pytest.mark.parametrize("random_ties", [False, True])
def test_runs_that_tie_are_broken_as_ties_says(grabber: Rule, random_ties: bool) -> None:
    held = set()
    for seed in range(16):
        story = Story(grabber, 4, number=0.0, random_ties=random_ties, seed=seed)
        story.tell(3, clicks(0, 120))
        for arm in (0, 1, 2):
            story.state.available[arm] = False
            story.tell(arm, clicks(20, 100))  # while away, no run begins
        story.state.available[:] = True
        story.tell(3, [0.0])
        held.add(story.ask()[0])
    assert held == ({0, 1, 2} if random_ties else {0})


def test_when_the_held_arm_is_away_ties_are_shared() -> None:
    story = Story(GRABBER, 3, number=1.0, random_ties=True)
    story.tell(2, clicks(30, 100))
    for arm in (0, 1):
        story.state.available[arm] = False
        story.tell(arm, clicks(20, 100))
    story.state.available[:] = [True, True, False]
    assert GRABBER.probabilities is not None
    turns = [story.turn()._replace(key=key) for key in range(200)]
    chosen = [GRABBER.choose(story.state, turn)[0] for turn in turns]
    assert {chosen.count(arm) > 60 for arm in (0, 1)} == {True}
    assert GRABBER.probabilities(story.state, turns[0]).tolist() == [0.5, 0.5, 0.0]
