"""Libraries that only some forecasters need, imported when they are, with the extra's name."""

from __future__ import annotations

from importlib import import_module
from typing import Any

_EXTRA = "pip install 'highseason[forecasting]'"


def library(module: str) -> Any:
    """A module of the extra `forecasting`; an error that names the extra where it is missing."""
    try:
        # By name at run time: it is an extra, and a type checker must not need it either.
        return import_module(module)
    except ImportError as reason:
        package = module.partition(".")[0]
        raise ImportError(
            f"this forecaster needs {package}, which is not installed: {_EXTRA}"
        ) from reason
