"""What a generated log is to be like."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from highseason.logs.kernels.generate import DAY

#: The first second of 2 October 2011 (UTC), the day on which the real log begins.
START = 1_317_513_600

#: The longest log that can be made in reasonable time, and the most lines that it can have.
MOST_DAYS, MOST_LINES = 1000, 10**10
_LINE = 450  # bytes, about


@dataclass(frozen=True)
class FrontPage:
    """The settings of a log like those of the Yahoo! front page.

    Attributes:
        days: How long it is; `1 / 24` for an hour.
        seed: The same seed gives the same log.
        start: Its first second.
        events_per_second: How many on average.
        articles: So many, all of them on offer throughout.  None: articles come and go.
        rates: Their click rates; there are as many articles as rates, on offer throughout.
        tilt: Shows an article in proportion to its click rate to this power.  With 0 all of a pool
            are equally likely; anything else is a log that replay must not trust.
        drift: How much of its click rate an article loses in its life: 0.3 takes it from 1.15 times
            its rate to 0.85 times.  Articles that are always on offer do not age.
        rhythm: The daily wave: 0.45 makes the busiest hour 1.45 times the average.
        bursts: The chance that ten minutes bring up to three times as many events.
    """

    days: float = 1.0
    seed: int = 0
    start: int = START
    events_per_second: float = 21.0
    articles: int | None = None
    rates: Sequence[float] | None = None
    tilt: float = 0.0
    drift: float = 0.3
    rhythm: float = 0.45
    bursts: float = 0.02

    def __post_init__(self) -> None:
        """Refuse what makes no sense."""
        for name in ("days", "events_per_second", "tilt"):
            if not math.isfinite(getattr(self, name)):
                raise ValueError(f"{name} must be a finite number, not {getattr(self, name)!r}")
        if self.events_per_second <= 0:
            raise ValueError(f"events_per_second must be above 0, not {self.events_per_second!r}")
        if self.start < 0:
            raise ValueError(f"start must be a second of the Unix epoch, not {self.start!r}")
        for name in ("drift", "rhythm", "bursts"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name} must be between 0 and 1, not {getattr(self, name)!r}")
        self._check_size()
        if self.seconds < 1:
            raise ValueError(f"a log lasts at least one second; {self.days!r} days are none")
        self._check_articles()

    def _check_size(self) -> None:
        if self.days > MOST_DAYS:
            raise ValueError(
                f"a log of {self.days:g} days is too long to be made: at most {MOST_DAYS:,} days"
            )
        lines = self.seconds * self.events_per_second
        if lines > MOST_LINES:
            raise ValueError(
                f"a log of {lines:.2g} lines, about {lines * _LINE / 1e12:.2g} TB, is too much to "
                f"be made: at most {MOST_LINES:.0e} lines; take fewer days or events per second"
            )

    def _check_articles(self) -> None:
        if self.articles is not None and self.articles < 1:
            raise ValueError(f"articles must be at least 1, not {self.articles}")
        if self.rates is None:
            return
        if len(self.rates) == 0 or not all(0 <= rate <= 1 for rate in self.rates):
            raise ValueError("rates must be numbers between 0 and 1, one for each article")
        if self.articles not in (None, len(self.rates)):
            raise ValueError(
                f"articles={self.articles} does not fit {len(self.rates)} rates: leave it out"
            )

    @property
    def seconds(self) -> int:
        """How long the log is."""
        return round(self.days * DAY)

    @property
    def fixed_pool(self) -> int | None:
        """How many articles never die, if the pool is to stay the same."""
        return self.articles if self.rates is None else len(self.rates)
