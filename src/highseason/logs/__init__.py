"""Logs: readers and generators of what was shown when, from which pool, with which reward."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from highseason.logs.arm_lifespans import Lifespans, lifespans
    from highseason.logs.conversion import LogFormat, collect, convert, log_formats
    from highseason.logs.conversion_log import ConversionReport
    from highseason.logs.event_table import read_events, write_events
    from highseason.logs.events import Events, Pools
    from highseason.logs.formats.open_bandit import OpenBanditLog
    from highseason.logs.formats.table import TableLog
    from highseason.logs.formats.yahoo import YahooLog
    from highseason.logs.generating.events import Generated, generate_events
    from highseason.logs.generating.front_page import FrontPage
    from highseason.logs.generating.text import generate_log
    from highseason.logs.slices import Frontier, Slice, always_on_offer, best_slice, frontier

__all__ = [
    "ConversionReport",
    "Events",
    "FrontPage",
    "Frontier",
    "Generated",
    "Lifespans",
    "LogFormat",
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
    "log_formats",
    "read_events",
    "write_events",
]

#: The module of each name, imported on first use: reading a log needs no generator.
_HOMES = {
    "ConversionReport": "conversion_log",
    "Events": "events",
    "FrontPage": "generating.front_page",
    "Frontier": "slices",
    "Generated": "generating.events",
    "Lifespans": "arm_lifespans",
    "LogFormat": "conversion",
    "OpenBanditLog": "formats.open_bandit",
    "Pools": "events",
    "Slice": "slices",
    "TableLog": "formats.table",
    "YahooLog": "formats.yahoo",
    "always_on_offer": "slices",
    "best_slice": "slices",
    "collect": "conversion",
    "convert": "conversion",
    "frontier": "slices",
    "generate_events": "generating.events",
    "generate_log": "generating.text",
    "lifespans": "arm_lifespans",
    "log_formats": "conversion",
    "read_events": "event_table",
    "write_events": "event_table",
}


def __dir__() -> list[str]:
    """The public names, loaded or not."""
    return __all__


def __getattr__(name: str) -> Any:
    """Load the part that has it."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
