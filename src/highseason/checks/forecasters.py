"""A forecaster predicts mean and quantiles of the turns to come from those before them only."""

import numpy as np

from highseason.checks.catalogue import CheckFailed, check, expect
from highseason.traffic import Forecaster, Multiplier, OneStep

#: Days of the past that a forecaster is fitted on.
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
        expect(len(forecast) == turns, f"expected {turns} turns, got {len(forecast)}")
        valid = np.isfinite(forecast.mean) & (forecast.mean > 0)
        expect(valid.all(), "means must be finite and > 0")
        calendar, before = forecast.calendar, known.calendar
        if calendar is None or before is None:
            raise CheckFailed("a series with a calendar must have a forecast with a calendar")
        follows = calendar[0] == before[-1] + np.timedelta64(1, "D")
        expect(follows, "the first forecast turn must follow the last known one")


@check()
def quantiles_rise_with_their_level(forecaster: Forecaster) -> None:
    """A higher level never has a lower quantile."""
    forecast = forecaster.fit(past()).predict(10)
    expect(forecast.quantiles is not None, "a forecaster must give quantiles, too")
    rows = [forecast.quantile(level) for level in (0.01, 0.1, 0.5, 0.9, 0.99)]
    expect((np.diff(rows, axis=0) >= 0).all(), "a higher level must not have a lower quantile")
    shares = forecast.probability_above(float(np.median(forecast.mean)))
    expect(((shares >= 0) & (shares <= 1)).all(), "probabilities must lie between 0 and 1")


@check()
def same_series_same_forecast(forecaster: Forecaster) -> None:
    """Two predictions are equal; predicting changes nothing."""
    fitted = forecaster.fit(past())
    one, *others = (f.predict(5).mean for f in (fitted, fitted, forecaster.fit(past())))
    same = all(np.array_equal(one, other) for other in others)
    expect(same, "the same series must have the same forecast")


@check()
def an_update_is_a_turn_more(forecaster: Forecaster) -> None:
    """After one more turn it predicts what it would have predicted if fitted on it."""
    whole = past(_DAYS + 1)
    fitted = forecaster.fit(past())
    fitted.update(float(whole.values[-1]))
    updated, refitted = fitted.predict(3), forecaster.fit(whole).predict(3)
    expect(
        np.allclose(updated.mean, refitted.mean, rtol=1e-6),
        "update(value) must equal fit with that value at the end of the series",
    )


@check()
def scales_with_its_series(forecaster: Forecaster) -> None:
    """A series in thousands is forecast in thousands."""
    one = forecaster.fit(past()).predict(4).mean
    thousand = forecaster.fit(past(scale=1000.0)).predict(4).mean
    expect(
        np.allclose(thousand, 1000.0 * one, rtol=1e-2),
        "a series times 1,000 must have a forecast times 1,000",
    )


@check()
def a_constant_series_goes_on(forecaster: Forecaster) -> None:
    """A constant series has a constant forecast."""
    days = np.datetime64("2013-01-07") + np.arange(60)
    forecast = forecaster.fit(Multiplier(np.full(60, 5.0), days)).predict(6)
    expect(np.allclose(forecast.mean, 5.0), "a constant series must have a constant forecast")


@check(lambda forecaster: isinstance(forecaster, OneStep))
def beliefs_come_before_their_turn(forecaster: OneStep) -> None:
    """The one-step forecast of turn t does not depend on G at t and after."""
    G = past(40).values
    path = forecaster.path(G).values
    expect(path[0] == G[0], "the forecast of the first turn must be its value")
    for t in (5, 20, 39):
        changed = G.copy()
        changed[t:] = 7.0
        expect(
            np.array_equal(forecaster.path(changed).values[: t + 1], path[: t + 1]),
            f"the forecast of turn {t + 1} must not depend on G at that turn or later",
        )


@check(lambda forecaster: isinstance(forecaster, OneStep))
def beliefs_stay_above_the_least_seen(forecaster: OneStep) -> None:
    """No one-step forecast is below the least G so far."""
    G = np.concatenate([np.linspace(100, 1, 30), np.full(10, 1.0)])
    path = forecaster.path(G).values
    least = np.minimum.accumulate(G)[:-1]
    expect((path[1:] >= least).all(), "a forecast must not be below the least G seen so far")
