"""Games of a policy that cannot be compiled, for `simulate`: the loop of `play`, many times."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from highseason.engine.kernels.interface import Play
from highseason.engine.kernels.turns import OUT, TRACE, Arms, Floats
from highseason.engine.play import Game, play_planned
from highseason.policies import Plan
from highseason.policies.lifetimes import Lifetimes
from highseason.rewards import Rewards


def readable_player(
    plan: Plan,
    rewards: Rewards,
    checkpoints: NDArray[np.int64],
    forecast: Any,
    lifetimes: Lifetimes | None,
) -> Play:
    """What plays the games of a plan, as kernels do."""

    def play(keys: NDArray[np.uint64], arms: Arms, out: Floats, trace: Floats) -> None:
        for i, key in enumerate(keys.tolist()):
            game = play_planned(plan, rewards, key, forecast, lifetimes)
            out[i] = totals(game)
            trace[i] = running_totals(game)[checkpoints - 1]

    return play


def totals(game: Game) -> list[float]:
    """The totals of a game in the order of `OUT`."""
    names = {"exploited": "exploited_reward"}
    return [float(getattr(game, names.get(name, name))) for name in OUT]


def running_totals(game: Game) -> Floats:
    """The totals after every turn, a column for each of `TRACE`."""
    columns = {"reward": game.G * game.paid, "regret": game.losses}
    return np.cumsum(np.stack([columns[name] for name in TRACE], axis=1), axis=0)
