"""What regulating gains on real outcomes, in words and figures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pandas as pd

from highseason.core.formatting import counted, listed, percent, signed_percent
from highseason.report import Figure, deck_game, dose_response, interval_plot
from highseason.results import Estimate
from highseason.studies.frames import estimate, estimates
from highseason.studies.study import Findings
from highseason.studies.upworthy.run import UpworthyResults
from highseason.studies.upworthy.settings import PAIRS, SAME_RULE, default, untuned

#: How many of the tests that were left out are named.
_NAMED = 10


def findings(results: UpworthyResults) -> Findings:
    """The answer first."""
    numbers = results.frames["numbers"]
    settings = dict.fromkeys(numbers.title)
    games = int(numbers.games.iloc[0])
    first = (
        f"{results.tests:,} tests, each played by policies tuned on the other half of them, on "
        f"{games // results.tests} of {results.windows} start days: {games:,} games in each of "
        f"{len(settings)} settings; 95% intervals over tests."
    )
    summary = [first, _verdict(numbers), *left_out(results.archive.too_small)]
    details = [
        *(_answer(numbers, policy) for policy in PAIRS),
        _tests(numbers, list(settings)[:2]),
        _untuned(numbers, next(iter(settings))),
        _best(numbers),
        _peaks(results.frames["responses"]),
        past_the_end(numbers),
    ]
    return Findings(summary, details)


def left_out(too_small: tuple[str, ...]) -> list[str]:
    """Which tests were too small to be played, if any were."""
    if not too_small:
        return []
    shown = too_small[:_NAMED]
    more = len(too_small) - len(shown)
    names = listed([*shown, f"{more:,} more"] if more else shown)
    return [
        "Left out, having too few impressions for a card on every day: "
        f"{counted(len(too_small), 'test')} ({names})."
    ]


def _verdict(numbers: pd.DataFrame) -> str:
    alike = numbers[numbers.policy.isin(list(SAME_RULE))]
    gain, saved = alike.reward_gain, alike.regret_saved
    return (
        "At equal tuning, regulating a rule changes its clicks by "
        f"{signed_percent(gain.min(), 2)} to {signed_percent(gain.max(), 2)} and saves "
        f"{signed_percent(saved.min())} to {signed_percent(saved.max())} of its regret: clearly "
        "more clicks in "
        f"{(alike.reward_gain_low > 0).sum()} and clearly fewer in "
        f"{(alike.reward_gain_high < 0).sum()} of {len(alike)} comparisons."
    )


def _answer(numbers: pd.DataFrame, policy: str) -> str:
    alike = "both tuned alike" if policy in SAME_RULE else "which has nothing to tune"
    each = [
        f"{_range(row, 'reward_gain')} in {row.title}"
        for row in numbers[numbers.policy == policy].itertuples()
    ]
    return f"Clicks of {policy} against {PAIRS[policy]}, {alike}: {'; '.join(each)}."


def _tests(numbers: pd.DataFrame, titles: list[str]) -> str:
    parts = []
    for title in titles:
        rows = numbers[(numbers.title == title) & numbers.policy.isin(list(PAIRS))]
        shares = rows.set_index("policy").loc[list(PAIRS)]
        each = [
            f"{policy} {percent(won)} and {percent(lost)}"
            for policy, won, lost in zip(
                shares.index, shares.tests_won, shares.tests_lost, strict=True
            )
        ]
        parts.append(f"{', '.join(each)} ({title})")
    return (
        "Shares of tests in which the regulated policy has less regret, and more: "
        f"{'; '.join(parts)}; in all other tests both have the same."
    )


def _untuned(numbers: pd.DataFrame, title: str) -> str:
    rows = numbers[numbers.title == title].set_index("policy", drop=False)
    each = [
        f"{policy} against {untuned(base).removesuffix(default(''))} "
        f"{_range(rows.loc[default(policy)], 'reward_gain')}"
        for policy, base in PAIRS.items()
    ]
    return f"Untuned, with the defaults, in {title}: {'; '.join(each)}."


def _best(numbers: pd.DataFrame) -> str:
    parts = []
    names = sorted(PAIRS.keys() | PAIRS.values())
    for title, rows in numbers.groupby("title", sort=False):
        shares = rows.set_index("policy").expected_share
        best = max(names, key=lambda name: (shares[name], name))  # used at once
        each = ", ".join(
            f"{name} {percent(shares[name], 1)}" for name in (best, "greedy", "uniform")
        )
        parts.append(f"{each} ({title})")
    return f"Share of the best headlines' value, best tuned policy first: {'; '.join(parts)}."


def _peaks(responses: pd.DataFrame) -> str:
    parts = []
    for title, rows in responses.groupby("title", sort=False):
        each = [f"{row.policy} {_range(row, 'response')}" for row in rows.itertuples()]
        parts.append(f"{', '.join(each)} in {title}")
    return (
        "Gain in the fifth of windows where G spreads most, less the gain in the fifth where it "
        f"spreads least: {'; '.join(parts)}."
    )


def past_the_end(numbers: pd.DataFrame) -> str:
    """How many cards came from decks already used up, and where none did."""
    parts, none = [], 0
    for title, rows in numbers.groupby("title", sort=False):
        least, most = (rows.sort_values("overdrawn", kind="stable").iloc[i] for i in (0, -1))
        if most.overdrawn > 0:
            ends = [f"{percent(row.overdrawn)} ({row.policy})" for row in (least, most)]
            parts.append(f"{ends[0]} to {ends[1]} in {title}")
        else:
            none += 1
    if none:
        parts.append(f"none in {counted(none, 'other setting' if parts else 'setting')}")
    return f"Cards dealt after a deck was used up and reshuffled: {'; '.join(parts)}."


def _range(row: Any, name: str) -> str:
    """With two digits: these gains are small."""
    value, low, high = (
        signed_percent(getattr(row, f"{name}{end}"), 2) for end in ("", "_low", "_high")
    )
    return f"{value} ({low.removesuffix('%')} to {high.removesuffix('%')})"


# -- figures ---------------------------------------------------------------------------------------


def figures(results: UpworthyResults) -> dict[str, Callable[[], Figure]]:
    """How to draw each figure, by file name."""
    numbers = results.frames["numbers"]
    alike = {policy: policy for policy in SAME_RULE}
    return {
        "reward-gains": lambda: interval_plot(
            estimates(_some(numbers, alike), "reward_gain"),
            "change of clicks against the same rule unregulated",
            "What regulating gains at equal tuning",
        ),
        "regret-saved": lambda: interval_plot(
            estimates(_some(numbers, alike), "regret_saved"),
            "share of the regret saved against the same rule unregulated",
            "What regulating saves at equal tuning",
        ),
        "defaults": lambda: interval_plot(
            estimates(_some(numbers, {default(policy): policy for policy in PAIRS}), "reward_gain"),
            "change of clicks against the rule unregulated (the pool: greedy)",
            "The same without tuning, with the defaults",
        ),
        "doses": lambda: dose_response(
            _curves(results.frames["doses"]),
            "spread of G in the window: greatest over mean",
            "clicks gained, %",
            "Gain against the spread of G",
        ),
        "example": lambda: _example(results),
    }


def _some(numbers: pd.DataFrame, labels: Mapping[str, str]) -> pd.DataFrame:
    """The rows of some policies, under other names."""
    some = numbers[numbers.policy.isin(list(labels))]
    return some.assign(policy=some.policy.map(dict(labels)))


def _curves(doses: pd.DataFrame) -> dict[str, dict[str, list[tuple[float, Estimate]]]]:
    curves: dict[str, dict[str, list[tuple[float, Estimate]]]] = {}
    for row in doses[doses.whole & doses.policy.isin(list(SAME_RULE))].to_dict("records"):
        points = curves.setdefault(row["title"], {}).setdefault(row["policy"], [])
        points.append((row["spread_mean"], estimate(row, "reward_gain")))
    return curves


def _example(results: UpworthyResults) -> Figure:
    """The first game played: the halves are in random order, so any test may be it."""
    test, G = results.example
    decks = results.archive.decks
    arms = int(decks.arms[test])
    return deck_game(
        decks.cards[test, :arms].tolist(),
        decks.ones[test, :arms].tolist(),
        G,
        f"One game: test {decks.names[test]}",
    )
