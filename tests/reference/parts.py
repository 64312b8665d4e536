"""Parts of another package that are no public API: a release may move them."""

from __future__ import annotations

from functools import reduce
from importlib import import_module
from importlib.metadata import version

import pytest


def require_part(package: str, name: str, use: str, file: str) -> None:
    """Fail with what to do if a package no longer has `module:name.of.part`."""
    module, _, path = name.partition(":")
    try:
        reduce(getattr, path.split("."), import_module(module))
    except (ImportError, AttributeError):
        pytest.fail(
            f"{package} {version(package)} has no {name}, which {use}: adapt {file}, or lower the "
            f"bound of {package} in pyproject.toml",
            pytrace=False,
        )
