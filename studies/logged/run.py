"""Replay the log for every table and profile: the paper's tables, our additions, other logs."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from highseason.engine import Estimate
from highseason.logs import Comparison, RepeatedReplay, compare
from highseason.logs.estimators import mean_estimate
from highseason.policies import EpsilonGreedy, Policy
from studies.frames import Rows, columns, where
from studies.logged import data, replays, settings
from studies.logged.data import Dataset, StudiedLog
from studies.logged.replays import Protocol, Replayer
from studies.logged.settings import PaperTable, ReplayEffort, contest, with_threshold
from studies.session import StudySession
from studies.study import Results

#: Fewer independent windows than this do not show their scatter.
_FEWEST = 4.0


#: Some policies of a block, by label, on one dataset, by one protocol.
Part = tuple[Dataset, list[str], Protocol]


@dataclass(frozen=True, eq=False)
class Block:
    """One table of the paper, on one dataset, with one profile's parameters."""

    table: PaperTable  # Which
    profile: str  # Whose parameters
    dataset: Dataset  # Where
    players: Mapping[str, Policy]  # The policies, with their parameters
    protocol: Protocol  # How the runs as in the paper were made
    # "published" (as in the paper), "windows" (all policies on the same ones; often the same),
    # "shuffled" (G shuffled) and "whole" (the log in one run)
    replayed: Mapping[str, RepeatedReplay]
    best: float  # The mean reward of the best article by the true rates; NaN if they are unknown

    @property
    def id(self) -> str:
        """A name for files."""
        return f"{self.table.id}-{self.profile}-{self.dataset.id}"

    @property
    def runs(self) -> RepeatedReplay:
        """The runs as in the paper."""
        return self.replayed.get("published") or self.windows

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
        studied = data.read(session.files, effort, session.seed, session.progress)
    blocks = _replay(session, studied, effort)
    independent = None
    if studied.generated is not None:
        # A generated log of their length has no articles that come and go: only the fixed pools.
        fixed = [(b.table, b.profile, b.players) for b in blocks if b.dataset.id == "slice"]
        independent = replays.replay_logs(session, fixed, effort)
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


def _replay(session: StudySession, studied: StudiedLog, effort: ReplayEffort) -> list[Block]:
    fixed, whole = data.fixed_datasets(studied), data.whole(studied, studied.reported)
    plan = [
        (table, profile, dataset, _parts(session, studied, effort, table, profile, dataset))
        for profile in session.profiles
        for table in (*settings.TABLES, settings.CONTEST)
        for dataset in ([whole] if table.mortal else fixed if profile == "paper" else fixed[:1])
    ]
    pieces = sum(len(labels) for *_, parts in plan for _, labels, _ in parts.values())
    tunings = len(settings.TABLES) * ("tuned" in session.profiles)
    session.expect(1 + pieces + tunings + (0 if studied.generated is None else effort.logs))
    replayer = Replayer(session, effort, studied.digest)
    blocks: list[Block] = []
    players: dict[str, Policy] = {}
    for table, profile, dataset, parts in plan:
        if table is settings.CONTEST:
            players = contest(players["ucb"], session.quick)
        elif not blocks or (blocks[-1].table, blocks[-1].profile) != (table, profile):
            players = _players(replayer, studied, table, profile)
        replayed = {
            kind: replayer.replay(on, {label: players[label] for label in labels}, protocol)
            for kind, (on, labels, protocol) in parts.items()
        }
        *_, protocol = parts.get("published", parts["windows"])
        best = data.best_rate(studied, dataset)
        blocks.append(Block(table, profile, dataset, players, protocol, replayed, best))
    return blocks


def _parts(
    session: StudySession, studied: StudiedLog, effort: ReplayEffort, table: PaperTable,
    profile: str, dataset: Dataset,
) -> dict[str, Part]:  # fmt: skip
    """What is replayed for one block."""
    turns, windows = effort.turns_of(table), effort.own_windows
    labels = list(table.playing(profile))
    if table is settings.CONTEST:
        labels = list(contest(settings.MORTAL.players["ucb"], session.quick))
        windows = effort.contest_windows
    elif table.mortal:
        windows = effort.runs
    own = replays.spread_windows(dataset, windows, turns)
    parts = {"windows": (dataset, labels, own)}
    if table.mortal:
        events = len(dataset.log.events)
        whole = {"whole": (dataset, labels, Protocol(1, events, events, 1))}
        return parts if table is settings.CONTEST else parts | whole
    if profile == "paper":
        theirs = replays.published_windows(dataset, effort.runs, turns, effort.window, effort.step)
        if table is settings.EPSILON:
            theirs = replace(own, how="auto", runs=effort.runs)
        if theirs != own:
            parts["published"] = dataset, labels, theirs
    if studied.generated is None:  # of generated logs there are many, which show more
        # Mortal articles have scores that are sums of G: shuffled, they would mean nothing.
        log = data.with_shuffled_G(dataset.log, session.seed)
        other = replace(dataset, id=f"{dataset.id}-shuffled", log=log)
        parts["shuffled"] = other, table.regulated, own
    return parts


def _players(
    replayer: Replayer, studied: StudiedLog, table: PaperTable, profile: str
) -> dict[str, Policy]:
    z: float | str = settings.PUBLISHED_Z if studied.generated is None else settings.Z_RULE
    players = {label: with_threshold(policy, z) for label, policy in table.playing(profile).items()}
    if profile == "paper":
        return players
    part = studied.tuning
    if table.mortal:
        dataset = data.whole(studied, part, "tuning-whole")
    else:
        slice_ = data.longest(part)
        dataset = data.sliced(studied, part, "tuning-slice", "the tuning slice", slice_)
    return replayer.tune(dataset, table, players)


def _frames(blocks: Sequence[Block], independent: pd.DataFrame | None) -> dict[str, Rows]:
    frames: dict[str, Rows] = {
        "blocks": [_block(block) for block in blocks],
        "numbers": [_numbers(block, label) for block in blocks for label in block.players],
        "runs": [row for block in blocks for row in _runs(block)],
        "timing": [row for block in blocks for row in _shuffled(block)],
        "logs": [],
    }
    for block in blocks:
        if independent is not None and block.dataset.id == "slice":
            rows = where(independent, table=block.table.id, profile=block.profile)
            gains, times = _by_log(block, rows)
            frames["logs"] += gains
            frames["timing"] += times
    return frames


def _about(block: Block, label: str) -> dict[str, Any]:
    table = block.table
    return {
        "block": block.id, "table": table.id, "profile": block.profile, "dataset": block.dataset.id,
        "policy": label, "base": table.base, "regulated": label in table.regulated,
    }  # fmt: skip


def _block(block: Block) -> dict[str, Any]:
    """One row per block; `random_until` is where k·arms / t first lets ε-greedy exploit."""
    table, slice_, protocol = block.table, block.dataset.slice, block.protocol
    base, random = block.players[table.base], math.nan
    if isinstance(base, EpsilonGreedy) and slice_ is not None:
        random = round(base.k * len(slice_.arms))
    return {
        "block": block.id,
        "table": table.id,
        "number": table.number if block.profile == "paper" else "",
        "title": table.title + ("" if slice_ is None else f", {block.dataset.title}"),
        "profile": block.profile, "dataset": block.dataset.id, "base": table.base,
        "in_paper": bool(table.published), "protocol": str(protocol), "turns": protocol.turns,
        "best": block.best, "random_until": random, "k": getattr(base, "k", math.nan),
    }  # fmt: skip


def _numbers(block: Block, label: str) -> dict[str, Any]:
    runs, base, whole_log = block.runs[label], block.table.base, block.replayed.get("whole")
    published = block.table.published if block.profile == "paper" else {}
    true = math.nan if runs.ground_truth is None else float(np.nanmean(runs.ground_truth))
    tests, shared = (
        None if label == base else replayed.compare(label, base)
        for replayed in (block.runs, block.windows)
    )
    return {
        **_about(block, label),
        "parameters": runs.policy, "published": published.get(label, math.nan),
        "mean": runs.mean.value, "se_over_runs": runs.mean.error, "runs": runs.means.size,
        "how": runs.how, "turns": float(runs.turns.mean()), "ended_early": runs.exhausted,
        "true_mean": true, "replay_less_truth": runs.mean.value - true,
        "windows_mean": block.windows[label].mean.value,
        "whole_log": whole_log[label].mean.value if whole_log else math.nan,
        # The published test against the baseline, Welch's, and the bootstrap over runs.
        "difference": tests.difference if tests else math.nan,
        "p_student": tests.student.p if tests else math.nan,
        "p_welch": tests.welch.p if tests else math.nan,
        "bootstrap_low": tests.bootstrap[0] if tests else math.nan,
        "bootstrap_high": tests.bootstrap[1] if tests else math.nan,
        **columns("windows_difference", as_estimate(shared) if shared else None),
        "windows_independent": shared.independent if shared and shared.independent else math.nan,
    }  # fmt: skip


def as_estimate(comparison: Comparison) -> Estimate:
    """The difference, with an interval from paired windows that accounts for their overlap.

    There is none if the windows are worth too few independent ones.
    """
    low, high = comparison.paired or comparison.bootstrap
    if comparison.independent is not None and comparison.independent < _FEWEST:
        low, high = math.nan, math.nan
    return Estimate(comparison.difference, math.nan, low, high)


def _runs(block: Block) -> Iterator[dict[str, Any]]:
    """Every single run of the published protocol."""
    for runs in block.runs.policies:
        about = _about(block, runs.label)
        for i, (turns, mean) in enumerate(zip(runs.turns, runs.means, strict=True), start=1):
            yield about | {"run": i, "turns": int(turns), "mean": float(mean)}


def _shuffled(block: Block) -> Iterator[dict[str, Any]]:
    """What the right times are worth: G as it is, less G shuffled, on the same windows."""
    for other in block.replayed["shuffled"].policies if "shuffled" in block.replayed else ():
        real = block.windows[other.label]
        gain = compare(
            real.means, other.means, block=real.block, independent=real.independent,
            seed=block.runs.seed,
        )  # fmt: skip
        means = real.mean.value, other.mean.value
        yield _timing(block, other.label, *means, as_estimate(gain))


def _timing(
    block: Block, label: str, mean: float, shuffled: float, gain: Estimate
) -> dict[str, Any]:
    means = {"mean": mean, "mean_with_G_shuffled": shuffled}
    return _about(block, label) | means | columns("timing_difference", gain)


def _by_log(block: Block, rows: pd.DataFrame) -> tuple[Rows, Rows]:
    """Gains over the baseline, and what the right times are worth, over independent logs."""
    table = rows.pivot(index="log", columns=["shuffled", "policy"], values=["mean", "truth"])
    mean, shuffled, truth = table["mean", False], table["mean", True], table["truth", False]
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
    return gains, times
