"""What an experiment is, what requests hold and what the service answers: plain, frozen data.

Made from a request, a field is checked as its type says; made from the log, it is taken as it is.
"""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from datetime import datetime
from functools import partial
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, Self, TypeAlias

from highseason.bandit import PRICE_POLICY, Bandit, Event
from highseason.core import (
    exact,
    format_number,
    parse_arm,
    parse_arms,
    percent,
    quiet,
    raised_as,
    require,
)
from highseason.policies import (
    DEFAULT_POLICY,
    CountingPolicy,
    Policy,
    WeighingPolicy,
    Wrapper,
    parse,
)
from highseason.rewards import Offer
from highseason_service.errors import InvalidError
from highseason_service.forecast import TrafficForecast

require("pydantic", "service", "the decision service")
from pydantic import (  # noqa: E402  # without it, the line above says what to install
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    model_validator,
)

#: The most arms and turns of an experiment.
MOST_ARMS, MOST_TURNS = 1_000, 200_000

_LARGEST = 1e12
_real = partial(Field, le=_LARGEST, allow_inf_nan=False, strict=True)

Status: TypeAlias = Literal["running", "paused", "archived"]
Label = Annotated[str, StringConstraints(pattern=r"^[^\x00-\x1f\x7f]{0,200}$", max_length=200)]
Number = Annotated[float, _real(ge=-_LARGEST)]
Reward = Annotated[Number, Field(description="The turn's total reward.", examples=[1234.5])]
Visitors = Annotated[float, _real(ge=0, description="The visitors who came.", examples=[310])]
Purchases = Annotated[
    float, _real(ge=0, description="Of prices: how many of the visitors bought.", examples=[37])
]
Takings = Annotated[
    float, _real(ge=0, description="Or what they paid, tax included.", examples=[369.63])
]
Price = Annotated[float, _real(gt=0, description="Where arms are prices.", examples=[9.99])]
Cost = Annotated[float, _real(ge=0, description="What a sold piece costs.", examples=[4.2])]
Tax = Annotated[float, _real(ge=0, lt=1, description="The tax in the prices.", examples=[0.19])]
Unit = Annotated[
    str,
    StringConstraints(pattern=r"^[^\x00-\x1f\x7f]*$", max_length=20),
    Field(description="What money is called.", examples=["€"]),
]
Expected = Annotated[float, _real(ge=1e-6)]
Turn = Annotated[int, Field(ge=1, le=MOST_TURNS, strict=True)]
Flag = Annotated[bool, Field(strict=True)]
_Plain = (
    Annotated[int, Field(ge=-(2**53), le=2**53, strict=True)]
    | Number
    | Flag
    | Annotated[str, Field(max_length=1_000)]
)
FlagValue = _Plain | Annotated[dict[Label, _Plain], Field(max_length=100)]


@dataclass(frozen=True)
class Arm:
    """An arm of an experiment; in requests its id alone will do."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    id: Annotated[
        str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9 ._:+-]{0,99}$", examples=["9.99"])
    ]  # answers name it
    label: Annotated[Label, Field(description="What people read.")] = ""
    start: Annotated[Turn | None, Field(description="Its first turn.")] = None
    end: Annotated[Turn | None, Field(description="Its last turn.")] = None
    when: Annotated[
        Literal["low", "now"], Field(description="Whether a new arm waits for a quiet turn.")
    ] = "low"
    removed: Annotated[Flag, Field(description="Whether it was removed; not in requests.")] = False
    value: Annotated[
        FlagValue | None,
        Field(
            description="What OpenFeature's clients get; none: the label, or the id.",
            examples=[9.99, {"headline": "Free delivery", "colour": "green"}],
        ),
    ] = None
    price: Price | None = None  # its id is the same as text
    cost: Cost | None = None  # none: 0, or that of the prices which it joins

    @classmethod
    def typed(cls, text: str) -> Self:
        """An arm as people type it."""
        with raised_as(InvalidError):
            return cls(*parse_arm(text))

    @classmethod
    def priced(cls, price: float, cost: float | None = None) -> Self:
        """An arm that is a price.

        >>> Arm.priced(9.99).id, Arm.priced(1.749).id  # not 1749, which 1.749 is to some
        ('9.99', '1.7490')
        """
        text = exact(price)
        return cls(text + "0" * (text[-4:-3] == "."), price=price, cost=cost)

    def spans(self, turn: int) -> bool:
        """Whether a turn lies between its first and its last."""
        return (self.start or 1) <= turn <= (self.end or turn)


@raised_as(InvalidError)
def arms_of(texts: Iterable[str]) -> tuple[Arm, ...]:
    """Arms to choose from as people type them."""
    return tuple(Arm(*pair) for pair in parse_arms(texts))


def prices_of(
    prices: Sequence[float], cost: float | Sequence[float] | None = None, tax: float = 0.0
) -> tuple[Arm, ...]:
    """Arms that are prices, each with its cost: one for all, or a list with one for each.

    It warns of prices that are too near, or too many.
    """
    with raised_as(InvalidError):
        known = Bandit(None, "greedy", [1.0], prices=[*prices], cost=cost, tax=tax).offers or {}
    return tuple(Arm.priced(offer.price, offer.cost) for offer in known.values())


def money(value: float, unit: str = "", exactly: bool = False) -> str:
    """An amount of money in its unit, in cents or three figures; all of them if `exactly`.

    >>> money(0.2, "€"), money(199.4, "€"), money(1.749, "€", exactly=True), money(5432.1)
    ('0.200 €', '199.40 €', '1.749 €', '5,432')
    """
    if exactly and value != round(value, 2):
        text = exact(value)
    elif 0.0 < abs(value) < 1.0:
        text = f"{value:.{2 - math.floor(math.log10(abs(value)))}f}"
    else:
        text = f"{value:.2f}" if 0.0 < abs(value) < 1000.0 else format_number(value)
    return f"{text} {unit}".rstrip()


@dataclass(frozen=True)
class Noise:
    """How much a turn teaches: the noise that the policy assumes."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    count: Annotated[
        Literal["turns", "visitors"],
        Field(description="Whether every turn counts alike, or by its visitors."),
    ] = "visitors"
    rho: Annotated[
        float,
        _real(
            ge=0,
            le=1,
            description="With visitors: the correlation of two visitors of the same turn: 0 if "
            "each decides alone, 1 if a turn is one draw. `highseason noise` estimates it.",
        ),
    ] = 0.0


@dataclass(frozen=True)
class Settings:
    """What an experiment is created with; the forecast and the arms may change later.

    Attributes:
        id: The name in addresses.
        name: What people read.
        arms: The arms.
        policy: The policy's text, such as "option-index" or "ucb-z:z=30".
        forecast: The traffic expected, turn by turn.
        reward_range: The least and the greatest reward per visitor.
        seed: The seed of the random numbers.
        noise: How much a turn teaches; None leaves it to the policy's own `count` and `rho`.
        stay_with_leader: Whether it plays the best arm so far while three or more earlier turns
            have no reward.
        tax: The tax in the prices, where arms are prices.
        unit: What money is called.
    """

    id: str
    name: str
    arms: tuple[Arm, ...]
    policy: str
    forecast: TrafficForecast
    reward_range: tuple[float, float] | None = None
    seed: int = 0
    noise: Noise | None = None
    stay_with_leader: bool = False
    tax: float = 0.0
    unit: str = ""

    @property
    def priced(self) -> bool:
        """Whether the arms are prices."""
        return any(arm.price is not None for arm in self.arms)

    def to_dict(self) -> dict[str, Any]:
        """As the log keeps it, with the policy's parameters: defaults may change later."""
        return self.to_body() | {"policy_parameters": json.loads(self.playing().to_json())}

    def to_body(self) -> dict[str, Any]:
        """As a request holds it."""
        written = {"forecast": self.forecast.to_dict(), "arms": [*map(asdict, self.arms)]}
        return vars(self) | written | {"noise": self.noise and asdict(self.noise)}

    def check_new(self, now: datetime) -> None:
        """Refuse an experiment with nothing to decide: without a choice, or over by now."""
        if len(self.arms) < 2:
            got = len(self.arms)
            raise InvalidError(f"arms: a choice needs at least two, got {got}: add another")
        forecast, last = self.forecast, len(self.forecast.values)
        if forecast.calendar is not None and forecast.place(now) > last:
            over = f"the season is over: its last {forecast.unit} was {forecast.name(last)}"
            raise InvalidError(f"{over}. Give newer traffic, or forecast more turns")

    def playing(self) -> Policy:
        """The policy, with the noise that it assumes."""
        policy = parse(self.policy)
        if self.noise is None:
            return policy.counting("visitors")
        noise, within = asdict(self.noise), policy
        while isinstance(within, Wrapper):
            within = within.base
        if not isinstance(within, CountingPolicy):
            raise ValueError(
                f"policy={self.policy!r} has no noise model: leave `noise` out, or choose a policy "
                f"that can count visitors, such as {DEFAULT_POLICY}"
            )
        if not isinstance(within, WeighingPolicy) and noise.pop("rho"):
            raise ValueError(
                f"policy={self.policy!r} learns during the season how alike the visitors of a turn "
                "are: leave `rho` out"
            )
        return policy.with_values(noise)

    @classmethod
    def from_dict(cls, entry: Mapping[str, Any]) -> Self:
        """The settings that `to_dict` wrote."""
        ends, noise = entry["reward_range"], entry["noise"]
        written = {
            "arms": tuple(Arm(**arm) for arm in entry["arms"]),
            "forecast": TrafficForecast.from_dict(entry["forecast"]),
            "reward_range": ends and (ends[0], ends[1]),
            "noise": noise and Noise(**noise),
        }
        return cls(**{one.name: {**entry, **written}[one.name] for one in fields(cls)})


class Entry(NamedTuple):
    """One row of the event log."""

    seq: int  # its number in the experiment, from 1 and without gaps
    at: str  # when it was recorded (UTC, ISO)
    kind: str  # what happened
    turn: int | None  # the turn it is about, if it is about one
    body: dict[str, Any]  # what the service adds
    # the bandit's own event, where it has one; its number is that of the bandit
    event: Event | None = None


@dataclass(frozen=True)
class DecisionRecord:
    """A locked turn, with its reward and visitors once they are known."""

    turn: int
    time: str | None
    arm: str
    probability: float
    exploited: bool
    level: float
    forecast_version: int
    decided_at: str
    reward: float | None = None  # of prices the profit, at what a purchase is worth now
    visitors: float | None = None
    purchases: float | None = None

    @property
    def is_reported(self) -> bool:
        """Whether it is known what the turn brought."""
        return self.reward is not None or self.purchases is not None

    def at(self, offers: Mapping[str, Offer] | None) -> Self:
        """The same with its profit, where arms are prices."""
        if self.purchases is None or offers is None:
            return self
        return replace(self, reward=self.purchases * offers[self.arm].margin)


@dataclass(frozen=True)
class Outcome:
    """What a turn brought, and the visitors who came: the total reward, or of prices purchases.

    Takings may stand for purchases: they are a whole number of sales at the turn's price.
    """

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    turn: Turn
    reward: Reward | None = None
    visitors: Visitors = Field(...)  # noqa: RUF009  # it has none, though it follows one that has
    purchases: Purchases | None = None
    takings: Takings | None = None


@dataclass(frozen=True)
class PriceReport:
    """What is known of a price, as in `Bandit.demand`: bands hold with a chance of 90%."""

    visitors: float
    purchases: float
    buys: float  # the share of visitors who buy
    buys_low: float
    buys_high: float
    earns: float  # what a visitor brings
    earns_low: float
    earns_high: float


@dataclass(frozen=True)
class ArmReport:
    """What is known of an arm: the estimate that it is compared by, and how sure it is.

    As in `Bandit.ranking`: the 95% interval (of prices, the 90% band), the chance of being best,
    what playing it would lose.
    """

    id: str
    label: str
    status: Literal["waiting", "playing", "ended", "removed"]
    start: int | None
    end: int | None
    decisions: int
    rewards: int
    estimate: float | None
    low: float | None
    high: float | None
    chance_best: float | None = None
    loss: float | None = None
    value: FlagValue | None = None
    price: float | None = None
    cost: float | None = None
    demand: PriceReport | None = None

    @property
    def chance(self) -> str:
        """The chance of being best as it is shown: a range where a number would be off."""
        if self.chance_best is not None:
            return percent(self.chance_best)
        return "" if self.loss is None else "40% to 95%"  # see `Bandit.ranking`


@dataclass(frozen=True)
class Summary:
    """One line of the list of experiments."""

    id: str
    name: str
    status: Status
    policy: str
    created_at: str
    events: int
    page: str = ""  # Its page on the dashboard, without the host


@dataclass(frozen=True)
class State:
    """Where an experiment stands."""

    id: str
    name: str
    status: Status
    policy: str
    seed: int
    reward_range: tuple[float, float] | None
    turns: int
    forecast_version: int
    calendar: dict[str, Any] | None
    decided: int
    rewarded: int
    last_turn: int
    first_open: int  # The first turn that is not decided
    events: int
    arms: tuple[ArmReport, ...]
    noise: Noise | None = None
    stay_with_leader: bool = False
    best: str | None = None  # The arm that leads; None before the first reward
    verdict: str = ""  # Whether you may stop, in a sentence
    tax: float = 0.0
    unit: str = ""

    @property
    def priced(self) -> bool:
        """Whether the arms are prices."""
        return any(arm.price is not None for arm in self.arms)


@dataclass(frozen=True)
class PlannedTurn:
    """A turn that is not decided yet, as things stand."""

    turn: int
    time: str | None  # When it starts
    forecast: float  # The visitors expected
    level: float  # The plan's exploration level
    best: str | None  # The best arm so far; None before the first reward
    exploration: float  # The probability of another arm than the best so far
    # What exploring may cost: the expected shortfall against the best so far; None while an arm
    # that may be played has no estimate
    cost: float | None


# -- what requests hold: unknown fields, NaN, infinities and oversized numbers are refused ---------

#: Limits of one request.
MOST_REWARDS, MOST_PLANNED = 10_000, 366

Identifier = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$")]
Key = Annotated[str, StringConstraints(pattern=r"^[!-~]{1,200}$")]
Values = Annotated[list[Expected], Field(min_length=1, max_length=MOST_TURNS)]


def _as_arm(given: Any) -> Any:
    """An id, a price or an arm, as an arm; the id of a price may be left out."""
    if isinstance(given, str):
        return {"id": given}
    if (
        isinstance(given, dict)
        and "id" not in given
        and isinstance(given.get("price"), int | float)
    ):
        return {"id": Arm.priced(given["price"]).id} | given
    return given


NewArm = Annotated[Arm, BeforeValidator(_as_arm)]


class Strict(BaseModel):
    """A body whose fields are exactly these."""

    model_config = ConfigDict(strict=True, extra="forbid")


class CalendarBody(Strict):
    """When the turns are."""

    start: str = Field(
        description="When the first turn starts, by the clock of the zone.",
        pattern=r"^(19[7-9]|20[0-9])[0-9]-[0-9]{2}-[0-9]{2}([T ][0-9]{2}:[0-9]{2})?$",
        examples=["2026-11-01", "2026-11-01 08:00"],
    )
    every: Literal["minute", "hour", "day", "week"] = Field("day", description="A turn's length.")
    zone: str = Field("UTC", description="An IANA time zone.", max_length=50)
    closed: list[int] = Field(
        [],
        description="Times of the week without a turn; 0 is the first on Monday.",
        max_length=10_079,
    )


class ForecastBody(Strict):
    """The visitors expected in each turn."""

    values: Values = Field(description="One number per turn.")
    calendar: CalendarBody | None = Field(None, description="None: turns have numbers only.")


_EXAMPLE: dict[str, Any] = {
    "id": "shelf-7",
    "name": "The price of shelf 7",
    "prices": [8.99, 9.99, 10.99, 11.99],
    "cost": 4.2,
    "unit": "€",
    "forecast": {
        "values": [300, 280, 900, 310],
        "calendar": {"start": "2026-12-24", "every": "day", "zone": "Europe/Rome"},
    },
    "seed": 7,
}


class ExperimentBody(Strict):
    """An experiment to create."""

    model_config = ConfigDict(json_schema_extra={"examples": [_EXAMPLE]})

    id: Identifier = Field(description="Its name in addresses.")
    name: Label = Field("", description="What people read.")
    arms: Annotated[list[NewArm], Field(max_length=MOST_ARMS)] = Field(
        [], description="What there is to choose from; or prices."
    )
    prices: Annotated[list[Price], Field(max_length=MOST_ARMS)] = Field(
        [], description="Arms that are prices of one thing."
    )
    cost: Cost | Annotated[list[Cost], Field(max_length=MOST_ARMS)] | None = Field(
        None, description="What a sold piece costs; or a cost for each of the prices."
    )
    tax: Tax = Field(0.0, description="The tax in the prices, where costs have none in them.")
    unit: Unit = Field("", description="What money is called.")
    policy: Annotated[str, Field(max_length=1000, min_length=1)] | None = Field(
        None,
        description=f"A policy with its parameters, such as ucb-z:z=300; none: {DEFAULT_POLICY}, "
        f"of prices {PRICE_POLICY}.",
    )
    forecast: ForecastBody
    reward_range: Annotated[list[Number], Field(min_length=2, max_length=2)] | None = Field(
        None, description="The least and the greatest reward per visitor."
    )
    seed: Annotated[int, Field(ge=0, le=2**31 - 1)] = Field(0, description="Of random numbers.")
    noise: Noise | None = Field(
        None, description="How much a turn teaches; none: as the policy's text says."
    )
    stay_with_leader: bool = Field(
        False, description="Play the best arm so far while three earlier turns have no reward."
    )

    def settings(self) -> Settings:
        """As the service knows it."""
        with raised_as(InvalidError):  # a calendar that does not exist
            made = Settings.from_dict(
                self.model_dump() | {"name": self.name or self.id, "policy": self.policy or ""}
            )
        if bool(made.arms) == bool(self.prices):
            both = "not both" if made.arms else "got neither"
            raise InvalidError(f"expected arms, or prices where they are prices, {both}")
        if self.cost is not None and not self.prices:
            raise InvalidError("cost: it belongs to prices: give each arm its own, or list prices")
        if self.prices:
            with quiet():
                made = replace(made, arms=prices_of(self.prices, self.cost, self.tax))
        usual = PRICE_POLICY if made.priced else DEFAULT_POLICY
        return replace(made, policy=made.policy or usual)


class DecideBody(Strict):
    """Which turn to decide; neither means the turn that is now."""

    turn: Turn | None = Field(None, examples=[1])
    at: datetime | None = Field(None, strict=False, description="A moment, with its offset.")
    force: bool = Field(
        False,
        description="Decide it even if it is more than 31 turns ahead, or no turn was decided in "
        "the 31 days, or turns, before.",
    )

    @model_validator(mode="after")
    def _one_of_them(self) -> Self:
        if self.turn is not None and self.at is not None:
            raise ValueError("send the turn or a moment in it (at), not both")
        return self


class Confirmable(Strict):
    """A report that is refused if it looks wrong (409, code "unconfirmed"), until confirmed."""

    confirm: bool = Field(False, description="Take it in even if it looks wrong.")


class OutcomeBody(Confirmable):
    """What a turn brought: its reward, or of prices purchases, or takings."""

    reward: Reward | None = None
    visitors: Visitors
    purchases: Purchases | None = None
    takings: Takings | None = None

    def of(self, turn: int) -> Outcome:
        """What this turn brought."""
        return Outcome(turn, self.reward, self.visitors, self.purchases, self.takings)


class RewardsBody(Confirmable):
    """What many turns brought: all are taken in, or none."""

    rewards: Annotated[list[Outcome], Field(min_length=1, max_length=MOST_REWARDS)]


class StayBody(Strict):
    """Whether to stay with the best arm so far while three earlier turns have no reward."""

    stay_with_leader: bool


class WorthBody(Strict):
    """What a turn's outcome is worth from now on."""

    cost: Cost | dict[Label, Cost] | None = Field(
        None, description="Of prices: what a sold piece costs; or costs by price."
    )
    tax: Tax | None = Field(None, description="The tax in the prices.")
    reward_range: Annotated[list[Number], Field(min_length=2, max_length=2)] | None = Field(
        None, description="Of other arms: the least and the greatest reward per visitor."
    )


class NewForecastBody(Strict):
    """The forecast from a turn on."""

    first: Turn = Field(description="The first turn it holds for.")
    values: Values
