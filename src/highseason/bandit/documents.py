"""A live bandit as one JSON document: its events.  Whoever reads them goes on where it stopped.

Random numbers are functions of (seed, turn), so the seed is all of the random state.
"""

from collections.abc import Iterable
from typing import Any

import msgspec

from highseason.bandit.errors import DocumentError, StoreError
from highseason.bandit.events import (
    BanditStarted,
    Event,
    EventStore,
    event_from_json,
    event_to_json,
    read_policy,
)
from highseason.bandit.game import LiveGame
from highseason.bandit.ledger import MemoryStore
from highseason.core.version import __version__
from highseason.core.warnings import quiet
from highseason.policies import Policy
from highseason.traffic import CalendarWarning

FORMAT, VERSION = "highseason bandit", 5


class _Document(msgspec.Struct, kw_only=True):
    format: str
    version: int
    written_by: str = "another highseason"
    events: list[msgspec.Raw] = []


def write(events: Iterable[Event]) -> str:
    """The whole bandit as text."""
    document = _Document(
        format=FORMAT,
        version=VERSION,
        written_by=f"highseason {__version__}",
        events=[msgspec.Raw(event_to_json(event).encode()) for event in events],
    )
    return msgspec.json.encode(document).decode()


def read(text: str | bytes) -> list[Event]:
    """The events that `write` wrote; anything else is refused with the reason."""
    try:
        document = msgspec.json.decode(text, type=_Document)
    except msgspec.ValidationError as reason:
        raise DocumentError(f"not a document of Bandit.to_json: {reason}") from reason
    except (TypeError, ValueError, RecursionError) as reason:
        raise DocumentError(f"not a JSON document: {reason}") from reason
    if document.format != FORMAT:
        raise DocumentError(f'not a bandit: expected "format": "{FORMAT}"')
    if document.version != VERSION:
        raise DocumentError(
            f"the document has version {document.version} (written by {document.written_by}), but "
            f"highseason {__version__} reads version {VERSION}"
        )
    return [event_from_json(bytes(event)) for event in document.events]


@quiet(CalendarWarning)  # they were shown when the turns were appended
def replayed(events: Iterable[Event], policy: Policy | None) -> LiveGame[Any]:
    """The game that wrote these events."""
    rest = iter(events)
    first = next(rest, None)
    if not isinstance(first, BanditStarted):
        raise DocumentError("the store holds no bandit: create one with Bandit(…, store=store)")
    try:
        game = LiveGame.start(first, read_policy(first.policy, policy))
    except DocumentError:
        raise
    except (ValueError, TypeError) as reason:
        raise DocumentError(f"corrupt event 1: {reason}") from reason
    for event in rest:
        game.replay(event)
    return game


def filled(store: EventStore | None, events: Iterable[Event]) -> EventStore:
    """An empty store with these events; one in memory if none is given."""
    store = MemoryStore() if store is None else store
    if next(iter(store), None) is not None:
        raise StoreError(
            "the store already holds the events of a bandit: continue it with "
            "Bandit.from_events(store), or pass an empty store"
        )
    for event in events:
        store.append(event)
    return store
