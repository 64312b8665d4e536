"""The figures of the study on real outcomes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from highseason.report import Figure, deck_game, dose_response, interval_plot
from highseason.studies.upworthy.analysis import doses, regret_saved, reward_gain
from highseason.studies.upworthy.playing import Played
from highseason.studies.upworthy.settings import PAIRS, SAME_RULE, default, untuned


def drawings(results: Sequence[Played]) -> Iterator[tuple[str, Callable[[], Figure]]]:
    """Each figure's file name, and how to draw it."""
    yield (
        "reward-gains",
        lambda: interval_plot(
            {
                r.setting.title: {p: reward_gain(r, p, b) for p, b in SAME_RULE.items()}
                for r in results
            },
            "change of clicks against the same rule unregulated, %",
            "What regulating gains at equal tuning",
        ),
    )
    yield (
        "regret-saved",
        lambda: interval_plot(
            {
                r.setting.title: {p: regret_saved(r, p, b) for p, b in SAME_RULE.items()}
                for r in results
            },
            "share of the regret saved against the same rule unregulated, %",
            "What regulating saves at equal tuning",
        ),
    )
    yield (
        "defaults",
        lambda: interval_plot(
            {
                r.setting.title: {
                    p: reward_gain(r, default(p), untuned(b)) for p, b in PAIRS.items()
                }
                for r in results
            },
            "change of clicks against the rule unregulated (the pool: greedy), %",
            "The same without tuning, with the defaults",
        ),
    )
    yield (
        "doses",
        lambda: dose_response(
            {
                r.setting.title: {
                    p: [(dose.spread, dose.gain) for dose in doses(r, p, b)]
                    for p, b in SAME_RULE.items()
                }
                for r in results
                if r.setting.whole
            },
            "spread of G in the window: greatest over mean",
            "clicks gained, %",
            "Gain against the spread of G",
        ),
    )
    yield "example", lambda: _example(results[0])


def _example(played: Played) -> Figure:
    """The first game that was played: the halves are in random order, so any test may be it."""
    games = played.games
    test, season = int(games.tests[0]), int(games.season[0])
    arms = int(games.decks.arms[test])
    return deck_game(
        games.decks.cards[test, :arms].tolist(),
        games.decks.ones[test, :arms].tolist(),
        games.seasons[season],
        f"One game: test {games.decks.names[test]}",
    )
