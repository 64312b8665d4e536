"""What was found, in words; every number in them is worked out from the run."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from highseason.experiments.upworthy.analysis import (
    dose_response,
    expected_share,
    overdrawn,
    reward_gain,
    tests_won,
)
from highseason.experiments.upworthy.playing import Played
from highseason.experiments.upworthy.settings import PAIRS, default
from highseason.report.wording import percent, with_range
from highseason.results import Estimate


def headlines(results: Sequence[Played]) -> list[str]:
    """What was found, in a few lines."""
    lines = [_games_line(results), _verdict(results)]
    lines += [_answer(results, policy) for policy in PAIRS]
    lines += [_untuned(results), _ends(results), _peaks(results), _past_the_end(results)]
    return lines


def _games_line(results: Sequence[Played]) -> str:
    games = results[0].games
    tests = np.unique(games.tests).size
    each = len(games) // tests
    return (
        f"{tests:,} tests that no policy was tuned on, {each} of {len(games.seasons)} start days "
        f"for each: {len(games):,} games in each of {len(results)} settings; intervals are over "
        "tests."
    )


def _verdict(results: Sequence[Played]) -> str:
    found = [(reward_gain(r, p, b), p, b, r) for r in results for p, b in PAIRS.items()]
    better = sum(gain.low > 0 for gain, *_ in found)
    worse = sum(gain.high < 0 for gain, *_ in found)
    best, policy, base, played = max(found, key=lambda entry: entry[0].value)
    return (
        f"At equal tuning, regulating brings clearly more clicks in {better} and clearly fewer in "
        f"{worse} of {len(found)} comparisons; at most {_told(best)}: {policy} over {base}, "
        f"{played.setting.title}."
    )


def _answer(results: Sequence[Played], policy: str) -> str:
    base = PAIRS[policy]
    told = []
    for played in results:
        won, lost = tests_won(played, policy, base)
        gain = reward_gain(played, policy, base)
        told.append(
            f"{_told(gain)} in {played.setting.title} (less regret in {percent(won)} of tests, "
            f"more in {percent(lost)})"
        )
    return f"{policy} against {base}, clicks at equal tuning: {'; '.join(told)}."


def _untuned(results: Sequence[Played]) -> str:
    told = [
        f"{policy} over {base} {_told(_default_gain(results[0], policy))}"
        for policy, base in PAIRS.items()
    ]
    return f"Untuned, with the defaults, in {results[0].setting.title}: {'; '.join(told)}."


def _default_gain(played: Played, policy: str) -> Estimate:
    base = PAIRS[policy]
    return reward_gain(played, default(policy), base if base == "greedy" else default(base))


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
    for played in results[:2]:
        response = {p: dose_response(played, p, b) for p, b in PAIRS.items()}
        told.append(
            f"{played.setting.title}: "
            + ", ".join(f"{policy} {_told(found)}" for policy, found in response.items())
        )
    return (
        "Gain in the fifth of windows where G spreads most less the gain in the fifth where it "
        f"spreads least: {'; '.join(told)}."
    )


def _past_the_end(results: Sequence[Played]) -> str:
    told = []
    for played in results:
        shares = {label: overdrawn(played, label) for label in played.players}
        least, most = min(shares, key=lambda k: shares[k]), max(shares, key=lambda k: shares[k])
        if shares[most] > 0:
            told.append(
                f"{percent(shares[least])} ({least}) to {percent(shares[most])} ({most}) in "
                f"{played.setting.title}"
            )
    none = sum(1 for r in results if not r.totals["overdrawn"].any())
    return (
        f"Cards dealt past the end of a deck, which is then shuffled anew: {'; '.join(told)}; "
        f"none in the other {none} settings."
    )


def _told(estimate: Estimate) -> str:
    return with_range(estimate.value, estimate.low, estimate.high)
