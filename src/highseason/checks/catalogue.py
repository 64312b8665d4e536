"""What a check is, how it fails, and what checks play: small games with ties and odd sizes."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from highseason import rewards, traffic
from highseason.core.jitable import jitable
from highseason.core.validation import declared
from highseason.policies import Policy
from highseason.policies.plan import View
from highseason.rewards import Offer, Rewards
from highseason.traffic import Multiplier


class CheckFailed(AssertionError):  # noqa: N818  # it reports, as a failing assertion does
    """A promise is broken; the message says what was expected and what happened."""


@dataclass(frozen=True)
class Check:
    """One promise: a function of the subject that fails with a sentence."""

    run: Callable[[Any], None]
    applies: Callable[[Any], bool]

    @property
    def name(self) -> str:
        """The function's name, part of a test's id."""
        return self.run.__name__

    def __call__(self, subject: Any) -> None:
        """Run it, whether or not it applies to the subject."""
        self.run(subject)


def check(
    applies: Callable[[Any], bool] = lambda _: True,
) -> Callable[[Callable[[Any], None]], Check]:
    """Make a function a check; `applies` selects its subjects."""
    return partial(Check, applies=applies)


def checks_in(*modules: ModuleType) -> tuple[Check, ...]:
    """The checks that these modules define, in order of definition."""
    return tuple(
        value
        for module in modules
        for value in vars(module).values()
        if isinstance(value, Check) and value.run.__module__ == module.__name__
    )


def expect(holds: object, sentence: str) -> None:
    """Fail with `sentence` unless `holds`."""
    if not holds:
        raise CheckFailed(sentence)


def first_difference(one: NDArray[Any], other: NDArray[Any]) -> int | None:
    """The first turn, from 1, at which two courses differ; None if none does."""
    differ = one != other
    return int(np.argmax(differ)) + 1 if differ.any() else None


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


@jitable
def coarse_quantile(u: float, level: float, scale: float) -> float:
    """Rewards in eighths: sums of them are often equal, or equal but for the last bit."""
    return math.floor(8.0 * (0.3 * u + 0.7 * level)) / 8.0


def coarse_mean(level: NDArray[np.float64]) -> NDArray[np.float64]:
    """The mean of `coarse_quantile`: each eighth counts from the u that reaches it."""
    total = np.zeros_like(level)
    for eighth in range(1, 9):
        total += np.clip(1.0 - (eighth / 8.0 - 0.7 * level) / 0.3, 0.0, 1.0) / 8.0
    return total


def offers(arms: int, unit: float = 1.0) -> tuple[Offer, ...]:
    """Prices from 5 to 10, of what costs 4; rules without constants do not look at them."""
    return tuple(Offer(price * unit, 4.0 * unit) for price in np.linspace(5.0, 10.0, arms).tolist())


def reward_models(arms: int = ARMS) -> list[Rewards]:
    """Two values, a continuum with atoms, and a custom distribution with many ties."""
    models = (
        rewards.bernoulli(arms=arms),
        rewards.truncated_normal(arms=arms, sigma=0.5),
        rewards.custom(coarse_quantile, coarse_mean, arms=arms, name="eighths"),
    )
    return [replace(model, offers=offers(arms)) for model in models]


def _eighths_of(u: float, level: float, scale: float) -> float:
    return scale * (coarse_quantile(u, level, 1.0) - 0.25)


def money(unit: float) -> list[Rewards]:
    """Baskets of one size and of many, and amounts that may be lost; all times `unit`."""
    values, mean = unit * np.array([49.99, 59.99, 59.99, 69.99, 30.0]), coarse_mean
    how: dict[str, Any] = {"arms": ARMS, "scale": unit, "bounds": (-0.25 * unit, 0.75 * unit)}
    models = (
        rewards.spend(ARMS, values=values, between=(0.02, 0.4), share=3.0, cv=0.0),
        rewards.spend(ARMS, values=values, between=(0.02, 0.4), share=3.0, cv=0.6),
        rewards.custom(_eighths_of, lambda level: unit * (mean(level) - 0.25), **how),
    )
    return [replace(model, offers=offers(ARMS, unit)) for model in models]


def following(policy: Policy, levels: NDArray[np.float64]) -> Policy:
    """The policy with `levels` as its plan, whatever G is."""

    def step(self: Policy, carry: Any, view: View) -> tuple[float, Any]:
        return float(levels[view.t - 1]), carry

    def in_steps(self: Policy, G: NDArray[np.float64], arms: int) -> None:
        """The plan is not made as a whole."""

    return altered(policy, step=step, levels=in_steps)


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


def altered(policy: Policy, **attributes: Any) -> Policy:
    """The same policy, of a subclass with these attributes; no plan of it is cached."""
    kind = type(policy)
    # Without a name it stays out of the registry.
    changed = type(kind.__name__, (kind,), {"name": "", "__doc__": kind.__doc__, **attributes})
    return changed(**policy.parameters())  # type: ignore[no-any-return]  # a subclass of its kind
