"""A rule means what it declares: its probabilities are those of its choices."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from highseason.checks.catalogue import check, expect
from highseason.checks.settings import ARMS, SEED, season
from highseason.core.random import REWARD, draw, game_key, turn_key
from highseason.engine import ArmState, Horizon, Observation, Turn, decide, learn
from highseason.policies import Policy

#: The turns to look at, and how often each of them is decided.
TURNS, TIMES = (1, ARMS, ARMS + 1, ARMS + 2, 17, 40), 1500
#: Standard errors by which a frequency may differ from its probability.
TOLERANCE = 5.0


@check(applies=lambda policy: policy.rule.probabilities is not None)
def probabilities_match_choices(policy: Policy) -> None:
    """Decided again with other random numbers, arms come up as often as `probabilities` says."""
    probabilities, choose = policy.rule.probabilities, policy.rule.choose
    assert probabilities is not None, "the check applies only then"
    for state, turn in _moments(policy):
        declared = probabilities(state, turn)
        expect(
            declared.shape == (ARMS,)
            and abs(declared.sum() - 1.0) < 1e-9
            and (declared >= 0.0).all(),
            f"probabilities must return one share for each of {ARMS} arms, with sum 1; turn "
            f"{turn.t} has {declared.tolist()}",
        )
        keys = (turn._replace(key=game_key(SEED, i)) for i in range(TIMES))
        counts = np.bincount([choose(state, other)[0] for other in keys], minlength=ARMS)
        spread = TOLERANCE * np.sqrt(declared * (1.0 - declared) / TIMES) + 1e-9
        expect(
            (np.abs(counts / TIMES - declared) <= spread).all(),
            f"in turn {turn.t} probabilities are {declared.round(3).tolist()}, but {TIMES} "
            f"decisions chose the arms {counts.tolist()} times",
        )


def _moments(policy: Policy) -> Iterator[tuple[ArmState, Turn]]:
    """A game stopped before some of its turns; rewards are coarse, so that arms often tie."""
    rule, start = policy.rule, game_key(SEED, 0)
    state, G = rule.fresh_state(ARMS), season(max(TURNS))
    horizon = Horizon.of(G)
    for t, level in enumerate(policy.plan(G, ARMS), start=1):
        turn = horizon.turn(t, level, turn_key(start, t), policy.ties == "random")
        if t in TURNS:
            yield state, turn
        arm, _ = decide(rule, state, turn)
        value = float(draw(turn.key, REWARD) < 0.5)
        learn(rule, state, turn, Observation(arm, value, 1.0))
