"""The picture of demand: dots as large as their visitors, and both bands."""

from __future__ import annotations

import numpy as np
import pytest

import highseason as hs

PAST = {"price": [8.99, 9.99], "purchases": [90, 30], "visitors": [1800, 900]}


def test_dots_are_what_was_seen_and_as_large_as_their_visitors() -> None:
    rows = hs.Bandit(prices=[8.99, 9.99, 12.99], cost=4).fit(PAST).demand()
    figure = hs.report.demand(rows, "€")
    sells, earns = figure.canvas.axes
    (dots,) = [one for one in sells.collections if len(one.get_offsets()) == 2]
    assert dots.get_offsets().tolist() == [
        [8.99, pytest.approx(5.0)],
        [9.99, pytest.approx(10 / 3)],
    ]
    large, small = dots.get_sizes()
    assert small < large
    assert large / small == pytest.approx(2, rel=0.1)  # the smallest dots can still be seen
    (line,) = earns.lines
    assert line.get_ydata().tolist() == [row.earns for row in rows]
    band = earns.collections[0].get_paths()[0].vertices
    assert {row.earns_low for row in rows} <= set(band[:, 1].tolist())
    assert {row.earns_high for row in rows} <= set(band[:, 1].tolist())
    assert "€" in earns.get_xlabel()
    assert figure.alt.count("best with a chance of") == 3


def test_prices_that_were_never_tried_have_no_dot() -> None:
    rows = hs.Bandit(prices=[8.99, 9.99], cost=4).demand()
    figure = hs.report.demand(rows)
    assert np.isfinite(figure.canvas.axes[1].get_ylim()).all()
    assert all(len(one.get_offsets()) < 2 for one in figure.canvas.axes[0].collections)
