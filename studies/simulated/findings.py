"""The paper's claims and ours, judged by profile; and the study's figures."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import NamedTuple

import pandas as pd

from highseason import report, traffic
from highseason.core.text import listed, signed_percent
from highseason.engine import Estimate, SimulationResult
from highseason.report import Drawings, Figure
from studies.frames import where
from studies.paper import SAME_RULE
from studies.simulated import plots, settings, side_results
from studies.simulated.claims import (
    FAILS,
    FIVE,
    HOLDS,
    PARTLY,
    TWO,
    UNJUDGED,
    judge,
    least_regret,
    little_at_equal_tuning,
    mean_gains,
)
from studies.simulated.run import Played, SimulatedResults
from studies.simulated.settings import SimulatedSetting, tuned_label
from studies.study import Findings

#: Turns: enough to show each shape, few enough to tell the waves apart.
_SHOWN = 300

Group = dict[SimulatedSetting, SimulationResult]


class Family(NamedTuple):
    """The settings that share a figure: a profile, a reward law, a shape."""

    profile: str
    law: settings.Law
    shape: str

    @property
    def id(self) -> str:
        """Part of file names."""
        return f"{self.profile.replace('_', '-')}-{self.law.id}-{self.shape}"

    @property
    def title(self) -> str:
        """Part of titles."""
        return f"{self.law.title}, {self.shape}"


@dataclass(frozen=True, eq=False)
class SimulatedFindings(Findings):
    """The frame `claims` has every verdict; `policies` has means over the settings of a figure."""

    families: Sequence[Family] = ()  # The settings that share a figure, in the order of the page
    most_over_random: float = math.nan  # The most that any policy gains where sigma is 1
    table_2: str = ""  # What simulation says of its yes and no


def findings(results: SimulatedResults) -> SimulatedFindings:
    """What holds of the paper's claims, and what it does not show."""
    numbers, comparisons = results.frames["numbers"], results.frames["comparisons"]
    claims = []
    for profile in dict.fromkeys(numbers.profile):
        n, c = (where(f, published=True, profile=profile) for f in (numbers, comparisons))
        judged = {"not in the paper": [little_at_equal_tuning(c), least_regret(n)]}
        if profile != "tuned":
            headline = where(results.frames["headline"], profile=profile).iloc[0]
            judged = judge(n, c, headline, results.frames if profile == "paper" else {})
        for kind, entries in judged.items():
            claims += [
                {"profile": profile, "kind": kind, "sentence": each.sentence, **each._asdict()}
                for each in entries
            ]
    frame = pd.DataFrame(claims)
    if results.quick:
        frame["verdict"] = UNJUDGED
    random = where(comparisons, base="uniform", rewards="normal-1")
    return SimulatedFindings(
        _summary(frame, *(where(f, published=True) for f in (numbers, comparisons))),
        frames={"claims": frame, "policies": _by_policy(numbers), **_naive(results.frames)},
        families=[family for family, _ in families(results.played)],
        most_over_random=float(random.gain.max()),
        table_2=_table_2(results.frames["table_2"]),
    )


def _table_2(rows: pd.DataFrame) -> str:
    """Whether the policies do what the table says of bounds, in the rows of high and of low G."""
    error = (rows.old_simulated_se**2 + rows.soft_simulated_se**2).map(math.sqrt)
    lower = rows.old_simulated - rows.soft_simulated > 1.96 * error
    right = lower == rows["soft lower?"].str.startswith("yes")
    high = rows.G == "high"
    counts = [f"{int(right[of].sum())} of {int(of.sum())} rows of {name} G"
              for name, of in (("high", high), ("low", ~high))]  # fmt: skip
    return (
        "Simulated, soft ε-greedy chooses the worse arm clearly less often exactly where the "
        f"table has yes in {listed(counts)}; where exploring has become rare, both are alike. Our "
        "bound that always holds is too loose to show it."
    )


def _naive(frames: Mapping[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """By shape: how often the best arm leads, and in how many settings the policy earns more."""
    if "naive" not in frames:
        return {}
    keys = ["shape", "policy"]
    gains = frames["naive"].assign(
        settings=1, more=lambda rows: rows.gain_low > 0, less_reward=lambda rows: rows.gain_high < 0
    )
    counts = gains.groupby(keys)[["settings", "at_random", "more", "less_reward"]].sum()
    counts["unclear"] = counts.settings - counts.more - counts.less_reward - counts.at_random
    return {"naive_policies": frames["leaders_by_shape"].join(counts, on=keys)}


def _summary(claims: pd.DataFrame, numbers: pd.DataFrame, comparisons: pd.DataFrame) -> list[str]:
    lines = []
    for profile, verdicts in where(claims, kind="paper").groupby("profile", sort=False).verdict:
        if (verdicts == UNJUDGED).all():
            lines.append("A quick sweep is too small to judge any of the paper's claims.")
            continue
        count = {verdict: int((verdicts == verdict).sum()) for verdict in (HOLDS, PARTLY, FAILS)}
        hold = {verdict: "holds" if n == 1 else "hold" for verdict, n in count.items()}
        lines.append(
            f"Of the paper's {len(verdicts)} claims, {count[HOLDS]} {hold[HOLDS]}, "
            f"{count[PARTLY]} {hold[PARTLY]} partly and {count[FAILS]} could not be reproduced "
            f"(profile {profile})."
        )
    first = comparisons[comparisons.profile != "tuned"]
    if len(first):
        best = where(first, policy=FIVE, base="greedy").gain.max()
        epsilon = where(numbers[numbers.profile != "tuned"], policy="epsilon-greedy")
        random = int((epsilon.exploited_mean == 0).sum())
        lines.append(
            f"Over plain greedy, which the paper leaves out, no regulated policy gains more than "
            f"{signed_percent(best)} in any setting. ε-greedy, its baseline, plays at random in "
            f"{random} of {len(epsilon)} settings; with any k that meets the paper's second "
            "condition it would in all."
        )
    tuned = where(comparisons, profile="tuned")
    if len(tuned):
        lines.append(
            "With every policy tuned alike, regulating changes the reward of the same rule on "
            f"average by: {listed(mean_gains(tuned))}."
        )
    return lines


def _by_policy(numbers: pd.DataFrame) -> pd.DataFrame:
    """Means over the settings of each figure."""
    keys = ["profile", "rewards", "shape", "policy"]
    columns = [
        "reward_share", "exploited_share", "gain_over_epsilon_greedy", "gain_over_ucb",
        "gain_over_greedy",
    ]  # fmt: skip
    return numbers.groupby(keys, sort=False)[columns].mean().reset_index()


def families(played: Played) -> Iterator[tuple[Family, Group]]:
    """The results of each family, in the order of the page."""
    for profile, law, shape in product(played, settings.LAWS, settings.SHAPES):
        group = {s: r for s, r in played[profile].items() if (s.law, s.shape) == (law, shape)}
        if group:
            yield Family(profile, law, shape), group


def figures(results: SimulatedResults) -> Drawings:
    """How to draw each figure, by file name."""
    three = [traffic.SHAPES[name](turns=_SHOWN) for name in settings.SHAPES]
    pool = results.frames["pool"].estimated_mean.tolist()
    drawings: Drawings = {
        "gains": partial(_gains_plot, results.frames["comparisons"], results.own),
        "multipliers": partial(plots.shapes, three),
        "multipliers-and-z": partial(plots.shapes, three, settings.Z),
        "exploration": partial(plots.exploration, side_results.exploration_figure()),
        "pools": partial(plots.pools, pool, dict(results.pool_sizes)),
    }
    for family, group in families(results.played):
        for base in TWO:
            name = f"increase-{family.id}-over-{base}"
            drawings[name] = partial(_increase, family.title, group, base, results.own)
        drawings[f"rewards-{family.id}"] = partial(_rewards, family.title, group)
    return drawings


def _gains_plot(comparisons: pd.DataFrame, own: Sequence[str] = ()) -> Figure:
    """The finding at a glance: gains over the published baselines, over greedy, at equal tuning."""
    published = where(comparisons, published=True)
    first, tuned = published[published.profile != "tuned"], where(published, profile="tuned")
    rows: dict[str, dict[str, Estimate]] = {}
    for name in (*FIVE, settings.OURS, *own):
        over = {
            f"over {base}, as in the paper": where(first, policy=name, base=base) for base in TWO
        }
        over["over greedy"] = where(first, policy=name, base="greedy")
        same = where(tuned, policy=name, base=SAME_RULE.get(name, ""))
        over["over the same rule, both tuned"] = same
        rows[name] = {
            label: Estimate(float(g.mean()), math.nan, float(g.min()), float(g.max()))
            for label, gains in over.items()
            if len(g := gains.gain)
        }
    title = "What regulating gains, and over what"
    return report.interval_plot(rows, "gain in mean reward", title)


def _increase(family: str, group: Group, base: str, own: Sequence[str] = ()) -> Figure:
    by_place = {(f"{s.arms} arms", f"{s.turns:,}"): result for s, result in group.items()}
    there = next(iter(by_place.values())).policies
    wanted = "greedy", settings.OURS, *map(tuned_label, TWO)
    beside = [label for label in wanted if label in there]
    shown = [*FIVE, *own]
    return plots.increase(by_place, base, shown, f"Increase over {base}: {family}", beside)


def _rewards(family: str, group: Group) -> Figure:
    panels = {(f"{s.arms} arms", f"{s.turns} turns"): result for s, result in group.items()}
    labels = next(iter(panels.values())).policies
    return plots.reward_grid(panels, labels, f"Mean reward per game: {family}")
