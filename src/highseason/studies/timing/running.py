"""Tune every policy alike on every season, play other games, and compare."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from highseason.games import simulate
from highseason.policies import Greedy, Policy
from highseason.report.drawing import require_matplotlib
from highseason.results import SimulationResult
from highseason.studies import numbers
from highseason.studies.figures import draw_all
from highseason.studies.store import Store, fingerprint
from highseason.studies.study import Outcome, Progress, Work
from highseason.studies.timing import analysis
from highseason.studies.timing.page import Made, drawings, report_page
from highseason.studies.timing.settings import (
    BUDGET,
    GAMES,
    QUICK_BUDGET,
    QUICK_GAMES,
    TUNED,
    Season,
    made_up,
    real,
)
from highseason.studies.tuned import Budget, tuned_players
from highseason.tuning import derive_seed, quiet_plans


def run(
    out: Path,
    games: int | None = None,
    seed: int = 0,
    quick: bool = False,
    profile: Sequence[str] = (),
    progress: Progress | None = None,
    threads: int | None = None,
    data: Path | None = None,
    files: Sequence[Path] = (),
) -> Outcome:
    """The study of timing: see `highseason.studies.study.Study`.  All its players are tuned."""
    require_matplotlib()
    games = games or (QUICK_GAMES if quick else GAMES)
    budget = QUICK_BUDGET if quick else BUDGET
    with_traffic, missing = real(data)
    seasons = [*made_up(quick), *with_traffic]
    store = Store(out / "runs")
    work = Work(2 * len(seasons) + 6, progress)
    results = {s: _play(s, games, seed, budget, store, threads, work) for s in seasons}
    with work.step("writing"):
        files = numbers.write(analysis.records(results), out, "numbers")
    pictures = draw_all(dict(drawings(results)), out / "figures", work, quick)
    made = Made(results, pictures, games, seed, quick, budget, missing, files)
    with work.step("writing"):
        page = report_page(made).save(out / "index.html")
    return Outcome(page, made.headlines(), work.seconds, files, len(store.found))


def _play(
    season: Season,
    games: int,
    seed: int,
    budget: Budget,
    store: Store,
    threads: int | None,
    work: Work,
) -> SimulationResult:
    rewards = season.rewards()
    own = derive_seed(seed, season.id)  # no two seasons share their luck
    with work.step("tuning"):
        players: dict[str, Policy] = tuned_players(
            TUNED, rewards, season.G, budget, own, store, f"tuning/{season.id}", threads
        )
    players |= {"greedy": Greedy()}
    stamp = fingerprint(
        season.id, season.G.digest(), games, own, [str(policy) for policy in players.values()]
    )

    def make() -> SimulationResult:
        with quiet_plans():
            return simulate(players, rewards, season.G, games, own, threads=threads)

    with work.step("simulating"):
        return store.result(season.id, stamp, make)
