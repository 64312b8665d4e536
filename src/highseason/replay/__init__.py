"""Replay: logged events in, and what a policy would have earned on them out."""

from highseason.replay.comparison import Comparison, compare
from highseason.replay.course import Course
from highseason.replay.evenness import Uniformity, uniformity
from highseason.replay.events import Events
from highseason.replay.generating.events import Generated, generate_events
from highseason.replay.generating.front_page import FrontPage
from highseason.replay.generating.text import generate_log
from highseason.replay.lifetimes import Lifespans, lifespans
from highseason.replay.outcome import Outcome
from highseason.replay.pools import Pools
from highseason.replay.reading.convert import collect, convert
from highseason.replay.reading.journal import ConversionReport
from highseason.replay.reading.open_bandit import OpenBanditLog
from highseason.replay.reading.parquet import read_events, write_events
from highseason.replay.reading.tables import TableLog
from highseason.replay.reading.yahoo import YahooLog
from highseason.replay.repetition import replay_many
from highseason.replay.result import LogFacts, ReplayResult
from highseason.replay.run import replay
from highseason.replay.runs import RepeatedReplay, Runs
from highseason.replay.slices import Frontier, Slice, always_on_offer, best_slice, frontier

__all__ = [
    "Comparison",
    "ConversionReport",
    "Course",
    "Events",
    "FrontPage",
    "Frontier",
    "Generated",
    "Lifespans",
    "LogFacts",
    "OpenBanditLog",
    "Outcome",
    "Pools",
    "RepeatedReplay",
    "ReplayResult",
    "Runs",
    "Slice",
    "TableLog",
    "Uniformity",
    "YahooLog",
    "always_on_offer",
    "best_slice",
    "collect",
    "compare",
    "convert",
    "frontier",
    "generate_events",
    "generate_log",
    "lifespans",
    "read_events",
    "replay",
    "replay_many",
    "uniformity",
    "write_events",
]
