"""One live game inside a user's program: pull, update, arms that come and go, JSON and back."""

from highseason.bandit.bandit import Bandit
from highseason.bandit.errors import BanditError, ConflictError, DocumentError, PastForecastError
from highseason.bandit.ledger import Decision
from highseason.bandit.session import Ranked

__all__ = [
    "Bandit",
    "BanditError",
    "ConflictError",
    "Decision",
    "DocumentError",
    "PastForecastError",
    "Ranked",
]
