"""What requests may hold.  Unknown fields, NaN, infinities and oversized numbers are refused."""

from datetime import datetime
from typing import Annotated, Any, Literal, Self

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    model_validator,
)

from highseason.core import DEFAULT_POLICY, raised_as
from highseason_service.errors import InvalidError
from highseason_service.model import (
    MOST_ARMS,
    MOST_TURNS,
    Arm,
    Expected,
    Label,
    Noise,
    Number,
    Outcome,
    Reward,
    Settings,
    Turn,
    Visitors,
)

#: Limits of one request.
MOST_REWARDS, MOST_PLANNED = 10_000, 366

Identifier = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$")]
Key = Annotated[str, StringConstraints(pattern=r"^[!-~]{1,200}$")]
Values = Annotated[list[Expected], Field(min_length=1, max_length=MOST_TURNS)]


def _by_its_id(given: Any) -> Any:
    return {"id": given} if isinstance(given, str) else given


NewArm = Annotated[Arm, BeforeValidator(_by_its_id)]


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
    "arms": [{"id": "9.99"}, {"id": "10.99"}, {"id": "11.99", "label": "premium"}],
    "policy": DEFAULT_POLICY,
    "forecast": {
        "values": [300, 280, 900, 310],
        "calendar": {"start": "2026-12-24", "every": "day", "zone": "Europe/Rome"},
    },
    "reward_range": [0, 12],
    "seed": 7,
}


class ExperimentBody(Strict):
    """An experiment to create."""

    model_config = ConfigDict(
        strict=True, extra="forbid", json_schema_extra={"examples": [_EXAMPLE]}
    )

    id: Identifier = Field(description="Its name in addresses.")
    name: Label = Field("", description="What people read.")
    arms: Annotated[list[NewArm], Field(min_length=1, max_length=MOST_ARMS)]
    policy: Annotated[str, Field(max_length=1000, min_length=1)] = Field(
        DEFAULT_POLICY, description="A policy with its parameters, such as ucb-z:z=300."
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
            return Settings.from_dict(self.model_dump() | {"name": self.name or self.id})


class DecideBody(Strict):
    """Which turn to decide; neither means the turn that is now."""

    turn: Turn | None = Field(None, examples=[1])
    at: datetime | None = Field(None, strict=False, description="A moment, with its offset.")
    force: bool = Field(False, description="Decide it even if it is more than 31 turns ahead.")

    @model_validator(mode="after")
    def _one_of_them(self) -> Self:
        if self.turn is not None and self.at is not None:
            raise ValueError("send the turn or a moment in it (at), not both")
        return self


class OutcomeBody(Strict):
    """What a turn brought."""

    reward: Reward
    visitors: Visitors


class RewardsBody(Strict):
    """What many turns brought: all are taken in, or none."""

    rewards: Annotated[list[Outcome], Field(min_length=1, max_length=MOST_REWARDS)]


class StayBody(Strict):
    """Whether to stay with the best arm so far while three earlier turns have no reward."""

    stay_with_leader: bool


class NewForecastBody(Strict):
    """The forecast from a turn on."""

    first: Turn = Field(description="The first turn it holds for.")
    values: Values
