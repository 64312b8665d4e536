"""Rules that know what their arms offer, and have an estimate of arms that were never tried."""

from dataclasses import dataclass, replace
from typing import Any

import pytest

import highseason as hs
from highseason.adapters.online import OnlineGame
from highseason.policies import (
    DECISION,
    ArmState,
    Policy,
    Rule,
    RuleTraits,
    Turn,
    View,
    draw,
    jitable,
    pick_available,
    precedes,
)
from highseason.rewards import Offer

#: Column 0 of its memory: what one sale earns.  Column 1 is the rule's own: how often it learned.
MARGIN, LEARNED = 0, 1
PRIOR = 2.0  # rewards' worth


@jitable
def promise(state: ArmState, arm: int) -> float:
    """The mean of what was learned, and of a guess: the dearest arm earns most."""
    guess = state.memory[arm, MARGIN] / state.memory[:, MARGIN].max()
    return float((state.sums[arm] + PRIOR * guess) / (state.pulls[arm] + PRIOR))


@jitable
def choose(state: ArmState, turn: Turn) -> tuple[int, bool]:
    if draw(turn.key, DECISION) < turn.level:
        return pick_available(state, draw(turn.key, DECISION) / turn.level), False
    best, top = -1, 0.0
    for arm in range(state.available.size):
        if state.available[arm]:
            value = promise(state, arm)
            if precedes(turn, arm, value, best, top):
                best, top = arm, value
    return best, True


@jitable
def observe(state: ArmState, turn: Turn, observation: Any) -> None:
    state.pulls[observation.arm] += observation.precision
    state.sums[observation.arm] += observation.precision * observation.value
    state.memory[observation.arm, LEARNED] += 1.0


DEAREST = Rule(
    "dearest",
    choose,
    lambda levels, turns, arms: levels,
    observe=observe,
    memory=2,
    constants=("margin",),
    allowed=(0.0, 1.0),
    traits=RuleTraits(knows_untried=True),
    leads_by=promise,
)


@dataclass(frozen=True)
class Dearest(Policy):
    rule = DEAREST
    carry_depends_on = "nothing"

    def step(self, carry: Any, view: View) -> tuple[float, Any]:
        return 0.2, carry


OFFERS = (Offer(9.0, 6.0), Offer(12.0, cost=6.0), Offer(10.0))  # margins 3, 6, 10
#: Regrets are sums of eighths: they are the same in any order.
G = hs.traffic.from_values([1, 8, 2, 4] * 15)


def shelf() -> hs.rewards.Rewards:
    return replace(hs.rewards.bernoulli(means=[0.25, 0.875, 0.5]), offers=OFFERS)


def test_an_offer_has_a_margin() -> None:
    assert [offer.margin for offer in OFFERS] == [3.0, 6.0, 10.0]


def test_constants_stand_in_the_first_columns() -> None:
    assert DEAREST.fresh_state(3, OFFERS).memory.tolist() == [[3.0, 0.0], [6.0, 0.0], [10.0, 0.0]]


def test_start_sees_the_constants() -> None:
    @jitable
    def start(state: ArmState) -> None:
        state.memory[:, 1] = 2.0 * state.memory[:, 0]

    doubled = replace(DEAREST, start=start)
    assert doubled.fresh_state(3, OFFERS).memory[:, 1].tolist() == [6.0, 12.0, 20.0]


def test_an_untried_arm_may_lead() -> None:
    """Guesses .3, .6 and 1 count as two rewards: arm 2 leads untried, then falls to 2/3."""
    state = DEAREST.fresh_state(3, OFFERS)
    turn = hs.policies.Turn(1, 0.0, 1.0, 0.0, 0, 1, False, 1)
    assert DEAREST.choose(state, turn) == (2, True)
    assert DEAREST.standings(state, -1) == [(2, 1.0), (1, 0.6), (0, 0.3)]
    observe(state, turn, hs.policies.Observation(2, 0.0, 2.0))
    assert DEAREST.standings(state, -1) == [(1, 0.6), (2, 0.5), (0, 0.3)]
    assert DEAREST.choose(state, turn) == (1, True)


def test_without_the_trait_no_untried_arm_leads() -> None:
    silent = replace(DEAREST, traits=RuleTraits())
    state = silent.fresh_state(3, OFFERS)
    assert silent.standings(state, -1) == [(0, None), (1, None), (2, None)]


WEEKLY = hs.policies.LimitSwitching(base=Dearest(), stay=5)
CHANGING = hs.lifetimes.fixed([(1, 60), (10, 40), (1, 25)])


@pytest.mark.parametrize("policy", [Dearest(), WEEKLY], ids=str)
@pytest.mark.parametrize("lifetimes", [None, CHANGING], ids=["stay", "come and go"])
def test_every_game_knows_the_same_constants(policy: Policy, lifetimes: Any) -> None:
    """Kernels play many games in the same memory, which they reset between them."""
    result = hs.simulate(policy, shelf(), G, games=5, seed=3, lifetimes=lifetimes)
    assert result.games is not None
    for game in range(5):
        played = hs.play(policy, shelf(), G, seed=3, game=game, lifetimes=lifetimes)
        assert result.games["regret"][0, game] == played.regret
        assert result.games["best_pulls"][0, game] == played.best_pulls


def test_checks_give_such_a_rule_its_world() -> None:
    hs.checks.check_policy(Dearest())


REFUSED = r"the 'dearest' rule needs the margin of every arm, but these arms offer nothing: give"


def test_arms_that_offer_nothing_are_refused() -> None:
    plain, log = (
        hs.rewards.bernoulli(arms=3),
        hs.logs.Events.of([1, 2], "ab", [1.0, 0.0], ["ab"] * 2),
    )
    for refused in (
        lambda: hs.play(Dearest(), plain, G),
        lambda: hs.simulate(Dearest(), plain, G, games=2),
        lambda: hs.replay(Dearest(), log),
        lambda: hs.Bandit(["a", "b"], Dearest(), G, reward_range=(0, 1)),
        lambda: OnlineGame(Dearest()),
    ):
        with pytest.raises(ValueError, match=REFUSED):
            refused()


def test_a_live_ranking_asks_for_untried_arms() -> None:
    """A rule may know untried arms without constants: here all are expected to pay 1/2."""

    @jitable
    def shrunk(state: ArmState, arm: int) -> float:
        return float((state.sums[arm] + 1.0) / (state.pulls[arm] + 2.0))

    @dataclass(frozen=True)
    class Shrunk(hs.Greedy):
        rule = replace(hs.policies.EPSILON, leads_by=shrunk, traits=RuleTraits(knows_untried=True))

    bandit = hs.Bandit(["a", "b"], Shrunk(), [1, 1, 1], reward_range=(0, 1))
    assert bandit.pull() == "a"
    bandit.update("a", reward=0.0, visitors=1)
    first, second = bandit.ranking()
    assert (first.arm, first.estimate, first.pulls) == ("b", 0.5, 0)
    assert second.arm == "a"
    assert second.estimate == 1.0 / 3.0
