"""Plays every cell with G known and with every estimator, and writes the page."""

from __future__ import annotations

import json
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from highseason.games import simulate
from highseason.policies import Policy
from highseason.report import Figure
from highseason.report.interval_plots import interval_panels
from highseason.report.page import Page, Section, bullets, command, paragraph, pictures
from highseason.results import Moments, SimulationResult
from highseason.studies.legacy_work import Work
from highseason.studies.session import Progress
from highseason.studies.study import Outcome
from highseason.studies.unknown.analysis import Change, Verdict, change, verdicts
from highseason.studies.unknown.settings import (
    ARMS,
    CELLS,
    ESTIMATORS,
    GAMES,
    QUICK,
    TURNS,
    Cell,
    policies,
)


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
    """Play the study, and write `index.html`, its figures and `unknown.json` to `out`."""
    if len(profile) > 1:
        raise ValueError("the study of an unknown G takes one profile: paper or authors_code")
    games = games or (QUICK if quick else GAMES)
    cells = CELLS[:3] if quick else CELLS
    players = policies(profile[0] if profile else None)
    work = Work(2 * len(cells), progress)
    found: list[Change] = []
    for cell in cells:
        with work.step("simulating"):
            found += play_cell(cell, players, games, seed, threads)
    told = verdicts(found)
    figures, files = {}, []
    for cell in cells:
        with work.step("drawing"):
            figures[cell] = _figure(cell, found, games)
            files.append(figures[cell].save(Path(out) / f"{cell.id}.png"))
    document: dict[str, Any] = {
        "study": "unknown",
        "games": games,
        "seed": seed,
        "arms": ARMS,
        "turns": TURNS,
        "profile": profile[0] if profile else "paper",
        "verdicts": [verdict.to_dict() for verdict in told],
        "cells": [each.to_dict() for each in found],
    }
    numbers = Path(out) / "unknown.json"
    numbers.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    page = _page(figures, told, games, seed, quick).save(Path(out) / "index.html")
    return Outcome(page, _lines(told), work.seconds, [*files, numbers])


def play_cell(
    cell: Cell, players: dict[str, Policy], games: int, seed: int, threads: int | None = None
) -> list[Change]:
    """Every policy with every estimator, against itself with G known, over the same games."""
    G, rewards = cell.G, cell.rewards
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # plans that never explore are part of it
        known = simulate(players, rewards, G, games, seed, threads=threads)
        found = []
        for estimator, forecaster in ESTIMATORS.items():
            told = simulate(players, rewards, G, games, seed, forecast=forecaster, threads=threads)
            for i, policy in enumerate(players):
                both = _paired(known, told, i)
                found.append(
                    Change(
                        cell.id, cell.multiplier, cell.law, policy, estimator,
                        change(both, "reward"), change(both, "regret"),
                    )
                )  # fmt: skip
    return found


def _paired(known: SimulationResult, told: SimulationResult, i: int) -> SimulationResult:
    """Policy `i` with G known and with G estimated, as two players of the same games."""
    assert known.games is not None
    assert told.games is not None
    moments = {
        metric: Moments.of(np.vstack([known.games[metric][i], told.games[metric][i]]))
        for metric in ("reward", "regret")
    }
    labels = (known.policies[i], f"{known.policies[i]}, estimated")
    return SimulationResult(labels, {}, ("", ""), moments, moments["reward"], None, {})


def _figure(cell: Cell, found: list[Change], games: int) -> Figure:
    mine = [each for each in found if each.cell == cell.id]
    title = f"Estimated G: {cell.multiplier}, {cell.law}"
    policies = dict.fromkeys(e.policy for e in mine)
    return interval_panels(
        {
            f"Change in {metric}": {
                policy: {e.estimator: getattr(e, metric) for e in mine if e.policy == policy}
                for policy in policies
            }
            for metric in ("reward", "regret")
        },
        f"{games:,} games of {TURNS} turns, {ARMS} arms; lines are 95% intervals, paired by game",
        title,
    )


def _page(
    figures: dict[Cell, Figure], told: list[Verdict], games: int, seed: int, quick: bool
) -> Page:
    flag = " --quick" if quick else ""
    made = f"highseason reproduce --only unknown --games {games} --seed {seed}{flag} --out report/"
    drawn = [(figure, f"{cell.multiplier}, {cell.law}") for cell, figure in figures.items()]
    return Page(
        "When G is not known",
        "Every turn's multiplier is estimated from the turns before it; the same games are played "
        "with G known. The arms' estimates always divide by the traffic that really came.",
        [
            Section("What it shows", [bullets(_lines(told))]),
            Section("Figures", [pictures(*drawn)]),
            Section("How this was made", [paragraph(_settings()), command(made)]),
        ],
    )


def _lines(told: list[Verdict]) -> list[str]:
    return [
        f"{verdict.claim}: {'holds' if verdict.holds else 'does not hold'}. {verdict.evidence}."
        for verdict in told
    ]


def _settings() -> str:
    return (
        "Estimators: random walk, simple average, moving averages of 5 turns, smoothing with "
        "0.5; the paper gives none of these values. Policies have the paper's: z = 30, k = 1100, "
        "c = 10. With k = 1100 and 25 arms epsilon-z plays at random on every turn it takes for "
        "low, so a wrong belief is costly."
    )
