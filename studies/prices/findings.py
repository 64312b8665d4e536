"""Means of ratios with intervals, bands, and the goals of the issue, each holding or missed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from highseason.engine import Estimate, with_interval
from highseason.report import Drawings, Figure
from studies.frames import columns, where
from studies.prices.bands import HELD, SAID, TRIED, TRUE
from studies.prices.run import KNOWN, OURS, POLICIES, THOMPSON, TODAY, Asked, Played, PricesResults
from studies.prices.shops import FRESH
from studies.study import Findings
from studies.vs_option_index.findings import ratio_strips

#: How often settings and games are drawn again, and the least that a policy loses.
_REPEATS, _LEAST = 500, 1e-6
Numbers = NDArray[np.float64]
_HIGHER = ("lost", "lost_today", "ratio")


class Goal(NamedTuple):
    """What price-curve should show, what it does, and whether that is enough."""

    goal: str
    measured: str
    reached: str


def findings(results: PricesResults) -> Findings:
    """The tables, and the goals."""
    summary = pd.DataFrame(_summary(results.played))
    bands = pd.DataFrame(_bands(results.asked))
    best = pd.DataFrame(_fifths(results.asked))
    goals = pd.DataFrame(_goals(summary, bands, best, results.takings), columns=Goal._fields)
    takings = pd.DataFrame(
        [{"how": how} | columns("takings", each) for how, each in results.takings.items()]
    )
    frames = {
        "summary": summary, "bands": bands, "best": best, "takings": takings, "goals": goals,
        "higher": pd.DataFrame(_higher(results.played), columns=["setting", *_HIGHER]),
    }  # fmt: skip
    return Findings(_sentences(summary, goals), frames=frames)


def _repeated(losses: Numbers, rng: np.random.Generator) -> Numbers:
    """The mean loss, and the same as often as games are drawn again."""
    drawn = rng.integers(losses.size, size=(_REPEATS, losses.size))
    return np.asarray(np.maximum(_LEAST, [losses.mean(), *losses[drawn].mean(axis=1)]))


def _logs(one: Played, rival: str) -> Numbers:
    """The log of the ratio to a rival, with the same games drawn for both."""
    ours, theirs = (_repeated(one.lost[n], np.random.default_rng(1)) for n in (OURS, rival))
    return np.asarray(np.log(ours / theirs))


def _groups(played: Sequence[Played]) -> Iterator[tuple[str, list[Played]]]:
    every = [one for one in played if one.part == "all"]
    yield "all", every
    keys: dict[str, Callable[[Played], Any]] = {
        "prices": lambda one: one.about["prices"],
        "visitors a day": lambda one: f"{one.about['visitors']:g}",
        "days": lambda one: one.about["turns"],
        "": lambda one: one.about["demand"],
    }
    for name, of in keys.items():
        for value in dict.fromkeys(map(of, every)):
            yield f"{value} {name}".strip(), [one for one in every if of(one) == value]
    for title, fresh in (("the library's demands", False), ("demands of the study", True)):
        yield title, [one for one in every if (one.about["demand"] in FRESH) == fresh]
    yield "8 prices or more", [one for one in every if one.about["prices"] >= 8]
    for part, title in {
        "cliffs": "cliff, 3 to 5 prices", "long": "1,000 days, cliff and bumpy",
        "items": "items of a shop",
    }.items():  # fmt: skip
        if found := [one for one in played if one.part == part]:
            yield title, found


def _summary(played: Sequence[Played]) -> Iterator[dict[str, Any]]:
    """Every group of settings against every rival that plays in all of them."""
    logs = {(one.id, rival): _logs(one, rival) for one in played for rival in one.lost}
    for group, ones in _groups(played):
        if not ones:
            continue
        rng = np.random.default_rng(2)
        drawn = rng.integers(len(ones), size=(_REPEATS, len(ones)))
        for rival in POLICIES:
            if rival == OURS or any(rival not in one.lost for one in ones):
                continue
            each = np.array([logs[one.id, rival] for one in ones])
            again = each[drawn, np.arange(1, _REPEATS + 1)[:, None]].mean(axis=1)
            low, high = np.exp(np.quantile(again, (0.025, 0.975)))
            clear = [_difference(one, rival) for one in ones]
            worst = int(each[:, 0].argmax())
            yield {
                "group": group, "settings": len(ones), "rival": rival,
                "lost": float(np.mean([one.lost[OURS].mean() for one in ones])),
                "lost_rival": float(np.mean([one.lost[rival].mean() for one in ones])),
                "mean": float(np.exp(each[:, 0].mean())), "mean_low": low, "mean_high": high,
                "lower": int((each[:, 0] < 0).sum()),
                "clearly_lower": sum(each < -2 for each in clear),
                "clearly_higher": sum(each > 2 for each in clear),
                "worst": float(np.exp(each[worst, 0])), "worst_in": ones[worst].id,
            }  # fmt: skip


def _higher(played: Sequence[Played]) -> Iterator[tuple[Any, ...]]:
    """The settings in which we lose clearly more than the option index, the worst first."""
    rows = [
        (one.id, one.lost[OURS].mean(), one.lost[TODAY].mean(), _ratio(one, TODAY).value)
        for one in played
        if _difference(one, TODAY) > 2
    ]
    yield from sorted(rows, key=lambda row: -row[-1])


def _difference(one: Played, rival: str) -> float:
    """By how many standard errors we lose more, games paired."""
    gaps = one.lost[OURS] - one.lost[rival]
    error = gaps.std(ddof=1) / np.sqrt(gaps.size)
    return float(gaps.mean() / error) if error > 0 else 0.0


def _bands(asked: Sequence[Asked]) -> Iterator[dict[str, Any]]:
    """How often the 90% bands hold, by demand; their mean over demands last."""
    rows: list[dict[str, Any]] = []
    for demand in dict.fromkeys(one.demand for one in asked):
        said = np.concatenate([one.said for one in asked if one.demand == demand])
        tried = said[:, TRIED] > 0
        parts = {"tried": said[tried], "untried": said[~tried]}
        held = {name: part[:, HELD].mean() if len(part) else np.nan for name, part in parts.items()}
        counts = {f"{name}_prices": len(part) for name, part in parts.items()}
        rows.append({"demand": demand} | held | counts)
    yield from rows
    yield {"demand": "mean"} | {
        name: float(np.nanmean([row[name] for row in rows])) for name in ("tried", "untried")
    } | {
        name: sum(row[name] for row in rows) for name in ("tried_prices", "untried_prices")
    }  # fmt: skip


def _fifths(asked: Sequence[Asked]) -> Iterator[dict[str, Any]]:
    """How likely prices were said to be the best, and how often they were."""
    said = np.concatenate([one.said for one in asked])
    fifths = np.minimum(4, (5 * said[:, SAID]).astype(int))
    for k in range(5):
        mine = said[fifths == k]
        if len(mine):
            yield {
                "fifth": f"{k / 5:.0%} to {(k + 1) / 5:.0%}", "prices": len(mine),
                "said": float(mine[:, SAID].mean()), "true": float(mine[:, TRUE].mean()),
            }  # fmt: skip


def _goals(
    summary: pd.DataFrame, bands: pd.DataFrame, best: pd.DataFrame, takings: Mapping[str, Estimate]
) -> Iterator[Goal]:
    """What the issue asks for."""

    def at_most(limit: float, group: str, rival: str) -> Iterator[Goal]:
        for row in where(summary, group=group, rival=rival).to_dict("records"):
            yield _goal(
                f"{group}: at most {limit:.2f} of {rival}",
                f"{row['mean']:.3f} ({row['mean_low']:.3f} to {row['mean_high']:.3f}), worst "
                f"{row['worst']:.2f}",
                row["mean"] <= limit,
            )

    yield from at_most(0.87, "all", TODAY)
    yield from at_most(0.72, "all", THOMPSON)
    yield from at_most(0.72, "all", KNOWN)
    yield from at_most(0.80, "8 prices or more", TODAY)
    yield from at_most(1.05, "3 prices", TODAY)
    for row in where(summary, group="all", rival=TODAY).to_dict("records"):
        yield _goal(
            f"lower than {TODAY} in at least 70% of settings",
            f"{row['lower']} of {row['settings']} ({row['lower'] / row['settings']:.0%}); clearly "
            f"lower in {row['clearly_lower']}, clearly higher in {row['clearly_higher']}",
            row["lower"] >= 0.7 * row["settings"],
        )
    yield from at_most(1.2, "cliff, 3 to 5 prices", TODAY)
    yield from at_most(1.1, "1,000 days, cliff and bumpy", TODAY)
    yield _goal(
        "9.99 or 13.99, 60 days: at least 10,100",
        "; ".join(f"{how}: {e.value:,.0f} ± {e.error:,.0f}" for how, e in takings.items()),
        takings[OURS].value >= 10_100,
    )
    means = bands.iloc[-1]
    for name, low, high in (("tried", 0.86, 0.94), ("untried", 0.82, 0.94)):
        families = bands.iloc[:-1].dropna(subset=[name])
        if len(families):
            lowest = families.nsmallest(1, name).iloc[0]
            yield _goal(
                f"90% bands hold at {low:.0%} to {high:.0%} of {name} prices",
                f"{means[name]:.1%}; lowest {lowest.demand} ({lowest[name]:.0%})",
                bool(low <= means[name] <= high),
            )
    yield _goal(
        "“probably best” within 10 points of what is true, in each fifth",
        ", ".join(f"said {row.said:.0%}, true {row.true:.0%}" for row in best.itertuples()),
        bool(((best.said - best.true).abs() <= 0.10).all()),
    )


def _goal(goal: str, measured: str, reached: bool) -> Goal:
    return Goal(goal, measured, "holds" if reached else "missed")


def _sentences(summary: pd.DataFrame, goals: pd.DataFrame) -> list[str]:
    every = where(summary, group="all").to_dict("records")
    against = ", ".join(
        f"{row['mean']:.2f} ({row['mean_low']:.2f} to {row['mean_high']:.2f}) of {row['rival']}'s"
        for row in every
    )
    today = next(row for row in every if row["rival"] == TODAY)
    said = "; ".join(f"{row.goal}: {row.reached}, {row.measured}" for row in goals.itertuples())
    return [
        f"Where arms are prices, price-curve loses {today['lost']:.1%} of the best price's profit "
        f"and the option index {today['lost_rival']:.1%}; its regret is on (geometric) average "
        f"{against}.",
        f"It is lower than the option index in {today['lower']} of {today['settings']} settings, "
        f"clearly in {today['clearly_lower']}, and clearly higher in {today['clearly_higher']}.",
        f"{(goals.reached == 'holds').sum()} of {len(goals)} goals hold.  {said}.",
    ]


def figures(results: PricesResults) -> Drawings:
    """Every setting against every rival."""
    return {"ratios": partial(_strips, results.played)}


def _strips(played: Sequence[Played]) -> Figure:
    titles = {"all": "All settings", "cliffs": "A cliff, 3 to 5 prices", "long": "1,000 days"}
    panels: dict[str, dict[str, list[Estimate]]] = {}
    for part, title in titles.items():
        ones = [one for one in played if one.part == part]
        rivals = [name for name in POLICIES if name != OURS and ones and name in ones[0].lost]
        panels[title] = {name: [_ratio(one, name) for one in ones] for name in rivals}
    label = "regret of price-curve over that of the policy (log scale)"
    return ratio_strips(panels, label, "Prices as prices, and as names")


def _ratio(one: Played, rival: str) -> Estimate:
    logs = _logs(one, rival)
    middle, value = with_interval(float(logs[0]), float(logs[1:].std(ddof=1))), np.exp(logs[0])
    return Estimate(
        float(value), float(value * middle.error), float(np.exp(middle.low)),
        float(np.exp(middle.high)),
    )  # fmt: skip
