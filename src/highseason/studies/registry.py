"""All studies by name, discovered: every folder here whose `__init__` has a `STUDY`."""

from __future__ import annotations

import pkgutil
from importlib import import_module
from pathlib import Path

from highseason.studies.study import Study


def _discover() -> dict[str, Study]:
    folders = [m.name for m in pkgutil.iter_modules([str(Path(__file__).parent)]) if m.ispkg]
    return {name: import_module(f"{__package__}.{name}").STUDY for name in sorted(folders)}


STUDIES = _discover()
