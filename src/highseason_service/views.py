"""What the dashboard shows of an experiment, computed once per change of it."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property, partial
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from highseason.core import counted, format_number
from highseason.policies import Plan, Policy
from highseason.rewards import Offer
from highseason_service import charts
from highseason_service.charts import Chart, PlayHistory
from highseason_service.experiments import Recent, Service, state_of
from highseason_service.forecast import TrafficForecast
from highseason_service.live import LATE, LiveExperiment
from highseason_service.model import Arm, ArmReport, DecisionRecord, PlannedTurn, State, money

#: How many of each a page shows.
LATEST, COMING, ARMS, WAITING = 7, 7, 100, 100

#: How many experiments are kept as they were shown last.
REMEMBERED = 50


@dataclass(frozen=True)
class ArmRow:
    """An arm, and where its estimate and interval lie on a scale from 0 to 100."""

    report: ArmReport
    name: str
    best: bool
    low: float | None
    high: float | None
    mark: float | None


@dataclass(frozen=True)
class ExperimentView:
    """Everything that the pages of one experiment show, at one moment."""

    state: State
    policy: Policy
    turns: TrafficForecast
    arms: dict[str, Arm]
    plan: Plan
    coming: list[PlannedTurn]
    latest: list[DecisionRecord]
    history: PlayHistory
    moment: datetime
    why: str = ""  # Why the price that is now is played, and what that costs

    def money(self, value: float, exactly: bool = False) -> str:
        """A reward; where arms are prices, an amount of money."""
        return money(value, self.state.unit, exactly) if self.state.priced else format_number(value)

    @cached_property
    def of_prices(self) -> list[charts.PriceChart]:
        """The charts of prices, once something was reported."""
        if not self.state.priced or not self.state.rewarded:
            return []
        arms = sorted(self.state.arms, key=lambda arm: arm.price or 0.0)
        about = self.state.best, self.state.unit, self.state.tax
        return charts.of_prices([arm for arm in arms if arm.status != "removed"], *about)

    @cached_property
    def now(self) -> int | None:
        """The turn that was now; the next one where there is no calendar; None past the end."""
        return self.at(self.moment)[0]

    @cached_property
    def best(self) -> ArmReport | None:
        """The best arm so far of those that are in the game."""
        return next((arm for arm in self.state.arms if arm.id == self.state.best), None)

    @cached_property
    def worth(self) -> float:
        """What the best arm so far brings per visitor."""
        if self.best is None or self.best.estimate is None:
            return math.nan
        if not self.policy.learns_scaled:
            return self.best.estimate
        mine = self.history.arm == self.history.numbers[self.best.id]
        mine &= ~np.isnan(self.history.reward)
        return float(self.history.reward[mine].sum() / self.history.visitors[mine].sum())

    @cached_property
    def charts(self) -> dict[str, Chart]:
        """The charts, by their names."""
        name = "" if self.best is None else self.name(self.best.id)
        unit = self.state.unit if self.state.priced else None
        drawn = [
            charts.traffic(self.turns, self.plan, self.history, self.planned_from, self.past),
            charts.choices(self.turns, self.history),
            charts.rewards(self.turns, self.history, name, self.worth, unit),
        ]
        return {chart.id: chart for chart in drawn}

    def arm_rows(self, first: int = 0, most: int = ARMS) -> list[ArmRow]:
        """Some of the arms: those in the game first, best first."""
        order = {"playing": 0, "waiting": 1, "ended": 2, "removed": 3}

        def key(arm: ArmReport) -> tuple[int, bool, float]:
            if arm.price is not None:
                return order[arm.status] // 2, False, arm.price
            value = math.inf if arm.estimate is None else -arm.estimate
            return order[arm.status], arm.id != self.state.best, value

        shown = sorted(self.state.arms, key=key)[first : first + most]
        values = [v for arm in shown for v in (arm.low, arm.high, arm.estimate) if v is not None]
        low, high = min(values, default=0.0), max(values, default=1.0)
        margin = max((high - low) * 0.04, abs(high) * 1e-3) or 0.5

        def place(value: float | None) -> float | None:
            if value is None:
                return None
            return round(100.0 * (value - low + margin) / (high - low + 2 * margin), 2)

        return [
            ArmRow(arm, self.name(arm.id), arm.id == self.state.best, *map(place, ends))
            for arm, ends in ((arm, (arm.low, arm.high, arm.estimate)) for arm in shown)
        ]

    @cached_property
    def waiting(self) -> list[tuple[int, str]]:
        """The latest turns without a reward and their names: what is over, then what comes next."""
        found = [(turn, name) for _, turn, name in self._latest(np.isnan(self.history.reward))]
        return sorted(found, key=lambda one: max(one[0], self.past))

    @cached_property
    def rewarded(self) -> list[tuple[int, str]]:
        """The latest turns with a reward."""
        brought, visitors = self.history.brought, self.history.visitors
        what = " purchases" if self.state.priced else ""
        return [
            (
                turn,
                f"{name}, {format_number(brought[r])}{what} from {format_number(visitors[r])} "
                "visitors",
            )
            for r, turn, name in self._latest(~np.isnan(brought))
        ]

    def _latest(self, chosen: NDArray[np.bool_]) -> Iterator[tuple[int, int, str]]:
        """The latest rows of those chosen: the row, its turn, and both in words."""
        names = [self.name(arm) for arm in self.history.numbers]
        for row in np.flatnonzero(chosen)[::-1][:WAITING].tolist():
            turn = int(self.history.turn[row])
            yield row, turn, f"{self.turns.name(turn)}: {names[self.history.arm[row]]}"

    @cached_property
    def explored(self) -> float:
        """The share of turns that tried another arm than the best."""
        exploited = self.history.exploited
        return float(1.0 - exploited.mean()) if exploited.size else math.nan

    @cached_property
    def earned(self) -> float:
        """All rewards together."""
        return float(np.nansum(self.history.reward))

    def at(self, moment: datetime) -> tuple[int | None, int]:
        """The turn that is now and how many are over: the next and the decided, by number alone."""
        if self.turns.walls is not None:
            return self.turns.progress(moment)
        return self.coming[0].turn if self.coming else None, self.history.turns

    @cached_property
    def without_turn(self) -> str:
        """Why no turn is now, where none is."""
        if self.turns.walls is None:
            return "All turns are decided"
        return self.turns.idle(self.past)

    @cached_property
    def past(self) -> int:
        """How many turns are over; without a calendar, those that are decided."""
        return self.at(self.moment)[1]

    @cached_property
    def planned_from(self) -> int:
        """How many turns the plan is not about any more: they are over, or all decided."""
        open_turns = np.setdiff1d(np.arange(self.history.turns + 1) + 1, self.history.turn)
        return max(self.past, int(open_turns[0]) - 1)

    @cached_property
    def late(self) -> int:
        """How many turns are decided, over and without a reward."""
        return int((np.isnan(self.history.reward) & (self.history.turn <= self.past)).sum())

    @cached_property
    def banners(self) -> list[str]:
        """What someone should look at."""
        state, unit, said = self.state, self.turns.unit, []
        if self.late >= LATE:
            said.append(
                f"{counted(self.late, unit)} without a reward: nothing is learned from them until "
                "they are entered."
            )
        if state.status == "running" and not any(a.status == "playing" for a in state.arms):
            waiting = any(arm.status == "waiting" for arm in state.arms)
            remedy = "One waits for its first turn." if waiting else "Add one, or bring one back."
            said.append(f"No arm is in the game. {remedy}")
        return [*said, *charts.busy_warning(self.plan, unit, self.planned_from)]

    # -- why each decision was made --------------------------------------------------------------

    def reason(self, record: DecisionRecord) -> str:
        """The reason for a decision, such as "Boxing Day: played 9.99, the best so far"."""
        return f"{self.occasion(record.turn)}: {self._choice(record)}"

    def occasion(self, turn: int) -> str:
        """What kind of turn it is: its special day, or whether it is busy."""
        special = self.turns.special(turn)
        if special:
            return special[0].upper() + special[1:]
        busy = self.turns.values[turn - 1] >= self.plan.busy_from
        return f"{'Busy' if busy else 'Quiet'} {self.turns.unit}"

    def name(self, arm: str) -> str:
        """An arm as people read it."""
        known = self.arms.get(arm)
        if known is None or known.label or known.price is None:
            return known.label if known is not None and known.label else arm
        return self.money(known.price, exactly=True)

    def _choice(self, record: DecisionRecord) -> str:
        name, others = self.name(record.arm), self._others(record)
        rival = next(others, None)
        if rival is None:
            return f"played {name}, the only arm"
        if record.exploited:
            return f"played {name}, the best so far"
        plays = self.history.plays(record.turn)
        own = plays.get(record.arm, 0)
        most = max(plays.values(), default=0)
        if not own and self.plan.first_choice and most <= 1:
            return f"tried {name}, as every arm is tried once first"
        if not own:
            return f"tried {name}" + (
                " for the first time" if most else ", as nothing is known yet"
            )
        if all(own <= plays.get(arm, 0) for arm in chain([rival], others)):
            return f"tried {name}, the least known arm"
        if record.probability < 1.0:
            return f"tried {name}, drawn at random to learn more"
        total = sum(plays.values())
        return f"tried {name} to know it better (played {own:,} of {total:,} times)"

    def _others(self, record: DecisionRecord) -> Iterator[str]:
        """The other arms that could have been chosen; an arm's next change says if it was there."""
        entry = self.history.entry[np.searchsorted(self.history.turn, record.turn)]
        then = {one.arm: one.removed for one in reversed(self.history.changes) if one.seq > entry}
        spanning = (arm for arm in self.arms.values() if arm.spans(record.turn))
        others = (arm for arm in spanning if then.get(arm.id, not arm.removed))
        return (arm.id for arm in others if arm.id != record.arm)


class Views:
    """The views of the experiments that were looked at last."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._known: Recent[ExperimentView] = Recent(REMEMBERED)

    def get(self, experiment: str) -> ExperimentView:
        """An experiment as it is now."""
        last = self._service.experiment(experiment).events
        view, moment = self._known.get(experiment), self._service.clock()
        if view is None or view.state.events != last or (view.now, view.past) != view.at(moment):
            view = self._build(experiment, moment)
        return self._known.keep(experiment, view)

    def _build(self, experiment: str, moment: datetime) -> ExperimentView:
        def seen(
            live: LiveExperiment,
        ) -> tuple[partial[ExperimentView], Mapping[str, Offer] | None]:
            coming = live.plan(COMING, live.next_turn(moment))
            about = state_of(live), live.bandit.policy, live.forecast, dict(live.arms)
            offers, why, turn = live.bandit.offers, "", 0
            if offers and live.forecast.calendar is not None:
                turn = live.forecast.progress(moment)[0] or 0
            if turn in live.decided:
                day = live.forecast.unit
                when = "today" if day == "day" else f"this {day}"
                why = live.bandit.why(turn).text(live.settings.unit, when)
            return partial(ExperimentView, *about, live.planned(), coming, why=why), offers

        view, offers = self._service.look(experiment, seen)
        latest = self._service.decisions(experiment, limit=LATEST)
        # the last: it knows whatever they know
        history = self._service.read(lambda one: PlayHistory.read(one, experiment, offers))
        if history.turns > view.args[0].turns:  # the forecast was replaced in between
            return self._build(experiment, moment)
        return view(latest, history, moment)
