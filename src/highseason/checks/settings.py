"""What the checks play: small games with ties and odd sizes, and variants of policies."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from highseason import rewards, traffic
from highseason.policies import Policy
from highseason.policies.base import declared
from highseason.policies.plan import View
from highseason.rewards import Rewards
from highseason.traffic import Multiplier

SEED = 20_200_131
ARMS = 5
TURNS = 160


def season(turns: int = TURNS) -> Multiplier:
    """A G between about 1 and 41 with no two values equal."""
    return traffic.wave(turns)


def seasons() -> list[tuple[Multiplier, int]]:
    """Multipliers with numbers of arms: smooth, two-valued, with a peak, huge, tiny, short."""
    wave = season()
    return [
        (wave, ARMS),
        (traffic.christmas(TURNS), ARMS),
        (traffic.step(TURNS), 40),
        (traffic.constant(TURNS), 2),
        (1e6 * wave, ARMS),
        (1e-6 * wave, ARMS),
        (wave, 1),
        (season(ARMS - 1), ARMS),  # fewer turns than arms
        (season(ARMS), ARMS),
        (season(ARMS + 1), ARMS),
    ]


def coarse_quantile(u: float, level: float, scale: float) -> float:
    """Rewards in eighths: sums of them are often equal, or equal but for the last bit."""
    return math.floor(8.0 * (0.3 * u + 0.7 * level)) / 8.0


def coarse_mean(level: NDArray[np.float64]) -> NDArray[np.float64]:
    """The mean of `coarse_quantile`: each eighth counts from the u that reaches it."""
    total = np.zeros_like(level)
    for eighth in range(1, 9):
        total += np.clip(1.0 - (eighth / 8.0 - 0.7 * level) / 0.3, 0.0, 1.0) / 8.0
    return total


def reward_models(arms: int = ARMS) -> list[Rewards]:
    """Two values, a continuum with atoms, and a custom distribution with many ties."""
    return [
        rewards.bernoulli(arms=arms),
        rewards.truncated_normal(arms=arms, sigma=0.5),
        rewards.custom(coarse_quantile, coarse_mean, arms=arms, name="eighths"),
    ]


def following(policy: Policy, levels: NDArray[np.float64]) -> Policy:
    """The policy with `levels` as its plan, whatever G is."""

    def step(self: Policy, carry: Any, view: View) -> tuple[float, Any]:
        return float(levels[view.t - 1]), carry

    def in_steps(self: Policy, G: NDArray[np.float64], arms: int) -> None:
        """The plan is not made as a whole."""

    return variant(policy, step=step, levels=in_steps)


def on_generic_path(policy: Policy) -> Policy:
    """The policy without a fast kernel: its rule is the same, under another name."""
    rule = policy.rule
    return variant(policy, rule=replace(rule, name=f"{rule.name}, arm by arm"))


def in_other_units(policy: Policy, factor: float) -> Policy:
    """The policy for a G in units `factor` times smaller: parameters in units of G grow with it."""
    changed = {
        name: value * factor
        for name, value in parameters_on_G(policy).items()
        if not isinstance(value, str)  # a threshold such as q0.75 follows G by itself
    }
    return replace(policy, **changed)


def parameters_on_G(policy: Policy) -> dict[str, Any]:
    """The parameters that are in units of G, or expressions on it."""
    limits = declared(policy)
    return {name: getattr(policy, name) for name in limits if limits[name].allows_expression}


def variant(policy: Policy, **attributes: Any) -> Policy:
    """The same policy, of a subclass with these attributes; no plan of it is cached."""
    kind = type(policy)
    # Without a name it stays out of the registry.
    changed = type(kind.__name__, (kind,), {"name": "", "__doc__": kind.__doc__, **attributes})
    return changed(**policy.parameters())  # type: ignore[no-any-return]  # a subclass of its kind
