"""The map in cells, the rule of thumb, and how it does on settings that it has not seen."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from highseason.core.text import percent, signed_percent
from highseason.engine import Estimate, with_interval
from highseason.report import Drawings, Figure, interval_plot, palette
from highseason.report.drawing import drawing, leave_squares
from studies.frames import averaged, columns, estimate, estimates, where
from studies.study import Findings
from studies.vs_option_index.entrants import OPTION
from studies.when_it_pays import rule
from studies.when_it_pays.run import PAPER, MapResults

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: The edges of the map's cells, by trait.
_EDGES: Mapping[str, Sequence[float]] = {
    "tells": (0.1, 1.0, 10.0), "turns_per_arm": (8, 25), "peakiness": (0.4, 0.8),
    "varies": (0.5, 0.9), "position": (0.4, 0.6), "rho": (1e-9, 0.002, 0.1),
    "visitors": (200, 4_000),
}  # fmt: skip
_NAMES = {
    "tells": "effective visitors of a turn / worth of the prior",
    "turns_per_arm": "turns per arm",
    "peakiness": "peakiness: 1 - quietest quarter / mean",
    "varies": "share of the cost that goes with G",
    "position": "position of the weight (0 early, 1 late)",
    "rho": "rho",
    "visitors": "visitors per turn",
}
#: The panels of the map: columns and rows.
_PANELS = (
    ("tells", "turns_per_arm"), ("rho", "visitors"), ("peakiness", "varies"),
    ("position", "turns_per_arm"),
)  # fmt: skip


def findings(results: MapResults) -> Findings:
    """The cells of the map, the rule of thumb, and its judgement."""
    gains = results.frames["gains"]
    own = where(gains, policy=OPTION)
    judged = [
        {"part": part} | row
        for limit in rule.LIMITS
        for part in dict.fromkeys(own.part)
        for row in rule.judged(where(own, part=part), limit)
    ]
    frames = {
        "overall": pd.DataFrame(_overall(gains)),
        "cells": pd.DataFrame(_cells(gains)),
        "rules": pd.DataFrame(judged),
        "calibration": pd.DataFrame(rule.calibration(where(own, part="unseen"))),
    }
    return Findings(_sentences(frames["overall"], frames["rules"]), frames=frames)


def _overall(gains: pd.DataFrame) -> list[dict[str, Any]]:
    """Every pair over all settings of a part."""
    return [
        {"part": part, "policy": policy, "against": group.against.iloc[0], "settings": len(group)}
        | columns("gain", averaged(group, "gain"))
        | {"ratio": float(np.exp(np.log(group.ratio).mean()))}
        | {"clearly_better": int((group.gain_low > 0).sum())}
        | {"clearly_worse": int((group.gain_high < 0).sum())}
        for (part, policy), group in gains.groupby(["part", "policy"], sort=False)
    ]


def _cells(gains: pd.DataFrame) -> list[dict[str, Any]]:
    """The mean gain in every cell of every panel, over the settings that were drawn."""
    drawn = where(gains, part=("fitted", "unseen"))
    rows = []
    for across, up in _PANELS:
        bins = drawn.assign(column=_binned(drawn, across), row=_binned(drawn, up))
        for (policy, column, row), group in bins.groupby(["policy", "column", "row"], sort=False):
            about = {"policy": policy, "across": across, "up": up, "column": column, "row": row}
            rows.append(about | {"settings": len(group)} | columns("gain", averaged(group, "gain")))
    return rows


def _binned(frame: pd.DataFrame, trait: str) -> list[str]:
    names = _bins(trait)
    return [names[i] for i in np.searchsorted(_EDGES[trait], frame[trait], side="right")]


def _bins(trait: str) -> list[str]:
    """The names of the cells along a trait."""
    edges = [f"{edge:,.6g}" for edge in _EDGES[trait]]
    if trait == "rho":
        edges[0] = "0"
        return ["0", *(f"to {edge}" for edge in edges[1:]), f"above {edges[-1]}"]
    inside = [f"{low} to {high}" for low, high in itertools.pairwise(edges)]
    return [f"below {edges[0]}", *inside, f"from {edges[-1]}"]


def _sentences(overall: pd.DataFrame, judged: pd.DataFrame) -> list[str]:
    drawn = where(overall, part=("fitted", "unseen"))

    def said(policy: str) -> str:
        rows = where(drawn, policy=policy)
        mean = float(np.average(rows.gain, weights=rows.settings))
        return (
            f"{signed_percent(mean, 2)} of the reward on average, clearly more in "
            f"{rows.clearly_better.sum()} and clearly less in {rows.clearly_worse.sum()} of "
            f"{rows.settings.sum()} settings"
        )

    limit = rule.LIMITS[0]
    unseen = where(judged, part="unseen", limit=limit).to_dict("records")
    by_rule = {row["rule"]: row for row in unseen}
    right = {name: percent(row["right"]) for name, row in by_rule.items()}
    best = by_rule["formula"]
    return [
        f"Regulating the option index gains {said(OPTION)}; the paper's policies, tuned alike, "
        f"{said(PAPER)}.",
        f"A rule of thumb, fitted on other settings: gain ≈ {rule.FORMULA}. On unseen settings "
        f"the option index gains {signed_percent(best['gain_yes'], 2)} where it expects more than "
        f"{percent(limit, 1)}, and {signed_percent(best['gain_no'], 2)} elsewhere.",
        f"On whether it is more than {percent(limit, 1)}, the formula is right in "
        f"{right['formula']} of the unseen settings, “always no” in {right['always no']} and "
        f"“always yes” in {right['always yes']}.",
    ]


def figures(results: MapResults) -> Drawings:
    """How to draw each figure, by file name."""
    gains = results.frames["gains"]
    cells = pd.DataFrame(_cells(gains))
    drawings: Drawings = {
        f"map-{name}": partial(_map, where(cells, policy=policy), title)
        for name, policy, title in (
            ("option-index", OPTION, "What regulating the option index gains, % of reward"),
            ("paper", PAPER, "What regulating gains the paper's policies, % of reward"),
        )
    }
    traffic = where(gains, part="traffic", policy=(OPTION, PAPER))
    if len(traffic):
        drawings["traffic"] = partial(
            interval_plot,
            estimates(traffic, "gain", row="setting"),
            "gain in reward by regulating",
            "The same on real traffic",
        )
    drawings["calibration"] = partial(_calibration, results)
    return drawings


def _map(cells: pd.DataFrame, title: str) -> Figure:
    panels = []
    for across, up in _PANELS:
        some = where(cells, across=across, up=up)
        content = {
            (row["row"], row["column"]): estimate(row, "gain") for row in some.to_dict("records")
        }
        there = [name for name in _bins(across) if name in set(some["column"])]
        rows = [name for name in _bins(up) if name in set(some["row"])]
        panels.append(HeatMap(_NAMES[across], _NAMES[up], there, rows, content))
    return heat_maps(panels, title, most=_STRONGEST)


#: A gain of this share has the strongest colour.
_STRONGEST = 0.01


def _calibration(results: MapResults) -> Figure:
    own = where(results.frames["gains"], policy=OPTION)
    rows = {}
    for each in rule.calibration(where(own, part="unseen")):
        measured = with_interval(each["measured"], each["measured_se"])
        predicted = Estimate(each["predicted"], 0.0, each["predicted"], each["predicted"])
        rows[f"fifth {each['group']}"] = {"predicted": predicted, "measured": measured}
    return interval_plot(
        rows,
        "gain in reward by regulating the option index",
        "The rule of thumb on unseen settings",
    )


_PANEL, _COLUMNS = 2.4, 2
_BELOW, _ABOVE = "#c44536", "#2aa198"


class HeatMap(NamedTuple):
    """One panel.

    Attributes:
        xlabel: What the columns are.
        ylabel: What the rows are.
        columns: Their names.
        rows: Their names, the lowest first.
        cells: By row and column, a share; missing where there is none.
    """

    xlabel: str
    ylabel: str
    columns: Sequence[str]
    rows: Sequence[str]
    cells: Mapping[tuple[str, str], Estimate]


def heat_maps(panels: Sequence[HeatMap], title: str, most: float | None = None) -> Figure:
    """Panels side by side; a cell has its value in percent, bold where its interval excludes 0.

    Args:
        panels: The maps.
        title: Above the figure.
        most: The share at which colours are strongest; the largest one by default.

    >>> cells = {("few", "wave"): Estimate(0.01, 0.001, 0.008, 0.012)}
    >>> heat_maps([HeatMap("shape", "turns", ["wave"], ["few"], cells)], "Gains")
    <Figure: Gains>
    """
    values = [abs(cell.value) for panel in panels for cell in panel.cells.values()]
    top = most or max([*values, 1e-9])
    rows = -(-len(panels) // _COLUMNS)
    columns = min(_COLUMNS, len(panels))
    with drawing(title, [_PANEL] * rows, columns=columns) as (canvas, axes):
        for place, panel in zip(axes, panels, strict=False):
            _draw(place, panel, top)
        for place in axes[len(panels) :]:
            place.set_axis_off()
    return Figure(canvas, title, " ".join(map(_alt, panels)))


def _draw(axes: Axes, panel: HeatMap, most: float) -> None:
    from matplotlib.colors import LinearSegmentedColormap

    shades = LinearSegmentedColormap.from_list("gains", [_BELOW, "#ffffff", _ABOVE])
    values = np.full((len(panel.rows), len(panel.columns)), np.nan)
    for i, row in enumerate(panel.rows):
        for j, column in enumerate(panel.columns):
            cell = panel.cells.get((row, column))
            if cell is None:
                continue
            values[i, j] = cell.value
            clear = cell.low > 0 or cell.high < 0
            axes.text(
                j, i, f"{100 * cell.value:+.2f}", ha="center", va="center", fontsize=7.5,
                color=palette.INK, fontweight="bold" if clear else "normal",
            )  # fmt: skip
    axes.imshow(values, cmap=shades, vmin=-most, vmax=most, aspect="auto", origin="lower")
    axes.set_xticks(range(len(panel.columns)), list(panel.columns), fontsize=7.5)
    axes.set_yticks(range(len(panel.rows)), list(panel.rows), fontsize=7.5)
    axes.set_xlabel(panel.xlabel, fontsize=8.5)
    axes.set_ylabel(panel.ylabel, fontsize=8.5)
    leave_squares(axes)


def _alt(panel: HeatMap) -> str:
    parts = [
        f"{row}, {column}: {signed_percent(cell.value, 2)}"
        for (row, column), cell in panel.cells.items()
    ]
    return f"{panel.ylabel} by {panel.xlabel}: {'; '.join(parts)}."
