"""What an arm pays: visitors who buy or spend, Bernoulli, clipped normal, or any distribution."""

import typing

from highseason.core.names import public_names as _public_names
from highseason.core.special import normal_quantile as normal_quantile
from highseason.rewards.bernoulli import bernoulli as bernoulli
from highseason.rewards.custom import custom as custom
from highseason.rewards.model import Offer as Offer
from highseason.rewards.model import Rewards as Rewards
from highseason.rewards.model import check_arms as check_arms
from highseason.rewards.model import effective_visitors as effective_visitors
from highseason.rewards.prices import check_offers as check_offers
from highseason.rewards.prices import prices as prices
from highseason.rewards.spend import spend as spend
from highseason.rewards.text import parse as parse
from highseason.rewards.truncated_normal import truncated_normal as truncated_normal
from highseason.rewards.visitors import visitors as visitors

__dir__ = _public_names(__name__)

if not typing.TYPE_CHECKING:  # type checkers would take it for any name

    def __getattr__(name: str) -> None:
        hint = ": write hs.rewards.truncated_normal, or custom" if name == "normal" else ""
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}{hint}")
