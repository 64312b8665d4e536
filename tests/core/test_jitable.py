from __future__ import annotations

import subprocess
import sys

from highseason.core import jitable as room


def test_marking_leaves_the_function_as_it_is_and_registers_it_for_good() -> None:
    def double(x: int) -> int:
        return 2 * x

    def triple(x: int) -> int:
        return 3 * x

    before = len(room.registered())
    try:
        assert room.jitable(double) is double
        assert room.jitable(double) is double  # once more, which changes nothing
        assert room.jitable_as(lambda x: 3 * x)(triple) is triple
        first, second = room.registered(since=before)
        assert (first.function, first.native) == (double, None)
        assert second.function is triple
        assert second.native is not None
        assert room.registered()[before:] == (first, second)  # reading takes nothing away
    finally:
        for function in (double, triple):
            room._registry.pop(function, None)


def test_importing_the_library_imports_no_compiler_and_no_extra() -> None:
    heavy = {"numba", "matplotlib", "pandas", "pyarrow", "scipy", "pytest", "hypothesis"}
    code = "import sys, highseason; highseason.checks.check_policy; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "highseason.checks" in done.stdout.split()
    assert heavy.isdisjoint(done.stdout.split())
