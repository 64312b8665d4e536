"""How far an estimate can be trusted, in plain words: always said, good or bad."""

from __future__ import annotations

import math

from highseason.replay.outcome import ReplayOutcome
from highseason.replay.uniformity import Uniformity
from highseason.results.statistics import Estimate

#: Fewer turns or rewards than these are an anecdote.
FEW_TURNS, FEW_REWARDS = 1000, 50
#: Weighing turns shifts the mean for certain if it does by so many errors.
ODD_SHIFT = 3.0
#: A share of matches this far from what a uniform log gives, and beyond chance, is worth a word.
ODD_SHARE, ODD_SIGMAS = 0.1, 5.0


def issues(found: ReplayOutcome, log: Uniformity) -> list[str]:
    """Everything that speaks against believing the estimate; empty if nothing does."""
    if found.turns == 0:
        return ["no record matched: the log says nothing about this policy"]
    return [
        *_bias(found, log),
        *_range(found),
        *_thinness(found),
        *_end(found),
        *_one_sided(found),
        *_odd_matches(found),
    ]


def verdict(found: ReplayOutcome, log: Uniformity, baseline: Estimate) -> str:
    """The doubts as a sentence, or that there are none; and whether it beats showing at random."""
    against = issues(found, log)
    if found.turns == 0:
        return f"Cannot be trusted: {against[0]}."
    random = _no_difference(found, baseline)
    if against:
        return f"Handle with care: {'; '.join([*against, *random])}."
    width = found.mean.high - found.mean.value
    told = f"{found.turns:,} matched turns put the mean within ± {width:.2g} (95%, within this run)"
    return f"Fit for use: {'; '.join([told, *random])}."


def _bias(found: ReplayOutcome, log: Uniformity) -> list[str]:
    if log.holds and log.tilted and not found.rejected["thinned"]:
        return [
            "by its propensities the log is not uniform, which biases the plain mean: believe the "
            "weighted estimates, or thin the log (reweigh: accept)"
        ]
    if log.holds:
        return _unequal_pools(found)
    if log.checked == "propensity":
        return ["the log contradicts its propensities"]
    return [
        "THE LOG IS NOT UNIFORMLY RANDOM and gives no propensities, so the estimate is BIASED "
        "towards the arms it favoured"
    ]


def over_weighs(found: ReplayOutcome) -> bool:
    """Whether the plain mean is not per visitor, by more than the error that is told with it."""
    if found.weighted is None:
        return False
    shift, told = found.weighted.shift, found.mean.high - found.mean.value
    return abs(shift.value) > max(told, ODD_SHIFT * shift.error)


def _unequal_pools(found: ReplayOutcome) -> list[str]:
    """A uniform log, but small pools matched more often."""
    if found.weighted is None or not over_weighs(found):
        return []
    return [
        "pools are of different sizes and small ones match more often, so the mean per matched "
        f"turn ({found.mean.value:.4g}) over-weighs them: per visitor it is "
        f"{found.weighted.snips.value:.4g} (SNIPS), believe that"
    ]


def _range(found: ReplayOutcome) -> list[str]:
    if found.strays is None:
        return []
    low, high = found.strays
    return [
        f"it is made for rewards from 0 to 1 and the log's go from {low:g} to {high:g}, so how "
        "much it explores means nothing: rescale them"
    ]


def _thinness(found: ReplayOutcome) -> list[str]:
    if found.turns < FEW_TURNS:
        return [f"only {found.turns:,} turns matched"]
    if found.rewarded < FEW_REWARDS:
        return [f"only {found.rewarded:,} rewards in {found.turns:,} turns"]
    if found.effective < 0.1 * found.turns:
        return [f"a few records carry most of the weight ({found.effective:,.0f} effective turns)"]
    return []


def _end(found: ReplayOutcome) -> list[str]:
    if found.wanted is None or found.turns >= found.wanted:
        return []
    return [
        f"the log ended after {found.turns:,} of {found.wanted:,} turns, and the mean is over "
        "those reached"
    ]


def _one_sided(found: ReplayOutcome) -> list[str]:
    """A threshold that parts nothing leaves the policy what it would be without."""
    if found.high is None or 0 < found.high < found.turns:
        return []
    side = "never reached" if found.high == 0 else "always reached"
    return [
        f"in the turns played G {side} its threshold, so that it was not regulated at all: give a "
        "lower or higher threshold, or more turns"
    ]


def _no_difference(found: ReplayOutcome, baseline: Estimate) -> list[str]:
    # At random is per visitor, and so is a weighted estimate.
    mean = found.mean if found.weighted is None else found.weighted.snips
    error = math.hypot(mean.error, baseline.error)
    if math.isnan(error) or abs(mean.value - baseline.value) > 1.96 * error:
        return []
    return [f"it cannot be told from showing arms at random ({baseline.value:.4g} a turn)"]


def _odd_matches(found: ReplayOutcome) -> list[str]:
    expected = found.expected_share
    if not (0 < expected < 1 and found.asked > 0):
        return []
    sigma = math.sqrt(expected * (1 - expected) / found.asked)
    off = found.share - expected
    if abs(off) < ODD_SIGMAS * sigma or abs(off) < ODD_SHARE * expected:
        return []
    return [
        f"{100 * found.share:.2f}% of the records matched where a uniform log gives "
        f"{100 * expected:.2f}%: the arms it chose were shown more or less often than others"
    ]
