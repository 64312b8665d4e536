"""Play the whole grid under every profile, and compare the policies in each setting."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from highseason import rewards, traffic
from highseason.advice import Budget, Space
from highseason.core.random import game_keys
from highseason.core.warnings import quiet
from highseason.engine import SimulationResult
from highseason.policies import EpsilonGreedy, Policy, SoftEpsilonGreedy, VariablePool
from studies import paper
from studies.authors_code import published
from studies.frames import Rows, columns
from studies.session import SimulationTask, StudySession, TuningTask
from studies.simulated import beyond, settings, side_results, stored
from studies.simulated.settings import SimulatedSetting, grid, names, tuned_label
from studies.study import Results

#: Results by profile, and in each by setting.
Played = Mapping[str, Mapping[SimulatedSetting, SimulationResult]]
#: The best policies by variant and setting, and in each by name.
Tuned = Mapping[tuple[str, SimulatedSetting], dict[str, Policy]]

#: Everything a policy is compared with.
_BASELINES = names(settings.BASELINES)
_BASES = (*_BASELINES, "greedy", "uniform", "variable-pool", *map(tuned_label, _BASELINES))
#: The paper's picture of the pool: its first choice after every arm was tried, with the paper's c.
_POOL_ARMS, _POOL_C = 25, 10.0


@dataclass(frozen=True, eq=False)
class SimulatedResults(Results):
    """The frames `numbers` (by policy), `comparisons` (by pair), `headline`, and illustrations."""

    played: Played  # The simulations, for figures
    pool_sizes: Mapping[str, int]  # The size of the pool where G is low and where it is high
    own: tuple[str, ...] = ()  # The labels of the reader's own policies


def run(session: StudySession) -> SimulatedResults:
    """Play all settings under all profiles."""
    games, budget = settings.QUICK if session.quick else settings.FULL
    games = session.games or games
    cells, profiles = grid(session.quick), session.profiles
    variants, untuned = len(set(map(_variant, profiles))), len(set(profiles) - {"tuned"})
    also = beyond.tasks(session.quick, games, session.seed) if "paper" in profiles else {}
    session.expect(len(cells) * (variants + len(profiles)) + untuned + len(also))
    tuned = _tune(session, cells, budget)
    played, headline = _play(session, cells, tuned, games)
    results = dict(zip(also, session.results("simulating", list(also.values())), strict=True))
    facts = {
        "games per setting": f"{games:,}",
        "tuning, per policy and setting": f"{budget.rounds[0][0]} candidates; the finalists play "
        f"{budget.rounds[-1][1]} games with other seeds",
        **{f"profile {name}": settings.PROFILES[name] for name in profiles},
    }
    sizes = pool_sizes()
    frames = {
        **frames_of(played, headline),
        **(_beyond(results, session.seed) if also else {}),
        "multipliers": _multipliers(cells, profiles[0]),
        "exploration": _exploration(),
        "table_2": _decay(),
        "pool": _pool(session.seed, sizes),
    }
    own = tuple(settings.own_labels(session.policies))
    return SimulatedResults(frames, games, facts, played, sizes, own, quick=session.quick)


def _beyond(results: beyond.Results, seed: int) -> dict[str, pd.DataFrame]:
    """The frames of the games beyond the grid, with what is stored."""
    frames = beyond.frames(results, seed)
    longest = pd.concat([frames["long_games"], stored.read("longest_games")], ignore_index=True)
    return frames | {"long_games": longest, "constant_bounds": stored.read("constant_bounds")}


def _variant(profile: str) -> str:
    """Whose formulas a profile has."""
    return "authors_code" if profile == "authors_code" else "paper"


def _tune(session: StudySession, cells: list[SimulatedSetting], budget: Budget) -> Tuned:
    """The best parameters in every setting."""
    where = list(product(dict.fromkeys(map(_variant, session.profiles)), cells))
    tasks = []
    for variant, setting in where:
        # With the profile "tuned", the baselines are tuned once, together with all others.
        everyone = variant == "paper" and "tuned" in session.profiles
        searched = settings.SEVEN if everyone else settings.BASELINES
        G = setting.multiplier(variant)
        spaces = {policy.name: Space.of(policy, G) for policy in searched}
        tasks.append(TuningTask(spaces, setting.rewards(), G, budget, session.seed))
    return dict(zip(where, session.results("tuning", tasks), strict=True))


def _play(
    session: StudySession, cells: list[SimulatedSetting], tuned: Tuned, games: int
) -> tuple[Played, dict[str, SimulationResult]]:
    """The results by profile and setting, and the headline's by profile."""
    where = list(product(session.profiles, cells))
    tasks = [
        SimulationTask(
            settings.players(
                profile, tuned[_variant(profile), setting], session.policies, session.k
            ),
            setting.rewards(), setting.multiplier(profile), games, session.seed,
        )
        for profile, setting in where
    ]  # fmt: skip
    untuned = [profile for profile in session.profiles if profile != "tuned"]
    extra = [_headline(session, profile) for profile in untuned]
    results = iter(session.results("simulating", [*tasks, *extra]))
    played: dict[str, dict[SimulatedSetting, SimulationResult]] = {p: {} for p in session.profiles}
    for profile, setting in where:
        played[profile][setting] = next(results)
    return played, dict(zip(untuned, results, strict=True))


def _headline(session: StudySession, profile: str) -> SimulationTask:
    """The setting whose gain the paper's text gives as a number, in many more games."""
    pair: list[type[Policy]] = [EpsilonGreedy, SoftEpsilonGreedy]
    return SimulationTask(
        {policy.name: published(policy, profile, session.k) for policy in pair},
        settings.HEADLINE.rewards(),
        settings.HEADLINE.multiplier(profile),
        settings.HEADLINE_GAMES,
        session.seed,
    )


def frames_of(played: Played, headline: Mapping[str, SimulationResult]) -> dict[str, pd.DataFrame]:
    """Rows by policy, rows by pair of policies, and the one gain that the text gives."""
    numbers: Rows = []
    comparisons: Rows = []
    for profile, results in played.items():
        for setting, result in results.items():
            about = {
                "profile": profile, "setting": setting.id, "rewards": setting.law.id,
                "published": setting.law.published, "shape": setting.shape, "arms": setting.arms,
                "turns": setting.turns,
            }  # fmt: skip
            numbers += [about | _numbers(result, i) for i in range(len(result.policies))]
            comparisons += [about | row for row in _comparisons(result)]
    gains = [
        {"profile": profile, "games": result.settings["games"]}
        | columns("gain", result.gain("soft-epsilon", "epsilon-greedy"))
        for profile, result in headline.items()
    ]
    frames = {"numbers": numbers, "comparisons": comparisons, "headline": gains}
    return {name: pd.DataFrame(rows) for name, rows in frames.items() if rows}


def _numbers(result: SimulationResult, i: int) -> dict[str, Any]:
    """What a policy played with, and what it earned."""
    known = result.settings
    row = {
        "policy": result.policies[i], "parameters": known["parameters"][i],
        "games": known["games"], "seed": known["seed"],
    }  # fmt: skip
    for metric in ("reward", "regret", "exploited", "best_pulls"):
        row[f"{metric}_mean"] = result.mean(metric, i)
        row[f"{metric}_se"] = result.error(metric, i)
    row["reward_share"] = result.mean("reward", i) / known["max_reward"]
    row["exploited_share"] = result.exploited_share(i)
    for base in _BASELINES:
        row |= columns(f"gain_over_{base.replace('-', '_')}", result.gain(i, base))
    return row | columns("gain_over_greedy", result.gain(i, "greedy"))


def _comparisons(result: SimulationResult) -> Rows:
    return [
        {"policy": label, "base": base} | columns("gain", result.gain(label, base))
        for base in _BASES
        for label in (result.policies if base in result.policies else ())
        if label != base
    ]


def _multipliers(cells: list[SimulatedSetting], profile: str) -> pd.DataFrame:
    once = {(s.shape, s.turns): s.multiplier(profile).values for s in cells}
    return pd.DataFrame([
        {"shape": shape, "turns": turns, "least": G.min(), "mean": G.mean(), "greatest": G.max(),
         "sum": G.sum(), "share_high": (G >= settings.Z).mean()}
        for (shape, turns), G in once.items()
    ])  # fmt: skip


def _exploration() -> pd.DataFrame:
    data = side_results.exploration_figure()
    return pd.DataFrame({
        "turn": data.turns,
        "G": traffic.sine(turns=int(data.turns[-1])).values[data.turns - 1],
        "psi": data.psi,
        "soft_epsilon_greedy": data.soft,
        "epsilon_greedy": data.old,
    })  # fmt: skip


def _decay() -> pd.DataFrame:
    """Table 2 as printed, and evaluated in the game of Figure 4 with a gap of 0.8.

    Simulated probabilities come from a table, bounds are computed here.
    """
    frame = pd.read_csv(Path(paper.__file__).with_name("table_2.csv"))
    for form in ("paper", "safe"):
        policy, G = SoftEpsilonGreedy(k=11.0, unit=1.0), traffic.sine(1000)
        rows = side_results.decay_table(policy, 0.8, G, form=form)
        values = {f"old_{form}": [r.old for r in rows], f"soft_{form}": [r.soft for r in rows]}
        frame = frame.assign(turn=[r.t for r in rows], **values)
    return frame.merge(stored.read("simulated_table_2"), on="turn", validate="1:1")


def pool_sizes() -> dict[str, int]:
    """How large the published pool is at first, where G is low and where it is high."""
    wave = traffic.wave(turns=1500).values
    t = _POOL_ARMS + 1
    sizes = {}
    for name, G in (("G low", float(wave.min())), ("G high", float(wave.max()))):
        with quiet():
            plan = VariablePool(c=_POOL_C, unit=1.0).plan(np.full(t, G), _POOL_ARMS)
        sizes[f"{name} ({G:.3g})"] = int(plan.at(t))
    return sizes


def _pool(seed: int, sizes: Mapping[str, int]) -> pd.DataFrame:
    """The arms of some game, and the pools they are in."""
    means = rewards.bernoulli(arms=_POOL_ARMS).parameters(game_keys(seed, range(1)))[0]
    frame = pd.DataFrame({"arm": np.arange(1, _POOL_ARMS + 1), "estimated_mean": means})
    rank = frame.estimated_mean.rank(ascending=False, method="first")
    return frame.assign(**{name: rank <= size for name, size in sizes.items()})
