"""One live game inside a user's program: pull, update, arms that come and go, events, JSON."""

from highseason.bandit.bandit import Bandit as Bandit
from highseason.bandit.certainty import Ranked as Ranked
from highseason.bandit.demand import Demand as Demand
from highseason.bandit.demand import PriceDemand as PriceDemand
from highseason.bandit.demand import Why as Why
from highseason.bandit.documents import Stored as Stored
from highseason.bandit.errors import BanditError as BanditError
from highseason.bandit.errors import ConflictError as ConflictError
from highseason.bandit.errors import DocumentError as DocumentError
from highseason.bandit.errors import PastForecastError as PastForecastError
from highseason.bandit.errors import PriceWarning as PriceWarning
from highseason.bandit.errors import StoreError as StoreError
from highseason.bandit.errors import StoreWarning as StoreWarning
from highseason.bandit.errors import UnconfirmedError as UnconfirmedError
from highseason.bandit.errors import WaitingWarning as WaitingWarning
from highseason.bandit.events import ArmAdded as ArmAdded
from highseason.bandit.events import ArmRemoved as ArmRemoved
from highseason.bandit.events import BanditStarted as BanditStarted
from highseason.bandit.events import Event as Event
from highseason.bandit.events import EventStore as EventStore
from highseason.bandit.events import HistoryLearned as HistoryLearned
from highseason.bandit.events import JsonLinesStore as JsonLinesStore
from highseason.bandit.events import Lesson as Lesson
from highseason.bandit.events import Lifetime as Lifetime
from highseason.bandit.events import MultiplierExtended as MultiplierExtended
from highseason.bandit.events import MultiplierReplaced as MultiplierReplaced
from highseason.bandit.events import OutcomesReported as OutcomesReported
from highseason.bandit.events import RewardCorrected as RewardCorrected
from highseason.bandit.events import TurnDecided as TurnDecided
from highseason.bandit.events import WorthChanged as WorthChanged
from highseason.bandit.events import event_from_json as event_from_json
from highseason.bandit.events import event_to_json as event_to_json
from highseason.bandit.ledger import Decision as Decision
from highseason.bandit.ledger import MemoryStore as MemoryStore
from highseason.bandit.ledger import TurnOutcome as TurnOutcome
from highseason.bandit.ledger import outside_range as outside_range
from highseason.bandit.ledger import takings_at as takings_at
from highseason.bandit.prices import PRICE_POLICY as PRICE_POLICY
from highseason.bandit.prices import sales_at as sales_at
from highseason.core.names import public_names as _public_names

__dir__ = _public_names(__name__)
