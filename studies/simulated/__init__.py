"""The paper's simulated study: every setting, every figure, and what holds of its claims."""

from studies.study import Study

STUDY = Study(
    name="simulated",
    title="Regulating greed over time: the simulated study repeated",
    headline="gains",
    profiles=("paper", "tuned", "authors_code"),
    default_profiles=2,
    takes=("policies", "k"),
)
