"""The paper's claims against the frames, every verdict computed from them; and its figures."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import NamedTuple

import pandas as pd

from highseason import bounds, multipliers, report
from highseason.core.formatting import counted, listed, percent, signed_percent, with_range
from highseason.report import Figure
from highseason.results import Estimate, SimulationResult
from highseason.studies.paper import SAME_RULE
from highseason.studies.simulated.run import Played, SimulatedResults
from highseason.studies.simulated.settings import (
    BASELINES,
    GAMES,
    LAWS,
    REGULATED,
    SEVEN,
    SHAPES,
    Law,
    SimulatedSetting,
    Z,
    names,
    tuned_label,
)
from highseason.studies.study import Findings

HOLDS, PARTLY, FAILS = "holds", "holds partly", "not reproduced"

#: The two numbers of the paper's text.
_RANGE, _SOFT = (0.10, 0.80), 0.68
#: "Generally" and "consistently": nearly always, and mostly.
_NEARLY, _MOSTLY = 0.95, 0.5
#: A difference of more standard deviations is unlikely to be chance.
_FAR = 1.96
#: Less than this share of the reward is little.
_LITTLE = 0.02

_FIVE, _TWO = names(REGULATED), names(BASELINES)


@dataclass(frozen=True)
class Claim:
    """A sentence, the verdict on it, and the evidence."""

    claim: str
    verdict: str
    evidence: str


@dataclass(frozen=True, eq=False)
class SimulatedFindings(Findings):
    """The frame `claims` has every verdict; `policies` has means over the settings of a figure."""

    families: Sequence[Family] = ()  # The settings that share a figure, in the order of the page
    # The most that any policy gains over random play where sigma is 1
    most_over_random: float = math.nan


def findings(results: SimulatedResults) -> SimulatedFindings:
    """What holds of the paper's claims, and what it does not show."""
    numbers, comparisons = results.frames["numbers"], results.frames["comparisons"]
    profiles = list(dict.fromkeys(numbers.profile))
    claims = []
    for profile in profiles:
        n, c = (f[f.published & (f.profile == profile)] for f in (numbers, comparisons))
        if profile == "tuned":
            judged = {"not in the paper": [equal_tuning(c)]}
        else:
            headline = results.frames["headline"].set_index("profile").loc[profile]
            judged = {"paper": paper_claims(n, c, headline), "not in the paper": unsaid(n, c)}
        for kind, entries in judged.items():
            claims += [{"profile": profile, "kind": kind, **asdict(each)} for each in entries]
    frame = pd.DataFrame(claims)
    random = comparisons[(comparisons.base == "uniform") & (comparisons.rewards == "normal-1")]
    return SimulatedFindings(
        _summary(frame, numbers[numbers.published], comparisons[comparisons.published]),
        frames={"claims": frame, "policies": _by_policy(numbers)},
        families=list(families(results.played)),
        most_over_random=float(random.gain.max()),
    )


def _summary(claims: pd.DataFrame, numbers: pd.DataFrame, comparisons: pd.DataFrame) -> list[str]:
    lines = []
    paper = claims[claims.kind == "paper"]
    for profile, verdicts in paper.groupby("profile", sort=False).verdict:
        count = verdicts.value_counts().to_dict()
        lines.append(
            f"Of the paper's {len(verdicts)} claims, {count.get(HOLDS, 0)} hold, "
            f"{count.get(PARTLY, 0)} hold partly and {count.get(FAILS, 0)} could not be reproduced "
            f"(profile {profile})."
        )
    first = comparisons[comparisons.profile != "tuned"]
    if len(first):
        best = first[first.policy.isin(_FIVE) & (first.base == "greedy")].gain.max()
        epsilon = numbers[(numbers.profile != "tuned") & (numbers.policy == "epsilon-greedy")]
        random = int((epsilon.exploited_mean == 0).sum())
        lines.append(
            f"The published ε-greedy never exploits in {random} of {len(epsilon)} settings, so "
            "gains over it are gains over random play. Over plain greedy, which the paper leaves "
            f"out, no regulated policy gains more than {signed_percent(best)} in any setting."
        )
    tuned = comparisons[comparisons.profile == "tuned"]
    if len(tuned):
        lines.append(
            "With every policy tuned alike, regulating changes the reward of the same rule on "
            f"average by: {listed([_mean_gain(tuned, *pair) for pair in SAME_RULE.items()])}."
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


# -- the paper's claims ----------------------------------------------------------------------------


def paper_claims(n: pd.DataFrame, c: pd.DataFrame, headline: pd.Series) -> list[Claim]:
    """What the paper says of its simulated study: of rows by policy and by pair of policies."""
    return [_beats_everywhere(c), _ten_to_eighty(c), _sixty_eight(headline), _pool(n, c),
            _arms_and_turns(c)]  # fmt: skip


def unsaid(n: pd.DataFrame, c: pd.DataFrame) -> list[Claim]:
    """What the paper does not show, with the published parameters."""
    return [_never_exploits(n, c), _against_greedy(c), *_against_tuned(c)]


def _gains(c: pd.DataFrame, policies: Sequence[str], base: str) -> pd.DataFrame:
    return c[c.policy.isin(policies) & (c.base == base)]


def _tally(gains: pd.DataFrame) -> tuple[int, int, int]:
    """How many are clearly above zero, unclear, and clearly below."""
    above, below = int((gains.gain_low > 0).sum()), int((gains.gain_high < 0).sum())
    return above, len(gains) - above - below, below


def _grade(share: float, full: float = 1.0) -> str:
    if share >= full:
        return HOLDS
    return PARTLY if share >= _MOSTLY else FAILS


def _settings(c: pd.DataFrame) -> str:
    return counted(c.setting.nunique(), "setting")


def _beats_everywhere(c: pd.DataFrame) -> Claim:
    parts, won, total = [], 0, 0
    for base in _TWO:
        gains = _gains(c, _FIVE, base)
        above, level, below = _tally(gains)
        won, total = won + above, total + len(gains)
        parts.append(
            f"over {base}, {above} of {len(gains)} comparisons are clear gains, {level} are "
            f"unclear and {below} are clear losses"
        )
    evidence = "; ".join(parts)
    return Claim(
        "Regulating greed beats both smarter baselines in every setting.",
        _grade(won / total),
        f"{evidence[0].upper()}{evidence[1:]} (95% intervals, {_settings(c)}, "
        f"{len(_FIVE)} policies).",
    )


def _ten_to_eighty(c: pd.DataFrame) -> Claim:
    everywhere = c[c.policy.isin(_FIVE) & c.base.isin(_TWO)].gain
    plot = _gains(c[(c.rewards == "bernoulli") & (c["shape"] == "wave")], _FIVE, "epsilon-greedy")
    share, overall = (float(g.between(*_RANGE).mean()) for g in (plot.gain, everywhere))
    return Claim(
        "The gains are generally between 10 and 80%.",
        _grade(share, _NEARLY),
        f"In the plot this refers to (Bernoulli, wave, over ε-greedy), {percent(share)} of "
        f"{len(plot)} points are in that range; they run from {signed_percent(plot.gain.min())} "
        f"to {signed_percent(plot.gain.max())}. In all twelve plots {percent(overall)} are, from "
        f"{signed_percent(everywhere.min())} to {signed_percent(everywhere.max())}.",
    )


def _sixty_eight(headline: pd.Series) -> Claim:
    # Our estimate is precise; the paper's number has the luck of its own 50 games in it.
    theirs = headline.gain_se * math.sqrt(headline.games / GAMES)
    apart = abs(headline.gain - _SOFT) / math.hypot(headline.gain_se, theirs)
    interval = with_range(headline.gain, headline.gain_low, headline.gain_high)
    return Claim(
        "Soft ε-greedy earns 68% more than ε-greedy (25 arms, 500 turns, wave, Bernoulli).",
        HOLDS if apart <= _FAR else FAILS,
        f"{interval} over {counted(int(headline.games), 'game')}. Another {GAMES} games would "
        f"differ from that by {percent(theirs, 1)} (one standard deviation): 68% is {apart:.1f} "
        "of them away.",
    )


def _pool(n: pd.DataFrame, c: pd.DataFrame) -> Claim:
    others = [name for name in names(SEVEN) if name != "variable-pool"]
    beaten = _gains(c, others, "variable-pool").groupby("setting").gain_low.max() > 0
    greedy = _gains(c, ["variable-pool"], "greedy")
    above, level, below = _tally(greedy)
    exploited = float(n[n.policy == "variable-pool"].exploited_share.mean())
    return Claim(
        "The variable pool performs consistently well.",
        _grade(float((~beaten).mean()), _NEARLY),
        f"In {(~beaten).sum()} of {_settings(c)} none of the other six clearly beats it. It earns "
        f"{percent(exploited)} of its reward with a pool of one arm, that is, playing greedily; "
        f"against plain greedy it is clearly better in {above}, unclear in {level} and clearly "
        f"worse in {below}, by at most {percent(float(greedy.gain.abs().max()), 1)} either way.",
    )


def _arms_and_turns(c: pd.DataFrame) -> Claim:
    parts, trends = [], []
    for base in _TWO:
        gains = _gains(c, _FIVE, base)
        by_arms, by_turns = (gains.groupby(by).gain.mean() for by in ("arms", "turns"))
        trends += [by_arms.iloc[-1] > by_arms.iloc[0], by_turns.iloc[-1] <= by_turns.iloc[0]]
        parts.append(f"over {base} by arms {_series(by_arms)}; by turns {_series(by_turns)}")
    kept = sum(trends)
    return Claim(
        "The more arms and the shorter the game, the more there is to gain.",
        HOLDS if kept == len(trends) else PARTLY if kept else FAILS,
        f"Mean gain of the five {'; '.join(parts)}. {kept} of {len(trends)} trends support it.",
    )


def _series(means: pd.Series[float]) -> str:
    return ", ".join(f"{key}: {signed_percent(value, 0)}" for key, value in means.items())


# -- what the paper does not show ------------------------------------------------------------------


def _never_exploits(n: pd.DataFrame, c: pd.DataFrame) -> Claim:
    never = n[n.policy == "epsilon-greedy"].exploited_mean == 0
    most = float(_gains(c, ["epsilon-greedy"], "uniform").gain.abs().max())
    near = f"differs from uniform random play by at most {percent(most, 1)}"
    return Claim(
        "With the published k, ε-greedy never exploits: it plays at random from the first turn to "
        "the last.",
        _grade(float(never.mean())),
        f"In {never.sum()} of {_settings(c)} none of its reward came from exploiting; its reward "
        f"{near if most else 'is that of uniform random play'}.",
    )


def _against_greedy(c: pd.DataFrame) -> Claim:
    gains = _gains(c, _FIVE, "greedy")
    unbeaten = int((gains.groupby("setting").gain_low.max() <= 0).sum())
    each = []
    for name in _FIVE:
        above, level, below = _tally(gains[gains.policy == name])
        each.append(f"{name} {above}/{level}/{below}")
    return Claim(
        "Plain greedy (every arm once, then always the leader) ties with or beats all five.",
        _grade(unbeaten / gains.setting.nunique()),
        f"In {unbeaten} of {_settings(c)} no regulated policy clearly beats greedy; the most that "
        f"any gains over it is {signed_percent(gains.gain.max())}. Settings clearly better / "
        f"unclear / clearly worse than greedy: {listed(each)}.",
    )


def _against_tuned(c: pd.DataFrame) -> list[Claim]:
    claims = []
    for base in BASELINES:
        gains = _gains(c, _FIVE, tuned_label(base))
        if gains.empty:
            continue
        above, level, below = _tally(gains)
        before, after = _gains(c, _FIVE, base.name).gain.mean(), gains.gain.mean()
        claims.append(
            Claim(
                f"Tuned, {base.name} is no worse than the regulated policies with the published "
                "values.",
                _grade((level + below) / len(gains), _NEARLY),
                f"Of {len(gains)} comparisons the regulated policy is clearly better in {above}, "
                f"unclear in {level}, clearly worse in {below}. Its mean gain falls from "
                f"{signed_percent(before)} over the published {base.name} to "
                f"{signed_percent(after)} over the tuned one.",
            )
        )
    return claims


def equal_tuning(c: pd.DataFrame) -> Claim:
    """Each regulated policy against the same rule unregulated, both tuned alike."""
    gains = pd.concat([_gains(c, [name], base) for name, base in SAME_RULE.items()])
    little = gains.gain < _LITTLE
    each = [_mean_gain(c, name, base) for name, base in SAME_RULE.items()]
    return Claim(
        f"At equal tuning, regulating adds less than {percent(_LITTLE)} to the reward of the same "
        "rule unregulated.",
        _grade(float(little.mean()), _NEARLY),
        f"True in {little.sum()} of {len(little)} comparisons. On average: {'; '.join(each)} "
        f"({_settings(c)}).",
    )


def _mean_gain(c: pd.DataFrame, name: str, base: str) -> str:
    gains = _gains(c, [name], base)
    above, _, below = _tally(gains)
    return f"{name} {signed_percent(gains.gain.mean())} ({above} clearly better, {below} worse)"


# -- figures ---------------------------------------------------------------------------------------

#: Long enough to show each shape, short enough to tell the waves apart.
_SHOWN = 300

Drawings = dict[str, Callable[[], Figure]]


class Family(NamedTuple):
    """The settings that share a figure: a profile, a reward law, a shape."""

    profile: str
    law: Law
    shape: str

    @property
    def id(self) -> str:
        """Part of file names."""
        return f"{self.profile.replace('_', '-')}-{self.law.id}-{self.shape}"

    @property
    def title(self) -> str:
        """Part of titles."""
        return f"{self.law.title}, {self.shape}"


def families(played: Played) -> dict[Family, dict[SimulatedSetting, SimulationResult]]:
    """The results of each family, in the order of the page."""
    groups = {
        Family(profile, law, shape): {
            setting: result
            for setting, result in results.items()
            if (setting.law, setting.shape) == (law, shape)
        }
        for profile, results in played.items()
        for law in LAWS
        for shape in SHAPES
    }
    return {family: group for family, group in groups.items() if group}


def figures(results: SimulatedResults) -> Drawings:
    """How to draw each figure, by file name."""
    three = [multipliers.SHAPES[name](turns=_SHOWN) for name in SHAPES]
    pool = results.frames["pool"].estimated_mean.tolist()
    drawings: Drawings = {
        "gains": lambda: _gains_plot(results.frames["comparisons"]),
        "multipliers": lambda: report.shapes(three),
        "multipliers-and-z": lambda: report.shapes(three, Z),
        "exploration": lambda: report.exploration(bounds.paper.exploration_figure()),
        "pools": lambda: report.pools(pool, dict(results.pool_sizes)),
    }
    for family, settings in families(results.played).items():
        for base in names(BASELINES):
            drawings[f"increase-{family.id}-over-{base}"] = _increase(family, settings, base)
        drawings[f"rewards-{family.id}"] = _rewards(family, settings)
    return drawings


def _gains_plot(comparisons: pd.DataFrame) -> Figure:
    """The finding at a glance: gains over the published baselines, over greedy, at equal tuning."""
    published = comparisons[comparisons.published]
    first, tuned = published[published.profile != "tuned"], published[published.profile == "tuned"]
    rows: dict[str, dict[str, Estimate]] = {name: {} for name in names(REGULATED)}
    for name, row in rows.items():
        for base in (*names(BASELINES), "greedy"):
            over = "over greedy" if base == "greedy" else f"over {base}, published"
            _add(row, over, _gains(first, [name], base))
        _add(row, "over the same rule, both tuned", _gains(tuned, [name], SAME_RULE.get(name, "")))
    title = "What regulating gains, and over what"
    return report.interval_plot(rows, "gain in mean reward", title)


def _add(row: dict[str, Estimate], name: str, gains: pd.DataFrame) -> None:
    if len(gains):
        low, high = float(gains.gain.min()), float(gains.gain.max())
        row[name] = Estimate(float(gains.gain.mean()), float("nan"), low, high)


def _increase(
    family: Family, settings: Mapping[SimulatedSetting, SimulationResult], base: str
) -> Callable[[], Figure]:
    by_place = {setting.axis_label: result for setting, result in settings.items()}
    there = next(iter(by_place.values())).policies
    beside = [label for label in ("greedy", *map(tuned_label, BASELINES)) if label in there]
    title = f"Increase over {base}: {family.title}"
    return lambda: report.increase(by_place, base, names(REGULATED), title, beside)


def _rewards(
    family: Family, settings: Mapping[SimulatedSetting, SimulationResult]
) -> Callable[[], Figure]:
    panels = {(f"{s.arms} arms", f"{s.turns} turns"): result for s, result in settings.items()}
    labels = next(iter(panels.values())).policies
    return lambda: report.reward_grid(panels, labels, f"Mean reward per game: {family.title}")
