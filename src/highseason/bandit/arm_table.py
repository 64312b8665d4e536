"""The arms of a live game: ids outside, integers inside, and which of them may be played.

An arm keeps its integer for ever, so what was learnt of it stays when it is removed and is there
again when it comes back.
"""

from __future__ import annotations

import difflib
from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from highseason.bandit.errors import BanditError
from highseason.bandit.ids import plain
from highseason.rules import NO_END, ArmState, Rule

_SHOWN = 8


class ArmTable:
    """Ids, the rule's statistics, who is in the game and until when, who waits for a low turn.

    `expires` is the last turn of each arm as it was told (`NO_END` if it stays, `UNKNOWN_END` if not
    known), `dates` the days of those that were told a day; `opening` marks those that are tried
    before all others; `weighed` says for whom the rule's weights are.
    """

    def __init__(self, rule: Rule) -> None:
        """Nobody yet."""
        self.rule = rule
        self.ids: list[Hashable] = []
        self.state: ArmState = rule.fresh_state(0)
        self.active: NDArray[np.bool_] = np.zeros(0, np.bool_)
        self.held: NDArray[np.bool_] = np.zeros(0, np.bool_)
        self.expires: NDArray[np.int64] = np.zeros(0, np.int64)
        self.opening: NDArray[np.bool_] = np.zeros(0, np.bool_)
        self.dates: dict[int, str] = {}
        self.weighed: tuple[Any, ...] | None = None
        self._numbers: dict[Hashable, int] = {}

    def there(self, turn: int) -> NDArray[np.bool_]:
        """Which arms are in the game at a turn."""
        return self.active & (self.expires >= turn)

    def names(self, turn: int) -> tuple[Hashable, ...]:
        """The ids of the arms in the game at a turn."""
        return tuple(self.ids[arm] for arm in np.flatnonzero(self.there(turn)))

    def number(self, arm: Any) -> int:
        """The integer of an arm that is, or was, in the game."""
        arm = plain(arm)
        if arm not in self._numbers:
            raise BanditError(f"there is no arm {arm!r}{self._hint(arm)}")
        return self._numbers[arm]

    def is_new(self, arm: Any) -> bool:
        """Whether the arm is not in the game and was never tried before."""
        number = self._numbers.get(plain(arm))
        return number is None or not (self.active[number] or self.state.selections[number])

    def add(
        self, arm: Any, birth: int, hold: bool, expires: int = NO_END, date: str | None = None
    ) -> None:
        """Bring an arm in, or back in with what was learnt of it."""
        arm = plain(arm)
        number = self._numbers.get(arm)
        if number is None:
            number = self._numbers[arm] = len(self.ids)
            self.ids.append(arm)
            self._grow()
        elif self.there(birth)[number]:
            raise BanditError(f"the arm {arm!r} is there already: ids must differ")
        self.active[number] = True
        self.state.start[number] = birth if birth > 1 else 0  # one that comes back is young again
        self.expires[number] = expires
        self.dates.pop(number, None)
        if date is not None:
            self.dates[number] = date
        self.held[number] = hold and not self.state.selections[number]

    def remove(self, arm: Any, last: int) -> None:
        """Take an arm out of the game after turn `last`; its statistics stay."""
        number = self.number(arm)
        if not self.active[number]:
            raise BanditError(f"the arm {arm!r} was removed before")
        self.active[number] = False
        self.expires[number] = min(self.expires[number], last)
        self.dates.pop(number, None)

    def restore(
        self,
        ids: Iterable[Hashable],
        state: ArmState,
        active: NDArray[np.bool_],
        held: NDArray[np.bool_],
        expires: NDArray[np.int64],
        opening: NDArray[np.bool_],
        dates: dict[int, str],
    ) -> None:
        """Take over all that a document says."""
        self.ids, self.state, self.active, self.held = list(ids), state, active, held
        self.expires, self.opening, self.dates = expires, opening, dates
        self._numbers = {arm: number for number, arm in enumerate(self.ids)}

    def asked(self, turn: int, available: list[Any] | None) -> NDArray[np.bool_]:
        """The arms in the game that the caller allows for a turn."""
        allowed = self.there(turn)
        if available is not None:
            named = np.zeros(len(self.ids), np.bool_)
            named[[self.number(arm) for arm in available]] = True
            allowed &= named
        if not allowed.any():
            raise BanditError(self._nobody(turn, available))
        return allowed

    def unopened(self, allowed: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """What is left of the opening, if any of it is; else all that is allowed."""
        left = allowed & self.opening & (self.state.selections == 0)
        return left if left.any() else allowed

    def without_held(self, allowed: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Leave out the arms that wait for a low turn, unless there is no other to play."""
        ready = allowed & ~self.held
        return ready if ready.any() else allowed

    def decided(self, number: int) -> None:
        """Count a choice; an arm that was tried does not wait any more."""
        self.state.selections[number] += 1
        self.held[number] = False

    def _grow(self) -> None:
        one = self.rule.fresh_state(1)  # the newcomer alone: the others' memory goes on
        pairs = zip(self.state, one, strict=True)
        grown = ArmState(*(np.concatenate(pair) for pair in pairs))
        self.state = grown._replace(shared=self.state.shared)
        self.active = np.append(self.active, False)
        self.held = np.append(self.held, False)
        self.expires = np.append(self.expires, NO_END)
        self.opening = np.append(self.opening, False)

    def _hint(self, arm: Hashable) -> str:
        near = difflib.get_close_matches(str(arm), map(str, self.ids), n=1)
        if near:
            return f"; did you mean {next(a for a in self.ids if str(a) == near[0])!r}?"
        rest = ", …" if len(self.ids) > _SHOWN else ""
        return f"; the arms are {', '.join(map(repr, self.ids[:_SHOWN]))}{rest}"

    def _nobody(self, turn: int, available: list[Any] | None) -> str:
        if not self.there(turn).any():
            gone = ": all have expired" if self.active.any() else ""
            return f"there is no arm left to play in turn {turn}{gone}; bring one in with add_arm"
        if not available:
            return "available is empty: name at least one arm, or leave it out to allow all"
        return "every arm in available was removed or has expired: name one that is in the game"


def listed(what: str, arms: Iterable[Any]) -> list[Any]:
    """A list of ids; a lone string is refused, because its letters would be taken for ids."""
    if isinstance(arms, str | bytes) or not isinstance(arms, Iterable):
        raise BanditError(f"{what}={arms!r} must be a list of ids, such as [{arms!r}]")
    return list(arms)
