"""All studies by name; `highseason reproduce --only NAME` runs one of them."""

from highseason.studies import logged, simulated, timing, unknown, upworthy
from highseason.studies.study import Source, Study

STUDIES: dict[str, Study] = {
    "simulated": simulated.run,
    "timing": timing.run,
    "unknown": unknown.run,
    "upworthy": upworthy.run,
    "logged": logged.run,
}

#: Files that are not shipped, by the study that takes them; each becomes an option.
SOURCES: dict[str, Source] = {
    "upworthy": upworthy.SOURCE,
    "logged": logged.SOURCE,
}
