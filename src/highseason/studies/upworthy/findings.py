"""What was found, in words; every number in them is worked out from the run."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from highseason.core.formatting import counted, listed, percent, signed_percent
from highseason.results import Estimate
from highseason.studies.upworthy.analysis import (
    dose_response,
    expected_share,
    overdrawn,
    regret_saved,
    reward_gain,
    won_and_lost,
)
from highseason.studies.upworthy.data import Data
from highseason.studies.upworthy.playing import Played
from highseason.studies.upworthy.settings import PAIRS, SAME_RULE, default, untuned

#: Of the tests that were left out, so many are named.
_NAMED = 10


def headlines(results: Sequence[Played]) -> list[str]:
    """What was found, in a few lines."""
    return [
        _games_line(results),
        _verdict(results),
        *(_answer(results, policy) for policy in PAIRS),
        _tests(results),
        _untuned(results),
        _ends(results),
        _peaks(results),
        past_the_end(results),
    ]


def left_out(data: Data) -> list[str]:
    """Which tests were too small to be played, if any were."""
    if not data.too_small:
        return []
    shown = data.too_small[:_NAMED]
    more = len(data.too_small) - len(shown)
    names = listed([*shown, f"{more:,} more"] if more else shown)
    return [
        "Left out, having too few impressions for a card on every day: "
        f"{counted(len(data.too_small), 'test')} ({names})."
    ]


def _games_line(results: Sequence[Played]) -> str:
    games = results[0].games
    tests = np.unique(games.tests).size
    return (
        f"{tests:,} tests, each played by policies tuned on the other half of them, on "
        f"{len(games) // tests} of {len(games.seasons)} start days: {len(games):,} games in each "
        f"of {len(results)} settings; intervals are of 95%, over tests."
    )


def _verdict(results: Sequence[Played]) -> str:
    pairs = [(r, p, b) for r in results for p, b in SAME_RULE.items()]
    gains = [reward_gain(*pair) for pair in pairs]
    saved = [regret_saved(*pair).value for pair in pairs]
    values = [gain.value for gain in gains]
    return (
        "At equal tuning, regulating a rule changes its clicks by "
        f"{signed_percent(min(values), 2)} to {signed_percent(max(values), 2)} and its regret by "
        f"{signed_percent(-max(saved))} to {signed_percent(-min(saved))}; clearly more clicks in "
        f"{sum(gain.low > 0 for gain in gains)} and clearly fewer in "
        f"{sum(gain.high < 0 for gain in gains)} of {len(gains)} comparisons."
    )


def _answer(results: Sequence[Played], policy: str) -> str:
    base = PAIRS[policy]
    alike = "both tuned alike" if policy in SAME_RULE else "which has nothing to tune"
    told = [f"{_told(reward_gain(r, policy, base))} in {r.setting.title}" for r in results]
    return f"Clicks of {policy} against {base}, {alike}: {'; '.join(told)}."


def _tests(results: Sequence[Played]) -> str:
    told = []
    for played in results[:2]:
        shares = [
            f"{policy} {percent(won)} and {percent(lost)}"
            for policy, base in PAIRS.items()
            for won, lost in [won_and_lost(played, policy, base)]
        ]
        told.append(f"{', '.join(shares)} ({played.setting.title})")
    return (
        "Shares of tests in which the regulated one has less regret, and more: "
        f"{'; '.join(told)}; in the others both have the same."
    )


def _untuned(results: Sequence[Played]) -> str:
    told = [
        f"{policy} over {base} {_told(reward_gain(results[0], default(policy), untuned(base)))}"
        for policy, base in PAIRS.items()
    ]
    return f"Untuned, with the defaults, in {results[0].setting.title}: {'; '.join(told)}."


def _ends(results: Sequence[Played]) -> str:
    told = []
    for played in results:
        best = max(PAIRS.keys() | PAIRS.values(), key=lambda p: (expected_share(played, p), p))
        told.append(
            f"{best} {percent(expected_share(played, best), 1)}, greedy "
            f"{percent(expected_share(played, 'greedy'), 1)}, uniform "
            f"{percent(expected_share(played, 'uniform'), 1)} ({played.setting.title})"
        )
    return f"Of what the best headlines are worth, the best tuned player gets: {'; '.join(told)}."


def _peaks(results: Sequence[Played]) -> str:
    told = []
    for played in results:
        if played.setting.whole:
            response = {p: dose_response(played, p, b) for p, b in SAME_RULE.items()}
            each = ", ".join(f"{policy} {_told(found)}" for policy, found in response.items())
            told.append(f"{each} in {played.setting.title}")
    return (
        "Gain in the fifth of windows where G spreads most, less the gain in the fifth where it "
        f"spreads least: {'; '.join(told)}."
    )


def past_the_end(results: Sequence[Played]) -> str:
    """How many cards came from decks already used up, and where none did."""
    told = []
    for played in results:
        shares = {label: overdrawn(played, label) for label in played.players}
        least, most = min(shares, key=lambda k: shares[k]), max(shares, key=lambda k: shares[k])
        if shares[most] > 0:
            told.append(
                f"{percent(shares[least])} ({least}) to {percent(shares[most])} ({most}) in "
                f"{played.setting.title}"
            )
    none = len(results) - len(told)
    if none:
        told.append(f"none in {counted(none, 'other setting' if told else 'setting')}")
    return f"Cards dealt past the end of a deck, which is then shuffled anew: {'; '.join(told)}."


def _told(estimate: Estimate) -> str:
    low, high = (signed_percent(end, 2).removesuffix(" %") for end in (estimate.low, estimate.high))
    return f"{signed_percent(estimate.value, 2)} ({low} to {high})"
