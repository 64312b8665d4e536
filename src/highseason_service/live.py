"""An experiment in memory: the live bandit, rebuilt from the event log and kept up with it.

Everything a decision needs is a function of (seed, turn, events).  A correction of the visitors
reaches back: it is applied by building the bandit again, as if the right ones had been reported.
"""

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import islice
from typing import Any, NamedTuple, Self

from highseason.bandit import (
    Bandit,
    Decision,
    Event,
    OutcomesReported,
    PriceDemand,
    Ranked,
    RewardCorrected,
    TurnDecided,
    TurnOutcome,
    outside_range,
    sales_at,
)
from highseason.core import format_number, quiet
from highseason.policies import Plan, PlanWarning, from_json
from highseason_service.errors import ClashError, InvalidError, NotFoundError, UnconfirmedError
from highseason_service.forecast import TrafficForecast
from highseason_service.model import (
    MOST_ARMS,
    MOST_TURNS,
    Arm,
    ArmReport,
    Entry,
    FlagValue,
    Outcome,
    PlannedTurn,
    PriceReport,
    Settings,
    Status,
    prices_of,
)

#: From this many turns without a reward on, someone should look.
LATE = 3

_STATUS: dict[str, Status] = {"paused": "paused", "resumed": "running", "archived": "archived"}


def reaches_back(entry: Entry) -> bool:
    """Whether the bandit has to be built again after an entry."""
    return entry.kind in ("corrected", "forecast_replaced") and entry.event is None


class LiveExperiment:
    """The live bandit of one experiment, and what the service knows beside it.

    Args:
        entries: Its event log.
    """

    def __init__(self, entries: Sequence[Entry]) -> None:
        if not entries or entries[0].kind != "created":
            raise InvalidError("the event log does not begin with the creation of an experiment")
        self.settings = Settings.from_dict(entries[0].body)
        self.arms: dict[str, Arm] = {arm.id: arm for arm in self.settings.arms}
        self.status: Status = "running"
        old = [entry for entry in entries if reaches_back(entry)]
        self.version, self.forecast = latest_forecast(self.settings.forecast, old)
        self._plan: Plan | None = None
        self.seq, self.begun = entries[0].seq, entries[0].at  # or resumed
        corrected = (entry for entry in old if entry.kind == "corrected")
        self.corrections = {(entry.turn, entry.body["arm"]): entry for entry in corrected}
        self.decisions: Counter[str] = Counter()  # by arm
        self.decided: set[int] = set()  # turns
        self.unrewarded: set[tuple[int, str]] = set()  # turn and arm of those without a reward
        self.first_open = 1  # the first turn that is not decided
        self.stays = self.settings.stay_with_leader
        #: What a turn brings, as it is reported and kept.
        self.called = "purchases" if self.settings.priced else "reward"
        self.entered = {arm.id for arm in self.settings.arms if not arm.start or arm.start <= 1}
        # what the bandit stores: its past while it is built, and then events to be committed
        self._events = [_start(self.settings, self.forecast, self.entered, entries[0].body)]
        self._events += [event for entry in entries[1:] if (event := self.keep(entry)) is not None]
        with quiet():
            self.bandit: Bandit[str] = Bandit.from_events(self._events)
        # what it plays: the same text may mean another policy in another version
        self.settings = replace(self.settings, policy=str(self.bandit.policy))
        self._events.clear()

    @property
    def is_clean(self) -> bool:
        """Whether no event waits to be committed."""
        return not self._events

    def _new_events(self) -> list[Event]:
        """The events of the request, which are then the caller's."""
        events = self._events.copy()
        self._events.clear()
        return events

    def keep(self, entry: Entry) -> Event | None:
        """Count an entry; gives the event for the bandit, if there is one."""
        self.seq, event = entry.seq, entry.event
        if entry.kind in _STATUS:
            self.status = _STATUS[entry.kind]
            self.begun = entry.at if entry.kind == "resumed" else self.begun
        elif entry.kind == "forecast_replaced" and event is not None:
            self.version, self._plan = entry.body["version"], None
            self.forecast = self.forecast.replaced(entry.body["first"], entry.body["values"])
        elif entry.kind == "arm_added":
            self.arms[entry.body["id"]] = Arm(**entry.body)
            self.entered.discard(entry.body["id"])
        elif entry.kind == "arm_entered":
            self.entered.add(entry.body["id"])
        elif entry.kind == "arm_retired":
            self.arms[entry.body["id"]] = replace(self.arms[entry.body["id"]], removed=True)
        elif entry.kind == "staying_changed":
            self.stays = entry.body["stay_with_leader"]
        elif entry.kind == "worth_changed":
            self._take_worth(**entry.body)
        if isinstance(event, TurnDecided):
            self.decisions[event.arm] += 1
            self.decided.add(event.turn)
            self.unrewarded.add((event.turn, event.arm))
            while self.first_open in self.decided:
                self.first_open += 1
        if isinstance(event, OutcomesReported):
            event = OutcomesReported(event.seq, tuple(map(self._corrected, event.outcomes)))
            self.unrewarded.difference_update(outcome[:2] for outcome in event.outcomes)
        if isinstance(event, RewardCorrected):
            later = self.corrections.get((event.turn, event.arm))
            if later is not None and later.seq > entry.seq:  # applied from the beginning
                return RewardCorrected(event.seq, event.turn, event.arm, later.body[self.called])
        return event

    def _take_worth(
        self, costs: Mapping[str, float], tax: float, reward_range: Sequence[float]
    ) -> None:
        """Keep what a turn's outcome is worth now, of arms that wait, too."""
        ends = (reward_range[0], reward_range[1]) if reward_range else None
        self.settings = replace(self.settings, tax=tax, reward_range=ends)
        for arm, cost in costs.items():
            self.arms[arm] = replace(self.arms[arm], cost=cost)

    def _corrected(self, outcome: TurnOutcome[str]) -> TurnOutcome[str]:
        later = self.corrections.get(outcome[:2])
        if later is None:
            return outcome
        return outcome._replace(reward=later.body[self.called], visitors=later.body["visitors"])

    def follow(self, entry: Entry) -> None:
        """Take in an entry that is in the log; not one that reaches back."""
        event = self.keep(entry)
        if event is not None:
            self.bandit.follow(event)

    # -- requests: checked, and turned into events of the bandit ----------------------------------

    def require(self, *allowed: Status) -> None:
        """Refuse a request that the experiment's status does not allow."""
        if self.status not in allowed:
            remedy = "resume it first" if self.status == "paused" else "archiving cannot be undone"
            raise ClashError(f"experiment {self.settings.id!r} is {self.status}: {remedy}")

    def check_turn(self, turn: int) -> None:
        """Refuse a turn that the forecast does not have."""
        if not 1 <= turn <= len(self.forecast.values):
            raise ClashError(
                f"turn {turn} lies outside the forecast, which has the turns 1 to "
                f"{len(self.forecast.values)}: replace the forecast with a longer one"
            )

    def decide(self, turn: int) -> list[Event]:
        """Choose the arm of a turn that is not decided yet; arms whose start has come enter."""
        self.require("running")
        self.check_turn(turn)
        with quiet(PlanWarning):
            for arm in self.arms.values():
                due = (arm.start or 1) <= turn and not (arm.removed or self._past(arm))
                if due and arm.id not in self.entered:
                    cost = None if arm.price is None else arm.cost or 0.0
                    self.bandit.add_arm(arm.id, arm.when, expires=arm.end, cost=cost)
                    self.entered.add(arm.id)
        offered = self._offered(turn)
        if not offered:
            raise ClashError(f"no arm is left for turn {turn}: add one, or bring one back")
        if self.stays and self.late(turn) >= LATE:
            offered = [arm for arm in self._estimates() if arm in offered][:1] or offered
        self.bandit.decide(turn, offered)
        return self._new_events()

    def late(self, turn: int) -> int:
        """How many turns before one are decided and have no reward; no more than matter."""
        return len(list(islice((t for t, _ in self.unrewarded if t < turn), LATE + 1)))

    def _past(self, arm: Arm) -> bool:
        return arm.end is not None and arm.end < self.first_open

    def _offered(self, turn: int) -> list[str]:
        """The arms that may be played in a turn."""
        entered = (arm for arm in self.arms.values() if arm.id in self.entered)
        return [arm.id for arm in entered if not arm.removed and arm.spans(turn)]

    def update_many(self, outcomes: Sequence[Outcome], confirm: bool = False) -> list[Event]:
        """Take in rewards: all, or none."""
        self.require("running", "paused")
        found = [(each, *self._decision_of(each)) for each in outcomes]
        self.ask([each for each, decided, _ in found if decided.reward is None], confirm)
        reports = [(decided.arm, came, o.turn, o.visitors) for o, decided, came in found]
        self.bandit.update_many(reports, confirm=True)
        return self._new_events()

    def ask(self, new: Sequence[Outcome], confirm: bool) -> None:
        """Refuse what looks wrong in a new report, unless it is confirmed: all of it at once."""
        totals = ((f"turn {one.turn}", one.reward or 0.0, one.visitors) for one in new)
        questions = []
        if outside := outside_range(self.settings.reward_range, totals):
            questions += [
                f"{outside}. If that is right, confirm it: it is recorded as it is, and learned as "
                "the end of the range. If the range is wrong, change it first, on the page Manage "
                f"or with 'highseason experiment change-worth {self.settings.id} --range "
                "LOW..HIGH': what came before is learned again"
            ]
        for one in new:
            expected, came = self.forecast.values[one.turn - 1], one.visitors
            if 0 < came < expected / 10 or came % 1:
                odd = f"below a tenth of the {format_number(expected)} expected"
                odd = "not a whole number" if came % 1 else odd
                questions += [f"turn {one.turn}: {came:.15g} visitors is {odd}"]
        if questions and not confirm:
            raise UnconfirmedError(*questions)

    def _decision_of(self, outcome: Outcome) -> tuple[Decision[str], float]:
        """The decision that a report is about, and the reward or the purchases that it says."""
        turn = outcome.turn
        self.check_turn(turn)
        if turn not in self.decided:
            raise ClashError(f"turn {turn} is not decided yet: decide it first")
        decision, came = self.bandit.decision(turn), outcome.visitors
        brought = self._brought(outcome, decision.arm)
        if self.called == "purchases" and brought > came:
            raise ClashError(
                f"turn {turn}: {brought:.15g} purchases from {came:.15g} visitors. Are these "
                "pieces? Report orders: how many of the visitors bought, and all who came"
            )
        if brought and not came:
            raise InvalidError(
                f"turn {turn}: a reward of {brought:g} cannot come from 0 visitors: send the "
                "visitors who came"
            )
        return decision, brought

    def _brought(self, outcome: Outcome, arm: str) -> float:
        """The reward that a report says, or the purchases."""
        turn, reward, bought, paid = (
            getattr(outcome, name) for name in ("turn", "reward", "purchases", "takings")
        )
        if self.called == "reward":
            other = "" if bought is None and paid is None else "; purchases are of prices"
            if other or reward is None:
                raise InvalidError(f"turn {turn}: expected its total reward{other}")
            return float(reward)
        if reward is not None or (bought is None) == (paid is None):
            why = "a reward could be takings or profit" if reward is not None else "one of the two"
            raise InvalidError(
                f"turn {turn}: expected purchases, how many of the visitors bought, or takings, "
                f"what they paid: {why}"
            )
        if bought is not None and bought % 1:
            raise InvalidError(
                f"turn {turn}: expected a whole number of purchases, got {bought:.15g}: report "
                "money as takings"
            )
        price = self.arms[arm].price
        return float(bought) if bought is not None else sales_at(price or 0.0, paid)

    def correct(self, turn: int, brought: float) -> list[Event]:
        """Replace what a turn brought, of which only that was wrong."""
        report: dict[str, Any] = {self.called: brought}
        self.bandit.correct(turn, **report, confirm=True)
        return self._new_events()

    def before_correction(self, outcome: Outcome) -> tuple[str, dict[str, Any], dict[str, Any]]:
        """A turn's arm, and what it brought, before a correction and after it."""
        self.require("running", "paused")
        decision, brought = self._decision_of(outcome)
        if decision.reward is None:
            raise ClashError(f"turn {outcome.turn} has no reward to correct: update it first")
        before = {name: getattr(decision, name) for name in (self.called, "visitors")}
        return decision.arm, before, {self.called: brought, "visitors": outcome.visitors}

    def change_worth(
        self,
        cost: float | Mapping[str, float] | None,
        tax: float | None,
        ends: Sequence[float] | None,
    ) -> tuple[Event | None, dict[str, Any]]:
        """Change what a turn's outcome is worth; gives the event, and what the log keeps of it."""
        self.require("running", "paused")
        if self.called == "reward":
            if ends is None or cost is not None or tax is not None:
                raise InvalidError("expected a range of rewards: cost and tax are of prices")
            self.bandit.change_worth(reward_range=ends)
            kept = self.bandit.reward_range or (0.0, 1.0)
            body: dict[str, Any] = {"costs": {}, "tax": 0.0, "reward_range": [*kept]}
        else:
            if ends is not None or (cost is None and tax is None):
                raise InvalidError("expected a cost or a tax: the range of prices follows from it")
            there = {arm.id: arm for arm in self.arms.values() if not arm.removed}
            costs = {name: arm.cost or 0.0 for name, arm in there.items()}
            if isinstance(cost, Mapping):
                if unknown := next((arm for arm in cost if arm not in there), None):
                    raise InvalidError(f"cost: there is no price {unknown!r}")
                costs |= cost
            elif cost is not None:
                costs = dict.fromkeys(there, cost)
            tax = self.settings.tax if tax is None else tax
            check_worth([replace(arm, cost=costs[name]) for name, arm in there.items()], tax)
            mine = {arm: costs[arm] for arm in self.bandit.arms}
            self.bandit.change_worth(cost=mine, tax=tax)
            body = {"costs": costs, "tax": tax, "reward_range": None}
        return next(iter(self._new_events()), None), body

    def new_arm(self, arm: Arm) -> Arm:
        """An arm that is to come, or to come back; what is left out is as it was, or as others'."""
        known = self.arms.get(arm.id, arm)
        if self.called == "reward" or arm.price is None:
            return arm if arm.value is not None else replace(arm, value=known.value)
        costs = {one.cost or 0.0 for one in self.arms.values() if not one.removed}
        usual = known.cost if len(costs) != 1 else costs.pop()
        if arm.cost is None and usual is None:
            raise InvalidError(f"each price has a cost of its own: give that of {arm.id}, too")
        return replace(
            arm,
            value=known.value if arm.value is None else arm.value,
            cost=usual if arm.cost is None else arm.cost,
        )

    def check_new_arm(self, arm: Arm) -> None:
        """Refuse an arm that is there already, or whose turns are all decided."""
        self.require("running", "paused")
        others = [one for one in self.arms.values() if one.id != arm.id]
        check_arms([arm], others, self.settings.tax)
        old = self.arms.get(arm.id)
        if old is not None and not old.removed:
            raise ClashError(f"there is an arm {arm.id!r} already: remove it, or choose another id")
        if old is None and len(self.arms) >= MOST_ARMS:
            raise ClashError(f"an experiment has at most {MOST_ARMS} arms: create another one")
        if arm.end is not None and self.decided.issuperset(range(arm.start or 1, arm.end + 1)):
            raise ClashError(f"the arm {arm.id!r} would end at turn {arm.end}: that is decided")

    def reforecast(self, first: int, values: Sequence[float]) -> tuple[Event, list[float]]:
        """Replace the forecast from a turn on; decided turns keep theirs, and these are given.

        So do those after its end, up to the last that is decided.
        """
        self.require("running", "paused")
        turns, last = len(self.forecast.values), first - 1 + len(values)
        latest = self.bandit.last_turn
        if first > turns + 1:
            raise ClashError(f"the forecast ends at turn {turns}, so {first} cannot be the next")
        if last > MOST_TURNS:
            raise ClashError(f"an experiment has at most {MOST_TURNS} turns: create another one")
        if self.decided.issuperset(range(first, last + 1)):
            raise ClashError("every turn of the new forecast is decided already: give a later one")
        old = self.forecast.values
        new = self.forecast.replaced(first, values, latest).values[first - 1 :]
        kept = [old[t - 1] if t in self.decided else v for t, v in enumerate(new, first)]
        G, start = self.forecast.replaced(first, kept).multiplier, min(first, latest + 1)
        with quiet():
            earlier = start if start <= latest else None
            self.bandit.reforecast(G.window(start, G.turns), earlier)
        (event,) = self._new_events()
        return event, kept

    def remove_arm(self, arm: str) -> list[Event]:
        """Take an arm out of the game; locked turns stay as they are."""
        self.require("running", "paused")
        known = self.arms.get(arm)
        if known is None:
            raise NotFoundError(f"the experiment {self.settings.id!r} has no arm {arm!r}")
        if known.removed:
            raise ClashError(f"the arm {arm!r} is already removed")
        if arm in self.entered:
            self.bandit.remove_arm(arm)
        return self._new_events()

    # -- looking ----------------------------------------------------------------------------------

    @property
    def best(self) -> str | None:
        """The arm that leads, of those that are in the game; None before the first reward."""
        return next(iter(self._estimates()), None)

    def _estimates(self) -> dict[str, float]:
        """The estimates of the arms in the game that have a reward, best first."""
        return {r.arm: r.estimate for r in self.bandit.ranking() if r.estimate is not None}

    def arm_states(self) -> tuple[ArmReport, ...]:
        """What is known of each arm."""
        known = {row.arm: row for row in self.bandit.ranking(gone=True)}
        priced = self.bandit.demand() if self.called == "purchases" else []
        demand = {row.price: row for row in priced}
        return tuple(
            self._arm_state(arm, known.get(arm.id, Ranked(arm.id, None, 0)), demand.get(arm.id))
            for arm in self.arms.values()
        )

    def _arm_state(
        self, arm: Arm, known: Ranked[str], demand: PriceDemand[str] | None
    ) -> ArmReport:
        status = "removed" if arm.removed else "ended" if self._past(arm) else "playing"
        if status == "playing" and arm.id not in self.entered:
            status = "waiting"
        span, counts = (arm.start, arm.end), (self.decisions[arm.id], known.pulls)
        shown, sure = (known.estimate, known.low, known.high), (known.chance_best, known.loss)
        worth = arm.value, arm.price, arm.cost, demand and PriceReport(*demand[2:10])
        return ArmReport(arm.id, arm.label, status, *span, *counts, *shown, *sure, *worth)  # type: ignore[arg-type]  # one of the four words

    def next_turn(self, moment: datetime) -> int:
        """The turn of a moment; where the calendar has none, the first that may be decided."""
        now = 0 if self.forecast.calendar is None else self.forecast.place(moment)
        if 1 <= now <= len(self.forecast.values):
            return now
        return self.first_open if 1 in self.decided else self.bandit.last_turn + 1

    def plan(self, turns: int, first: int) -> list[PlannedTurn]:
        """Turns to be decided from a turn on, as things stand; not those that no arm is left for.

        Nothing is decided by asking.
        """
        known, levels = self._estimates(), self.planned().levels
        best, top = next(iter(known.items()), (None, 0.0))
        coming = (t for t in range(first, len(levels) + 1) if t not in self.decided)
        shown = list[PlannedTurn]()
        for turn in islice(coming, turns):
            if not (offered := self._offered(turn)):
                continue
            chances = self.bandit.probabilities(turn, offered)
            likely = {arm: chance for arm, chance in chances.items() if chance > 0.0}
            explored = 1.0 if best is None else max(0.0, 1.0 - chances.get(best, 0.0))
            visitors, cost = self.forecast.values[turn - 1], None
            if likely.keys() <= known.keys():
                gaps = (chance * (top - known[arm]) for arm, chance in likely.items())
                cost = max(0.0, visitors * math.fsum(gaps))
            when, level = self.forecast.starts(turn), float(levels[turn - 1])
            shown.append(PlannedTurn(turn, when, visitors, level, best, explored, cost))
        return shown

    def planned(self) -> Plan:
        """The plan of all turns, for the arms that are in the game now."""
        arms = max(1, len(self.bandit.arms))
        if self._plan is None or self._plan.arms != arms:
            self._plan = self.forecast.plan(self.bandit.policy, arms)
        return self._plan


class Outline(NamedTuple):
    """An experiment without its bandit: read at once, however long its past is."""

    seq: int
    forecast: TrafficForecast
    arms: dict[str, Arm]

    @classmethod
    def of(cls, entries: Sequence[Entry], known: Self | None, seq: int) -> Self:
        """What is known and what came after, at least up to an event."""
        if known is None:
            settings = Settings.from_dict(entries[0].body)
            known = cls(0, settings.forecast, {arm.id: arm for arm in settings.arms})
        new = [Arm(**entry.body) for entry in entries if entry.kind == "arm_added"]
        _, forecast = latest_forecast(known.forecast, entries)
        seq = max([seq, *(entry.seq for entry in entries)])
        return cls(seq, forecast, known.arms | {arm.id: arm for arm in new})


def check_worth(arms: Sequence[Arm], tax: float) -> None:
    """Refuse prices of which nothing is earned."""
    with quiet():
        if len(arms) > 1:  # one alone is no choice; the bandit checks it where it is played
            prices_of([one.price or 0.0 for one in arms], [one.cost or 0.0 for one in arms], tax)


def check_arms(arms: Sequence[Arm], known: Iterable[Arm] = (), tax: float = 0.0) -> None:
    """Refuse new arms that could never be played, or whose values are of other types."""
    there = [*known, *arms]
    priced = [arm for arm in there if arm.price is not None]
    if priced and (other := next((arm for arm in there if arm.price is None), None)):
        raise InvalidError(
            f"{priced[0].id!r} is a price, and {other.id!r} is none: give each arm a price, or none"
        )
    for one in priced:
        if one.id != (own := Arm.priced(one.price or 0.0).id):
            raise InvalidError(
                f"the id of a price is the price itself, {own}: leave {one.id!r} out, or make it "
                "the label"
            )
    if priced:
        if len({arm.cost is None for arm in arms}) > 1:
            raise InvalidError("some prices have a cost, and some have none: give each its own")
        check_worth([arm for arm in priced if not arm.removed], tax)
    elif tax or any(arm.cost is not None for arm in arms):
        raise InvalidError("cost and tax are of prices, and these arms are none")
    types = {_type(arm): arm.id for arm in there[: len(there) - len(arms)]}
    for arm in arms:
        mine, types = _type(arm), types or {_type(arm): arm.id}
        if mine not in types:
            (theirs, first), *_ = types.items()
            raise InvalidError(
                f"clients get {mine} for the arm {arm.id!r} but {theirs} for {first!r}, and ask "
                "for one type: over the API, give each arm a `value` of the same type, or none"
            )
        if arm.removed:
            raise InvalidError(f"the arm {arm.id!r} is new: it cannot be removed yet")
        if arm.end is not None and arm.end < (arm.start or 1):
            raise InvalidError(
                f"the arm {arm.id!r} would end at turn {arm.end}, before it starts at turn "
                f"{arm.start}"
            )


def flag_value(arm: Arm) -> FlagValue:
    """What clients get; without a value, the price, or else the label or the id."""
    return arm.value if arm.value is not None else arm.price or arm.label or arm.id


def _type(arm: Arm) -> str:
    types = {bool: "true or false", dict: "an object", int: "a number", float: "a number"}
    return types.get(type(flag_value(arm)), "a text")


def latest_forecast(
    first: TrafficForecast, entries: Iterable[Entry]
) -> tuple[int, TrafficForecast]:
    """The version of the last forecast in a log, and that forecast."""
    version, forecast = 1, first
    for entry in entries:
        if entry.kind == "forecast_replaced":
            version = entry.body["version"]
            forecast = forecast.replaced(entry.body["first"], entry.body["values"])
    return version, forecast


def _start(
    settings: Settings, forecast: TrafficForecast, entered: set[str], body: dict[str, Any]
) -> Event:
    """The event that starts the bandit, with the forecast as it is now."""
    arms = [arm for arm in settings.arms if arm.id in entered]
    events, policy = list[Event](), from_json(json.dumps(body["policy_parameters"]))
    if not arms:
        raise InvalidError("at least one arm must be there from the first turn on")
    ids, worth = [arm.id for arm in arms], dict[str, Any]()
    if settings.priced:
        worth = {"prices": ids, "cost": [arm.cost or 0.0 for arm in arms], "tax": settings.tax}
    with quiet():
        Bandit(
            None if worth else ids,
            policy,
            forecast.multiplier,
            **worth,
            reward_range=settings.reward_range,
            seed=settings.seed,
            expires={arm.id: arm.end for arm in arms if arm.end is not None},
            store=events,
        )
    return events[0]
