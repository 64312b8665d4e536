"""Play the whole grid, draw it, and say what it shows; what is done already is not done again."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from highseason.core.warnings import quiet
from highseason.games import simulate
from highseason.policies import EpsilonGreedy, Policy, SoftEpsilonGreedy
from highseason.report.drawing import require_matplotlib
from highseason.results import SimulationResult
from highseason.studies import numbers
from highseason.studies.figures import draw_all
from highseason.studies.legacy_store import Store, fingerprint
from highseason.studies.legacy_work import Work
from highseason.studies.session import Progress
from highseason.studies.simulated import analysis, claims
from highseason.studies.simulated.figures import drawings
from highseason.studies.simulated.page import Made, report_page
from highseason.studies.simulated.settings import (
    BASELINES,
    BUDGET,
    GAMES,
    HEADLINE,
    HEADLINE_GAMES,
    PROFILES,
    QUICK_BUDGET,
    QUICK_GAMES,
    REGULATED,
    USUAL_PROFILES,
    Setting,
    grid,
    players,
)
from highseason.studies.study import Outcome
from highseason.studies.tuned import Budget, tuned_players

#: Steps of progress beside those of the settings: figures of a profile, and what comes once.
_DRAWN, _OTHERS = 28, 6


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
    """The paper's simulated study: see `highseason.studies.study.Study`."""
    profiles = _profiles(profile)
    require_matplotlib()
    games = games or (QUICK_GAMES if quick else GAMES)
    settings = grid(quick)
    store = Store(out / "runs")
    work = Work(len(profiles) * (2 * len(settings) + _DRAWN) + _OTHERS, progress)
    budget = QUICK_BUDGET if quick else BUDGET
    table = _Table(store, games, seed, budget, "tuned" in profiles, threads)
    results: dict[str, dict[Setting, SimulationResult]] = {}
    for name in profiles:
        results[name] = {setting: table.play(name, setting, work) for setting in settings}
    with work.step("writing"):
        files = numbers.write(analysis.records(results), out, "numbers")
    drawn = draw_all(dict(drawings(results, seed)), out / "figures", work, quick)
    told = {
        name: claims.paper_claims(results[name], table.headline(name, work))
        for name in profiles
        if name != "tuned"
    }
    made = Made(results, drawn, told, games, seed, quick, budget, files)
    with work.step("writing"):
        files += numbers.write(made.claim_records(), out, "claims")
        page = report_page(made).save(out / "index.html")
    return Outcome(page, made.headlines(), work.seconds, files, len(store.found))


def _profiles(asked: Sequence[str]) -> list[str]:
    for name in asked:
        if name not in PROFILES:
            raise ValueError(f"no profile is called {name!r}; there are: {', '.join(PROFILES)}")
    return list(dict.fromkeys(asked or USUAL_PROFILES))


class _Table:
    """Plays one setting under one profile, or finds it played."""

    def __init__(
        self,
        store: Store,
        games: int,
        seed: int,
        budget: Budget,
        tune_all: bool,
        threads: int | None,
    ) -> None:
        self.store, self.games, self.seed, self.budget = store, games, seed, budget
        self.threads = threads
        # With the profile "tuned" the baselines are tuned once, among all the others.
        self.classes: tuple[type[Policy], ...] = (*BASELINES, *REGULATED) if tune_all else BASELINES

    def play(self, profile: str, setting: Setting, work: Work) -> SimulationResult:
        """The result of a setting under a profile."""
        rewards, G = setting.rewards(), setting.multiplier(profile)
        ours = "authors_code" if profile == "authors_code" else "paper"
        classes = BASELINES if ours == "authors_code" else self.classes
        with work.step("tuning"):
            tuned = tuned_players(
                classes, rewards, G, self.budget, self.seed, self.store,
                f"tuning/{ours}/{setting.id}", self.threads,
            )  # fmt: skip
        return self._simulate(profile, setting, players(profile, tuned), self.games, work)

    def headline(self, profile: str, work: Work) -> SimulationResult:
        """The setting whose gain the text gives as a number, on games enough to tell."""
        pair: dict[str, Policy] = {
            policy.name: policy.profile(profile) for policy in (EpsilonGreedy, SoftEpsilonGreedy)
        }
        return self._simulate(profile, HEADLINE, pair, HEADLINE_GAMES, work, "headline-")

    def _simulate(
        self,
        profile: str,
        setting: Setting,
        everybody: dict[str, Policy],
        games: int,
        work: Work,
        prefix: str = "",
    ) -> SimulationResult:
        rewards, G = setting.rewards(), setting.multiplier(profile)
        stamp = fingerprint(
            profile, setting.id, games, self.seed, [str(p) for p in everybody.values()]
        )

        def make() -> SimulationResult:
            with quiet():
                return simulate(
                    everybody, rewards, G, games, self.seed, threads=self.threads, keep="games"
                )

        with work.step("simulating"):
            return self.store.result(f"{profile}/{prefix}{setting.id}", stamp, make)
