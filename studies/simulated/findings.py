"""The paper's claims against the frames, every verdict computed from them; and its figures."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import NamedTuple

import pandas as pd

from highseason import report, traffic
from highseason.core.text import counted, listed, percent, signed_percent
from highseason.engine import Estimate, SimulationResult
from highseason.report import Drawings, Figure
from studies.frames import ranged, where
from studies.paper import NAIVE, RANGE, REGULATED, SAME_RULE, K
from studies.simulated import beyond, plots, settings, side_results
from studies.simulated.run import Played, SimulatedResults
from studies.simulated.settings import SimulatedSetting, names, tuned_label
from studies.study import Findings

HOLDS, PARTLY, FAILS, UNJUDGED = "holds", "holds partly", "not reproduced", "not judged"

#: "Generally" and "consistently": nearly always, and mostly.
_NEARLY, _MOSTLY = 0.95, 0.5
#: A difference of more standard deviations is unlikely to be chance.
_FAR = 1.96
#: Less than this share of the reward is little; and what the text calls similar.
_LITTLE = 0.02
#: Turns: enough to show each shape, few enough to tell the waves apart.
_SHOWN = 300

_FIVE, _TWO = names(REGULATED), names(settings.BASELINES)

Group = dict[SimulatedSetting, SimulationResult]


class Claim(NamedTuple):
    """A sentence, the verdict on it, the evidence, and where the paper has the sentence."""

    claim: str
    verdict: str
    evidence: str
    place: str = ""

    @property
    def sentence(self) -> str:
        """The sentence with its place."""
        return f"{self.claim} ({self.place})" if self.place else self.claim


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


def findings(results: SimulatedResults) -> SimulatedFindings:
    """What holds of the paper's claims, and what it does not show."""
    numbers, comparisons = results.frames["numbers"], results.frames["comparisons"]
    claims = []
    for profile in dict.fromkeys(numbers.profile):
        n, c = (where(f, published=True, profile=profile) for f in (numbers, comparisons))
        judged = {"not in the paper": [_equal_tuning(c), *_option_index(n)]}
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
        frames={"claims": frame, "policies": _by_policy(numbers)},
        families=[family for family, _ in families(results.played)],
        most_over_random=float(random.gain.max()),
    )


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
        best = where(first, policy=_FIVE, base="greedy").gain.max()
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
            f"average by: {listed(_mean_gains(tuned))}."
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


def judge(
    n: pd.DataFrame, c: pd.DataFrame, headline: pd.Series, frames: Mapping[str, pd.DataFrame]
) -> dict[str, list[Claim]]:
    """What the paper says, and does not show, of rows by policy and by pair of policies.

    With the paper's own formulas, whose k is free, `frames` has the games beyond the grid.
    """
    if not frames:
        said, random = [_ten_to_eighty(c), _sixty_eight(headline)], [_never_exploits(n, c)]
    else:
        said = [*_printed_gains(frames["by_k"]), *_in_words(frames)]
        random = [_condition_on_k(frames)]
    return {
        "paper": [_beats_everywhere(c), *said[:2], _pool(n, c), *said[2:]],
        "not in the paper": [*random, _against_greedy(c), _arms_and_turns(c), *_against_tuned(c),
                             *_option_index(n)],
    }  # fmt: skip


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
        gains = where(c, policy=_FIVE, base=base)
        above, level, below = _tally(gains)
        won, total = won + above, total + len(gains)
        parts.append(
            f"over {base}, {above} of {len(gains)} comparisons are clear gains, {level} are "
            f"unclear and {below} are clear losses"
        )
    evidence = "; ".join(parts)
    return Claim(
        "“… the final cumulative rewards are much higher than those of algorithms that do not "
        "regulate greed over time.”",
        _grade(won / total),
        f"{evidence[0].upper()}{evidence[1:]} (95% intervals, {_settings(c)}, "
        f"{len(_FIVE)} policies).",
        "Section 4",
    )


#: The two sentences whose numbers are printed.
_GENERALLY = (
    "“… the algorithms that regulate greed over time generally increase rewards by anywhere "
    "between 10 and 80%.”"
)
_SIXTY_EIGHT = (
    "“… there was a 68% increase in rewards of Soft ε-greedy as compared with smarter ε-greedy for "
    "a simulation with 25 arms and 500 rounds.”"
)


def _printed_gains(by_k: pd.DataFrame) -> list[Claim]:
    """Judged over k, which the paper leaves open: a number holds if some k > 10 gives it."""
    within = by_k[by_k.in_range >= _NEARLY]
    far = by_k.apply(beyond.apart, axis=1)
    near = by_k[far <= _FAR]
    ours = by_k[by_k.k == K].iloc[0]
    tried = f"of the {len(by_k)} values of k tried, from {by_k.k.min():g} to {by_k.k.max():,g}"
    return [
        Claim(
            _GENERALLY,
            HOLDS if len(within) else _grade(float(by_k.in_range.max()), _NEARLY),
            f"In the plot this refers to (Bernoulli, wave, over ε-greedy) at least "
            f"{percent(_NEARLY)} of {int(ours.points)} points are in that range {_with(within)}, "
            f"{tried}; with k = {K:g}, {percent(ours.in_range)}, from {signed_percent(ours.least)} "
            f"to {signed_percent(ours.greatest)}.",
            "Appendix G, Figure 29",
        ),
        Claim(
            _SIXTY_EIGHT,
            HOLDS if len(near) else FAILS,
            f"The gain is 68%, up to the luck of the paper's {settings.GAMES} games, "
            f"{_with(near)}, {tried}; with k = {K:g} it is {ranged(ours, 'gain')}, "
            f"{beyond.apart(ours):.1f} standard deviations away.",
            "Appendix G, Figure 29",
        ),
    ]


def _with(rows: pd.DataFrame) -> str:
    return f"with k = {listed([f'{k:,g}' for k in rows.k])}" if len(rows) else "with no k"


def _in_words(frames: Mapping[str, pd.DataFrame]) -> list[Claim]:
    """What the text says without numbers."""
    naive, long, peak = frames["naive"], frames["long_games"], frames["early_peak"]
    two, constant = frames["two_values"], frames["constant_g"]
    parts = []
    for name, base in NAIVE.items():
        above, level, below = _tally(where(naive, policy=name))
        parts.append(f"{name} earns clearly more than {base} in {counted(above, 'setting')}, "
                     f"clearly less in {below}, unclear in {level}")  # fmt: skip
    worse = float((naive.gain_high < 0).mean())
    last = where(long, turns=int(long.turns.max()))
    spans = [
        f"{turns:,} turns: {signed_percent(rows.gain.min())} to {signed_percent(rows.gain.max())}"
        for turns, rows in long.groupby("turns")
    ]
    lower = int((peak.share_first < peak.share_last).sum())
    same = int((two.least == two.greatest).sum())
    other = constant[~constant.the_same]
    return [
        Claim(
            "“The standard UCB and ε-greedy algorithms are not suitable for the setting in which "
            "the rewards are altered by the multiplier function.”",
            _grade(worse, _NEARLY),
            f"Of {len(naive)} comparisons with the smarter policy: {'; '.join(parts)}. Multiplying "
            "by G also makes the radius small beside the rewards, so naive UCB explores less.",
            "Section 4",
        ),
        Claim(
            "“… if the number of turns is very high, regulating greed algorithms and standard MAB "
            "algorithms will all start to behave similarly …”",
            _grade(float((last.gain.abs() < _LITTLE).mean())),
            f"Gains over the same rule unregulated, wave, Bernoulli, 25 arms; {'; '.join(spans)}.",
            "Section 6.1",
        ),
        Claim(
            "“… where G(t) is very high at the beginning and then decrease rapidly are examples "
            "where no bandit strategy would perform well …”",
            _grade(lower / len(peak)),
            f"{lower} of {len(peak)} policies earn a smaller share of what the best arm would with "
            f"the busy turns first than with the same turns backwards; the best of them "
            f"{percent(peak.share_first.max())} instead of {percent(peak.share_last.max())}.",
            "Section 6.1",
        ),
        Claim(
            "“… it does not matter where we put the threshold as long as it is above g_low and "
            "below g_high.”",
            _grade(same / len(two)),
            f"{same} of {len(two)} policies earn the same to the last digit with z at "
            f"{listed([f'{place:.0%}' for place in beyond.PLACES])} of the way.",
            "Section 3.2",
        ),
        Claim(
            "“When G(t)=1, all of the algorithms introduced here, except for the variable pool "
            "algorithm, reduce to standard MAB algorithms …”",
            _grade(float(constant.the_same.mean())),
            f"{int(constant.the_same.sum())} of {len(constant)} play game for game as the same "
            "rule unregulated"
            + "".join(f"; {row.policy}: {ranged(row, 'gain')}" for row in other.itertuples())
            + ".",
            "Section 6.1",
        ),
    ]


def _condition_on_k(frames: Mapping[str, pd.DataFrame]) -> Claim:
    asked, by_k = frames["condition_on_k"], frames["by_k"]
    ours = by_k[by_k.k == K].iloc[0]
    games = int(asked.games.sum())
    share = float((asked.share_random * asked.games).sum()) / games
    return Claim(
        "Any k that satisfies the paper's second condition, k > 4 / min Δ², makes its baseline "
        "play at random in these games; its printed numbers fit a k that does not.",
        _grade(share, _NEARLY),
        f"The least such k makes ε-greedy play at random from the first turn to the last in "
        f"{percent(share, 1)} of {games:,} games (with {asked.arms.min()} arms its median is "
        f"{asked.median_k.iloc[0]:,.0f}). With k = {K:g} it does so in {int(ours.random_sizes)} of "
        f"{int(ours.sizes)} sizes.",
    )


def _ten_to_eighty(c: pd.DataFrame) -> Claim:
    gains = where(c, policy=_FIVE, base=_TWO)
    everywhere = gains.gain
    plot = where(gains, rewards="bernoulli", shape="wave", base="epsilon-greedy").gain
    share, overall = (float(g.between(*RANGE).mean()) for g in (plot, everywhere))
    return Claim(
        _GENERALLY,
        _grade(share, _NEARLY),
        f"In the plot this refers to (Bernoulli, wave, over ε-greedy), {percent(share)} of "
        f"{len(plot)} points are in that range; they run from {signed_percent(plot.min())} "
        f"to {signed_percent(plot.max())}. In all twelve plots {percent(overall)} are, from "
        f"{signed_percent(everywhere.min())} to {signed_percent(everywhere.max())}.",
        "Appendix G, Figure 29",
    )


def _sixty_eight(headline: pd.Series) -> Claim:
    # Our estimate is precise; the paper's number has the luck of its own 50 games in it.
    away = beyond.apart(headline)
    return Claim(
        _SIXTY_EIGHT,
        HOLDS if away <= _FAR else FAILS,
        f"{ranged(headline, 'gain')} over {counted(int(headline.games), 'game')}: 68% is "
        f"{away:.1f} standard deviations of another {settings.GAMES} games away.",
        "Appendix G, Figure 29",
    )


def _pool(n: pd.DataFrame, c: pd.DataFrame) -> Claim:
    others = [name for name in names(settings.SEVEN) if name != "variable-pool"]
    beaten = where(c, policy=others, base="variable-pool").groupby("setting").gain_low.max() > 0
    greedy = where(c, policy="variable-pool", base="greedy")
    above, level, below = _tally(greedy)
    exploited = float(where(n, policy="variable-pool").exploited_share.mean())
    return Claim(
        "“… the variable pool algorithm seems to perform consistently well in our experiments.”",
        _grade(float((~beaten).mean()), _NEARLY),
        f"In {(~beaten).sum()} of {_settings(c)} none of the other six clearly beats it. It earns "
        f"{percent(exploited)} of its reward with a pool of one arm, that is, playing greedily; "
        f"against plain greedy it is clearly better in {above}, unclear in {level} and clearly "
        f"worse in {below}, by at most {percent(float(greedy.gain.abs().max()), 1)} either way.",
        "Section 6.1",
    )


def _arms_and_turns(c: pd.DataFrame) -> Claim:
    parts, trends = [], []
    for base in _TWO:
        gains = where(c, policy=_FIVE, base=base)
        arms, turns = (gains.groupby(by).gain.mean() for by in ("arms", "turns"))
        trends += [arms.iloc[-1] > arms.iloc[0], turns.iloc[-1] <= turns.iloc[0]]
        by_arms, by_turns = (
            ", ".join(f"{key}: {signed_percent(value, 0)}" for key, value in means.items())
            for means in (arms, turns)
        )
        parts.append(f"over {base} by arms {by_arms}; by turns {by_turns}")
    kept = sum(trends)
    return Claim(
        "The more arms and the shorter the game, the more there is to gain.",
        HOLDS if kept == len(trends) else PARTLY if kept else FAILS,
        f"Mean gain of the five {'; '.join(parts)}. {kept} of {len(trends)} trends support it.",
    )


def _never_exploits(n: pd.DataFrame, c: pd.DataFrame) -> Claim:
    never = where(n, policy="epsilon-greedy").exploited_mean == 0
    most = float(where(c, policy="epsilon-greedy", base="uniform").gain.abs().max())
    near = f"differs from uniform random play by at most {percent(most, 1)}"
    return Claim(
        "With the k of the authors' code, ε-greedy never exploits: it plays at random from the "
        "first turn to the last.",
        _grade(float(never.mean())),
        f"In {never.sum()} of {_settings(c)} none of its reward came from exploiting; its reward "
        f"{near if most else 'is that of uniform random play'}.",
    )


def _against_greedy(c: pd.DataFrame) -> Claim:
    gains = where(c, policy=_FIVE, base="greedy")
    unbeaten = int((gains.groupby("setting").gain_low.max() <= 0).sum())
    each = [f"{name} {'/'.join(map(str, _tally(where(gains, policy=name))))}" for name in _FIVE]
    return Claim(
        "Plain greedy (every arm once, then always the leader) ties with or beats all five.",
        _grade(unbeaten / gains.setting.nunique()),
        f"In {unbeaten} of {_settings(c)} no regulated policy clearly beats greedy; the most that "
        f"any gains over it is {signed_percent(gains.gain.max())}. Settings clearly better / "
        f"unclear / clearly worse than greedy: {listed(each)}.",
    )


def _against_tuned(c: pd.DataFrame) -> list[Claim]:
    claims = []
    for base in _TWO:
        gains = where(c, policy=_FIVE, base=tuned_label(base))
        if gains.empty:
            continue
        above, level, below = _tally(gains)
        before = where(c, policy=_FIVE, base=base).gain.mean()
        claims.append(
            Claim(
                f"Tuned, {base} is no worse than the regulated policies with the published values.",
                _grade((level + below) / len(gains), _NEARLY),
                f"Of {len(gains)} comparisons the regulated policy is clearly better in {above}, "
                f"unclear in {level}, clearly worse in {below}. Its mean gain falls from "
                f"{signed_percent(before)} over the published {base} to "
                f"{signed_percent(gains.gain.mean())} over the tuned one.",
            )
        )
    return claims


def _option_index(n: pd.DataFrame) -> list[Claim]:
    """Our own policy against the best of all others, which is another one in every setting."""
    regret = n.pivot(index="setting", columns="policy", values="regret_mean")
    if settings.OURS not in regret:
        return []
    own, best = regret.pop(settings.OURS), regret.min(axis=1)
    ratio, lower = math.exp((own / best).map(math.log).mean()), int((own < best).sum())
    return [
        Claim(
            "The option index, a policy of ours with nothing to tune, has the least regret.",
            _grade(lower / len(own), _NEARLY),
            f"Its regret is lower than that of every other policy in {lower} of "
            f"{counted(len(own), 'setting')}, and on geometric average {ratio:.2f} of the best "
            "one's, picked in each setting on the same games.",
        )
    ]


def _equal_tuning(c: pd.DataFrame) -> Claim:
    gains = [where(c, policy=name, base=base).gain for name, base in SAME_RULE.items()]
    little = pd.concat(gains) < _LITTLE
    return Claim(
        f"At equal tuning, regulating adds less than {percent(_LITTLE)} to the reward of the same "
        "rule unregulated.",
        _grade(float(little.mean()), _NEARLY),
        f"True in {little.sum()} of {len(little)} comparisons. On average: "
        f"{'; '.join(_mean_gains(c))} ({_settings(c)}).",
    )


def _mean_gains(c: pd.DataFrame) -> list[str]:
    """Of each regulated policy over the same rule."""
    parts = []
    for name, base in SAME_RULE.items():
        gains = where(c, policy=name, base=base)
        above, _, below = _tally(gains)
        mean = signed_percent(gains.gain.mean())
        parts.append(f"{name} {mean} ({above} clearly better, {below} worse)")
    return parts


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
        for base in _TWO:
            name = f"increase-{family.id}-over-{base}"
            drawings[name] = partial(_increase, family.title, group, base, results.own)
        drawings[f"rewards-{family.id}"] = partial(_rewards, family.title, group)
    return drawings


def _gains_plot(comparisons: pd.DataFrame, own: Sequence[str] = ()) -> Figure:
    """The finding at a glance: gains over the published baselines, over greedy, at equal tuning."""
    published = where(comparisons, published=True)
    first, tuned = published[published.profile != "tuned"], where(published, profile="tuned")
    rows: dict[str, dict[str, Estimate]] = {}
    for name in (*_FIVE, settings.OURS, *own):
        over = {
            f"over {base}, as in the paper": where(first, policy=name, base=base) for base in _TWO
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
    wanted = "greedy", settings.OURS, *map(tuned_label, _TWO)
    beside = [label for label in wanted if label in there]
    shown = [*_FIVE, *own]
    return plots.increase(by_place, base, shown, f"Increase over {base}: {family}", beside)


def _rewards(family: str, group: Group) -> Figure:
    panels = {(f"{s.arms} arms", f"{s.turns} turns"): result for s, result in group.items()}
    labels = next(iter(panels.values())).policies
    return plots.reward_grid(panels, labels, f"Mean reward per game: {family}")
