"""Our map of when regulating pays, and a rule of thumb, judged on settings it has not seen."""

from studies.study import Study

STUDY = Study(
    name="when_it_pays",
    title="When does regulating pay? The map",
    headline="map-option-index",
)
