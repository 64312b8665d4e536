"""How far an estimate can be trusted: a summary of the log, and issues with each estimate."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from highseason.engine.results import Estimate, with_interval
from highseason.logs.estimators import WeightedEstimates, mean_estimate, self_normalised
from highseason.logs.prepared_log import PreparedLog
from highseason.logs.uniformity import Uniformity, check_uniformity

#: Fewer turns or rewards than these are too few.
FEW_TURNS, FEW_REWARDS = 1000, 50
#: Weighting turns shifts the mean significantly if it does so by this many standard errors.
SHIFT_SIGMAS = 3.0
#: A share of matches this far from what a uniform log gives, and beyond chance, is reported.
ODD_SHARE, ODD_SIGMAS = 0.1, 5.0


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
        backwards: How many events are earlier than the one before.
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
        back = f" {self.backwards:,} events go back in time." if self.backwards else ""
        return (
            f"{self.events:,} events of {self.arms:,} arms over {self.span / 3600:.1f} hours; G "
            f"(events per {self.bin:g} s) from {self.G[0]:g} to {self.G[2]:g}, median "
            f"{self.G[1]:g}.{back}\nShowing arms at random earns {self.baseline.value:.4g} per "
            f"turn. {self.uniformity}"
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
            backwards=int((np.diff(events.time) < 0).sum()),
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
        reward_range: The range of the log's rewards, if the policy needs them in [0, 1] and they
            are not; otherwise None.
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
    reward_range: tuple[float, float] | None = None

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
        reward_range=next((run.reward_range for run in runs if run.reward_range), None),
    )


def _pool_weighted(runs: Sequence[WeightedEstimates]) -> WeightedEstimates | None:
    known = [one for one in runs if one.effective_size > 0]
    if not known:
        return None
    means = {
        name: mean_estimate(np.array([getattr(one, name).value for one in known]))
        for name in ("ips", "snips", "shift")
    }
    size, largest = sum(one.effective_size for one in known), max(one.largest for one in known)
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
    if evidence.reward_range is not None:
        low, high = evidence.reward_range
        yield (
            f"the policy expects rewards from 0 to 1 and the log's range from {low:g} to {high:g}, "
            "so its amount of exploration is arbitrary: rescale them"
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
