"""Replay: logged events in, and what a policy would have earned on them out."""

from highseason.replay.events import Events
from highseason.replay.generating.events import Generated, generate_events
from highseason.replay.pools import Pools

__all__ = ["Events", "Generated", "Pools", "generate_events"]
