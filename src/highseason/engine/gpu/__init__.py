"""Games on a GPU, with the bits of a CPU; `simulate(executor="gpu")`.

The functions that play are those of `games.kernels`; here are their kernels for a GPU (`kernels`,
`ucb`, `sums`), how these are compiled (`ptx`) and launched (`device`, `schedules`), and how a block
of games runs from its keys to its moments (`play`, `moments`, `tally`).
"""

from highseason.engine.gpu.device import the_gpu
from highseason.engine.gpu.play import GpuGames
from highseason.engine.gpu.tally import GpuRoundingWarning, play_on_gpu

__all__ = ["GpuGames", "GpuRoundingWarning", "play_on_gpu", "the_gpu"]
