"""Studies: one folder each, and one pipeline that runs them all."""

import pkgutil
from importlib import import_module

from studies.pipeline import reproduce
from studies.study import MissingDataError, Source, Study, StudyReport

__all__ = ["STUDIES", "MissingDataError", "Source", "Study", "StudyReport", "reproduce"]

#: All studies by name, discovered: every folder here has a `STUDY` in its `__init__`.
STUDIES: dict[str, Study] = {
    module.name: import_module(f"{__name__}.{module.name}").STUDY
    for module in sorted(pkgutil.iter_modules(__path__))
    if module.ispkg
}
