"""The statistics of all games of a run, played on a GPU, with the bits of any other executor."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from highseason.core.parallel import merge_tree
from highseason.core.warnings import warn_user
from highseason.engine.gpu.device import the_gpu
from highseason.engine.gpu.moments import BlockMoments
from highseason.engine.gpu.play import GpuGames
from highseason.engine.kernels.build import has_own_kernel
from highseason.engine.kernels.reward_dispatch import ClippedNormalReward
from highseason.engine.parts import Part, Played, Receiver, pieces, tally_of
from highseason.engine.results import Tally

if TYPE_CHECKING:
    from highseason.engine.simulate import Run

Progress = Callable[[int, int], None]

#: A normal of at least this sigma, centred within [0, 1], leaves that range wherever its quantile
#: takes a logarithm (beyond 1.44 sigma).
_WIDE = 0.7


class GpuRoundingWarning(UserWarning):
    """A function rounds differently on a GPU, so results may differ in their last digits."""


def play_on_gpu(run: Run, games: int, keep: bool, progress: Progress | None = None) -> Tally:
    """Play all games of a run.

    Moments are computed on the GPU.  Single games and curves are gathered on the CPU, which takes
    longer than playing: ask for them where they are needed.
    """
    device = the_gpu()
    device.inexact.clear()
    tally = _tally(run, GpuGames.of(run, device), games, keep, progress)
    if device.inexact and not _is_clipped(run):
        warn_user(
            f"{', '.join(sorted(device.inexact))}: the last bit may differ between a GPU and a "
            "CPU, so single games may. Without these functions all bits are the same.",
            GpuRoundingWarning,
        )
    return tally


def _is_clipped(run: Run) -> bool:
    """Whether the logarithm in the tails of a normal makes no difference: they pay 0 or 1."""
    return run.rewards.scale >= _WIDE and all(
        isinstance(run.turns(plan).reward_model, ClippedNormalReward)
        and has_own_kernel(plan.policy, run.rewards, run.lifetimes)  # other rules may take one too
        for plan in run.plans
    )


def _tally(run: Run, played: GpuGames, games: int, keep: bool, progress: Progress | None) -> Tally:
    block = run.cut(games, workers=1, fixed=True).block
    chunks = _reported(played.chunks(games, block), games, progress)
    if keep or run.checkpoints.size:
        parts = _parts(run, played, chunks, block, keep)
        return merge_tree(parts, _merged).finished()
    moments = BlockMoments.together([played.moments(chunk, block) for chunk in chunks])
    tally = Tally(keep=False, curves={})
    tally.add_moments(moments.merged().by_quantity())
    return tally


def _reported(chunks: Iterator[range], games: int, progress: Progress | None) -> Iterator[range]:
    for chunk in chunks:
        yield chunk
        if progress is not None:
            progress(chunk.stop, games)


def _parts(run: Any, played: GpuGames, chunks: Any, block: int, keep: bool) -> Iterator[Part]:
    """The tally of each block."""
    receive = Receiver()
    for chunk in chunks:
        totals, best, traces = played.numbers(chunk)
        for piece in pieces(range(len(chunk)), block):
            some = slice(piece.start, piece.stop)
            games = Played(totals[:, some], best[some], traces[:, some])
            yield receive(Part(piece, tally_of(run, keep, games)))


def _merged(first: Part, later: Part) -> Part:
    return Part(first.games, first.finished().merge(later.finished()))
