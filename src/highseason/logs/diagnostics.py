"""How far an estimate can be trusted: a summary of the log, and issues with each estimate.

Replay is valid only if the log was drawn uniformly at random.  Two questions are kept apart: could
chance alone explain how often arms were shown (a p-value), and how far is that from uniform (an
effect).  With ten million events every tiny deviation is significant; only one that is both beyond
chance and large enough to matter is reported.  A bias that changes over time can cancel out over
the whole log and still mislead replay, so quarters of the log, and its quiet and busy times, are
tested too.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from highseason.engine.results import Estimate, with_interval
from highseason.logs.estimators import WeightedEstimates, mean_estimate, self_normalised
from highseason.logs.prepared_log import PreparedLog

#: Fewer turns or rewards than these are too few.
FEW_TURNS, FEW_REWARDS = 1000, 50
#: Weighting turns shifts the mean significantly if it does so by this many standard errors.
SHIFT_SIGMAS = 3.0
#: A share of matches this far from what a uniform log gives, and beyond chance, is reported.
ODD_SHARE, ODD_SIGMAS = 0.1, 5.0

#: A deviation from uniform counts if chance alone produces it less often than this …
SIGNIFICANT = 0.001
#: … and arms are shown, in the root mean square, too often or too rarely by more than this share.
MATTERS = 0.05
#: The same in parts of a log.  Logs show an arm again to a visitor who returns, so their parts vary
#: a little more than independent draws do.
MATTERS_IN_PARTS = 0.1

#: Above this many arms the counts of arms are tested as if they were independent.
_MANY_ARMS = 1500
#: An arm is tested against its propensities if they imply at least this many displays.
_ENOUGH_DISPLAYS = 10
QUARTERS = 4
_PIECE = 1 << 18  # events counted at a time


@dataclass(frozen=True)
class Uniformity:
    """Whether arms were shown as often as replay assumes.

    Attributes:
        checked: "uniform" (all arms of a pool equally likely) or "propensity" (as the log claims).
        statistic: χ² of the counts; against propensities that are not uniform, the largest z.
        degrees: The degrees of freedom of χ²; the number of z values.
        p: How often chance alone gives at least as much.
        effect: The deviation beyond chance: root mean square, as a share.
        worst: The arm that deviates most, and by what share; empty where nothing was tested.
        holds: Whether the log is what it claims to be, as far as it matters.
        tilted: Whether its propensities themselves are not uniform.
        when: The part of the log in which the worst arm deviates; empty for the whole log.
    """

    checked: str
    statistic: float
    degrees: int
    p: float
    effect: float
    worst: tuple[str, float]
    holds: bool
    tilted: bool = False
    when: str = ""

    def __str__(self) -> str:
        details = f"p = {self.p:.2g}, deviation {100 * self.effect:.1f}%"
        against_propensities = self.checked == "propensity"
        if self.holds:
            agrees = "agrees with its propensities" if against_propensities else "looks uniform"
            return f"The log {agrees} ({details})."
        arm, share = self.worst
        if arm:
            often = f"{100 * abs(share):.0f}% {'more' if share > 0 else 'less'} often"
            when = f" in {self.when}" if self.when else ""
            details += f"; arm {arm} was shown {often} than expected{when}"
        if not against_propensities:
            return f"THE LOG IS NOT UNIFORMLY RANDOM ({details})."
        return (
            f"THE LOG CONTRADICTS ITS PROPENSITIES ({details}): do not trust estimates that use "
            "them."
        )

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        fields = vars(self) | dict(zip(("worst_arm", "worst_share"), self.worst, strict=True))
        del fields["worst"]
        return fields


@dataclass(frozen=True)
class LogSummary:
    """What a log holds, whatever replays it.

    Attributes:
        events: How many events.
        arms: How many arms are studied and occur in a pool.
        span: From the first to the last event, in the log's unit of time.
        bin: The length of a time bin; G is the number of events in it.
        G: The smallest, the median and the largest G of any event.
        baseline: The mean reward per visitor of showing studied arms at random: the mean over their
            events, each weighted by one over its propensity.
        backwards: How many events were earlier than the one before; all are replayed in order.
        uniformity: Whether arms were shown as replay assumes.
    """

    events: int
    arms: int
    span: int
    bin: float
    G: tuple[float, float, float]
    baseline: Estimate
    backwards: int
    uniformity: Uniformity

    def __str__(self) -> str:
        back = f" {self.backwards:,} events go back in time; all are replayed in order of time."
        return (
            f"{self.events:,} events of {self.arms:,} arms over {self.span / 3600:.1f} hours; G "
            f"(events per {self.bin:g} s) from {self.G[0]:g} to {self.G[2]:g}, median "
            f"{self.G[1]:g}.{back * (self.backwards > 0)}\nShowing arms at random earns "
            f"{self.baseline.value:.4g} per turn. {self.uniformity}"
        )

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return vars(self) | {
            "G": dict(zip(("least", "median", "greatest"), self.G, strict=True)),
            "baseline": vars(self.baseline),
            "uniformity": self.uniformity.to_dict(),
        }


@dataclass(frozen=True)
class SeparateLogs:
    """The summaries of several logs, each replayed by itself."""

    names: tuple[str, ...]
    logs: tuple[LogSummary, ...]

    @property
    def uniformity(self) -> Uniformity:
        """The least favourable of them."""
        tests = [log.uniformity for log in self.logs]
        return min(tests, key=lambda test: (test.holds, not test.tilted, test.p))

    @property
    def events(self) -> int:
        """How many events all of them have."""
        return sum(log.events for log in self.logs)

    @property
    def arms(self) -> int:
        """The largest number of arms of a log."""
        return max(log.arms for log in self.logs)

    @property
    def baseline(self) -> Estimate:
        """What showing arms at random earns: the mean over logs."""
        return mean_estimate(np.array([log.baseline.value for log in self.logs]))

    def __str__(self) -> str:
        sizes = [log.events for log in self.logs]
        worse = [name for name, log in self.to_dict().items() if not log["uniformity"]["holds"]]
        which = f"{len(worse):,} of them, such as {worse[0]}: " if worse else "Least uniform: "
        return (
            f"{len(sizes):,} logs, each replayed by itself: {sum(sizes):,} events, {min(sizes):,} "
            f"to {max(sizes):,} a log, of up to {self.arms:,} arms.\nShowing arms at random earns "
            f"{self.baseline.value:.4g} per turn. {which}{self.uniformity}"
        )

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {name: log.to_dict() for name, log in zip(self.names, self.logs, strict=True)}


_SUMMARIES: WeakKeyDictionary[PreparedLog, LogSummary] = WeakKeyDictionary()


def diagnose(log: PreparedLog) -> LogSummary:
    """Summarise a prepared log and test whether it is uniform; computed once per prepared log."""
    if log not in _SUMMARIES:
        events, counts = log.events, log.bins.counts.astype(np.float64)
        low, high = (counts.min(), counts.max()) if counts.size else (math.nan, math.nan)
        _SUMMARIES[log] = LogSummary(
            events=len(events),
            arms=int((log.studied & (log.start > 0)).sum()),
            span=int(events.time.max() - events.time.min()) if len(events) else 0,
            bin=log.bins.length,
            G=(float(low), log.bins.median, float(high)),
            baseline=_baseline(log),
            backwards=log.backwards,
            uniformity=check_uniformity(log),
        )
    return _SUMMARIES[log]


def _baseline(log: PreparedLog) -> Estimate:
    events = log.events
    if events.propensity is None and log.studied.all():
        return mean_estimate(log.reward)
    rows = np.flatnonzero(log.studied[events.arm])
    if not rows.size:
        return mean_estimate(log.reward[rows])
    weight = 1.0 / (log.propensity(rows) * np.maximum(log.pools.sizes[log.pool[rows]], 1))
    return self_normalised(log.reward[rows], weight)


@dataclass(frozen=True, eq=False, kw_only=True)
class Evidence:
    """What an estimate rests on, of one run or of many.

    Attributes:
        turns: How many events matched: the turns that were played.
        requested: How many turns were requested; None for as many as there are.
        rewarded: How many turns had a reward other than 0.
        mean: The mean reward per matched turn, with its error within one run.  Where pools differ
            in size it over-weights small ones; `weighted` does not.
        asked: On how many events the policy chose (first trials of arms are not choices).
        matched_share: The share of them that matched.
        expected_share: What it would be on a uniform log: one over the size of the pools.
        effective_size: The effective number of turns (Kish), each weighted by one over its
            propensity.
        weighted: Estimates per visitor; None where the log gives no propensities and all turns had
            the same one.
        thinned: How many events were skipped to make a log with propensities uniform.
        high_turns: How many turns had a G at which the policy's threshold says to exploit; None if
            it has no threshold.
    """

    turns: int
    requested: int | None
    rewarded: int
    mean: Estimate
    asked: int
    matched_share: float
    expected_share: float
    effective_size: float
    weighted: WeightedEstimates | None
    thinned: int = 0
    high_turns: int | None = None

    @property
    def overweights_small_pools(self) -> bool:
        """Whether the plain mean differs from the mean per visitor by more than its error."""
        if self.weighted is None:
            return False
        shift, width = self.weighted.shift, self.mean.high - self.mean.value
        return abs(shift.value) > max(width, SHIFT_SIGMAS * shift.error)


def pool_evidence(runs: Sequence[Evidence]) -> Evidence:
    """The evidence of many runs of one policy: counts added up, means taken over the runs.

    `requested` is left out, because runs that ended early are counted elsewhere.  Runs share
    events, and matching an event again makes nothing more certain, so the number of events asked
    is that of one run.
    """
    added = ("turns", "rewarded", "effective_size", "thinned")
    high = [run.high_turns for run in runs if run.high_turns is not None]
    means = np.array([run.mean.value for run in runs if run.turns])
    pairs = [(run.matched_share, run.expected_share) for run in runs if run.asked]
    share, expected = np.array(pairs).mean(axis=0).tolist() if pairs else (math.nan, math.nan)
    return Evidence(
        **{name: sum(getattr(run, name) for run in runs) for name in added},
        requested=None,
        mean=mean_estimate(means),
        asked=max(run.asked for run in runs),
        matched_share=share,
        expected_share=expected,
        weighted=_pool_weighted([run.weighted for run in runs if run.weighted is not None]),
        high_turns=sum(high) if high else None,
    )


def _pool_weighted(runs: Sequence[WeightedEstimates]) -> WeightedEstimates | None:
    known = [one for one in runs if one.effective_size > 0]
    if not known:
        return None
    means = {
        name: mean_estimate(np.array([getattr(one, name).value for one in known]))
        for name in ("ips", "snips", "shift")
    }
    size = math.fsum(one.effective_size for one in known)
    largest = max(one.largest for one in known)
    return WeightedEstimates(**means, effective_size=size, largest=largest)


def issues(evidence: Evidence, log: Uniformity) -> list[str]:
    """Every reason not to trust the estimate; empty if there is none."""
    if evidence.turns == 0:
        return ["no event matched, so the log says nothing about this policy"]
    return [*_bias(evidence, log), *_too_few(evidence), *_odd_turns(evidence)]


def verdict(evidence: Evidence, log: LogSummary) -> str:
    """The issues in one sentence, if any, and whether the policy beats showing arms at random."""
    problems = issues(evidence, log.uniformity)
    if evidence.turns == 0:
        return f"Cannot be trusted: {problems[0]}."
    # The baseline is per visitor, and so is a weighted estimate.
    mean = evidence.mean if evidence.weighted is None else evidence.weighted.snips
    error = math.hypot(mean.error, log.baseline.error)
    ahead = with_interval(mean.value - log.baseline.value, error)
    same = ahead.low <= 0.0 <= ahead.high  # false if the error is unknown
    per_turn = f"{log.baseline.value:.4g} per turn"
    random = [f"not distinguishable from showing arms at random ({per_turn})"] if same else []
    if problems:
        return f"Handle with care: {'; '.join([*problems, *random])}."
    width = f"mean within ± {evidence.mean.high - evidence.mean.value:.2g}"
    precision = f"{evidence.turns:,} matched turns, {width} (95%, within this run)"
    return f"Fit for use: {'; '.join([precision, *random])}."


def _bias(evidence: Evidence, log: Uniformity) -> Iterator[str]:
    if not log.holds and log.checked == "propensity":
        yield "the log contradicts its propensities"
    elif not log.holds:
        yield (
            "THE LOG IS NOT UNIFORMLY RANDOM and gives no propensities, so the estimate is BIASED "
            "towards the arms it favoured"
        )
    elif log.tilted and not evidence.thinned:
        yield (
            "the log's propensities are not uniform, which biases the plain mean: use the weighted "
            "estimates, or thin the log (reweigh: accept)"
        )
    elif evidence.weighted is not None and evidence.overweights_small_pools:
        yield (
            "pools differ in size and small ones match more often, so the mean per matched turn "
            f"({evidence.mean.value:.4g}) over-weights them: use the mean per visitor, "
            f"{evidence.weighted.snips.value:.4g} (SNIPS)"
        )


def _too_few(evidence: Evidence) -> Iterator[str]:
    turns, requested = evidence.turns, evidence.requested
    if turns < FEW_TURNS:
        yield f"only {turns:,} turns matched"
    elif evidence.rewarded < FEW_REWARDS:
        yield f"only {evidence.rewarded:,} rewards in {turns:,} turns"
    elif evidence.effective_size < 0.1 * turns:
        size = f"{evidence.effective_size:,.0f} effective turns"
        yield f"a few events carry most of the weight ({size})"
    if requested is not None and turns < requested:
        reached = f"{turns:,} of {requested:,} turns"
        yield f"the log ended after {reached}, and the mean covers only those"


def _odd_turns(evidence: Evidence) -> Iterator[str]:
    """A threshold that separates nothing, and matches that a uniform log would not give."""
    if evidence.high_turns in (0, evidence.turns):
        side = "never reached" if evidence.high_turns == 0 else "always reached"
        yield (
            f"G {side} the policy's threshold in the turns played, so it was not regulated at all: "
            "give a lower or higher threshold, or more turns"
        )
    expected = evidence.expected_share
    if not (0 < expected < 1 and evidence.asked > 0):
        return
    sigma = math.sqrt(expected * (1 - expected) / evidence.asked)
    off = abs(evidence.matched_share - expected)
    if off >= max(ODD_SIGMAS * sigma, ODD_SHARE * expected):
        yield (
            f"{100 * evidence.matched_share:.2f}% of the events matched where a uniform log gives "
            f"{100 * expected:.2f}%: the chosen arms were shown more or less often than others"
        )


def check_uniformity(log: PreparedLog) -> Uniformity:
    """Test the log: against its propensities where it has them, otherwise against uniform draws."""
    uniform = log.events.propensity is None
    return _against_uniform(log) if uniform else _against_propensities(log)


def count_displays(log: PreparedLog) -> NDArray[np.int64]:
    """How often each arm was shown out of each pool: a column per member of a pool.

    Row 2·q holds the quiet and row 2·q + 1 the busy events of quarter q; a time bin is busy if its
    G is above the median of the events.  Events of arms that are not studied, or not in their
    pool, are left out.
    """
    bins, pools, arms = log.bins, log.pools, np.int64(len(log.events.arms))
    busy = bins.counts >= min(bins.median + 1, bins.counts.max(initial=0))
    cuts = np.linspace(0, len(log.events), QUARTERS + 1).astype(np.int64)
    # Members as single numbers, which rise; the last stands for arms that are in no pool.
    members = np.repeat(np.arange(len(pools)), pools.sizes) * arms + pools.members
    members = np.append(members, np.iinfo(np.int64).max)
    table = np.zeros((2 * QUARTERS, members.size), np.int64)
    for begin in range(0, len(log.events), _PIECE):
        rows = np.arange(begin, min(begin + _PIECE, len(log.events)))
        shown = log.pool[rows] * arms + log.events.arm[rows]
        place = np.searchsorted(members, shown)
        place[members[place] != shown] = -1
        part = 2 * (np.searchsorted(cuts, rows, "right") - 1) + busy[bins.of[rows]]
        np.add.at(table, (part, place), 1)
    return table[:, :-1]


def _against_uniform(log: PreparedLog) -> Uniformity:
    """χ² of the whole log, unless a part of it shows what the whole does not."""
    counts = count_displays(log)
    whole = _total([_chi_square(log, counts.sum(axis=0))], MATTERS)
    if not whole.holds:
        return whole
    tested = (_total(parts, MATTERS_IN_PARTS) for parts in _parts(log, counts))
    return next((part for part in tested if not part.holds), whole)


class _ChiSquare(NamedTuple):
    """The counts of a part of the log against its pools; `sigmas` is the worst arm's."""

    statistic: float
    degrees: int
    events: float
    sigmas: float
    worst: tuple[str, float]
    when: str


def _parts(log: PreparedLog, counts: NDArray[np.int64]) -> Iterator[list[_ChiSquare]]:
    """The log by quarters of its events, and by how busy it was; each time all of it."""
    quarters = [f"the {which} quarter of the log" for which in ("first", "second", "third", "last")]
    by_quarter = counts.reshape(QUARTERS, 2, -1)
    for axis, names in ((1, quarters), (0, ["quiet times", "busy times"])):
        shown = by_quarter.sum(axis=axis)
        yield [_chi_square(log, *part) for part in zip(shown, names, strict=True)]


def _total(parts: list[_ChiSquare], matters: float) -> Uniformity:
    from scipy.special import chdtrc

    statistic = math.fsum(part.statistic for part in parts)
    degrees = sum(part.degrees for part in parts)
    if degrees == 0:
        return Uniformity("uniform", 0.0, 0, 1.0, 0.0, ("", 0.0), True)  # nothing to test
    p = float(chdtrc(degrees, max(0.0, statistic)))
    effect = math.sqrt(max(0.0, statistic - degrees) / sum(part.events for part in parts))
    worst = max(parts, key=lambda part: part.sigmas)
    holds = p > SIGNIFICANT or effect < matters
    return Uniformity("uniform", statistic, degrees, p, effect, worst.worst, holds, when=worst.when)


def _chi_square(log: PreparedLog, shown: NDArray[np.int64], when: str = "") -> _ChiSquare:
    """χ² of how often each arm was shown, given the pools: the statistic of a log-rank test.

    An arm's expected count is the sum, over the events whose pool held it, of one over the pool's
    size.  The counts of arms that share pools are correlated; the covariance accounts for it.
    """
    from scipy.sparse import csr_array

    pools, shape = log.pools, (len(log.pools), len(log.events.arms))
    holds = csr_array((np.ones(shown.size), pools.members, pools.offsets), shape)
    counts = csr_array((shown.astype(np.float64), pools.members, pools.offsets), shape)
    shown_of, sizes = counts.sum(axis=1), np.maximum(pools.sizes, 1)
    expected = holds.T @ (shown_of / sizes)
    offered = np.flatnonzero(expected > 0)
    total = float(shown_of.sum())
    if offered.size < 2:
        return _ChiSquare(0.0, 0, total, 0.0, ("", 0.0), when)
    off, expected = (counts.sum(axis=0) - expected)[offered], expected[offered]
    if offered.size > _MANY_ARMS:
        statistic, degrees = float((off**2 / expected).sum()), offered.size - 1
    else:
        held = holds[:, offered]
        together = held.T @ (held * (shown_of / sizes**2)[:, None])
        statistic, degrees = _distance(off, np.diag(expected) - together.toarray())
    # The arm that is furthest beyond chance, not the rarest, whose count varies most.
    sigmas = np.abs(off) / np.sqrt(expected)
    place = int(np.argmax(sigmas))
    worst = (log.events.arms[offered[place]], float(off[place] / expected[place]))
    return _ChiSquare(statistic, degrees, total, float(sigmas[place]), worst, when)


def _distance(off: NDArray[np.float64], covariance: NDArray[np.float64]) -> tuple[float, int]:
    """The squared Mahalanobis length of `off`, and its degrees of freedom.

    The covariance is the Laplacian of a graph: within each set of arms that pools link together the
    deviations add up to 0, and in all other directions they are free.
    """
    from scipy.sparse.csgraph import connected_components

    sets, linked = connected_components(covariance < 0, directed=False)
    together = linked[:, None] == linked[None, :]
    # Filling those directions changes nothing for a vector that has no part in them.
    filled = covariance + together * covariance.diagonal().mean()
    return float(off @ np.linalg.solve(filled, off)), off.size - int(sets)


def _against_propensities(log: PreparedLog) -> Uniformity:
    """Over an arm's events, one over the propensity adds up to how often it was available.

    That must hold for every arm that was shown often enough, and one over (propensity times pool
    size) must average 1 over all of them.  Propensities that claim a uniform log make both trivial,
    so such a log is tested for being uniform.
    """
    events = log.events
    ratio = events.display_probability * np.maximum(events.pools.sizes[events.pool], 1)
    if not np.abs(ratio - 1.0).max(initial=0.0) > MATTERS:
        return replace(_against_uniform(log), checked="propensity")
    names, share, error, offers = _deviations(log, 1.0 / ratio)
    sigmas = np.divide(np.abs(share), error, out=np.zeros_like(share), where=error > 0)
    worst = int(np.argmax(sigmas))
    p = min(1.0, len(names) * math.erfc(sigmas[worst] / math.sqrt(2)))
    beyond = (offers * (share**2 - error**2)[:-1]).sum() / max(1.0, offers.sum())
    effect = max(abs(float(share[-1])), math.sqrt(max(0.0, beyond)))
    holds, named = p > SIGNIFICANT or effect < MATTERS, (names[worst], float(share[worst]))
    statistic = float(sigmas[worst])
    return Uniformity("propensity", statistic, len(names), p, effect, named, holds, tilted=True)


def _deviations(
    log: PreparedLog, inverse: NDArray[np.float64]
) -> tuple[list[str], NDArray[Any], NDArray[Any], NDArray[Any]]:
    """By what share arms were shown more often than their propensities imply, and its error.

    First every arm that should have been shown often enough to test, by name, then all arms
    together; and how often each arm was available.
    """
    events, arms = log.events, len(log.events.arms)
    arm, probability = events.arm, events.display_probability
    weight = np.bincount(arm, 1.0 / probability, arms)
    scatter = np.bincount(arm, (1.0 - probability) / probability**2, arms)
    shown = np.bincount(arm, minlength=arms)
    # From observed to expected counts: otherwise the variance of an arm that happened to be shown
    # rarely would be underestimated.
    scale = events.offers / np.where(shown > 0, weight, np.inf)
    tested = np.flatnonzero(shown * scale >= _ENOUGH_DISPLAYS)
    available = events.offers[tested]
    error = np.sqrt(scatter * scale)[tested] / available
    overall = inverse.std(ddof=1) / math.sqrt(inverse.size) if inverse.size > 1 else 0.0
    share = np.append(weight[tested] / available - 1.0, inverse.mean() - 1.0)
    return [*(events.arms[i] for i in tested), ""], share, np.append(error, overall), available
