"""At equal tuning: what regulating changes, averaged over the seasons; and the figures."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import pandas as pd

from highseason.core.formatting import with_range
from highseason.multipliers import SHAPES
from highseason.report import Figure, interval_plot, shapes
from highseason.results import with_interval
from highseason.studies.frames import estimates
from highseason.studies.paper import SAME_RULE
from highseason.studies.study import Findings
from highseason.studies.timing.run import TimingResults
from highseason.studies.timing.settings import PAIRS


def findings(results: TimingResults) -> Findings:
    """The question of the study, answered for every regulated policy."""
    numbers = results.frames["numbers"]
    answers = pd.DataFrame([_answer(numbers[numbers.policy == policy]) for policy in PAIRS])
    alike = numbers[numbers.policy.isin(list(SAME_RULE))]
    best = alike.nlargest(1, "reward_gain").iloc[0]
    same = answers[answers.policy.isin(list(SAME_RULE))]
    summary = [
        "At equal tuning, the most that regulating adds to the reward of the same rule is "
        f"{_range(best, 'reward_gain')}: {best.policy} against {best.against}, {best.title}.",
        f"Of {len(alike)} comparisons with the same rule, {same.better.sum()} are clear gains and "
        f"{same.worse.sum()} are clear losses in reward.",
    ]
    if results.missing:
        summary.append(f"Real traffic was left out: {'; '.join(results.missing)}.")
    return Findings(summary, [_sentence(answer) for answer in answers.itertuples()],
                    {"answers": answers})  # fmt: skip


def _answer(rows: pd.DataFrame) -> dict[str, Any]:
    """One policy over all seasons; seasons have seeds of their own, so errors are independent."""
    answer: dict[str, Any] = {"policy": rows.policy.iloc[0], "against": rows.against.iloc[0]}
    for name in ("reward_gain", "regret_saved"):
        error = math.sqrt((rows[f"{name}_se"] ** 2).sum()) / len(rows)
        mean = with_interval(float(rows[name].mean()), error)
        answer |= {name: mean.value, f"{name}_low": mean.low, f"{name}_high": mean.high}
    return answer | {
        "better": int((rows.reward_gain_low > 0).sum()),
        "worse": int((rows.reward_gain_high < 0).sum()),
        "seasons": len(rows),
    }


def _sentence(answer: Any) -> str:
    alike = "both tuned alike" if answer.policy in SAME_RULE else "which has nothing to tune"
    return (
        f"{answer.policy} against {answer.against}, {alike}: reward gained "
        f"{_range(answer, 'reward_gain')}, regret saved {_range(answer, 'regret_saved')} on "
        f"average; clearly better in {answer.better} and clearly worse in {answer.worse} of "
        f"{answer.seasons} seasons."
    )


def _range(row: Any, name: str) -> str:
    return with_range(*(getattr(row, f"{name}{end}") for end in ("", "_low", "_high")))


# -- figures ---------------------------------------------------------------------------------------

_PER_FIGURE = 3


def figures(results: TimingResults) -> dict[str, Callable[[], Figure]]:
    """How to draw each figure, by file name."""
    numbers = results.frames["numbers"]
    drawings: dict[str, Callable[[], Figure]] = {
        "reward-gains": lambda: interval_plot(
            estimates(_some(numbers, SAME_RULE), "reward_gain"),
            "change of mean reward against the same rule unregulated",
            "What regulating gains at equal tuning",
        ),
        "regret-saved": lambda: interval_plot(
            estimates(_some(numbers, PAIRS), "regret_saved"),
            "share of the regret saved against the same rule unregulated",
            "What regulating saves at equal tuning",
            limit=1.0,
        ),
    }
    ours = list({s.G.name: s.G for s in results.seasons if s.G.name not in SHAPES}.values())
    for start in range(0, len(ours), _PER_FIGURE):
        some = ours[start : start + _PER_FIGURE]
        drawings[f"multipliers-{start // _PER_FIGURE + 1}"] = lambda some=some: shapes(some)  # type: ignore[misc]  # a default binds the loop's value
    return drawings


def _some(numbers: pd.DataFrame, policies: Iterable[str]) -> pd.DataFrame:
    return numbers[numbers.policy.isin(list(policies))]
