"""What a kernel is given, where its text is kept, and what is said where there is no GPU."""

from __future__ import annotations

import importlib
import sys
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest

from highseason.core.extras import MissingExtraError
from highseason.engine.gpu.device import Gpu, kind_of, like
from highseason.engine.gpu.play import schedule_for
from highseason.engine.gpu.pool import NoGpuError, start_gpu
from highseason.engine.gpu.ptx import flat
from highseason.policies import UCB_RULE


class Pair(NamedTuple):
    numbers: Any
    flag: bool


class OnDevice(np.ndarray):
    """An array with an address, as CuPy's have."""

    data = SimpleNamespace(ptr=4096)


def test_an_array_is_handed_over_as_numba_lays_it_out() -> None:
    array = np.zeros((2, 3), np.int32).view(OnDevice)
    numbers = list(flat((Pair(array, True), 2.5, 7)))
    assert numbers == [0, 0, 6, 4, 4096, 2, 3, 12, 4, 1, 2.5, 7]
    assert [number.dtype.kind for number in numbers] == list("uuiiuiiiiufi")


def test_an_array_with_gaps_is_refused() -> None:
    with pytest.raises(ValueError, match="in one piece"):
        list(flat(np.zeros((4, 4))[:, ::2]))


def test_kinds_distinguish_what_is_compiled_differently() -> None:
    one = Pair(np.zeros((2, 3)), True)
    assert kind_of(one) == kind_of(Pair(np.ones((9, 9)), False)) == kind_of(like(one))
    assert kind_of(one) != kind_of(Pair(np.zeros((2, 3), np.float32), True))
    assert kind_of(one) != kind_of(Pair(np.zeros(3), True))
    assert kind_of((1,)) != kind_of((1.0,))


def test_ucb_games_that_do_not_fit_have_no_schedule() -> None:
    device = SimpleNamespace(shared_bytes=227 * 1024)
    assert schedule_for(UCB_RULE, 4000, device) is not None
    assert schedule_for(UCB_RULE, 6000, device) is None


def test_without_cupy_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cupy", None)
    with pytest.raises(MissingExtraError, match=r"executor='gpu' needs cupy.*highseason\[gpu\]"):
        Gpu()


def test_a_gpu_has_no_address() -> None:
    with pytest.raises(ValueError, match=r"games are played on the GPU of this machine"):
        start_gpu("10.0.0.1:80", None)


@pytest.mark.parametrize("count", [0, RuntimeError("no CUDA-capable device is detected")])
def test_without_a_gpu_the_error_says_so(monkeypatch: pytest.MonkeyPatch, count: Any) -> None:
    def devices() -> int:
        if isinstance(count, Exception):
            raise count
        return int(count)

    cupy = SimpleNamespace(cuda=SimpleNamespace(runtime=SimpleNamespace(getDeviceCount=devices)))
    real = importlib.import_module
    monkeypatch.setattr(
        "highseason.core.extras.import_module",
        lambda name: cupy if name == "cupy" else real(name),
    )
    with pytest.raises(NoGpuError, match=r"needs an NVIDIA GPU.*use executor='local'"):
        Gpu()
