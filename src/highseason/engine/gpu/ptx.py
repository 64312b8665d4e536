"""Kernels as PTX, the assembly language that every driver compiles for its own GPU.

Compiling needs numba-cuda but no GPU.  Three things differ from numba-cuda's own launcher, parts of
which this file alone replaces.  No multiplication is fused with an addition, because that rounds
once where a CPU rounds twice.  The text asks for the oldest version of PTX that has what it uses,
since drivers refuse versions newer than themselves.  And it is kept with the other compiled code: a
machine that has it loads it without a compiler.
"""

import contextlib
import logging
import re
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np

from highseason.core.extras import require
from highseason.core.jitable import registered

#: The oldest GPUs that the compiler serves; a driver compiles the text for newer ones.
COMPUTE_CAPABILITY = (7, 5)
#: The version of PTX that the text asks for: drivers of CUDA 12.3 and later accept it.
PTX_VERSION = "8.3"
#: The name of the kernel in every text.
ENTRY = "kernel"

#: Functions of libdevice that round as a CPU does; all others may differ in the last bit.
_EXACT = frozenset(
    "sqrt dsqrt_rn fabs floor ceil fmin fmax isnand isinfd isfinited signbitd llabs llmax llmin "
    "max min umax umin abs trunc rint copysign fmod".split()
)


#: Threads of a block, and how many blocks a multiprocessor shall hold at least.
Bounds = tuple[int, int] | None


def inexact_functions(ptx: str) -> tuple[str, ...]:
    """The mathematical functions in a text whose last bit may differ from that on a CPU."""
    return tuple(ptx.partition("\n")[0].removeprefix("// inexact:").split())


def flat(argument: Any) -> Iterator[Any]:
    """What a kernel is given for an argument: its numbers, in numba's order."""
    if isinstance(argument, tuple):
        for part in argument:
            yield from flat(part)
    elif hasattr(argument, "ndim") and argument.ndim:
        if not argument.flags.c_contiguous:
            raise ValueError("kernels take arrays in one piece: copy it first")
        yield from (np.uint64(0), np.uint64(0), np.int64(argument.size))
        yield from (np.int64(argument.itemsize), np.uint64(argument.data.ptr))
        yield from map(np.int64, argument.shape)
        yield from map(np.int64, argument.strides)
    elif isinstance(argument, bool):
        yield np.uint8(argument)
    else:
        yield argument if isinstance(argument, np.generic) else np.asarray(argument)[()]


def compile_ptx(
    kernel: Callable[..., Any], arguments: tuple[Any, ...], bounds: Bounds = None
) -> str:
    """Compile a kernel for arguments like these; `bounds` limit the registers that it may use."""
    require("numba_cuda", extra="gpu", purpose="compiling for a GPU")
    import numba
    from numba import cuda

    types = [numba.typeof(argument) for argument in arguments]
    called: set[str] = set()
    with _compiling(called):
        _register_jitables()
        signature = numba.types.void(*types)
        text, _ = cuda.compile_ptx(kernel, signature, cc=COMPUTE_CAPABILITY, launch_bounds=bounds)
    entry = re.search(r"\.visible \.entry (\S+)\(", text)
    if entry is None:
        raise RuntimeError("numba-cuda gave no kernel: report this with its version")
    text = text.replace(entry[1], ENTRY)
    text = re.sub(r"^\.version .*$", f".version {PTX_VERSION}", text, flags=re.MULTILINE)
    text = re.sub(r"\.const\b", ".global", text)  # 64 KB would hold few copies of a table
    return f"// inexact: {' '.join(sorted(called - _EXACT))}\n{text}"


@contextlib.contextmanager
def _compiling(called: set[str]) -> Iterator[None]:
    """Compile without fusing and without a GPU; collects the functions of libdevice that are used.

    numba-cuda asks the GPU of this machine for its capability wherever a function calls another,
    and it has no switch for fusing, so both are replaced while its lock is held.  Version 0.30
    cannot format its own debug messages, so a program that logs at that level does not see them;
    and it names `np.row_stack`, which NumPy 2.5 dropped.
    """
    from unittest.mock import patch

    from numba.cuda import compiler, dispatcher
    from numba.cuda.cudadrv import nvvm

    compile_ir = nvvm.compile_ir

    def unfused(ir: Any, **options: Any) -> Any:
        for module in [ir] if isinstance(ir, str) else ir:
            called.update(re.findall(r"call [^@\n]*@\"?__nv_(\w+)", module))
        return compile_ir(ir, **options | {"fma": 0})

    some_gpu = SimpleNamespace(compute_capability=COMPUTE_CAPABILITY)
    log = logging.getLogger("numba.cuda")
    level = log.level
    with (
        compiler.global_compiler_lock,
        patch.object(nvvm, "compile_ir", unfused),
        patch.object(dispatcher, "get_current_device", lambda: some_gpu),
        patch.object(np, "row_stack", np.vstack, create=True),
    ):
        log.setLevel(max(level, logging.INFO))
        try:
            yield
        finally:
            log.setLevel(level)


_known_to_cuda = 0


def _register_jitables() -> None:
    from numba.cuda.extending import overload, register_jitable

    global _known_to_cuda
    for function, native, inline in registered(_known_to_cuda):
        _known_to_cuda += 1
        if native is None:
            register_jitable(forceinline=inline)(function)
        else:
            overload(function, strict=False, inline="always" if inline else "never")(native)
