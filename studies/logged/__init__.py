"""The paper's study on logged clicks: the Yahoo! log if it is given, else a generated one."""

from studies.study import Source, Study

STUDY = Study(
    name="logged",
    title="The paper's study on logged clicks",
    headline="gains",
    profiles=("paper", "tuned"),
    default_profiles=2,
    source=Source(
        "--yahoo",
        "For the study logged: your Yahoo! R6B log, which is a file, a folder of files (plain or "
        "gzip), or a table from `highseason convert`.  Without it, a synthetic log is generated "
        "and labelled as such.",
    ),
)
