"""The study's figures: the paper's four, and ours."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from highseason.logs import lifespans
from highseason.report import Figure, interval_plot, replays
from highseason.report import lifespans as draw_lifespans
from highseason.results import Estimate
from highseason.studies.logged.data import Data
from highseason.studies.logged.results import Block, as_estimate, timings, world_gain
from highseason.studies.logged.worlds import Worlds

#: The paper's names of its figures, by table.
_TITLES = {
    "epsilon": "ε-greedy policies, fixed pool",
    "ucb": "UCB policies, fixed pool",
    "mortal": "UCB policies, mortal articles",
    "contest": "The contest's heuristics",
}


def drawings(
    data: Data, blocks: Sequence[Block], worlds: Worlds | None
) -> Iterator[tuple[str, Callable[[], Figure]]]:
    """Each figure's file name, and how to draw it."""
    kind = data.kind
    slice_ = next(b.ground.slice for b in blocks if b.ground.slice is not None)
    yield (
        "lifespans",
        lambda: draw_lifespans(
            lifespans(data.reported), slice_, f"When each article was on offer ({kind})"
        ),
    )
    for block in blocks:
        yield figure_name(block), lambda block=block: _distribution(block, kind)  # type: ignore[misc]  # a default binds the loop's value
    yield "timing", lambda: _timing(blocks, worlds, kind)
    yield "gains", lambda: _gains(blocks, kind)
    if worlds is not None:
        yield "worlds", lambda: _worlds(blocks, worlds, kind)


def figure_name(block: Block) -> str:
    """The file name of a block's distributions."""
    return f"{block.table.id}-{block.profile}-{block.ground.id}"


def _distribution(block: Block, kind: str) -> Figure:
    title = f"{_TITLES[block.table.id]}: {block.profile} parameters"
    published = block.table.published if block.profile == "paper" else None
    return replays(block.runs, title, published, kind)


def _timing(blocks: Sequence[Block], worlds: Worlds | None, kind: str) -> Figure:
    rows: dict[str, dict[str, Estimate]] = {}
    for found in timings(blocks, worlds):
        if found.block.ground.id == "slice":
            gain = _share(found.gain, found.shuffled)
            rows.setdefault(_short(found.label), {})[found.block.profile] = gain
    return interval_plot(
        rows,
        "clicks a turn: G as it is against G shuffled, %",
        f"What the right times are worth ({kind})",
    )


def _gains(blocks: Sequence[Block], kind: str) -> Figure:
    rows: dict[str, dict[str, Estimate]] = {}
    for block in blocks:
        if block.ground.id == "published-slice":
            continue
        for label in block.players:
            found = block.on_windows(label)
            if found is not None and label != "uniform":
                base = block.windows[block.table.base].mean.value
                name = f"{_short(label)} ({block.table.id})"
                rows.setdefault(name, {})[block.profile] = _share(as_estimate(found), base)
    return interval_plot(
        rows,
        "clicks a turn against the unregulated policy of the table, %",
        f"All on the same windows ({kind})",
    )


def _worlds(blocks: Sequence[Block], worlds: Worlds, kind: str) -> Figure:
    rows: dict[str, dict[str, Estimate]] = {}
    for block in blocks:
        if block.name not in worlds.means:
            continue
        base = float(worlds.means[block.name][block.table.base].mean())
        for label in block.players:
            if label not in (block.table.base, "uniform"):
                gain = world_gain(worlds, block.name, label, block.table.base)
                name = f"{_short(label)} ({block.table.id})"
                rows.setdefault(name, {})[block.profile] = _share(gain, base)
    return interval_plot(
        rows,
        "clicks a turn against the unregulated policy of the table, %",
        f"Over {worlds.count} independent logs ({kind}s)",
    )


def _share(found: Estimate, of: float) -> Estimate:
    """As a share, for an axis in per cent; no interval is drawn as none."""
    low, high = (found.value if end != end else end for end in (found.low, found.high))
    return Estimate(found.value / of, found.error / of, low / of, high / of)


def _short(label: str) -> str:
    return label.replace(", the code's rule", " (code)").replace(" around ucb", "+ucb")
