"""What to do on each of the coming days, in words: what bandits do that play the plan."""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any, ClassVar

import numpy as np

from highseason.bandit import Bandit
from highseason.core.text import counted, wrapped
from highseason.core.warnings import quiet
from highseason.policies import Plan, Policy
from highseason.rewards import Offer, Rewards
from highseason.traffic import day_in_words, special_days

#: How many turns are listed, and how many games say what is done in them.
DAYS, GAMES = 14, 40
#: In fewer games than this share, a try is not worth a word.
_RARELY = 0.1
_DAY = np.timedelta64(1, "D")


@dataclass(frozen=True)
class Day:
    """A turn to come.

    Attributes:
        turn: Its number.
        begins: When it begins, by the clock of its zone; None without a calendar.
        whole: Whether it is a day, or longer.
        visitors: How many are expected.
        special: The name of a special day, or nothing.
        tries: The share of games in which another arm is tried than the best so far.
        arm: The arm, where it is the same in every game.
    """

    turn: int
    begins: datetime | None
    whole: bool
    visitors: float
    special: str
    tries: float
    arm: str | None

    noun: ClassVar[str] = "arm"  # what an arm is called

    @property
    def when(self) -> str:
        """The turn as people read it."""
        if self.begins is None:
            return f"Turn {self.turn}"
        return self.begins.strftime(f"%a {self.begins.day} %b" + ("" if self.whole else ", %H:%M"))

    @property
    def what(self) -> str:
        """What to do."""
        if self.arm is not None and self.tries:
            return f"try {self.arm}"
        if self.tries >= 0.5:
            return f"try another {self.noun}"
        chance = f", or try another {self.noun} ({self.tries:.0%})"
        return "play the best so far" + (chance if self.tries > _RARELY else "")

    def __str__(self) -> str:
        special = f", {self.special}" if self.special else ""
        visitors = counted(round(self.visitors), "visitor")
        return f"{self.when}{special}, {visitors} expected: {self.what}"


class PriceDay(Day):
    """The same where arms are prices."""

    noun = "price"


def price_arguments(offers: Sequence[Offer]) -> dict[str, Any]:
    """What a bandit takes for these prices."""
    prices, costs, taxes = map(list, zip(*offers, strict=True))
    cost = costs[0] if len(set(costs)) == 1 else costs
    known = {"cost": cost, "tax": taxes[0]}
    return {"prices": prices, **{name: value for name, value in known.items() if value}}


def coming_days(
    plan: Plan,
    rewards: Rewards,
    labels: Sequence[str] = (),
    player: Policy | None = None,
    today: date | None = None,
) -> list[Day]:
    """The two weeks from today on, or the first turns of a plan that does not know of today.

    Args:
        plan: The plan.
        rewards: What arms may pay: bandits play games with it, and learn which arm is best.
        labels: The names of the arms.
        player: The policy as a bandit plays it, if that is not the plan's.
        today: Today.
    """
    G, names = plan.multiplier, list(labels) or [f"arm {i + 1}" for i in range(plan.arms)]
    wall = None if G.calendar is None else G.calendar.astype("datetime64[s]")
    first = 0 if wall is None else int((wall < np.datetime64(today or date.today())).sum())
    turns = range(first % G.turns + 1, min(first % G.turns + DAYS, G.turns) + 1)
    chosen: list[list[tuple[str, bool]]] = [[] for _ in turns]
    how: dict[str, Any] = {"arms": names, "reward_range": rewards.reward_range}
    offers, kind = rewards.offers or (), Day
    if offers:
        how, kind = price_arguments(offers), PriceDay
    for game in range(GAMES):
        arms = rewards.parameters(np.array([game], np.uint64))[0]
        draw = np.random.default_rng(game)
        with quiet():
            bandit = Bandit(policy=player or plan.policy, multiplier=G, seed=game, **how)
            for t, seen in zip(turns, chosen, strict=True):
                decision, visitors = bandit.decide(t), float(G.values[t - 1])
                arm = bandit.arms.index(decision.arm)
                seen.append((names[arm], decision.exploited))
                paid = rewards.draw(draw.random(), arms[arm], t, visitors)
                brought: dict[str, Any] = {"reward": visitors * paid}
                if offers:
                    visitors = math.ceil(visitors)
                    brought = {"purchases": int(visitors * paid / offers[arm].margin + 1e-9)}
                bandit.update(decision.arm, t=t, visitors=visitors, **brought)
    begins = [None] * G.turns if wall is None else wall.tolist()
    whole = wall is None or wall.size < 2 or bool(np.diff(wall).min() >= _DAY)
    named = [""] * G.turns if wall is None else map(day_in_words, special_days(wall))
    special = [name if whole else "" for name in named]
    return [
        kind(t, begins[t - 1], whole, float(G.values[t - 1]), special[t - 1],
            sum(not exploited for _, exploited in seen) / GAMES,
            seen[0][0] if len({arm for arm, _ in seen}) == 1 else None)
        for t, seen in zip(turns, chosen, strict=True)
    ]  # fmt: skip


def in_words(days: Sequence[Day]) -> str:
    """The days, one a line, and what the list is; fits the terminal."""
    noun = next((day.noun for day in days), Day.noun)
    about = (
        f"Percentages are of {GAMES} simulated games.  Which {noun} is best is learned on the way, "
        "from each day's own numbers: ask again every morning."
    )
    lines = [wrapped(f"  {day}", indent="    ") for day in days]
    return "\n".join(["What to do, day by day:", *lines, wrapped(about)])


def as_calendar(days: Iterable[Day]) -> str:
    """The days as a calendar file (RFC 5545), for any calendar program."""
    stamp, lines = f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}", []
    for day in days:
        if day.begins is None:
            raise ValueError("a calendar needs dates, and this traffic has none: write a .csv")
        begins = f";VALUE=DATE:{day.begins:%Y%m%d}" if day.whole else f":{day.begins:%Y%m%dT%H%M%S}"
        about = re.sub(r"([\\,;])", r"\\\1", str(day).partition(", ")[2])
        lines += ["BEGIN:VEVENT", f"UID:{day.begins.isoformat()}@highseason", f"DTSTAMP:{stamp}",
                  f"DTSTART{begins}", f"SUMMARY:{about}", "END:VEVENT"]  # fmt: skip
    head = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//highseason//plan//EN"]
    # A line of more than 75 bytes goes on after a space; no character has more than four bytes.
    folded = (
        line if len(line.encode()) <= 75 else "\r\n ".join(re.findall(".{1,18}", line))
        for line in [*head, *lines, "END:VCALENDAR"]
    )
    return "\r\n".join([*folded, ""])
