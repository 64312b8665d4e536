"""The report of the study of timing: the answer first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from highseason.core.formatting import counted, with_range
from highseason.multipliers import SHAPES, Multiplier
from highseason.report.figure import Figure, Picture
from highseason.report.illustrations import shapes
from highseason.report.intervals import differences
from highseason.report.page import (
    Page,
    Section,
    bullets,
    command,
    files,
    folded,
    paragraph,
    table,
    wide_picture,
    wide_pictures,
)
from highseason.results import SimulationResult, Table
from highseason.studies import numbers
from highseason.studies.making import made_with
from highseason.studies.timing.analysis import (
    Answer,
    answers,
    records,
    regret_saved,
    reward_gain,
)
from highseason.studies.timing.settings import PAIRS, SAME_RULE, Season
from highseason.studies.tuned import Budget

_COLUMNS = {
    "policy": ("policy", ""),
    "season": ("season", ""),
    "parameters": ("tuned to", ""),
    "reward_share": ("share of max", ".4f"),
    "regret_mean": ("regret", ",.1f"),
    "regret_se": ("± se", ",.1f"),
    "against": ("against", ""),
    "reward_gain": ("reward gain", "+.2%"),
    "reward_gain_low": ("low", "+.2%"),
    "reward_gain_high": ("high", "+.2%"),
    "regret_saved": ("regret saved", "+.1%"),
    "regret_saved_low": ("low", "+.1%"),
    "regret_saved_high": ("high", "+.1%"),
}


@dataclass(frozen=True)
class Made:
    """All that the report is made of."""

    results: Mapping[Season, SimulationResult]
    pictures: Mapping[str, Picture]
    games: int
    seed: int
    quick: bool
    budget: Budget
    missing: Sequence[str]
    files: Sequence[Path]

    @cached_property
    def answers(self) -> list[Answer]:
        """One for each regulated policy."""
        return answers(self.results)

    def headlines(self) -> list[str]:
        """The answer, in a few lines."""
        gain, policy, season = max(
            ((reward_gain(r, p), p, s) for s, r in self.results.items() for p in SAME_RULE),
            key=lambda entry: entry[0].value,
        )
        lines = [
            "At equal tuning, the most that regulating adds to the reward of the same rule is "
            f"{with_range(gain.value, gain.low, gain.high)}: {policy} over {PAIRS[policy]}, "
            f"{season.title}.",
            *(answer.sentence() for answer in self.answers),
        ]
        if self.missing:
            lines.append(f"Real traffic was left out: {'; '.join(self.missing)}.")
        return lines


def drawings(
    results: Mapping[Season, SimulationResult],
) -> Iterator[tuple[str, Callable[[], Figure]]]:
    """Each figure's file name, and how to draw it."""
    stakes = [G for name, G in _multipliers(results).items() if name not in SHAPES]
    for start in range(0, len(stakes), 3):
        name = f"stakes-{start // 3 + 1}"
        yield name, lambda start=start: shapes(stakes[start : start + 3])  # type: ignore[misc]
    yield (
        "reward-gains",
        lambda: differences(
            {s.title: {p: reward_gain(r, p) for p in SAME_RULE} for s, r in results.items()},
            "change of mean reward against the same rule unregulated, %",
            "What regulating gains at equal tuning",
        ),
    )
    yield (
        "regret-saved",
        lambda: differences(
            {s.title: {p: regret_saved(r, p) for p in PAIRS} for s, r in results.items()},
            "share of the regret saved against the same rule unregulated, %",
            "What regulating saves at equal tuning",
            limit=1.0,
        ),
    )


def _multipliers(results: Mapping[Season, SimulationResult]) -> dict[str, Multiplier]:
    return {season.G.name: season.G for season in results}


def report_page(made: Made) -> Page:
    """The whole report."""
    return Page(
        "When timing matters: what regulating gains at equal tuning",
        f"{counted(len(made.results), 'season')}, {counted(made.games, 'game')} each, seed "
        f"{made.seed}; every policy tuned with the same budget, on other games."
        + (" A quick sweep: too small to conclude from." if made.quick else ""),
        [_found(made), _stakes(made), _numbers(made), _how(made)],
    )


def _found(made: Made) -> Section:
    return Section(
        "What was found",
        [
            bullets(made.headlines()),
            wide_pictures(
                (
                    made.pictures["reward-gains"],
                    "Each mark: a tuned regulated policy against the same rule unregulated and "
                    "tuned alike, with its 95% interval.",
                ),
                (
                    made.pictures["regret-saved"],
                    "The same in regret, which is what there was left to gain, and the pool "
                    "against greedy. The axis is cut at 100%; all numbers are in the table.",
                ),
            ),
            table(_answer_table(made), sortable=True),
        ],
    )


def _answer_table(made: Made) -> Table:
    head = ("policy", "against", "reward gain", "low", "high", "regret saved", "low", "high",
            "seasons clearly better", "clearly worse", "of")  # fmt: skip
    rows = tuple(
        (
            a.policy, PAIRS[a.policy], a.gain.value, a.gain.low, a.gain.high, a.saved.value,
            a.saved.low, a.saved.high, a.better, a.worse, a.seasons,
        )
        for a in made.answers
    )  # fmt: skip
    formats = ("", "", *("+.2%",) * 3, *("+.1%",) * 3, "d", "d", "d")
    return Table(head, rows, formats)


def _stakes(made: Made) -> Section:
    shown = [
        wide_picture(
            picture,
            "What one unit of reward is worth in each turn; wave, step and christmas are the "
            "paper's.",
        )
        for name, picture in made.pictures.items()
        if name.startswith("stakes")
    ]
    head = ("season", "multiplier", "turns", "arms", "means from", "to", "greatest G / mean G")
    rows = tuple(
        (
            s.title, s.G.name, s.G.turns, s.arms, s.between[0], s.between[1],
            float(s.G.values.max() / s.G.values.mean()),
        )
        for s in made.results
    )  # fmt: skip
    formats = ("", "", "d", "d", ".2f", ".2f", ".1f")
    return Section("The seasons", [table(Table(head, rows, formats), sortable=True), *shown])


def _numbers(made: Made) -> Section:
    shown = numbers.table(records(made.results), _COLUMNS)
    return Section("All numbers", [folded("the table", table(shown, sortable=True))])


def _how(made: Made) -> Section:
    quick = " --quick" if made.quick else ""
    line = (
        f"highseason reproduce --only timing{quick} --games {made.games} --seed {made.seed} "
        f"{'' if made.missing else '--data DATA '}--out report/"
    )
    more = {
        "seed": str(made.seed),
        "games in each season": str(made.games),
        "tuning, for each policy in each season": (
            f"{made.budget.trials} candidates, finalists {made.budget.games} games, other seeds"
        ),
    }
    blocks = [
        command(line),
        made_with(more),
        paragraph(
            "A season's games have a seed of its own, so the seasons are independent and the "
            "interval of an average is that of independent errors. All policies of a game meet "
            "the same arms and the same luck."
        ),
        paragraph("All numbers, beside this page:"),
        files([path.name for path in made.files]),
    ]
    if made.missing:
        blocks.insert(1, bullets([f"Left out: {reason}." for reason in made.missing]))
    return Section("How this was made", blocks)
