"""How the tests are played: lengths, sizes, players, and what each of them may be tuned to.

Chosen before anything was reported, and none of them left out afterwards.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from highseason.policies import (
    UCB,
    UCBZ,
    EpsilonGreedy,
    EpsilonZGreedy,
    Greedy,
    Policy,
    SoftEpsilonGreedy,
    SoftUCB,
    UniformRandom,
    VariablePool,
)
from highseason.tuning.space import Axis, Space

#: A test with fewer arms leaves little to find out.
FEWEST_ARMS = 4

#: Windows are ranked by how much G spreads in them and cut into so many groups of equal size.
GROUPS = 5

#: Each regulated policy, and the same rule without regulation; the pool stands beside greedy.
SAME_RULE = {
    "ucb-z": "ucb",
    "soft-ucb": "ucb",
    "epsilon-z": "epsilon-greedy",
    "soft-epsilon": "epsilon-greedy",
}
PAIRS = SAME_RULE | {"variable-pool": "greedy"}


@dataclass(frozen=True)
class Setting:
    """One way to turn a test into games.

    Attributes:
        id: A name one can read aloud.
        title: For figures.
        days: The turns of a game: whole weeks, so that every weekday counts alike.
        whole: A game deals as many cards as the test holds; else as its smallest deck holds, and
            then nobody can run past the end of a deck.
        even: Every day deals equally many cards, and its clicks count in proportion to G.
    """

    id: str
    title: str
    days: int
    whole: bool = True
    even: bool = False


SETTINGS = (
    Setting("four-weeks", "4 weeks, whole test", 28),
    Setting("twelve-weeks", "12 weeks, whole test", 84),
    Setting("four-weeks-one-deck", "4 weeks, one deck", 28, whole=False),
    Setting("twelve-weeks-one-deck", "12 weeks, one deck", 84, whole=False),
    Setting("four-weeks-even", "4 weeks, even samples", 28, even=True),
    Setting("twelve-weeks-even", "12 weeks, even samples", 84, even=True),
)

#: Enough to see that everything works.
QUICK_SETTINGS = SETTINGS[::2]


@dataclass(frozen=True)
class Effort:
    """How much is played.

    Attributes:
        candidates: How many parameter values every policy may try.
        finalists: How many of them, the best over one start day for each test, play them all.
        tests: How many tests of each half are played; None for all of them.
        tuning: Start days for each test while tuning.
        games: Start days for each test in what is reported.
        windows: How many start days there are to draw from, for tuning and for reporting.
    """

    candidates: int
    finalists: int
    tests: int | None
    tuning: int
    games: int
    windows: tuple[int, int]


FULL = Effort(candidates=48, finalists=12, tests=None, tuning=6, games=20, windows=(40, 240))
QUICK = Effort(candidates=6, finalists=2, tests=40, tuning=2, games=4, windows=(6, 12))


def candidates(kind: type[Policy], count: int) -> list[Policy]:
    """What a policy may be tuned to: as it is, where it explores least, and values spread evenly.

    Click rates are near 1%, so a P that is usual for rewards in [0, 1] is far too large.  Its
    range lies around the variance of a day's click rate (0.01 / 600 visitors, about 1e-5); the
    constants of ε and of UCB both range over four powers of ten.

    >>> [str(policy) for policy in candidates(UCBZ, 4)]
    ['ucb-z', 'ucb-z:P=0', 'ucb-z:z=q0.25,P=1.9e-07', 'ucb-z:z=q0.01,P=3.62e-05']
    """
    axes = _AXES[kind]
    space = Space(kind(), tuple(Axis(name, 0.0, 1.0, "linear") for name in axes))
    least: dict[str, Any] = {name: 0.0 for name in ("P", "k") if name in axes}
    found = [kind(), replace(kind(), **least)] if least else [kind()]
    for point in space.spread(count - len(found)):
        values: dict[str, Any] = {
            name: value(place) for (name, value), place in zip(axes.items(), point, strict=True)
        }
        found.append(replace(kind(), **values))
    return found


def _log(low: float, high: float) -> Callable[[float], float]:
    return Axis("", low, high, "log").value


def _quantile(place: float) -> str:
    return f"q{place:.2f}"


def _share_of_most(place: float) -> str:
    """A unit between a thousandth of the greatest G, which regulates most, and ten times it."""
    return f"{_log(1e-3, 10.0)(place):g}*max"


_RADIUS, _EXPLORE, _POOL = _log(1e-7, 1e-3), _log(1e-3, 10.0), _log(1.01, 1000.0)
_AXES: dict[type[Policy], dict[str, Callable[[float], Any]]] = {
    UCB: {"P": _RADIUS},
    UCBZ: {"z": _quantile, "P": _RADIUS},
    SoftUCB: {"unit": _share_of_most, "P": _RADIUS},
    EpsilonGreedy: {"k": _EXPLORE},
    EpsilonZGreedy: {"k": _EXPLORE, "z": _quantile},
    SoftEpsilonGreedy: {"k": _EXPLORE, "unit": _share_of_most},
    VariablePool: {"c": _POOL, "unit": _share_of_most},
}
TUNED = tuple(_AXES)
BESIDE: tuple[type[Policy], ...] = (Greedy, UniformRandom)


def default(policy: str) -> str:
    """The label of a policy that is played as it comes, without tuning."""
    return f"{policy}, default"


def untuned(policy: str) -> str:
    """The label of what a policy as it comes is compared with; greedy has nothing to tune."""
    return policy if policy == Greedy.name else default(policy)


def defaults() -> dict[str, Policy]:
    """Every policy as it comes."""
    return {default(kind.name): kind() for kind in TUNED}
