"""The commands of the service, which join `highseason` through the group `highseason.commands`."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from highseason.bandit import PRICE_POLICY
from highseason.cli import options, usage_error
from highseason.core import raised_as, require
from highseason.policies import DEFAULT_POLICY
from highseason.rewards import Offer

if TYPE_CHECKING:
    from highseason_service.database import Database
    from highseason_service.model import Arm

database_option = options.option(
    "--database URL",
    "A SQLite file, sqlite:///file.db, or postgresql://user@host/name.",
    default="highseason.db",
    envvar="HIGHSEASON_DATABASE",
)


class Choice(NamedTuple):
    """What an experiment chooses from, and the policy that plays it unless another is given."""

    arms: "tuple[Arm, ...]"
    policy: str
    tax: float = 0.0


def _choice(arm: Sequence[str], offers: Sequence[Offer] | None) -> Choice:
    from highseason_service.errors import ServiceError
    from highseason_service.model import arms_of, prices_of

    with raised_as(ValueError, ServiceError):  # bad usage
        if not offers:
            arms = arms_of(arm) if arm else ()
            options.note_prices(arm)
            return Choice(arms, DEFAULT_POLICY)
        if arm:
            raise usage_error("--arm and --price both say what there is to choose: leave one out")
        prices, costs, (tax, *_) = zip(*offers, strict=True)
        return Choice(prices_of(prices, costs, tax), PRICE_POLICY, tax)


#: Prices, or other arms.
choice_of_arms = options.parsed(
    "choice",
    _choice,
    "arm offers",
    options.option("--arm ID[=LABEL]", "An arm, such as a banner; repeatable.", multiple=True),
    options.offers,
)


def opened(command: str, url: str, create: bool = False) -> "Database":
    """The database that a command works on; `create` makes one that is not there."""
    require("sqlalchemy", "service", f"highseason {command}")
    from highseason_service.database import Database

    return Database(url, create)
