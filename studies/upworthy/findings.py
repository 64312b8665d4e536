"""What regulating gains on real clicks, in words and figures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np
import pandas as pd

from highseason.core.text import counted, format_number, listed, percent, signed_percent, with_range
from highseason.engine import Estimate
from highseason.engine.results import errors_wide
from highseason.report import Drawings, Figure, interval_plot, palette
from highseason.report.drawing import drawing, legend_below
from highseason.report.interval_plots import Points, draw_intervals
from highseason.report.multiplier_plots import draw_multiplier, show_time
from highseason.traffic import Multiplier
from studies.frames import estimate, estimates, ranged, where
from studies.paper import PAIRS, SAME_RULE
from studies.study import Findings
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
        "reward-gains": partial(
            interval_plot,
            estimates(alike, "reward_gain"),
            "change of clicks against the same rule unregulated",
            "What regulating gains at equal tuning",
        ),
        "regret-saved": partial(
            interval_plot,
            estimates(alike, "regret_saved"),
            "share of the regret saved against the same rule unregulated",
            "What regulating saves at equal tuning",
        ),
        "defaults": partial(
            interval_plot,
            estimates(as_given.replace({default(p): p for p in PAIRS}), "reward_gain"),
            "change of clicks against the rule unregulated (the pool: greedy)",
            "The same without tuning, with the defaults",
        ),
        "doses": partial(
            dose_response,
            _curves(results.frames["doses"]),
            "spread of G in the window: greatest over mean",
            "clicks gained, %",
            "Gain against the spread of G",
        ),
        "example": _example(results),
    }


def _curves(doses: pd.DataFrame) -> dict[str, dict[str, list[tuple[float, Estimate]]]]:
    curves: dict[str, dict[str, list[tuple[float, Estimate]]]] = {}
    for row in where(doses, whole=True, policy=SAME_RULE).to_dict("records"):
        points = curves.setdefault(row["title"], {}).setdefault(row["policy"], [])
        points.append((row["spread_mean"], estimate(row, "reward_gain")))
    return curves


def _example(results: UpworthyResults) -> Callable[[], Figure]:
    """The first game played: the halves are in random order, so any test may be it."""
    test, G = results.example
    decks = results.archive.decks
    arms = int(decks.arms[test])
    return partial(
        deck_game,
        decks.cards[test, :arms].tolist(),
        decks.ones[test, :arms].tolist(),
        G,
        f"One game: test {decks.names[test]}",
    )


def deck_game(cards: Sequence[int], ones: Sequence[int], G: Multiplier, title: str) -> Figure:
    """The click rate of every arm with its 95% interval, and G in the days of the game.

    >>> import highseason as hs
    >>> deck_game([2551, 2629], [39, 68], hs.traffic.wave(turns=28), "A test")
    <Figure: A test>
    """
    rates = np.array(ones) / np.array(cards)
    errors = 100 * errors_wide() * np.sqrt(rates * (1 - rates) / np.array(cards))
    names = [f"arm {i}\n{ones[i - 1]:,} of {cards[i - 1]:,}" for i in range(1, len(rates) + 1)]
    with drawing(title, [2.4, 1.9]) as (canvas, [top, below]):
        top.bar(
            names, 100 * rates, yerr=errors, width=0.6, capsize=3,
            color=[palette.DARK if rate == max(rates) else palette.LIGHT for rate in rates],
            ecolor=palette.ACCENT,
        )  # fmt: skip
        top.set(ylabel="clicks, %", title="Clicks per impression; the best arm is dark")
        top.tick_params(axis="x", labelsize=7 if len(names) > 5 else 8, length=0)
        top.grid(visible=False, axis="x")
        draw_multiplier(below, G, None)
        show_time(below, G)
        below.set_title("G: the number of cards dealt per day is proportional to it")
    parts = ", ".join(f"arm {i} {percent(rate, 2)}" for i, rate in enumerate(rates, start=1))
    most = format_number(float(G.values.max() / G.values.mean()))
    alt = f"Click rates: {parts}. Over {G.turns} days G peaks at {most} times its mean."
    return Figure(canvas, title, alt)


def dose_response(
    panels: Mapping[str, Mapping[str, Points]], xlabel: str, ylabel: str, title: str
) -> Figure:
    """A panel per setting, a line per comparison: its gain at every dose.

    Args:
        panels: By the setting's name, by the comparison's: pairs of a dose and a gain (a share,
            drawn as a percentage).
        xlabel: The dose.
        ylabel: The gain.
        title: Above the figure.

    >>> from highseason.engine import Estimate
    >>> curve = [(1.5, Estimate(0.0, 0.01, -0.02, 0.02)), (3.0, Estimate(0.1, 0.01, 0.08, 0.12))]
    >>> dose_response({"4 weeks": {"ucb-z": curve}}, "max / mean", "gain, %", "Gain over spread")
    <Figure: Gain over spread>
    """
    with drawing(title, [0.5 + 2.2] * len(panels)) as (canvas, axes):
        for panel, (name, series) in zip(axes, panels.items(), strict=True):
            doses = [dose for points in series.values() for dose, _ in points]
            spread = 0.012 * len(series) * (max(doses) - min(doses))
            draw_intervals(panel, series, upright=True, joined=True, spread=spread)
            panel.set_title(name)
            panel.set_ylabel(ylabel, fontsize=9)
        axes[-1].set_xlabel(xlabel, fontsize=9)
        legend_below(canvas, axes, columns=2)
    parts = [
        f"{panel}, {name}: "
        + ", ".join(
            f"{with_range(e.value, e.low, e.high)} at {format_number(x)}" for x, e in points
        )
        for panel, series in panels.items()
        for name, points in series.items()
    ]
    return Figure(canvas, title, f"{'; '.join(parts)}.")
