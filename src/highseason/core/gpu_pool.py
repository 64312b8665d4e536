"""`executor="gpu"`: games on an NVIDIA GPU, everything else on the cores of this machine."""

from typing import Any

from highseason.core.executors import LocalPool, worker_count
from highseason.core.extras import require


class NoGpuError(RuntimeError):
    """Games were to be played on a GPU, but there is none that can be used."""


class GpuPool(LocalPool):
    """The cores of this machine, and its GPU for games."""

    on_gpu = True


def start(address: str, workers: int | None) -> GpuPool:
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
