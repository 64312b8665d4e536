"""Arms that come and go."""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import highseason as hs
from highseason.bandit import BanditError, Lifetime, Ranked
from highseason.bandit.season import ArmTable, lifetime_of, source_of
from highseason.policies import UNKNOWN_END

#: Turns 3, 4, 7 and 8 are busy.
G = [10.0, 10.0, 90.0, 90.0, 10.0, 10.0, 90.0, 90.0, 10.0, 10.0]
BUSY = {3, 4, 7, 8}


def shop(policy: hs.Policy | None = None, multiplier: Any = None, **options: Any) -> hs.Bandit:
    policy = hs.Greedy() if policy is None else policy
    bandit = hs.Bandit(["a", "b"], policy, G if multiplier is None else multiplier, **options)
    for t in (1, 2):
        bandit.update(bandit.pull(t), 50.0, visitors=10.0)
    return bandit


def first_turn(bandit: hs.Bandit, arm: Any) -> int:
    for t in range(3, 11):
        if bandit.pull(t) == arm:
            return t
    return 0


def test_a_new_arm_is_first_tried_on_the_next_low_turn() -> None:
    bandit = shop()
    bandit.add_arm("new")
    assert bandit.probabilities(3)["new"] == 0.0
    assert first_turn(bandit, "new") == 5


def test_a_new_arm_is_tried_at_once_with_when_now() -> None:
    bandit = shop()
    bandit.add_arm("new", when="now")
    assert first_turn(bandit, "new") == 3


def test_each_of_several_new_arms_waits_for_a_low_turn() -> None:
    bandit = shop(hs.UniformRandom())
    arms = ["x", "y", "z"]
    for arm in arms:
        bandit.add_arm(arm)
    tried: dict[Any, int] = {}
    for t in range(3, 11):
        tried.setdefault(bandit.pull(t), t)
    assert [tried[arm] for arm in arms] == [5, 6, 9]


def test_once_tried_an_arm_is_played_on_any_turn() -> None:
    bandit = shop()
    bandit.add_arm("new")
    bandit.update(bandit.pull(5), 9000.0, visitors=10.0)
    assert [bandit.pull(t) for t in (6, 7, 8)] == ["new"] * 3


@pytest.mark.parametrize(
    ("policy", "low"),
    [(hs.UCBZ(z=95), 3), (hs.UCBZ(z=20), 5), (hs.UCBZ(z="0.05*max"), 5), (hs.UCB(), 5)],
)
@pytest.mark.filterwarnings("ignore::highseason.traffic.ThresholdWarning")
@pytest.mark.filterwarnings("ignore::highseason.policies.PlanWarning")
def test_what_is_low_is_the_policys_business(policy: hs.Policy, low: int) -> None:
    bandit = shop(policy, reward_range=(0, 12))
    bandit.add_arm("new")
    assert first_turn(bandit, "new") == low


def test_where_the_stakes_never_change_there_is_nothing_to_wait_for() -> None:
    bandit = shop(multiplier=[10.0] * 10)
    bandit.add_arm("new")
    assert bandit.pull() == "new"


def test_a_held_arm_is_played_where_there_is_no_other() -> None:
    bandit = shop()
    bandit.add_arm("new")
    assert bandit.pull(3, available=["new"]) == "new"
    bandit = shop()
    bandit.add_arm("new")
    bandit.remove_arm("a")
    bandit.remove_arm("b")
    assert bandit.pull(3) == "new"


def test_no_low_turn_left_is_worth_a_warning() -> None:
    bandit = shop(multiplier=[10.0, 10.0, 90.0, 90.0])
    with pytest.warns(hs.policies.PlanWarning, match=r"no low turn is left.*'new'.*when='now'"):
        bandit.add_arm("new")
    bandit.extend([80.0, 9.0])
    assert [bandit.pull(t) for t in (3, 4, 6)] == ["a", "a", "new"]


def test_a_warning_made_an_error_adds_nothing() -> None:
    bandit = shop(multiplier=[10.0, 10.0, 90.0, 90.0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(hs.policies.PlanWarning):
            bandit.add_arm("new")
    assert bandit.arms == ("a", "b")


def test_new_arms_without_a_multiplier() -> None:
    bandit = hs.Bandit(["a"], hs.Greedy())
    for visitors in (10.0, 12.0, 14.0):
        bandit.update(bandit.pull(expected=visitors), 1.0, visitors=visitors)
    bandit.add_arm("new")
    assert bandit.pull(expected=90.0) == "a"
    assert bandit.pull(expected=11.0) == "new"


def test_a_removed_arm_is_never_played_again() -> None:
    bandit = shop(hs.UniformRandom(), [10.0] * 200)
    bandit.remove_arm("a")
    assert {bandit.pull() for _ in range(150)} == {"b"}
    assert bandit.arms == ("b",)
    assert bandit.probabilities() == {"b": 1.0}
    assert [row.arm for row in bandit.ranking()] == ["b"]


def test_late_rewards_of_a_removed_arm_are_kept_for_its_return() -> None:
    bandit = hs.Bandit(["a", "b"], hs.Greedy(), G)
    for t in (1, 2):
        bandit.pull(t)
    bandit.remove_arm("a")
    bandit.update("a", 70.0, t=1, visitors=10.0)
    bandit.update("b", 20.0, t=2, visitors=10.0)
    assert bandit.pull(3) == "b"
    bandit.add_arm("a")  # it was tried before: nothing to hold back
    assert bandit.ranking()[0] == Ranked("a", 7.0, 1)
    assert bandit.pull(4) == "a"


def test_a_decided_turn_of_a_removed_arm_is_still_repeated() -> None:
    bandit = shop()
    bandit.remove_arm("a")
    assert (bandit.pull(1), bandit.decision(1).arm) == ("a", "a")
    assert bandit.probabilities(1) == {"a": 1.0, "b": 0.0}


def test_the_last_arm_may_go_and_pull_then_says_so() -> None:
    bandit = shop()
    bandit.remove_arm("a")
    bandit.remove_arm("b")
    twin = hs.Bandit.from_json(bandit.to_json())
    for empty in (bandit, twin):
        with pytest.raises(BanditError, match="add_arm"):
            empty.pull()
        assert empty.ranking() == []
        empty.add_arm("b", when="now")
        assert empty.pull() == "b"


@pytest.mark.parametrize(
    ("call", "why"),
    [
        (lambda b: b.add_arm("a"), "'a' is already in the game"),
        (lambda b: b.add_arm("c", when="soon"), "'low' or 'now'"),
        (lambda b: b.add_arm(["c"]), "hashable"),
        (lambda b: b.remove_arm("x"), "no arm 'x'. Choose from: a, b"),
        (lambda b: (b.remove_arm("a"), b.remove_arm("a")), "already removed"),
    ],
)
def test_wrong_comings_and_goings(call: Any, why: str) -> None:
    with pytest.raises(BanditError, match=why):
        call(shop())


def test_a_mistyped_arm_is_guessed() -> None:
    bandit = hs.Bandit(["price-9.99", "price-10.99"], hs.Greedy(), G)
    with pytest.raises(BanditError, match=r"Did you mean 'price-10\.99'"):
        bandit.update("price-10,99", 1.0)


@pytest.mark.parametrize(
    ("arms", "given", "why"),
    [
        ([1, 2], "1", "no arm '1'. There is 1, of type int: give that, not the type str"),
        (
            ["1", "2"],
            1,
            "there is no arm 1. There is '1', of type str: give that, not the type int",
        ),
        ([9.99, 10.99], "9.99", "There is 9.99, of type float: give that, not the type str"),
    ],
)
def test_an_arm_of_another_type_is_said_to_be_one(arms: Any, given: Any, why: str) -> None:
    bandit = hs.Bandit(arms, hs.Greedy(), G)
    for call in (
        lambda: bandit.fit([(given, 1.0, None, 1)]),
        lambda: bandit.update(given, 1.0),
        lambda: bandit.pull(available=[given]),
        lambda: bandit.remove_arm(given),
    ):
        with pytest.raises(BanditError, match=re.escape(why)):
            call()


def test_a_thousand_arms_are_started_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """One by one, each would compute the prior and copy the table: 10,000 took 17 seconds."""
    made = list[int]()
    fresh_state = hs.policies.Rule.fresh_state

    def counting(rule: hs.policies.Rule, arms: int) -> Any:
        made.append(arms)
        return fresh_state(rule, arms)

    monkeypatch.setattr(hs.policies.Rule, "fresh_state", counting)
    bandit = hs.Bandit(range(1000), "option-index", G, reward_range=(0, 1))
    assert len(made) < 5
    assert bandit.arms == tuple(range(1000))


@pytest.mark.parametrize("name", ["option-index", "ucb", "thompson", "soft-ucb-mortal"])
def test_arms_that_start_at_once_are_those_that_came_one_by_one(name: str) -> None:
    policy = hs.policies.parse(name)
    whole, single = (
        ArmTable(policy, source_of(policy, hs.traffic.as_multiplier(G), False)) for _ in range(2)
    )
    whole.grow(["a", "b", "a", "c"])
    for arm in "abc":
        single.grow([arm])
    assert whole.ids == single.ids == ["a", "b", "c"]
    for one, other in zip(whole.state, single.state, strict=True):
        assert one.dtype == other.dtype
        assert np.array_equal(one, other)


def test_numpy_ids_are_python_ids() -> None:
    bandit = hs.Bandit(np.array([9.99, 10.99]), hs.Greedy(), G)
    assert type(bandit.pull()) is float
    bandit.update(np.float64(9.99), 1.0, visitors=1)
    assert hs.Bandit.from_json(bandit.to_json()).arms == (9.99, 10.99)


# a rule with a memory of its own


def remember(state: Any, turn: Any, observation: Any) -> None:
    arm, value, _ = observation
    state.memory[arm, 0] = max(state.memory[arm, 0], value)
    state.memory[arm, 1] += 1
    state.pulls[arm] += 1


def start(state: Any) -> None:
    state.memory[:, 0] = -1.0


def best_ever(state: Any, turn: Any) -> tuple[int, bool]:
    values = np.where(state.available, state.memory[:, 0], -np.inf)
    return int(values.argmax()), True


BEST_EVER = hs.policies.Rule(
    "best-ever", best_ever, lambda b, t, m: 0.0 * b, remember, start, memory=2
)


@dataclass(frozen=True)
class BestEver(hs.Policy):
    rule = BEST_EVER
    suppress_plan_warning = True

    def step(self, carry: Any, view: Any) -> tuple[float, Any]:
        return 0.0, carry


def test_a_rules_memory_starts_for_the_newcomer_alone_and_is_kept() -> None:
    bandit = hs.Bandit(["a", "b"], BestEver(), G)
    bandit.update(bandit.pull(), 20.0, visitors=10.0)
    bandit.add_arm("c", when="now")
    bandit = hs.Bandit.from_json(bandit.to_json(), policy=BestEver())
    assert bandit._game.table.state.memory.tolist() == [[2.0, 1.0], [-1.0, 0.0], [-1.0, 0.0]]
    assert bandit.pull() == "a"
    assert bandit.pull(available=["b", "c"]) == "b"


def test_an_arm_is_in_the_game_until_its_last_turn_is_decided() -> None:
    bandit = shop()
    bandit.add_arm("new", when="now", expires=3)
    with pytest.raises(BanditError, match="already in the game"):
        bandit.add_arm("new")
    assert bandit.pull(3) == "new"
    bandit.add_arm("new", expires=4)
    with pytest.raises(BanditError, match="already in the game"):
        bandit.add_arm("new")


def test_a_lifetime_beyond_all_turns_is_not_taken_for_an_unknown_one() -> None:
    for expires, end in ((UNKNOWN_END - 1, UNKNOWN_END - 1), (10**30, UNKNOWN_END - 1)):
        assert lifetime_of("a", expires, hs.Greedy(), None, 0) == Lifetime(end)  # type: ignore[arg-type]  # text too
