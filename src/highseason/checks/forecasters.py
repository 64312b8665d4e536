"""A forecaster says mean and quantiles of the turns to come, from those before and nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np

from highseason.checks.catalogue import check
from highseason.checks.failure import expect
from highseason.forecasters import Forecaster, OneStep
from highseason.multipliers import Multiplier

#: Days of the past that a forecaster is shown.
_DAYS = 120


def past(turns: int = _DAYS, scale: float = 1.0) -> Multiplier:
    """A weekly rhythm with some noise, the same in every run."""
    days = np.datetime64("2013-01-07") + np.arange(turns)
    week = np.resize([1.0, 1.0, 1.1, 1.2, 1.5, 2.0, 0.8], turns)
    noise = np.exp(0.1 * np.sin(7.3 * np.arange(turns) ** 1.3))
    return Multiplier(scale * 100.0 * week * noise, days)


@check()
def predicts_as_many_turns_as_asked(forecaster: Forecaster) -> None:
    """Means that are finite and above zero, with a calendar that goes on."""
    known = past()
    fitted = forecaster.fit(known)
    for turns in (1, 2, 15):
        forecast = fitted.predict(turns)
        expect(len(forecast) == turns, f"asked for {turns} turns, it gave {len(forecast)}")
        expect(
            np.isfinite(forecast.mean).all() and (forecast.mean > 0).all(),
            "means must be finite and > 0",
        )
        calendar, before = forecast.calendar, known.calendar
        expect(calendar is not None, "a series with a calendar has a forecast with a calendar")
        if calendar is not None and before is not None:
            expect(calendar[0] == before[-1] + 1, "the first turn comes after the last one known")


@check()
def quantiles_rise_with_their_level(forecaster: Forecaster) -> None:
    """And the median lies within what the outer ones say."""
    forecast = forecaster.fit(past()).predict(10)
    expect(forecast.quantiles is not None, "a forecaster must say how far off it may be")
    rows = [forecast.quantile(level) for level in (0.01, 0.1, 0.5, 0.9, 0.99)]
    expect((np.diff(rows, axis=0) >= 0).all(), "a higher level must not have a lower quantile")
    chances = forecast.probability_above(float(np.median(forecast.mean)))
    expect(((chances >= 0) & (chances <= 1)).all(), "chances lie between 0 and 1")


@check()
def same_series_same_forecast(forecaster: Forecaster) -> None:
    """Asked twice, the same numbers; asking changes nothing."""
    fitted = forecaster.fit(past())
    one, other = fitted.predict(5), fitted.predict(5)
    again = forecaster.fit(past()).predict(5)
    expect(
        np.array_equal(one.mean, other.mean) and np.array_equal(one.mean, again.mean),
        "the same series must have the same forecast",
    )


@check()
def an_update_is_a_turn_more(forecaster: Forecaster) -> None:
    """Told one turn more, it says what it would have said had it been fitted on it."""
    whole = past(_DAYS + 1)
    fitted = forecaster.fit(past())
    fitted.update(float(whole.values[-1]))
    told, known = fitted.predict(3), forecaster.fit(whole).predict(3)
    expect(
        np.allclose(told.mean, known.mean, rtol=1e-6),
        "update(value) must be as fit with that value at the end of the series",
    )


@check()
def scales_with_its_series(forecaster: Forecaster) -> None:
    """Customers counted in thousands are forecast in thousands."""
    one = forecaster.fit(past()).predict(4).mean
    thousand = forecaster.fit(past(scale=1000.0)).predict(4).mean
    expect(
        np.allclose(thousand, 1000.0 * one, rtol=1e-2),
        "a series a thousand times as high must have a forecast a thousand times as high",
    )


@check()
def a_constant_series_goes_on(forecaster: Forecaster) -> None:
    """And says so with certainty."""
    days = np.datetime64("2013-01-07") + np.arange(60)
    forecast = forecaster.fit(Multiplier(np.full(60, 5.0), days)).predict(6)
    expect(np.allclose(forecast.mean, 5.0), "a constant series must have a constant forecast")


def _one_step(forecaster: Any) -> bool:
    return isinstance(forecaster, OneStep)


@check(_one_step)
def beliefs_come_before_their_turn(forecaster: OneStep) -> None:
    """What is believed of turn t does not change with what comes at t and after."""
    G = past(40).values
    path = forecaster.path(G).values
    expect(path[0] == G[0], "the belief of the first turn is its value")
    for t in (5, 20, 39):
        changed = G.copy()
        changed[t:] = 7.0
        expect(
            np.array_equal(forecaster.path(changed).values[: t + 1], path[: t + 1]),
            f"the belief of turn {t + 1} must not depend on what came in it or later",
        )


@check(_one_step)
def beliefs_stay_above_the_least_seen(forecaster: OneStep) -> None:
    """No belief below the least G so far."""
    G = np.concatenate([np.linspace(100, 1, 30), np.full(10, 1.0)])
    path = forecaster.path(G).values
    least = np.minimum.accumulate(G)[:-1]
    expect((path[1:] >= least).all(), "a belief must not be below the least G seen so far")
