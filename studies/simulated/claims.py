"""The paper's claims, and ours: one function each, whose verdict is computed from its frames."""

import math
from collections.abc import Mapping
from typing import NamedTuple

import pandas as pd

from highseason.core.text import counted, listed, percent, signed_percent
from studies.frames import ranged, where
from studies.paper import RANGE, REGULATED, SAME_RULE, K
from studies.simulated import beyond, settings
from studies.simulated.settings import names, tuned_label

HOLDS, PARTLY, FAILS, UNJUDGED = "holds", "holds partly", "not reproduced", "not judged"

#: "Generally" and "consistently": nearly always, and mostly.
_NEARLY, _MOSTLY = 0.95, 0.5
#: A difference of more standard deviations is unlikely to be chance.
_FAR = 1.96
#: Less than this share of the reward is little; and what the text calls similar.
_LITTLE = 0.02
#: Two sums of the same terms differ by less, as a share.
_ROUNDED = 1e-9

FIVE, TWO = names(REGULATED), names(settings.BASELINES)


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


def judge(
    n: pd.DataFrame, c: pd.DataFrame, headline: pd.Series, frames: Mapping[str, pd.DataFrame]
) -> dict[str, list[Claim]]:
    """What the paper says, and does not show, of rows by policy and by pair of policies.

    With the paper's own formulas, whose k is free, `frames` has the games beyond the grid.
    """
    if frames:
        by_k = frames["by_k"]
        printed = [ten_to_eighty_by_k(by_k), sixty_eight_by_k(by_k)]
        random, words = condition_on_k(frames["condition_on_k"], by_k), _in_words(frames)
    else:
        printed = [ten_to_eighty(c), sixty_eight(headline)]
        random, words = never_exploits(n, c), []
    tuned = [no_worse_when_tuned(c, base) for base in TWO if tuned_label(base) in set(c.base)]
    ours = [random, ties_with_greedy(c), more_arms_and_fewer_turns(c), *tuned]
    return {
        "paper": [beats_everywhere(c), *printed, pool_performs_well(n, c), *words],
        "not in the paper": [*ours, least_regret(n)],
    }


def _in_words(frames: Mapping[str, pd.DataFrame]) -> list[Claim]:
    """What the text says without numbers."""
    return [
        biased_without_dividing(frames["leaders"], frames["leaders_by_shape"], frames["naive"]),
        alike_in_the_long_run(frames["long_games"]),
        hopeless_if_busy_first(frames["early_peak"]),
        any_threshold_between(frames["two_values"]),
        standard_without_multiplier(
            frames["constant_g"], frames["constant_bounds"], frames["constant_pool"]
        ),
    ]


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


def beats_everywhere(c: pd.DataFrame) -> Claim:
    """Every regulated policy over both baselines."""
    parts, won, total = [], 0, 0
    for base in TWO:
        gains = where(c, policy=FIVE, base=base)
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
        f"{len(FIVE)} policies).",
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


def ten_to_eighty_by_k(by_k: pd.DataFrame) -> Claim:
    """Judged over k, which the paper leaves open: the range holds if some k > 10 gives it."""
    within = by_k[by_k.in_range >= _NEARLY]
    ours = by_k[by_k.k == K].iloc[0]
    return Claim(
        _GENERALLY,
        HOLDS if len(within) else _grade(float(by_k.in_range.max()), _NEARLY),
        f"In the plot this refers to (Bernoulli, wave, over ε-greedy) at least "
        f"{percent(_NEARLY)} of {int(ours.points)} points are in that range {_with(within)}, "
        f"{_tried(by_k)}; with k = {K:g}, {percent(ours.in_range)}, from "
        f"{signed_percent(ours.least)} to {signed_percent(ours.greatest)}.",
        "Appendix G, Figure 29",
    )


def sixty_eight_by_k(by_k: pd.DataFrame) -> Claim:
    """Judged over k as well."""
    near = by_k[by_k.apply(beyond.apart, axis=1) <= _FAR]
    ours = by_k[by_k.k == K].iloc[0]
    return Claim(
        _SIXTY_EIGHT,
        HOLDS if len(near) else FAILS,
        f"The gain is 68%, up to the luck of the paper's {settings.GAMES} games, "
        f"{_with(near)}, {_tried(by_k)}; with k = {K:g} it is {ranged(ours, 'gain')}, "
        f"{beyond.apart(ours):.1f} standard deviations away.",
        "Appendix G, Figure 29",
    )


def _tried(by_k: pd.DataFrame) -> str:
    return f"of the {len(by_k)} values of k tried, from {by_k.k.min():g} to {by_k.k.max():,g}"


def _with(rows: pd.DataFrame) -> str:
    return f"with k = {listed([f'{k:,g}' for k in rows.k])}" if len(rows) else "with no k"


def biased_without_dividing(
    leaders: pd.DataFrame, by_shape: pd.DataFrame, naive: pd.DataFrame
) -> Claim:
    """The sentence is about estimates; rewards, which also depend on the radius, come second."""
    less = int((by_shape.less_high < 0).sum())
    pairs = [
        f"{policy} {percent(rows.share.mean())} ({base} {percent(rows.base_share.mean())})"
        for (policy, base), rows in by_shape.groupby(["policy", "base"], sort=False)
    ]
    below, above = leaders[leaders.less_high < 0], leaders[leaders.less_low > 0]
    exceptions = f"clearly larger in {len(above)}"
    if len(above):
        most = percent(above.base_share.max())
        exceptions += f", in which the smarter policy's own is at most {most}"
    return Claim(
        "“The standard UCB and ε-greedy algorithms are not suitable for the setting in which the "
        "rewards are altered by the multiplier function. … The fact that rewards are multiplied by "
        "G(t) would irremediably bias all the estimations of the mean rewards, leading standard "
        "UCB and ε-greedy to choose arms whose rewards were artificially inflated …”",
        _grade(less / len(by_shape), _NEARLY),
        "Share of games that end with the highest estimate for the best arm, and that of the "
        f"smarter policy: {listed(pairs)}; clearly smaller in {less} of {len(by_shape)} (policy, "
        f"shape). In single settings it is clearly smaller in {len(below)} of {len(leaders)}, "
        f"{exceptions}. {_naive_rewards(naive)}",
        "Section 4",
    )


def _naive_rewards(naive: pd.DataFrame) -> str:
    """In two halves: ε-greedy, where it ever exploits, and UCB, whose radius has a unit."""
    epsilon = where(naive, policy="naive-epsilon")
    played = epsilon[~epsilon.at_random]
    above, level, below = _tally(played)
    others = counted(len(epsilon) - len(played), "other")
    text = (
        f"Rewards: naive-epsilon earns clearly less in {below} and more in {above} of "
        f"{counted(len(played), 'setting')}, and in {others} both only play at random; "
    )
    above, level, below = _tally(where(naive, policy="naive-ucb"))
    text += (
        f"naive-ucb, whose radius is small beside rewards times G, more in {above}, less in "
        f"{below}, unclear in {level}; with the radius in the unit of its rewards G decides: "
    )
    own = where(naive, policy=beyond.OWN_UNIT)
    parts = [
        f"{shape} more in {above} and less in {below}"
        for shape, rows in own.groupby("shape", sort=False)
        for above, _, below in [_tally(rows)]
    ]
    return f"{text}{', '.join(parts)}."


def alike_in_the_long_run(long: pd.DataFrame) -> Claim:
    """An asymptotic claim: gains shrink with every longer game, and are little in the longest."""
    sizes = long.assign(size=long.gain.abs()).pivot(index="turns", columns="policy", values="size")
    falls = (sizes.diff().iloc[1:] < 0).all() & (sizes.iloc[-1] < _LITTLE)
    spans = [
        f"{turns:,} turns: {signed_percent(rows.gain.min())} to {signed_percent(rows.gain.max())}"
        for turns, rows in long.groupby("turns")
    ]
    return Claim(
        "“… if the number of turns is very high, regulating greed algorithms and standard MAB "
        "algorithms will all start to behave similarly …”",
        _grade(float(falls.mean())),
        f"Gains over the same rule unregulated, wave, Bernoulli, 25 arms; {'; '.join(spans)}. "
        f"They shrink with every longer game, to less than {percent(_LITTLE)}, in {falls.sum()} of "
        f"{len(falls)} policies.",
        "Section 6.1",
    )


def hopeless_if_busy_first(peak: pd.DataFrame) -> Claim:
    """Each policy against itself, on the same turns backwards."""
    lower = int((peak.share_first < peak.share_last).sum())
    return Claim(
        "“… where G(t) is very high at the beginning and then decrease rapidly are examples "
        "where no bandit strategy would perform well …”",
        _grade(lower / len(peak)),
        f"{lower} of {len(peak)} policies earn a smaller share of what the best arm would with "
        f"the busy turns first than with the same turns backwards; the best of them "
        f"{percent(peak.share_first.max())} instead of {percent(peak.share_last.max())}.",
        "Section 6.1",
    )


def any_threshold_between(two: pd.DataFrame) -> Claim:
    """To the last digit."""
    same = int((two.least == two.greatest).sum())
    return Claim(
        "“… it does not matter where we put the threshold as long as it is above g_low and "
        "below g_high.”",
        _grade(same / len(two)),
        f"{same} of {len(two)} policies earn the same to the last digit with z at "
        f"{listed([f'{place:.0%}' for place in beyond.PLACES])} of the way.",
        "Section 3.2",
    )


def standard_without_multiplier(
    games: pd.DataFrame, bounds: pd.DataFrame, pool: pd.DataFrame
) -> Claim:
    """Games, bounds and the pool; Section 3.5 says that soft UCB is UCB “almost”: log(1 + t)."""
    soft = where(games, policy="soft-ucb").iloc[0]
    others = games[games.policy != "soft-ucb"]
    almost = abs(soft.gain) < _LITTLE
    ratio = bounds.bound / bounds.base_bound
    same = (ratio - 1).abs() < _ROUNDED
    is_soft = bounds.policy == "soft-ucb"
    bounded = same | (is_soft & (ratio < 1 + _LITTLE))
    sizes, arms = pool["size"], int(pool.arms.iloc[0])
    shrinks = [sizes.iloc[0] == arms, (sizes.diff().iloc[1:] <= 0).all(), sizes.iloc[-1] < arms]
    parts = [*others.the_same, almost, *bounded, *shrinks]
    first = int(pool.turn[sizes == sizes.iloc[-1]].iloc[0])
    return Claim(
        "“When G(t)=1, all of the algorithms introduced here, except for the variable pool "
        "algorithm, reduce to standard MAB algorithms with same regret bound. For the variable "
        "pool algorithm, when G(t)=1, the pool starts with all of the arms, and gradually "
        "eliminates arms from the pool as t increases.”",
        _grade(sum(map(bool, parts)) / len(parts)),
        f"{int(others.the_same.sum())} of {len(others)} play game for game as the same rule "
        f"unregulated; soft UCB, which is UCB only “almost” by Section 3.5, earns "
        f"{ranged(soft, 'gain')}. Bounds: the same to the last digits in "
        f"{int(same[~is_soft].sum())} of {int((~is_soft).sum())} cases, soft UCB's "
        f"{ratio[is_soft].min():.3f} to {ratio[is_soft].max():.3f} of UCB's. The pool: "
        f"{int(sizes.iloc[0])} of {arms} arms in the first turn, "
        f"{int(sizes[pool.turn == arms + 1].iloc[0])} in the first after each was tried, "
        f"{int(sizes.iloc[-1])} from turn {first} on"
        f"{'' if shrinks[1] else ', but more in between'}.",
        "Section 6.1",
    )


def condition_on_k(asked: pd.DataFrame, by_k: pd.DataFrame) -> Claim:
    """How often the least k that meets it leaves ε-greedy nothing but chance."""
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


def ten_to_eighty(c: pd.DataFrame) -> Claim:
    """With one k, that of the profile."""
    gains = where(c, policy=FIVE, base=TWO)
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


def sixty_eight(headline: pd.Series) -> Claim:
    """With one k as well."""
    # Our estimate is precise; the paper's number has the luck of its own 50 games in it.
    away = beyond.apart(headline)
    return Claim(
        _SIXTY_EIGHT,
        HOLDS if away <= _FAR else FAILS,
        f"{ranged(headline, 'gain')} over {counted(int(headline.games), 'game')}: 68% is "
        f"{away:.1f} standard deviations of another {settings.GAMES} games away.",
        "Appendix G, Figure 29",
    )


def pool_performs_well(n: pd.DataFrame, c: pd.DataFrame) -> Claim:
    """Whether any other policy of the paper clearly beats it."""
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


def more_arms_and_fewer_turns(c: pd.DataFrame) -> Claim:
    """The ends of four trends: over each baseline, by arms and by turns."""
    parts, trends = [], []
    for base in TWO:
        gains = where(c, policy=FIVE, base=base)
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


def never_exploits(n: pd.DataFrame, c: pd.DataFrame) -> Claim:
    """Whether any of its reward comes from exploiting."""
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


def ties_with_greedy(c: pd.DataFrame) -> Claim:
    """Whether any regulated policy clearly beats it, setting by setting."""
    gains = where(c, policy=FIVE, base="greedy")
    unbeaten = int((gains.groupby("setting").gain_low.max() <= 0).sum())
    each = [f"{name} {'/'.join(map(str, _tally(where(gains, policy=name))))}" for name in FIVE]
    return Claim(
        "Plain greedy (every arm once, then always the leader) ties with or beats all five.",
        _grade(unbeaten / gains.setting.nunique()),
        f"In {unbeaten} of {_settings(c)} no regulated policy clearly beats greedy; the most that "
        f"any gains over it is {signed_percent(gains.gain.max())}. Settings clearly better / "
        f"unclear / clearly worse than greedy: {listed(each)}.",
    )


def no_worse_when_tuned(c: pd.DataFrame, base: str) -> Claim:
    """Of a baseline that is tuned to each setting."""
    gains = where(c, policy=FIVE, base=tuned_label(base))
    above, level, below = _tally(gains)
    before = where(c, policy=FIVE, base=base).gain.mean()
    return Claim(
        f"Tuned, {base} is no worse than the regulated policies with the published values.",
        _grade((level + below) / len(gains), _NEARLY),
        f"Of {len(gains)} comparisons the regulated policy is clearly better in {above}, "
        f"unclear in {level}, clearly worse in {below}. Its mean gain falls from "
        f"{signed_percent(before)} over the published {base} to "
        f"{signed_percent(gains.gain.mean())} over the tuned one.",
    )


def least_regret(n: pd.DataFrame) -> Claim:
    """Our own policy against the best of all others, which is another one in every setting."""
    regret = n.pivot(index="setting", columns="policy", values="regret_mean")
    own = regret.pop(settings.OURS)
    best = regret.min(axis=1)
    ratio, lower = math.exp((own / best).map(math.log).mean()), int((own < best).sum())
    return Claim(
        "The option index, a policy of ours with nothing to tune, has the least regret.",
        _grade(lower / len(own), _NEARLY),
        f"Its regret is lower than that of every other policy in {lower} of "
        f"{counted(len(own), 'setting')}, and on geometric average {ratio:.2f} of the best "
        "one's, picked in each setting on the same games.",
    )


def little_at_equal_tuning(c: pd.DataFrame) -> Claim:
    """Each regulated policy over the same rule, both tuned."""
    gains = [where(c, policy=name, base=base).gain for name, base in SAME_RULE.items()]
    little = pd.concat(gains) < _LITTLE
    return Claim(
        f"At equal tuning, regulating adds less than {percent(_LITTLE)} to the reward of the same "
        "rule unregulated.",
        _grade(float(little.mean()), _NEARLY),
        f"True in {little.sum()} of {len(little)} comparisons. On average: "
        f"{'; '.join(mean_gains(c))} ({_settings(c)}).",
    )


def mean_gains(c: pd.DataFrame) -> list[str]:
    """Of each regulated policy over the same rule."""
    parts = []
    for name, base in SAME_RULE.items():
        gains = where(c, policy=name, base=base)
        above, _, below = _tally(gains)
        mean = signed_percent(gains.gain.mean())
        parts.append(f"{name} {mean} ({above} clearly better, {below} worse)")
    return parts
