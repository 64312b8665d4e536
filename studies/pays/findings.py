"""The map in cells, the rule of thumb, and how it does on settings that it has not seen."""

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from highseason.core.formatting import percent, signed_percent
from highseason.report import Drawings, Figure, HeatMap, heat_maps, interval_plot
from highseason.results import Estimate, with_interval
from studies.frames import columns, estimate, estimates, where
from studies.meets.entrants import OPTION
from studies.pays import rules
from studies.pays.rules import FittedRule
from studies.pays.run import PAPER, PaysResults
from studies.study import Findings

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


@dataclass(frozen=True, eq=False)
class PaysFindings(Findings):
    """With the rules that were fitted."""

    fitted: FittedRule | None = None


def findings(results: PaysResults) -> PaysFindings:
    """The cells of the map, the rules, and their judgement."""
    gains = results.frames["gains"]
    own = where(gains, policy=OPTION)
    fitted = FittedRule.on(where(own, part="fitted"))
    judged = [
        {"part": part} | row
        for limit in rules.LIMITS
        for part in dict.fromkeys(own.part)
        for row in rules.judged(where(own, part=part), fitted, limit)
    ]
    frames = {
        "overall": pd.DataFrame(_overall(gains)),
        "cells": pd.DataFrame(_cells(gains)),
        "rules": pd.DataFrame(judged),
        "calibration": pd.DataFrame(_calibrations(own, fitted)),
    }
    lines = _sentences(frames["overall"], frames["rules"], fitted)
    return PaysFindings(lines, frames=frames, fitted=fitted)


def _calibrations(own: pd.DataFrame, fitted: FittedRule) -> list[dict[str, Any]]:
    """What the formulas predict of unseen settings, in fifths."""
    unseen = where(own, part="unseen")
    formulas = {"formula": fitted.formula, "formula with regret": fitted.with_regret}
    return [
        {"rule": name} | row
        for name, formula in (formulas | {"earlier formula": rules.EARLIER}).items()
        for row in rules.calibration(unseen, formula.predict(unseen))
    ]


def _overall(gains: pd.DataFrame) -> list[dict[str, Any]]:
    """Every pair over all settings of a part."""
    return [
        {"part": part, "policy": policy, "against": group.against.iloc[0], "settings": len(group)}
        | columns("gain", _mean(group))
        | {"ratio": float(np.exp(np.log(group.ratio).mean()))}
        | {"clearly_better": int((group.gain_low > 0).sum())}
        | {"clearly_worse": int((group.gain_high < 0).sum())}
        for (part, policy), group in gains.groupby(["part", "policy"], sort=False)
    ]


def _mean(group: pd.DataFrame) -> Estimate:
    """The mean over settings, whose games are independent."""
    return with_interval(
        float(group.gain.mean()), math.sqrt(float((group.gain_se**2).sum())) / len(group)
    )


def _cells(gains: pd.DataFrame) -> list[dict[str, Any]]:
    """The mean gain in every cell of every panel, over the settings that were drawn."""
    drawn = where(gains, part=("fitted", "unseen"))
    rows = []
    for across, up in _PANELS:
        bins = drawn.assign(column=_binned(drawn, across), row=_binned(drawn, up))
        for (policy, column, row), group in bins.groupby(["policy", "column", "row"], sort=False):
            about = {"policy": policy, "across": across, "up": up, "column": column, "row": row}
            rows.append(about | {"settings": len(group)} | columns("gain", _mean(group)))
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


def _sentences(overall: pd.DataFrame, judged: pd.DataFrame, fitted: FittedRule) -> list[str]:
    drawn = where(overall, part=("fitted", "unseen"))

    def said(policy: str) -> str:
        rows = where(drawn, policy=policy)
        mean = float(np.average(rows.gain, weights=rows.settings))
        return (
            f"{signed_percent(mean, 2)} of the reward on average, clearly more in "
            f"{rows.clearly_better.sum()} and clearly less in {rows.clearly_worse.sum()} of "
            f"{rows.settings.sum()} settings"
        )

    limit = rules.LIMITS[0]
    unseen = where(judged, part="unseen", limit=limit).to_dict("records")
    by_rule = {row["rule"]: row for row in unseen}
    right = {name: percent(row["right"]) for name, row in by_rule.items()}
    best = by_rule["formula"]
    return [
        f"Regulating the option index gains {said(OPTION)}; the paper's policies, tuned alike, "
        f"{said(PAPER)}.",
        f"A rule of thumb, fitted on other settings: gain ≈ {fitted.formula}. On unseen settings "
        f"the option index gains {signed_percent(best['gain_yes'], 2)} where it expects more than "
        f"{percent(limit, 1)}, and {signed_percent(best['gain_no'], 2)} elsewhere.",
        f"On whether it is more than {percent(limit, 1)}, the formula is right in "
        f"{right['formula']} of the unseen settings, with the regret of an unregulated policy in "
        f"{right['formula with regret']}, a checklist in {right['checklist']}, “always no” in "
        f"{right['always no']}, the earlier formula in {right['earlier formula']}.",
    ]


def figures(results: PaysResults) -> Drawings:
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
        drawings["traffic"] = lambda: interval_plot(
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


def _calibration(results: PaysResults) -> Figure:
    own = where(results.frames["gains"], policy=OPTION)
    rows = {}
    for each in _calibrations(own, FittedRule.on(where(own, part="fitted"))):
        measured = with_interval(each["measured"], each["measured_se"])
        predicted = Estimate(each["predicted"], 0.0, each["predicted"], each["predicted"])
        name = f"{each['rule']}, fifth {each['group']}"
        rows[name] = {"predicted": predicted, "measured": measured}
    return interval_plot(
        rows, "gain in reward by regulating the option index", "The formulas on unseen settings"
    )
