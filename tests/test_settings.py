"""What tests/conftest.py sets is in force."""

from __future__ import annotations

import os

import pytest

threadpoolctl = pytest.importorskip("threadpoolctl")


def test_blas_has_one_thread() -> None:
    """Nothing imports NumPy before it is told, such as the category of a filter of warnings."""
    threads = {
        one["filepath"]: one["num_threads"]
        for one in threadpoolctl.threadpool_info()
        if one["internal_api"] == "openblas"
    }
    assert set(threads.values()) <= {int(os.environ["OPENBLAS_NUM_THREADS"])}, threads
