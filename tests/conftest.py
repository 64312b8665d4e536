"""Settings of the whole suite."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest
from hypothesis import settings

# Threads of BLAS that wait for each other would take most of the time of small matrices.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # read when NumPy is imported
# numba raises and catches thousands of errors per kernel: colouring them takes 4% of compiling.
os.environ.setdefault("NUMBA_DISABLE_ERROR_MESSAGE_HIGHLIGHTING", "1")

import highseason as hs  # after the setting above
from highseason.core import parallel
from highseason.policies import base, registry

settings.register_profile("fixed", deadline=None, derandomize=True, max_examples=40)
settings.register_profile("seeded", deadline=None)


def pytest_configure(config: pytest.Config) -> None:
    """The same few examples in every run, unless a seed asks for others (`make soak`)."""
    seeded = config.getoption("--hypothesis-seed", None) is not None
    settings.load_profile("seeded" if seeded else "fixed")


def pytest_collection_finish() -> None:
    """Spare the garbage collector the tests and modules: they stay until the end."""
    gc.freeze()


@pytest.fixture(autouse=True)
def own_policies_forgotten() -> Iterator[None]:
    """A policy that a test defines is known to that test alone: others look at all there are."""
    before = registry()
    yield
    for name in registry().keys() - before.keys():
        del base._policies[name]


@pytest.fixture
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Skip the figures of studies: they cost most of the time, and have tests of their own."""
    from highseason.report.figure import Picture
    from studies import pipeline

    def draw_nothing(drawings: dict[str, Callable[[], Any]], *_: Any) -> dict[str, Picture]:
        return {name: Picture(name, "", b"<svg/>") for name in drawings}

    monkeypatch.setattr(pipeline, "_draw", draw_nothing)


#: How many games examples play at most; advice plays so many for each policy it tries.
FEW = {"simulate": 20, "advise": 5}


@pytest.fixture
def quick_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """Try few parameters of each policy, where it does not matter how good the best of them is."""
    from highseason.advice import Zoom, recommend

    monkeypatch.setattr(recommend, "Zoom", partial(Zoom, trials=2, steps=1))


@pytest.fixture
def quick_advice(monkeypatch: pytest.MonkeyPatch, quick_search: None) -> None:
    """Look at few worlds too, where a test asks only how advice is passed on."""
    from highseason.advice import recommend

    monkeypatch.setattr(recommend, "RHOS", (0.0, 0.1))
    monkeypatch.setattr(recommend, "FEW_RHOS", (0.0, 0.01))
    monkeypatch.setattr(recommend, "TYPICAL_RATES", recommend.TYPICAL_RATES[:2])


@pytest.fixture
def few_games(monkeypatch: pytest.MonkeyPatch, quick_advice: None) -> None:
    """Play few games where an example plays many: it must run, whatever it prints.

    So few are played in this process, unless the example says otherwise: workers take longer to
    start.
    """

    def fewer(play: Callable[..., Any], most: int) -> Callable[..., Any]:
        def run(*arguments: Any, games: int | None = None, **options: Any) -> Any:
            return play(*arguments, games=min(games or most, most), **options)

        return run

    def only_if_asked(workers: int | None) -> int:
        return count(1 if workers is None else workers)

    count = parallel.worker_count
    for name, most in FEW.items():
        monkeypatch.setattr(hs, name, fewer(getattr(hs, name), most))
    monkeypatch.setattr(parallel, "worker_count", only_if_asked)
