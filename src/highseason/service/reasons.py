"""Why a turn has its arm, in words."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain

from highseason.service.calendars import TurnNames
from highseason.service.history import ArmChange, PlayHistory
from highseason.service.model import Arm, DecisionRecord


@dataclass(frozen=True)
class Reasons:
    """Explains decisions from what is recorded of them."""

    turns: TurnNames  # the turns, with their traffic
    busy_from: float  # the visitors from which a turn is busy
    arms: Mapping[str, Arm]  # the arms, by their ids
    history: PlayHistory  # what happened

    def of(self, record: DecisionRecord) -> str:
        """The reason for a decision, such as "Boxing Day: played 9.99, the best so far"."""
        return f"{self.occasion(record.turn)}: {self._choice(record)}"

    def occasion(self, turn: int) -> str:
        """What kind of turn it is: its special day, or whether it is busy."""
        special = self.turns.special(turn)
        if special:
            return special[0].upper() + special[1:]
        busy = self.turns.forecast.values[turn - 1] >= self.busy_from
        return f"{'Busy' if busy else 'Quiet'} {self.turns.unit}"

    def name(self, arm: str) -> str:
        """An arm as people read it."""
        known = self.arms.get(arm)
        return known.label if known is not None and known.label else arm

    def _choice(self, record: DecisionRecord) -> str:
        name, others = self.name(record.arm), self._others(record)
        rival = next(others, None)
        if rival is None:
            return f"played {name}, the only arm"
        if record.exploited:
            return f"played {name}, the best so far"
        plays = self.history.plays(record.turn)
        own = plays.get(record.arm, 0)
        if not own:
            return f"tried {name} for the first time"
        if all(own <= plays.get(arm, 0) for arm in chain([rival], others)):
            return f"tried {name}, the least known arm"
        if record.probability < 1.0:
            return f"tried {name}, drawn at random to learn more"
        total = sum(plays.values())
        return f"tried {name} to know it better (played {own:,} of {total:,} times)"

    def _others(self, record: DecisionRecord) -> Iterator[str]:
        """The other arms that could have been chosen."""
        entry = self.history.entry[record.turn - 1]
        changes = [change for change in self.history.changes if change.seq > entry]
        return (
            arm.id
            for arm in self.arms.values()
            if arm.id != record.arm and _was_there(arm, changes) and arm.spans(record.turn)
        )


def _was_there(arm: Arm, later: list[ArmChange]) -> bool:
    """Whether an arm was in the game, by its first change after that moment."""
    change = next((change for change in later if change.arm == arm.id), None)
    return not arm.removed if change is None else change.removed
