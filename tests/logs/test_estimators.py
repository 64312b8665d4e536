"""Estimators agree with slow and obvious versions of their definitions."""

from __future__ import annotations

import math

import numpy as np
import pytest

from highseason.logs.estimators import weighted_estimates


def test_weighted_estimates_by_their_definitions() -> None:
    rng = np.random.default_rng(1)
    reward, propensity = rng.random(40), 0.1 + 0.8 * rng.random(40)
    found = weighted_estimates(reward, propensity, read=90)
    weights = [1 / p for p in propensity.tolist()]
    gains = [w * r for w, r in zip(weights, reward.tolist(), strict=True)]
    ips = sum(gains) / 90
    # Events that do not match add nothing, but they are events.
    squares = sum((gain - ips) ** 2 for gain in gains) + (90 - 40) * ips**2
    assert found.ips.value == pytest.approx(ips)
    assert found.ips.error == pytest.approx(math.sqrt(squares / 90 / 90))
    snips = sum(gains) / sum(weights)
    assert found.snips.value == pytest.approx(snips)
    assert found.effective_size == pytest.approx(sum(weights) ** 2 / sum(w * w for w in weights))
    assert found.largest == pytest.approx(max(weights) / sum(weights))
    plain = sum(reward.tolist()) / 40
    assert found.shift.value == pytest.approx(snips - plain)
    variance = 0.0
    for w, r in zip(weights, reward.tolist(), strict=True):
        variance += (w * (r - snips) / sum(weights) - (r - plain) / 40) ** 2
    assert found.shift.error == pytest.approx(math.sqrt(variance))
