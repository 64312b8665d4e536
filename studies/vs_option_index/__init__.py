"""Our study of all policies: every one of them meets the option index, untuned and tuned."""

from studies.study import Study

STUDY = Study(
    name="vs_option_index",
    title="Every policy meets the option index",
    headline="ratios",
    profiles=("everyone", "regulated"),
    default_profiles=2,
    parts=("paper", "timing", "visitors", "traffic", "decks", "mortal"),
)
