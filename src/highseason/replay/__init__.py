"""Replay: logged events in, and what a policy would have earned on them out."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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

#: Where each name lifetimes.  A part is loaded when it is asked for: a program that converts a log
#: needs nothing of what replays it.
_HOMES = {
    "Comparison": "comparison",
    "ConversionReport": "reading.journal",
    "Course": "course",
    "Events": "events",
    "FrontPage": "generating.front_page",
    "Frontier": "slices",
    "Generated": "generating.events",
    "Lifespans": "lifetimes",
    "LogFacts": "result",
    "OpenBanditLog": "reading.open_bandit",
    "Outcome": "outcome",
    "Pools": "pools",
    "RepeatedReplay": "runs",
    "ReplayResult": "result",
    "Runs": "runs",
    "Slice": "slices",
    "TableLog": "reading.tables",
    "Uniformity": "evenness",
    "YahooLog": "reading.yahoo",
    "always_on_offer": "slices",
    "best_slice": "slices",
    "collect": "reading.convert",
    "compare": "comparison",
    "convert": "reading.convert",
    "frontier": "slices",
    "generate_events": "generating.events",
    "generate_log": "generating.text",
    "lifespans": "lifetimes",
    "read_events": "reading.parquet",
    "replay": "run",
    "replay_many": "repetition",
    "uniformity": "evenness",
    "write_events": "reading.parquet",
}


def __dir__() -> list[str]:
    """The public names, loaded or not."""
    return __all__


def __getattr__(name: str) -> Any:
    """Load the part that has it."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
