"""What happened in an experiment, as columns over its turns: pages show sums over all of them."""

import json
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, select

from highseason_service.tables import decisions, events

_COLUMNS = [decisions.c[name] for name in ("turn", "arm", "exploited", "reward", "visitors")]
_LOGGED = events.c.kind, events.c.turn, events.c.seq, events.c.body
_KINDS = ("decided", "arm_added", "arm_retired")


class ArmChange(NamedTuple):
    """An arm was added or removed, by the event with this number."""

    seq: int
    arm: str
    removed: bool


@dataclass(frozen=True)
class PlayHistory:
    """The turns of an experiment; position t - 1 is turn t, and arms have numbers."""

    numbers: dict[str, int]  # the number of each arm that was played, by its id
    # the number of the event that decided each turn, 0 where it is not decided
    entry: NDArray[np.int64]
    arm: NDArray[np.int32]  # the number of the arm of each turn, -1 where it is not decided
    exploited: NDArray[np.bool_]  # whether the turn played the best arm so far
    reward: NDArray[np.float64]  # the turn's reward, NaN where there is none
    visitors: NDArray[np.float64]  # the visitors who came, NaN where it is not known
    changes: list[ArmChange]  # when arms came and went

    @classmethod
    def read(cls, connection: Connection, experiment: str) -> Self:
        """The turns as they are in the database; 100,000 take half a second."""
        query = select(*_COLUMNS).where(decisions.c.experiment == experiment)
        rows = connection.execute(query).all()
        turns, arms, exploited, reward, visitors = zip(*rows, strict=True) if rows else [()] * 5
        logged = events.c.experiment == experiment, events.c.kind.in_(_KINDS)
        log = connection.execute(select(*_LOGGED).where(*logged).order_by(events.c.seq)).all()
        entries = {turn: seq for kind, turn, seq, _ in log if kind == "decided"}
        numbers = {arm: number for number, arm in enumerate(dict.fromkeys(arms))}
        size, places = max(turns, default=0), np.array(turns, np.int64) - 1

        def column(blank: Any, values: Any) -> Any:
            filled = np.full(size, blank)
            filled[places] = values
            return filled

        return cls(
            numbers,
            column(np.int64(0), [entries[turn] for turn in turns]),
            column(np.int32(-1), [numbers[arm] for arm in arms]),
            column(np.False_, exploited),
            column(np.nan, np.array(reward, np.float64)),  # None is NaN
            column(np.nan, np.array(visitors, np.float64)),
            [
                ArmChange(seq, json.loads(body)["id"], kind == "arm_retired")
                for kind, _, seq, body in log
                if kind != "decided"
            ],
        )

    @property
    def turns(self) -> int:
        """The latest turn that is decided."""
        return self.arm.size

    def is_decided(self, turn: int) -> bool:
        """Whether a turn is decided."""
        return turn <= self.turns and bool(self.arm[turn - 1] >= 0)

    def plays(self, before: int) -> dict[str, int]:
        """How often each arm was played in the turns before a turn."""
        arms = self.arm[: before - 1]
        counts = np.bincount(arms[arms >= 0], minlength=len(self.numbers)).tolist()
        return {arm: counts[number] for arm, number in self.numbers.items()}
