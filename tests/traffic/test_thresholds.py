from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from highseason.traffic import Threshold, ThresholdError, ThresholdWarning, warn_if_one_sided

quick = settings(deadline=None)
thresholds = st.one_of(
    st.floats(allow_nan=False).map(lambda z: Threshold("number", z)),
    st.floats(min_value=0, exclude_min=True, allow_infinity=False).map(
        lambda share: Threshold("max", share)
    ),
    st.floats(0, 1).map(lambda q: Threshold("quantile", q)),
)


@quick
@given(thresholds)
def test_what_is_written_is_read_back(threshold: Threshold) -> None:
    assert Threshold.of(str(threshold)) == threshold
    assert Threshold.of(threshold) is threshold


@quick
@given(st.lists(st.floats(1e-3, 1e6), min_size=1), st.floats(0, 1))
def test_rules_follow_their_formulas(values: list[float], q: float) -> None:
    assert Threshold.of(f"{q + 0.1}*max").resolve(values) == (q + 0.1) * max(values)
    rank = q * (len(values) - 1)
    ordered = sorted(values)
    below, above = ordered[math.floor(rank)], ordered[math.ceil(rank)]
    expected = below + (rank - math.floor(rank)) * (above - below)
    assert Threshold.of(f"q{q!r}").resolve(values) == pytest.approx(expected, rel=1e-12)
    assert Threshold.of(q).resolve(values) == q


@pytest.mark.parametrize(
    ("given_as", "kind", "amount", "written"),
    [
        (30, "number", 30.0, "30"),
        (30.5, "number", 30.5, "30.5"),
        (np.float64(2), "number", 2.0, "2"),
        (np.int64(2), "number", 2.0, "2"),
        ("30", "number", 30.0, "30"),
        ("1e6", "number", 1e6, "1000000"),
        (" inf ", "number", math.inf, "inf"),
        (math.inf, "number", math.inf, "inf"),
        ("0.75*max", "max", 0.75, "0.75*max"),
        ("0.75 * MAX", "max", 0.75, "0.75*max"),
        ("q0.75", "quantile", 0.75, "q0.75"),
        ("Q.5", "quantile", 0.5, "q0.5"),
        ("q1", "quantile", 1.0, "q1"),
    ],
)
def test_ways_to_say_it(given_as: Any, kind: str, amount: float, written: str) -> None:
    threshold = Threshold.of(given_as)
    assert (threshold.kind, threshold.amount, str(threshold)) == (kind, amount, written)
    assert threshold.fixed == (kind == "number")


@pytest.mark.parametrize(
    ("given_as", "message"),
    [
        ("q75", r'between 0 and 1, not 75; did you mean "q0.75"\?'),
        ("q-0.1", "between 0 and 1, not -0.1$"),
        ("q1000", "between 0 and 1, not 1000$"),
        ("nan", "cannot be NaN"),
        (math.nan, "cannot be NaN"),
        ("qnan", "cannot be NaN"),
        ("0*max", "share of the maximum must be a finite number > 0, not 0"),
        ("inf*max", "share of the maximum must be a finite number > 0"),
        ("max*0.75", "'max\\*0.75' is not a threshold: give a number such as 30"),
        ("high", "'high' is not a threshold"),
        ("q", "'q' is not a threshold"),
        ("", "'' is not a threshold"),
        (None, "None is not a threshold"),
        (True, "True is not a threshold"),
        ([1, 2], r"\[1, 2\] is not a threshold"),
    ],
)
def test_what_is_no_threshold(given_as: Any, message: str) -> None:
    with pytest.raises(ThresholdError, match=message):
        Threshold.of(given_as)


def test_rules_need_values() -> None:
    with pytest.raises(ThresholdError, match=r"q0\.5 needs at least one value of G"):
        Threshold.of("q0.5").resolve([])
    assert Threshold.of(30).resolve([]) == 30.0


def test_thresholds_are_plain_values() -> None:
    assert Threshold.of("q0.5") == Threshold("quantile", 0.5)
    assert len({Threshold.of(30), Threshold.of("30"), Threshold.of(30.0)}) == 1


# the warning


def test_no_turn_high() -> None:
    with pytest.warns(
        ThresholdWarning,
        match=r"ucb-z: z = 50 is above every G \(1 to 40\), so no turn is high: .*"
        r"choose z above 1 and up to 40",
    ):
        warn_if_one_sided([1, 40], 50, what="ucb-z")


def test_every_turn_high() -> None:
    with pytest.warns(ThresholdWarning, match=r"not above any G .* every turn is high: the policy"):
        warn_if_one_sided([1, 40], 1)


def test_millions_are_written_out() -> None:
    with pytest.warns(ThresholdWarning, match=r"z = 30 .*\(92,812 to 12,453,560\)"):
        warn_if_one_sided([92812, 12453560], 30)


def test_no_threshold_separates_a_constant() -> None:
    with pytest.warns(ThresholdWarning, match="G is constant, so no z separates its turns"):
        warn_if_one_sided([5, 5], 5)


def test_the_warning_points_at_the_caller() -> None:
    with pytest.warns(ThresholdWarning) as caught:
        warn_if_one_sided([1, 40], 50)
    assert caught[0].filename == __file__


@pytest.mark.parametrize("z", [math.inf, -math.inf, 1.5, 40.0])
def test_meant_or_harmless(z: float) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_if_one_sided([1, 40], z)
        warn_if_one_sided([], z)


def test_percentiles_of_two_levels_do_not_trap_us() -> None:
    # With G >= z a percentile parts two levels; with G > z it would not.
    multiplier = np.repeat([20.0, 40.0], 500)
    z = Threshold.of("q0.65").resolve(multiplier)
    assert (multiplier >= z).mean() == 0.5
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_if_one_sided(multiplier, z)
