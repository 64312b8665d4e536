"""The turn a rule decides, and what is observed of it."""

from typing import NamedTuple

#: `Turn.turns_left` where it is unknown how long the game lasts.
UNKNOWN_TURNS = -1


class Turn(NamedTuple):
    """What a rule knows of the turn it decides.

    Attributes:
        t: The turn, from 1.
        level: The plan's exploration level.
        G: The multiplier of this turn, known or forecast.
        future: The future weight W(t), the sum of G over the turns after this one, known or
            forecast; NaN where it is unknown.  A rule that reads it declares `uses_future`.
        turns_left: How many turns follow; `UNKNOWN_TURNS` where `future` is unknown.
        key: The key of the turn's random numbers.
        random_ties: Whether ties are broken at random; otherwise the lowest arm wins.
        clock: The time in which lifetimes are counted: the turn itself in a game, the time bin in a
            replayed log.
    """

    t: int
    level: float
    G: float
    future: float
    turns_left: int
    key: int
    random_ties: bool
    clock: int


class Observation(NamedTuple):
    """What a turn taught.

    Attributes:
        arm: The arm that was played.
        value: Its reward, per unit of G.
        precision: How much the turn taught, in units of one plain reward: a value with precision p
            counts as the mean of p rewards, so its variance is that of one reward divided by p.
            Estimates weigh values by it.  It is 1 unless a policy counts visitors.
    """

    arm: int
    value: float
    precision: float
