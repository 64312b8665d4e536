"""`replay`: what policies would have earned on a log, one run each."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from highseason.core.random import seed_key
from highseason.games.simulate import Policies, labelled
from highseason.logs.events import Events
from highseason.replay.outcome import outcome
from highseason.replay.player import Init, Options, Player, walk_all
from highseason.replay.prepared_log import PreparedLog
from highseason.replay.result import ReplayResult

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
    """Replay a log for every policy: keep the records whose arm the policy would have shown.

    On a log that was drawn uniformly at random from pools of one size the mean over the records
    kept is what the policy earns per turn, without bias, because whether a record is kept does not
    depend on its reward.  Where pools are of different sizes a record is kept with a chance of one
    over its pool's size: the mean over-weighs small pools, and `ReplayOutcome.weighted` puts it right.
    `replay.reference.replay_reference` says step by step what happens to a record.

    G(t) is the number of records in the record's bin of time, those of arms that are not studied
    included.  It steers the policy; rewards are not multiplied by it.  Rules on G (`q0.75`) and the
    least G are read from all records of the log, known ahead as in the paper's study; what is still
    to come of it (`view.future`) is not known.  Ages and expiries are counted in bins.

    Args:
        policies: One, several, or several by label; text is read as on the command line.
        events: The log; or a `PreparedLog`, which is a log made ready, to save doing it again.
        bin: The length of a bin in the log's unit of time, usually seconds.
        arms: The ids of the arms to study; records of others are passed over, and pools mean their
            studied part.  All arms if None.
        turns: Stop after so many matched turns.  Where the log ends before, the mean is over the
            turns reached.
        known_lifetimes: Whether policies for mortal arms know when an arm will die; if not, they reckon
            with the end of the log.
        init: How arms that were never played begin, for rules that try every arm once.
            "first-shown": the first record that shows an untried arm is its first turn, whatever
            the order.  "rule": the arm must be the one the rule asks for, which on a pool of K arms
            takes K times as long.
        reweigh: "accept" thins a log with known propensities until every arm of a pool is equally
            likely, so that replay is right for it too; it costs records.
        seed: Same seed, same result.  A randomised policy draws anew for each record.
        progress: Called with (policies done, policies in all).

    >>> import numpy as np, highseason as hs
    >>> rng = np.random.default_rng(1)
    >>> shown = rng.choice(["a", "b"], 5000)
    >>> clicks = rng.random(5000) < np.where(shown == "b", 0.6, 0.2)
    >>> log = hs.logs.Events.of(np.arange(5000) // 8, shown, clicks, [["a", "b"]] * 5000)
    >>> result = replay(["uniform", "soft-ucb"], log)
    >>> result["soft-ucb"].mean.value > result["uniform"].mean.value + 0.1
    True
    """
    seed_key(seed)  # a bad seed is told before any work
    labels, players = labelled(policies)
    course = prepare_log(events, bin, arms)
    options = Options(turns, known_lifetimes, init, thin=resolve_thinning(reweigh, course))
    walk = walk_all(course)
    found = []
    for i, (label, policy) in enumerate(zip(labels, players, strict=True)):
        runner = Player(policy, course, options)
        track = runner.run(walk, seed)
        found.append(outcome(label, runner.policy, course, walk, track, turns, runner.least))
        if progress is not None:
            progress(i + 1, len(players))
    return ReplayResult(tuple(found), course.facts, int(seed))


def prepare_log(
    events: Events | PreparedLog,
    bin: float,  # noqa: A002  # as in replay
    arms: Sequence[str] | None,
) -> PreparedLog:
    """The log made ready; one that is ready has its bins and its arms already."""
    if not isinstance(events, PreparedLog):
        return PreparedLog.of(events, bin, arms)
    if bin != 1 or arms is not None:
        raise ValueError(
            "a PreparedLog has its bins and arms already: give bin and arms to PreparedLog.of"
        )
    return events


def resolve_thinning(reweigh: str | None, course: PreparedLog) -> bool:
    """Whether the log is to be thinned; other words are refused, and logs that give no chances."""
    if reweigh not in (None, "accept"):
        raise ValueError(f"reweigh={reweigh!r} must be 'accept' or None")
    if reweigh is not None and course.events.propensity is None:
        raise ValueError("the log gives no propensities to thin it by: leave reweigh= out")
    return reweigh == "accept"
