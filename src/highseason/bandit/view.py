"""What can be asked of a live bandit without changing it."""

from __future__ import annotations

import math
import threading
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Generic, Literal, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from highseason.bandit.errors import BanditError
from highseason.bandit.events import EventStore
from highseason.bandit.ledger import ArmT, Decision
from highseason.bandit.multiplier_source import TurnLike
from highseason.bandit.session import BanditSession
from highseason.core.validation import one_of
from highseason.engine.statistics import with_interval
from highseason.policies import Policy
from highseason.traffic import Multiplier

if TYPE_CHECKING:
    import pandas as pd


class Ranked(NamedTuple, Generic[ArmT]):
    """An arm, its estimate, and how many of its turns the rule has learned from.

    The estimate is in the user's unit, None before any reward; old rewards may count less in it.
    `low` and `high` are its 95% interval, None before the second reward: the error is that of a
    mean of the same rewards, clipped to `reward_range` and counted as the policy counts turns.
    """

    arm: ArmT
    estimate: float | None
    pulls: int
    low: float | None = None
    high: float | None = None


class BanditView(Generic[ArmT]):
    """The part of `Bandit` that only reads."""

    _session: BanditSession[ArmT]
    _store: EventStore
    _lock: threading.RLock

    def ranking(self, gone: bool = False) -> list[Ranked[ArmT]]:
        """The arms in the game, best first, as `(arm, estimate, pulls, low, high)`.

        Estimates are what the policy compares arms by: rewards per customer in the unit of the
        reported rewards (for the naive policies: per turn), None before the first reward.  Where
        the policy exploits, it plays the first of the arms on offer.

        Args:
            gone: Also list the arms that were removed or have expired, after the others.
        """
        with self._lock:
            session, state = self._session, self._session.table.state
            ledger = session.ledger
            last = ledger.arms[-1] if len(ledger) and ledger.exploited[-1] else -1
            standings = session.policy.rule.standings(state, last)
            estimates = np.full(len(standings), math.nan)
            for arm, value in standings:
                estimates[arm] = math.nan if value is None else value
            pulls, errors = _pulls_and_errors(session, estimates)
            present = session.table.present(ledger.last_turn + 1)
            order = [arm for arm, _ in standings if present[arm]]
            order += [arm for arm, _ in standings if gone and not present[arm]]
            return [
                _ranked(session, arm, estimates[arm], int(pulls[arm]), errors[arm]) for arm in order
            ]

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
            ranked = {row.arm: row for row in self.ranking()}
            rows = [ranked[arm] for arm in self._session.names]
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


def _pulls_and_errors(
    session: BanditSession[Any], estimates: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """How many turns of each arm were learned from, and the estimates' errors; NaN below two."""
    lessons = np.array(list(session.ledger.lessons())).reshape(-1, 3)
    arms, rewards, traffic = lessons[:, 0].astype(np.int64), lessons[:, 1], lessons[:, 2]
    size = estimates.size
    weights = np.array([session.weight_of(came) for came in traffic.tolist()], float)
    pulls = np.bincount(arms, minlength=size)
    with np.errstate(all="ignore"):
        values = session.scale.all_learned(rewards, traffic)
        shares = weights / np.bincount(arms, weights, size)[arms]
        squares = np.bincount(arms, (shares * (values - estimates[arms])) ** 2, size)
        return pulls, np.sqrt(squares * pulls / (pulls - 1))


def _ranked(
    session: BanditSession[ArmT], arm: int, estimate: float, pulls: int, error: float
) -> Ranked[ArmT]:
    """An arm in the user's unit; NaN is None."""
    name, scale = session.table.ids[arm], session.scale
    if math.isnan(estimate):
        return Ranked(name, None, pulls)
    value = scale.shown(float(estimate))
    if not math.isfinite(error):
        return Ranked(name, value, pulls)
    around = with_interval(value, (scale.high - scale.low) * float(error))
    return Ranked(name, value, pulls, around.low, around.high)
