"""The arms of a live bandit: ids outside, indices inside, lifetimes, and who may be played.

An arm keeps its index for ever, so what was learned of it stays when it is removed and is there
again when it comes back.
"""

import operator
from collections.abc import Iterable, Sequence
from typing import Any, Generic

import numpy as np
from numpy.typing import NDArray

from highseason.bandit.errors import BanditError
from highseason.bandit.events import Lifetime
from highseason.bandit.ledger import ArmT
from highseason.bandit.multiplier_source import MultiplierSource
from highseason.core.specs import did_you_mean
from highseason.engine import select
from highseason.policies import NO_END, UNKNOWN_END, ArmState, Policy
from highseason.policies.lifetimes import mark_opening
from highseason.traffic.dates import When

Mask = NDArray[np.bool_]


class ArmTable(Generic[ArmT]):
    """One row per arm that is or was in the game."""

    def __init__(self, policy: Policy, source: MultiplierSource) -> None:
        self.policy, self.source = policy, source
        self.ids: list[ArmT] = []
        self.state: ArmState = policy.rule.fresh_state(0)
        self.active = np.zeros(0, np.bool_)  # not removed
        self.held = np.zeros(0, np.bool_)  # waiting for a low turn
        self.opening = np.zeros(0, np.bool_)  # tried before all others
        self.ends = np.zeros(0, np.int64)  # the last turn, as the engine counts
        self.dates: dict[int, str] = {}  # of the ends that were given as dates, by index
        self._indices: dict[ArmT, int] = {}
        self._changes = 0  # how often arms or the multiplier changed
        self._present: tuple[tuple[int, int], Mask] | None = None  # the last answer of `present`
        self._weighted: tuple[int, bytes] | None = None  # what the weights in `state` are for
        self._candidate: tuple[tuple[int, bytes], ArmState] | None = None

    def restore(self, ids: Sequence[ArmT], **columns: Any) -> None:
        """Take over what a document says: all attributes of the table."""
        vars(self).update(columns)
        self.ids = list(ids)
        self._indices = {arm: index for index, arm in enumerate(self.ids)}
        self._changed()

    def present(self, turn: int) -> Mask:
        """Which arms are in the game at a turn; read-only."""
        key = self._changes, turn
        if self._present is None or self._present[0] != key:
            mask = self.active & (self.ends >= turn)
            mask.setflags(write=False)
            self._present = key, mask
        return self._present[1]

    def names(self, turn: int) -> tuple[ArmT, ...]:
        """The ids of the arms in the game at a turn."""
        return tuple(self.ids[arm] for arm in np.flatnonzero(self.present(turn)))

    def index(self, arm: ArmT) -> int:
        """The index of an arm that is, or was, in the game."""
        arm = hashable(arm)
        if arm not in self._indices:
            hint = did_you_mean(str(arm), map(str, self.ids))
            raise BanditError(f"there is no arm {arm!r}. {hint}")
        return self._indices[arm]

    def is_untried(self, arm: ArmT) -> bool:
        """Whether the arm is not in the game and was never chosen before."""
        index = self._indices.get(hashable(arm))
        return index is None or not (self.active[index] or self.state.selections[index])

    def require_active(self, arm: ArmT) -> None:
        """Refuse an arm that was removed, or never added."""
        if not self.active[self.index(arm)]:
            raise BanditError(f"the arm {arm!r} is already removed")

    def require_absent(self, arm: ArmT, turn: int) -> None:
        """Refuse an arm that is in the game."""
        index = self._indices.get(hashable(arm))
        if index is not None and self.present(turn)[index]:
            raise BanditError(f"the arm {arm!r} is already in the game: arm ids must differ")

    def add(self, arm: ArmT, start: int, lifetime: Lifetime, held: bool) -> None:
        """Bring an arm in, or back in with what was learned of it."""
        arm = hashable(arm)
        if arm not in self._indices:
            self._indices[arm] = len(self.ids)
            self.ids.append(arm)
            self._grow()
        index = self._indices[arm]
        self.active[index] = True
        self.state.start[index] = start if start > 1 else 0  # one that comes back is young again
        self.ends[index] = lifetime.last_turn
        self.dates.pop(index, None)
        if lifetime.date is not None:
            self.dates[index] = lifetime.date
        self.held[index] = held and not self.state.selections[index]
        self._changed()

    def remove(self, arm: ArmT, last: int) -> None:
        """Take an arm out of the game after turn `last`; its statistics stay."""
        index = self.index(arm)
        self.active[index] = False
        self.ends[index] = min(self.ends[index], last)
        self.dates.pop(index, None)
        self._changed()

    def reread_dates(self) -> None:
        """Find the turns of ends that were given as dates, on a longer multiplier."""
        for index, date in self.dates.items():
            self.ends[index] = self.source.last_turn_by(date)
        self._changed()

    def _changed(self) -> None:
        self._changes += 1
        self._candidate = None

    def _grow(self) -> None:
        one = self.policy.rule.fresh_state(1)  # the new arm alone: the others' memory stays
        pairs = zip(self.state, one, strict=True)
        grown = ArmState(*(np.concatenate(pair) for pair in pairs))
        self.state = grown._replace(shared=self.state.shared)
        masks = self.active, self.held, self.opening
        self.active, self.held, self.opening = (np.append(mask, False) for mask in masks)
        self.ends = np.append(self.ends, NO_END)

    def allowed(self, turn: int, available: Iterable[ArmT] | None) -> Mask:
        """The arms in the game that the caller allows for a turn."""
        allowed = self.present(turn)
        if available is not None:
            named = np.zeros(len(self.ids), np.bool_)
            named[[self.index(arm) for arm in as_list("available", available)]] = True
            allowed = allowed & named
        if allowed.any():
            return allowed
        if self.present(turn).any():
            raise BanditError(
                "available names no arm that is in the game (removed and expired arms do not "
                "count): name at least one, or leave it out to allow all"
            )
        reason = "all have expired" if self.active.any() else "all were removed"
        raise BanditError(f"no arm is left to play in turn {turn}: {reason}; add one with add_arm")

    def without_held(self, allowed: Mask) -> Mask:
        """Leave out the arms that wait for a low turn, unless there is no other to play."""
        ready = allowed & ~self.held
        return ready if ready.any() else allowed

    def state_at(self, turn: int) -> ArmState:
        """The state with the weights that the arms of a turn have; the table does not change.

        Weights are computed only when the arms, their lifetimes or the season have changed.
        """
        key = self._weights_key(turn)
        if key == self._weighted:
            return self.state
        if self._candidate is None or self._candidate[0] != key:
            self._candidate = key, self._weigh(turn)
        return self._candidate[1]

    def keep_state(self, turn: int) -> ArmState:
        """Make the weights of a turn those of the table."""
        self.state = self.state_at(turn)
        self._weighted = self._weights_key(turn)
        self._candidate = None
        return self.state

    def learning_state(self) -> ArmState:
        """The state for a reward to be learned in."""
        self._candidate = None  # what is learned may change what weights rest on
        return self.state

    def _weights_key(self, turn: int) -> tuple[int, bytes]:
        return self._changes, (self.ends < turn).tobytes()

    def _weigh(self, turn: int) -> ArmState:
        now, options = self.state, self.policy.lifetime_options
        state = now._replace(
            available=self.present(turn).copy(),
            weight=now.weight.copy(),
            end=self.source.visible_ends(self.ends) if options.needs_end else self.ends.copy(),
            shared=now.shared.copy(),
        )
        starts = np.maximum(1, state.start)
        scores = self.source.lifetime_scores(starts, self.ends)
        self.policy.rule.set_weights(state, turn, scores, options.weight_scale)
        return state

    def forget(self, arm: int | None = None) -> None:
        """Drop what was learned, of one arm or of all; choices and lifetimes stay."""
        if arm is not None:
            self.state.pulls[arm] = self.state.sums[arm] = 0.0
            return
        fresh = self.policy.rule.fresh_state(len(self.ids))
        learned = {name: getattr(fresh, name) for name in ("pulls", "sums", "memory", "shared")}
        self.state = self.state._replace(**learned)
        self._weighted = self._candidate = None  # weights may be among the shared numbers

    def choose_opening(self) -> None:
        """Mark the arms that are tried before all others: the policy's number, by weight."""
        count = self.policy.lifetime_options.initial_arms
        if count > 0:
            mark_opening(self.keep_state(1), count, self.opening)

    def selected(self, index: int) -> None:
        """Count a choice; an arm that was tried does not wait any more."""
        select(self.state, index)
        self.held[index] = False


def as_list(name: str, arms: Iterable[ArmT]) -> list[ArmT]:
    """A list of ids; a lone string is refused, because its letters would be taken for ids."""
    if isinstance(arms, str | bytes) or not isinstance(arms, Iterable):
        raise BanditError(f"{name} must be a list of arm ids, such as ['a', 'b'], got {arms!r}")
    return list(arms)


def hashable(arm: ArmT) -> ArmT:
    """The id as it is kept: NumPy's numbers and strings become Python's, which are equal to them.

    >>> hashable(np.float64(9.99))
    9.99
    """
    if isinstance(arm, np.generic):
        arm = arm.item()
    try:
        hash(arm)
    except TypeError:
        raise BanditError(
            f"an arm id must be hashable (a string, a number, a tuple of these), got {arm!r}"
        ) from None
    return arm


def lifetime_of(
    arm: Any, expires: Any, policy: Policy, source: MultiplierSource, last: int
) -> Lifetime:
    """An arm's lifetime from its last turn, its last date, "unknown", or None if it stays.

    `last` is the latest turn that is decided.
    """
    lifetime = _lifetime(expires, source, last)
    end_is_known = source.turns > 0 if lifetime.end is None else lifetime.end != "unknown"
    if policy.lifetime_options.needs_end and not end_is_known:
        raise BanditError(
            f"{policy} explores by the lifetime that arms have left: pass expires= for {arm!r}; "
            "with a multiplier, an arm without it stays to the end of the season"
        )
    return lifetime


def _lifetime(expires: Any, source: MultiplierSource, last: int) -> Lifetime:
    if expires is None:
        return Lifetime()
    if isinstance(expires, str) and expires == "unknown":
        return Lifetime("unknown")
    date = str(expires) if isinstance(expires, When) else None
    turn = _turn_number(expires) if date is None else source.last_turn_by(date)
    if turn < 1:
        raise BanditError(f"expires={expires!r} is before the first turn, which is turn 1")
    if turn <= last:
        raise BanditError(f"expires={expires!r} is in the past: turn {last} is already decided")
    return Lifetime(min(turn, UNKNOWN_END - 1), date)


def _turn_number(expires: Any) -> int:
    try:
        if isinstance(expires, bool):
            raise TypeError
        return operator.index(expires)
    except TypeError:
        raise BanditError(
            "expires must be a turn, from 1, a date of the multiplier, or 'unknown', got "
            f"{expires!r}"
        ) from None
