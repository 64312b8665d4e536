"""Exports as shops have them, after the documentation of Shopify and Google Analytics 4.

Each holds the days of two years, up to a last one, and is read to `visitors`, unless it has none.
"""

from __future__ import annotations

from datetime import date, timedelta

DAYS = 731


def days_to(last: date) -> list[date]:
    return [last - timedelta(days=i) for i in reversed(range(DAYS))]


def visitors(day: date) -> int:
    """More at weekends and before Christmas."""
    return 400 + 9 * day.month + 180 * (day.weekday() > 4) + 300 * (day.month == 12)


def orders(day: date) -> int:
    return visitors(day) // 30


def rows(last: date, *columns: str) -> str:
    """A line for each day: columns are formats of the day `d`, its visitors `v` and orders `o`."""
    lines = []
    for day in days_to(last):
        before = day - timedelta(days=365)
        known = {"d": day, "v": visitors(day), "o": orders(day), "b": before, "w": visitors(before)}
        lines.append(",".join(column.format(**known) for column in columns) + "\n")
    return "".join(lines)


def shopify_sessions(last: date) -> str:
    """Sessions over time, compared with the year before."""
    head = '"Day","Sessions","Day (previous_year)","Sessions (previous_year)"\n'
    return head + rows(last, '"{d}"', "{v}", '"{b}"', "{w}")


def shopify_behaviour(last: date) -> str:
    """Sessions over time with the steps to an order."""
    head = (
        "Day,Sessions,Sessions with cart additions,Sessions that reached checkout,"
        "Sessions that completed checkout,Conversion rate\n"
    )
    return head + rows(last, "{d}", "{v}", "{o}0", "{o}", "{o}", "0.0333")


def shopify_sales(last: date) -> str:
    """Total sales over time: there are no visitors, and orders are what is counted."""
    head = "Day,Orders,Gross sales,Discounts,Returns,Net sales,Shipping charges,Taxes,Total sales\n"
    cells = ("{o}9.90", "-{o}.50", "-12.00", "{o}7.20", "{o}.00", "{o}.40", "{o}9.90")
    return head + rows(last, "{d}", "{o}", *cells)


def _google(last: date, title: str) -> str:
    rule, first = "# ----------------------------------------\n", days_to(last)[0]
    lines = (f"# {title}\n", "# Account: Tea\n", "# Property: Tea shop\n")
    return (
        rule
        + "".join(lines)
        + rule
        + f"# \n# Start date: {first:%Y%m%d}\n# End date: {last:%Y%m%d}\n"
    )


def google_snapshot(last: date) -> str:
    """The reports snapshot: days are numbered, and other tables follow."""
    counts = "".join(f"{i:04},{visitors(day)}\n" for i, day in enumerate(days_to(last)))
    head = _google(last, "Reports snapshot")
    dates = head[head.index("# Start date") :]
    more = (
        f"\n{dates}Nth day,New users\n0000,12\n0001,14\n\n{dates}Country,Active users\nItaly,9001\n"
    )
    return f"{head}Nth day,Active users\n{counts}{more}"


def google_free_form(last: date) -> str:
    """An exploration: dates of eight digits below a grand total."""
    total = sum(map(visitors, days_to(last)))
    head = _google(last, "Free form 1") + f"Date,Sessions\n,{total},Grand total\n"
    return head + rows(last, "{d:%Y%m%d}", "{v}")


def google_acquisition(last: date) -> str:
    """Traffic acquisition by date, with rates and averages beside the sessions."""
    head = (
        "Date,Sessions,Engaged sessions,Engagement rate,Average engagement time per session,"
        "Events per session,Event count,Key events,Session key event rate,Total revenue\n"
    )
    cells = ("{o}5", "0.6123", "41.2", "6.1", "{v}7", "{o}", "0.0333", "{o}9.9")
    return _google(last, "Traffic acquisition") + head + rows(last, "{d:%Y%m%d}", "{v}", *cells)


EXPORTS = {
    "Sessions over time - 2024-11-01 - 2026-11-01.csv": shopify_sessions,
    "Sessions and checkouts over time.csv": shopify_behaviour,
    "Total sales over time.csv": shopify_sales,
    "Reports_snapshot.csv": google_snapshot,
    "free-form-1.csv": google_free_form,
    "Traffic_acquisition_Session_primary_channel_group.csv": google_acquisition,
}
#: What the file counts, where it is not the visitors.
COUNTED = {"Total sales over time.csv": orders}
