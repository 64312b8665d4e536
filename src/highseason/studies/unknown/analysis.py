"""What the estimators changed, cell by cell, and what that says of the paper's claim."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from highseason.results import Estimate, SimulationResult, ratio_gain

#: A loss of reward up to this share counts as harmless.
HARMLESS = 0.02


@dataclass(frozen=True)
class Change:
    """What one estimator changed for one policy in one cell, as shares of what G known gave."""

    cell: str
    multiplier: str
    law: str
    policy: str
    estimator: str
    reward: Estimate
    regret: Estimate

    def to_dict(self) -> dict[str, Any]:
        """For JSON; in percent, as the paper reports it."""
        told: dict[str, Any] = {
            key: getattr(self, key) for key in ("cell", "multiplier", "law", "policy", "estimator")
        }
        for metric in ("reward", "regret"):
            estimate: Estimate = getattr(self, metric)
            told[f"{metric}_change_percent"] = 100 * estimate.value
            told[f"{metric}_low"] = 100 * estimate.low
            told[f"{metric}_high"] = 100 * estimate.high
        return told


@dataclass(frozen=True)
class Verdict:
    """A claim, whether it holds here, and the numbers that say so."""

    claim: str
    holds: bool
    evidence: str

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self) | {"verdict": "holds" if self.holds else "does not hold"}


def change(result: SimulationResult, metric: str) -> Estimate:
    """The second of two paired players against the first."""
    return ratio_gain(result.moments[metric], 1, 0)


def verdicts(changes: Sequence[Change]) -> list[Verdict]:
    """The paper's claim estimator by estimator; and that of all of them together."""
    found = []
    for estimator in dict.fromkeys(each.estimator for each in changes):
        mine = [each for each in changes if each.estimator == estimator]
        worst = min(mine, key=lambda each: each.reward.value)
        bad = [each for each in mine if each.reward.high < -HARMLESS]
        found.append(
            Verdict(
                f"Estimating G by {_article(estimator)} makes no difference that matters",
                not bad,
                f"{len(bad)} of {len(mine)} cells clearly lose more than {HARMLESS:.0%} of the "
                f"reward; the worst is {_told(worst)}",
            )
        )
    harmful = [v for v in found if not v.holds]
    overall = Verdict(
        "No estimator makes a significant difference (the paper's reading of its six figures)",
        not harmful,
        f"{len(harmful)} of {len(found)} estimators fail somewhere",
    )
    average = [each for each in changes if each.estimator == "simple average"]
    lost = sorted(average, key=lambda each: each.reward.value)[:3]
    harmless = Verdict(
        "The simple average is harmless",
        not any(each.reward.high < -HARMLESS for each in average),
        "it follows no season, so thresholds and soft formulas are read from the wrong side; "
        f"the worst three: {'; '.join(_told(each) for each in lost)}",
    )
    return [overall, *found, harmless]


def _article(estimator: str) -> str:
    return estimator if "smoothing" in estimator else f"the {estimator}"


def _told(each: Change) -> str:
    return (
        f"{each.policy} on {each.multiplier} ({each.law}): {100 * each.reward.value:+.1f}% "
        f"({100 * each.reward.low:+.1f} to {100 * each.reward.high:+.1f})"
    )
