"""The GPU: its memory, and launching kernels on it."""

import functools
import hashlib
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from highseason.core.compile import cached_text, source_stamp
from highseason.core.jitable import jitable
from highseason.engine.gpu.pool import usable_cupy
from highseason.engine.gpu.ptx import ENTRY, Bounds, compile_ptx, flat, inexact_functions
from highseason.engine.kernels.turns import Kernel

#: Threads of a block where a kernel has no wish of its own.
_THREADS = 256


class GpuProgram(NamedTuple):
    """What makes a kernel, the functions that it contains, and bounds of its registers."""

    factory: Callable[..., Kernel]
    functions: tuple[Callable[..., Any] | None, ...] = ()
    bounds: Bounds = None

    def make(self) -> Kernel:
        """The function to compile."""
        kernel: Kernel = self.factory(*(one and jitable(one) for one in self.functions))
        return kernel

    def text(self, arguments: tuple[Any, ...]) -> str:
        """PTX for arguments like these, from the cache if it was compiled before."""
        stamps = [source_stamp(function) for function in self.functions if function is not None]
        kinds = "\n".join([kind_of(arguments), str(self.bounds), *stamps])
        name = f"gpu-{self.factory.__name__}-{hashlib.sha256(kinds.encode()).hexdigest()[:16]}.ptx"
        return cached_text(name, lambda: compile_ptx(self.make(), like(arguments), self.bounds))


def kind_of(argument: Any) -> str:
    """The type of an argument, as far as a kernel depends on it."""
    if isinstance(argument, tuple):
        return f"{type(argument).__name__}({','.join(map(kind_of, argument))})"
    if hasattr(argument, "ndim") and argument.ndim:
        return f"{argument.dtype}[{argument.ndim}]"
    return type(argument).__name__


def like(argument: Any) -> Any:
    """The smallest argument of the same type, in the memory of this machine."""
    if isinstance(argument, tuple):
        parts = map(like, argument)
        return argument._make(parts) if hasattr(argument, "_make") else tuple(parts)
    if hasattr(argument, "ndim") and argument.ndim:
        return np.zeros((1,) * argument.ndim, argument.dtype)
    return argument


class Gpu:
    """The GPU that CuPy uses, which is the first one unless its user says otherwise.

    Attributes:
        processors: How many multiprocessors it has.
        shared_bytes: How much shared memory a block of threads may ask for.
        inexact: Functions in the kernels used so far whose last bit may differ from a CPU's.
    """

    def __init__(self) -> None:
        self._cupy = usable_cupy()
        attributes = self._cupy.cuda.Device().attributes
        self.processors: int = attributes["MultiProcessorCount"]
        self.shared_bytes: int = attributes["MaxSharedMemoryPerBlockOptin"]
        self.inexact: set[str] = set()
        self._loaded: dict[tuple[GpuProgram, str], tuple[Any, tuple[str, ...]]] = {}

    def upload(self, values: NDArray[Any]) -> Any:
        """A copy in the GPU's memory."""
        return self._cupy.asarray(np.ascontiguousarray(values))

    def download(self, values: Any) -> NDArray[Any]:
        """A copy in this machine's memory."""
        return self._cupy.asnumpy(values)  # type: ignore[no-any-return]  # CuPy is untyped

    def empty(self, shape: tuple[int, ...], dtype: DTypeLike = np.float64) -> Any:
        """Memory whose content is undefined."""
        return self._cupy.empty(shape, dtype)

    def spread(self, factory: Callable[[], Kernel], count: int, *arguments: Any) -> None:
        """Launch a kernel whose threads share `count` equal tasks."""
        blocks = min(-(-count // _THREADS), 16 * self.processors)
        self.launch(GpuProgram(factory), blocks, _THREADS, 0, *arguments)

    def resident(self, program: GpuProgram, threads: int, shared: int, *arguments: Any) -> int:
        """How many blocks of `threads` threads run at once."""
        kernel = self._kernel(program, arguments, shared)
        each = self._cupy.cuda.driver.occupancyMaxActiveBlocksPerMultiprocessor(
            kernel.kernel.ptr, threads, shared
        )
        return self.processors * max(1, int(each))

    def launch(
        self, program: GpuProgram, blocks: int, threads: int, shared: int, *arguments: Any
    ) -> None:
        """Run a kernel; it is loaded, and compiled if need be, the first time."""
        kernel = self._kernel(program, arguments, shared)
        kernel((blocks,), (threads,), tuple(flat(arguments)), shared_mem=shared)

    def _kernel(self, program: GpuProgram, arguments: tuple[Any, ...], shared: int) -> Any:
        key = program, kind_of(arguments)
        if key not in self._loaded:
            text = program.text(arguments)
            self._loaded[key] = self._load(text), inexact_functions(text)
        kernel, inexact = self._loaded[key]
        self.inexact.update(inexact)
        if shared > max(48 * 1024, kernel.max_dynamic_shared_size_bytes):
            kernel.max_dynamic_shared_size_bytes = shared
        return kernel

    def _load(self, ptx: str) -> Any:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "kernel.ptx"
            path.write_text(ptx, encoding="utf-8")
            return self._cupy.RawModule(path=str(path)).get_function(ENTRY)


@functools.cache
def the_gpu() -> Gpu:
    """The GPU of this process, with the kernels loaded so far."""
    return Gpu()
