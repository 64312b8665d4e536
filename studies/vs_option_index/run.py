"""Play everyone in every setting; tune on one half of the games and judge on the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import highseason as hs
from highseason.advice import derive_seed
from highseason.traffic import Forecast
from studies.crossfit import CrossFit, crossfit
from studies.frames import Rows, columns
from studies.session import RegretsTask, StudySession
from studies.study import Results
from studies.upworthy import data as upworthy
from studies.upworthy import settings as headlines
from studies.upworthy.decks import play_decks
from studies.upworthy.run import Draw
from studies.vs_option_index.entrants import (
    BY_LABEL,
    COUNTING,
    OPTION,
    UNTUNED,
    Lineup,
    entrants_of,
    lineup,
)
from studies.vs_option_index.settings import FULL, QUICK, WORLDS, Effort, Meeting, all_settings

#: The best of the paper's policies, AdaUCB and greedy, and the best of all that are not ours:
#: chosen, like everything that is tuned, on the other half of the games.
BEST, BEST_OF_ALL = "best of the paper's, ada-ucb and greedy", "best of all rivals"
#: The end of the label of a policy that was given a forecast.
FORECAST = ", forecast"
#: The variance of a day's click rate of a headline, 1.3% over some 600 visitors; and of a click.
_DECK_NOISE, _CARD_NOISE = 2e-5, 0.013

#: A loss that is never chosen: of what does not play games of tuning.
_NEVER = 1e9

Numbers = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ComparisonResults(Results):
    """The frames `ratios` (by rival), `regulated` (by pair) and `forecasts` of every setting."""

    missing: list[str]  # Why real data is missing, if it is
    worlds = WORLDS


def run(session: StudySession) -> ComparisonResults:
    """Play all settings."""
    if "everyone" not in session.profiles:
        raise ValueError(
            "the study vs_option_index needs its profile everyone: leave out --profile, or add it"
        )
    effort = (QUICK if session.quick else FULL).with_games(session.games)
    meetings = all_settings(session.quick, session.data, session.parts)
    decks = _Decks.of(session, effort) if "decks" in session.parts else None
    several = len(meetings) + (len(decks.settings) if decks else 0)
    session.expect(2 * several * len(session.profiles))
    rows: dict[str, Rows] = {"ratios": [], "regulated": [], "forecasts": []}
    for profile in session.profiles:
        entries = [_Entry.of(session.seed, profile, meeting, effort) for meeting in meetings]
        tasks = {name: task for entry in entries for name, task in entry.tasks()}
        lost = dict(zip(tasks, session.results("simulating", list(tasks.values())), strict=True))
        for entry in entries:
            _add(rows, _about(entry.meeting), entry.met(lost))
        if decks is not None:
            decks.add(session, profile, rows)
    facts = {
        "games per setting": f"{effort.games:,}; every headline test is played once",
        "tuning": f"{effort.candidates} candidates of every policy on {effort.tuning} other games; "
        "fewer of thompson and kl-ucb with many arms; headline tests: on the other half of them",
    }
    frames = {name: pd.DataFrame(content) for name, content in rows.items() if content}
    return ComparisonResults(frames, effort.games, facts, _missing(session, meetings, decks))


def _about(meeting: Meeting) -> dict[str, Any]:
    return {
        "world": meeting.world, "setting": meeting.id, "arms": meeting.rewards.arms,
        "turns": meeting.G.turns, "rho": meeting.rho,
    }  # fmt: skip


@dataclass(frozen=True, eq=False)
class Met:
    """What everyone lost in one setting."""

    fit: CrossFit
    lineup: Lineup
    forecast: bool = False  # Whether everyone also played with a forecast of G

    @classmethod
    def of(
        cls, lost: Numbers, who: Lineup, seed: int, tuning: Numbers | None = None,
        forecast: bool = False,
    ) -> Met:  # fmt: skip
        """Choose and judge, for every policy and for the best of several."""
        families = who.families | _together(who.families)
        if forecast:
            known = len(who.policies)
            families |= {
                label + FORECAST: [known + row for row in rows] for label, rows in families.items()
            }
        return cls(crossfit(lost, families, seed, tuning), who, forecast)

    def parameters(self, label: str) -> str:
        """What was chosen on each half."""
        names = (str(self.lineup.policies[row]) for row in self.fit.chosen[label])
        return " / ".join(dict.fromkeys(names))


def _together(families: Mapping[str, list[int]]) -> dict[str, list[int]]:
    """The rows of the best of several policies, tuned and untuned."""
    ours = {each.label for each in BY_LABEL.values() if each.group == "ours"}
    rivals = {each.label for each in BY_LABEL.values() if each.is_rival}
    groups: dict[str, list[int]] = {}
    for label, rows in families.items():
        bare = label.removesuffix(UNTUNED)
        # What has nothing to tune takes part both times.
        ends = ["", UNTUNED] if bare == label and bare + UNTUNED not in families else [""]
        ends = [UNTUNED] if bare != label else ends
        for end in ends:
            if bare in rivals:
                groups.setdefault(BEST + end, []).extend(rows)
            if bare.removesuffix(COUNTING) not in ours:
                groups.setdefault(BEST_OF_ALL + end, []).extend(rows)
    return groups


@dataclass(frozen=True, eq=False)
class _Entry:
    """A setting, and who plays there."""

    meeting: Meeting
    lineup: Lineup
    effort: Effort
    name: str
    seed: int

    @classmethod
    def of(cls, seed: int, profile: str, meeting: Meeting, effort: Effort) -> _Entry:
        who = lineup(meeting, effort.candidates, entrants_of(meeting, profile))
        name = f"{meeting.world}/{meeting.id}"
        return cls(meeting, who, effort, f"{profile}/{name}", derive_seed(seed, name))

    @property
    def forecasts(self) -> dict[str, Forecast | None]:
        """With G known, and with its forecast if there is one; by the end of the name."""
        forecast = self.meeting.forecast
        return {"": None} if forecast is None else {"": None, "-forecast": forecast}

    def tasks(self) -> Iterator[tuple[str, RegretsTask]]:
        """Games to judge by, and other games to tune by; by name."""
        who, one = self.lineup, self.meeting
        tried, search = [who.policies[row] for row in who.tried], derive_seed(self.seed, "search")
        for end, forecast in self.forecasts.items():
            where = one.rewards, one.G
            known = forecast, one.lifetimes
            judged = RegretsTask.of(who.policies, *where, self.effort.games, self.seed, *known)
            yield f"{self.name}{end}", judged
            if tried:
                tuning = RegretsTask.of(tried, *where, self.effort.tuning, search, *known)
                yield f"{self.name}{end}-tuning", tuning

    def met(self, lost: Mapping[str, Numbers]) -> Met:
        """Choose and judge by what was lost in each task."""
        who, judged, searched = self.lineup, [], []
        for end in self.forecasts:
            tuning = np.full((len(who.policies), self.effort.tuning), _NEVER)
            if who.tried:
                tuning[who.tried] = lost[f"{self.name}{end}-tuning"]
            judged.append(lost[f"{self.name}{end}"])
            searched.append(tuning)
        both = np.vstack(judged), np.vstack(searched)
        return Met.of(both[0], who, self.seed, both[1], forecast=len(judged) > 1)


@dataclass(frozen=True, eq=False)
class _Decks:
    """The headline tests: a test is what was drawn independently, so its games count together."""

    archive: upworthy.Archive
    effort: Effort
    settings: tuple[headlines.HeadlineSetting, ...]

    @classmethod
    def of(cls, session: StudySession, effort: Effort) -> _Decks | None:
        folder = session.data
        if folder is None or not all((folder / f).is_file() for f in _FILES):
            return None
        settings = headlines.QUICK_SETTINGS[:1] if session.quick else headlines.SETTINGS
        return cls(upworthy.big_enough(upworthy.read([folder]), settings), effort, settings)

    def add(self, session: StudySession, profile: str, rows: dict[str, Rows]) -> None:
        """The rows of every way to play the tests."""
        for setting in self.settings:
            about = {"world": "decks", "setting": setting.id, "turns": setting.days}
            _add(rows, about, self._meet(session, profile, setting))

    def _meet(self, session: StudySession, profile: str, setting: headlines.HeadlineSetting) -> Met:
        # Where every day deals alike, visitors say nothing of a day's G.
        rho = None if setting.even else 0.0
        meeting = Meeting(
            "decks", setting.id, hs.rewards.bernoulli(arms=4), _ONE, _DECK_NOISE, rho=rho,
            visitor_noise=_CARD_NOISE,
        )  # fmt: skip
        who = lineup(meeting, self.effort.candidates, entrants_of(meeting, profile))
        inputs = ["decks", self.archive.digest, setting, who.policies, session.seed]
        with session.step("simulating"):
            lost = session.piece(inputs, lambda: self._play(session, setting, who))
        return Met.of(lost, who, session.seed)

    def _play(
        self, session: StudySession, setting: headlines.HeadlineSetting, who: Lineup
    ) -> Numbers:
        effort = headlines.QUICK if session.quick else headlines.FULL
        draw = Draw(self.archive, setting, replace(effort, games=1), session.seed)
        numbered = {str(i): policy for i, policy in enumerate(who.policies)}
        parts, best = [], 0.0
        for half in (0, 1):
            games = draw.to_report(half)
            parts.append(play_decks(numbered, games, session.local)["regret"])
            best += games.best_reward.sum()
        both = np.hstack(parts)
        return np.asarray(np.round(both / (best / both.shape[1]), 9))


_FILES = (upworthy.TESTS, upworthy.VIEWS)
_ONE = hs.traffic.constant(turns=1)


def _missing(session: StudySession, meetings: list[Meeting], decks: _Decks | None) -> list[str]:
    why = "no --data was given" if session.data is None else "not in the folder given with --data"
    there = {meeting.world for meeting in meetings} | ({"decks"} if decks else set())
    return [f"{WORLDS[part]}: {why}" for part in session.parts if part not in there]


def _add(rows: dict[str, Rows], about: dict[str, Any], met: Met) -> None:
    """The rows of one setting."""
    known = [label for label in met.fit.means if not label.endswith(FORECAST)]
    if OPTION in met.fit.means:
        rows["ratios"] += _ratios(about, met, known)
    rows["regulated"] += [
        about
        | {"policy": label, "against": plain}
        | columns("ratio", met.fit.ratio(label, plain))
        | columns("gain", met.fit.saved(label, plain))
        for label, plain in _pairs(met.fit)
    ]
    if met.forecast and OPTION in met.fit.means:
        rows["forecasts"] += [
            about | {"policy": label} | columns("lost", met.fit.saved(label, label + FORECAST))
            | columns("ratio", met.fit.ratio(label + FORECAST, label))
            for label in known
            if not label.endswith(UNTUNED)
        ]  # fmt: skip


def _ratios(about: dict[str, Any], met: Met, known: list[str]) -> Rows:
    """The option index against each of them."""
    return [
        about
        | {"rival": label.removesuffix(UNTUNED), "tuned": not label.endswith(UNTUNED)}
        | {"parameters": met.parameters(label), "rival_regret": met.fit.means[label]}
        | {"option_regret": met.fit.means[OPTION]}
        | columns("ratio", met.fit.ratio(OPTION, label))
        for label in known
        if label != OPTION
    ]


def _pairs(fit: CrossFit) -> list[tuple[str, str]]:
    """Regulated policies with the same rule unregulated, both tuned or both as published."""
    pairs = []
    for each in BY_LABEL.values():
        for end in (COUNTING, ""):
            for tuned in ("", UNTUNED):
                label, plain = (name + end + tuned for name in (each.label, each.plain))
                if each.plain and label in fit.means:
                    pairs.append((label, plain if plain in fit.means else each.plain + end))
    return pairs
