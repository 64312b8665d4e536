"""The paper's study of an unknown G: what its six estimators change, against G known."""

from studies.study import Study

STUDY = Study(
    name="unknown_traffic",
    title="When G is not known",
    headline="changes",
    profiles=("paper", "authors_code"),
    default_profiles=1,
    takes=("policies", "k", "arms", "turns"),
)
