"""What was found, in words; every number in them is worked out from the run."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from highseason.core.formatting import counted, listed
from highseason.policies import EpsilonGreedy
from highseason.replay import Comparison
from highseason.results import Estimate
from highseason.studies.logged.data import Data
from highseason.studies.logged.results import (
    Block,
    as_estimate,
    timings,
    world_bias,
    world_gain,
)
from highseason.studies.logged.settings import BESIDE
from highseason.studies.logged.worlds import Worlds


def headlines(data: Data, blocks: Sequence[Block], worlds: Worlds | None) -> list[str]:
    """What was found, in a few lines."""
    return [
        _log(data, blocks),
        *_verdict(blocks, worlds),
        *(_published(block) for block in blocks if block.table.published and _paper(block)),
        *_greedy(blocks),
        *_timing(blocks, worlds),
        *_tuned(blocks),
        *_contest(blocks),
        *_truth(blocks),
        *_worlds(blocks, worlds),
        LIMITS,
    ]


#: Runs that scatter less than this are one and the same.
_ALIKE = 1e-6

#: What no replay of single records can show, whatever its numbers are.
LIMITS = (
    "What such a replay cannot show: every record is one visitor, so a busy second counts by the "
    "number of its records already (multiplying clicks by G would count it twice), and a visitor "
    "costs and teaches as much then as at any other time. There is no cheap time to explore in: "
    "regulating can gain only by changing how much is explored in all. In the paper's model one "
    "choice is made for all visitors of a turn, and a quiet turn teaches as much as a busy one; "
    "the study upworthy plays that."
)


def _paper(block: Block) -> bool:
    return block.profile == "paper"


def _log(data: Data, blocks: Sequence[Block]) -> str:
    fixed = next(block.ground for block in blocks if block.ground.slice is not None)
    assert fixed.slice is not None
    what = "GENERATED log, not the Yahoo! data" if data.made is not None else "Log"
    return (
        f"{what} ({data.source}): {len(data.reported):,} records are reported, "
        f"{len(data.tuning):,} later ones kept for tuning. The fixed pool: "
        f"{len(fixed.slice.arms)} articles for {fixed.slice.hours:.1f} hours, "
        f"{len(fixed.course.events):,} records. {fixed.facts.uniformity}"
    )


def _verdict(blocks: Sequence[Block], worlds: Worlds | None) -> Iterator[str]:
    """The answer, counted: who is clearly better than the unregulated policy of its table."""
    for profile in dict.fromkeys(block.profile for block in blocks):
        gains = [gain for block in _main(blocks, profile) for gain in _gains(block, worlds)]
        known = [gain for gain in gains if not math.isnan(gain.low)]
        times = [
            found.gain
            for found in timings(blocks, worlds)
            if found.block.profile == profile and not math.isnan(found.gain.low)
        ]
        few = "" if len(known) == len(gains) else " (of those whose windows allow an interval)"
        alike = "With the paper's parameters" if profile == "paper" else "All tuned alike"
        yield (
            f"{alike}: {sum(gain.low > 0 for gain in known)} of {len(known)} regulated policies "
            f"are clearly better than the unregulated one of their table{few}, "
            f"{sum(gain.high < 0 for gain in known)} clearly worse; that they explore when it is "
            f"quiet clearly gains in {sum(gain.low > 0 for gain in times)} of {len(times)} cases "
            "(95%)."
        )


def _gains(block: Block, worlds: Worlds | None) -> list[Estimate]:
    """Of the regulated policies: over independent logs where there are some, else over windows."""
    if worlds is not None and block.name in worlds.means:
        base = block.table.base
        return [world_gain(worlds, block.name, label, base) for label in block.table.regulated]
    compared = (block.on_windows(label) for label in block.table.regulated)
    return [as_estimate(found) for found in compared if found is not None]


def _published(block: Block) -> str:
    told = [
        f"{label} {block.runs[label].mean.value:.4f} ({printed:.4f})"
        for label, printed in block.table.published.items()
    ]
    printed = sorted(block.table.published, key=lambda label: -block.table.published[label])
    same = "the published order" if block.order == printed else f"order: {' > '.join(block.order)}"
    p = [found.student.p for label in block.table.published if (found := block.against(label))]
    where = "" if block.ground.slice is None else f", {block.ground.title}"
    return (
        f"{block.table.title}{where}: mean reward per turn, ours (published): {', '.join(told)}; "
        f"{same}; p-values of the published test against {block.table.base}: "
        f"{listed([_p(value) for value in p])}."
    )


def _greedy(blocks: Sequence[Block]) -> Iterator[str]:
    """Beside greedy, which the paper leaves out."""
    told = []
    for block in _main(blocks, "paper"):
        best = max(block.table.published, key=lambda label: block.windows[label].mean.value)
        values = {label: block.windows[label].mean.value for label in (best, *BESIDE)}
        of = f" of {block.best:.4f} for the best article" if math.isfinite(block.best) else ""
        each = ", ".join(f"{label} {value:.4f}" for label, value in values.items())
        told.append(f"{block.table.id}: {each}{of}{_at_random(block)}")
    if told:
        yield (
            "With the paper's parameters and on the same windows, the best of its policies beside "
            f"greedy and uniform, which its tables leave out: {'; '.join(told)}."
        )


def _at_random(block: Block) -> str:
    """For how long the published k leaves no choice to the estimates."""
    policy = block.players[block.table.base]
    if not isinstance(policy, EpsilonGreedy) or block.ground.slice is None:
        return ""
    turns = round(policy.k * len(block.ground.slice.arms))
    return (
        f" (epsilon-greedy with k = {policy.k:g} plays at random up to turn {turns:,} of "
        f"{block.protocol.turns:,})"
    )


def _timing(blocks: Sequence[Block], worlds: Worlds | None) -> Iterator[str]:
    every = [found for found in timings(blocks, worlds) if found.block.ground.id == "slice"]
    for profile in dict.fromkeys(found.block.profile for found in every):
        some = [found for found in every if found.block.profile == profile]
        told = ", ".join(f"{found.label} {_told(found.gain)}" for found in some)
        clear = sum(_clear(found.gain) for found in some)
        known = sum(not math.isnan(found.gain.low) for found in some)
        yield (
            f"Is it the timing? With G shuffled over the records policies explore as much, but not "
            f"when it is quiet. What the right times add a turn ({profile} parameters): {told}; "
            f"clear in {clear} of {known}."
        )


def _tuned(blocks: Sequence[Block]) -> Iterator[str]:
    told = []
    for block in _main(blocks, "tuned"):
        each = [
            f"{label} {_change(found)}"
            for label in (*block.table.regulated, "greedy")
            if (found := block.on_windows(label))
        ]
        base = f"{block.table.base} {block.windows[block.table.base].mean.value:.4f}"
        told.append(f"against {base}: {', '.join(each)}")
    if told:
        yield (
            "All tuned alike on another part of the log and played on the same windows, change of "
            f"the mean reward per turn (intervals where windows allow) {'; '.join(told)}."
        )


def _contest(blocks: Sequence[Block]) -> Iterator[str]:
    for block in blocks:
        if block.table.id == "contest":
            each = [
                f"{label.removesuffix(' around ucb')} {_change(found)}"
                for label in block.players
                if (found := block.on_windows(label))
            ]
            base = block.windows["ucb"].mean.value
            yield (
                f"The contest's heuristics around ucb with {block.profile} parameters "
                f"({base:.4f} a turn) change that by: {', '.join(each)}."
            )


def _truth(blocks: Sequence[Block]) -> Iterator[str]:
    """How far replay is from the truth, and what the error over runs says of it."""
    ratios: list[float] = []
    off: list[float] = []
    for block in _main(blocks, "paper"):
        for label in block.players:
            mean, true = block.runs[label].mean, block.true_mean(label)
            if math.isfinite(true) and mean.error > _ALIKE:
                off.append(mean.value - true)
                ratios.append(abs(mean.value - true) / mean.error)
    if ratios:
        beyond = sum(ratio > 1.96 for ratio in ratios)
        yield (
            "The truth is known here: replay's means are off the true rates of what was matched "
            f"by {min(off):+.4f} to {max(off):+.4f}, {beyond} of {len(ratios)} of them by more "
            "than 1.96 standard errors over runs (5% would be right), the worst by "
            f"{max(ratios):.1f}. Runs share one log: their scatter, and the published p-values, "
            "make errors look too small."
        )


def _worlds(blocks: Sequence[Block], worlds: Worlds | None) -> Iterator[str]:
    if worlds is None:
        return
    for profile in dict.fromkeys(block.profile for block in blocks):
        told, bias = [], []
        for block in _main(blocks, profile):
            if block.name in worlds.means:
                base = block.table.base
                gains = {
                    label: world_gain(worlds, block.name, label, base)
                    for label in (*block.table.regulated, "greedy")
                }
                each = ", ".join(f"{label} {_told(gain)}" for label, gain in gains.items())
                told.append(f"against {base}: {each}")
                bias += [world_bias(worlds, block.name, label) for label in block.players]
        wrong = sum(_clear(found) for found in bias)
        yield (
            f"Over {counted(worlds.count, 'independent generated log')} with a fixed pool "
            f"({profile} parameters), change of the mean reward per turn {'; '.join(told)}. "
            f"Replay is off the truth beyond chance for {wrong} of {len(bias)} players."
        )


def _main(blocks: Sequence[Block], profile: str) -> list[Block]:
    """The blocks of the three tables on the grounds of our own choice."""
    return [
        block
        for block in blocks
        if block.profile == profile
        and block.table.published
        and block.ground.id != "published-slice"
    ]


def _clear(found: Estimate) -> bool:
    return found.low > 0 or found.high < 0


def _change(found: Comparison) -> str:
    return _told(as_estimate(found))


def _told(found: Estimate) -> str:
    if found.low == found.high == 0:
        return "nothing at all"
    if math.isnan(found.low):
        return _signed(found.value)
    return f"{_signed(found.value)} ({_signed(found.low)} to {_signed(found.high)})"


def _signed(value: float) -> str:
    text = f"{value:+.4f}"
    return text[1:] if float(text) == 0 else text


def _p(value: float) -> str:
    return "below 0.0001" if value < 0.0001 else f"{value:.2g}"
