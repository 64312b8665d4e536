"""At equal tuning: what regulating changes, averaged over the seasons."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd

from highseason.core.formatting import with_range
from highseason.results import with_interval
from highseason.studies.study import Findings
from highseason.studies.timing.run import TimingResults
from highseason.studies.timing.settings import PAIRS, SAME_RULE


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
