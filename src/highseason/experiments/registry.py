"""Which studies there are; a study's module is imported when it is run.

Each has `run(out, games, seed, quick, profile, progress)`, which writes a page and its figures to
the folder `out` and returns what `--json` prints: "page", "files", "verdicts", "cells" …
`games` and `profile` may be None: then the study's own stand.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

Run = Callable[..., dict[str, Any]]

#: The name on the command line, and the module that runs it.
STUDIES: dict[str, str] = {
    "unknown": "highseason.experiments.unknown",
}


def study(name: str) -> Run:
    """The function that runs a study.

    >>> study("unknown").__name__
    'run'
    """
    run: Run = import_module(STUDIES[name]).run
    return run
