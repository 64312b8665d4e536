"""What can be wrong with a setting, in plain words: where regulating greed has nothing to work on.

What G and the number of arms show by themselves is found here; whether greedy does as well, which
only games can tell, is told by `greedy_is_as_good`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from highseason.advice.candidates import idle_thresholds
from highseason.core.formatting import counted, format_number, listed, percent
from highseason.multipliers import Multiplier

#: A turn is quiet when it is worth less than this share of the mean turn.
QUIET = 0.8
#: The beginning is high when its mean turn is worth this many times the season's.
EARLY = 1.5
#: Up to so many turns an arm, a horizon is called short.
SHORT = 50
#: Every code there is, and what it means.
CODES = {
    "nothing-to-learn": "the game ends before every arm was tried",
    "high-early": "the stakes are highest at the start, before anything is known",
    "no-low-turns": "no turn is quiet enough to make exploring cheap",
    "few-low-turns": "fewer quiet turns than arms",
    "threshold-splits-nothing": "a usual threshold leaves every turn on one side",
    "short-horizon": "too few turns for so many arms: greedy is as good",
    "greedy-as-good": "exploring did not pay, although the horizon is long",
}


@dataclass(frozen=True)
class Pathology:
    """A reason for caution: a code for programs, a sentence or two for people."""

    code: str
    text: str


def pathologies(G: Multiplier, arms: int) -> list[Pathology]:
    """What the stakes and the number of arms show before any game is played.

    >>> import highseason as hs
    >>> [found.code for found in pathologies(hs.multipliers.constant(turns=900), arms=3)]
    ['no-low-turns', 'threshold-splits-nothing']
    """
    found = [_too_few_turns(G, arms), _high_early(G, arms), _low_turns(G, arms), _thresholds(G)]
    return [one for one in found if one is not None]


def greedy_is_as_good(turns: int, arms: int) -> Pathology:
    """The games show no clear gain over greedy."""
    each = (
        f"{counted(turns, 'turn')} for {counted(arms, 'arm')}, {format_number(turns / arms)} each"
    )
    if turns <= SHORT * arms:
        return Pathology(
            "short-horizon",
            f"The horizon is short for so many arms ({each}): what exploring finds out cannot be "
            "earned back in time, and greedy, which tries every arm once, is as good.  Fewer arms "
            "or a longer season would change that.",
        )
    return Pathology(
        "greedy-as-good",
        f"Greedy, which tries every arm once and then never explores, is as good as anything here, "
        f"although the horizon is not short ({each}).",
    )


def _too_few_turns(G: Multiplier, arms: int) -> Pathology | None:
    if G.turns > arms:
        return None
    return Pathology(
        "nothing-to-learn",
        f"{counted(G.turns, 'turn')} are not more than {counted(arms, 'arm')}: every policy tries "
        "a new arm in every turn, and all are the same.  Give more turns or fewer arms.",
    )


def _high_early(G: Multiplier, arms: int) -> Pathology | None:
    start = min(G.turns, max(arms, G.turns // 10))
    times = float(G.values[:start].mean() / G.values.mean())
    if start == G.turns or times < EARLY:
        return None
    share = percent(float(G.values[:start].sum() / G.total))
    return Pathology(
        "high-early",
        f"The stakes are high early: the first {counted(start, 'turn')} are worth "
        f"{format_number(times)} times the mean turn and carry {share} of the whole season.  Nothing is "
        "known by then, so the first tries are paid at the highest price, whatever the policy.  "
        "Start trying before the peak, or keep fewer arms through it.",
    )


def _low_turns(G: Multiplier, arms: int) -> Pathology | None:
    if G.turns <= arms:
        return None
    later = G.values[arms:]
    quiet = int(np.sum(later < QUIET * G.values.mean()))
    if quiet == 0:
        return Pathology(
            "no-low-turns",
            f"There are no low turns: after the first round no turn is worth less than "
            f"{percent(QUIET)} of the mean turn, so exploring costs about the same whenever it is "
            "done, and regulating it can gain little.",
        )
    if quiet < arms:
        return Pathology(
            "few-low-turns",
            f"There are few low turns: {counted(quiet, 'quiet turn')} for {counted(arms, 'arm')} "
            "after the first round, not enough to try each of them once more while it is cheap.",
        )
    return None


def _thresholds(G: Multiplier) -> Pathology | None:
    idle = idle_thresholds(G)
    if not idle:
        return None
    verb = "leaves" if len(idle) == 1 else "leave"
    return Pathology(
        "threshold-splits-nothing",
        f"The usual thresholds split nothing here: z = {listed(idle)} {verb} every turn on one "
        f"side, because G takes {counted(int(np.unique(G.values).size), 'value')} only, or most "
        "turns are alike.  They were left out; if you use a threshold, give one between the "
        "values.",
    )
