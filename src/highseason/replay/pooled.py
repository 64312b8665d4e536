"""Many runs of one policy as one outcome, to report on and to doubt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from highseason.replay.estimators import Weighted
from highseason.replay.outcome import ReplayOutcome, mean_of


def pooled(runs: Sequence[ReplayOutcome]) -> ReplayOutcome:
    """Counts added up, means taken over the runs.

    Whether runs ended early is left out, because runs are counted for that; so is the course of the
    mean.  Runs share records: what they match is no surer for being matched again, so the number of
    records asked is that of one run.
    """
    first = runs[0]
    means = np.array([run.mean.value for run in runs if run.turns])
    shares = np.array([(run.share, run.expected_share) for run in runs if run.asked]).reshape(-1, 2)
    share, expected = shares.mean(axis=0).tolist() if shares.size else (np.nan, np.nan)
    nothing = np.zeros(0)
    return replace(
        first,
        read=sum(run.read for run in runs),
        rejected={why: sum(run.rejected[why] for run in runs) for why in first.rejected},
        turns=sum(run.turns for run in runs),
        wanted=None,
        reward=sum(run.reward for run in runs),
        rewarded=sum(run.rewarded for run in runs),
        mean=mean_of(means),
        asked=max(run.asked for run in runs),
        share=share,
        expected_share=expected,
        effective=sum(run.effective for run in runs),
        at=nothing.astype(np.int64),
        running=nothing,
        weighted=_weighted([run.weighted for run in runs if run.weighted is not None]),
        high=None if first.high is None else sum(run.high or 0 for run in runs),
    )


def _weighted(found: Sequence[Weighted]) -> Weighted | None:
    known = [one for one in found if one.effective > 0]
    if not known:
        return None
    return Weighted(
        ips=mean_of(np.array([one.ips.value for one in known])),
        snips=mean_of(np.array([one.snips.value for one in known])),
        effective=sum(one.effective for one in known),
        largest=max(one.largest for one in known),
        shift=mean_of(np.array([one.shift.value for one in known])),
    )
