"""The page's tables: the paper's, with ours beside them, and all numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence

from highseason.report.page import table
from highseason.results import Table
from highseason.studies import numbers
from highseason.studies.logged.data import Data
from highseason.studies.logged.results import (
    Block,
    records,
    timing_records,
    world_records,
)
from highseason.studies.logged.worlds import Worlds

_COLUMNS = {
    "policy": ("policy", ""),
    "parameters": ("parameters", ""),
    "how": ("runs", ""),
    "turns": ("turns", ",.0f"),
    "ended_early": ("ended early", "d"),
    "mean": ("per turn", ".4f"),
    "se_over_runs": ("± over runs", ".5f"),
    "p_student": ("p, Student", ".2g"),
    "p_welch": ("p, Welch", ".2g"),
    "difference": ("difference", "+.4f"),
    "bootstrap_low": ("bootstrap low", "+.4f"),
    "bootstrap_high": ("high", "+.4f"),
    "windows_mean": ("on shared windows", ".4f"),
    "windows_difference": ("difference there", "+.4f"),
    "windows_low": ("blocks low", "+.4f"),
    "windows_high": ("high", "+.4f"),
    "windows_independent": ("worth, in independent windows", ".1f"),
    "whole_log": ("whole log in one run", ".4f"),
    "true_mean": ("true rate of what matched", ".4f"),
    "replay_less_truth": ("replay less truth", "+.4f"),
}
_TIMING = {
    "policy": ("policy", ""),
    "profile": ("parameters", ""),
    "ground": ("ground", ""),
    "mean": ("per turn, G as it is", ".4f"),
    "mean_with_G_shuffled": ("G shuffled", ".4f"),
    "timing_difference": ("difference", "+.4f"),
    "timing_low": ("low", "+.4f"),
    "timing_high": ("high", "+.4f"),
}
_WORLDS = {
    "policy": ("policy", ""),
    "table": ("table", ""),
    "profile": ("parameters", ""),
    "mean": ("per turn", ".4f"),
    "gain": ("against the unregulated", "+.4f"),
    "gain_low": ("low", "+.4f"),
    "gain_high": ("high", "+.4f"),
    "replay_less_truth": ("replay less truth", "+.5f"),
    "bias_low": ("low", "+.5f"),
    "bias_high": ("high", "+.5f"),
}


#: What the paper prints of every p-value.
_PRINTED_P = "< 0.0001"


def as_printed(block: Block, kind: str) -> str:
    """The paper's table, with a column of ours beside each of its own."""
    printed = block.table.published
    columns = {
        "policy": list(block.players),
        "published: per turn": [
            f"{printed[label]:.4f}" if label in printed else "–" for label in block.players
        ],
        f"here: per turn ({kind})": [
            f"{block.runs[label].mean.value:.4f}" for label in block.players
        ],
        f"published: p against {block.table.base}": [
            _PRINTED_P if label in printed and label != block.table.base else "–"
            for label in block.players
        ],
        f"here: p against {block.table.base} (Student)": [
            _p(found.student.p) if (found := block.against(label)) else "–"
            for label in block.players
        ],
    }
    if not printed:
        columns = {name: cells for name, cells in columns.items() if "published" not in name}
    rows = tuple(zip(*columns.values(), strict=True))
    return table(Table(tuple(columns), rows, ("",) * len(columns)))


def all_numbers(block: Block, data: Data) -> str:
    """Tests, windows that all share and, where it is known, the truth."""
    shown = dict(_COLUMNS)
    if data.made is None:
        del shown["true_mean"], shown["replay_less_truth"]
    if block.whole is None:
        del shown["whole_log"]
    return table(numbers.table(records([block], data.kind), shown), sortable=True)


def timing_table(blocks: Sequence[Block], worlds: Worlds | None, data: Data) -> str:
    """What the right times are worth."""
    shown = numbers.table(timing_records(blocks, worlds, data.kind), _TIMING)
    return table(shown, sortable=True)


def worlds_table(blocks: Sequence[Block], worlds: Worlds, data: Data) -> str:
    """Everybody over independent logs."""
    return table(numbers.table(world_records(worlds, blocks, data.kind), _WORLDS), sortable=True)


def _p(value: float) -> str:
    if math.isnan(value):
        return "–"
    return "< 0.0001" if value < 0.0001 else f"{value:.2g}"
