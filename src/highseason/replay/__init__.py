"""Replay: logged events in, and what a policy would have earned on them out."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from highseason.replay.comparison import Comparison, compare
    from highseason.replay.course import Course
    from highseason.replay.evenness import Uniformity, uniformity
    from highseason.replay.outcome import Outcome
    from highseason.replay.repetition import replay_many
    from highseason.replay.result import LogFacts, ReplayResult
    from highseason.replay.run import replay
    from highseason.replay.runs import RepeatedReplay, Runs

__all__ = [
    "Comparison",
    "Course",
    "LogFacts",
    "Outcome",
    "RepeatedReplay",
    "ReplayResult",
    "Runs",
    "Uniformity",
    "compare",
    "replay",
    "replay_many",
    "uniformity",
]

#: Where each name lifetimes.  A part is loaded when it is asked for: a program that converts a log
#: needs nothing of what replays it.
_HOMES = {
    "Comparison": "comparison",
    "Course": "course",
    "LogFacts": "result",
    "Outcome": "outcome",
    "RepeatedReplay": "runs",
    "ReplayResult": "result",
    "Runs": "runs",
    "Uniformity": "evenness",
    "compare": "comparison",
    "replay": "run",
    "replay_many": "repetition",
    "uniformity": "evenness",
}


def __dir__() -> list[str]:
    """The public names, loaded or not."""
    return __all__


def __getattr__(name: str) -> Any:
    """Load the part that has it."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
