"""Replay: logged events in, and what a policy would have earned on them out."""

from highseason.replay.course import Course
from highseason.replay.events import Events
from highseason.replay.outcome import Outcome
from highseason.replay.pools import Pools
from highseason.replay.result import LogFacts, ReplayResult
from highseason.replay.run import replay
from highseason.replay.uniformity import Uniformity, uniformity

__all__ = [
    "Course",
    "Events",
    "LogFacts",
    "Outcome",
    "Pools",
    "ReplayResult",
    "Uniformity",
    "replay",
    "uniformity",
]
