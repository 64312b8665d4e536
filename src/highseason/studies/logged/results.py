"""What was played, and the numbers that the page is made of."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from highseason.policies import Policy
from highseason.replay import Comparison, RepeatedReplay, Runs, compare
from highseason.replay.estimators import mean_estimate
from highseason.results import Estimate
from highseason.studies.logged.grounds import Ground
from highseason.studies.logged.playing import Protocol
from highseason.studies.logged.settings import Table
from highseason.studies.logged.worlds import Worlds, shuffled

#: Windows worth fewer independent ones than this say nothing of their scatter.
_FEWEST = 4.0


@dataclass(frozen=True, eq=False)
class Block:
    """One table of the paper, played on one ground with one profile's parameters.

    Attributes:
        table: Which.
        ground: Where.
        profile: Whose parameters.
        players: With their parameters.
        protocol: How the runs below were made.
        runs: As published: randomised policies repeat the slice, others slide windows over it.
        own_protocol: How those below were made.
        windows: All players on the same windows.
        shuffled: The regulated players on the same windows, with G shuffled; None if not played.
        whole: One run of each over the whole log; None where there is a slice.
        best: What the best article would bring by the true rates; NaN where nobody knows.
    """

    table: Table
    ground: Ground
    profile: str
    players: Mapping[str, Policy]
    protocol: Protocol
    runs: RepeatedReplay
    own_protocol: Protocol
    windows: RepeatedReplay
    shuffled: RepeatedReplay | None = None
    whole: RepeatedReplay | None = None
    best: float = math.nan

    @property
    def name(self) -> str:
        """For figures and tables."""
        return f"{self.table.id}, {self.profile}"

    def against(self, label: str) -> Comparison | None:
        """As published: with the unregulated policy of the table, over the published runs."""
        return None if label == self.table.base else self.runs.compare(label, self.table.base)

    def on_windows(self, label: str) -> Comparison | None:
        """The same over windows that both have met."""
        return None if label == self.table.base else self.windows.compare(label, self.table.base)

    def timing(self, label: str) -> Comparison | None:
        """What the right times are worth: G as it is, less G shuffled, on the same windows."""
        if self.shuffled is None or label not in self.shuffled.labels:
            return None
        real, other = self.windows[label], self.shuffled[label]
        return compare(
            real.means, other.means, block=real.block, independent=real.independent,
            seed=self.runs.seed,
        )  # fmt: skip

    def true_mean(self, label: str) -> float:
        """The mean true rate of what was matched in the published runs."""
        return _true(self.runs[label])

    @property
    def order(self) -> list[str]:
        """The paper's players of this table, best first by our means."""
        printed = list(self.table.published)
        return sorted(printed, key=lambda label: -self.runs[label].mean.value)


def _true(runs: Runs) -> float:
    return math.nan if runs.ground_truth is None else float(np.nanmean(runs.ground_truth))


def world_gain(worlds: Worlds, entry: str, label: str, base: str) -> Estimate:
    """A policy less another over independent logs, in pairs."""
    return mean_estimate(worlds.means[entry][label] - worlds.means[entry][base])


def world_bias(worlds: Worlds, entry: str, label: str) -> Estimate:
    """What replay gives less the true rates of what it matched, over independent logs."""
    return mean_estimate(worlds.means[entry][label] - worlds.truth[entry][label])


def records(blocks: Sequence[Block], kind: str) -> list[dict[str, Any]]:
    """A record for each player of each block."""
    return [_record(block, label, kind) for block in blocks for label in block.players]


def _record(block: Block, label: str, kind: str) -> dict[str, Any]:
    runs, own = block.runs[label], block.windows[label]
    true = block.true_mean(label)
    row: dict[str, Any] = {
        "log": kind,
        "table": block.table.id,
        "profile": block.profile,
        "ground": block.ground.id,
        "policy": label,
        "parameters": runs.policy,
        "published": block.table.published.get(label, math.nan)
        if block.profile == "paper"
        else math.nan,
        "mean": runs.mean.value,
        "se_over_runs": runs.mean.error,
        "runs": runs.means.size,
        "how": runs.how,
        "turns": float(runs.turns.mean()),
        "ended_early": runs.exhausted,
        "true_mean": true,
        "replay_less_truth": runs.mean.value - true,
        "windows_mean": own.mean.value,
        "whole_log": block.whole[label].mean.value if block.whole else math.nan,
    }
    return row | _tests(block.against(label)) | _blocks(block.on_windows(label), "windows")


def _tests(found: Comparison | None) -> dict[str, Any]:
    nothing = math.nan
    return {
        "difference": found.difference if found else nothing,
        "p_student": found.student.p if found else nothing,
        "p_welch": found.welch.p if found else nothing,
        "bootstrap_low": found.bootstrap[0] if found else nothing,
        "bootstrap_high": found.bootstrap[1] if found else nothing,
    }


def _blocks(found: Comparison | None, name: str) -> dict[str, Any]:
    low, high = windows_interval(found) if found else (math.nan, math.nan)
    return {
        f"{name}_difference": found.difference if found else math.nan,
        f"{name}_low": low,
        f"{name}_high": high,
        f"{name}_independent": found.independent if found and found.independent else math.nan,
    }


def windows_interval(found: Comparison) -> tuple[float, float]:
    """From windows in pairs, reckoning with their overlap; else from the runs.

    There is none where windows are worth too few that share no record.
    """
    if found.independent is not None and found.independent < _FEWEST:
        return math.nan, math.nan
    return found.paired or found.bootstrap


def as_estimate(found: Comparison) -> Estimate:
    """The difference with its interval from windows in pairs."""
    low, high = windows_interval(found)
    return Estimate(found.difference, math.nan, low, high)


def run_records(blocks: Sequence[Block], kind: str) -> list[dict[str, Any]]:
    """Every single run of the published protocol."""
    return [
        {
            "log": kind,
            "table": block.table.id,
            "profile": block.profile,
            "ground": block.ground.id,
            "policy": runs.label,
            "run": number + 1,
            "turns": int(turns),
            "mean": float(mean),
        }
        for block in blocks
        for runs in block.runs.policies
        for number, (turns, mean) in enumerate(zip(runs.turns, runs.means, strict=True))
    ]


@dataclass(frozen=True)
class Timing:
    """What the right times are worth to one regulated player.

    Attributes:
        block: Where it plays.
        label: Who.
        mean: Its mean reward per turn with G as it is.
        shuffled: … and with G shuffled.
        gain: The former less the latter, with an interval where there is one.
    """

    block: Block
    label: str
    mean: float
    shuffled: float
    gain: Estimate


def timings(blocks: Sequence[Block], worlds: Worlds | None) -> list[Timing]:
    """Over independent logs where there are some, else over windows of the log that was given."""
    found = []
    for block in blocks:
        other = shuffled(block.name)
        if worlds is not None and other in worlds.means:
            for label, runs in worlds.means[other].items():
                real = worlds.means[block.name][label]
                gain = mean_estimate(real - runs)
                found.append(Timing(block, label, float(real.mean()), float(runs.mean()), gain))
        for label in block.shuffled.labels if block.shuffled is not None else ():
            compared, windows = block.timing(label), block.shuffled
            if compared is not None and windows is not None:
                means = block.windows[label].mean.value, windows[label].mean.value
                found.append(Timing(block, label, *means, as_estimate(compared)))
    return found


def timing_records(
    blocks: Sequence[Block], worlds: Worlds | None, kind: str
) -> list[dict[str, Any]]:
    """A record for each regulated player."""
    return [
        {
            "log": kind,
            "table": found.block.table.id,
            "profile": found.block.profile,
            "ground": "independent logs" if worlds is not None else found.block.ground.id,
            "policy": found.label,
            "mean": found.mean,
            "mean_with_G_shuffled": found.shuffled,
            "timing_difference": found.gain.value,
            "timing_low": found.gain.low,
            "timing_high": found.gain.high,
        }
        for found in timings(blocks, worlds)
    ]


def world_records(worlds: Worlds, blocks: Sequence[Block], kind: str) -> list[dict[str, Any]]:
    """A record for each player over the independent logs."""
    rows = []
    for block in blocks:
        if block.name not in worlds.means:
            continue
        for label in block.players:
            gain = world_gain(worlds, block.name, label, block.table.base)
            bias = world_bias(worlds, block.name, label)
            rows.append(
                {
                    "log": kind,
                    "table": block.table.id,
                    "profile": block.profile,
                    "policy": label,
                    "logs": worlds.count,
                    "mean": mean_estimate(worlds.means[block.name][label]).value,
                    "gain": gain.value,
                    "gain_low": gain.low,
                    "gain_high": gain.high,
                    "replay_less_truth": bias.value,
                    "bias_low": bias.low,
                    "bias_high": bias.high,
                }
            )
    return rows
