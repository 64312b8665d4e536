"""The report: what was found first, then every figure with its numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from highseason.core.formatting import counted, listed, percent, signed_percent
from highseason.report.figure import Picture
from highseason.report.page import (
    Page,
    Section,
    bullets,
    command,
    contents,
    files,
    folded,
    heading,
    paragraph,
    table,
    verdicts,
    wide_picture,
    wide_pictures,
)
from highseason.results import SimulationResult, Table
from highseason.studies import numbers
from highseason.studies.making import made_with
from highseason.studies.simulated import analysis, claims
from highseason.studies.simulated.claims import FAILS, HOLDS, PARTLY, Claim
from highseason.studies.simulated.figures import (
    Family,
    chance_table,
    families,
    increase_name,
    pool_sizes,
    pool_table,
    rewards_name,
)
from highseason.studies.simulated.settings import (
    BASELINES,
    PROFILES,
    REGULATES,
    Setting,
    names,
)
from highseason.studies.tuned import Budget

_COLUMNS = {
    "policy": ("policy", ""),
    "arms": ("arms", "d"),
    "turns": ("turns", "d"),
    "reward_mean": ("reward", ",.0f"),
    "reward_se": ("± se", ",.0f"),
    "reward_share": ("share of max", ".3f"),
    "exploited_share": ("exploited", ".0%"),
    "regret_mean": ("regret", ",.0f"),
    "gain_over_epsilon_greedy": ("over ε-greedy", "+.1%"),
    "gain_over_ucb": ("over UCB", "+.1%"),
    "gain_over_greedy": ("over greedy", "+.1%"),
}
_INCREASES = {
    "policy": ("policy", ""),
    "arms": ("arms", "d"),
    "turns": ("turns", "d"),
    "gain": ("increase", "+.1%"),
    "low": ("low", "+.1%"),
    "high": ("high", "+.1%"),
    "paired": ("mean of ratios", "+.1%"),
    "paired_low": ("low", "+.1%"),
    "paired_high": ("high", "+.1%"),
}


@dataclass(frozen=True)
class Made:
    """All that the report is made of."""

    results: Mapping[str, Mapping[Setting, SimulationResult]]
    pictures: Mapping[str, Picture]
    told: Mapping[str, Sequence[Claim]]
    games: int
    seed: int
    quick: bool
    budget: Budget
    files: Sequence[Path]

    @cached_property
    def records(self) -> list[dict[str, Any]]:
        """All numbers."""
        return analysis.records(self.results)

    @cached_property
    def unsaid(self) -> dict[str, list[Claim]]:
        """What the paper does not show, by profile."""
        shown = [name for name in self.results if name != "tuned"] or ["tuned"]
        return {name: claims.unsaid(self.results, name) for name in shown}

    def claim_records(self) -> list[dict[str, Any]]:
        """Every verdict, for a table of its own."""
        return [
            {"profile": profile, "kind": kind, **vars(claim)}
            for kind, by_profile in (("paper", self.told), ("not in the paper", self.unsaid))
            for profile, entries in by_profile.items()
            for claim in entries
        ]

    def headlines(self) -> list[str]:
        """What was found, in a few lines."""
        lines = []
        for profile, entries in self.told.items():
            count = {v: sum(c.verdict == v for c in entries) for v in (HOLDS, PARTLY, FAILS)}
            lines.append(
                f"Of {len(entries)} claims of the paper {count[HOLDS]} hold, {count[PARTLY]} hold "
                f"partly, {count[FAILS]} not reproduced (profile {profile})."
            )
            lines += _greedy_headline(self.results[profile])
        if "tuned" in self.results:
            lines.append(_tuned_headline(self.results["tuned"]))
        return lines


def _greedy_headline(found: Mapping[Setting, SimulationResult]) -> list[str]:
    here = analysis.published(found).values()
    best = max(
        result.gain(name, "greedy").value
        for result in here
        for name in (*REGULATES, "variable-pool")
    )
    random = sum(result.mean("exploited", "epsilon-greedy") == 0 for result in here)
    return [
        f"The published ε-greedy never exploits in {random} of {len(here)} settings, so beating it "
        "means beating random play.",
        "Plain greedy, which the paper leaves out, earns about as much as the best: the most that "
        f"any regulated policy gains over it in any setting is {signed_percent(best)}.",
    ]


def _tuned_headline(found: Mapping[Setting, SimulationResult]) -> str:
    here = analysis.published(found)
    told = []
    for name, base in REGULATES.items():
        gains = [result.gain(name, base) for result in here.values()]
        mean = sum(gain.value for gain in gains) / len(gains)
        above, _, below = analysis.tally(gains)
        told.append(f"{name} {signed_percent(mean)} ({above} clear gains, {below} clear losses)")
    return (
        "With every policy tuned alike, regulating changes the reward of the same rule by, on "
        f"average: {listed(told)}."
    )


def report_page(made: Made) -> Page:
    """The whole report."""
    sections = [*_body(made)]
    first = Section("What was found", list(_found(made, sections)))
    settings = len(next(iter(made.results.values())))
    return Page(
        "Regulating greed over time: the simulated study, played again",
        f"{counted(settings, 'setting')}, {counted(made.games, 'game')} each, seed {made.seed}; "
        f"profiles {listed(list(made.results))}."
        + (" A quick sweep: too small to conclude from." if made.quick else ""),
        [first, *sections],
    )


def _found(made: Made, others: Sequence[Section]) -> Iterator[str]:
    yield bullets(made.headlines())
    for profile, entries in made.told.items():
        if entries:
            yield heading(f"What the paper says against what we find (profile {profile})")
            yield verdicts(
                ("the paper says", "verdict", "what we find"),
                [(c.says, c.verdict, c.evidence) for c in entries],
            )
    for profile, entries in made.unsaid.items():
        if entries:
            yield heading(f"What the paper does not show (profile {profile})")
            yield verdicts(
                ("we say", "verdict", "what we find"),
                [(c.says, c.verdict, c.evidence) for c in entries],
            )
    yield paragraph(
        "A difference is clear when the 95% interval of the paired games lies on one side of "
        "zero. A claim holds when all (of generally and consistently: 95%) of what it speaks of "
        "bears it out, and partly when half does. Verdicts are on the paper's settings; sigma 0.1 "
        "is shown below."
    )
    yield contents(others)


def _body(made: Made) -> Iterator[Section]:
    yield _stakes(made)
    yield _chances(made)
    groups: dict[str, list[Family]] = {}
    for family in families(made.results):
        groups.setdefault(family.profile, []).append(family)
    for profile, members in groups.items():
        yield Section(
            f"Increase over the baselines ({profile})",
            [paragraph(f"Profile {profile}: {PROFILES[profile]}."), *_increases(made, members)],
        )
        yield Section(f"Rewards in every setting ({profile})", list(_rewards(made, members)))
    yield _how(made)


def _stakes(made: Made) -> Section:
    caption = "The three multipliers over 300 turns; christmas is drawn on a logarithmic axis."
    high = "The same with the threshold z = 30. Coloured: high turns, in which to exploit."
    return Section(
        "The stakes",
        [
            wide_picture(made.pictures["multipliers"], caption),
            wide_picture(made.pictures["multipliers-and-z"], high),
            folded("numbers", table(_shape_table(made), sortable=True)),
        ],
    )


def _shape_table(made: Made) -> Table:
    rows = []
    some = next(iter(made.results))
    for setting in {(s.shape, s.turns): s for s in made.results[some]}.values():
        G = setting.multiplier(some).values
        rows.append((
            setting.shape, setting.turns, float(G.min()), float(G.mean()), float(G.max()),
            float(G.sum()), float((G >= 30).mean()),
        ))  # fmt: skip
    names_of = (
        "shape",
        "turns",
        "least G",
        "mean G",
        "greatest G",
        "sum of G",
        "share of turns high",
    )
    return Table(names_of, tuple(rows), ("", "d", ".3g", ".4g", ".4g", ",.0f", ".0%"))


def _chances(made: Made) -> Section:
    low, high = pool_sizes().values()
    return Section(
        "When the policies explore",
        [
            wide_picture(
                made.pictures["exploration-chances"],
                "The chance of exploring with G(t) = 20 + 19 sin(t/2), k = 11 and 2 arms. Up to n' "
                "ε-greedy always explores; from w on it explores less than psi allows.",
            ),
            folded("numbers", table(chance_table(), sortable=True)),
            wide_picture(
                made.pictures["pools"],
                "The pool in turn 26 of a wave with 25 arms and c = 10, the first turn in which it "
                "can choose. The paper's picture has most arms in the pool when G is low; its "
                f"formula draws from {low} of 25 at the lowest G and from {high} at the highest, "
                "and from fewer in later turns.",
            ),
            folded("numbers", table(pool_table(made.seed), sortable=True)),
        ],
    )


def _increases(made: Made, members: Sequence[Family]) -> Iterator[str]:
    for family in members:
        yield heading(family.title)
        shown = [
            (
                made.pictures[increase_name(family, base)],
                f"Increase in mean reward over {base}, with 95% intervals; hollow: not in the "
                "paper's figure.",
            )
            for base in names(BASELINES)
        ]
        yield wide_pictures(*shown)
        for base in names(BASELINES):
            yield folded(
                f"numbers: over {base}", table(_increase_table(made, family, base), sortable=True)
            )


def _increase_table(made: Made, family: Family, base: str) -> Table:
    key = f"gain_over_{base.replace('-', '_')}"
    rows = [
        {
            **record,
            "gain": record[key],
            "low": record[f"{key}_low"],
            "high": record[f"{key}_high"],
            "paired": record[f"paired_{key}"],
            "paired_low": record[f"paired_{key}_low"],
            "paired_high": record[f"paired_{key}_high"],
        }
        for record in _of(made, family)
        if record["policy"] != base
    ]
    return numbers.table(rows, _INCREASES)


def _of(made: Made, family: Family) -> list[dict[str, Any]]:
    return [
        record
        for record in made.records
        if (record["profile"], record["rewards"], record["shape"])
        == (family.profile, family.law.id, family.shape)
    ]


def _rewards(made: Made, members: Sequence[Family]) -> Iterator[str]:
    for family in members:
        yield heading(family.title)
        yield wide_picture(
            made.pictures[rewards_name(family)],
            "Red: from pure exploitation. An axis ends where every turn pays 1.",
        )
        columns = dict(_COLUMNS)
        if family.profile == "tuned":
            columns["parameters"] = ("parameters", "")
        yield folded("numbers", table(numbers.table(_of(made, family), columns), sortable=True))


def _how(made: Made) -> Section:
    flags = "".join(f" --profile {name}" for name in made.results)
    quick = " --quick" if made.quick else ""
    line = (
        f"highseason reproduce --only simulated{quick}{flags} --games {made.games} "
        f"--seed {made.seed} --out report/"
    )
    more = {
        "seed": str(made.seed),
        "games in each setting": str(made.games),
        "tuning, for each policy in each setting": (
            f"{made.budget.trials} candidates, finalists {made.budget.games} games, other seeds"
        ),
        **{f"profile {name}": PROFILES[name] for name in made.results},
    }
    share = _repeat_share(made)
    return Section(
        "How this was made",
        [
            command(line),
            made_with(more),
            paragraph(
                "All policies of a game meet the same arms and the same luck. Arms are drawn from "
                "[0, 1] in every game; with sigma 1 that leaves true means between 0.32 and 0.68, "
                f"so that little can be gained over random play: at most {percent(share)} here."
            ),
            paragraph("All numbers, beside this page:"),
            files([*(path.name for path in made.files), "claims.csv"]),
        ],
    )


def _repeat_share(made: Made) -> float:
    """The most that anybody gained over random play where sigma is 1."""
    gains = [
        result.gain(label, "uniform").value
        for found in made.results.values()
        for setting, result in found.items()
        if setting.law.sigma == 1.0
        for label in result.policies
    ]
    return max(gains)
