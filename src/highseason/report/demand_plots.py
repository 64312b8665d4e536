"""What sales say of prices: how many buy, and what that earns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from highseason.core.text import format_number, percent
from highseason.report import palette
from highseason.report.drawing import drawing, number_axis
from highseason.report.figure import Figure

if TYPE_CHECKING:
    from highseason.bandit import PriceDemand

#: The area of the largest dot and of the smallest, in square points.
_LARGEST, _SMALLEST = 320.0, 14.0


def demand(
    rows: Sequence[PriceDemand[Any]], unit: str = "", title: str = "What each price sells and earns"
) -> Figure:
    """Demand against price, and profit per visitor, each with its 90% band.

    A dot is what was seen of a price, as large as the visitors behind it; a price without one was
    never tried.

    Args:
        rows: What `Bandit.demand` gives.
        unit: What money is called, such as "€".
        title: Above the figure.

    >>> import highseason as hs
    >>> shelf = hs.Bandit(prices=[8.99, 9.99, 12.99], cost=4)
    >>> past = {"price": [8.99, 9.99], "purchases": [90, 70], "visitors": [900, 880]}
    >>> demand(shelf.fit(past).demand())
    <Figure: What each price sells and earns>
    """
    prices, money = [float(row.price) for row in rows], f", {unit}" if unit else ""
    with drawing(title, [2.5, 2.5], sharex=True) as (canvas, [sells, earns]):
        ends = [(100 * row.buys_low, 100 * row.buys, 100 * row.buys_high) for row in rows]
        _band(sells, prices, ends, "")
        seen = [row for row in rows if row.visitors > 0]
        most = max((row.visitors for row in seen), default=1.0)
        sells.scatter(
            [float(row.price) for row in seen],
            [100 * row.purchases / row.visitors for row in seen],
            s=[_SMALLEST + (_LARGEST - _SMALLEST) * row.visitors / most for row in seen],
            color=palette.ACCENT, alpha=0.75, linewidth=0.8, edgecolor="white", zorder=3,
        )  # fmt: skip
        sells.set_title("of 100 visitors buy (dots: what was seen, as large as its visitors)")
        _band(earns, prices, [(row.earns_low, row.earns, row.earns_high) for row in rows], "o")
        for row in rows:
            earns.annotate(
                percent(row.chance_best), (float(row.price), row.earns_high), (0, 4),
                textcoords="offset points", ha="center", fontsize=8, color=palette.INK,
            )  # fmt: skip
        earns.set_title(f"a visitor brings{money} (above: chance that the price is best)")
        earns.set_xlabel(f"price{money} (shaded: 90% band)")
        earns.set_xticks(prices, [f"{row.price}" for row in rows])
        for axes in (sells, earns):
            axes.margins(y=0.18)  # for the chances, and for large dots
            number_axis(axes.yaxis)
    said = (
        f"{row.price}: {percent(row.buys, 1)} buy, {format_number(row.earns)} a visitor, best with "
        f"a chance of {percent(row.chance_best)}"
        for row in rows
    )
    return Figure(canvas, title, "; ".join(said))


def _band(
    axes: Any, prices: list[float], ends: list[tuple[float, float, float]], mark: str
) -> None:
    low, middle, high = zip(*ends, strict=True)
    axes.fill_between(prices, low, high, color=palette.LIGHT, alpha=0.55, linewidth=0)
    axes.plot(prices, middle, f"{mark}-", color=palette.DARK, markersize=3.5, linewidth=1.5)
