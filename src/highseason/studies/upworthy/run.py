"""Tune every policy alike on each half of the tests, play the other half, and compare."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from highseason.core.formatting import counted
from highseason.policies import Policy
from highseason.results import Estimate
from highseason.studies.frames import columns
from highseason.studies.session import StudySession
from highseason.studies.study import MissingDataError, Results
from highseason.studies.upworthy import comparisons as compare
from highseason.studies.upworthy import settings
from highseason.studies.upworthy.comparisons import Played
from highseason.studies.upworthy.data import Archive, big_enough, cards_of, halves, read, shuffled
from highseason.studies.upworthy.decks import DeckGames, play_decks
from highseason.studies.upworthy.settings import (
    DeckEffort,
    HeadlineSetting,
    default,
    defaults,
    space,
    untuned,
)
from highseason.tuning import Score, derive_seed

#: Each half of the tests is reported by policies that were tuned on the other.
FOLDS = (0, 1)


@dataclass(frozen=True, eq=False)
class UpworthyResults(Results):
    """The frames `numbers`, `doses`, `responses` (by spread of G) and `windows` (by length)."""

    archive: Archive  # The tests and page views
    example: tuple[int, Any]  # The first game: which test, and its window
    tests: int  # How many tests were played
    windows: int  # How many start days were drawn from


def run(session: StudySession) -> UpworthyResults:
    """Play all settings; `games` is how many start days each test gets."""
    effort = settings.QUICK if session.quick else settings.FULL
    chosen = settings.QUICK_SETTINGS if session.quick else settings.SETTINGS
    effort = replace(effort, games=session.games or effort.games)
    archive = read(session.files)
    for setting in chosen:  # too few days are reported before any work
        start_days(archive, setting, effort, session.seed)
    archive = big_enough(archive, chosen)
    session.expect(3 * len(chosen))
    played = [_play(session, archive, setting, effort) for setting in chosen]
    frames = {
        "numbers": pd.DataFrame([row for each in played for row in rows_of(each)]),
        "doses": pd.DataFrame([row for each in played for row in _doses(each)]),
        "responses": pd.DataFrame([row for each in played for row in _responses(each)]),
        "windows": _windows(archive, effort, session.seed, played),
    }
    games = played[0].games
    (many, one), (few, more) = effort.budget.rounds
    facts = {
        "start days per test": f"{effort.games} of {effort.windows[1]}",
        "tuning, per policy and setting": (
            f"{many} candidates with {counted(one, 'start day')} per test; the best {few} play "
            f"{more}, of {effort.windows[0]} other start days"
        ),
        "digest of the data": archive.digest,
    }
    example = int(games.tests[0]), games.seasons[int(games.season[0])]
    tests = int(np.unique(games.tests).size)
    return UpworthyResults(frames, effort.games, facts, archive, example, tests, len(games.seasons))


def start_days(
    archive: Archive, setting: HeadlineSetting, effort: DeckEffort, seed: int
) -> list[NDArray[np.int64]]:
    """The first days (from 1) of the windows to tune on, and of those to report: none in both.

    The windows themselves are weeks long and overlap: see `shared_days`.
    """
    few, many = effort.windows
    needed = setting.days + few + settings.GROUPS - 1
    if archive.views.turns < needed:
        raise MissingDataError(
            f"the page views cover {counted(archive.views.turns, 'day')}; {needed} are needed for "
            f"games of {setting.days} days that start on {few} days to tune on and on "
            f"{settings.GROUPS} or more others to report: give a longer file with --upworthy"
        )
    order = 1 + shuffled(archive.views.turns - setting.days + 1, seed, f"days {setting.days}")
    return [np.sort(order[:few]), np.sort(order[few : few + many])]


def shared_days(archive: Archive, setting: HeadlineSetting, effort: DeckEffort, seed: int) -> float:
    """The share of the days in windows to report that also lie in a window to tune on."""
    tuning, reported = (
        {day for start in starts.tolist() for day in range(start, start + setting.days)}
        for starts in start_days(archive, setting, effort, seed)
    )
    return len(tuning & reported) / len(reported)


def tuning_games(
    archive: Archive, setting: HeadlineSetting, effort: DeckEffort, seed: int, fold: int, each: int
) -> DeckGames:
    """Games of the half that is not reported, `each` of a test."""
    tests = halves(len(archive.decks), seed)[1 - fold]
    days, _ = start_days(archive, setting, effort, seed)
    own = derive_seed(seed, f"tuning {fold}")
    return _games(archive, setting, tests[: effort.tests], days, each, own)


def reported_games(
    archive: Archive, setting: HeadlineSetting, effort: DeckEffort, seed: int, fold: int
) -> DeckGames:
    """Games of the other half, with other start days."""
    tests = halves(len(archive.decks), seed)[fold]
    _, days = start_days(archive, setting, effort, seed)
    own = derive_seed(seed, f"reported {fold}")
    return _games(archive, setting, tests[: effort.tests], days, effort.games, own)


def _games(
    archive: Archive,
    setting: HeadlineSetting,
    tests: NDArray[np.int64],
    days: NDArray[np.int64],
    each: int,
    seed: int,
) -> DeckGames:
    """Every test starts on `each` of the days, at random; no day twice while there are others."""
    seasons = [archive.views.window(int(day), int(day) + setting.days - 1) for day in days]
    rounds = -(-each // days.size)
    season = [
        np.concatenate([shuffled(days.size, seed, f"{test}/{again}") for again in range(rounds)])
        for test in tests.tolist()
    ]
    return DeckGames(
        archive.decks,
        seasons,
        np.repeat(tests, each),
        np.concatenate([order[:each] for order in season]),
        cards_of(archive.decks, setting),
        derive_seed(seed, setting.id),
        setting.even,
    )


def _play(
    session: StudySession, archive: Archive, setting: HeadlineSetting, effort: DeckEffort
) -> Played:
    winners = [tuned(session, archive, setting, effort, fold) for fold in FOLDS]
    with session.step("simulating"):
        return played(archive, setting, effort, session.seed, winners, session.workers)


def tuned(
    session: StudySession, archive: Archive, setting: HeadlineSetting, effort: DeckEffort, fold: int
) -> dict[str, Policy]:
    """The best of every policy: equally many candidates, the same games for all of them."""

    @functools.cache
    def games(each: int) -> DeckGames:
        return tuning_games(archive, setting, effort, session.seed, fold, each)

    def evaluate(policies: Sequence[Policy], each: int) -> list[Score]:
        players = {str(i): policy for i, policy in enumerate(policies)}
        lost = play_decks(players, games(each), session.workers)["regret"].sum(axis=1)
        return [Score(float(regret), math.nan) for regret in lost]

    return session.tune(
        f"tuning/{setting.id}-{fold + 1}",
        {kind.name: space(kind) for kind in settings.TUNED},
        evaluate,
        effort.budget,
        [archive.digest, asdict(setting), asdict(effort), session.seed, fold],
    )


def played(
    archive: Archive,
    setting: HeadlineSetting,
    effort: DeckEffort,
    seed: int,
    winners: Sequence[Mapping[str, Policy]],
    workers: int | None,
) -> Played:
    """The tuned policies, the same untuned, greedy and uniform, all over the reported games."""
    beside: dict[str, Policy] = {kind.name: kind() for kind in settings.BESIDE} | defaults()
    players = [{**winners[fold], **beside} for fold in FOLDS]
    games = [reported_games(archive, setting, effort, seed, fold) for fold in FOLDS]
    parts = [play_decks(players[fold], games[fold], workers) for fold in FOLDS]
    both = replace(
        games[0],
        tests=np.concatenate([part.tests for part in games]),
        season=np.concatenate([part.season for part in games]),
    )
    return Played(
        setting,
        both,
        {label: [half[label] for half in players] for label in players[0]},
        {name: np.hstack([part[name] for part in parts]) for name in parts[0]},
    )


# -- frames ----------------------------------------------------------------------------------------


def rows_of(played: Played) -> list[dict[str, Any]]:
    """A row for each policy."""
    rows = []
    for label, both in played.players.items():
        row: dict[str, Any] = {
            "setting": played.setting.id,
            "title": played.setting.title,
            "days": played.setting.days,
            "games": len(played.games),
            "policy": label,
            "parameters": " / ".join(dict.fromkeys(map(str, both))),
            **columns("share_of_best", compare.share_of_best(played, label)),
            "expected_share": compare.expected_share(played, label),
            "overdrawn": compare.overdrawn(played, label),
        }
        rows.append(row | _against(played, label))
    return rows


def _against(played: Played, label: str) -> dict[str, Any]:
    """A regulated policy against the same rule unregulated, both tuned or both not."""
    name = label.removesuffix(default(""))
    base = settings.PAIRS.get(name, "")
    if base and name != label:
        base = untuned(base)
    row: dict[str, Any] = {"against": base}
    for key, of in (("reward_gain", compare.reward_gain), ("regret_saved", compare.regret_saved)):
        row |= columns(key, of(played, label, base) if base else Estimate(*(math.nan,) * 4))
    won, lost = compare.won_and_lost(played, label, base) if base else (math.nan, math.nan)
    return row | {"tests_won": won, "tests_lost": lost}


def _doses(played: Played) -> list[dict[str, Any]]:
    """A row for each group of windows of rising spread of G, and regulated policy."""
    spread = played.spreads[played.games.season]
    return [
        {
            "setting": played.setting.id,
            "title": played.setting.title,
            "whole": played.setting.whole,
            "policy": policy,
            "against": base,
            "spread_mean": float(spread[group].mean()),
            "spread_least": float(spread[group].min()),
            "spread_most": float(spread[group].max()),
            "games": int(group.sum()),
            **columns("reward_gain", compare.reward_gain(played, policy, base, group)),
        }
        for policy, base in settings.PAIRS.items()
        for group in compare.groups(played)
    ]


def _responses(played: Played) -> list[dict[str, Any]]:
    """A row for each regulated policy: the gain where G spreads most, less where it does least."""
    return [
        {"setting": played.setting.id, "title": played.setting.title, "policy": policy}
        | columns("response", compare.dose_response(played, policy, base))
        for policy, base in settings.SAME_RULE.items()
        if played.setting.whole
    ]


def _windows(
    archive: Archive, effort: DeckEffort, seed: int, played: Sequence[Played]
) -> pd.DataFrame:
    """By the length of a game, on which alone these depend."""
    by_days = {each.setting.days: each for each in played}
    return pd.DataFrame([
        {
            "days": days,
            "tests_in_all_groups": compare.in_all_groups(each),
            "shared_days": shared_days(archive, each.setting, effort, seed),
        }
        for days, each in by_days.items()
    ])  # fmt: skip
