"""Tune every policy alike on each half of the tests, play the other half, and compare."""

import functools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from highseason.advice import Score, derive_seed
from highseason.core.text import counted
from highseason.engine import Estimate, Moments, ratio_gain, with_interval
from highseason.policies import Policy
from studies.frames import Rows, columns
from studies.paper import PAIRS, SAME_RULE
from studies.session import StudySession, shuffled
from studies.study import MissingDataError, Results
from studies.upworthy import settings
from studies.upworthy.data import Archive, big_enough, cards_of, halves, read
from studies.upworthy.decks import DeckGames, play_decks
from studies.upworthy.settings import DeckEffort, HeadlineSetting, default, untuned

Numbers = NDArray[np.float64]
Chosen = NDArray[np.bool_] | None

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
        Draw(archive, setting, effort, session.seed).start_days()
    archive = big_enough(archive, chosen)
    draws = [Draw(archive, setting, effort, session.seed) for setting in chosen]
    session.expect(3 * len(draws))
    played = [_play(session, draw) for draw in draws]
    windows = {
        draw.setting.days: {
            "days": draw.setting.days,
            "tests_in_all_groups": each.in_all_groups(),
            "shared_days": draw.shared_days(),
        }
        for draw, each in zip(draws, played, strict=True)
    }
    frames = {
        "numbers": [row for each in played for row in _rows(each)],
        "doses": [row for each in played for row in _doses(each)],
        "responses": [row for each in played for row in _responses(each)],
        "windows": list(windows.values()),  # on the length of a game alone these depend
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
    return UpworthyResults(
        {name: pd.DataFrame(rows) for name, rows in frames.items()},
        effort.games,
        facts,
        archive,
        example=(int(games.tests[0]), games.seasons[int(games.season[0])]),
        tests=int(np.unique(games.tests).size),
        windows=len(games.seasons),
    )


@dataclass(frozen=True, eq=False)
class Draw:
    """Which games are played in one setting: which tests, starting on which days."""

    archive: Archive
    setting: HeadlineSetting
    effort: DeckEffort
    seed: int

    def start_days(self) -> list[NDArray[np.int64]]:
        """The first days (from 1) of the windows to tune on, and of those to report: none in both.

        The windows themselves are weeks long and overlap: see `shared_days`.
        """
        (few, many), days, there = self.effort.windows, self.setting.days, self.archive.views.turns
        needed = days + few + settings.GROUPS - 1
        if there < needed:
            raise MissingDataError(
                f"the page views cover {counted(there, 'day')}; {needed} are needed for "
                f"games of {days} days that start on {few} days to tune on and on "
                f"{settings.GROUPS} or more others to report: give a longer file with --upworthy"
            )
        order = 1 + shuffled(there - days + 1, self.seed, f"days {days}")
        return [np.sort(order[:few]), np.sort(order[few : few + many])]

    def shared_days(self) -> float:
        """The share of the days in windows to report that also lie in a window to tune on."""
        tuning, reported = (
            {day for start in starts.tolist() for day in range(start, start + self.setting.days)}
            for starts in self.start_days()
        )
        return len(tuning & reported) / len(reported)

    def to_tune_on(self, fold: int, each: int) -> DeckGames:
        """Games of the half that is not reported, `each` of a test."""
        return self._games(1 - fold, self.start_days()[0], each, f"tuning {fold}")

    def to_report(self, fold: int) -> DeckGames:
        """Games of the other half, with other start days."""
        return self._games(fold, self.start_days()[1], self.effort.games, f"reported {fold}")

    def _games(self, half: int, days: NDArray[np.int64], each: int, use: str) -> DeckGames:
        """Every test starts on `each` of the days, at random; no day twice if there are others."""
        archive, setting, seed = self.archive, self.setting, derive_seed(self.seed, use)
        tests = halves(len(archive.decks), self.seed)[half][: self.effort.tests]
        rounds = range(-(-each // days.size))
        season = [
            np.concatenate([shuffled(days.size, seed, f"{test}/{again}") for again in rounds])
            for test in tests.tolist()
        ]
        return DeckGames(
            archive.decks,
            [archive.views.window(int(day), int(day) + setting.days - 1) for day in days],
            np.repeat(tests, each),
            np.concatenate([order[:each] for order in season]),
            cards_of(archive.decks, setting),
            derive_seed(seed, setting.id),
            setting.even,
        )


@dataclass(frozen=True, eq=False)
class PlayedDraw:
    """The reported games of one setting, compared over all tests and by the spread of G.

    The tests are the sample: games of one test share their decks, so every interval takes a test's
    games together (a ratio of sums over tests).  The page views are those of one site, and fixed.
    """

    setting: HeadlineSetting  # How the tests were played
    games: DeckGames  # Which tests, on which days: first those of the first half
    players: Mapping[str, Sequence[Policy]]  # The policies by label: one for each half
    totals: Mapping[str, Numbers]  # By metric, a row per policy and a column per game

    @property
    def spreads(self) -> Numbers:
        """The greatest G over the mean G in each window."""
        return np.array([G.values.max() / G.values.mean() for G in self.games.seasons])

    def total(self, metric: str, *labels: str) -> Numbers:
        """A row for each of these policies, a column for each game."""
        everyone = list(self.players)
        return self.totals[metric][[everyone.index(label) for label in labels]]

    def gain(self, metric: str, policy: str, base: str, chosen: Chosen = None) -> Estimate:
        """By what share a metric of `policy` exceeds that of `base`, with its interval."""
        return self._ratio(self.total(metric, policy, base), chosen)

    def saved(self, policy: str, base: str) -> Estimate:
        """What share of the regret of `base` `policy` saves."""
        more = self.gain("regret", policy, base)
        return Estimate(-more.value, more.error, -more.high, -more.low)

    def share_of_best(self, label: str) -> Estimate:
        """Clicks as a share of what the best headlines were worth."""
        less = self._ratio(np.vstack([self.total("reward", label), self.games.best_reward]))
        return Estimate(1 + less.value, less.error, 1 + less.low, 1 + less.high)

    def won_and_lost(self, policy: str, base: str) -> tuple[float, float]:
        """The shares of tests over whose games `policy` loses less, and more, than `base`."""
        own, other = self._by_test(self.total("regret", policy, base))
        near = 1e-9 * np.maximum(1.0, other)
        return float((own < other - near).mean()), float((own > other + near).mean())

    def groups(self) -> list[NDArray[np.bool_]]:
        """Games by the spread of their window, in groups of nearly the same number of windows.

        Only windows that were played count; fewer of them than groups are a group each.
        """
        windows, own = np.unique(self.games.season, return_inverse=True)
        rank = np.empty(windows.size, np.int64)
        rank[np.argsort(self.spreads[windows], kind="stable")] = np.arange(windows.size)
        count = min(settings.GROUPS, windows.size)
        group = (rank * count // windows.size)[own.ravel()]
        return [group == i for i in range(count)]

    def in_all_groups(self) -> int:
        """How many tests have games in every group: their windows are random."""
        there = [set(self.games.tests[group].tolist()) for group in self.groups()]
        return len(set.intersection(*there))

    def dose_response(self, policy: str, base: str) -> Estimate:
        """The gain where G spreads most less the gain where it spreads least, paired by test."""
        parts, values = [], []
        for group in (self.groups()[-1], self.groups()[0]):
            own, other = self._by_test(self.total("reward", policy, base), group)
            ratio = own.sum() / other.sum()
            values.append(ratio)
            parts.append((own - ratio * other) / other.mean())
        error = float(np.std(parts[0] - parts[1], ddof=1) / math.sqrt(parts[0].size))
        return with_interval(float(values[0] - values[1]), error)

    def _ratio(self, pair: Numbers, chosen: Chosen = None) -> Estimate:
        return ratio_gain(Moments.of(self._by_test(pair, chosen)), 0, 1)

    def _by_test(self, values: Numbers, chosen: Chosen = None) -> Numbers:
        """Sums over the games of each test."""
        _, place = np.unique(self.games.tests, return_inverse=True)
        weights = values if chosen is None else values * chosen
        return np.stack([np.bincount(place.ravel(), row) for row in weights])


def _play(session: StudySession, draw: Draw) -> PlayedDraw:
    """The tuned policies, the same untuned, greedy and uniform, all over the reported games."""
    winners = [tuned(session, draw, fold) for fold in FOLDS]
    beside: dict[str, Policy] = {kind.name: kind() for kind in settings.BESIDE}
    beside |= {default(kind.name): kind() for kind in settings.TUNED}
    players: list[Mapping[str, Policy]] = [{**half, **beside} for half in winners]
    with session.step("simulating"):
        games = [draw.to_report(fold) for fold in FOLDS]
        parts = [play_decks(players[fold], games[fold], session.local) for fold in FOLDS]
    both = replace(
        games[0],
        tests=np.concatenate([part.tests for part in games]),
        season=np.concatenate([part.season for part in games]),
    )
    return PlayedDraw(
        draw.setting,
        both,
        {label: [half[label] for half in players] for label in players[0]},
        {name: np.hstack([part[name] for part in parts]) for name in parts[0]},
    )


def tuned(session: StudySession, draw: Draw, fold: int) -> dict[str, Policy]:
    """The best of every policy: equally many candidates, the same games for all of them."""
    games = functools.cache(functools.partial(draw.to_tune_on, fold))

    def evaluate(policies: Sequence[Policy], each: int) -> list[Score]:
        players = {str(i): policy for i, policy in enumerate(policies)}
        lost = play_decks(players, games(each), session.local)["regret"].sum(axis=1)
        return [Score(float(regret), math.nan) for regret in lost]

    return session.tune(
        {kind.name: settings.space(kind) for kind in settings.TUNED},
        evaluate,
        draw.effort.budget,
        [draw.archive.digest, draw.setting, draw.effort, session.seed, fold],
    )


def _rows(played: PlayedDraw) -> Rows:
    """A row for each policy."""
    games = played.games
    best, dealt = games.best_reward.sum(), games.cards[games.tests].sum()
    return [
        {
            "setting": played.setting.id,
            "title": played.setting.title,
            "days": played.setting.days,
            "games": len(games),
            "policy": label,
            "parameters": " / ".join(dict.fromkeys(map(str, both))),
            **columns("share_of_best", played.share_of_best(label)),
            # The same in expectation: what the headlines shown are worth by their decks' means.
            "expected_share": float(1 - played.total("regret", label).sum() / best),
            # The share of all cards that came from decks already used up.
            "overdrawn": float(played.total("overdrawn", label).sum() / dealt),
            **_against(played, label),
        }
        for label, both in played.players.items()
    ]


def _against(played: PlayedDraw, label: str) -> dict[str, Any]:
    """A regulated policy against the same rule unregulated, both tuned or both not."""
    name = label.removesuffix(default(""))
    base = PAIRS.get(name, "")
    if base and name != label:
        base = untuned(base)
    won, lost = played.won_and_lost(label, base) if base else (math.nan, math.nan)
    return {
        "against": base,
        **columns("reward_gain", played.gain("reward", label, base) if base else None),
        **columns("regret_saved", played.saved(label, base) if base else None),
        "tests_won": won,
        "tests_lost": lost,
    }


def _doses(played: PlayedDraw) -> Rows:
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
            **columns("reward_gain", played.gain("reward", policy, base, group)),
        }
        for policy, base in PAIRS.items()
        for group in played.groups()
    ]


def _responses(played: PlayedDraw) -> Rows:
    """A row for each regulated policy: the gain where G spreads most, less where it does least."""
    return [
        {"setting": played.setting.id, "title": played.setting.title, "policy": policy}
        | columns("response", played.dose_response(policy, base))
        for policy, base in SAME_RULE.items()
        if played.setting.whole
    ]
