"""At equal tuning: what regulating changes, averaged over the seasons; and the figures."""

import math
from functools import partial
from typing import Any

import pandas as pd

from highseason.multipliers import SHAPES
from highseason.report import Drawings, interval_plot, shapes
from highseason.results import with_interval
from studies.frames import estimates, ranged, where
from studies.paper import PAIRS, SAME_RULE
from studies.study import Findings
from studies.timing.run import TimingResults

_SHAPES_PER_FIGURE = 3


def findings(results: TimingResults) -> Findings:
    """The question of the study, answered for every regulated policy."""
    numbers = results.frames["numbers"]
    answers = pd.DataFrame([_answer(where(numbers, policy=policy)) for policy in PAIRS])
    alike, same = (where(frame, policy=SAME_RULE) for frame in (numbers, answers))
    best = alike.nlargest(1, "reward_gain").iloc[0]
    summary = [
        "At equal tuning, the most that regulating adds to the reward of the same rule is "
        f"{ranged(best, 'reward_gain')}: {best.policy} against {best.against}, {best.title}.",
        f"Of {len(alike)} comparisons with the same rule, {same.better.sum()} are clear gains and "
        f"{same.worse.sum()} are clear losses in reward.",
    ]
    if results.missing:
        summary.append(f"Real traffic was left out: {'; '.join(results.missing)}.")
    return Findings(summary, list(map(_sentence, answers.itertuples())), {"answers": answers})


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
        f"{ranged(answer, 'reward_gain')}, regret saved {ranged(answer, 'regret_saved')} on "
        f"average; clearly better in {answer.better} and clearly worse in {answer.worse} of "
        f"{answer.seasons} seasons."
    )


def figures(results: TimingResults) -> Drawings:
    """How to draw each figure, by file name."""
    numbers = results.frames["numbers"]
    ours = list({s.G.name: s.G for s in results.seasons if s.G.name not in SHAPES}.values())
    several = [ours[i : i + _SHAPES_PER_FIGURE] for i in range(0, len(ours), _SHAPES_PER_FIGURE)]
    return {
        "reward-gains": lambda: interval_plot(
            estimates(where(numbers, policy=SAME_RULE), "reward_gain"),
            "change of mean reward against the same rule unregulated",
            "What regulating gains at equal tuning",
        ),
        "regret-saved": lambda: interval_plot(
            estimates(where(numbers, policy=PAIRS), "regret_saved"),
            "share of the regret saved against the same rule unregulated",
            "What regulating saves at equal tuning",
            limit=1.0,
        ),
        **{f"multipliers-{i}": partial(shapes, some) for i, some in enumerate(several, start=1)},
    }
