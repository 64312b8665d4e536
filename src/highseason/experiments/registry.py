"""All studies by name; `highseason reproduce --only NAME` runs one of them."""

from highseason.experiments import simulated, timing, unknown
from highseason.experiments.study import Study

STUDIES: dict[str, Study] = {
    "simulated": simulated.run,
    "timing": timing.run,
    "unknown": unknown.run,
}
