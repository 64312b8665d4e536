"""`replay`: what policies would have earned on a log, one run each."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from highseason.core.random import seed_key
from highseason.games.simulate import Policies, labelled
from highseason.logs.events import Events
from highseason.replay.diagnostics import diagnose
from highseason.replay.kernels.records import RecordOrder
from highseason.replay.player import Init, Player, ReplayOptions
from highseason.replay.prepared_log import PreparedLog
from highseason.replay.result import ReplayResult, outcome_of

Progress = Callable[[int, int], None]


def replay(
    policies: Policies,
    events: Events | PreparedLog,
    *,
    bin: float = 1,  # noqa: A002  # the paper's word for it
    arms: Sequence[str] | None = None,
    turns: int | None = None,
    known_lifetimes: bool = True,
    init: Init = "first-shown",
    reweigh: str | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> ReplayResult:
    """Replay a log for every policy: use the events whose arm the policy would have shown.

    On a log that was drawn uniformly at random from pools of one size, the mean over the events
    used is an unbiased estimate of what the policy earns per turn, because whether an event is used
    does not depend on its reward.  Where pools differ in size, an event is used with probability
    one over its pool's size: the mean over-weights small pools, and `ReplayOutcome.weighted`
    corrects it.  `replay.reference.replay_reference` defines step by step what happens to an event.

    G(t) is the number of events in the event's time bin, including those of arms that are not
    studied.  It regulates the policy; rewards are not multiplied by it.  Thresholds on G (`q0.75`)
    and the smallest G are computed from all events of the log, as in the paper's study, where
    traffic is known in advance; the weight of the turns to come (`view.future`) is not.  Ages and
    ends of arms are counted in bins.

    Args:
        policies: One, several, or several by label; text is parsed as on the command line.
        events: The log, or a `PreparedLog` to reuse the preparation.
        bin: The length of a time bin in the log's unit of time, usually seconds.
        arms: The ids of the arms to study; events of others are skipped, and pools mean their
            studied part.  All arms if None.
        turns: Stop after this many matched turns.  If the log ends before, the mean covers the
            turns reached.
        known_lifetimes: Whether policies for mortal arms know when an arm ends; if not, they assume
            the end of the log.
        init: How untried arms begin, for rules that try every arm once.  "first-shown": the first
            event that shows an untried arm is its first turn, in any order.  "rule": the arm must
            be the one the rule asks for, which on a pool of K arms takes K times as long.
        reweigh: "accept" thins a log with known propensities until every arm of a pool is equally
            likely, so that replay is valid for it too, at the cost of events.
        seed: Same seed, same result.  A stochastic policy draws again for every event.
        progress: Called with (policies done, total).

    >>> import numpy as np, highseason as hs
    >>> rng = np.random.default_rng(1)
    >>> shown = rng.choice(["a", "b"], 5000)
    >>> clicks = rng.random(5000) < np.where(shown == "b", 0.6, 0.2)
    >>> log = hs.logs.Events.of(np.arange(5000) // 8, shown, clicks, [["a", "b"]] * 5000)
    >>> result = replay(["uniform", "soft-ucb"], log)
    >>> result["soft-ucb"].mean.value > result["uniform"].mean.value + 0.1
    True
    """
    seed_key(seed)  # rejects an invalid seed before any work
    labels, players = labelled(policies)
    log = prepare_log(events, bin, arms)
    options = ReplayOptions(turns, known_lifetimes, init, resolve_thinning(reweigh, log))
    order = RecordOrder.whole(len(log.events))
    outcomes = []
    for i, (label, policy) in enumerate(zip(labels, players, strict=True)):
        player = Player(policy, log, options)
        outcomes.append(outcome_of(label, player, order, player.play(order, seed)))
        if progress is not None:
            progress(i + 1, len(players))
    return ReplayResult(tuple(outcomes), diagnose(log), int(seed))


def prepare_log(
    events: Events | PreparedLog,
    bin: float,  # noqa: A002  # as in replay
    arms: Sequence[str] | None,
) -> PreparedLog:
    """The prepared log; one that is prepared already has its bins and its arms."""
    if not isinstance(events, PreparedLog):
        return PreparedLog.of(events, bin, arms)
    if bin != 1 or arms is not None:
        raise ValueError("a PreparedLog already has bins and arms: pass them to PreparedLog.of")
    return events


def resolve_thinning(reweigh: str | None, log: PreparedLog) -> bool:
    """Whether to thin the log, which needs propensities."""
    if reweigh not in (None, "accept"):
        raise ValueError(f"reweigh must be 'accept' or None, got {reweigh!r}")
    if reweigh is not None and log.events.propensity is None:
        raise ValueError("the log has no propensities to thin it by: leave reweigh= out")
    return reweigh == "accept"
