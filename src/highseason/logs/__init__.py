"""Logs: what was shown when, from which pool and with which reward; readers and generators."""

from highseason.logs.arm_lifespans import (
    Frontier,
    Lifespans,
    Slice,
    always_on_offer,
    best_slice,
    frontier,
    lifespans,
)
from highseason.logs.conversion import LogFormat, collect, convert, log_formats
from highseason.logs.conversion_log import ConversionReport
from highseason.logs.events import Events, Pools, read_events, write_events
from highseason.logs.formats.table import OpenBanditLog, TableLog
from highseason.logs.formats.yahoo import YahooLog
from highseason.logs.front_page import FrontPage
from highseason.logs.generate import Generated, generate_events, generate_log

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
