"""Every kernel compiles without a GPU, and rounds as a CPU does."""

from __future__ import annotations

import functools
import logging
import re
from typing import Any

import numpy as np
import pytest
from tests.engine.gpu.devices import Noting
from tests.engine.gpu.runs import GAMES, THREE, games_of
from tests.reference.parts import require_part

import highseason as hs
from highseason.core.jitable import registered
from highseason.engine.gpu import kernels, ptx
from highseason.engine.gpu.device import GpuProgram, kind_of, like
from highseason.engine.gpu.ptx import PTX_VERSION, compile_ptx, inexact_functions

pytest.importorskip("numba_cuda")


def quarter(u: float, parameter: float, scale: float) -> float:
    """A user's reward: 1/4 or 1."""
    return 0.25 if u < parameter else 1.0


def halved(u: float, parameters: Any, t: int, G: float) -> float:
    """A user's reward of several parameters."""
    return parameters[0] if u < 0.5 else parameters[1]  # type: ignore[no-any-return]  # a number


def halved_mean(parameters: Any, t: int, G: float) -> float:
    return (parameters[0] + parameters[1]) / 2.0  # type: ignore[no-any-return]  # a number


#: Policies, rewards, and what else differs, by what their kernels are.
RUNS: dict[str, tuple[Any, ...]] = {
    "in shared memory": (THREE, hs.rewards.bernoulli(arms=5)),
    "in rows": (THREE[1:], hs.rewards.bernoulli(arms=100)),
    "naive": ([hs.policies.NaiveUCB()], hs.rewards.bernoulli(arms=5)),
    "a user's rewards": ([hs.UCB()], hs.rewards.custom(quarter, lambda p: 1 - 0.75 * p, arms=3)),
    "several parameters": (
        [hs.UCB()],
        hs.rewards.custom(halved, halved_mean, parameters=[[0.1, 0.9], [0.3, 0.4]], per_turn=True),
    ),
    "any rule": ([hs.UCB(ties="random")], hs.rewards.bernoulli(arms=5)),
    "lifetimes": (
        [hs.VariablePool(c=3, unit=1)],
        hs.rewards.bernoulli(arms=4),
        20,
        hs.lifetimes.fixed([(1, 9), (3, 20), (1, 20), (5, 20)]),
    ),
}


def launched(policies: Any, rewards: Any, *more: Any) -> list[tuple[GpuProgram, tuple[Any, ...]]]:
    """What a run launches."""
    device = Noting()
    games_of(device, policies, rewards, *more).play(range(GAMES))
    return device.launched


@functools.cache
def compiled_texts() -> dict[str, str]:
    """Those that were compiled already; many runs share a kernel."""
    return {}


#: Those whose kernels differ from others in a type or a flag.
ALIKE = ("naive",)


@pytest.mark.parametrize(
    "run", [pytest.param(run, marks=[pytest.mark.soak] * (run in ALIKE)) for run in RUNS]
)
def test_nothing_is_fused_or_rounded_otherwise(run: str) -> None:
    for program, arguments in launched(*RUNS[run]):
        name = f"{program}{kind_of(arguments)}"
        if name in compiled_texts():
            continue
        ptx = compiled_texts()[name] = compile_ptx(program.make(), like(arguments), program.bounds)
        assert inexact_functions(ptx) == ()
        assert "fma." not in ptx
        assert "approx" not in ptx
        assert not re.search(r"\b(mul|add|sub|div|sqrt)\.f64", ptx)  # a driver may fuse these
        assert "\tcall" not in ptx
        assert f".version {PTX_VERSION}\n" in ptx
        assert len(ptx) < 300_000


TABLE = np.sqrt(np.arange(9000.0))


def look_up(numbers: Any) -> None:
    numbers[0] = TABLE[int(numbers[1])]


def test_tables_may_be_larger_than_constant_memory() -> None:
    ptx = compile_ptx(look_up, (np.zeros(2),))
    assert re.search(r"^\.global \.align 8 \.b8 \S+\[72000\]", ptx, flags=re.MULTILINE)
    assert ".const" not in ptx


def test_functions_that_round_differently_are_named(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)  # numba-cuda cannot format what it says at this level
    noted = launched([hs.SoftUCBMortal()], hs.rewards.bernoulli(arms=5))
    program, arguments = next(each for each in noted if each[0].factory is kernels.any_rule)
    assert inexact_functions(compile_ptx(program.make(), like(arguments), program.bounds)) == (
        "log",
        "log1p",
    )


def test_the_compiler_fuses_when_it_may(caplog: pytest.LogCaptureFixture) -> None:
    """Otherwise the test above could not fail."""
    caplog.set_level(logging.INFO, "numba.cuda")
    from numba import cuda, float64
    from numba.cuda import compiler

    def multiply_and_add(a: Any, b: Any) -> None:
        a[cuda.grid(1)] += a[0] * b[0]

    types = (float64[::1], float64[::1])
    ptx, _ = compiler.compile(multiply_and_add, types, device=False, cc=(7, 5), abi="numba")
    assert "fma.rn.f64" in ptx


#: Parts of numba-cuda that are no public API, by what `ptx` does with them.
PRIVATE = {
    "numba.cuda.cudadrv.nvvm:compile_ir": "is replaced, to compile without fused operations",
    "numba.cuda.dispatcher:get_current_device": "is replaced, to compile without a GPU",
    "numba.cuda.compiler:global_compiler_lock": "is held meanwhile",
}


@pytest.mark.parametrize("name", PRIVATE)
def test_numba_cuda_has_what_is_replaced(name: str) -> None:
    require_part("numba_cuda", name, PRIVATE[name], "engine/gpu/ptx.py")


def test_numpy_is_left_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(np, "row_stack", raising=False)  # as NumPy 2.5 has it
    compile_ptx(look_up, (np.zeros(2),))
    assert not hasattr(np, "row_stack")


def test_a_function_is_registered_with_cuda_once() -> None:
    compile_ptx(look_up, (np.zeros(2),))
    assert ptx._known_to_cuda == len(registered())
