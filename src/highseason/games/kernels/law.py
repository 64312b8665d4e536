"""How a reward is drawn and learnt inside a kernel.

Each family of rewards is a type of its own.  The compiler picks the code by that type, so a kernel
for Bernoulli arms holds no trace of the others: a branch in the hottest loop, with a call behind
it, would cost as much as the rest of the turn.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from highseason.core.jitable import jitable_as
from highseason.core.random import REWARD, draw
from highseason.rewards.families import bernoulli_quantile, clipped_normal_quantile
from highseason.rewards.model import Quantile


class Bernoulli(NamedTuple):
    """Arms that pay 0 or 1, learnt as 0 or 1."""

    scale: float


class ClippedNormal(NamedTuple):
    """Arms that pay N(centre, scale), clipped to [0, 1]."""

    scale: float


class AnyLaw(NamedTuple):
    """Any quantile function, called through a pointer; also all that naive policies learn."""

    scale: float


Law = Bernoulli | ClippedNormal | AnyLaw

_LAWS: dict[Quantile, type[Law]] = {
    bernoulli_quantile: Bernoulli,
    clipped_normal_quantile: ClippedNormal,
}


def law_of(quantile: Quantile, scale: float, learns_scaled: bool = False) -> Law:
    """The law of a reward model, for policies that divide by G or for naive ones."""
    return AnyLaw(scale) if learns_scaled else _LAWS.get(quantile, AnyLaw)(scale)


def _native_pay(law: Any, quantile: Any, key: Any, parameter: Any) -> Callable[..., float]:
    if law.instance_class is Bernoulli:
        return lambda law, quantile, key, parameter: bernoulli_quantile(
            draw(key, REWARD), parameter, law.scale
        )
    if law.instance_class is ClippedNormal:
        return lambda law, quantile, key, parameter: clipped_normal_quantile(
            draw(key, REWARD), parameter, law.scale
        )
    return lambda law, quantile, key, parameter: quantile(draw(key, REWARD), parameter, law.scale)


@jitable_as(_native_pay)
def pay(law: Law, quantile: Quantile, key: int, parameter: float) -> float:
    """The reward X of the turn that begins at `key`, for an arm with this parameter."""
    return quantile(draw(key, REWARD), parameter, law.scale)


def _native_learn(law: Any, x: Any, paid: Any, worth: Any, G: Any) -> Callable[..., float]:
    if law.instance_class is Bernoulli:
        return lambda law, x, paid, worth, G: x
    return lambda law, x, paid, worth, G: paid / G if worth == 1.0 else paid


@jitable_as(_native_learn)
def learn(law: Law, x: float, paid: float, worth: float, G: float) -> float:
    """What a policy learns from the scaled reward `paid` = G·x: paid/G, or `paid` if it is naive.

    (G·x)/G is the definition.  Where x is 0 or 1 that is 0 or 1 to the last bit, so a Bernoulli
    game is spared the division.
    """
    return paid / G if worth == 1.0 else paid


def _native_may_be_close(law: Any) -> Callable[..., bool]:
    if law.instance_class is Bernoulli:
        return lambda law: False
    return lambda law: True


@jitable_as(_native_may_be_close)
def may_be_close(law: Law) -> bool:
    """Whether two averages of equally many values can differ by as little as a rounding error."""
    return not isinstance(law, Bernoulli)
