"""Replay: logged events in, and what a policy would have earned on them out."""

from highseason.replay.events import Events
from highseason.replay.pools import Pools

__all__ = ["Events", "Pools"]
