"""Steps and seconds of studies that are not on the pipeline yet."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from highseason.studies.session import Progress


@dataclass
class Work:
    """Counts steps and seconds as a study goes on."""

    steps: int
    progress: Progress | None = None
    done: int = 0
    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def step(self, kind: str) -> Iterator[None]:
        """One piece of work."""
        begin = time.perf_counter()
        yield
        self.seconds[kind] = self.seconds.get(kind, 0.0) + time.perf_counter() - begin
        self.done += 1
        if self.progress is not None:
            self.progress(self.done, max(self.steps, self.done))
