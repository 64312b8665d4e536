"""The report of the study on real outcomes: the answer first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from highseason.core.formatting import counted, listed, percent
from highseason.report.figure import Picture
from highseason.report.page import (
    Page,
    Section,
    bullets,
    command,
    files,
    folded,
    paragraph,
    pictures,
    table,
    wide_pictures,
)
from highseason.studies import numbers
from highseason.studies.making import made_with
from highseason.studies.upworthy.analysis import in_all_groups
from highseason.studies.upworthy.data import WHERE, Data
from highseason.studies.upworthy.playing import Played, shared_days
from highseason.studies.upworthy.settings import FEWEST_ARMS, Effort
from highseason.studies.upworthy.tables import dose_records, records

_COLUMNS = {
    "policy": ("policy", ""),
    "setting": ("setting", ""),
    "parameters": ("parameters", ""),
    "share_of_best": ("share of the best", ".4f"),
    "share_low": ("low", ".4f"),
    "share_high": ("high", ".4f"),
    "expected_share": ("in expectation", ".4f"),
    "overdrawn": ("past the end", ".1%"),
    "against": ("against", ""),
    "reward_gain": ("clicks gained", "+.2%"),
    "reward_gain_low": ("low", "+.2%"),
    "reward_gain_high": ("high", "+.2%"),
    "regret_saved": ("regret saved", "+.1%"),
    "regret_saved_low": ("low", "+.1%"),
    "regret_saved_high": ("high", "+.1%"),
    "tests_won": ("tests won", ".0%"),
    "tests_lost": ("lost", ".0%"),
}
_DOSES = {
    "policy": ("policy", ""),
    "setting": ("setting", ""),
    "spread_mean": ("max / mean of G", ".2f"),
    "spread_least": ("from", ".2f"),
    "spread_most": ("to", ".2f"),
    "games": ("games", ",d"),
    "reward_gain": ("clicks gained", "+.2%"),
    "reward_gain_low": ("low", "+.2%"),
    "reward_gain_high": ("high", "+.2%"),
}


@dataclass(frozen=True)
class Made:
    """All that the report is made of."""

    data: Data
    results: Sequence[Played]
    found: Sequence[str]
    pictures: Mapping[str, Picture]
    effort: Effort
    seed: int
    quick: bool
    files: Sequence[Path]


def report_page(made: Made) -> Page:
    """The whole report."""
    games = len(made.results[0].games)
    return Page(
        "Real headlines, real page views: what regulating gains",
        f"Tests of the Upworthy Research Archive as decks, {counted(games, 'game')} in each of "
        f"{counted(len(made.results), 'setting')}, seed {made.seed}; every policy tuned alike, on "
        "other tests and other start days."
        + (" A quick sweep: too small to conclude from." if made.quick else ""),
        [_found(made), _doses(made), _games(made), _numbers(made), _how(made)],
    )


def _found(made: Made) -> Section:
    return Section(
        "What was found",
        [
            bullets(made.found),
            wide_pictures(
                (
                    made.pictures["reward-gains"],
                    "Each mark: a tuned regulated policy against the same rule unregulated and "
                    "tuned alike, with its 95% interval over tests.",
                ),
                (
                    made.pictures["regret-saved"],
                    "The same in regret: clicks lost against the best headline, by the decks' "
                    "true means.",
                ),
                (
                    made.pictures["defaults"],
                    "Nothing tuned. With click rates of about 1%, UCB with P = 2 explores for "
                    "ever, so whatever keeps it from exploring gains much.",
                ),
            ),
        ],
    )


def _doses(made: Made) -> Section:
    shown = numbers.table(dose_records(made.results), _DOSES)
    return Section(
        "Where G has its peaks",
        [
            paragraph(
                "All windows that were played, ranked by their spread (the greatest G over the "
                "mean) and cut into five groups. Each test meets windows by lot; "
                f"of {counted(_tests_played(made), 'test')} there are games in every group for "
                f"{_in_all_groups(made)}."
            ),
            pictures(
                (
                    made.pictures["doses"],
                    "Clicks gained at equal tuning, by the spread of G, with 95% intervals.",
                )
            ),
            folded("the table", table(shown, sortable=True)),
        ],
    )


def _games(made: Made) -> Section:
    return Section(
        "The games",
        [
            bullets(
                [
                    f"{_which_tests(made)} Each half, by lot, is played with what was tuned on the "
                    "other. The intervals hold the luck of the tests, and not that of tuning: "
                    "another --seed tunes anew.",
                    "Windows to tune on have other start days than those to report, but are weeks "
                    f"long and overlap: of the days in windows to report, {_overlaps(made)} also "
                    "lie in a window to tune on. Tuning has thus seen the G of those days, and "
                    "never the tests.",
                    "One turn is one day. The chosen headline is shown to that day's visitors: "
                    "cards in proportion to G are dealt from its deck, without replacement. X is "
                    "the day's click rate, the reward its clicks.",
                    "Whole test: a game deals as many cards as the test had impressions. Whoever "
                    "settles on one headline runs past the end of its deck; the deck is then "
                    "shuffled anew, which keeps its mean, and such cards are counted. One deck: a "
                    "game deals as many cards as the smallest deck holds, so nobody runs past "
                    "an end.",
                    "Even samples: every day deals equally many cards, and its clicks count in "
                    "proportion to G. This is the paper's model, in which a quiet turn teaches as "
                    "much as a busy one. In the other settings a busy day costs more to explore "
                    "and teaches more in the same proportion.",
                    "All policies of a game meet the same order of every deck. Policies know G of "
                    "the whole window beforehand, as in the paper.",
                    "A deck remembers: after many clicks it holds fewer. A policy that follows "
                    "luck therefore gets a little less than its headlines are worth by their "
                    "means; regret and 'in expectation' go by the means.",
                    "The gaps between decks are those of the samples: part of them is luck of the "
                    "tests themselves, so real gaps are smaller.",
                ]
            ),
            pictures((made.pictures["example"], "The first game of the list, which is by lot.")),
        ],
    )


def _which_tests(made: Made) -> str:
    enough, played = len(made.data.decks) + len(made.data.too_small), _tests_played(made)
    some = f"{enough:,} of {made.data.tests:,} tests have {FEWEST_ARMS} arms or more"
    if played == enough:
        return f"{some}, and all of them are played."
    return f"{some}; {played:,} of them are played."


def _tests_played(made: Made) -> int:
    return int(np.unique(made.results[0].games.tests).size)


def _in_all_groups(made: Made) -> str:
    return _by_length({r.setting.days: f"{in_all_groups(r):,}" for r in made.results})


def _overlaps(made: Made) -> str:
    """For each length of a game, the share of days that are both reported and tuned on."""
    shares = {
        r.setting.days: shared_days(made.data, r.setting, made.effort, made.seed)
        for r in made.results
    }
    return _by_length({days: percent(share) for days, share in shares.items()})


def _by_length(told: Mapping[int, str]) -> str:
    """What depends on nothing but the days of a game: settings of one length draw alike."""
    return listed([f"{text} ({days // 7} weeks)" for days, text in told.items()])


def _numbers(made: Made) -> Section:
    shown = numbers.table(records(made.results), _COLUMNS)
    return Section("All numbers", [folded("the table", table(shown, sortable=True))])


def _how(made: Made) -> Section:
    quick = " --quick" if made.quick else ""
    effort = made.effort
    more = {
        "seed": str(made.seed),
        "start days for each test": f"{effort.games} of {effort.windows[1]}",
        "tuning, for each policy in each setting": (
            f"{effort.candidates} candidates, one start day for each test; the best "
            f"{effort.finalists} play {effort.tuning}, of {effort.windows[0]} other start days"
        ),
        "data": made.data.digest,
    }
    return Section(
        "How this was made",
        [
            command(
                f"highseason reproduce --only upworthy --upworthy FOLDER{quick} "
                f"--games {effort.games} --seed {made.seed} --out report/"
            ),
            made_with(more),
            paragraph(f"The data: {WHERE}."),
            paragraph("All numbers, beside this page:"),
            files([path.name for path in made.files]),
        ],
    )
