"""How the tests are played: lengths, sizes, policies, and what each may be tuned to.

All of it was chosen before anything was reported, and nothing was left out afterwards.
"""

from dataclasses import dataclass

import highseason as hs
from highseason.advice import Axis, Budget, Space

#: A test with fewer arms leaves little to learn.
FEWEST_ARMS = 4

#: Windows are ranked by the spread of G in them and cut into this many groups of equal size.
GROUPS = 5


@dataclass(frozen=True)
class HeadlineSetting:
    """One way to turn a test into games."""

    id: str  # A readable name
    title: str  # For figures
    days: int  # The turns of a game: whole weeks, so that every weekday counts alike
    whole: bool = True  # Deal as many cards as the test holds; else as its smallest deck holds
    even: bool = False  # Every day deals equally many cards; clicks count in proportion to G


SETTINGS = (
    HeadlineSetting("four-weeks", "4 weeks, whole test", 28),
    HeadlineSetting("twelve-weeks", "12 weeks, whole test", 84),
    HeadlineSetting("four-weeks-one-deck", "4 weeks, one deck", 28, whole=False),
    HeadlineSetting("twelve-weeks-one-deck", "12 weeks, one deck", 84, whole=False),
    HeadlineSetting("four-weeks-even", "4 weeks, even samples", 28, even=True),
    HeadlineSetting("twelve-weeks-even", "12 weeks, even samples", 84, even=True),
)

#: Enough to check that everything works.
QUICK_SETTINGS = SETTINGS[::2]


@dataclass(frozen=True)
class DeckEffort:
    """How much is played."""

    budget: Budget  # Candidates of every policy and start days per test, in each round of tuning
    tests: int | None  # How many tests of each half are played; None for all of them
    games: int  # Start days per test in what is reported
    windows: tuple[int, int]  # Start days to draw from, for tuning and for reporting


FULL = DeckEffort(Budget(((48, 1), (12, 6))), tests=None, games=20, windows=(40, 240))
QUICK = DeckEffort(Budget(((6, 1), (2, 2))), tests=40, games=4, windows=(6, 12))

#: Click rates are near 1%, so a P that is usual for rewards in [0, 1] is far too large.  Its range
#: lies around the variance of a day's click rate (0.01 / 600 visitors, about 1e-5); the constants
#: of ε and of UCB both range over four powers of ten.
_P, _K = Axis("P", 1e-7, 1e-3, "log"), Axis("k", 1e-3, 10.0, "log")
_Z = Axis("z", 0.0, 1.0, "linear", form="q{:.2f}")
#: From a thousandth of the greatest G, which regulates most, to ten times it.
_UNIT = Axis("unit", 1e-3, 10.0, "log", form="{:.3g}*max")
_AXES: dict[type[hs.Policy], tuple[Axis, ...]] = {
    hs.UCB: (_P,),
    hs.UCBZ: (_Z, _P),
    hs.SoftUCB: (_UNIT, _P),
    hs.EpsilonGreedy: (_K,),
    hs.EpsilonZGreedy: (_K, _Z),
    hs.SoftEpsilonGreedy: (_K, _UNIT),
    hs.VariablePool: (Axis("c", 1.01, 1000.0, "log"), _UNIT),
}
TUNED = tuple(_AXES)
BESIDE: tuple[type[hs.Policy], ...] = (hs.Greedy, hs.UniformRandom)


def space(kind: type[hs.Policy]) -> Space:
    """What a policy may be tuned to.

    >>> [str(policy) for policy in space(hs.UCBZ).candidates(4)]
    ['ucb-z', 'ucb-z:P=0', 'ucb-z:z=q0.25,P=0.00000019', 'ucb-z:z=q0.01,P=0.0000362']
    """
    return Space(kind(), _AXES[kind])


def default(policy: str) -> str:
    """The label of a policy that is played with its defaults, without tuning."""
    return f"{policy}, default"


def untuned(policy: str) -> str:
    """The label of what such a policy is compared with; greedy has nothing to tune."""
    return policy if policy == hs.Greedy.name else default(policy)
