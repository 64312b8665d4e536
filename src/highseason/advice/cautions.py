"""Cautions: settings in which regulating greed has little to work with, in plain words.

`cautions` reports what G and the number of arms show by themselves; `greedy_is_as_good` what only
games can show.
"""

from dataclasses import dataclass

import numpy as np

from highseason.core.text import counted, format_number, percent
from highseason.traffic import Multiplier

#: A turn is quiet if its G is below this share of the mean.
QUIET = 0.8
#: G is high early if its mean over the first turns is this many times that of the season.
EARLY = 1.5
#: A horizon of at most this many turns per arm is short.
SHORT = 50


@dataclass(frozen=True)
class Caution:
    """A reason for caution: a code for programs, a sentence or two for people."""

    code: str
    text: str


def cautions(G: Multiplier, arms: int) -> list[Caution]:
    """What G and the number of arms show before any game is played.

    >>> import highseason as hs
    >>> [caution.code for caution in cautions(hs.traffic.constant(turns=900), arms=3)]
    ['no-low-turns']
    """
    found = {}
    if G.turns <= arms:
        found["nothing-to-learn"] = (
            f"{counted(G.turns, 'turn')} for {counted(arms, 'arm')}: every policy tries a new arm "
            "in every turn, so all are the same.  Use more turns or fewer arms."
        )
    start = min(G.turns, max(arms, G.turns // 10))
    times = float(G.values[:start].mean() / G.values.mean())
    if start < G.turns and times >= EARLY:
        share = percent(float(G.values[:start].sum() / G.total))
        found["high-early"] = (
            f"G is high early: the first {counted(start, 'turn')} average {format_number(times)} "
            f"times the season's mean and carry {share} of its total.  Nothing is known by then, "
            "so any policy makes its first tries when they cost most.  Start testing before the "
            "peak, or keep fewer arms through it."
        )
    quiet = int(np.sum(G.values[arms:] < QUIET * G.values.mean()))
    if G.turns > arms and quiet == 0:
        found["no-low-turns"] = (
            f"There are no quiet turns: after the first round G never falls below {percent(QUIET)} "
            "of its mean, so exploring costs about the same at any time, and regulating it gains "
            "little."
        )
    elif G.turns > arms and quiet < arms:
        found["few-low-turns"] = (
            f"There are few quiet turns: {counted(quiet, 'quiet turn')} for {counted(arms, 'arm')} "
            "after the first round, too few to try each arm once more while it is cheap."
        )
    return [Caution(code, text) for code, text in found.items()]


def greedy_is_as_good(turns: int, arms: int) -> Caution:
    """The games show no clear gain over greedy."""
    each = (
        f"{counted(turns, 'turn')} for {counted(arms, 'arm')}, {format_number(turns / arms)} each"
    )
    if turns <= SHORT * arms:
        return Caution(
            "short-horizon",
            f"The horizon is short for this many arms ({each}): exploring cannot pay off in time, "
            "and greedy, which tries every arm once, is as good.  Fewer arms or a longer season "
            "would change that.",
        )
    return Caution(
        "greedy-as-good",
        "Greedy, which tries every arm once and never explores after that, is as good as anything "
        f"here, although the horizon is not short ({each}).",
    )
