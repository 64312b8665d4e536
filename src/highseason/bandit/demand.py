"""What sales at several prices say of each price: how many buy, what that earns, which is best.

All prices lie on one curve, that of the policy `price-curve`: it is fitted to all purchases,
whatever policy plays, because why a price was played does not change what its sales say.
"""

import math
from typing import TYPE_CHECKING, Any, Generic, NamedTuple

import numpy as np

from highseason.bandit.errors import BanditError
from highseason.bandit.game import LiveGame
from highseason.bandit.ledger import ArmT
from highseason.core.text import Table, format_number, percent
from highseason.policies import UNKNOWN_TURNS, ArmState, Observation, PriceCurve, Turn
from highseason.policies.price_curve import CURVE, demand_of
from highseason.policies.rule import precision_of

if TYPE_CHECKING:
    import pandas as pd

#: From this chance on one price is named, below it two; from the second on you may stop.
ONE, SURE = 0.5, 0.95


class PriceDemand(NamedTuple, Generic[ArmT]):
    """What is known of a price; of one that was not tried, from the others.

    Attributes:
        price: The price, as it was given.
        turns: How many of its turns were learned.
        visitors: How many saw it.
        purchases: How many of them bought.
        buys: The share of visitors who buy.
        buys_low: The lower end of its 90% band: it lies below with a chance of 5%.
        buys_high: The upper end.
        earns: What a visitor brings: the profit, or the takings where the cost is 0.
        earns_low: The lower end of its 90% band.
        earns_high: The upper end.
        chance_best: How likely the price earns most of those in the game.
    """

    price: ArmT
    turns: int
    visitors: float
    purchases: float
    buys: float
    buys_low: float
    buys_high: float
    earns: float
    earns_low: float
    earns_high: float
    chance_best: float


class Demand(list[PriceDemand[ArmT]]):
    """A row for each price, from the lowest to the highest, and a table where it is printed."""

    def table(self) -> Table:
        """What is printed."""
        heads = "price turns visitors bought buys 5%..95% earns 5%..95% best".split()
        rows = tuple(
            (
                str(row.price), *row[1:5], f"{100 * row.buys_low:.2g}..{100 * row.buys_high:.2g}%",
                row.earns, f"{row.earns_low:.3g}..{row.earns_high:.3g}",
                row.chance_best,
            )
            for row in self
        )  # fmt: skip
        formats = ("", ",", ",.0f", ",.0f", ".2%", "", ".3g", "", ".0%")
        return Table(tuple(heads), rows, formats, ">" * len(heads))

    def __repr__(self) -> str:
        return str(self.table())

    def to_pandas(self) -> "pd.DataFrame":
        """The rows as a DataFrame."""
        import pandas as pd

        return pd.DataFrame(list(self), columns=PriceDemand._fields)

    def verdict(self) -> str:
        """Which price is best, and how likely, in a sentence."""
        chances = {row.price: row.chance_best for row in self}
        if not any(row.turns for row in self):
            return "Go on: nothing has been reported of these prices."
        (best, chance), *others = sorted(chances.items(), key=lambda one: -one[1])
        if chance < ONE and others:
            other, less = others[0]
            return (
                f"Go on: {best} or {other} may earn most, with chances of {percent(chance)} and "
                f"{percent(less)}."
            )
        start = "You may stop" if chance >= SURE else "Go on"
        return f"{start}: {best} earns most with a chance of {percent(chance)}."


def demand(game: LiveGame[ArmT]) -> Demand[ArmT]:
    """What all purchases say of the prices in the game."""
    if game.table.offers is None:
        raise BanditError("demand() is for arms that are prices, Bandit(prices=[…]): see ranking()")
    lessons, rows = np.array(list(game.ledger.lessons())).reshape(-1, 3), Demand[ArmT]()
    state = _state(game)
    for row in demand_of(state) if state.available.any() else ():
        mine = lessons[lessons[:, 0] == row.arm]
        sums = len(mine), float(mine[:, 2].sum()), float(mine[:, 1].sum())
        earns = CURVE.leads_by(state, row.arm), *row.profit_range
        price = game.table.ids[row.arm]
        rows.append(PriceDemand(price, *sums, row.share, *row.share_range, *earns, row.best))
    return rows


def _state(game: LiveGame[Any]) -> ArmState:
    """What the price curve knows: the state of the game, if that is what plays."""
    present = game.table.present(game.ledger.last_turn + 1).copy()
    if isinstance(game.policy.unwrapped, PriceCurve):
        return game.table.state._replace(available=present)
    state = CURVE.fresh_state(len(game.table.ids), game.table.offers)
    for arm, purchases, visitors in game.ledger.lessons():
        turn = Turn(0, 0.0, visitors, math.nan, UNKNOWN_TURNS, 0, False, 0)
        CURVE.observe(
            state, turn, Observation(arm, purchases / visitors, precision_of(visitors, True, 0.0))
        )
    return state._replace(available=present)


class Why(NamedTuple, Generic[ArmT]):
    """Why an arm is played in a turn.

    Attributes:
        turn: The turn.
        arm: The arm that is played.
        leader: The one that is best so far; None before any reward.
        exploited: Whether it is played because it is the best of those on offer.
        cost: What the turn is expected to bring less than with the leader, by what is known now;
            None where nothing is known of the arm.
    """

    turn: int
    arm: ArmT
    leader: ArmT | None
    exploited: bool
    cost: float | None

    def text(self, unit: str = "", when: str = "today") -> str:
        """The same in words, such as "to learn: costs about 12 today"."""
        if self.exploited:
            return "earns most so far"
        if self.cost is None:
            return "to learn: nothing is known of it yet"
        money = f"{format_number(self.cost)} {unit}".strip()
        return f"to learn: costs about {money} {when}".strip()

    def __str__(self) -> str:
        return self.text()


def why(game: LiveGame[ArmT], row: int) -> Why[ArmT]:
    """Why the arm of a decided turn is played."""
    ledger, ids, scale = game.ledger, game.table.ids, game.scale
    turn, arm, exploited = ledger.turns[row], ledger.arms[row], bool(ledger.exploited[row])
    there = game.table.present(ledger.last_turn + 1)
    standings = [(one, x) for one, x in game.standings() if x is not None and there[one]]
    known, (leader, top) = dict(game.standings()), next(iter(standings), (None, 0.0))
    cost, mine = None, known[arm]
    if leader is not None and mine is not None:
        stakes = 1.0 if scale.per_turn else game.stakes(turn)
        cost = max(0.0, stakes * (scale.shown(top) - scale.shown(mine)))
    return Why(turn, ids[arm], None if leader is None else ids[leader], exploited, cost)
