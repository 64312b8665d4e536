"""An experiment in memory: the live bandit, rebuilt from the event log and kept up with it.

Everything a decision needs is a function of (seed, turn, events).  A correction of the visitors
reaches back: it is applied by building the bandit again, as if the right ones had been reported.
"""

import json
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from highseason.bandit import (
    Bandit,
    Event,
    OutcomesReported,
    Ranked,
    RewardCorrected,
    TurnDecided,
    TurnOutcome,
)
from highseason.core import quiet
from highseason.policies import Plan, PlanWarning, from_json
from highseason_service.errors import ClashError, InvalidError, NotFoundError
from highseason_service.forecast import TrafficForecast
from highseason_service.model import (
    MOST_ARMS,
    MOST_TURNS,
    Arm,
    ArmReport,
    Entry,
    Outcome,
    PlannedTurn,
    Settings,
    Status,
)

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
        self.seq = entries[0].seq
        self.corrections = {entry.turn: entry for entry in old if entry.kind == "corrected"}
        self.decisions: Counter[str] = Counter()  # by arm
        self.rewarded = 0
        self.decided: set[int] = set()  # turns
        self.entered = {arm.id for arm in self.settings.arms if not arm.start or arm.start <= 1}
        # what the bandit stores: its past while it is built, and then events to be committed
        self._events = [_start(self.settings, self.forecast, self.entered, entries[0].body)]
        self._events += [event for entry in entries[1:] if (event := self.keep(entry)) is not None]
        with quiet():
            self.bandit: Bandit[str] = Bandit.from_events(self._events)
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
        elif entry.kind == "forecast_replaced" and event is not None:
            self.version, self._plan = entry.body["version"], None
            self.forecast = self.forecast.replaced(entry.body["first"], entry.body["values"])
        elif entry.kind == "arm_added":
            self.arms[entry.body["id"]] = Arm.from_dict(entry.body)
            self.entered.discard(entry.body["id"])
        elif entry.kind == "arm_entered":
            self.entered.add(entry.body["id"])
        elif entry.kind == "arm_retired":
            self.arms[entry.body["id"]] = replace(self.arms[entry.body["id"]], removed=True)
        if isinstance(event, TurnDecided):
            self.decisions[event.arm] += 1
            self.decided.add(event.turn)
        if isinstance(event, OutcomesReported):
            event = OutcomesReported(event.seq, tuple(map(self._corrected, event.outcomes)))
            self.rewarded += len(event.outcomes)
        if isinstance(event, RewardCorrected):
            later = self.corrections.get(event.turn)
            if later is not None and later.seq > entry.seq:  # applied from the beginning
                return RewardCorrected(event.seq, event.turn, later.body["reward"])
        return event

    def _corrected(self, outcome: TurnOutcome) -> TurnOutcome:
        later = self.corrections.get(outcome.turn)
        if later is None:
            return outcome
        return TurnOutcome(outcome.turn, later.body["reward"], later.body["visitors"])

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
            for arm in self._due(turn):
                self.bandit.add_arm(arm.id, arm.when, expires=arm.end)
        self.bandit.decide(turn, self._available(turn))
        return self._new_events()

    def _due(self, turn: int) -> list[Arm]:
        waiting = [arm for arm in self.arms.values() if arm.id not in self.entered]
        return [
            a for a in waiting if not a.removed and (a.start or 1) <= turn and not self._past(a)
        ]

    def _past(self, arm: Arm) -> bool:
        return arm.end is not None and arm.end <= self.last_turn

    def _available(self, turn: int) -> list[str] | None:
        """The arms that have started, where some of those in the game have not."""
        playing = self.bandit.arms
        started = [arm for arm in playing if (self.arms[arm].start or 1) <= turn]
        return None if len(started) == len(playing) else started

    def update_many(self, outcomes: Sequence[Outcome]) -> list[Event]:
        """Take in rewards: all, or none."""
        self.require("running", "paused")
        rows = [(self._arm_of(o.turn), o.reward, o.turn, o.visitors) for o in outcomes]
        self.bandit.update_many(rows)
        return self._new_events()

    def _arm_of(self, turn: int) -> str:
        self.check_turn(turn)
        return self.bandit.decision(turn).arm

    def arms_of(self, event: Event) -> list[str]:
        """The arms of the turns of a report."""
        assert isinstance(event, OutcomesReported), "only reports have outcomes"
        return [self._arm_of(outcome.turn) for outcome in event.outcomes]

    def correct(self, outcome: Outcome) -> list[Event]:
        """Replace a reward, of which only the reward was wrong."""
        self.bandit.correct(outcome.turn, outcome.reward)
        return self._new_events()

    def before_correction(self, turn: int) -> dict[str, Any]:
        """What a turn's arm, reward and visitors are before a correction."""
        self.require("running", "paused")
        self.check_turn(turn)
        decision = self.bandit.decision(turn)
        if decision.reward is None:
            raise ClashError(f"turn {turn} has no reward to correct: update it first")
        return {"arm": decision.arm, "reward": decision.reward, "visitors": decision.visitors}

    def check_new_arm(self, arm: Arm) -> None:
        """Refuse an arm that is there already, or that would be over before it starts."""
        self.require("running", "paused")
        old = self.arms.get(arm.id)
        if old is not None and not old.removed:
            raise ClashError(f"there is an arm {arm.id!r} already: remove it, or choose another id")
        if old is None and len(self.arms) >= MOST_ARMS:
            raise ClashError(f"an experiment has at most {MOST_ARMS} arms: create another one")
        if arm.end is not None and arm.end <= max(self.last_turn, (arm.start or 1) - 1):
            raise ClashError(f"the arm {arm.id!r} would end at turn {arm.end}, before it starts")

    def reforecast(self, first: int, values: Sequence[float]) -> list[Event]:
        """Replace the forecast from a turn on that is not decided."""
        self.require("running", "paused")
        turns = len(self.forecast.values)
        if not self.last_turn < first <= turns + 1:
            raise ClashError(
                f"the forecast can be replaced from turn {self.last_turn + 1}, the first that is "
                f"not decided, to turn {turns + 1}, got {first}"
            )
        if first - 1 + len(values) > MOST_TURNS:
            raise ClashError(f"an experiment has at most {MOST_TURNS} turns: create another one")
        G = self.forecast.replaced(first, values).multiplier
        with quiet():
            self.bandit.reforecast(G.window(self.last_turn + 1, G.turns))
        return self._new_events()

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
    def last_turn(self) -> int:
        """The latest turn that is decided; 0 before the first."""
        return self.bandit.last_turn

    @property
    def best(self) -> str | None:
        """The arm that leads, of those that are in the game; None before the first reward."""
        return next((row.arm for row in self.bandit.ranking() if row.estimate is not None), None)

    def arm_states(self) -> tuple[ArmReport, ...]:
        """What is known of each arm."""
        known = {row.arm: row for row in self.bandit.ranking(gone=True)}
        return tuple(
            self._arm_state(arm, known.get(arm.id, Ranked(arm.id, None, 0)))
            for arm in self.arms.values()
        )

    def _arm_state(self, arm: Arm, known: Ranked[str]) -> ArmReport:
        status = "removed" if arm.removed else "ended" if self._past(arm) else "playing"
        if status == "playing" and arm.id not in self.entered:
            status = "waiting"
        span, counts = (arm.start, arm.end), (self.decisions[arm.id], known.pulls)
        shown, sure = (known.estimate, known.low, known.high), (known.chance_best, known.loss)
        return ArmReport(arm.id, arm.label, status, *span, *counts, *shown, *sure, arm.value)  # type: ignore[arg-type]  # one of the four words

    def plan(self, turns: int) -> list[PlannedTurn]:
        """The coming turns, as things stand: nothing is decided by asking."""
        known = {r.arm: r.estimate for r in self.bandit.ranking() if r.estimate is not None}
        best, first = self.best, self.last_turn + 1
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
    events: list[Event] = []
    with quiet():
        Bandit(
            [arm.id for arm in arms],
            from_json(json.dumps(body["policy_parameters"])),
            forecast.multiplier,
            reward_range=settings.reward_range,
            seed=settings.seed,
            expires={arm.id: arm.end for arm in arms if arm.end is not None},
            store=events,
        )
    return events[0]
