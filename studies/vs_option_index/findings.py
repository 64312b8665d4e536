"""Wins, losses and geometric means of the option index, against goals set beforehand."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from highseason.engine import Estimate
from highseason.report import Drawings, Figure, palette
from highseason.report.drawing import drawing, legend_below, name_rows
from studies.crossfit import geometric_mean
from studies.frames import averaged, columns, estimate, where
from studies.study import Findings
from studies.vs_option_index.entrants import COUNTING, ENTRANTS, MORTAL, TWIN
from studies.vs_option_index.run import BEST, BEST_OF_ALL, ComparisonResults
from studies.vs_option_index.settings import WORLDS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_RIVALS = [each.label for each in ENTRANTS if each.is_rival]
#: Rows that stand for several policies come first, the unregulated twin last.
_ORDER = [
    BEST, BEST_OF_ALL,
    *(e.label + end for e in (*MORTAL, *ENTRANTS) for end in ("", COUNTING) if e.group != "ours"),
    TWIN,
]  # fmt: skip


class Goal(NamedTuple):
    """What the option index should show, what it does, and whether that is enough."""

    goal: str
    measured: str
    reached: str


def findings(results: ComparisonResults) -> Findings:
    """The ratios of every world, summarised, and the goals."""
    ratios = results.frames["ratios"]
    rows = _summarised(ratios, ["world", "tuned", "rival"]).to_dict("records")
    summary = pd.DataFrame(sorted(rows, key=_place))
    frames = {"summary": summary, "goals": pd.DataFrame(goals(ratios), columns=Goal._fields)}
    frames["pairs"] = _pairs(results.frames["regulated"])
    if "forecasts" in results.frames:
        frames["forecast_costs"] = _summarised(results.frames["forecasts"], ["policy"])
    return Findings(_sentences(summary, results.missing), frames=frames)


def _summarised(ratios: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """For each of the keys: the geometric mean, wins and losses, and the worst setting."""
    rows = []
    for names, group in ratios.groupby(keys, sort=False):
        each = _estimates(group)
        worst = group.nlargest(1, "ratio").iloc[0]
        rows.append(
            dict(zip(keys, names, strict=True))
            | {"settings": len(group)}
            | columns("mean", geometric_mean(each))
            | {"lower": int((group.ratio < 1).sum())}
            | {"clearly_lower": int((group.ratio_high < 1).sum())}
            | {"clearly_higher": int((group.ratio_low > 1).sum())}
            | {"worst": worst.ratio, "worst_low": worst.ratio_low, "worst_in": worst.setting}
        )
    return pd.DataFrame(rows)


def _pairs(regulated: pd.DataFrame) -> pd.DataFrame:
    """Every regulated policy against the same rule: regret, and reward gained on average."""
    keys = ["world", "policy", "against"]
    gains = [
        dict(zip(keys, names, strict=True)) | columns("gain", averaged(rows, "gain"))
        for names, rows in regulated.groupby(keys, sort=False)
    ]
    return _summarised(regulated, keys).merge(pd.DataFrame(gains), on=keys)


def _place(row: Any) -> tuple[int, bool, int]:
    """By world, tuned ones first, in the order of rivals."""
    return list(WORLDS).index(row["world"]), not row["tuned"], _ORDER.index(row["rival"])


def _estimates(rows: pd.DataFrame) -> list[Estimate]:
    return [estimate(row, "ratio") for row in rows.to_dict("records")]


def goals(ratios: pd.DataFrame) -> list[dict[str, str]]:
    """What was asked of the option index before it was measured, in the worlds that were played."""
    asked = {"paper": _paper_goals, "visitors": _visitors_goals}
    worlds = ((where(ratios, world=world), goals) for world, goals in asked.items())
    return [goal._asdict() for rows, goals in worlds if len(rows) for goal in goals(rows)]


def _paper_goals(paper: pd.DataFrame) -> Iterator[Goal]:
    each = where(paper, rival=_RIVALS, tuned=True)
    yield _lower_than_every(each)
    yield _nowhere_above(each, 1.02, "any of them, tuned")
    tuned, published = (where(paper, rival=BEST, tuned=tuned) for tuned in (True, False))
    yield _mean_at_most(tuned, 0.55, "the best of them tuned to the setting")
    yield _mean_at_most(published, 0.45, "the best of them with published constants")


def _visitors_goals(visitors: pd.DataFrame) -> Iterator[Goal]:
    best = where(visitors, rival=BEST_OF_ALL, tuned=True)
    yield _mean_at_most(best, 0.90, "the best tuned rival, visitors counted")
    yield _nowhere_above(best, 1.1, "the best tuned rival, visitors counted")
    yield _not_worse_than_twin(where(visitors, rival=TWIN))


def _goal(text: str, measured: str, reached: bool) -> Goal:
    return Goal(text, measured, "reached" if reached else "missed")


def _lower_than_every(each: pd.DataFrame) -> Goal:
    lower = each.groupby("setting").ratio.max() < 1
    return _goal(
        "Lower regret than every policy of the paper, ada-ucb and greedy, tuned, in at least 95% "
        "of the paper's settings",
        f"{lower.sum()} of {len(lower)} ({lower.mean():.0%})",
        bool(lower.mean() >= 0.95),
    )


def _nowhere_above(rows: pd.DataFrame, limit: float, whom: str) -> Goal:
    above = rows[rows.ratio_low > limit]
    worst = rows.nlargest(1, "ratio_low").iloc[0]
    return _goal(
        f"Nowhere clearly above {limit:g} of {whom}",
        f"{len(above)} of {len(rows)} intervals above; the highest is {_ranged(worst, 'ratio')} "
        f"against {worst.rival} ({worst.setting})",
        above.empty,
    )


def _mean_at_most(rows: pd.DataFrame, most: float, whom: str) -> Goal:
    mean = geometric_mean(_estimates(rows))
    return _goal(
        f"Geometric mean at most {most:.2f} of {whom}",
        f"{mean.value:.3f} ({mean.low:.3f} to {mean.high:.3f}), lower in "
        f"{(rows.ratio < 1).sum()} of {len(rows)}",
        mean.value <= most,
    )


def _not_worse_than_twin(rows: pd.DataFrame) -> Goal:
    means = {
        float(rho): geometric_mean(_estimates(where(rows, rho=rho)))
        for rho in sorted(set(rows.rho))
    }
    parts = [
        f"rho {rho:g}: {m.value:.2f} ({m.low:.2f} to {m.high:.2f})" for rho, m in means.items()
    ]
    return _goal(
        "Not clearly worse than its unregulated twin at any rho",
        "; ".join(parts),
        all(mean.low <= 1 for mean in means.values()),
    )


def _ranged(row: Any, name: str) -> str:
    value, low, high = (row[f"{name}{end}"] for end in ("", "_low", "_high"))
    return f"{value:.2f} ({low:.2f} to {high:.2f})"


def _sentences(summary: pd.DataFrame, missing: list[str]) -> list[str]:
    def said(world: str, rival: str, tuned: bool = True) -> str:
        row = where(summary, world=world, rival=rival, tuned=tuned).iloc[0]
        return f"{_ranged(row, 'mean')} of {rival}, lower in {row.lower} of {row.settings}"

    played = [world for world in WORLDS if (summary.world == world).any()]
    lines = []
    if "paper" in played:
        lines.append(
            "With one default and no tuning, the regret of the option index is on (geometric) "
            f"average {said('paper', BEST)} of the paper's settings where they are tuned to the "
            f"setting; {said('paper', BEST, False)} where they have published constants."
        )
    others = [f"{WORLDS[w]}: {said(w, BEST_OF_ALL)}" for w in played if w != "paper"]
    if others:
        lines.append(f"Regret of the option index where all are tuned. {_sentence(others)}")
    if missing:
        lines.append(f"Left out: {'; '.join(missing)}.")
    return lines


def _sentence(parts: list[str]) -> str:
    text = "; ".join(parts)
    return f"{text[0].upper()}{text[1:]}."


def figures(results: ComparisonResults) -> Drawings:
    """How to draw each figure, by file name."""
    ratios = results.frames["ratios"]
    worlds = [world for world in WORLDS if (ratios.world == world).any()]
    drawings: Drawings = {"ratios": partial(_strips, ratios, worlds, True, _summary_rows)}
    for world in worlds:
        drawings[f"ratios-{world}"] = partial(_strips, ratios, [world], True, _ORDER.__contains__)
    drawings["ratios-untuned"] = partial(_strips, ratios, worlds, False, _summary_rows)
    pairs = results.frames["regulated"]
    for world in worlds:
        drawings[f"regulated-{world}"] = partial(_regulated, where(pairs, world=world), world)
    return drawings


def _summary_rows(rival: str) -> bool:
    return rival in (BEST, BEST_OF_ALL, TWIN, "greedy", "ucb", "soft-ucb", "thompson", "kl-ucb")


def _strips(
    ratios: pd.DataFrame, worlds: list[str], tuned: bool, shown: Callable[[str], bool]
) -> Figure:
    panels, played = {}, set(ratios.rival[ratios.tuned == tuned])  # others have nothing to tune
    for world in worlds:
        shown_so = (ratios.tuned == tuned) | ~ratios.rival.isin(played)
        rows = ratios[(ratios.world == world) & shown_so]
        names = [name for name in _ORDER if shown(name) and (rows.rival == name).any()]
        panels[_sentence([WORLDS[world]])[:-1]] = {
            name: _estimates(where(rows, rival=name).drop_duplicates("setting")) for name in names
        }
    how = "tuned to each setting" if tuned else "with published constants"
    return ratio_strips(
        panels,
        "regret of the option index over that of the policy (log scale)",
        f"The option index against everyone {how}",
    )


def _regulated(pairs: pd.DataFrame, world: str) -> Figure:
    tuned = pairs[~pairs.policy.str.endswith("untuned")]
    rows = {
        f"{policy} / {plain}": _estimates(group)
        for (policy, plain), group in tuned.groupby(["policy", "against"], sort=False)
    }
    title = f"Regulated over unregulated, tuned alike: {WORLDS[world]}"
    return ratio_strips({"": rows}, "regret over that of the same rule unregulated", title)


#: Inches of a row and of the frame of a panel; how far marks of a row are spread.
_ROW, _FRAME, _SPREAD = 0.3, 0.62, 0.56
_TICKS = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)


def ratio_strips(
    panels: Mapping[str, Mapping[str, Sequence[Estimate]]], xlabel: str, title: str
) -> Figure:
    """A panel per group of settings, a row per comparison, and in it a mark per setting.

    A mark is full where its 95% interval is on one side of 1.  The diamond is the geometric mean.

    Args:
        panels: Ratios by the panel's title and the row's label.
        xlabel: What is divided by what.
        title: Above the figure.

    >>> ratios = [Estimate(0.5, 0.05, 0.41, 0.61), Estimate(0.9, 0.1, 0.72, 1.12)]
    >>> ratio_strips({"wave": {"ucb": ratios}}, "regret over that of ucb", "Ratios")
    <Figure: Ratios>
    """
    heights = [_FRAME + _ROW * len(rows) for rows in panels.values()]
    heights[-1] += 0.5
    with drawing(title, heights, sharex=True) as (canvas, axes):
        for panel, (name, rows) in zip(axes, panels.items(), strict=True):
            _draw_rows(panel, list(rows.values()))
            name_rows(panel, list(rows))
            panel.set_title(name)
        axes[-1].set_xlabel(xlabel, fontsize=9)
        axes[-1].set_xticks(_TICKS, [f"{tick:g}" for tick in _TICKS])
        axes[-1].minorticks_off()
        values = [r.value for rows in panels.values() for ratios in rows.values() for r in ratios]
        axes[-1].set_xlim(0.85 * min(values), 1.15 * max(1.0, *values))
        legend_below(canvas, axes, columns=3)
    return Figure(canvas, title, " ".join(map(_alt, panels, panels.values())))


def _draw_rows(axes: Axes, rows: Sequence[Sequence[Estimate]]) -> None:
    axes.set_xscale("log")
    axes.axvline(1.0, color=palette.INK, linewidth=1.0)
    for place, ratios in enumerate(rows):
        # Spread evenly in the order of the settings: no two marks hide each other for good.
        shifts = (np.arange(len(ratios)) * 0.618 % 1.0 - 0.5) * _SPREAD
        for clear, face in ((True, palette.DARK), (False, "white")):
            shown = [
                (r.value, shift)
                for r, shift in zip(ratios, shifts, strict=True)
                if (r.low > 1.0 or r.high < 1.0) == clear
            ]
            axes.plot(
                [value for value, _ in shown], [place + shift for _, shift in shown], "o",
                markersize=3.2, markeredgewidth=0.6, color=palette.DARK, markerfacecolor=face,
                alpha=0.75, label="a setting, clear" if clear else "a setting, unclear",
            )  # fmt: skip
        mean = geometric_mean(ratios).value
        axes.plot([mean], [place], "D", color=palette.ACCENT, markersize=6, label="geometric mean")


def _alt(panel: str, rows: Mapping[str, Sequence[Estimate]]) -> str:
    parts = [
        f"{label} {geometric_mean(ratios).value:.2f} ({min(r.value for r in ratios):.2f} to "
        f"{max(r.value for r in ratios):.2f})"
        for label, ratios in rows.items()
    ]
    return f"{panel}, geometric mean and range: {', '.join(parts)}."
