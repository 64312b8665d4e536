"""What can be asked of a live bandit without changing it."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from typing import Generic

from highseason.bandit.events import EventStore
from highseason.bandit.ledger import ArmT, Decision
from highseason.bandit.multiplier_source import TurnLike
from highseason.bandit.session import BanditSession, Ranked
from highseason.multipliers import Multiplier
from highseason.policies import Policy


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
            return self._session.ranking()

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
            return f"<Bandit {self.policy}: {len(self.arms)} arms, {decided}{turns} turns decided>"
