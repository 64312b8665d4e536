"""The bandit inside a user's program: it decides turns, and learns from what they bring."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Literal, Self

from highseason.bandit import documents
from highseason.bandit.certainty import Ranked, ranking, unsure_because, verdict
from highseason.bandit.demand import Demand, Why, demand, why
from highseason.bandit.errors import BanditError
from highseason.bandit.events import EventStore
from highseason.bandit.game import LiveGame, started
from highseason.bandit.ledger import NO_ROW, ArmT, Decision, warn_of_waiting
from highseason.bandit.prices import PRICE_POLICY, opened
from highseason.bandit.rows import Report, Rows, in_order, reports_of
from highseason.bandit.season import TurnLike
from highseason.core.validation import one_of
from highseason.policies import DEFAULT_POLICY, Policy
from highseason.rewards import Offer
from highseason.traffic import Multiplier

if TYPE_CHECKING:
    import pandas as pd

#: What River, MABWiser, scikit-learn and Optuna call on a bandit.
_CALLED_ELSEWHERE = (
    "ask tell recommend select_arm partial_fit predict predict_expectations predict_one learn_one"
).split()


class Bandit(documents.Stored[ArmT]):
    """One live game, played by the same plan and the same rule as `play` and `simulate`.

    `pull` gives the arm of a turn; `update` reports what the turn brought.  Rewards may come late
    and in any order, and arms may come and go.  All methods may be called from many threads.

    The reward of a turn is its *total*.  It is divided by the visitors who came, so a busy turn
    counts no more for an arm than a quiet one; until they are counted, the reward waits.

    Args:
        arms: The ids of the arms: any hashable objects, no two equal; or `prices`.
        policy: How to play: a policy, or its text, such as "ucb-z:z=30".  By default the option
            index, for prices the price curve: they have nothing to tune, and count visitors.
        multiplier: G or its forecast for the turns ahead, in any form that `as_multiplier` takes;
            with a calendar, turns may be named by dates.  None if nothing is known of a turn before
            it comes: every `pull` then needs `expected`, and turns are decided in order.
        prices: Arms that are prices of one thing, as numbers or text.  An arm's id is its price as
            it was given; purchases are reported in place of rewards, and money follows from them.
        cost: What a sold piece costs, or a list with a cost for each price; 0 by default.
        tax: The tax in the prices, such as 0.19 or "19%", where costs have none in them.
        reward_range: The least and the greatest reward *per visitor*.  Rewards are scaled to
            [0, 1] by it, and one outside is refused until it is confirmed.  UCB-type rules and the
            option index need it; of prices it is known.
        seed: The random numbers are a function of (seed, turn) and of nothing else.  The game is
            that of `play(…, seed=seed, game=0)`, but plans follow the number of arms there now.
        known: Whether `multiplier` is the number of visitors itself.  A reward without `visitors`
            is then divided by G(t); otherwise it waits.
        expires: The last turn, or its date, of arms that do not stay, by id; "unknown" for those
            that will go at an unknown time.
        store: Where every change is written as an event; in memory by default.  `from_events`
            continues from a store.

    A decided turn stays decided.  All other turns follow the plan for the arms and turns known now;
    arms that wait for a low turn count, and so do arms that `available` leaves out.  Visitors who
    come change the plan of a forecast only through `reforecast`; without a multiplier, thresholds
    such as `q0.75` are read from them and from what is expected now.

    >>> import highseason as hs
    >>> shelf = hs.Bandit(
    ...     ["9.99", "10.99"], hs.SoftUCB(), [300, 280, 900, 310], reward_range=(0, 12), seed=7
    ... )
    >>> shelf.pull()
    '9.99'
    >>> shelf.pull(t=2)
    '10.99'
    >>> shelf.update("9.99", reward=1234.5, visitors=310)
    >>> shelf.update("10.99", reward=1400.0, t=2, visitors=280)
    >>> shelf.ranking()[0]
    Ranked(arm='10.99', estimate=5.0, pulls=1, low=None, high=None, chance_best=None, loss=None)
    >>> shelf.pull(t=3), shelf.pull(t=3)  # asked again, the same
    ('10.99', '10.99')
    """

    def __init__(
        self,
        arms: Iterable[ArmT] | None = None,
        policy: Policy | str | None = None,
        multiplier: Any = None,
        *,
        prices: Iterable[ArmT] | str | None = None,
        cost: Any = None,
        tax: Any = None,
        reward_range: tuple[float, float] | None = None,
        seed: int = 0,
        known: bool = False,
        expires: Mapping[ArmT, Any] | None = None,
        store: EventStore | None = None,
    ) -> None:
        ids, offers = opened(arms, prices, cost, tax, reward_range)
        usual = DEFAULT_POLICY if offers is None else PRICE_POLICY
        policy = usual if policy is None else policy
        event = started(ids, offers, policy, multiplier, reward_range, seed, known, expires)
        game = LiveGame.start(event, event.policy)
        game.source.check_plan(len(game.names))  # here, so that its warnings come only once
        self._take(game, documents.filled(store, [event]))

    if not TYPE_CHECKING:  # type checkers would take it for any attribute

        def __getattr__(self, name: str) -> Any:
            """Name the methods that people know by others from other libraries."""
            message = f"'Bandit' object has no attribute {name!r}" + (
                ": write arm = bandit.pull(), bandit.update(arm, reward, visitors=…) and "
                "bandit.expectations()"
            ) * (name in _CALLED_ELSEWHERE)
            raise AttributeError(message, name=name, obj=self)

    # -- playing -----------------------------------------------------------------------------------

    def pull(
        self,
        t: TurnLike | None = None,
        available: Iterable[ArmT] | None = None,
        expected: float | None = None,
    ) -> ArmT:
        """The arm to play in a turn.

        A turn is decided once.  Asked again, the answer is the same, whatever was learned since,
        whatever is available now, and even if the arm was removed: it is what was played.

        Args:
            t: The turn, from 1, its date, or any time during it, such as `datetime.now(UTC)`; None
                is the turn after the last that was decided.  Turns may be asked in any order, and
                may be left out.
            available: The arms that may be played in this turn; None allows all.
            expected: The visitors expected in this turn; only for a bandit without a multiplier,
                which needs it.

        Raises:
            PastForecastError: The turn lies beyond the multiplier; `extend` it.

        >>> import highseason as hs
        >>> shelf = hs.Bandit(["a", "b"], hs.Greedy(), [5, 5, 5])
        >>> shelf.pull(available=["b"]), shelf.pull(), shelf.pull(t=1)
        ('b', 'a', 'b')
        """
        return self.decide(t, available, expected).arm

    def decide(
        self,
        t: TurnLike | None = None,
        available: Iterable[ArmT] | None = None,
        expected: float | None = None,
    ) -> Decision[ArmT]:
        """Like `pull`, but with the turn, the probability and everything else for a log."""
        with self._lock:
            turn, ledger = self._game.turn_of(t), self._game.ledger
            if ledger.row(turn) == NO_ROW:
                self._change(lambda game: game.decide(turn, available, expected))
            return self._game.decision(ledger.row(turn))

    def probabilities(
        self,
        t: TurnLike | None = None,
        available: Iterable[ArmT] | None = None,
        expected: float | None = None,
    ) -> dict[ArmT, float]:
        """How likely each arm is to be chosen; asking does not decide the turn.

        The arguments are those of `pull`.  Of a decided turn: how likely each arm was at that
        moment.  They are exact for the rules of this library; for a rule without `probabilities`
        they are estimated from 4,096 sets of random numbers, so that each decision takes longer.

        >>> import highseason as hs
        >>> shelf = hs.Bandit(["a", "b"], hs.EpsilonGreedy(k=1), [5] * 9, known=True)
        >>> shelf.probabilities()  # the first round is deterministic
        {'a': 1.0, 'b': 0.0}
        >>> for reward in (3, 4): shelf.update(shelf.pull(), reward)
        >>> shelf.probabilities(t=8)  # explores with probability k·m/t = 1/4
        {'a': 0.125, 'b': 0.875}
        """
        with self._lock:
            return self._game.probabilities(t, available, expected)

    def update(
        self,
        arm: ArmT,
        reward: float | None = None,
        t: TurnLike | None = None,
        visitors: float | None = None,
        *,
        purchases: int | None = None,
        takings: float | None = None,
        confirm: bool = False,
    ) -> None:
        """Report what a turn brought, as soon as it is known; late and in any order.

        The same report again changes nothing, so a request may be sent twice.  (Pass `t` then:
        without it the second would be taken for another turn.)  Another value is refused.

        Args:
            arm: The arm that was played; it may have been removed since.
            reward: The turn's total reward; not of a price.
            t: The turn; None is the arm's most recent decision without a reward.
            visitors: Those who came; None if `count_visitors` reported them, if G is known
                (then it is G), or if it is still to come (then the reward waits).  With 0 there is
                nothing to learn, and the turn is closed; so report a day on which there was
                nothing to sell.
            purchases: Of a price: how many of the visitors bought.
            takings: Or what they paid: a whole number of sales at the price, to the cent.
            confirm: Whether a reward per visitor outside `reward_range`, an `UnconfirmedError`, is
                right.  It is recorded as reported, and learned as the end of the range.

        >>> import highseason as hs
        >>> shelf = hs.Bandit(["a", "b"], hs.Greedy(), [5, 5, 5])
        >>> shelf.update(shelf.pull(), reward=20)  # the visitors are not counted yet
        >>> shelf.update("a", reward=20, t=1, visitors=4)
        >>> shelf.expectations()
        {'a': 5.0, 'b': None}
        """
        self._report([Report(arm, reward, t, visitors, purchases, takings)], confirm)

    def update_many(self, rows: Rows, *, confirm: bool = False) -> None:
        """Report what many turns brought: all rows are taken in, or none.

        Args:
            rows: Each a mapping with `arm`, `reward` and, as for `update`, `t` and `visitors`; or a
                sequence in that order.  Or a table with these columns (`turn` is `t`, too): a
                DataFrame of pandas or Polars, or an Arrow table.
            confirm: As for `update`, of all rows.

        >>> import highseason as hs
        >>> shelf = hs.Bandit(["a", "b"], hs.Greedy(), [5, 5, 5])
        >>> for t in (1, 2): _ = shelf.pull(t)
        >>> shelf.update_many([("a", 20, 1, 4), {"arm": "b", "reward": 12, "t": 2, "visitors": 3}])
        >>> len(shelf.unrewarded)
        0
        """
        self._report(reports_of(rows, self._game.scale.called), confirm, numbered=True)

    def _report(self, reports: list[Report], confirm: bool, numbered: bool = False) -> None:
        with self._lock:
            before = self.waiting
            self._change(lambda game: game.report(reports, numbered), confirm)
            warn_of_waiting(before, self.waiting)

    def correct(
        self,
        t: TurnLike,
        reward: float | None = None,
        *,
        purchases: int | None = None,
        takings: float | None = None,
        confirm: bool = False,
    ) -> None:
        """Replace a reward that was reported wrong.

        The report stays on record; the correction is a new event.  Afterwards the bandit knows what
        it would know if the reward had been this one from the start.  (Only peak grabbers, which
        look at the arms on offer when they learn, see those that are there now.)  What was decided
        in between stays decided.  `confirm` is that of `update`.

        >>> import highseason as hs
        >>> shelf = hs.Bandit(["a", "b"], hs.Greedy(), [5, 5, 5])
        >>> shelf.update(shelf.pull(), reward=2000, visitors=4)
        >>> shelf.correct(1, reward=20)
        >>> shelf.expectations()
        {'a': 5.0, 'b': None}
        """
        report = Report(None, reward, t, None, purchases, takings)
        self._change(lambda game: game.correct(report), confirm)

    def fit(self, history: Rows, *, confirm: bool = False) -> Self:
        """Learn from what was earned before the first turn.

        Each row counts as one turn: its arm was tried, and its visitors brought `reward` in
        total.  Rows without visitors are ignored.  Without a multiplier, thresholds such as
        `q0.75` are read from these visitors, too.

        Args:
            history: Rows or a table as for `update_many`, with `visitors` in each.  `turn` (or `t`)
                is optional: a number or a time by which the rows are put in order.
            confirm: As for `update`, of all rows.

        >>> import highseason as hs
        >>> import pandas as pd
        >>> past = pd.DataFrame({"arm": ["a", "b"], "reward": [20, 9], "visitors": [4, 3]})
        >>> shelf = hs.Bandit(["a", "b"], hs.Greedy(), [5, 5, 5]).fit(past)
        >>> shelf.pull(), shelf.expectations()
        ('a', {'a': 5.0, 'b': 3.0})
        """
        reports = in_order(reports_of(history, self._game.scale.called))
        self._change(lambda game: game.fit(reports), confirm)
        return self

    def count_visitors(self, t: TurnLike, visitors: float, *, confirm: bool = False) -> None:
        """Report the visitors of a decided turn; a reward that waits for them is then learned."""
        self._change(lambda game: game.report_visitors(t, visitors), confirm)

    def add_arm(
        self,
        arm: ArmT,
        when: Literal["low", "now"] = "low",
        expires: Any = None,
        *,
        cost: float | None = None,
    ) -> None:
        """Bring an arm into the game, or back into it with everything that was learned of it.

        Args:
            arm: The arm's id.
            when: `"low"`: it is first tried on a low turn, and left out of others until then,
                unless there is nothing else to play.  `"now"`: the rule may choose it from the
                next turn on (most rules play a new arm at once).
            expires: The last turn, or its date, in which it may be played; None if it stays,
                "unknown" if it will go at an unknown time (call `remove_arm` then).  A date means
                the last turn that is not after it; one past the forecast takes effect when `extend`
                gets there.  Policies for mortal arms (`SoftUCBMortal`, `UCBL`) explore by it.
            cost: Of a price: what a sold piece costs; None if it costs what all others do.

        A turn is low when G(t) is below the policy's z or, if it has none, below the 0.75 quantile
        of the multiplier.  The quietest turns always count as low.

        >>> import highseason as hs
        >>> shelf = hs.Bandit(["a"], hs.Greedy(), [10, 90, 10, 90], known=True)
        >>> shelf.update(shelf.pull(), 50)
        >>> shelf.add_arm("b")
        >>> shelf.pull(), shelf.pull()  # turn 2 is busy
        ('a', 'b')
        """
        one_of("when", when, ("low", "now"), BanditError)
        self._change(lambda game: game.add_arm(arm, when == "low", expires, cost))

    def remove_arm(self, arm: ArmT) -> None:
        """Take an arm out of the game: it is not chosen any more.

        Turns that were decided for it stay, and their rewards are taken in when they come.
        """
        self._change(lambda game: game.remove_arm(arm))

    def change_worth(self, *, cost: Any = None, tax: Any = None, reward_range: Any = None) -> None:
        """Change what a turn's outcome is worth; all that was reported is learned again at that.

        Args:
            cost: What a sold piece costs now: a number, one for each price in `arms`, or the new
                ones by price.  Prices that left the game keep theirs.
            tax: The tax in the prices now.
            reward_range: Of arms that are no prices: the least and the greatest reward per visitor.

        >>> import highseason as hs
        >>> shelf = hs.Bandit(["a", "b"], "ucb", [5, 5], reward_range=(0, 1))
        >>> shelf.update(shelf.pull(), reward=20, visitors=4, confirm=True)
        >>> shelf.change_worth(reward_range=(0, 12))  # it was learned as the end of the range
        >>> shelf.expectations()["a"]
        5.0
        """
        self._change(lambda game: game.change_worth(cost, tax, reward_range))

    def extend(self, more: Any) -> None:
        """Append turns to the multiplier.

        They come in any form that `as_multiplier` takes, with a calendar if the multiplier has one.
        For all undecided turns the plan is computed again on the longer multiplier: thresholds such
        as `q0.75`, units and least values may change.
        """
        self._change(lambda game: game.extend(more))

    def reforecast(self, forecast: Any, first: TurnLike | None = None) -> None:
        """Replace the multiplier of the turns that are not decided, from a turn on.

        A season is forecast again as visitors come: what was decided stays, and the plan of the
        turns to come is made again from what they are expected to be now.  So what a policy that
        looks ahead (`OptionIndex`) expects to follow, and whether it waits, is renewed too.

        Args:
            forecast: All turns from `first` on, in any form that `as_multiplier` takes, such as a
                `Forecast`; with a calendar if the multiplier has one.  Turns that are decided keep
                theirs, and days of the calendar before the first are left out.
            first: The first turn that is replaced, or its date; None is the one after the last
                that was decided.  An earlier one is for turns that were left out.

        >>> import highseason as hs
        >>> shelf = hs.Bandit(["a", "b"], hs.Greedy(), [5, 80, 5])
        >>> shelf.pull()
        'a'
        >>> shelf.reforecast([40, 40, 40, 40])
        >>> shelf.multiplier.values
        array([ 5., 40., 40., 40., 40.])
        """
        with self._lock:
            kept = self.last_turn if first is None else self._game.turn_of(first) - 1
            self._change(lambda game: game.reforecast(kept, forecast))

    # -- looking -----------------------------------------------------------------------------------

    def ranking(self, gone: bool = False) -> list[Ranked[ArmT]]:
        """The arms in the game, best first, with how sure that is: rows of `Ranked`.

        Estimates are what the policy compares arms by: rewards per visitor in the unit of the
        reported rewards (for the naive policies: per turn), None before the first reward.  Where
        the policy exploits, it plays the first of the arms on offer.

        Args:
            gone: Also list the arms that were removed or have expired, after the others.
        """
        with self._lock:
            return ranking(self._game, gone)

    def demand(self) -> Demand[ArmT]:
        """What all sales say of each price: a row of `PriceDemand` for each, the lowest first.

        >>> import highseason as hs
        >>> shelf = hs.Bandit(prices=[8.99, 9.99, 12.99], cost=4, multiplier=[300, 900])
        >>> past = {"price": [8.99, 9.99], "purchases": [90, 70], "visitors": [900, 880]}
        >>> [row.purchases for row in shelf.fit(past).demand()]
        [90.0, 70.0, 0.0]
        """
        with self._lock:
            return demand(self._game)

    def verdict(self) -> str:
        """Whether you may stop, and what that would lose, in a sentence made of `ranking`.

        You may stop when the leader is best with a chance of 95%.  Stopping costs almost nothing
        when playing it for ever loses at most half a percent of what it brings.  Of prices, what it
        would lose is not said.

        >>> import highseason as hs
        >>> shelf = hs.Bandit(["a", "b"], "greedy", [5.0], reward_range=(0, 1))
        >>> past = [("a", 40 + t % 3, t, 99) for t in range(9)]
        >>> shelf.fit(past + [("b", 50 + t % 5, t, 99) for t in range(9)]).verdict()
        'You may stop: b is best with a chance of over 99%, and stopping now loses 0.0% of what \
it brings per visitor, on average.'
        """
        with self._lock:
            if self.offers is not None:
                return demand(self._game).verdict()
            return verdict(ranking(self._game, gone=False), unsure_because(self._game))

    def expectations(self) -> dict[ArmT, float | None]:
        """What each arm in the game is expected to pay, as in `ranking`, in the arms' own order.

        >>> import highseason as hs
        >>> shelf = hs.Bandit(["a", "b"], hs.Greedy(), [5, 5], known=True)
        >>> shelf.update(shelf.pull(), reward=20)
        >>> shelf.expectations()
        {'a': 4.0, 'b': None}
        """
        with self._lock:
            known = {row.arm: row.estimate for row in self.ranking()}
            return {arm: known[arm] for arm in self._game.names}

    def decision(self, t: TurnLike) -> Decision[ArmT]:
        """What was decided for a turn, how likely it was, and what has come of it so far."""
        with self._lock:
            return self._game.decision(self._game.row_of_decided(t))

    def decisions(self) -> list[Decision[ArmT]]:
        """All decisions, in the order in which they were made."""
        with self._lock:
            return [self._game.decision(row) for row in range(len(self._game.ledger))]

    def to_pandas(self) -> pd.DataFrame:
        """The decisions, a row for each turn and arm, in the order in which they were made.

        `share` is the part of the visitors who saw the arm, and `propensity` how likely it was.
        `hs.replay(…, time="turn")` and `hs.logs.fit_noise` read the rows that have a reward.
        """
        import pandas as pd

        names = [each.name for each in fields(Decision)]
        frame = pd.DataFrame(self.decisions(), columns=names[: None if self.offers else -1])
        frame.insert(2, "share", 1.0)
        return frame.rename(columns={"probability": "propensity"})

    def why(self, t: TurnLike | None = None) -> Why[ArmT]:
        """Why the arm of a decided turn is played; None is the latest.

        >>> import highseason as hs
        >>> shelf = hs.Bandit(prices=[8.99, 9.99], cost=4, multiplier=[300, 300, 900])
        >>> shelf.update(shelf.pull(), purchases=12, visitors=290)
        >>> print(shelf.why())
        earns most so far
        """
        with self._lock:
            latest = self.last_turn or 1 if t is None else t
            return why(self._game, self._game.row_of_decided(latest))

    @property
    def pending(self) -> list[Decision[ArmT]]:
        """Decisions whose reward has come and waits for the number of visitors."""
        with self._lock:
            return [self._game.decision(row) for row in self._game.ledger.pending()]

    @property
    def waiting(self) -> int:
        """How many rewards wait for the number of visitors; nothing is learned from them yet."""
        return self._game.ledger.waiting

    @property
    def unrewarded(self) -> list[Decision[ArmT]]:
        """Decisions whose reward has not come yet."""
        with self._lock:
            return [self._game.decision(row) for row in self._game.ledger.unrewarded()]

    @property
    def arms(self) -> tuple[ArmT, ...]:
        """The arms in the game in the turn after the last that was decided."""
        with self._lock:
            return self._game.names

    @property
    def offers(self) -> dict[ArmT, Offer] | None:
        """What each price that is or was in the game offers; None where arms are no prices."""
        with self._lock:
            ids, offers = self._game.table.ids, self._game.table.offers
            return None if offers is None else dict(zip(ids, offers, strict=True))

    @property
    def last_turn(self) -> int:
        """The latest turn that is decided; 0 before the first."""
        return self._game.ledger.last_turn

    @property
    def policy(self) -> Policy:
        """The policy that plays."""
        return self._game.policy

    @property
    def seed(self) -> int:
        """The seed of the random numbers."""
        return self._game.seed

    @property
    def reward_range(self) -> tuple[float, float] | None:
        """The least and the greatest reward per visitor, if they were given."""
        return self._game.scale.reward_range

    @property
    def known(self) -> bool:
        """Whether the multiplier is declared to be the number of visitors itself."""
        return self._game.source.known

    @property
    def multiplier(self) -> Multiplier | None:
        """G, or its forecast, as far as it goes now."""
        return self._game.source.multiplier

    def __repr__(self) -> str:
        with self._lock:
            turns = "" if self.multiplier is None else f" of {self.multiplier.turns}"
            waiting = f", {self.waiting} rewards wait for visitors" if self.waiting else ""
            played = f"{len(self.arms)} arms, {len(self._game.ledger)}{turns} turns decided"
            return f"<Bandit {self.policy}: {played}{waiting}>"
