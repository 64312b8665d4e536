"""What regulating gains on real outcomes, in words and figures."""

import pandas as pd

from highseason.core.text import counted, listed, percent, signed_percent
from highseason.engine import Estimate
from highseason.report import Drawings, Figure, interval_plot
from studies.frames import estimate, estimates, ranged, where
from studies.paper import PAIRS, SAME_RULE
from studies.study import Findings
from studies.upworthy.plots import deck_game, dose_response
from studies.upworthy.run import UpworthyResults
from studies.upworthy.settings import default, untuned

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
    alike = where(numbers, policy=SAME_RULE)
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
        f"{ranged(row, 'reward_gain', 2)} in {row.title}"
        for row in where(numbers, policy=policy).itertuples()
    ]
    return f"Clicks of {policy} against {PAIRS[policy]}, {alike}: {'; '.join(each)}."


def _tests(numbers: pd.DataFrame, titles: list[str]) -> str:
    parts = []
    for title in titles:
        rows = where(numbers, title=title).set_index("policy")
        shares = rows.loc[list(PAIRS), ["tests_won", "tests_lost"]]
        each = [f"{p} {percent(won)} and {percent(lost)}" for p, won, lost in shares.itertuples()]
        parts.append(f"{', '.join(each)} ({title})")
    return (
        "Shares of tests in which the regulated policy has less regret, and more: "
        f"{'; '.join(parts)}; in all other tests both have the same."
    )


def _untuned(numbers: pd.DataFrame, title: str) -> str:
    rows = where(numbers, title=title).set_index("policy")
    each = [
        f"{policy} against {untuned(base).removesuffix(default(''))} "
        f"{ranged(rows.loc[default(policy)], 'reward_gain', 2)}"
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
        each = [f"{row.policy} {ranged(row, 'response', 2)}" for row in rows.itertuples()]
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


def figures(results: UpworthyResults) -> Drawings:
    """How to draw each figure, by file name."""
    numbers = results.frames["numbers"]
    alike = where(numbers, policy=SAME_RULE)
    as_given = where(numbers, policy=map(default, PAIRS))
    return {
        "reward-gains": lambda: interval_plot(
            estimates(alike, "reward_gain"),
            "change of clicks against the same rule unregulated",
            "What regulating gains at equal tuning",
        ),
        "regret-saved": lambda: interval_plot(
            estimates(alike, "regret_saved"),
            "share of the regret saved against the same rule unregulated",
            "What regulating saves at equal tuning",
        ),
        "defaults": lambda: interval_plot(
            estimates(as_given.replace({default(p): p for p in PAIRS}), "reward_gain"),
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


def _curves(doses: pd.DataFrame) -> dict[str, dict[str, list[tuple[float, Estimate]]]]:
    curves: dict[str, dict[str, list[tuple[float, Estimate]]]] = {}
    for row in where(doses, whole=True, policy=SAME_RULE).to_dict("records"):
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
