"""Our study of timing: at equal tuning, does it matter when a policy explores?"""

from studies.study import Study

STUDY = Study(
    name="timing",
    title="When timing matters: what regulating gains at equal tuning",
    headline="reward-gains",
)
