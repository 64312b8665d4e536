"""Play every setting of the map with regulated policies and the same rules unregulated."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from highseason.advice import derive_seed
from highseason.engine import Estimate, with_interval
from studies.crossfit import CrossFit, crossfit
from studies.frames import Rows, columns
from studies.paper import SAME_RULE
from studies.session import RegretsTask, StudySession
from studies.study import Results
from studies.vs_option_index.entrants import COUNTING, OPTION, TWIN, Lineup, entrants_of, lineup
from studies.vs_option_index.settings import Meeting
from studies.when_it_pays.rule import FORMULA
from studies.when_it_pays.settings import (
    FULL,
    PARTS,
    QUICK,
    MapEffort,
    Traits,
    map_settings,
    traffic_settings,
)

#: The label of the mean over the paper's four pairs.
PAPER = "the paper's policies"
#: Regulated policies and the same rules unregulated; the pool has no twin but greedy.
PAIRS = {
    OPTION: TWIN,
    **{name + COUNTING: plain + COUNTING for name, plain in SAME_RULE.items()},
    "ada-ucb" + COUNTING: "ucb" + COUNTING,
    "variable-pool": "greedy",
}


@dataclass(frozen=True, eq=False)
class MapResults(Results):
    """The frame `gains` has a row for each pair in each setting, with the setting's traits."""

    missing: str  # Why real traffic is missing, if it is
    formula = FORMULA


def run(session: StudySession) -> MapResults:
    """Play all settings."""
    effort = QUICK if session.quick else FULL
    if session.games is not None:
        effort = replace(effort, games=session.games, turns=0)
    settings = [*_drawn(effort), *traffic_settings(session.quick, session.data)]
    session.expect(len(settings))
    lineups = [_lineup(meeting, effort) for meeting in settings]
    tasks = [_task(session.seed, m, who, effort) for m, who in zip(settings, lineups, strict=True)]
    played = zip(settings, lineups, tasks, session.results("simulating", tasks), strict=True)
    rows = [row for each in played for row in _rows(*each)]
    facts = {
        "games per setting": f"{effort.games:,} or more: {effort.turns:,} turns of every policy",
        "tuning": f"{effort.candidates} candidates of every policy; each half of the games is "
        "judged with what was chosen on the other half",
    }
    missing = "" if any(m.world == "traffic" for m in settings) else "no --data with real traffic"
    return MapResults({"gains": pd.DataFrame(rows)}, effort.games, facts, missing)


def _drawn(effort: MapEffort) -> Iterator[Meeting]:
    for part, count in effort.settings.items():
        yield from map_settings(part, count)


def _lineup(meeting: Meeting, effort: MapEffort) -> Lineup:
    paired = {*PAIRS, *PAIRS.values()}
    entrants = [each for each in entrants_of(meeting) if each.label in paired]
    return lineup(meeting, effort.candidates, entrants)


def _task(seed: int, meeting: Meeting, who: Lineup, effort: MapEffort) -> RegretsTask:
    name, G = f"{meeting.world}/{meeting.id}", meeting.G
    games, own = effort.games_of(G.turns), derive_seed(seed, name)
    return RegretsTask.of(who.policies, meeting.rewards, G, games, own)


def _rows(meeting: Meeting, who: Lineup, task: RegretsTask, lost: NDArray[np.float64]) -> Rows:
    fit = crossfit(lost, who.families, task.seed)
    about: dict[str, Any] = {
        "part": PARTS[meeting.world], "setting": meeting.id, "shape": meeting.G.name,
        "arms": meeting.rewards.arms, "turns": meeting.G.turns, "games": task.games,
        "rho": meeting.rho,
        "visitors": round(meeting.rewards.kind.share * float(meeting.G.values.mean())),
        **Traits.of(meeting)._asdict(),
    }  # fmt: skip
    rows = [about | _gained(fit, policy, plain) for policy, plain in PAIRS.items()]
    four = [(name + COUNTING, plain + COUNTING) for name, plain in SAME_RULE.items()]
    together = about | {"policy": PAPER, "against": "the same rules", "regret": float("nan")}
    return [*rows, together | columns("gain", _mean_gain(fit, four))]


def _gained(fit: CrossFit, policy: str, plain: str) -> dict[str, Any]:
    """What regulating gains of the best arm's reward, and by what it multiplies the regret."""
    return {
        "policy": policy.removesuffix(COUNTING), "against": plain.removesuffix(COUNTING),
        "regret": fit.means[plain], **columns("gain", fit.saved(policy, plain)),
        **columns("ratio", fit.ratio(policy, plain)),
    }  # fmt: skip


def _mean_gain(fit: CrossFit, pairs: Sequence[tuple[str, str]]) -> Estimate:
    """Of several pairs, which share their games and so their luck."""
    values = [fit.means[plain] - fit.means[policy] for policy, plain in pairs]
    repeats = sum(fit.repeats[plain] - fit.repeats[policy] for policy, plain in pairs)
    error = float((repeats / len(pairs)).std(ddof=1))  # type: ignore[union-attr]  # arrays
    return with_interval(float(np.mean(values)), error)
