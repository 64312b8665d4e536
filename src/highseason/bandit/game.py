"""One live game: its arms, how requests become events, and how events change it.

A request is checked completely and becomes an event, or nothing; `apply` alone changes the game.
So a game that applies the events of a store is the one that wrote them.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Generic, Self

import numpy as np

from highseason.bandit.errors import BanditError, DocumentError, UnconfirmedError
from highseason.bandit.events import (
    ArmAdded,
    ArmRemoved,
    BanditStarted,
    Event,
    HistoryLearned,
    Lesson,
    MultiplierExtended,
    MultiplierReplaced,
    OutcomesReported,
    RewardCorrected,
    TurnDecided,
    WorthChanged,
)
from highseason.bandit.ledger import (
    NO_ROW,
    ArmT,
    Decision,
    Ledger,
    Reports,
    Scale,
    TurnOutcome,
    as_list,
    hashable,
    number_of_visitors,
    outside_range,
    pack,
)
from highseason.bandit.prices import (
    PriceScale,
    changed,
    offer_like,
    price_of,
    refuse_worth,
    require_offers,
    warn_of,
)
from highseason.bandit.rows import Report
from highseason.bandit.season import (
    ArmTable,
    MultiplierSource,
    TurnLike,
    lifetime_of,
    lifetimes_of,
    source_of,
)
from highseason.core.random import game_key, turn_key
from highseason.core.validation import finite_number
from highseason.core.warnings import warn_user
from highseason.engine import learn
from highseason.engine.kernels.interface import live_choose
from highseason.engine.turn import choose, probabilities_of
from highseason.policies import UNKNOWN_TURNS, ArmState, Observation, PlanWarning, Policy, Turn
from highseason.policies.base import as_policy
from highseason.policies.rule import mark_opening, offer_opening, precision_of
from highseason.rewards import Offer
from highseason.rewards.model import visitors_of
from highseason.traffic import Multiplier, as_multiplier


class LiveGame(Generic[ArmT]):
    """Arms, multiplier and ledger, and how they change together."""

    def __init__(self, policy: Policy, seed: int, scale: Scale, source: MultiplierSource) -> None:
        self.policy, self.seed, self.scale, self.source = policy, int(seed), scale, source
        self.table: ArmTable[ArmT] = ArmTable(policy, source, isinstance(scale, PriceScale))
        self.ledger = Ledger()
        self.seq = 0  # of the last event
        self._game_key = game_key(seed, 0)
        self._counted, self._correlation = policy.counts == "visitors", policy.correlation

    @classmethod
    def start(cls, event: BanditStarted[ArmT], policy: Policy) -> Self:
        """The game that an event starts."""
        if event.offers is None:
            scale = Scale.of(event.reward_range, policy)
        else:
            scale = PriceScale.for_offers(event.offers, policy)
            require_offers(event.offers, event.arms)
        source = source_of(policy, event.multiplier, event.known)
        game = cls(policy, event.seed, scale, source)
        game.table.grow(event.arms, event.offers)
        for arm, lifetime in zip(event.arms, event.lifetimes, strict=True):
            game.table.require_absent(arm, 1)
            game.table.add(arm, 1, lifetime, held=False)
        if not game.names:
            raise BanditError("a bandit needs at least one arm")
        if (count := source.lifetime_options.initial_arms) > 0:
            mark_opening(game.table.keep_state(1), count, game.table.opening)
        game.seq = event.seq
        return game

    # -- deciding ---------------------------------------------------------------------------------

    def turn_of(self, t: TurnLike | None) -> int:
        """The turn that is meant; None is the one after the last that was decided."""
        return self.source.turn_of(self.ledger.last_turn + 1 if t is None else t)

    def decide(
        self, turn: int, available: Iterable[ArmT] | None, expected: float | None
    ) -> TurnDecided[ArmT]:
        """Choose the arm of an undecided turn."""
        expected, state, asked = self._ask(turn, available, expected)
        rule = self.policy.rule
        arm, exploited = choose(rule, state, asked, live_choose(rule))
        certain = not (rule.traits.stochastic or asked.random_ties)
        propensities = None if certain else pack(probabilities_of(rule, state, asked))
        probability = 1.0 if propensities is None else propensities.of(arm)
        decided = turn, self.table.ids[arm], probability, exploited, asked.level
        return TurnDecided(self.seq + 1, *decided, propensities, expected)

    def probabilities(
        self, t: TurnLike | None, available: Iterable[ArmT] | None, expected: float | None
    ) -> dict[ArmT, float]:
        """The probability of each arm in a turn; of a decided one, what it was at that moment."""
        turn = self.turn_of(t)
        row = self.ledger.row(turn)
        if row != NO_ROW:
            values = [self.ledger.probability(row, arm) for arm in range(len(self.table.ids))]
        else:
            _, state, asked = self._ask(turn, available, expected)
            values = probabilities_of(self.policy.rule, state, asked).tolist()
        entries = zip(self.table.ids, values, self.table.present(turn), strict=True)
        return {arm: value for arm, value, present in entries if present or value > 0.0}

    def _ask(
        self, turn: int, available: Iterable[ArmT] | None, expected: float | None
    ) -> tuple[float | None, ArmState, Turn]:
        """What is expected, and the question to the rule: a state and a turn."""
        allowed = self.table.allowed(turn, available)
        expected = self.source.expected(turn, expected)
        level = self.source.level(self._arms(turn), turn, expected)
        if self.table.held.any() and not self.source.is_low(turn, expected):
            ready = allowed & ~self.table.held
            allowed = ready if ready.any() else allowed  # unless there is no other to play
        state = self.table.state_at(turn)
        offer_opening(state, self.table.opening, allowed)
        if self.policy.rule.recall is not None:
            state = state._replace(shared=state.shared.copy())
            self.policy.rule.recall(state, turn, self.ledger.before(turn))
        return expected, state, self._turn(turn, level, expected)

    def _arms(self, turn: int) -> int:
        return int(np.count_nonzero(self.table.present(turn)))

    # -- reports ----------------------------------------------------------------------------------

    def report(
        self, reports: Iterable[Report], numbered: bool = False
    ) -> OutcomesReported[ArmT] | None:
        """Check reports; with `numbered`, errors name the row."""
        new = self._reports()
        for number, report in enumerate(reports, start=1):
            try:
                row = self._row_of(report, new)
                amount = self.scale.amount(self.ledger.arms[row], report)
                new.add(row, amount, report.visitors)
            except ValueError as reason:
                if not numbered:
                    raise
                raise type(reason)(f"row {number}: {reason}") from None
        return self._reported(new)

    def report_visitors(self, t: TurnLike, visitors: float) -> OutcomesReported[ArmT] | None:
        """Check the visitors of a decided turn."""
        new = self._reports()
        new.add(self.row_of_decided(t), None, number_of_visitors(visitors))
        return self._reported(new)

    def _reports(self) -> Reports:
        return Reports(self.ledger, self.scale, self.source.known_visitors)

    def _reported(self, new: Reports) -> OutcomesReported[ArmT] | None:
        ids = self.table.ids
        outcomes = tuple(TurnOutcome(t, ids[arm], *came) for t, arm, *came in new.outcomes.values())
        return OutcomesReported(self.seq + 1, outcomes) if outcomes else None

    def correct(self, report: Report) -> RewardCorrected[ArmT] | None:
        """Check a reward that replaces another; the arm may be left out."""
        arm = None if report.arm is None else self.table.index(report.arm)
        before = self.ledger.outcome(self.row_of_decided(report.t, arm))
        after = before._replace(reward=self.scale.amount(before.arm, report))
        if before.reward is None:
            raise BanditError(
                f"turn {before.turn} has no {self.scale.called} to correct: report it with "
                "update(…)"
            )
        self.scale.check(after)
        about = before.turn, self.table.ids[before.arm]
        corrected = RewardCorrected(self.seq + 1, *about, after.reward or 0.0)
        return None if after == before else corrected

    def fit(self, reports: Iterable[Report]) -> HistoryLearned[ArmT] | None:
        """Check rewards from before the first turn; errors name the row."""
        if len(self.ledger):
            raise BanditError(
                f"fit is for what came before the first turn, but turn {self.ledger.last_turn} is "
                "decided: report rewards with update_many(…)"
            )
        lessons: list[Lesson[ArmT]] = []
        for number, report in enumerate(reports, start=1):
            try:
                index = self.table.index(report.arm)
                amount = self.scale.amount(index, report)
                came = TurnOutcome(0, index, amount, number_of_visitors(report.visitors))
                self.scale.check(came)
                if came.lesson is not None:
                    name, turn = self.table.ids[index], _past_turn(report.t)
                    lessons.append(Lesson(name, *came.lesson, turn))
            except ValueError as reason:
                raise BanditError(f"row {number}: {reason}") from None
        return HistoryLearned(self.seq + 1, tuple(lessons)) if lessons else None

    def require_in_range(self, event: Event) -> None:
        """Refuse rewards outside the range, which the rule cannot learn as they are."""
        brought: list[tuple[str, float, float]] = []
        match event:
            case OutcomesReported():
                known = ((each.turn, each.lesson) for each in event.outcomes)
                brought = [(f"turn {turn}", *lesson) for turn, lesson in known if lesson]
            case RewardCorrected():
                row = self.ledger.row(event.turn, self.table.index(event.arm))
                brought = [(f"turn {event.turn}", event.reward, self.ledger.visitors[row])]
            case HistoryLearned():
                brought = [(f"arm {arm!r}", each, came) for arm, each, came, _ in event.lessons]
        if said := outside_range(self.scale.reward_range, brought):
            raise UnconfirmedError(
                f"{said} (reward_range). If that is right, pass confirm=True: it is recorded as it "
                "is, and learned as the end of the range. If the range is wrong, give the right "
                "one, such as change_worth(reward_range=(0, 12)): what came before is learned again"
            )

    def row_of_decided(self, t: TurnLike, arm: int | None = None) -> int:
        """The row of a decided turn, and of this arm in it."""
        turn = self.source.turn_of(t)
        row, ids = self.ledger.row(turn), self.table.ids
        if row == NO_ROW:
            raise BanditError(f"turn {turn} is not decided yet: call pull(t={turn}) first")
        if arm is not None and self.ledger.row(turn, arm) == NO_ROW:
            decided = ids[self.ledger.arms[row]]
            raise BanditError(f"turn {turn} was decided for the arm {decided!r}, not {ids[arm]!r}")
        return row if arm is None else self.ledger.row(turn, arm)

    def _row_of(self, report: Report, new: Reports) -> int:
        arm = self.table.index(report.arm)
        if report.t is not None:
            return self.row_of_decided(report.t, arm)
        row = self.ledger.latest_open(arm, new.outcomes)
        if row == NO_ROW:
            raise BanditError(
                f"every decided turn of the arm {report.arm!r} has a reward: pass the turn that is "
                "meant (t=…)"
            )
        return row

    # -- how it learns -----------------------------------------------------------------------------

    def _turn(self, turn: int, level: float, expected: float | None) -> Turn:
        key = turn_key(self._game_key, turn)
        return self.source.turn(turn, level, key, self.policy.ties == "random", expected)

    def _observe_row(self, row: int) -> None:
        """Learn from a row whose reward and visitors are known."""
        ledger = self.ledger
        turn = self._turn(ledger.turns[row], ledger.levels[row], None)
        self._observe(turn, ledger.arms[row], ledger.rewards[row], ledger.visitors[row])

    def _observe_past(self, arm: int, reward: float, visitors: float) -> None:
        """Learn from a turn before the first: turn 0."""
        ties, key = self.policy.ties == "random", turn_key(self._game_key, 0)
        turn = Turn(0, 0.0, visitors, math.nan, UNKNOWN_TURNS, key, ties, 0)
        self._observe(turn, arm, reward, visitors)

    def _observe(self, turn: Turn, arm: int, reward: float, visitors: float) -> None:
        value = self.scale.learned(arm, reward, visitors)
        # The arms there now: the reward may be late, and its turn's arms gone.
        present = self.table.present(self.ledger.last_turn)
        self.table.weighed = {}  # what is learned may change what weights rest on
        observation = Observation(arm, value, self.weight_of(visitors))
        learn(self.policy.rule, self.table.state, turn, observation, present)

    def weight_of(self, visitors: float) -> float:
        """The number of observations that a reward from this many visitors counts as."""
        return float(precision_of(visitors_of(1.0, visitors), self._counted, self._correlation))

    def _correct(self, row: int, reward: float) -> None:
        """Replace a reward, and learn again what may depend on it, in the same order."""
        ledger, before = self.ledger, self.ledger.outcome(row)
        ledger.rewards[row] = reward
        if before.lesson is None:
            return
        # A plain average depends on its own arm alone.
        self._relearn(ledger.arms[row] if self.policy.rule.traits.own_arm_only else None)

    def _relearn(self, arm: int | None = None) -> None:
        """Learn again, in the same order, what was learned of an arm or of all."""
        ledger = self.ledger
        self.table.forget(arm)
        for lesson in ledger.history:
            if arm in (None, lesson[0]):
                self._observe_past(*lesson)
        for each in ledger.learned:
            if arm in (None, ledger.arms[each]):
                self._observe_row(each)

    # -- arms and turns ---------------------------------------------------------------------------

    def add_arm(self, arm: ArmT, hold: bool, expires: Any, cost: Any = None) -> ArmAdded[ArmT]:
        """Check an arm that is to be added; held back until a low turn if asked and untried."""
        arm, last = self.table.same(arm), self.ledger.last_turn
        self.table.require_absent(arm, last + 1)
        offer = self._offer(arm, cost)
        past = self.ledger.first_open - 1
        lifetime = lifetime_of(arm, expires, self.policy, self.source, past)
        if hold and self.table.is_untried(arm) and not self.source.has_low_turn_after(last):
            warn_user(
                f"no low turn is left in the forecast on which to try the arm {arm!r}: it waits "
                "until extend(…) brings one; use when='now' to try it at once",
                PlanWarning,
            )
        return ArmAdded(self.seq + 1, arm, lifetime, hold, offer)

    def _offer(self, arm: ArmT, cost: Any) -> Offer | None:
        """What a price that comes, or comes back, offers; None for other arms."""
        if self.table.offers is None:
            refuse_worth(cost=cost)
            return None
        there, price = np.flatnonzero(self.table.present(self.ledger.last_turn + 1)), price_of(arm)
        known = [self.table.offers[index] for index in there] or self.table.offers
        warn_of([price, *(offer.price for offer in known)])
        return offer_like(price, cost, known)

    def change_worth(self, cost: Any, tax: Any, reward_range: Any) -> WorthChanged | None:
        """Check what a turn's outcome is worth from now on: all that came is learned again."""
        if self.table.offers is None:
            refuse_worth(cost=cost, tax=tax)
            ends = Scale.of(reward_range, self.policy, self.table.ids).reward_range
            if ends is None:
                raise BanditError("say what changes, such as reward_range=(0, 12)")
            same = ends == self.scale.reward_range
            return None if same else WorthChanged(self.seq + 1, reward_range=ends)
        if reward_range is not None or (cost is None and tax is None):
            raise BanditError(
                "the range follows from prices, cost and tax: say what changes, such as cost=4.80"
            )
        there = np.flatnonzero(self.table.present(self.ledger.last_turn + 1)).tolist()
        offers = list(self.table.offers)
        mine = [self.table.ids[arm] for arm in there], [offers[arm] for arm in there]
        for arm, offer in zip(there, changed(*mine, cost, tax), strict=True):
            offers[arm] = offer
        return None if offers == self.table.offers else WorthChanged(self.seq + 1, tuple(offers))

    def remove_arm(self, arm: ArmT) -> ArmRemoved[ArmT]:
        """Check an arm that is to be removed."""
        self.table.require_active(arm)
        return ArmRemoved(self.seq + 1, hashable(arm))

    def extend(self, more: object) -> MultiplierExtended:
        """Check turns that are to be appended."""
        return MultiplierExtended(self.seq + 1, self.source.replacement(self.source.turns, more))

    def reforecast(self, turn: int, forecast: object) -> MultiplierReplaced:
        """Check what is to replace the turns after `turn`; those that are decided keep theirs."""
        following, last = self.source.replacement(turn, forecast), self.ledger.last_turn
        if turn + following.turns < last:
            raise BanditError(
                f"turn {last} is decided, so the forecast must reach it: this one ends at turn "
                f"{turn + following.turns}"
            )
        decided = np.array([t for t in self.ledger.turns if t > turn], np.int64)
        if decided.size:
            assert self.source.multiplier is not None, "it has a replacement"
            values = following.values.copy()
            values[decided - turn - 1] = self.source.multiplier.values[decided - 1]
            line: Any = following.timeline
            following = Multiplier(values, line, following.name, is_shape=following.is_shape)
        return MultiplierReplaced(self.seq + 1, turn, following)

    # -- events -----------------------------------------------------------------------------------

    def apply(self, event: Event) -> None:
        """Change as an event says; it was checked before."""
        last = self.ledger.last_turn
        match event:
            case TurnDecided():
                arm = self.table.index(event.arm)
                self.table.keep_state(event.turn)
                self.source.decided(self._arms(event.turn), event.expected)
                self.table.selected(arm)
                self.ledger.enter(event.turn, arm, event.level, event.exploited, event.propensities)
            case OutcomesReported():
                for outcome in event.outcomes:
                    self._book(outcome)
            case RewardCorrected():
                row = self.ledger.row(event.turn, self.table.index(event.arm))
                self._correct(row, event.reward)
            case HistoryLearned():
                for name, reward, visitors, _ in event.lessons:
                    arm = self.table.index(name)
                    self.table.selected(arm)
                    self.source.observed(visitors)
                    self.ledger.history.append((arm, reward, visitors))
                    self._observe_past(arm, reward, visitors)
            case ArmAdded():
                start = min(last + 1, event.lifetime.last_turn)  # a turn that was left out may do
                self.table.add(event.arm, start, event.lifetime, event.held, event.offer)
                if self.table.offers is not None:
                    self._reprice(self.table.offers)
            case ArmRemoved():
                self.table.remove(event.arm, last)
            case WorthChanged():
                if event.offers is None:
                    self.scale = Scale.of(event.reward_range, self.policy)
                    self._relearn()
                else:
                    self._reprice(event.offers)
            case MultiplierExtended():
                self.source.replace(self.source.turns, event.multiplier)
                self.table.reread_dates()
            case MultiplierReplaced():
                self.source.replace(event.turn, event.multiplier)
                self.table.reread_dates()
        self.seq = event.seq

    def _book(self, outcome: TurnOutcome[ArmT]) -> None:
        row = self.ledger.row(outcome.turn, self.table.index(outcome.arm))
        before = self.ledger.outcome(row)
        self.ledger.book(row, outcome.reward, outcome.visitors)
        if before.visitors is None and outcome.visitors is not None:
            self.source.observed(outcome.visitors)
        if before.lesson is None and outcome.lesson is not None:
            self.ledger.learned.append(row)
            self._observe_row(row)

    def _reprice(self, offers: Sequence[Offer]) -> None:
        """Learn again at what prices offer now."""
        self.table.offers = list(offers)
        self.scale = PriceScale.for_offers(offers, self.policy)
        self._relearn()

    def replay(self, event: Event) -> None:
        """Apply an event that was read from a store; an inconsistent one is refused."""
        if event.seq != self.seq + 1:
            raise DocumentError(f"expected event {self.seq + 1}, got {event.seq}")
        try:
            self._check(event)
            self.apply(event)
        except DocumentError:
            raise
        except (ValueError, TypeError) as reason:
            raise DocumentError(f"corrupt event {event.seq}: {reason}") from reason

    def _check(self, event: Event) -> None:
        match event:
            case TurnDecided():
                self._check_decision(event)
            case OutcomesReported():
                for turn, arm, amount, visitors in event.outcomes:
                    index = self.table.index(arm)
                    if amount is not None:
                        amount = self.scale.amount(index, self._again(arm, amount))
                    self._reports().add(self.row_of_decided(turn, index), amount, visitors)
            case RewardCorrected():
                self.correct(self._again(event.arm, event.reward, event.turn))
            case HistoryLearned():
                rows = ((arm, amount, t, came) for arm, amount, came, t in event.lessons)
                self.fit(self._again(*row) for row in rows)
            case ArmAdded():
                self.table.require_absent(event.arm, self.ledger.last_turn + 1)
                self._check_offers(event.offer and [event.offer], [event.arm])
            case WorthChanged():
                self._check_offers(event.offers, self.table.ids)
                if event.offers is None:
                    Scale.of(event.reward_range, self.policy)
            case ArmRemoved():
                self.table.require_active(event.arm)
            case MultiplierExtended():
                self.extend(event.multiplier)
            case MultiplierReplaced():
                if self.reforecast(event.turn, event.multiplier).multiplier != event.multiplier:
                    raise BanditError("it changes the multiplier of a decided turn")
            case _:
                raise BanditError(f"{type(event).__name__} may only be the first")

    def _again(self, arm: ArmT, amount: float, t: Any = None, visitors: Any = None) -> Report:
        """The report that an entry of an event was made of."""
        return Report(arm, t=t, visitors=visitors)._replace(**{self.scale.called: amount})

    def _check_offers(self, offers: Sequence[Offer] | None, arms: Sequence[ArmT]) -> None:
        if (offers is None) != (self.table.offers is None):
            raise BanditError("prices have offers, and other arms have none")
        if offers is not None:
            require_offers(offers, arms)

    def _check_decision(self, event: TurnDecided[ArmT]) -> None:
        arm, turn = self.table.index(event.arm), self.source.turn_of(event.turn)
        if self.ledger.row(turn) != NO_ROW:
            raise BanditError(f"turn {turn} is already decided")
        if not self.table.present(turn)[arm]:
            raise BanditError(f"the arm {event.arm!r} is not in the game in turn {turn}")
        self.source.expected(turn, event.expected)
        finite_number("level", event.level)
        packed = event.propensities
        if packed is not None and not packed.fit(arm, len(self.table.ids)):
            raise BanditError("propensities must be the probabilities of all arms, which add to 1")
        if event.probability != (1.0 if packed is None else packed.of(arm)):
            raise BanditError("probability and propensities differ")

    # -- looking ----------------------------------------------------------------------------------

    def standings(self) -> list[tuple[int, float | None]]:
        """All arms, best first, with the rule's estimates, as of the next turn."""
        ledger, state = self.ledger, self.table.state
        last = ledger.arms[-1] if len(ledger) and ledger.exploited[-1] else -1
        present = self.table.present(ledger.last_turn + 1)
        return self.policy.rule.standings(state._replace(available=present), last)

    @property
    def names(self) -> tuple[ArmT, ...]:
        """The arms in the game in the turn after the last that was decided."""
        return self.table.names(self.ledger.last_turn + 1)

    def stakes(self, turn: int) -> float:
        """G of a decided turn, known or forecast."""
        return self._turn(turn, 0.0, None).G

    def decision(self, row: int) -> Decision[ArmT]:
        """A row of the ledger, as users see it."""
        ledger, arm = self.ledger, self.ledger.arms[row]
        turn, _, amount, visitors = ledger.outcome(row)
        reward = None if amount is None else self.scale.earned(arm, amount)
        purchases = None if self.table.offers is None else amount
        chosen = ledger.probability(row, arm), bool(ledger.exploited[row]), ledger.levels[row]
        name, date = self.table.ids[arm], self.source.date_of(turn)
        return Decision(turn, name, *chosen, reward, visitors, date, purchases)


def started(
    arms: Iterable[ArmT],
    offers: tuple[Offer, ...] | None,
    policy: Policy | str,
    multiplier: Any,
    reward_range: tuple[float, float] | None,
    seed: int,
    known: bool,
    expires: Mapping[ArmT, Any] | None,
) -> BanditStarted[ArmT]:
    """Check what a bandit is to be started with."""
    policy = as_policy(policy)
    if not policy.rule.traits.compilable:
        raise BanditError(
            f"{policy} is an object of another library, which a bandit cannot store: let it "
            "play in hs.play or hs.simulate, or use a policy of highseason here"
        )
    policy = policy.counting("visitors")
    G = None if multiplier is None else as_multiplier(multiplier)
    ids = tuple(hashable(arm) for arm in as_list("arms", arms))
    policy.rule.unprepared_state(len(ids), offers)  # refuses arms of which it has to know more
    given = None if offers else Scale.of(reward_range, policy, ids).reward_range
    lifetimes = lifetimes_of(ids, expires, policy, source_of(policy, G, known))
    about = policy, int(seed), given, G, bool(known), ids, lifetimes
    return BanditStarted(1, *about, offers=offers)


def _past_turn(t: Any) -> int | str | None:
    """A turn of the history as an event keeps it."""
    return t if t is None else int(t) if isinstance(t, int | np.integer) else str(t)
