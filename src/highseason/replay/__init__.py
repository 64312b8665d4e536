"""Replay: logged events in, and what a policy would have earned on them out."""

from highseason.replay.events import Events
from highseason.replay.generating.events import Generated, generate_events
from highseason.replay.generating.front_page import FrontPage
from highseason.replay.generating.text import generate_log
from highseason.replay.pools import Pools
from highseason.replay.reading.convert import collect, convert
from highseason.replay.reading.journal import ConversionReport
from highseason.replay.reading.open_bandit import OpenBanditLog
from highseason.replay.reading.parquet import read_events, write_events
from highseason.replay.reading.tables import TableLog
from highseason.replay.reading.yahoo import YahooLog

__all__ = [
    "ConversionReport",
    "Events",
    "FrontPage",
    "Generated",
    "OpenBanditLog",
    "Pools",
    "TableLog",
    "YahooLog",
    "collect",
    "convert",
    "generate_events",
    "generate_log",
    "read_events",
    "write_events",
]
