"""What a report was made with: versions and settings, as a table."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from importlib.metadata import version

from highseason.core.version import __version__
from highseason.report.page import table
from highseason.results import Table

_NAMED = ("numpy", "numba", "matplotlib")


def made_with(settings: Mapping[str, str]) -> str:
    """The table, as HTML."""
    rows = (
        ("highseason", __version__),
        ("Python", platform.python_version()),
        *((name, version(name)) for name in _NAMED),
        *settings.items(),
    )
    return table(Table(("what", "value"), rows, ("", "")))
