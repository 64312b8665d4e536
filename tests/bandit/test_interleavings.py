"""Any interleaving of operations, reloaded anywhere in any way, gives the same decisions."""

from __future__ import annotations

import copy
import itertools
import math
import pickle
import warnings
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

import highseason as hs
from highseason.bandit import MemoryStore, event_from_json, event_to_json


def from_event_text(bandit: hs.Bandit) -> hs.Bandit:
    lines = [event_to_json(event) for event in bandit.store]
    return hs.Bandit.from_events(MemoryStore(map(event_from_json, lines)))


#: The ways in which a bandit is kept and comes back.
RELOADS: list[Callable[[hs.Bandit], hs.Bandit]] = [
    lambda bandit: hs.Bandit.from_json(bandit.to_json()),
    lambda bandit: hs.Bandit.from_events(MemoryStore(bandit.store)),
    from_event_text,
    lambda bandit: pickle.loads(pickle.dumps(bandit)),
    copy.deepcopy,
]

ARMS = ["a", "b", "c", "d", ("e", 1)]
POLICIES = [
    hs.EpsilonGreedy(k=1, ties="random"),
    hs.EpsilonZGreedy(k=2),
    hs.SoftEpsilonGreedy(k=2),
    hs.UCBZ(),
    hs.SoftUCB(ties="random"),
    hs.VariablePool(c=20, ties="random"),
    hs.policies.NaiveUCB(),
    hs.SoftUCBMortal(initial=1),
    hs.policies.SpareOldArms(hs.UCB()),
    hs.policies.PeakGrabber(hs.EpsilonGreedy(k=1), window=2, trigger=1.0),
]

PRICES = [9.99, 8.99, "10,99", 12, 7.5]
PRICE_POLICIES = [
    "price-curve",
    "price-curve:ties=random",
    "limit-switching:stay=2+price-curve",
    hs.EpsilonGreedy(k=1, ties="random"),
    hs.policies.NaiveUCB(),
    hs.policies.SpareOldArms(hs.UCB()),
    "thompson",
]

arms = st.sampled_from(ARMS)
prices = st.sampled_from([*PRICES, "9.99", 10.99])
purchases = st.sampled_from([0, 1, 2, 3.0, 1.5, math.nan])
turns = st.integers(1, 14) | st.none()
rewards = st.sampled_from([0.0, 1.0, 2.5, 7.0, math.nan])
visitor_counts = st.sampled_from([None, 0.0, 1.0, 3.0, -1.0])
expected = st.sampled_from([None, 1.0, 5.0, 40.0])
ENDS = [None, None, "unknown", 5, 9, 12]


class Twins(RuleBasedStateMachine):
    """One bandit plays on; its twin is kept and reloaded before every step, each time otherwise."""

    @initialize(
        policy=st.sampled_from(POLICIES),
        G=st.lists(st.sampled_from([1.0, 5.0, 40.0]), min_size=2, max_size=9) | st.none(),
        known=st.booleans(),
        seed=st.integers(0, 99),
    )
    def begin(self, policy: Any, G: list[float] | None, known: bool, seed: int) -> None:
        options = {"seed": seed, "known": known and G is not None}
        self.has_multiplier = G is not None
        self.one, self.twin = (self.started(policy, G, options) for _ in range(2))
        self.reloads = itertools.cycle(RELOADS)
        self.decided: dict[int, Any] = {}

    def started(self, policy: Any, G: Any, options: dict[str, Any]) -> hs.Bandit:
        return hs.Bandit(ARMS[:2], policy, G, reward_range=(0, 3), **options)

    def both(self, act: Callable[[hs.Bandit], Any]) -> Any:
        self.twin = next(self.reloads)(self.twin)
        before = self.one.to_json()
        answers = []
        for bandit in (self.one, self.twin):
            try:
                answers.append(act(bandit))
            except ValueError as error:
                answers.append((type(error), str(error)))
        assert answers[0] == answers[1]
        if isinstance(answers[0], tuple) and isinstance(answers[0][0], type):
            assert self.one.to_json() == before, "an error must not change anything"
            return None
        return answers[0]

    @rule(t=turns, available=st.none() | st.lists(arms, max_size=3), belief=expected)
    def pull(self, t: int | None, available: list[Any] | None, belief: float | None) -> None:
        belief = None if self.has_multiplier else belief
        chances = self.both(lambda b: b.probabilities(t, available, belief))
        decision = self.both(lambda b: b.decide(t, available, belief))
        assert (chances is None) == (decision is None)
        if decision is not None:
            assert math.isclose(sum(chances.values()), 1.0)
            assert decision.probability == chances[decision.arm] > 0.0
            known = self.decided.setdefault(decision.turn, decision)
            assert (known.arm, known.probability) == (decision.arm, decision.probability)

    @rule(arm=arms, reward=rewards, t=turns, visitors=visitor_counts)
    def update(self, arm: Any, reward: float, t: int | None, visitors: float | None) -> None:
        self.both(lambda b: b.update(arm, reward, t, visitors))

    @rule(reward=rewards, visitors=visitor_counts, back=st.integers(0, 3))
    def update_decided(self, reward: float, visitors: float | None, back: int) -> None:
        if back < len(self.decided):
            decision = self.decided[sorted(self.decided)[-1 - back]]
            self.both(lambda b: b.update(decision.arm, reward, decision.turn, visitors))

    @rule(rows=st.lists(st.tuples(arms, rewards, turns, visitor_counts), max_size=3))
    def update_many(self, rows: list[Any]) -> None:
        self.both(lambda b: b.update_many(rows))

    @rule(t=st.integers(1, 14), value=st.sampled_from([0.0, 2.0, 6.0]))
    def visitors(self, t: int, value: float) -> None:
        self.both(lambda b: b.count_visitors(t, value))

    @rule(arm=arms, when=st.sampled_from(["low", "now"]), expires=st.sampled_from(ENDS))
    def add_arm(self, arm: Any, when: Any, expires: Any) -> None:
        self.both(lambda b: b.add_arm(arm, when, expires))

    @rule(arm=arms)
    def remove_arm(self, arm: Any) -> None:
        self.both(lambda b: b.remove_arm(arm))

    @rule(more=st.lists(st.sampled_from([0.5, 5.0, 80.0]), min_size=1, max_size=3))
    def extend(self, more: list[float]) -> None:
        self.both(lambda b: b.extend(more))

    @rule(
        forecast=st.lists(st.sampled_from([0.5, 5.0, 80.0]), min_size=1, max_size=8),
        first=st.sampled_from([None, 2, 5]),
    )
    def reforecast(self, forecast: list[float], first: int | None) -> None:
        self.both(lambda b: b.reforecast(forecast, first))

    @rule(most=st.sampled_from([1.0, 3.0, 8.0]))
    def change_worth(self, most: float) -> None:
        self.both(lambda b: b.change_worth(reward_range=(0, most)))

    @invariant()
    def all_is_well(self) -> None:
        if not hasattr(self, "one"):
            return
        assert self.one.to_json() == self.twin.to_json()
        assert self.one.ranking() == self.twin.ranking()
        again = hs.Bandit.from_events(MemoryStore(self.one.store))
        assert again.to_json() == self.one.to_json()
        log = self.one.decisions()
        assert {d.turn: d.arm for d in log} == {t: d.arm for t, d in self.decided.items()}
        state = self.one._game.table.state
        learned = [d for d in log if d.reward is not None and d.visitors]
        assert state.selections.sum() == len(log)
        assert (state.pulls > 0.0).sum() == len({d.arm for d in learned})
        waiting = [d.turn for d in log if d.reward is not None and d.visitors is None]
        assert [d.turn for d in self.one.pending] == waiting
        open_ = [d.turn for d in log if d.reward is None and d.visitors != 0]
        assert [d.turn for d in self.one.unrewarded] == open_


class PricedTwins(Twins):
    """The same with prices: purchases are reported, and what they are worth changes."""

    @initialize(
        policy=st.sampled_from(PRICE_POLICIES),
        G=st.lists(st.sampled_from([1.0, 5.0, 40.0]), min_size=2, max_size=9) | st.none(),
        known=st.booleans(),
        seed=st.integers(0, 99),
    )
    def begin(self, policy: Any, G: list[float] | None, known: bool, seed: int) -> None:
        super().begin(policy, G, known, seed)

    def started(self, policy: Any, G: Any, options: dict[str, Any]) -> hs.Bandit:
        return hs.Bandit(prices=PRICES[:3], cost=2, policy=policy, multiplier=G, **options)

    @rule(t=turns, available=st.none() | st.lists(prices, max_size=3), belief=expected)
    def pull(self, t: int | None, available: list[Any] | None, belief: float | None) -> None:
        super().pull(t, available, belief)

    @rule(price=prices, purchases=purchases, t=turns, visitors=visitor_counts)
    def update(self, price: Any, purchases: Any, t: int | None, visitors: float | None) -> None:
        self.both(lambda b: b.update(price, t=t, visitors=visitors, purchases=purchases))

    @rule(purchases=purchases, visitors=visitor_counts, back=st.integers(0, 3))
    def update_decided(self, purchases: Any, visitors: float | None, back: int) -> None:
        if back < len(self.decided):
            made = self.decided[sorted(self.decided)[-1 - back]]
            row = {"price": made.arm, "t": made.turn, "visitors": visitors}
            self.both(lambda b: b.update_many([{**row, "purchases": purchases}]))

    @rule(rows=st.lists(st.tuples(prices, purchases, turns, visitor_counts), max_size=3))
    def update_many(self, rows: list[Any]) -> None:
        self.both(lambda b: b.update_many(rows))

    @rule(t=st.integers(1, 14), purchases=purchases)
    def correct(self, t: int, purchases: Any) -> None:
        self.both(lambda b: b.correct(t, purchases=purchases))

    @rule(
        arm=prices,
        when=st.sampled_from(["low", "now"]),
        expires=st.sampled_from(ENDS),
        cost=st.sampled_from([None, None, 3.0, 99.0]),
    )
    def add_arm(self, arm: Any, when: Any, expires: Any, cost: Any) -> None:
        self.both(lambda b: b.add_arm(arm, when, expires, cost=cost))

    @rule(arm=prices)
    def remove_arm(self, arm: Any) -> None:
        self.both(lambda b: b.remove_arm(arm))

    @rule(cost=st.sampled_from([None, 1, 2.5, 9.0, {9.99: 4}]), tax=st.sampled_from([None, "19%"]))
    def change_worth(self, cost: Any, tax: Any) -> None:
        self.both(lambda b: b.change_worth(cost=cost, tax=tax))

    @invariant()
    def demand_is_the_same(self) -> None:
        if hasattr(self, "one"):
            assert self.one.demand() == self.twin.demand()
            assert self.one.verdict() == self.twin.verdict()
            offers = self.one.offers or {}
            for row in self.one.decisions():
                if row.purchases is not None:
                    assert row.reward == row.purchases * offers[row.arm].margin
                    assert row.visitors is None or row.purchases <= row.visitors


@pytest.mark.parametrize("machine", [Twins, PricedTwins])
def test_any_interleaving_goes_on_identically_after_any_reload(machine: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # arms that wait in vain, one-sided plans: not the point
        run_state_machine_as_test(machine, settings=settings(deadline=None, stateful_step_count=25))


@pytest.mark.filterwarnings("ignore::highseason.policies.PlanWarning")
@settings(deadline=None, max_examples=30)
@given(policy=st.sampled_from(POLICIES), cut=st.integers(0, 39), seed=st.integers(0, 9))
def test_a_game_cut_anywhere_is_the_same_game(policy: hs.Policy, cut: int, seed: int) -> None:
    def game(cut: int | None) -> list[Any]:
        bandit = hs.Bandit(ARMS[:3], policy, G, reward_range=(0, 3), seed=seed)
        for t in range(1, 41):
            if t - 1 == cut:
                bandit = hs.Bandit.from_json(bandit.to_json())
            bandit.pull()
            if t > 3:  # rewards are three turns late, and one in five never comes
                late = bandit.decision(t - 3)
                if t % 5:
                    bandit.update(late.arm, (t * 7 % 11) / 4, late.turn, visitors=1.0 + t % 3)
            if t == 20:
                bandit.add_arm(ARMS[4])
        return bandit.decisions()

    G = hs.traffic.wave(turns=40)
    assert game(cut) == game(None)
