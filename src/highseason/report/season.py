"""The page of a whole season: the stakes, the plans, what was earned, and what that shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from highseason.multipliers import Multiplier
from highseason.policies import Plan, Policy
from highseason.report import findings
from highseason.report.bars import rewards
from highseason.report.page import (
    Page,
    Section,
    bullets,
    columns,
    command,
    heading,
    paragraph,
    pictures,
    table,
)
from highseason.report.plans import plan as draw_plans
from highseason.report.running import curves
from highseason.report.setting import setting
from highseason.report.stakes import multiplier
from highseason.report.timing import timing
from highseason.report.wording import counted, number, percent
from highseason.results import SimulationResult, Table

_NAIVE = "naive: rewards not divided by G"
_FAMILIES = {"epsilon": "ε-greedy and its kin", "ucb": "UCB and its kin", "pool": "the pool"}


@dataclass(frozen=True, eq=False)
class Season:
    """All that a page of a season is made of.

    Attributes:
        G: The stakes.
        plans: Every player's plan, by label.
        result: What they earned, with curves; it knows the same labels.
        casts: Which labels belong together in a picture, by title ("as shipped" …); the first is
            the one whose regret is drawn.
        warnings: What the plans warned of.
        made_by: The command that gives the same page again.
    """

    G: Multiplier
    plans: Mapping[str, Plan]
    result: SimulationResult
    casts: Mapping[str, Sequence[str]]
    warnings: Sequence[str]
    made_by: str

    def policy(self, label: str) -> Policy:
        """Who plays under that label."""
        return self.plans[label].policy


def season_page(season: Season) -> Page:
    """The page."""
    names = {plan.policy.label for plan in season.plans.values()}
    return Page(
        f"A {season.G.name.capitalize()} season under {counted(len(names), 'policy')}",
        f"Explore while it is quiet, exploit when it counts: {setting(season.result)}.",
        [
            _shown(season),
            _stakes(season),
            _plans(season),
            _earned(season),
            _regret(season),
            _numbers(season),
            _made(season),
        ],
    )


def _shown(season: Season) -> Section:
    told = [
        heading(title.capitalize()) + bullets(_findings(season, labels))
        for title, labels in season.casts.items()
    ]
    return Section("What it shows", [columns(*told)])


def _findings(season: Season, labels: Sequence[str]) -> list[str]:
    fair = [label for label in labels if not season.policy(label).learns_scaled]
    contenders = [label for label in fair if not season.policy(label).deliberate]
    lines = [findings.best(season.result, fair)]
    for base, regulated in _families(season, contenders).items():
        lines.append(findings.regulation(season.result, base, regulated))
    if "greedy" in fair:
        lines.append(findings.against_greedy(season.result, "greedy", contenders))
    pairs = _naive_pairs(season, labels)
    if pairs:
        lines.append(findings.naive(season.result, pairs))
    lines.append(findings.never_settles({label: season.plans[label] for label in labels}))
    return [line for line in lines if line]


def _families(season: Season, labels: Sequence[str]) -> dict[str, list[str]]:
    """Regulated policies by the label of the one they regulate (the same rule, blind to G)."""
    bases = {
        season.policy(label).decides_by.name: label
        for label in labels
        if season.policy(label).name in ("epsilon-greedy", "ucb")
    }
    found: dict[str, list[str]] = {}
    for label in labels:
        base = bases.get(season.policy(label).decides_by.name)
        if base is not None and base != label:
            found.setdefault(base, []).append(label)
    return found


def _naive_pairs(season: Season, labels: Sequence[str]) -> dict[str, str]:
    """Each naive policy with the one it is made from: the same plan, but it divides by G."""
    return {
        label: honest
        for label in labels
        for honest in labels
        if season.policy(label).learns_scaled
        and not season.policy(honest).learns_scaled
        and isinstance(season.policy(label), type(season.policy(honest)))
    }


def _stakes(season: Season) -> Section:
    caption = "What one unit of reward is worth in each turn. Coloured: the busiest quarter."
    return Section("The stakes", [pictures((multiplier(season.G, z="q0.75"), caption))])


def _plans(season: Season) -> Section:
    drawn = [
        (
            draw_plans(_distinct(season, labels), title=f"Plans, {title}"),
            "How much each turn explores, known before the game begins. Coloured: busy turns.",
        )
        for title, labels in season.casts.items()
    ]
    every = {
        label: plan
        for labels in season.casts.values()
        for label, plan in _distinct(season, labels).items()
    }
    explained = (
        f"Quiet: G below its mean, {number(float(season.G.values.mean()))}. Exploiting: turns that "
        "explore less than one part in a hundred. Stakes: the sum of G, each turn weighed by how "
        "much it explores. All of them try every arm once before."
    )
    blocks = [pictures(*drawn), table(_timings(every)), paragraph(explained)]
    return Section("When they explore", blocks)


def _timings(plans: Mapping[str, Plan]) -> Table:
    names = ("policy", "explores most on", "exploiting turns", "exploration in quiet turns",
             "stakes exploring")  # fmt: skip
    rows = []
    for label, plan in plans.items():
        when = timing(plan)
        rows.append((
            label, when.where(), f"{when.exploiting:,} of {when.turns - when.first_round:,}",
            percent(when.quiet_exploration), percent(when.stakes_exploring),
        ))  # fmt: skip
    return Table(names, tuple(rows), ("",) * len(names))


def _distinct(season: Season, labels: Sequence[str]) -> dict[str, Plan]:
    """Plans that differ and have something to show; those that share one share a line."""
    shared: dict[str, list[str]] = {}
    for label in labels:
        if not season.policy(label).deliberate:
            shared.setdefault(season.plans[label].digest, []).append(label)
    return {", ".join(group): season.plans[group[0]] for group in shared.values()}


def _earned(season: Season) -> Section:
    drawn = [
        (
            rewards(season.result, labels, title=f"Mean reward of a game, {title}"),
            "Bars of one season; all policies met the same arms and the same luck.",
        )
        for title, labels in season.casts.items()
    ]
    return Section("What they earned", [pictures(*drawn)])


def _regret(season: Season) -> Section:
    title, labels = next(iter(season.casts.items()))
    groups: dict[str, list[str]] = {}
    for label in sorted(labels, key=lambda label: season.policy(label).learns_scaled):
        policy = season.policy(label)
        if not policy.deliberate:
            family = _NAIVE if policy.learns_scaled else policy.decides_by.name
            groups.setdefault(_FAMILIES.get(family, family), []).append(label)
    greedy = [label for label in labels if season.policy(label).name == "greedy"]
    panels = {family: [*greedy, *members] for family, members in groups.items()}
    drawn = curves(season.result, "regret", panels, title=f"Regret so far, {title}")
    caption = (
        "What was lost to not playing the best arm. Each panel has its own scale; greedy is in all."
    )
    return Section("What it cost", [pictures((drawn, caption))])


def _numbers(season: Season) -> Section:
    explained = (
        "± is one standard error. share of max: the reward over the sum of G. exploited: the share "
        "of the reward from pure exploitation. best arm: the share of turns that played it. gain: "
        f"over {season.result.policies[0]}, with its 95 % interval, paired game by game."
    )
    summary: Table = season.result.summary()
    return Section("All numbers", [table(summary), paragraph(explained)])


def _made(season: Season) -> Section:
    blocks = [command(season.made_by)]
    if season.warnings:
        blocks = [paragraph("What the plans warned of:"), bullets(season.warnings), *blocks]
    return Section("How this was made", blocks)
