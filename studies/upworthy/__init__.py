"""Our study on real clicks: headline tests as decks of cards, page views as G."""

from studies.study import Source, Study

STUDY = Study(
    name="upworthy",
    title="Real headlines, real page views: what regulating gains",
    headline="reward-gains",
    source=Source(
        "--upworthy",
        "For the study upworthy: a folder with the archive's tests and page views, or the two "
        "files (repeat the option).",
    ),
)
