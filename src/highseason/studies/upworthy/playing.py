"""Which games are played: tests and start days, some to tune on and others to report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from highseason.core.formatting import counted
from highseason.policies import Policy, from_json
from highseason.studies.legacy_store import Store, fingerprint
from highseason.studies.study import MissingDataError
from highseason.studies.upworthy.data import Data, halves, shuffled
from highseason.studies.upworthy.deck_games import DeckGames, play_decks
from highseason.studies.upworthy.settings import (
    BESIDE,
    GROUPS,
    TUNED,
    Effort,
    Setting,
    candidates,
    defaults,
)
from highseason.studies.upworthy.sizes import cards_of
from highseason.tuning import derive_seed

#: Each half of the tests is reported by players that were tuned on the other.
FOLDS = (0, 1)


@dataclass(frozen=True, eq=False)
class Played:
    """The reported games of one setting.

    Attributes:
        setting: How the tests were played.
        games: Which tests, on which days: those of the second half after those of the first.
        players: Who played, by label: one for each half.
        totals: By name of the metric, a row per player and a column per game.
    """

    setting: Setting
    games: DeckGames
    players: Mapping[str, Sequence[Policy]]
    totals: Mapping[str, NDArray[np.float64]]

    def row(self, label: str) -> int:
        """Where a player stands."""
        return list(self.players).index(label)

    @property
    def spreads(self) -> NDArray[np.float64]:
        """The greatest G over the mean G in each window."""
        return np.array([G.values.max() / G.values.mean() for G in self.games.seasons])


def start_days(data: Data, setting: Setting, effort: Effort, seed: int) -> list[NDArray[np.int64]]:
    """The first days (from 1) of the windows to tune on, and of those to report: none in both.

    The windows themselves are weeks long and overlap: see `shared_days`.

    Raises:
        MissingDataError: There are too few days for so many windows.
    """
    few, many = effort.windows
    needed = setting.days + few + GROUPS - 1
    if data.views.turns < needed:
        raise MissingDataError(
            f"the page views cover {counted(data.views.turns, 'day')}; {needed} are needed for "
            f"games of {setting.days} days that start on {few} days to tune on and on {GROUPS} or "
            "more others to report: give a longer file with --upworthy"
        )
    order = 1 + shuffled(data.views.turns - setting.days + 1, seed, f"days {setting.days}")
    return [np.sort(order[:few]), np.sort(order[few : few + many])]


def shared_days(data: Data, setting: Setting, effort: Effort, seed: int) -> float:
    """The share of the days in windows to report that also lie in a window to tune on."""
    tuning, reported = (
        {day for start in starts.tolist() for day in range(start, start + setting.days)}
        for starts in start_days(data, setting, effort, seed)
    )
    return len(tuning & reported) / len(reported)


def tuning_games(
    data: Data, setting: Setting, effort: Effort, seed: int, fold: int, each: int
) -> DeckGames:
    """Games of the half that is not reported, `each` of a test."""
    tests = halves(len(data.decks), seed)[1 - fold]
    days, _ = start_days(data, setting, effort, seed)
    own = derive_seed(seed, f"tuning {fold}")
    return _games(data, setting, tests[: effort.tests], days, each, own)


def reported_games(data: Data, setting: Setting, effort: Effort, seed: int, fold: int) -> DeckGames:
    """Games of the other half, with other start days."""
    tests = halves(len(data.decks), seed)[fold]
    _, days = start_days(data, setting, effort, seed)
    own = derive_seed(seed, f"reported {fold}")
    return _games(data, setting, tests[: effort.tests], days, effort.games, own)


def _games(
    data: Data,
    setting: Setting,
    tests: NDArray[np.int64],
    days: NDArray[np.int64],
    each: int,
    seed: int,
) -> DeckGames:
    """Every test starts on `each` of the days, by lot; no day twice while there are others."""
    seasons = [data.views.window(int(day), int(day) + setting.days - 1) for day in days]
    rounds = -(-each // days.size)
    season = [
        np.concatenate([shuffled(days.size, seed, f"{test}/{again}") for again in range(rounds)])
        for test in tests.tolist()
    ]
    return DeckGames(
        data.decks,
        seasons,
        np.repeat(tests, each),
        np.concatenate([order[:each] for order in season]),
        cards_of(data.decks, setting),
        derive_seed(seed, setting.id),
        setting.even,
    )


def tuned(
    data: Data,
    setting: Setting,
    effort: Effort,
    seed: int,
    fold: int,
    store: Store,
    threads: int | None,
) -> dict[str, Policy]:
    """The best of every policy: equally many candidates, the same games for all of them."""
    stamp = fingerprint(data.digest, vars(setting), vars(effort), seed, fold)

    def find() -> dict[str, str]:
        first = tuning_games(data, setting, effort, seed, fold, 1)
        final = tuning_games(data, setting, effort, seed, fold, effort.tuning)
        found = {}
        for kind in TUNED:
            left = _best(candidates(kind, effort.candidates), first, effort.finalists, threads)
            found[kind.name] = _best(left, final, 1, threads)[0].to_json()
        return found

    told = store.document(f"tuning/{setting.id}-{fold + 1}", stamp, find)
    return {name: from_json(text) for name, text in told.items()}


def _best(tried: list[Policy], games: DeckGames, count: int, threads: int | None) -> list[Policy]:
    """The few that lose least, in clicks over all games; of equals, those that come first."""
    players = {str(place): policy for place, policy in enumerate(tried)}
    lost = play_decks(players, games, threads)["regret"].sum(axis=1)
    return [tried[i] for i in np.argsort(lost, kind="stable")[:count]]


def played(
    data: Data,
    setting: Setting,
    effort: Effort,
    seed: int,
    winners: Sequence[Mapping[str, Policy]],
    threads: int | None,
) -> Played:
    """The tuned players, the same untuned, greedy and uniform, all over the reported games."""
    beside: dict[str, Policy] = {kind.name: kind() for kind in BESIDE} | defaults()
    players = [{**winners[fold], **beside} for fold in FOLDS]
    games = [reported_games(data, setting, effort, seed, fold) for fold in FOLDS]
    parts = [play_decks(players[fold], games[fold], threads) for fold in FOLDS]
    both = replace(
        games[0],
        tests=np.concatenate([part.tests for part in games]),
        season=np.concatenate([part.season for part in games]),
    )
    return Played(
        setting,
        both,
        {label: [mine[label] for mine in players] for label in players[0]},
        {name: np.hstack([part[name] for part in parts]) for name in parts[0]},
    )
