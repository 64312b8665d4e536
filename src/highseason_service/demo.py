"""A simulated shop year, so that a newcomer sees the service alive."""

from datetime import UTC, date, datetime, timedelta

import numpy as np
from numpy.typing import NDArray

from highseason.bandit import PRICE_POLICY
from highseason.traffic import Calendar
from highseason_service.experiments import Service
from highseason_service.forecast import TrafficForecast
from highseason_service.model import Arm, DecisionRecord, Outcome, Settings, prices_of

NAME = "demo-shop"

#: The prices, and the share of visitors who buy at each.
BUYERS = {8.99: 0.052, 9.99: 0.046, 10.99: 0.040, 11.99: 0.032, 12.99: 0.022}
#: A price that is tried later.
LATECOMER = (10.49, 0.0435)
#: What a sold piece costs, at first and from a day on.
COST, DEARER = 4.20, (180, 4.60)

TURNS, PLAYED, SEED = 365, 250, 39


def fill(service: Service, today: datetime | None = None) -> None:
    """Play a year of days up to today; calling it again changes nothing."""
    today = today or datetime.now(UTC)
    if any(summary.id == NAME for summary in service.experiments()):
        return
    start = (today - timedelta(days=PLAYED - 1)).date()
    traffic = expected_traffic(start)
    forecast = TrafficForecast(tuple(traffic.tolist()), Calendar.starting(start.isoformat()))
    name = "The price of tea (simulated)"
    prices = prices_of([*BUYERS], COST)
    service.create(Settings(NAME, name, prices, PRICE_POLICY, forecast, unit="€"))
    for turn in range(1, PLAYED):
        if turn == 120:
            service.add_arm(NAME, Arm.priced(LATECOMER[0]))
        if turn == DEARER[0]:
            service.change_worth(NAME, cost=DEARER[1])
        decision = service.decide(NAME, turn)
        service.update_many(NAME, [_outcome(decision, float(traffic[turn - 1]))])
    service.decide(NAME, PLAYED)


def expected_traffic(start: date, turns: int = TURNS) -> NDArray[np.float64]:
    """Visitors by day: busy weekends, a quiet summer, a great December."""
    days = start.timetuple().tm_yday + np.arange(turns)
    year = 2 * np.pi * (days % 365) / 365
    december = 2.2 * np.exp(-(((days - 1) % 365 - 352) ** 2) / 200.0)
    weekend = np.where((start.weekday() + np.arange(turns)) % 7 >= 5, 1.5, 1.0)
    return np.asarray(np.round(300.0 * weekend * (1.0 + 0.25 * np.cos(year) + december)))


def _outcome(decision: DecisionRecord, expected: float) -> Outcome:
    """What the day brought: a function of the seed and the turn."""
    draw = np.random.default_rng([SEED, decision.turn])
    visitors = int(draw.poisson(expected))
    share = dict([*BUYERS.items(), LATECOMER])[float(decision.arm)]
    bought = float(draw.binomial(visitors, share))
    return Outcome(decision.turn, visitors=float(visitors), purchases=bought)
