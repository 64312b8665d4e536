"""Prices as the arms of a live game: what each offers, and what a purchase is worth.

A report says how many of the visitors bought, and that is what events and the ledger keep.  Money
follows from it: purchases times the margin.  So cost and tax may change, and what happened stays.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar, Self

from highseason.bandit.errors import BanditError, PriceWarning
from highseason.bandit.ledger import Scale, TurnOutcome, as_list, hashable
from highseason.bandit.rows import Report
from highseason.core.text import exact, percent
from highseason.core.validation import non_negative_number, positive_number, raised_as
from highseason.core.warnings import warn_user
from highseason.policies import Policy
from highseason.rewards import Offer
from highseason.rewards.prices import check_offers, ladder_of, offers_at
from highseason.rewards.text import parse_number
from highseason.traffic.numerals import read_number

#: More prices are seen too seldom; neighbours that are nearer than this share sell alike.
MANY, NEAR = 15, 0.01
#: What plays prices unless told otherwise.
PRICE_POLICY = "price-curve"


@dataclass(frozen=True)
class PriceScale(Scale):
    """What purchases are worth: to the rule, which learns them, and in money."""

    offers: tuple[Offer, ...]
    seen: bool  # the rule learns the share of visitors who bought, and knows what a purchase earns

    called: ClassVar[str] = "purchases"

    @classmethod
    def for_offers(cls, offers: Sequence[Offer], policy: Policy) -> Self:
        """The scale of these offers, from nothing to the greatest margin."""
        most, seen = max(offer.margin for offer in offers), policy.rule.traits.learns == "seen"
        return cls(0.0, most, False, policy.learns_scaled, tuple(offers), seen)

    def amount(self, arm: int, report: Report) -> float:
        """The purchases that a report says, or that its takings are."""
        if report.reward is not None:
            raise BanditError(
                "reward= could be takings or profit here: say how many of the visitors bought, "
                "such as purchases=37, or what they paid, such as takings=406.63; the profit "
                "follows from price and cost"
            )
        if (report.purchases is None) == (report.takings is None):
            both = "not both" if report.takings is not None else "got neither"
            raise BanditError(f"expected purchases= or takings=, {both}")
        if report.purchases is None:
            return sales_at(self.offers[arm].price, report.takings)
        purchases = non_negative_number("purchases", report.purchases, BanditError)
        if not purchases.is_integer():
            raise BanditError(
                "purchases must be a whole number, of visitors who bought, got "
                f"{exact(purchases)}: if that is money, report it as takings="
            )
        return purchases

    def check(self, outcome: TurnOutcome[int]) -> None:
        """Refuse more purchases than visitors."""
        bought, came = outcome.reward, outcome.visitors
        if bought is not None and came is not None and bought > came:
            where = f"turn {outcome.turn}: " if outcome.turn else ""
            raise BanditError(
                f"{where}{exact(bought)} purchases from {exact(came)} visitors. Are these pieces? "
                "Report orders: how many of the visitors bought, and all visitors who came"
            )

    def earned(self, arm: int, amount: float) -> float:
        """The profit of purchases."""
        return amount * self.offers[arm].margin

    def learned(self, arm: int, purchases: float, visitors: float) -> float:
        """The share of visitors who bought; or the profit, as a share of the greatest margin."""
        if self.seen:
            return purchases / visitors
        units = 1.0 if self.per_turn else visitors
        return self.earned(arm, purchases) / units / self.high

    def shown(self, estimate: float) -> float:
        """An estimate of the rule in money; one that learns what it sees reckons in money."""
        return estimate if self.seen else super().shown(estimate)


def sales_at(price: float, takings: Any) -> float:
    """How many sales at this price takings are, to the cent.

    >>> sales_at(10.99, 406.63)
    37.0
    """
    paid = non_negative_number("takings", takings, BanditError)
    sales = round(paid / price)
    if abs(sales * price - paid) >= 0.005 + 1e-9 * paid:
        fewer = math.floor(paid / price)
        raise BanditError(
            f"takings={exact(paid)} is no whole number of sales at {exact(price)}: {fewer} bring "
            f"{fewer * price:.2f}, {fewer + 1} bring {(fewer + 1) * price:.2f}. Report purchases, "
            "how many of the visitors bought"
        )
    return float(sales)


# -- what prices offer -----------------------------------------------------------------------------


def opened(
    arms: Any, prices: Any, cost: Any, tax: Any, reward_range: Any
) -> tuple[Any, tuple[Offer, ...] | None]:
    """The ids of a new bandit's arms, and what each offers where they are prices.

    An id is the price as it was given.
    """
    if (arms is None) == (prices is None):
        both = "not both" if arms is not None else "got neither"
        raise BanditError(f"expected arms=[…], or prices=[…] where they are prices, {both}")
    if prices is None:
        refuse_worth(cost=cost, tax=tax)
        return arms, None
    if reward_range is not None:
        raise BanditError("reward_range follows from prices, cost and tax: leave it out")
    given = ladder_of("prices", prices) if isinstance(prices, str) else as_list("prices", prices)
    ids = tuple(map(hashable, given))
    numbers = [price_of(one) for one in ids]
    check_offers("prices", numbers, error=BanditError)
    costs, share = 0.0 if cost is None else cost, 0.0 if tax is None else tax_of(tax)
    offers = offers_at("prices", numbers, costs, share, BanditError)
    warn_of(numbers)
    return ids, offers


def refuse_worth(**worth: Any) -> None:
    """Refuse what makes no sense of arms that are no prices, if it is given."""
    if name := next((name for name, value in worth.items() if value is not None), None):
        raise BanditError(f"{name}= is for arms that are prices, Bandit(prices=[…])")


def price_of(price: Any) -> float:
    """A price as a number; text is read as on the command line."""
    try:
        number = read_number(price) if isinstance(price, str) else price
        return positive_number("a price", number)
    except ValueError as reason:
        raise BanditError(
            f"prices: {reason}. Arms that are no prices are Bandit(arms=[…])"
        ) from None


def tax_of(tax: Any) -> float:
    """The share of a tax, such as 0.19 or "19%"."""
    with raised_as(BanditError):
        number = parse_number("tax", tax) if isinstance(tax, str) else tax
        share = non_negative_number("tax", number)
    if share >= 1.0:
        raise BanditError(f"tax must be a share below 1, such as 0.19 or '19%', got {tax!r}")
    return share


def changed(arms: Sequence[Any], offers: Sequence[Offer], cost: Any, tax: Any) -> list[Offer]:
    """What arms offer from now on; costs and taxes that are not given stay."""
    if isinstance(cost, Mapping):
        if unknown := next((arm for arm in cost if arm not in arms), None):
            raise BanditError(f"cost= names {unknown!r}, which is not among the prices")
        cost = [cost.get(arm, offer.cost) for arm, offer in zip(arms, offers, strict=True)]
    costs = [offer.cost for offer in offers] if cost is None else cost
    share = offers[0].tax if tax is None else tax_of(tax)
    return list(offers_at("prices", [offer.price for offer in offers], costs, share, BanditError))


def offer_like(price: float, cost: Any, offers: Sequence[Offer]) -> Offer:
    """What a new price offers beside these: at their tax, and at their cost unless it is given."""
    if cost is None:
        cost, *others = {offer.cost for offer in offers}
        if others:
            raise BanditError(
                f"each price has a cost of its own: pass cost= for {exact(price)}, too"
            )
    return offers_at("prices", [price], cost, offers[0].tax, BanditError)[0]


def require_offers(offers: Sequence[Offer], arms: Sequence[Any]) -> None:
    """Refuse what cannot be the offers of these arms."""
    if [offer.price for offer in offers] != [price_of(arm) for arm in arms]:
        raise BanditError(f"the offers are not those of the arms {', '.join(map(str, arms))}")
    for price, cost, tax in offers:
        offers_at("offers", [price], cost, tax_of(tax), BanditError)


def warn_of(prices: Sequence[float]) -> None:
    """Warn of more prices than can be learned, and of prices that visitors take for the same."""
    near = [pair for pair in pairwise(sorted(prices)) if pair[1] < pair[0] * (1.0 + NEAR)]
    for low, high in near[:1]:
        warn_user(
            f"{exact(low)} and {exact(high)} differ by less than {percent(NEAR)}: they sell alike, "
            "and only very many visitors could say which is better; leave one out",
            PriceWarning,
        )
    if len(prices) > MANY:
        warn_user(
            f"{len(prices)} prices: with more than {MANY} each is seen seldom, and 8 over the same "
            "range bring about as much",
            PriceWarning,
        )
