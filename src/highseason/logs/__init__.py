"""Logs: what was shown when, out of what, and what it brought, read into one event table."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from highseason.logs.arm_lifespans import Lifespans, lifespans
    from highseason.logs.conversion import collect, convert
    from highseason.logs.events import Events
    from highseason.logs.generating.events import Generated, generate_events
    from highseason.logs.generating.front_page import FrontPage
    from highseason.logs.generating.text import generate_log
    from highseason.logs.journal import ConversionReport
    from highseason.logs.open_bandit import OpenBanditLog
    from highseason.logs.parquet import read_events, write_events
    from highseason.logs.pools import Pools
    from highseason.logs.slices import Frontier, Slice, always_on_offer, best_slice, frontier
    from highseason.logs.tables import TableLog
    from highseason.logs.yahoo import YahooLog

__all__ = [
    "ConversionReport",
    "Events",
    "FrontPage",
    "Frontier",
    "Generated",
    "Lifespans",
    "OpenBanditLog",
    "Pools",
    "Slice",
    "TableLog",
    "YahooLog",
    "always_on_offer",
    "best_slice",
    "collect",
    "convert",
    "frontier",
    "generate_events",
    "generate_log",
    "lifespans",
    "read_events",
    "write_events",
]

#: Where each name lives.  A module is loaded on first use: reading a log needs no generator.
_HOMES = {
    "ConversionReport": "journal",
    "Events": "events",
    "FrontPage": "generating.front_page",
    "Frontier": "slices",
    "Generated": "generating.events",
    "Lifespans": "arm_lifespans",
    "OpenBanditLog": "open_bandit",
    "Pools": "pools",
    "Slice": "slices",
    "TableLog": "tables",
    "YahooLog": "yahoo",
    "always_on_offer": "slices",
    "best_slice": "slices",
    "collect": "conversion",
    "convert": "conversion",
    "frontier": "slices",
    "generate_events": "generating.events",
    "generate_log": "generating.text",
    "lifespans": "arm_lifespans",
    "read_events": "parquet",
    "write_events": "parquet",
}


def __dir__() -> list[str]:
    """The public names, loaded or not."""
    return __all__


def __getattr__(name: str) -> Any:
    """Load the part that has it."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
