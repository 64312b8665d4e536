"""Wins, losses and geometric means of the option index, against goals set beforehand."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import pandas as pd

from highseason.engine import Estimate
from highseason.report import Drawings, Figure
from studies.crossfit import geometric_mean
from studies.frames import averaged, columns, estimate, where
from studies.study import Findings
from studies.vs_option_index.entrants import COUNTING, ENTRANTS, MORTAL, TWIN
from studies.vs_option_index.plots import ratio_strips
from studies.vs_option_index.run import BEST, BEST_OF_ALL, ComparisonResults
from studies.vs_option_index.settings import WORLDS

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
        "Lower regret than every policy of the paper and greedy, tuned, in at least 95% of the "
        "paper's settings",
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
