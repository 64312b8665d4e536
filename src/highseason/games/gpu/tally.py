"""The statistics of all games of a run, played on a GPU, with the bits of any other executor."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from highseason.core.parallel import merge_tree
from highseason.games.gpu.device import the_gpu
from highseason.games.gpu.moments import BlockMoments
from highseason.games.gpu.play import GpuGames
from highseason.games.parts import Part, Played, Receiver, pieces, tally_of
from highseason.results import Tally

if TYPE_CHECKING:
    from highseason.games.simulate import Run

Progress = Callable[[int, int], None]


def play_on_gpu(run: Run, games: int, keep: bool, progress: Progress | None = None) -> Tally:
    """Play all games of a run.

    Moments are computed on the GPU.  Single games and curves are gathered on the CPU, which takes
    longer than playing: ask for them where they are needed.
    """
    played = GpuGames.of(run, the_gpu())
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
