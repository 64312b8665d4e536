"""The executor "gpu": the cores of this machine, and its GPU for games."""

from typing import Any

from highseason.core.extras import require
from highseason.core.parallel import STARTERS, LocalPool, worker_count

STARTERS["gpu"] = f"{__name__}:start_gpu"


class NoGpuError(RuntimeError):
    """Games were to be played on a GPU, but there is none that can be used."""


class GpuPool(LocalPool):
    """Workers on the cores of this machine, while `simulate` plays games on its GPU."""


def start_gpu(address: str, workers: int | None) -> GpuPool:
    """Check that there is a GPU."""
    if address:
        raise ValueError(
            f"executor='gpu://{address}' has an address, but games are played on the GPU of this "
            "machine: write executor='gpu'"
        )
    usable_cupy()
    return GpuPool(worker_count(workers))


def usable_cupy() -> Any:
    """CuPy, if there is a GPU for it."""
    cupy = require("cupy", extra="gpu", purpose="executor='gpu'")
    try:
        count = cupy.cuda.runtime.getDeviceCount()
    except Exception as reason:  # no driver, or one too old: CuPy has an error type for each
        raise NoGpuError(
            f"executor='gpu' needs an NVIDIA GPU and its driver, but {reason}: "
            "use executor='local' on this machine"
        ) from None
    if count == 0:
        raise NoGpuError(
            "executor='gpu' needs an NVIDIA GPU, but this machine has none: use executor='local'"
        )
    return cupy
