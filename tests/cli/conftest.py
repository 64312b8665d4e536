"""How the tests call the program: in this process where that is enough, else as a real one."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from importlib import import_module
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click import Command
from click.testing import CliRunner

from highseason.cli import main
from highseason.logs import write_events
from studies.logged.generate import generate_events


@dataclass(frozen=True)
class Answer:
    """What a call of the program gave back."""

    code: int
    stdout: str
    stderr: str

    @property
    def line(self) -> str:
        """The one line on stderr."""
        (line,) = self.stderr.splitlines()
        return line


Call = Callable[..., Answer]


def caller(program: Command) -> Call:
    """A function that runs command lines of a program in this process."""

    def call(*words: str) -> Answer:
        result = CliRunner().invoke(program, list(words))
        assert result.exception is None or isinstance(result.exception, SystemExit)
        return Answer(result.exit_code, result.stdout, result.stderr)

    return call


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Call:
    """Run a command line in an empty folder, in this process."""
    monkeypatch.chdir(tmp_path)
    return caller(main)


@pytest.fixture
def run(tmp_path: Path) -> Call:
    """Run a command line in an empty folder, in a process of its own."""

    def run(*words: str, **variables: str) -> Answer:
        done = subprocess.run(
            [sys.executable, "-m", "highseason", *words],
            cwd=tmp_path,
            env=os.environ | variables,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        return Answer(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture
def traffic(tmp_path: Path) -> Path:
    """Two months of visitors, busy at the weekend."""
    days = pd.date_range("2026-01-01", periods=56).strftime("%Y-%m-%d")
    rows = [f"{day},{300 if i % 7 > 4 else 100 + i % 5}" for i, day in enumerate(days)]
    path = tmp_path / "traffic.csv"
    path.write_text("\n".join(["day,visitors", *rows]) + "\n")
    return path


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """A few logs of the kinds that can be read, by the names that examples give them."""
    for name, rows in {
        "ydata-fp-td-clicks-v2_0.20111002": (
            "1317513600 id-2 1 |user 1 9 |id-1 |id-2\n1317513601 id-1 7 |user 1 9 |id-1 |id-2\n"
        ),
        "men.csv": (
            "timestamp,item_id,position,click,propensity_score\n"
            "2019-11-24 00:00:00.1+00:00,3,1,1,0.5\n2019-11-24 00:00:01+00:00,4,2,0,0.5\n"
        ),
        "shop.csv": (
            "when,shown,paid,offered,chance\n"
            "2026-01-01 10:00,tea,2.5,tea milk,0.5\n2026-01-01 10:01,milk,0,tea milk,0.5\n"
        ),
    }.items():
        (tmp_path / name).write_text(rows)
    return tmp_path


@pytest.fixture
def event_table(tmp_path: Path) -> Path:
    """A generated log of a quarter of an hour with five articles, as an event table."""
    made = generate_events(1 / 96, seed=3, articles=5).events
    path = tmp_path / "events.parquet"
    write_events(made, path)
    return path


@pytest.fixture
def history(tmp_path: Path) -> Path:
    """90 days of three prices, rho 0.01, as CSV and Parquet."""
    rng = np.random.default_rng(1)
    visitors = rng.integers(300, 3000, 90)
    orders = rng.binomial(visitors, rng.beta(0.03 * 99, 0.97 * 99, 90))
    columns = {"date": pd.date_range("2026-01-01", periods=90), "price": [8, 9, 10] * 30}
    table = pd.DataFrame(columns | {"sessions": visitors, "orders": orders})
    table.to_csv(tmp_path / "history.csv", index=False)
    table.to_parquet(tmp_path / "history.parquet")
    sales = table[["date", "price", "orders", "sessions"]]
    sales.to_csv(tmp_path / "sales.csv", index=False)
    sales.to_excel(tmp_path / "sales.xlsx", index=False)
    return tmp_path


@pytest.fixture
def on(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Let it be another day."""

    def be(day: str) -> None:
        then = type("Then", (date,), {"today": lambda: date.fromisoformat(day)})
        for name in ("cli.options", "traffic.forecast", "advice.days"):
            monkeypatch.setattr(import_module(f"highseason.{name}"), "date", then)

    return be


@pytest.fixture
def season(tmp_path: Path) -> Path:
    """Three years of daily visitors, busy once a week."""
    days = np.datetime64("2011-01-01") + np.arange(1050)
    values = 100 + 80 * (np.arange(1050) % 7 == 0) + 5 * np.sin(np.arange(1050) * 1.7)
    path = tmp_path / "season.csv"
    lines = [f"{day},{value:.2f}" for day, value in zip(days, values, strict=True)]
    path.write_text("\n".join(["day,visitors", *lines]) + "\n")
    return path
