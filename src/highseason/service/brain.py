"""An experiment in memory: the live bandit, rebuilt from the event log and kept up with it.

Everything a decision needs is a function of (seed, turn, events).  A correction and a new forecast
reach back, so they are applied by building the bandit again: as if the corrected reward had been
the one reported, and the new forecast the one it was created with.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

from highseason.bandit import (
    Bandit,
    Event,
    OutcomesReported,
    TurnDecided,
    TurnOutcome,
)
from highseason.core.warnings import quiet
from highseason.policies import Plan, PlanWarning, from_json
from highseason.service.errors import ClashError, InvalidError, NotFoundError
from highseason.service.forecast import TrafficForecast
from highseason.service.model import Arm, ArmReport, Entry, Outcome, PlannedTurn, Settings, Status

#: Kinds that reach back: after them the bandit is built again.
REBUILDING = frozenset({"corrected", "forecast_replaced"})

_STATUS: dict[str, Status] = {"paused": "paused", "resumed": "running", "archived": "archived"}

#: The half width of a 95% interval, in standard errors.
_WIDTH = 1.959963984540054


class Outbox:
    """The store that a bandit writes to here: new events wait for the transaction."""

    def __init__(self, past: Iterable[Event] = ()) -> None:
        self._past = past
        self.new: list[Event] = []

    def append(self, event: Event) -> None:
        """Keep an event until it is taken."""
        self.new.append(event)

    def __iter__(self) -> Iterator[Event]:
        return iter(self._past)

    def take(self) -> list[Event]:
        """The new events, which are then someone else's."""
        events, self.new = self.new, []
        return events


class Brain:
    """The live bandit of one experiment, and what the service knows beside it."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        if not entries or entries[0].kind != "created":
            raise InvalidError("the event log does not begin with the creation of an experiment")
        self.settings = Settings.from_dict(entries[0].body)
        self.arms: dict[str, Arm] = {arm.id: arm for arm in self.settings.arms}
        self.status: Status = "running"
        self.version, self.forecast = _latest_forecast(self.settings.forecast, entries)
        self._plan: Plan | None = None
        self.seq = entries[0].seq
        self._corrections = {e.turn: e.body for e in entries if e.kind == "corrected"}
        self._totals: dict[str, list[float]] = {}  # by arm: decisions, rewards, sum, squares
        self._rewarded = 0
        self.decided: set[int] = set()  # turns
        self._entered = {arm.id for arm in self.settings.arms if not arm.start or arm.start <= 1}
        started = _start(self.settings, self.forecast, self._entered, entries[0].body)
        events = (self.keep(entry) for entry in entries[1:])
        past = (event for event in events if event is not None)
        self.outbox = Outbox(chain([started], past))
        with quiet():
            self.bandit: Bandit[str] = Bandit.from_events(self.outbox)

    def keep(self, entry: Entry) -> Event | None:
        """Count an entry; gives the event for the bandit, if there is one."""
        self.seq, event = entry.seq, entry.event
        if entry.kind in _STATUS:
            self.status = _STATUS[entry.kind]
        elif entry.kind == "arm_added":
            self.arms[entry.body["id"]] = Arm(**entry.body)
            self._entered.discard(entry.body["id"])
        elif entry.kind == "arm_entered":
            self._entered.add(entry.body["id"])
        elif entry.kind == "arm_retired":
            self.arms[entry.body["id"]] = replace(self.arms[entry.body["id"]], retired=True)
        if isinstance(event, TurnDecided):
            self._total(event.arm)[0] += 1
            self.decided.add(event.turn)
        if isinstance(event, OutcomesReported):
            event = replace(event, outcomes=tuple(map(self._corrected, event.outcomes)))
            self._rewarded += len(event.outcomes)
            for outcome, arm in zip(event.outcomes, entry.body["arms"], strict=True):
                self._count(arm, outcome)
        return event

    def _corrected(self, outcome: TurnOutcome) -> TurnOutcome:
        body = self._corrections.get(outcome.turn)
        if body is None:
            return outcome
        return TurnOutcome(outcome.turn, body["reward"], body["visitors"])

    def _total(self, arm: str) -> list[float]:
        return self._totals.setdefault(arm, [0, 0, 0.0, 0.0])

    def _count(self, arm: str, outcome: TurnOutcome) -> None:
        if outcome.lesson is not None:
            total, mean = self._total(arm), outcome.lesson[0] / outcome.lesson[1]
            total[1] += 1
            total[2] += mean
            total[3] += mean * mean

    @staticmethod
    def can_follow(news: Iterable[Entry]) -> bool:
        """Whether none of the entries reaches back."""
        return not any(entry.kind in REBUILDING for entry in news)

    def follow(self, entry: Entry) -> None:
        """Take in an entry that is in the log; not one that reaches back."""
        event = self.keep(entry)
        if event is not None:
            self.bandit.follow(event)

    # -- requests: checked, and turned into events of the bandit ----------------------------------

    def require(self, *allowed: Status) -> None:
        """Refuse a request that the experiment's status does not allow."""
        if self.status not in allowed:
            remedy = "resume it first" if self.status == "paused" else "archived is for good"
            raise ClashError(f"the experiment {self.settings.id!r} is {self.status}: {remedy}")

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
            for arm in self._due(turn):
                self.bandit.add_arm(arm.id, arm.when, expires=arm.end)
        self.bandit.decide(turn, self._available(turn))
        return self.outbox.take()

    def _due(self, turn: int) -> list[Arm]:
        waiting = [arm for arm in self.arms.values() if arm.id not in self._entered]
        return [
            a for a in waiting if not a.retired and (a.start or 1) <= turn and not self._past(a)
        ]

    def _past(self, arm: Arm) -> bool:
        return arm.end is not None and arm.end <= self.last_turn

    def _available(self, turn: int) -> list[str] | None:
        """The arms that have started, where some of those in the game have not."""
        playing = self.bandit.arms
        started = [arm for arm in playing if (self.arms[arm].start or 1) <= turn]
        return None if len(started) == len(playing) else started

    def report(self, outcomes: Sequence[Outcome]) -> list[Event]:
        """Take in rewards: all, or none."""
        self.require("running", "paused")
        rows = [(self._arm_of(o.turn), o.reward, o.turn, o.visitors) for o in outcomes]
        self.bandit.update_many(rows)
        return self.outbox.take()

    def _arm_of(self, turn: int) -> str:
        self.check_turn(turn)
        return self.bandit.decision(turn).arm

    def arms_of(self, event: Event) -> list[str]:
        """The arms of the turns of a report."""
        assert isinstance(event, OutcomesReported), "only reports have outcomes"
        return [self._arm_of(outcome.turn) for outcome in event.outcomes]

    def check_correction(self, turn: int) -> dict[str, Any]:
        """What a turn's reward and visitors are before a correction."""
        self.require("running", "paused")
        self.check_turn(turn)
        decision = self.bandit.decision(turn)
        if decision.reward is None:
            raise ClashError(f"turn {turn} has no reward to correct: report one first")
        return {"reward": decision.reward, "visitors": decision.traffic}

    def check_new_arm(self, arm: Arm) -> None:
        """Refuse an arm that is there already, or that would be over before it starts."""
        self.require("running", "paused")
        old = self.arms.get(arm.id)
        if old is not None and not old.retired:
            raise ClashError(f"there is an arm {arm.id!r} already: retire it, or choose another id")
        if arm.end is not None and arm.end <= max(self.last_turn, (arm.start or 1) - 1):
            raise ClashError(f"the arm {arm.id!r} would end at turn {arm.end}, before it starts")

    def retire(self, arm: str) -> list[Event]:
        """Take an arm out of the game; locked turns stay as they are."""
        self.require("running", "paused")
        known = self.arms.get(arm)
        if known is None:
            raise NotFoundError(f"the experiment {self.settings.id!r} has no arm {arm!r}")
        if known.retired:
            raise ClashError(f"the arm {arm!r} is already retired")
        if arm in self._entered:
            self.bandit.remove_arm(arm)
        return self.outbox.take()

    # -- looking ----------------------------------------------------------------------------------

    @property
    def last_turn(self) -> int:
        """The latest turn that is decided; 0 before the first."""
        return self.bandit.last_turn

    @property
    def counts(self) -> tuple[int, int]:
        """How many turns are decided, and how many of them have a reward."""
        decided = sum(total[0] for total in self._totals.values())
        return int(decided), self._rewarded

    def arm_states(self) -> tuple[ArmReport, ...]:
        """What is known of each arm."""
        estimates = {ranked.arm: ranked.estimate for ranked in self.bandit.ranking()}
        return tuple(self._arm_state(arm, estimates) for arm in self.arms.values())

    def _arm_state(self, arm: Arm, estimates: dict[str, float | None]) -> ArmReport:
        decisions, rewards, total, squares = self._totals.get(arm.id, (0, 0, 0.0, 0.0))
        mean = total / rewards if rewards else None
        low = high = None
        if mean is not None and rewards > 1:
            variance = max(0.0, squares - rewards * mean * mean) / (rewards - 1)
            half = _WIDTH * math.sqrt(variance / rewards)
            low, high = mean - half, mean + half
        status = "retired" if arm.retired else "ended" if self._past(arm) else "playing"
        if status == "playing" and arm.id not in self._entered:
            status = "waiting"
        estimate = estimates.get(arm.id, mean)
        counts = int(decisions), int(rewards)
        span = arm.start, arm.end
        return ArmReport(arm.id, arm.label, status, *span, *counts, estimate, low, high)  # type: ignore[arg-type]  # one of the four words

    def plan(self, turns: int) -> list[PlannedTurn]:
        """The coming turns, as things stand: nothing is decided by asking."""
        known = {r.arm: r.estimate for r in self.bandit.ranking() if r.estimate is not None}
        best = max(known, key=known.__getitem__, default=None)
        first = self.last_turn + 1
        last = min(len(self.forecast.values), first + turns - 1)
        levels = self.planned().levels
        return [self._planned(t, float(levels[t - 1]), known, best) for t in range(first, last + 1)]

    def planned(self) -> Plan:
        """The plan of all turns, for the arms that are in the game now."""
        arms = max(1, len(self.bandit.arms))
        if self._plan is None or self._plan.arms != arms:
            with quiet(PlanWarning):
                self._plan = self.bandit.policy.plan(self.forecast.multiplier, arms)
        return self._plan

    def _planned(
        self, turn: int, level: float, known: dict[str, float], best: str | None
    ) -> PlannedTurn:
        chances = self.bandit.probabilities(turn, self._available(turn))
        forecast = self.forecast.values[turn - 1]
        top = known[best] if best is not None else 0.0
        gaps = (chance * (top - known[arm]) for arm, chance in chances.items() if arm in known)
        explored = 1.0 - chances.get(best, 0.0) if best is not None else 1.0
        cost = max(0.0, forecast * math.fsum(gaps))
        return PlannedTurn(
            turn, self.forecast.time(turn), forecast, level, best, max(0.0, explored), cost
        )


def _latest_forecast(
    first: TrafficForecast, entries: Iterable[Entry]
) -> tuple[int, TrafficForecast]:
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
    outbox = Outbox()
    with quiet():
        Bandit(
            [arm.id for arm in arms],
            from_json(json.dumps(body["policy_parameters"])),
            forecast.multiplier,
            reward_range=settings.reward_range,
            seed=settings.seed,
            expires={arm.id: arm.end for arm in arms if arm.end is not None},
            store=outbox,
        )
    return outbox.take()[0]
