"""Settings of the whole suite."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from hypothesis import settings

# `tests.reference` holds what several tests compare with.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

settings.register_profile("fixed", deadline=None, derandomize=True)
settings.register_profile("seeded", deadline=None)


def pytest_configure(config: pytest.Config) -> None:
    """The same examples in every run, unless a seed asks for others (`make soak`)."""
    seeded = config.getoption("--hypothesis-seed", None) is not None
    settings.load_profile("seeded" if seeded else "fixed")
