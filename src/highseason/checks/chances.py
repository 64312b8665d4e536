"""A rule that says how likely each arm is must mean what it says: propensity logs rest on it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from highseason.checks.catalogue import check
from highseason.checks.failure import expect
from highseason.checks.settings import ARMS, SEED, season
from highseason.core.random import REWARD, draw, game_key, turn_key
from highseason.engine import ArmState, Horizon, Observation, Turn, decide, learn
from highseason.policies import Policy

#: The turns looked at, and how often each of them is decided.
TURNS, TIMES = (1, ARMS, ARMS + 1, ARMS + 2, 17, 40), 1500
#: Standard errors by which a frequency may miss its chance.
TOLERANCE = 5.0


@check(applies=lambda policy: policy.rule.probabilities is not None)
def chances_are_those_of_the_choices(policy: Policy) -> None:
    """Decided again with other random numbers, arms come up as often as `chances` says."""
    chances, choose = policy.rule.probabilities, policy.rule.choose
    assert chances is not None  # as the check's condition says
    for state, turn in _moments(policy):
        said = chances(state, turn)
        expect(
            said.shape == (ARMS,) and abs(said.sum() - 1.0) < 1e-9 and (said >= 0.0).all(),
            f"chances must be one share for each of {ARMS} arms, together 1; turn {turn.t} has "
            f"{said.tolist()}",
        )
        fresh = (turn._replace(key=game_key(SEED, i)) for i in range(TIMES))
        counts = np.bincount([choose(state, other)[0] for other in fresh], minlength=ARMS)
        spread = TOLERANCE * np.sqrt(said * (1.0 - said) / TIMES) + 1e-9
        expect(
            (np.abs(counts / TIMES - said) <= spread).all(),
            f"in turn {turn.t} chances says {said.round(3).tolist()}, but of {TIMES} decisions "
            f"the arms had {counts.tolist()}",
        )


def _moments(policy: Policy) -> Iterator[tuple[ArmState, Turn]]:
    """A game stopped before some of its turns; rewards are coarse, so that arms are often equal."""
    rule, start = policy.rule, game_key(SEED, 0)
    state = rule.fresh_state(ARMS)
    G = season(max(TURNS))
    horizon = Horizon.of(G)
    for t, number in enumerate(policy.plan(G, ARMS), start=1):
        turn = horizon.turn(t, number, turn_key(start, t), policy.ties == "random")
        if t in TURNS:
            yield state, turn
        arm, _ = decide(rule, state, turn)
        value = float(draw(turn.key, REWARD) < 0.5)
        learn(rule, state, turn, Observation(arm, value, 1.0))
