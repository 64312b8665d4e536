"""One live game inside a user's program: pull, update, arms that come and go, events, JSON."""

from highseason.bandit.bandit import Bandit
from highseason.bandit.errors import (
    BanditError,
    ConflictError,
    DocumentError,
    PastForecastError,
    StoreError,
    StoreWarning,
    WaitingWarning,
)
from highseason.bandit.events import (
    ArmAdded,
    ArmRemoved,
    BanditRestored,
    BanditStarted,
    Event,
    EventStore,
    HistoryLearned,
    Lesson,
    Lifetime,
    MemoryStore,
    MultiplierExtended,
    MultiplierReplaced,
    OutcomesReported,
    RewardCorrected,
    TurnDecided,
)
from highseason.bandit.json_store import JsonLinesStore, event_from_json, event_to_json
from highseason.bandit.ledger import Decision, TurnOutcome
from highseason.bandit.view import Ranked

__all__ = [
    "ArmAdded",
    "ArmRemoved",
    "Bandit",
    "BanditError",
    "BanditRestored",
    "BanditStarted",
    "ConflictError",
    "Decision",
    "DocumentError",
    "Event",
    "EventStore",
    "HistoryLearned",
    "JsonLinesStore",
    "Lesson",
    "Lifetime",
    "MemoryStore",
    "MultiplierExtended",
    "MultiplierReplaced",
    "OutcomesReported",
    "PastForecastError",
    "Ranked",
    "RewardCorrected",
    "StoreError",
    "StoreWarning",
    "TurnDecided",
    "TurnOutcome",
    "WaitingWarning",
    "event_from_json",
    "event_to_json",
]
