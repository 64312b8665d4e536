"""Devices that need no GPU: one that notes what it is to launch, and numba-cuda's simulator."""

from __future__ import annotations

import sys
import threading
from typing import Any

import numpy as np

from highseason.engine.gpu import kernels
from highseason.engine.gpu.device import GpuProgram


class Noting:
    """Launches nothing, and notes every program with its arguments."""

    processors = 2
    shared_bytes = 227 * 1024

    def __init__(self) -> None:
        self.inexact: set[str] = set()
        self.launched: list[tuple[GpuProgram, tuple[Any, ...]]] = []

    def upload(self, values: Any) -> Any:
        return np.ascontiguousarray(values)

    def download(self, values: Any) -> Any:
        return values

    def empty(self, shape: tuple[int, ...], dtype: Any = np.float64) -> Any:
        return np.zeros(shape, dtype)

    def spread(self, factory: Any, count: int, *arguments: Any) -> None:
        self.launch(GpuProgram(factory), 1, 32, 0, *arguments)

    def resident(self, program: GpuProgram, threads: int, shared: int, *arguments: Any) -> int:
        return 1

    def launch(
        self, program: GpuProgram, blocks: int, threads: int, shared: int, *arguments: Any
    ) -> None:
        self.launched.append((program, arguments))


class Simulated(Noting):
    """Runs kernels as Python, a thread each (NUMBA_ENABLE_CUDASIM=1)."""

    def launch(
        self, program: GpuProgram, blocks: int, threads: int, shared: int, *arguments: Any
    ) -> None:
        from numba import cuda

        super().launch(program, blocks, threads, shared, *arguments)
        few = (
            32 if program.factory is kernels.ucb else 2
        )  # UCB needs a warp; others play any number of games
        with np.errstate(all="ignore"):
            kernel = cuda.jit(program.make())
            kernel[blocks * threads // few if few == 32 else 1, few, 0, shared](*arguments)


def add_exchanges() -> None:
    """Give the simulator what it lacks: exchanges between the threads of a warp.

    Every thread of a block must make the same exchanges, as ours do.
    """
    from numba.cuda.simulator import kernelapi

    written: dict[int, Any] = {}

    def exchange(value: Any, source: Any) -> Any:
        me = threading.current_thread()
        written[me.thread_id] = value
        me.syncthreads()
        got = source(me.thread_id // 32 * 32)
        me.syncthreads()
        return got

    def xor(cuda: Any, mask: int, value: Any, step: int) -> Any:
        mine = threading.current_thread().thread_id % 32
        return exchange(value, lambda warp: written[warp + (mine ^ int(step))])

    def take(cuda: Any, mask: int, value: Any, lane: int) -> Any:
        return exchange(value, lambda warp: written[warp + int(lane)])

    def ballot(cuda: Any, mask: int, value: Any) -> int:
        return exchange(value, lambda warp: sum(bool(written[warp + i]) << i for i in range(32)))

    sys.setswitchinterval(1e-5)  # threads wait for each other all the time
    module = kernelapi.FakeCUDAModule
    module.shfl_xor_sync, module.shfl_sync, module.ballot_sync = xor, take, ballot
