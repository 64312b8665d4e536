"""The bandit inside a user's program: it decides a turn when asked, and learns when told."""

from __future__ import annotations

import threading
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, Literal, Self

from highseason.bandit import serialization
from highseason.bandit.arm_table import ArmTable, listed
from highseason.bandit.errors import BanditError
from highseason.bandit.ids import plain
from highseason.bandit.ledger import Decision
from highseason.bandit.lifetimes import choose_opening
from highseason.bandit.multiplier_source import KnownMultiplier, MultiplierSource, OnlineMultiplier
from highseason.bandit.scale import Scale
from highseason.bandit.session import BanditSession, Ranked, Report
from highseason.multipliers import Multiplier, as_multiplier
from highseason.policies import Policy


class Bandit:
    """One live game, played by the same plan and the same rule as `play` and `simulate`.

    Ask `pull` for the arm of a turn; when the turn's takings are known, `update`.  Rewards may come
    late and in any order, arms may come and go, and `to_json` keeps everything.  All methods may be
    called from many threads.

    The reward of a turn is its *total*; it is divided by the traffic that came, so a busy turn says
    no more for an arm than a quiet one.  Until that traffic is known the reward waits.

    Args:
        arms: The ids of the arms: any hashable objects, no two equal.
        policy: How to play.
        multiplier: G or its forecast for the turns ahead, in any form that `as_multiplier` takes;
            with a calendar, turns may be named by dates.  None if nothing is known of a turn before
            it comes: every `pull` then says what is `expected`, and turns are decided in order.
        reward_range: The least and the greatest reward *per customer*.  Rewards are brought to
            [0, 1] by it; those outside are clipped and counted in `clipped`.  UCB-type rules need
            it.
        seed: Where the random numbers come from: they are a function of (seed, turn) and of nothing
            else.  The game is that of `play(…, seed=seed, game=0)`; but where arms come and go,
            plans that depend on m (epsilon and pool policies) go by the arms there now, those of
            `play` by as many as are there on average.
        known: Whether `multiplier` is the traffic itself.  A reward told without traffic is then
            divided by G(t); otherwise it waits.
        expires: The last turn, or its date, of the arms that do not stay for good, by id; "unknown"
            for those that will go, nobody knows when.

    A turn that was decided stays decided.  The plan of all other turns is that of a game with the
    arms and the turns known now: `add_arm`, `remove_arm` and `extend` change m and G for them, and
    every rule on G (`q0.75`, the least G) is read from the whole, longer multiplier.  Arms that
    wait for a low turn count in m, and so do arms that `available` leaves out.  A forecast steers
    the plan as G would, and the traffic that then comes does not move it; without a multiplier,
    what rules on G are read from is the traffic that came and what is expected now.

    >>> import highseason as hs
    >>> shelf = hs.Bandit(
    ...     ["9.99", "10.99"], hs.SoftUCB(), [300, 280, 900, 310], reward_range=(0, 12), seed=7
    ... )
    >>> shelf.pull()
    '9.99'
    >>> shelf.pull(t=2)
    '10.99'
    >>> shelf.update("9.99", reward=1234.5, traffic=310)
    >>> shelf.update("10.99", reward=1400.0, t=2, traffic=280)
    >>> shelf.ranking()[0]
    Ranked(arm='10.99', estimate=5.0, pulls=1)
    >>> shelf.pull(t=3), shelf.pull(t=3)  # asked again, the same
    ('10.99', '10.99')
    """

    def __init__(
        self,
        arms: Iterable[Hashable],
        policy: Policy,
        multiplier: Any = None,
        *,
        reward_range: tuple[float, float] | None = None,
        seed: int = 0,
        known: bool = False,
        expires: Mapping[Hashable, Any] | None = None,
    ) -> None:
        if not isinstance(policy, Policy):
            raise BanditError(f"{policy!r} is not a policy: give one such as hs.SoftUCB()")
        scale = Scale.of(reward_range, policy)
        source = _source(policy, multiplier, known)
        game = BanditSession(policy, seed, scale, source, ArmTable(policy.rule))
        if not isinstance(expires, Mapping | None):
            raise BanditError(f"expires={expires!r} must say it by arm, such as {{'a': 30}}")
        ends = dict(expires or {})
        for arm in listed("arms", arms):
            game.add_arm(arm, hold=False, expires=ends.pop(plain(arm), None))
        if ends:
            raise BanditError(f"expires names {next(iter(ends))!r}, which is not among the arms")
        if not game.names:
            raise BanditError("a bandit needs at least one arm")
        choose_opening(game.table, policy, source)
        self._begin(game)
        if isinstance(source, KnownMultiplier):
            source.plan_first(len(game.names))  # now, so that its warnings come now, only once

    def _begin(self, game: BanditSession) -> None:
        self._session = game
        self._lock = threading.RLock()

    # -- deciding ---------------------------------------------------------------------------------

    def pull(
        self, t: Any = None, available: Iterable[Hashable] | None = None, expected: Any = None
    ) -> Any:
        """The arm to play in a turn.

        A turn is decided once.  Asked again, the answer is the same, whatever was learnt since,
        whatever is available now, and even if the arm has been removed: it is what was played.

        Args:
            t: The turn, from 1, or its date; None is the turn after the last that was decided.
                Turns may be asked in any order, and some never.
            available: The arms that may be played in this turn; None allows all.
            expected: The traffic expected in this turn; needed for a bandit without a multiplier,
                refused for one with.

        Returns:
            The arm's id.

        Raises:
            PastForecastError: The turn lies beyond the multiplier; `extend` it.

        >>> import highseason as hs
        >>> shelf = hs.Bandit(["a", "b"], hs.Greedy(), [5, 5, 5])
        >>> shelf.pull(available=["b"]), shelf.pull(), shelf.pull(t=1)
        ('b', 'a', 'b')
        >>> shelf.pull(t=4)
        Traceback (most recent call last):
        ...
        highseason.bandit.errors.PastForecastError: turn 4 is past the forecast, which ends at \
turn 3: append turns with extend(…)
        """
        return self.decide(t, available, expected).arm

    def decide(
        self, t: Any = None, available: Iterable[Hashable] | None = None, expected: Any = None
    ) -> Decision:
        """As `pull`, but with the turn, the probability and all else that a log wants.

        >>> import highseason as hs
        >>> hs.Bandit(["a", "b"], hs.Greedy(), [5, 5, 5]).decide()
        Decision(turn=1, arm='a', probability=1.0, exploited=False, level=0.0,
                 reward=None, traffic=None)
        """
        with self._lock:
            return self._session.decision(self._session.decide(t, available, expected))

    def probabilities(
        self, t: Any = None, available: Iterable[Hashable] | None = None, expected: Any = None
    ) -> dict[Any, float]:
        """How likely each arm is to be chosen; the turn is not decided by asking.

        Args:
            t: As for `pull`.  For a turn that was decided: how likely each arm was at that moment.
            available: As for `pull`.
            expected: As for `pull`.

        Returns:
            The chance of every arm; they sum to 1.  Exact for the rules of this library.  For a
            rule without `chances` it is the share of 4,096 sets of random numbers (the turn's own
            is one of them), and each decision takes that much longer.

        >>> import highseason as hs
        >>> shelf = hs.Bandit(["a", "b"], hs.EpsilonGreedy(k=1), [5] * 9, known=True)
        >>> shelf.probabilities()  # the first round is no matter of chance
        {'a': 1.0, 'b': 0.0}
        >>> for reward in (3, 4): shelf.update(shelf.pull(), reward)
        >>> shelf.probabilities(t=8)  # explores with chance k·m/t = 1/4
        {'a': 0.125, 'b': 0.875}
        """
        with self._lock:
            return self._session.chances(t, available, expected)

    # -- learning ---------------------------------------------------------------------------------

    def update(self, arm: Hashable, reward: Any, t: Any = None, traffic: Any = None) -> None:
        """Tell what a turn brought, when it is known; late, and in any order, will do.

        Telling the same again changes nothing, so a request may be sent twice.  (Say `t` then:
        without it the second would be taken for another turn.)  Telling something else is refused.

        Args:
            arm: The arm that was played; it may have been removed since.
            reward: The turn's total reward.
            t: The turn; None is the arm's most recent decision that has no reward yet.
            traffic: The traffic that brought it; None where `traffic()` told it, where G is known
                (then it is G), or where it is still to come (then the reward waits).  With 0 there
                is nothing to learn, and the turn is closed.

        >>> import highseason as hs
        >>> shelf = hs.Bandit(["a", "b"], hs.Greedy(), [5, 5, 5])
        >>> shelf.update(shelf.pull(), reward=20)  # nobody has counted the customers yet
        >>> [decision.turn for decision in shelf.pending]
        [1]
        >>> shelf.update("a", reward=20, t=1, traffic=4)
        >>> shelf.ranking()[0]
        Ranked(arm='a', estimate=5.0, pulls=1)
        """
        with self._lock:
            self._session.update([Report(arm, reward, t, traffic)])

    def update_many(self, rows: Iterable[Mapping[str, Any] | Sequence[Any]]) -> None:
        """Tell what many turns brought: all of the rows are taken in, or none.

        Args:
            rows: Each a mapping with `arm`, `reward` and, as for `update`, `t` and `traffic`; or a
                sequence in that order.

        >>> import highseason as hs
        >>> shelf = hs.Bandit(["a", "b"], hs.Greedy(), [5, 5, 5])
        >>> for t in (1, 2): _ = shelf.pull(t)
        >>> shelf.update_many([("a", 20, 1, 4), {"arm": "b", "reward": 12, "t": 7}])
        Traceback (most recent call last):
        ...
        highseason.bandit.errors.PastForecastError: row 2: turn 7 is past ...
        >>> len(shelf.unrewarded)
        2
        """
        reports = [_report(number, row) for number, row in enumerate(rows, start=1)]
        with self._lock:
            self._session.update(reports, numbered=True)

    def traffic(self, t: Any, value: Any) -> None:
        """Tell the traffic of a decided turn; a reward that waits for it is then learnt.

        >>> import highseason as hs
        >>> shelf = hs.Bandit(["a", "b"], hs.Greedy(), [5, 5, 5])
        >>> shelf.update(shelf.pull(), reward=20)
        >>> shelf.traffic(1, 4)
        >>> shelf.pending
        []
        """
        with self._lock:
            self._session.tell_traffic(t, value)

    # -- arms and turns ---------------------------------------------------------------------------

    def add_arm(
        self, arm: Hashable, when: Literal["low", "now"] = "low", expires: Any = None
    ) -> None:
        """Bring an arm into the game, or back into it with all that was learnt of it.

        Args:
            arm: Its id.
            when: `"low"`: it is first tried on a low turn, and is left out of every other turn
                until then, unless there is nothing else to play.  `"now"`: the rule may choose it
                from the next turn on (most rules play a new arm at once).
            expires: The last turn, or its date, in which it may be played; None if it stays,
                "unknown" if it will go one day (`remove_arm` then).  A date means the last turn
                that is not after it; one past the forecast is found when `extend` gets there.
                Policies for mortal arms (`SoftUCBMortal`, `UCBL`) explore by it.

        A turn is low when G(t) lies below the policy's z or, where it has none, below the 0.75
        quantile of the multiplier.  The quietest turns of all always count as low.

        >>> import highseason as hs
        >>> shelf = hs.Bandit(["a"], hs.Greedy(), [10, 90, 10, 90], known=True)
        >>> shelf.update(shelf.pull(), 50)
        >>> shelf.add_arm("b")
        >>> shelf.pull(), shelf.pull()  # turn 2 is busy
        ('a', 'b')
        """
        if when not in ("low", "now"):
            raise BanditError(f"when={when!r} must be 'low' or 'now'")
        with self._lock:
            self._session.add_arm(arm, hold=when == "low", expires=expires)

    def remove_arm(self, arm: Hashable) -> None:
        """Take an arm out of the game: no turn will be decided for it any more.

        Turns that were decided for it stay, and their rewards are taken in when they come.

        >>> import highseason as hs
        >>> shelf = hs.Bandit(["a", "b"], hs.UniformRandom(), [5] * 9)
        >>> shelf.remove_arm("a")
        >>> {shelf.pull() for _ in range(9)}
        {'b'}
        """
        with self._lock:
            self._session.remove_arm(arm)

    def extend(self, more: Any) -> None:
        """Append turns to the multiplier.

        Decided turns stay as they are.  For all others the plan is computed again on the whole,
        longer multiplier: thresholds such as `q0.75`, units and least values may move.

        Args:
            more: The turns after the last, in any form that `as_multiplier` takes; with a calendar
                if the multiplier has one.

        >>> import highseason as hs
        >>> shelf = hs.Bandit(["a", "b"], hs.Greedy(), [5])
        >>> shelf.extend([5, 80])
        >>> shelf.multiplier.turns
        3
        """
        with self._lock:
            self._session.extend(more)

    # -- looking ----------------------------------------------------------------------------------

    def ranking(self) -> list[Ranked]:
        """The arms in the game, best first, as `(arm, estimate, pulls)`.

        Estimates are rewards per customer in the unit of the rewards told (for the naive policies:
        per turn, above the least).  Arms without any reward come last, with None.

        >>> import highseason as hs
        >>> shelf = hs.Bandit(["a", "b"], hs.Greedy(), [5, 5], known=True)
        >>> shelf.update(shelf.pull(), reward=20)
        >>> shelf.ranking()
        [Ranked(arm='a', estimate=4.0, pulls=1), Ranked(arm='b', estimate=None, pulls=0)]
        """
        with self._lock:
            return self._session.ranking()

    def decision(self, t: Any) -> Decision:
        """What was decided for a turn, how likely it was, and what has come of it so far.

        >>> import highseason as hs
        >>> shelf = hs.Bandit(["a", "b"], hs.Greedy(), [5, 5], known=True)
        >>> shelf.update(shelf.pull(), reward=20)
        >>> shelf.decision(1).traffic
        5.0
        """
        with self._lock:
            return self._session.decision(self._session.row_of_decided(t))

    def decisions(self) -> list[Decision]:
        """The whole log, in the order in which turns were decided."""
        with self._lock:
            return [self._session.decision(row) for row in range(len(self._session.ledger))]

    @property
    def pending(self) -> list[Decision]:
        """Decisions whose reward has come and waits for its traffic."""
        with self._lock:
            return [self._session.decision(row) for row in self._session.ledger.pending()]

    @property
    def unrewarded(self) -> list[Decision]:
        """Decisions whose reward has not come yet."""
        with self._lock:
            return [self._session.decision(row) for row in self._session.ledger.unrewarded()]

    @property
    def arms(self) -> tuple[Any, ...]:
        """The arms in the game in the turn after the last that was decided."""
        with self._lock:
            return self._session.names

    @property
    def clipped(self) -> int:
        """How many rewards lay outside `reward_range`.  More than a few: the range is wrong."""
        return self._session.clipped

    @property
    def policy(self) -> Policy:
        """How it plays."""
        return self._session.policy

    @property
    def seed(self) -> int:
        """Where its random numbers come from."""
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
        source = self._session.source
        return source.multiplier if isinstance(source, KnownMultiplier) else None

    def __repr__(self) -> str:
        with self._lock:
            turns = "" if self.multiplier is None else f" of {self.multiplier.turns}"
            decided = len(self._session.ledger)
            return f"<Bandit {self.policy}: {len(self.arms)} arms, {decided}{turns} turns decided>"

    # -- keeping ----------------------------------------------------------------------------------

    def to_json(self) -> str:
        """Everything as a JSON document, the random state too: `from_json` goes on identically.

        Ids must be str, int, float, bool, None, or tuples of these.

        >>> import highseason as hs
        >>> shelf = hs.Bandit(["a", "b"], hs.UniformRandom(), [5] * 9)
        >>> twin = hs.Bandit.from_json(shelf.to_json())
        >>> [shelf.pull(t) for t in range(1, 10)] == [twin.pull(t) for t in range(1, 10)]
        True
        """
        with self._lock:
            return serialization.write(self._session)

    @classmethod
    def from_json(cls, text: str | bytes, policy: Policy | None = None) -> Self:
        """The bandit that `to_json` wrote.

        Args:
            text: The document.
            policy: Needed only for a policy that has no name, and so cannot be found by it.

        Raises:
            DocumentError: It is damaged, or a later version wrote it.
        """
        bandit = cls.__new__(cls)
        bandit._begin(serialization.read(text, policy))
        return bandit


def _source(policy: Policy, multiplier: Any, known: bool) -> MultiplierSource:
    if multiplier is not None:
        return KnownMultiplier(policy, as_multiplier(multiplier), bool(known))
    if known:
        raise BanditError("known=True declares the multiplier to be the truth, but there is none")
    return OnlineMultiplier(policy)


def _report(number: int, row: Mapping[str, Any] | Sequence[Any]) -> Report:
    try:
        if isinstance(row, str):  # its letters would be taken for an arm and a reward
            raise TypeError
        return Report(**row) if isinstance(row, Mapping) else Report(*row)
    except TypeError:
        raise BanditError(
            f"row {number}: {row!r} is not (arm, reward, t, traffic), the last two as needed"
        ) from None
