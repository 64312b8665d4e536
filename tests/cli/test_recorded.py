"""What commands print is what they printed: it changes only where that is meant.

After a change that is meant: `python -m tests.cli.test_recorded`, and look at what differs.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
import tempfile
from collections.abc import Sequence
from contextlib import chdir
from datetime import date, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import click
import numpy as np
import pytest
from tests.cli.conftest import caller
from tests.reference.recorded import Cases, assert_recorded, record

import highseason as hs
from highseason.cli import main, options
from highseason.cli.commands.sample import _visitors
from highseason.logs import write_events
from studies.logged.generate import generate_events

RECORDED = Path(__file__).parent / "recorded.json"

FILES = {
    "shop.csv": "day,visitors\n"
    + "".join(f"{date(2024, 1, 1) + timedelta(days=i)},{100 + 90 * (i % 7 > 4) + i % 11}\n"
              for i in range(80)),
    "odd.csv": "day;visitors\n01.02.2024;1.200,5\n02.02.2024;900,25\n03.02.2024;2.100,0\n",
    "history.csv": "date,price,visitors,orders\n"
    + "".join(f"{date(2024, 1, 1) + timedelta(days=i)},{8 + i % 2},{400 + 37 * i % 211},"
              f"{12 + 5 * i % 13}\n" for i in range(40)),
}  # fmt: skip

#: Command lines that run one after the other: some read what others wrote.
SESSIONS: dict[str, tuple[str, ...]] = {
    "plan": (
        "plan -p ucb -p soft-ucb --turns 12 --arms 3",
        "plan -p ucb-z:z=30 --turns 9 --arms 3 --json",
        "plan -m shop.csv -p soft-ucb --arm red --arm blue --turns 20",
        "plan -m shop.csv -p option-index --arms 3 --every 1W --out table.csv",
        "plan -m odd.csv -p ucb --arms 2 --dates dmy --json",
        "plan -m shop.csv -p ucb --events days.csv",
    ),
    "simulate": (
        "simulate -p ucb -p ucb-z -p uniform --turns 60 --arms 4 --games 30 --seed 3",
        "simulate -p greedy --turns 40 --games 20 --means 0.9,0.5 --json --curves",
        "simulate -p ucb --lifetimes 1-20,5- --turns 40 --games 10",
        "simulate -p ucb --turns 2 --arms 3 --games 4",
    ),
    "simulate, other rewards": (
        "simulate -p ucb --rewards truncated-normal:sigma=0.2 --turns 30 --arms 3 --games 10",
        "simulate -m shop.csv -p ucb -p greedy --rates 2%..4% --rho 0.01 --arms 3 --games 10",
        "simulate -p ucb --lifetimes flow:alive=3,life=9 --turns 40 --games 10 --json",
    ),
    "tune and bound": (
        "tune ucb-z --turns 40 --arms 3 --games 20 --trials 4 --search spread",
        "bound -p ucb --means 0.9,0.5 --turns 300",
        "bound -p epsilon-z:k=50,z=30 --means 0.9,0.1 -m step --turns 2000 --json",
    ),
    "forecast": (
        "forecast shop.csv --horizon 10 --model weighted-moving-average",
        "forecast shop.csv --horizon 7 --model seasonal-naive --json",
        "forecast shop.csv --horizon 5 --model moving-average --z 150 --out table.csv",
        "forecast shop.csv --horizon 5 --model random-walk --backtest 2",
    ),
    "noise": ("noise history.csv", "noise history.csv --json", "noise history.csv --every 1W"),
    "policies": ("policies ucb-z", "policies soft-ucb --json"),
    "logs": (
        "replay log.parquet -p ucb -p uniform --seed 2",
        "replay log.parquet -p uniform -p epsilon-z:z=4 --runs 4 --times 2 --json",
        "replay log.parquet -p ucb --arms id-550022,id-550031",
        "replay log.parquet -p soft-ucb-mortal",
        "replay log.parquet -p soft-ucb-mortal --unknown-lifetimes",
    ),
    "wrong": (
        "simulate -p ucb --size 100x101 --out x.png",
        "simulate -p ucb --size 100x0 --out x.png",
        "simulate -p ucb --size 1x2x3 --out x.png",
        "simulate -p ucb --size 5x5",
        "simulate -p ucb --rho 1.1",
        "simulate -p ucb --rho -0.1",
        "simulate -p ucb --floor 0",
        "simulate -p ucb --games 0",
        "simulate -p ucb --lifetimes 1-90-3",
        "simulate -p ucb --lifetimes flow:alive=x",
        "plan shop.csv --events days.csv --turns 3 --arms 0",
        "serve --range 0..1..2",
        "sample --last 2025-13-01",
        "sample --last 2025-12-31 --out shop.csv/x.csv",
    ),
}


def session(name: str) -> dict[str, Any]:
    """What each command line printed, and the table that one wrote."""
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        return answers_in(Path(folder), SESSIONS[name])


def answers_in(folder: Path, commands: Sequence[str]) -> dict[str, Any]:
    call, answers = caller(main), {}
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")
    if any("log.parquet" in words for words in commands):
        write_events(generate_events(1 / 96, seed=3, articles=5).events, folder / "log.parquet")
    for words in commands:
        answer = call(*shlex.split(words))
        out: Any = answer.stdout.splitlines()
        if "--json" in words and answer.code == 0:
            out = shortened(json.loads(answer.stdout))
        err = [line for line in answer.stderr.splitlines() if "compiling" not in line]
        answers[words] = {"code": answer.code, "out": out, "err": err}
    if (folder / "table.csv").exists():
        text = (folder / "table.csv").read_text(encoding="utf-8")
        text = re.sub(r"\d+\.\d{9,}", lambda found: f"{float(found[0]):.10g}", text)
        answers["table.csv"] = {"rows": text.splitlines()[:8]}  # last bits are the C library's
    return answers


def shortened(value: Any) -> Any:
    """Long lists by their ends."""
    if isinstance(value, dict):
        return {key: shortened(one) for key, one in value.items() if key != "version"}
    if isinstance(value, list):
        kept = value if len(value) <= 6 else [len(value), *value[:3], *value[-2:]]
        return [shortened(one) for one in kept]
    return value


def defaults() -> dict[str, Any]:
    """The options of each command that have a default, or that may be repeated."""
    known = {}
    for name in main.list_commands(click.Context(main)):
        command = main.get_command(click.Context(main), name)
        assert command is not None
        given = {str(one.name): one.to_info_dict()["default"] for one in command.params}
        repeated = [str(one.name) for one in command.params if getattr(one, "multiple", False)]
        known[name] = [{key: str(value) for key, value in given.items() if value}, repeated]
    return known


def sample() -> dict[str, Any]:
    """Years of the made-up shop, by a digest, and the days around its seasons."""
    days = [date(2024, 1, 1) + timedelta(days=i) for i in range(731)]
    whole = ",".join(str(_visitors(day)) for day in days)
    turns = [date(2025, *one) for one in ((11, 23), (11, 24), (12, 7), (12, 8), (12, 24), (12, 25),
             (1, 1), (1, 2), (1, 10), (1, 11), (6, 30), (7, 1), (8, 31), (9, 1))]  # fmt: skip
    return {
        "digest": hashlib.sha256(whole.encode()).hexdigest()[:16],
        "around": {str(day): _visitors(day) for day in turns},
    }


CASES: Cases = {
    **{name: partial(session, name) for name in SESSIONS},
    "defaults": defaults,
    "sample": sample,
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_printed_is_what_was_recorded(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert_recorded(RECORDED, CASES, name)


@pytest.mark.parametrize(
    ("last", "every", "turns"),
    [(-1, "1D", 60), (-2, "1D", 61), (0, "1D", 60), (1, "1D", None), (5, "1D", None),
     (-181, "1D", 240), (-182, "1D", 60), (-1, "7D", 9), (-7, "7D", 9), (-14, "7D", 10),
     (0, "1h", 1440), (-1, "1h", 1440 + 23), (0, "30D", 2), (-29, "30D", 2), (-60, "30D", 3)],
)  # fmt: skip
def test_a_past_is_forecast_to_two_months_from_today(
    last: int, every: str, turns: int | None
) -> None:
    """A file that ends yesterday: 60 days; one of long ago: the days after it."""
    end = np.datetime64(date.today()) + np.timedelta64(last, "D")
    times = end - np.timedelta64(int(every[:-1]), every[-1]) * np.arange(9, -1, -1)
    G = hs.traffic.from_values(np.arange(1.0, 11.0), times)
    assert options.turns_to_come(G) == turns
    open_days = hs.traffic.from_values(np.arange(1.0, 9.0), np.delete(times, [1, 8]))
    assert options.turns_to_come(open_days) == turns, "closed days do not count"
    assert options.turns_to_come(hs.traffic.from_values([1.0, 2.0])) is None
    assert options.turns_to_come(hs.traffic.from_values([1.0], [end])) is None


def test_a_flow_of_arms_lives_a_fifth_of_the_game_unless_it_is_said() -> None:
    usual, said = (options.parse_lifetimes(f"flow:alive=4{more}", 100) for more in ("", ",life=20"))
    other = options.parse_lifetimes("flow:alive=4,life=21", 100)
    assert usual is not None
    assert said is not None
    assert other is not None
    keys = np.arange(5, dtype=np.uint64)
    drawn = [one.draw(keys, 100) for one in (usual, said, other)]
    assert np.array_equal(drawn[0], drawn[1])
    assert not np.array_equal(drawn[0], drawn[2])
    ten = hs.lifetimes.birth_and_death(100, 10, 9.0).arms
    assert [options.parse_lifetimes(text, 100).arms for text in ("flow:life=9",)] == [ten]
    assert ten != hs.lifetimes.birth_and_death(100, 9, 9.0).arms


@pytest.mark.parametrize(
    ("text", "is_fine"),
    [("0.5x100", True), ("10x5", True), ("100X0.1", True), ("100.5x3", False), ("0x3", False),
     ("5", False), ("-1x3", False)],
)  # fmt: skip
def test_a_size_is_above_0_and_at_most_100_inches(text: str, is_fine: bool) -> None:
    @click.command()
    @options.size
    def command() -> None:
        """Draw nothing."""

    (option,) = command.params
    if is_fine:
        wide, high = option.type.convert(text, option, None)
        assert [wide, high] == [float(one) for one in text.lower().split("x")]
    else:
        with pytest.raises(click.BadParameter, match="expected WIDTHxHEIGHT in inches"):
            option.type.convert(text, option, None)


@pytest.mark.parametrize(
    ("text", "found"),
    [("0..12", (0.0, 12.0)), ("-1..1", (-1.0, 1.0)), ("3", None), ("0..1..2", None)],
)
def test_a_range_of_rewards_has_two_ends(text: str, found: tuple[float, float] | None) -> None:
    @click.command()
    @options.reward_range
    def command(reward_range: Any) -> None:
        """Take a range."""

    (option,) = command.params
    if found is None:
        with pytest.raises(click.BadParameter, match=r"expected two numbers, such as 0\.\.12"):
            option.type.convert(text, option, None)
    else:
        assert option.type.convert(text, option, None) == found


if __name__ == "__main__":
    os.environ["COLUMNS"] = "80"
    record(RECORDED, CASES)
