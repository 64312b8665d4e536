"""Our study of prices: arms on one demand curve, against rules that do and do not know it."""

from studies.study import Study

STUDY = Study(
    name="prices",
    title="Prices as prices: what one demand curve is worth",
    headline="ratios",
)
