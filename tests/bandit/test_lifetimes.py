"""Arms that expire in a live game."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import date
from typing import Any

import numpy as np
import pytest

import highseason as hs
from highseason.bandit import BanditError
from highseason.core.random import game_keys
from highseason.policies import NO_END
from highseason.policies.lifetimes import Lifetimes

pytestmark = pytest.mark.filterwarnings("ignore::highseason.policies.PlanWarning")

TURNS = 70
WAVE = hs.traffic.wave(TURNS)
#: In order of birth, as a live game meets them.
FIXED = hs.lifetimes.fixed([(1, 70), (1, 12), (1, math.inf), (3, 40), (3, 3), (15, 60), (41, 70)])
FLOW = hs.lifetimes.birth_and_death(TURNS, alive=4, life=15)
#: Their plans do not change with the number of arms, of which `play` and a live game think apart.
POLICIES = [
    "soft-ucb-mortal:unit=1",
    "soft-ucb-mortal:remaining=true,ties=random",
    "soft-ucb-mortal:initial=2",
    "ucb-l:unit=1",
    "ucb-l:xi=age,c=0.3",
    "ucb",
    "ucb-z:z=30",
    "soft-ucb:ties=random",
    "greedy",
    "cap+spare-old-arms+soft-ucb-mortal",
    "cap+soft-ucb-mortal:initial=2",
    "spare-old-arms+ucb",
    "peak-grabber:window=4,trigger=2+ucb",
    "dynamic-peak-grabber:window=3,memory=0.3+greedy",
    "windowed:window=3+soft-ucb-mortal",
    "discounted:discount=0.8+ucb-z:z=30",
]


def same_as_play(
    policy: str, lifetimes: Lifetimes, seed: int, ends_known: bool, reopened: bool = False
) -> None:
    """Add each arm at its birth; say when it expires, or remove it when it does."""
    player = hs.policies.parse(policy).counting("turns")
    rewards = hs.rewards.truncated_normal(arms=lifetimes.arms, sigma=0.3)
    game = hs.play(player, rewards, WAVE, seed=seed, lifetimes=lifetimes)
    spans = lifetimes.spans(game_keys(seed, range(1)), TURNS)[0].tolist()
    order = sorted(range(lifetimes.arms), key=lambda arm: spans[arm][0])
    assert order == list(range(lifetimes.arms))

    def expires(arm: int) -> Any:
        last = spans[arm][1] if ends_known else "unknown"
        return None if last == NO_END else last

    first = [arm for arm in order if spans[arm][0] == 1]
    ends = {arm: expires(arm) for arm in first}
    bandit = hs.Bandit(
        first, player, WAVE, reward_range=(0, 1), seed=seed, known=True, expires=ends
    )
    for t in range(1, TURNS + 1):
        for arm, (birth, _) in enumerate(spans):
            if birth == t > 1:
                bandit.add_arm(arm, when="now", expires=expires(arm))
        if not ends_known:
            for arm, (_, last) in enumerate(spans):
                if last == t - 1:
                    bandit.remove_arm(arm)
        if reopened and t % 7 == 0:
            bandit = hs.Bandit.from_json(bandit.to_json())
        assert bandit.arms == tuple(a for a, (f, e) in enumerate(spans) if f <= t <= e)
        arm = bandit.pull()
        assert arm == game.arms[t - 1], f"they part at turn {t}"
        bandit.update(arm, WAVE.values[t - 1] * game.paid[t - 1])
    assert [d.exploited for d in bandit.decisions()] == game.exploited.tolist()


@pytest.mark.parametrize("lifetimes", [FIXED, FLOW], ids=lambda lifetimes: lifetimes.name)
@pytest.mark.parametrize("policy", POLICIES)
def test_a_live_game_is_that_of_play(policy: str, lifetimes: Lifetimes) -> None:
    same_as_play(policy, lifetimes, seed=5, ends_known=True)


@pytest.mark.parametrize("policy", [policy for policy in POLICIES if "ucb-l" not in policy])
def test_a_live_game_with_arms_that_go_unannounced(policy: str) -> None:
    unknown = Lifetimes("flow", FLOW.arms, FLOW.draw, known=False)
    same_as_play(policy, unknown, seed=6, ends_known=False)


@pytest.mark.parametrize("policy", POLICIES)
def test_a_live_game_that_is_kept_and_opened_again(policy: str) -> None:
    same_as_play(policy, FIXED, seed=7, ends_known=True, reopened=True)


# -- until when ------------------------------------------------------------------------------------


def shop(policy: hs.Policy | None = None, **options: Any) -> hs.Bandit:
    policy = hs.UniformRandom() if policy is None else policy
    options = {"multiplier": [5.0] * 40, "known": True, "reward_range": (0, 1), **options}
    return hs.Bandit(["a", "b"], policy, **options)


def played(bandit: hs.Bandit, turns: range) -> dict[int, Any]:
    return {t: bandit.pull(t) for t in turns}


def test_an_arm_is_played_up_to_its_last_turn() -> None:
    bandit = shop(expires={"a": 20})
    chosen = played(bandit, range(1, 41))
    assert {chosen[t] for t in range(1, 21)} == {"a", "b"}
    assert {chosen[t] for t in range(21, 41)} == {"b"}
    assert bandit.probabilities(20)["a"] > 0
    assert bandit.arms == ("b",)


def test_the_last_turn_itself_is_its_own() -> None:
    bandit = shop(expires={"b": 3})
    assert bandit.pull(3, available=["b"]) == "b"
    with pytest.raises(BanditError, match="removed and expired arms do not count"):
        bandit.pull(4, available=["b"])


def test_expiry_by_date() -> None:
    days = np.datetime64("2026-12-01") + np.arange(40)
    bandit = shop(
        multiplier=hs.traffic.Multiplier(np.full(40, 5.0), days), expires={"a": "2026-12-20"}
    )
    bandit.add_arm("c", when="now", expires=np.datetime64("2026-12-05"))
    chosen = played(bandit, range(1, 41))
    assert max(t for t, arm in chosen.items() if arm == "a") <= 20
    assert max(t for t, arm in chosen.items() if arm == "c") <= 5
    assert {chosen[t] for t in range(21, 41)} == {"b"}


def days_from(first: str, turns: int) -> hs.traffic.Multiplier:
    return hs.traffic.Multiplier(np.full(turns, 5.0), np.datetime64(first) + np.arange(turns))


@pytest.mark.filterwarnings("ignore::highseason.traffic.CalendarWarning")
@pytest.mark.parametrize("reopened", [False, True])
def test_expiry_beyond_the_forecast_by_date(reopened: bool) -> None:
    """The turn is found when the calendar gets there, which leaves out a weekend."""
    bandit = shop(multiplier=days_from("2026-12-01", 4),
                  expires={"a": "2026-12-09", "b": np.datetime64("2026-12-20")})  # fmt: skip
    played(bandit, range(1, 5))
    assert bandit.arms == ("a", "b")
    bandit.add_arm("c", when="now", expires=date(2026, 12, 6))  # no turn: the weekend
    if reopened:
        bandit = hs.Bandit.from_json(bandit.to_json())
    for first in ("2026-12-07", "2026-12-10"):
        bandit.extend(days_from(first, 3))
    expires = bandit._game.table.ends.tolist()
    assert expires == [7, 11, 4]  # turn 5 is the 7th; b's date is still to come
    assert {bandit.pull(t) for t in range(8, 11)} == {"b"}


def test_an_arm_that_was_removed_before_its_date_stays_away() -> None:
    bandit = shop(multiplier=days_from("2026-12-01", 4), expires={"a": "2026-12-07"})
    played(bandit, range(1, 3))
    bandit.remove_arm("a")
    bandit.extend(days_from("2026-12-05", 4))
    assert bandit._game.table.ends[0] == 2


def test_expiry_beyond_the_forecast_by_turn() -> None:
    bandit = shop(expires={"a": 60})
    played(bandit, range(1, 41))
    bandit.extend([5.0] * 40)
    chosen = played(bandit, range(41, 81))
    assert "a" in {chosen[t] for t in range(41, 61)}
    assert {chosen[t] for t in range(61, 81)} == {"b"}


@pytest.mark.parametrize(
    ("expires", "message"),
    [
        (0, "expires=0 is before the first turn"),
        (-3, "expires=-3 is before the first turn"),
        (True, "expires must be a turn, from 1, .* got True"),
        ("never", "'never'"),
        (5, "expires=5 is in the past: all turns to 5 are decided"),
        (2.5, "expires must be a turn, from 1, a date .* got 2.5"),
        ("2026-12-01", "calendar|dates"),
        ([3], r"expires must be a turn, .* got \[3\]"),
    ],
    ids=str,
)
def test_invalid_expiries_are_refused(expires: Any, message: str) -> None:
    bandit = shop()
    played(bandit, range(1, 6))
    with pytest.raises(ValueError, match=message):
        bandit.add_arm("c", expires=expires)
    assert "c" not in bandit.arms


def test_an_expiry_greater_than_any_game() -> None:
    assert shop(expires={"a": 10**30}).pull() in {"a", "b"}


def test_expiries_must_name_their_arms() -> None:
    with pytest.raises(BanditError, match=r"expires must map arms to turns, .* got \[3, 4\]"):
        shop(expires=[3, 4])


def test_expiry_of_an_arm_that_is_not_there() -> None:
    with pytest.raises(BanditError, match="expires names 'z', which is not among the arms"):
        shop(expires={"z": 5})


def test_when_all_have_expired() -> None:
    bandit = shop(expires={"a": 3, "b": 4})
    played(bandit, range(1, 5))
    with pytest.raises(
        BanditError, match=r"no arm is left to play in turn 5: all have expired; add"
    ):
        bandit.pull()
    bandit.add_arm("c", when="now")
    assert bandit.pull() == "c"


# -- removed, and back again -----------------------------------------------------------------------


def test_a_removed_arm_died_in_the_last_turn_that_was_decided() -> None:
    bandit = shop(hs.policies.SpareOldArms(hs.UCB()))
    played(bandit, range(1, 11))
    bandit.remove_arm("a")
    bandit.pull(11)
    assert bandit._game.table.state.shared[0] == 10.0  # the mean life of the dead


def test_an_arm_taken_out_before_it_was_there_leaves_the_others_alone() -> None:
    bandit = shop(hs.policies.SpareOldArms(hs.UCB()), expires={"a": "unknown", "b": "unknown"})
    played(bandit, range(1, 5))
    bandit.add_arm("d", when="now")
    bandit.remove_arm("d")
    bandit.pull(5)
    assert bandit._game.table.state.shared[0] == -1.0  # no arm died


def test_arms_that_stay_are_not_taken_for_old() -> None:
    """Its bonus fades only where it is unknown when an arm will go."""
    bonuses = {}
    for end in (None, "unknown"):
        bandit = shop(hs.policies.SpareOldArms(hs.UCB()), expires={"a": end, "b": 4})
        for t in range(1, 30):
            bandit.update(bandit.pull(t), 2.0)
        game = bandit._game
        rule, (_, state, asked) = game.policy.rule, game._ask(30, None, None)
        assert rule.bonus is not None
        bonuses[end] = rule.bonus(state, asked, 0)
    assert bonuses[None] > 0.0
    assert bonuses["unknown"] == 0.0


def test_an_expired_arm_comes_back_with_what_was_learned_and_a_new_life() -> None:
    bandit = shop(hs.SoftUCBMortal(), expires={"a": 4})
    for t in range(1, 11):
        bandit.update(bandit.pull(t), 3.0)
    pulls = {row.arm: row.pulls for row in bandit.ranking()}
    assert set(pulls) == {"b"}
    with pytest.raises(BanditError, match="'b' is already in the game"):
        bandit.add_arm("b")
    bandit.add_arm("a", expires=30)
    table = bandit._game.table
    assert {row.arm for row in bandit.ranking() if row.pulls} == {"a", "b"}
    assert table.state.start.tolist() == [11, 0]
    assert {bandit.pull(t) for t in range(11, 31)} == {"a", "b"}
    assert {bandit.pull(t) for t in range(31, 41)} == {"b"}
    bandit.remove_arm("b")
    with pytest.raises(BanditError, match="is already removed"):
        bandit.remove_arm("b")


def test_a_turn_asked_late_may_be_older_than_an_arm() -> None:
    bandit = shop(hs.policies.SpareOldArms(hs.SoftUCBMortal()))
    for t in (1, 2, 20):
        bandit.update(bandit.pull(t), 2.0)
    bandit.add_arm("c", when="now", expires=35)
    bandit.update(bandit.pull(21), 2.0)
    assert bandit.pull(5) in {"a", "b", "c"}  # c was born in turn 21


# -- asking changes nothing ------------------------------------------------------------------------


@pytest.mark.parametrize("policy", ["peak-grabber:window=3,trigger=2+ucb", "soft-ucb-mortal"])
def test_asking_about_a_turn_after_a_death_removes_no_arm(policy: str) -> None:
    bandit = shop(hs.policies.parse(policy), expires={"a": 20})
    for _ in range(6):
        bandit.update(arm := bandit.pull(), 5.0 if arm == "a" else 0.0)
    before = bandit.probabilities(7)
    assert bandit.probabilities(30) == {"b": 1.0}
    assert bandit.probabilities(7) == before


def counting(policy: hs.Policy) -> tuple[hs.Policy, list[int]]:
    """The policy, and the turns at which its rule weighs the arms."""
    base, turns = policy.rule, []

    def set_weights(state: Any, clock: int, scores: Any, scale: float) -> None:
        turns.append(clock)
        base.set_weights(state, clock, scores, scale)

    class Counting(type(policy)):  # type: ignore[misc]  # of whatever kind it is
        rule = replace(base, set_weights=set_weights)

    return Counting(), turns


def test_arms_are_weighed_only_when_who_is_there_changes() -> None:
    policy, turns = counting(hs.SoftUCBMortal())
    bandit = shop(policy, expires={"a": 10})
    for t in range(1, 31):
        if t == 20:
            bandit.add_arm("c", when="now")
        if t == 25:
            bandit.remove_arm("c")
        bandit.update(bandit.pull(t), 1.0)
    assert turns == [1, 11, 20, 25]
    bandit.extend([5.0])
    played(bandit, range(31, 35))
    assert turns[4:] == [31]


# -- which policies must know ----------------------------------------------------------------------


def test_ucb_l_must_know_when_arms_expire() -> None:
    with pytest.raises(
        BanditError, match=r"ucb-l:count=visitors explores by the lifetime .* pass expires= for 'a'"
    ):
        hs.Bandit(["a"], hs.UCBL(), reward_range=(0, 1))
    bandit = hs.Bandit(["a", "b"], hs.UCBL(), reward_range=(0, 1), expires={"a": 9, "b": 20})
    with pytest.raises(BanditError, match="pass expires= for 'c'"):
        bandit.add_arm("c")
    with pytest.raises(BanditError, match="ucb-l"):
        hs.Bandit(["a"], hs.policies.PeakGrabber(hs.UCBL()), reward_range=(0, 1))
    assert hs.Bandit(["a"], hs.UCBL(), [5.0], reward_range=(0, 1)).pull() == "a"
    with pytest.raises(BanditError, match="pass expires= for 'a'"):
        shop(hs.UCBL(), expires={"a": "unknown"})


def test_to_ucb_l_a_life_ends_with_the_forecast_as_far_as_it_goes() -> None:
    bandit = shop(hs.UCBL(), expires={"a": 60})
    bandit.pull()
    assert bandit._game.table.state.end.tolist() == [40, 40]
    bandit.extend([5.0] * 40)
    bandit.pull()
    assert bandit._game.table.state.end.tolist() == [60, 80]


def test_a_late_reward_does_not_hold_an_arm_that_is_gone() -> None:
    bandit = shop(hs.policies.PeakGrabber(hs.UCB(), window=2, trigger=1.5), expires={"a": 6})
    for t in (1, 3):
        bandit.pull(t, available=["a"])
    for t in (2, 7, 8):
        bandit.update(bandit.pull(t, available=["b"]), 1.0)
    bandit.update("a", 5.0, t=1)
    bandit.update("a", 5.0, t=3)  # a run, of one that died two turns ago
    assert bandit._game.table.state.shared[0] == 0.0


def test_without_a_multiplier_lives_are_ranked_by_their_turns() -> None:
    ends = {"short": 9, "long": 50}
    bandit = hs.Bandit(["short", "long", "stays"], hs.SoftUCBMortal(c=3), reward_range=(0, 1),
                       expires=ends)  # fmt: skip
    bandit.pull(expected=5.0)
    assert bandit._game.table.state.weight.tolist() == pytest.approx([1.0, 2.0, 3.0])
    for _ in range(599):  # arms that never expire tie, however late they came
        bandit.pull(expected=5.0)
    bandit.add_arm("may go", when="now", expires="unknown")  # taken to live to the end
    bandit.pull(expected=5.0)
    assert bandit._game.table.state.weight.tolist()[2:] == pytest.approx([3.0, 3.0])


# -- documents -------------------------------------------------------------------------------------


def test_a_document_keeps_lifetimes() -> None:
    bandit = shop(hs.policies.parse("peak-grabber+spare-old-arms+soft-ucb-mortal:initial=1"),
                  expires={"a": 9})  # fmt: skip
    twin = hs.Bandit.from_json(bandit.to_json())
    assert twin.to_json() == bandit.to_json()
    assert [twin.pull(t) for t in range(1, 15)] == [bandit.pull(t) for t in range(1, 15)]
