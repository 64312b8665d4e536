"""Replay the log for every table and profile: the paper's tables, our additions, other logs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from highseason.policies import EpsilonGreedy, Policy
from highseason.replay import Comparison, RepeatedReplay, compare
from highseason.replay.estimators import mean_estimate
from highseason.results import Estimate
from highseason.studies.frames import columns, where
from highseason.studies.logged import settings
from highseason.studies.logged.data import (
    Dataset,
    StudiedLog,
    best_rate,
    fixed_datasets,
    longest,
    read,
    sliced,
    whole,
    with_shuffled_G,
)
from highseason.studies.logged.replays import (
    Contestants,
    Protocol,
    published_windows,
    replay_all,
    replay_logs,
    spread_windows,
    tuned,
)
from highseason.studies.logged.settings import PaperTable, ReplayEffort, contest, with_threshold
from highseason.studies.session import StudySession
from highseason.studies.study import Results

#: Fewer independent windows than this do not show their scatter.
_FEWEST = 4.0


@dataclass(frozen=True, eq=False)
class Part:
    """Some policies of a block on one dataset, by one protocol."""

    dataset: Dataset
    labels: list[str]
    protocol: Protocol


@dataclass(frozen=True, eq=False)
class Block:
    """One table of the paper, on one dataset, with one profile's parameters."""

    table: PaperTable  # Which
    profile: str  # Whose parameters
    dataset: Dataset  # Where
    # By name: "published" (runs as in the paper), "windows" (all policies on the same ones; often
    # the same), "shuffled" (G shuffled) and "whole" (the log in one run)
    parts: Mapping[str, Part]
    best: float  # The mean reward of the best article by the true rates; NaN if they are unknown
    players: Mapping[str, Policy]  # The policies, with their parameters
    replayed: Mapping[str, RepeatedReplay]  # The runs of each part

    @property
    def id(self) -> str:
        """A name for files."""
        return f"{self.table.id}-{self.profile}-{self.dataset.id}"

    @property
    def protocol(self) -> Protocol:
        """How the published runs were made."""
        return (self.parts.get("published") or self.parts["windows"]).protocol

    @property
    def runs(self) -> RepeatedReplay:
        """The runs as in the paper."""
        return self.replayed.get("published") or self.replayed["windows"]

    @property
    def windows(self) -> RepeatedReplay:
        """All policies on the same windows."""
        return self.replayed["windows"]


@dataclass(frozen=True, eq=False)
class LoggedResults(Results):
    """The frames `blocks`, `numbers` (by policy), `runs`, `timing` and, generated, `logs`."""

    studied: StudiedLog  # The log
    blocks: Sequence[Block]  # What was replayed, for figures
    effort: ReplayEffort  # How much


def run(session: StudySession) -> LoggedResults:
    """Replay everything; `games` is how many runs each policy gets."""
    effort = settings.QUICK if session.quick else settings.FULL
    effort = replace(effort, runs=session.games or effort.runs)
    with session.step("reading"):
        studied = read(session.files, effort, session.seed, session.progress)
    datasets = fixed_datasets(studied), whole(studied, studied.reported)
    plan = [
        Block(table, profile, dataset, _parts(session, studied, effort, table, profile, dataset),
              best_rate(studied, dataset), {}, {})
        for profile in session.profiles
        for table in (*settings.TABLES, settings.CONTEST)
        for dataset in _datasets(table, profile, *datasets)
    ]  # fmt: skip
    logs = 0 if studied.generated is None else effort.logs
    tunings = len(settings.TABLES) * ("tuned" in session.profiles)
    pieces = sum(len(part.labels) for block in plan for part in block.parts.values())
    session.expect(1 + pieces + tunings + logs)
    blocks = _replay(session, studied, effort, plan)
    independent = None
    if studied.generated is not None:
        independent = replay_logs(session, _contestants(blocks, effort), effort)
    facts = {
        "log": f"{studied.source} ({studied.kind})",
        "digest of the log": studied.digest,
        "profiles": ", ".join(session.profiles),
    }
    frames = {
        name: pd.DataFrame(rows).assign(log=studied.kind)
        for name, rows in _frames(blocks, independent).items()
        if rows
    }
    return LoggedResults(frames, effort.runs, facts, studied, blocks, effort)


def _datasets(
    table: PaperTable, profile: str, fixed: list[Dataset], everything: Dataset
) -> list[Dataset]:
    if table.mortal:
        return [everything]
    return fixed if profile == "paper" else fixed[:1]


def _turns(effort: ReplayEffort, table: PaperTable) -> int:
    return effort.turns.get("mortal" if table is settings.CONTEST else table.id, table.turns)


def _parts(
    session: StudySession, studied: StudiedLog, effort: ReplayEffort, table: PaperTable,
    profile: str, dataset: Dataset,
) -> dict[str, Part]:  # fmt: skip
    """What is replayed for one block."""
    turns, labels = _turns(effort, table), list(table.players)
    if table is settings.CONTEST:
        labels = list(contest(settings.MORTAL.players["ucb"], session.quick))
        own = spread_windows(dataset, "windows", effort.contest_windows, turns)
        return {"windows": Part(dataset, labels, own)}
    if table.mortal:
        records = len(dataset.log.events)
        own = spread_windows(dataset, "windows", effort.runs, turns)
        once = Protocol("windows", 1, records, records, 1)
        return {"windows": Part(dataset, labels, own), "whole": Part(dataset, labels, once)}
    own = spread_windows(dataset, "windows", effort.own_windows, turns)
    parts = {"windows": Part(dataset, labels, own)}
    if profile == "paper" and table is settings.EPSILON:
        parts["published"] = Part(dataset, labels, replace(own, how="auto", runs=effort.runs))
    elif profile == "paper":
        slide = effort.runs, turns, effort.window, effort.step
        protocol = published_windows(dataset, "windows", *slide)
        if protocol != own:
            parts["published"] = Part(dataset, labels, protocol)
    if studied.generated is None:  # of generated logs there are many, which show more
        # Mortal articles have scores that are sums of G: shuffled, they would mean nothing.
        log = with_shuffled_G(dataset.log, session.seed)
        other = replace(dataset, id=f"{dataset.id}-shuffled", log=log)
        parts["shuffled"] = Part(other, table.regulated, own)
    return parts


def _replay(
    session: StudySession, studied: StudiedLog, effort: ReplayEffort, plan: Sequence[Block]
) -> list[Block]:
    blocks: list[Block] = []
    players: dict[str, Policy] = {}
    for block in plan:
        if block.table is settings.CONTEST:
            players = contest(players["ucb"], session.quick)
        elif not blocks or (blocks[-1].table, blocks[-1].profile) != (block.table, block.profile):
            players = _players(session, studied, effort, block.table, block.profile)
        name = f"{block.profile}/{block.dataset.id}/{block.table.id}"
        replayed = {
            kind: replay_all(
                session, f"{name}-{kind}", part.dataset,
                {label: players[label] for label in part.labels}, part.protocol, studied.digest,
            )
            for kind, part in block.parts.items()
        }  # fmt: skip
        blocks.append(replace(block, players=dict(players), replayed=replayed))
    return blocks


def _players(
    session: StudySession,
    studied: StudiedLog,
    effort: ReplayEffort,
    table: PaperTable,
    profile: str,
) -> dict[str, Policy]:
    z: float | str = settings.PUBLISHED_Z if studied.generated is None else settings.Z_RULE
    players = {label: with_threshold(policy, z) for label, policy in table.players.items()}
    if profile == "paper":
        return players
    part = studied.tuning
    if table.mortal:
        dataset = whole(studied, part, "tuning-whole")
    else:
        dataset = sliced(studied, part, "tuning-slice", "the tuning slice", longest(part))
    turns = _turns(effort, table)
    return tuned(session, dataset, table, players, effort.budget, turns, studied.digest)


def _contestants(blocks: Sequence[Block], effort: ReplayEffort) -> list[Contestants]:
    """The fixed pools: a generated log of their length has no articles that come and go."""
    return [
        Contestants(b.table.id, b.profile, b.players, b.table.regulated, _turns(effort, b.table))
        for b in blocks
        if b.dataset.id == "slice"
    ]


# -- frames ----------------------------------------------------------------------------------------

Rows = list[dict[str, Any]]


def _frames(blocks: Sequence[Block], independent: pd.DataFrame | None) -> dict[str, Rows]:
    by_log = {} if independent is None else dict(_by_log(blocks, independent))
    return {
        "blocks": [_block(block) for block in blocks],
        "numbers": [_numbers(block, label) for block in blocks for label in block.players],
        "runs": [row for block in blocks for row in _runs(block)],
        "timing": [
            *(row for block in blocks for row in _shuffled(block)),
            *(row for _, times in by_log.values() for row in times),
        ],
        "logs": [row for gains, _ in by_log.values() for row in gains],
    }


def _about(block: Block, label: str) -> dict[str, Any]:
    return {
        "block": block.id,
        "table": block.table.id,
        "profile": block.profile,
        "dataset": block.dataset.id,
        "policy": label,
        "base": block.table.base,
        "regulated": label in block.table.regulated,
    }


def _block(block: Block) -> dict[str, Any]:
    """One row per block; `random_until` is where k·arms / t first lets ε-greedy exploit."""
    base, slice_ = block.players[block.table.base], block.dataset.slice
    random = math.nan
    if isinstance(base, EpsilonGreedy) and slice_ is not None:
        random = round(base.k * len(slice_.arms))
    return {
        "block": block.id,
        "table": block.table.id,
        "number": block.table.number if block.profile == "paper" else "",
        "title": block.table.title + ("" if slice_ is None else f", {block.dataset.title}"),
        "profile": block.profile,
        "dataset": block.dataset.id,
        "base": block.table.base,
        "in_paper": bool(block.table.published),
        "protocol": str(block.protocol),
        "turns": block.protocol.turns,
        "best": block.best,
        "random_until": random,
        "k": getattr(base, "k", math.nan),
    }


def _numbers(block: Block, label: str) -> dict[str, Any]:
    runs, own = block.runs[label], block.windows[label]
    true = math.nan if runs.ground_truth is None else float(np.nanmean(runs.ground_truth))
    paper, whole_log = block.profile == "paper", block.replayed.get("whole")
    row = _about(block, label) | {
        "parameters": runs.policy,
        "published": block.table.published.get(label, math.nan) if paper else math.nan,
        "mean": runs.mean.value,
        "se_over_runs": runs.mean.error,
        "runs": runs.means.size,
        "how": runs.how,
        "turns": float(runs.turns.mean()),
        "ended_early": runs.exhausted,
        "true_mean": true,
        "replay_less_truth": runs.mean.value - true,
        "windows_mean": own.mean.value,
        "whole_log": whole_log[label].mean.value if whole_log else math.nan,
    }
    base = block.table.base
    row |= _tests(None if label == base else block.runs.compare(label, base))
    shared = None if label == base else block.windows.compare(label, base)
    nothing = Estimate(*(math.nan,) * 4)
    row |= columns("windows_difference", as_estimate(shared) if shared else nothing)
    return row | {
        "windows_independent": shared.independent if shared and shared.independent else math.nan
    }


def _tests(comparison: Comparison | None) -> dict[str, float]:
    """The published test against the baseline, Welch's, and the bootstrap over runs."""
    names = ("difference", "p_student", "p_welch", "bootstrap_low", "bootstrap_high")
    if comparison is None:
        return dict.fromkeys(names, math.nan)
    tests = comparison.difference, comparison.student.p, comparison.welch.p
    return dict(zip(names, (*tests, *comparison.bootstrap), strict=True))


def as_estimate(comparison: Comparison) -> Estimate:
    """The difference, with an interval from paired windows that accounts for their overlap.

    There is none if the windows are worth too few independent ones.
    """
    if comparison.independent is not None and comparison.independent < _FEWEST:
        low, high = math.nan, math.nan
    else:
        low, high = comparison.paired or comparison.bootstrap
    return Estimate(comparison.difference, math.nan, low, high)


def _runs(block: Block) -> Iterator[dict[str, Any]]:
    """Every single run of the published protocol."""
    for runs in block.runs.policies:
        for i, (turns, mean) in enumerate(zip(runs.turns, runs.means, strict=True), start=1):
            about = _about(block, runs.label)
            yield about | {"run": i, "turns": int(turns), "mean": float(mean)}


def _shuffled(block: Block) -> Iterator[dict[str, Any]]:
    """What the right times are worth: G as it is, less G shuffled, on the same windows."""
    shuffled = block.replayed.get("shuffled")
    for label in shuffled.labels if shuffled is not None else ():
        assert shuffled is not None
        real, other = block.windows[label], shuffled[label]
        gain = compare(
            real.means, other.means, block=real.block, independent=real.independent,
            seed=block.runs.seed,
        )  # fmt: skip
        yield _timing(block, label, real.mean.value, other.mean.value, as_estimate(gain))


def _timing(
    block: Block, label: str, mean: float, shuffled: float, gain: Estimate
) -> dict[str, Any]:
    means = {"mean": mean, "mean_with_G_shuffled": shuffled}
    return _about(block, label) | means | columns("timing_difference", gain)


def _by_log(
    blocks: Sequence[Block], independent: pd.DataFrame
) -> Iterator[tuple[str, tuple[Rows, Rows]]]:
    """Gains over the baseline, and what the right times are worth, over independent logs."""
    for block in blocks:
        rows = where(independent, table=block.table.id, profile=block.profile)
        if block.dataset.id != "slice" or rows.empty:
            continue
        mean, truth, shuffled = (
            where(rows, shuffled=other).pivot(index="log", columns="policy", values=values)
            for other, values in ((False, "mean"), (False, "truth"), (True, "mean"))
        )
        gains, times = [], []
        for label in block.players:
            gain = mean_estimate((mean[label] - mean[block.table.base]).to_numpy())
            bias = mean_estimate((mean[label] - truth[label]).to_numpy())
            row = _about(block, label) | {"logs": len(mean), "mean": float(mean[label].mean())}
            gains.append(row | columns("gain", gain) | columns("replay_less_truth", bias))
        for label in block.table.regulated:
            worth = mean_estimate((mean[label] - shuffled[label]).to_numpy())
            means = float(mean[label].mean()), float(shuffled[label].mean())
            times.append(_timing(block, label, *means, worth))
        yield block.id, (gains, times)
