"""What can be asked of a live bandit without changing it."""

from __future__ import annotations

import math
import threading
from collections.abc import Iterable
from typing import TYPE_CHECKING, Generic, Literal, NamedTuple, overload

import numpy as np

from highseason.bandit.errors import BanditError
from highseason.bandit.events import EventStore
from highseason.bandit.ledger import ArmT, Decision
from highseason.bandit.multiplier_source import TurnLike
from highseason.bandit.session import BanditSession
from highseason.core.validation import one_of
from highseason.policies import Policy, estimate
from highseason.traffic import Multiplier

if TYPE_CHECKING:
    import pandas as pd


class Ranked(NamedTuple, Generic[ArmT]):
    """An arm, its estimate, and how many of its turns the rule has learned from.

    The estimate is in the user's unit, None before any reward; old rewards may count less in it.
    """

    arm: ArmT
    estimate: float | None
    pulls: int


class BanditView(Generic[ArmT]):
    """The part of `Bandit` that only reads."""

    _session: BanditSession[ArmT]
    _store: EventStore
    _lock: threading.RLock

    def ranking(self) -> list[Ranked[ArmT]]:
        """The arms in the game, best first, as `(arm, estimate, pulls)`.

        Estimates are rewards per customer in the unit of the reported rewards (for the naive
        policies: per turn), None before the first reward.
        """
        with self._lock:
            ranked = self._ranked()
        return sorted(ranked, key=lambda r: math.inf if r.estimate is None else -r.estimate)

    def _ranked(self) -> list[Ranked[ArmT]]:
        """The arms in the game, in their own order."""
        scale, table, ledger = self._session.scale, self._session.table, self._session.ledger
        present = table.present(ledger.last_turn + 1)
        pulls, ranked = ledger.observed(present.size).tolist(), []
        for arm in np.flatnonzero(present).tolist():
            seen = table.state.pulls[arm] > 0
            value = scale.shown(float(estimate(table.state, arm))) if seen else None
            ranked.append(Ranked(table.ids[arm], value, pulls[arm]))
        return ranked

    @overload
    def expectations(self, as_: Literal["dict"] = "dict") -> dict[ArmT, float | None]: ...
    @overload
    def expectations(self, as_: Literal["frame"]) -> pd.DataFrame: ...
    def expectations(
        self, as_: Literal["dict", "frame"] = "dict"
    ) -> dict[ArmT, float | None] | pd.DataFrame:
        """What each arm in the game is expected to pay, as in `ranking`, in the arms' own order.

        Args:
            as_: "dict", or "frame" for a DataFrame with the columns `arm`, `estimate` and `pulls`.

        >>> import highseason as hs
        >>> shelf = hs.Bandit(["a", "b"], hs.Greedy(), [5, 5], known=True)
        >>> shelf.update(shelf.pull(), reward=20)
        >>> shelf.expectations()
        {'a': 4.0, 'b': None}
        >>> shelf.expectations("frame")
          arm  estimate  pulls
        0   a       4.0      1
        1   b       NaN      0
        """
        one_of("as_", as_, ("dict", "frame"), BanditError)
        with self._lock:
            rows = self._ranked()
        if as_ == "dict":
            return {row.arm: row.estimate for row in rows}
        import pandas as pd

        columns = {
            "arm": pd.Series([row.arm for row in rows], dtype=None if rows else object),
            "estimate": np.array([row.estimate for row in rows], np.float64),  # None is NaN
            "pulls": np.array([row.pulls for row in rows], np.int64),
        }
        return pd.DataFrame(columns)

    def decision(self, t: TurnLike) -> Decision[ArmT]:
        """What was decided for a turn, how likely it was, and what has come of it so far.

        >>> import highseason as hs
        >>> shelf = hs.Bandit(["a", "b"], hs.Greedy(), [5, 5], known=True)
        >>> shelf.update(shelf.pull(), reward=20)
        >>> shelf.decision(1).traffic
        5.0
        """
        with self._lock:
            return self._session.decision(self._session.row_of_decided(t))

    def decisions(self) -> list[Decision[ArmT]]:
        """All decisions, in the order in which they were made."""
        with self._lock:
            return self._decisions(range(len(self._session.ledger)))

    @property
    def pending(self) -> list[Decision[ArmT]]:
        """Decisions whose reward has come and waits for its traffic."""
        with self._lock:
            return self._decisions(self._session.ledger.pending())

    @property
    def waiting(self) -> int:
        """How many rewards wait for their traffic; nothing is learned from them yet."""
        return self._session.ledger.waiting

    @property
    def unrewarded(self) -> list[Decision[ArmT]]:
        """Decisions whose reward has not come yet."""
        with self._lock:
            return self._decisions(self._session.ledger.unrewarded())

    def _decisions(self, rows: Iterable[int]) -> list[Decision[ArmT]]:
        return [self._session.decision(row) for row in rows]

    @property
    def arms(self) -> tuple[ArmT, ...]:
        """The arms in the game in the turn after the last that was decided."""
        with self._lock:
            return self._session.names

    @property
    def last_turn(self) -> int:
        """The latest turn that is decided; 0 before the first."""
        return self._session.ledger.last_turn

    @property
    def clipped(self) -> int:
        """How many rewards lay outside `reward_range`.  More than a few: the range is wrong."""
        return self._session.clipped

    @property
    def policy(self) -> Policy:
        """The policy that plays."""
        return self._session.policy

    @property
    def seed(self) -> int:
        """The seed of the random numbers."""
        return self._session.seed

    @property
    def reward_range(self) -> tuple[float, float] | None:
        """The least and the greatest reward per customer, if they were given."""
        return self._session.scale.reward_range

    @property
    def known(self) -> bool:
        """Whether the multiplier is declared to be the traffic itself."""
        return self._session.source.known

    @property
    def multiplier(self) -> Multiplier | None:
        """G, or its forecast, as far as it goes now."""
        return self._session.source.multiplier

    @property
    def store(self) -> EventStore:
        """The store that every change goes to, as an event."""
        return self._store

    def __repr__(self) -> str:
        with self._lock:
            turns = "" if self.multiplier is None else f" of {self.multiplier.turns}"
            decided = len(self._session.ledger)
            waiting = f", {self.waiting} rewards wait for traffic" if self.waiting else ""
            played = f"{len(self.arms)} arms, {decided}{turns} turns decided"
            return f"<Bandit {self.policy}: {played}{waiting}>"
