"""Every named forecaster keeps the promises of all; a broken one is caught."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import highseason as hs
from highseason.checks import CheckFailed, check_forecaster, forecaster_checks
from highseason.traffic import Fitted, Forecast, Forecaster


@pytest.mark.parametrize("run", [pytest.param(run, id=name) for name, run in forecaster_checks()])
def test_forecaster(run: Callable[[], None]) -> None:
    run()


class Stubborn(Fitted):
    def predict(self, turns: int) -> Forecast:
        return Forecast(np.full(turns, 100.0))

    def update(self, value: float) -> None:
        pass


@dataclass(frozen=True)
class Unchanging(Forecaster):
    def fit(self, series: Any) -> Fitted:
        return Stubborn()


def test_one_that_looks_at_nothing_fails() -> None:
    with pytest.raises(CheckFailed, match="calendar"):
        check_forecaster(Unchanging())


def test_a_policy_is_no_forecaster() -> None:
    with pytest.raises(CheckFailed, match="expected a forecaster"):
        check_forecaster(hs.UCB)  # type: ignore[arg-type]
