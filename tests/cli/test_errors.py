"""Asked wrongly: exit code 2, nothing on stdout, one line that says what to put right."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import highseason.cli.commands.policies as policies_command
from highseason.cli import main

Call = Callable[..., Any]

#: Arguments and calls of the library, which a command line does not have.
PYTHON = re.compile(
    r"\b(value|time|floor|every|zone|dates|decimal|between|successes|games|rates|turns)=['(\d]"
    r"|reward_range|\bhs\.|\w\(\)|pull\(|=\("
)
WRONG = {
    "unknown policy": ("simulate -p soft-ucbb", "'soft-ucbb'", "Did you mean 'soft-ucb'?"),
    "hopeless policy": ("simulate -p xxxxxxxx", "'xxxxxxxx'", "'highseason policies'"),
    "hopeless policy to tune": ("tune xxxxxxxx", "'xxxxxxxx'", "'highseason policies'"),
    "hopeless policy with a profile": (
        "plan -p xxxxxxxx --profile paper", "Choose from: ", "'highseason policies'"
    ),
    "unknown parameter": ("simulate -p ucb-z:zz=30", "no parameter 'zz'", "z, P"),
    "parameter without value": ("simulate -p ucb-z:z", "'z'", "expected key=value"),
    "parameter out of range": ("simulate -p ucb:P=-1", "P=-1", "at least 0"),
    "threshold that is none": ("simulate -p ucb-z:z=often", "'often'", "0.75*max"),
    "no policy": ("simulate", "no policy given", "--policy option-index"),
    "no policy to plan": ("plan", "no policy given", "--policy option-index"),
    "unknown profile": ("simulate -p ucb --profile papers", "'papers'", "paper"),
    "no arms": ("simulate -p ucb --arms 1", "--arms", "at least 2"),
    "no arms to plan for": ("plan -p ucb --arms 1", "--arms", "at least 2"),
    "arms that are no number": ("simulate -p ucb --arms many", "'many'", "whole number"),
    "no games": ("simulate -p ucb --games 0", "--games", "at least 1"),
    "no turns": ("simulate -p ucb --turns 0", "--turns", "at least 1"),
    "no workers": ("simulate -p ucb --workers 0", "--workers", "at least 1"),
    "no such executor": ("simulate -p ucb --executor rai --games 9000", "--executor", "dask://HOST"),
    "seed that is no number": ("simulate -p ucb --seed x", "--seed", "simulate --help"),
    "unknown shape": ("simulate -p ucb -m wav", "'wav'", "Did you mean 'wave'?"),
    "missing file": ("simulate -p ucb -m no.csv", "there is no file no.csv", "check the path"),
    "missing file to plan for": ("plan -p ucb -m no.csv", "there is no file no.csv", "christmas"),
    "file of a strange kind": ("plan -p ucb -m notes.doc", "notes.doc", ".csv"),
    "NaN": ("simulate -p ucb -m nan.csv", "nan.csv, line 3, column 'visitors'", "fill the gap"),
    "empty cell": ("plan -p ucb -m gap.csv", "gap.csv, line 3, column 'visitors'", "drop the row"),
    "closed hours": ("plan -p ucb -m zero.csv", "zero.csv, line 3", "pass --floor"),
    "two value columns": ("plan -p ucb -m two.csv", "several columns", "--value 'a'"),
    "unknown column": ("plan -p ucb -m two.csv --value c", "no column 'c' for --value", "a, b"),
    "unknown time column": ("plan -p ucb -m two.csv --time c", "'c' for --time", "day"),
    "column of a shape": ("plan -p ucb --value a", "--value", "leave it out"),
    "more turns than the file": ("plan -p ucb -m ok.csv --turns 9", "2 turns", "leave --turns out"),
    "floor below zero": ("plan -p ucb -m zero.csv --floor -1", "--floor", "above 0"),
    "unknown rewards": ("simulate -p ucb -r bernouli", "'bernouli'", "Did you mean 'bernoulli'?"),
    "hopeless rewards": ("simulate -p ucb -r x", "'x'", "truncated-normal"),
    "unknown key of rewards": ("simulate -p ucb -r bernoulli:p=1", "'p'", "means, drift"),
    "sigma that is no number": ("simulate -p ucb -r truncated-normal:sigma=x", "'x'", "number"),
    "sigma below zero": ("simulate -p ucb -r truncated-normal:sigma=-1", "sigma", "> 0"),
    "means that are no numbers": ("simulate -p ucb --means .9,x", "'x'", "such as 0.9,0.5"),
    "means out of range": ("simulate -p ucb --means .9,1.5", "1.5", "between 0 and 1"),
    "means and arms": ("simulate -p ucb --means .9,.5 --arms 3", "--arms 3", "leave --arms out"),
    "figure of a strange kind": ("simulate -p ucb --out x.jpg", "x.jpg", ".png, .svg or .pdf"),
    "plan of a strange kind": ("plan -p ucb --out x.jpg", "x.jpg", ".csv"),
    "figure in a file": ("simulate -p ucb --out ok.csv/x.png", "ok.csv is not a folder", "choose"),
    "plan in a file": ("plan -p ucb --out ok.csv/x.csv", "ok.csv is not a folder", "choose"),
    "result in a file": ("simulate -p ucb --save ok.csv/x.npz", "ok.csv is not a folder", "choose"),
    "result of a strange kind": ("simulate -p ucb --save x.json", "x.json", "end in .npz"),
    "folder for a figure": ("simulate -p ucb --out folder.png", "is a folder", "a file in it"),
    "folder that cannot be": ("simulate -p ucb --out /proc/no/x.png", "/proc/no", "choose"),
    "unknown command": ("simulat", "'simulat'", "Did you mean 'simulate'?"),
    "hopeless command": ("xyz", "'xyz'", "policies, replay, sample"),
    "unknown option": ("simulate --polcy ucb", "--polcy", "--policy"),
    "unknown option of all": ("--nope", "--nope", "highseason --help"),
    "option without value": ("simulate -p ucb --games", "--games", "--help"),
    "stray word": ("simulate -p ucb twice", "no file twice", "check the path"),
    "days of two meanings": ("plan slash.csv", "could be 2026-02-01", "--dates 'dmy'"),
    "numbers of two meanings": ("plan thousand.csv", "1030 or 1.03", "--decimal ','"),
    "a day twice": ("plan twice.csv", "repeats the time 2026-01-02", "--every '1D'"),
    "seasons of no calendar": ("forecast bare.csv", "no dates", "blend:periods=7"),
    "falling rates": ("simulate 2099.csv -p ucb --rates 4%..2%", "--rates 0.04..0.02", "rising"),
    "falling rates to advise": ("advise 2099.csv --rates 4%..2%", "rates", "two rising numbers"),
    "an impossible gap": ("advise 2099.csv --arms 3 --gap 2", "gap must be above 0", "0.03"),
    "history without successes": (
        "advise 2099.csv --history ok.csv", "no column for the successes", "rename one"
    ),
    "noise without successes": ("noise ok.csv", "no column for the successes", "--successes 'day'"),
    "an executor that is none": ("simulate -p ucb --executor x", "--executor 'x'", "local, serial"),
    "a forecaster that is none": ("forecast ok.csv --model x", "'x'", "seasonal-naive"),
    "a zone that is none": ("plan ok.csv --zone Mars", "'Mars'", "Europe/Rome"),
    "a length that is none": ("plan ok.csv --every 5X", "'5X'", "such as \"1D\""),
    "log that is a table": ("replay ok.csv -p ucb", "ok.csv is a CSV", "highseason convert table"),
    "nothing to tune": ("tune greedy", "greedy has no parameters", "nothing to tune"),
    "no theorem": ("bound -p greedy --means 0.1,0.2", "no theorem covers greedy", "ucb-z"),
    "no days for a calendar": ("plan bare.csv --arms 2 --out x.ics", "needs dates", "a .csv"),
    "a served experiment without arms": (
        "serve --experiment 2099.csv", "needs prices or arms", "--price"
    ),
    "a served range that falls": (
        "serve --experiment 2099.csv --arm a --arm b --range 5..1", "--range must be", "rising"
    ),
    "traffic twice": ("plan ok.csv -m two.csv", "give the traffic once", "ok.csv or with"),
    "traffic and a shape": ("plan ok.csv -m wave", "give the traffic once", "--multiplier wave"),
    "stray words": ("simulate -p ucb wave twice", "twice", "simulate --help"),
}  # fmt: skip


@pytest.fixture(autouse=True)
def files(tmp_path: Path) -> None:
    for name, rows in {
        "nan.csv": "day,visitors\n2026-01-01,10\n2026-01-02,nan\n",
        "gap.csv": "day,visitors\n2026-01-01,10\n2026-01-02,\n",
        "zero.csv": "day,visitors\n2026-01-01,10\n2026-01-02,0\n",
        "two.csv": "day,a,b\n2026-01-01,10,3\n2026-01-02,20,4\n",
        "ok.csv": "day,a\n2026-01-01,10\n2026-01-02,20\n",
        "2099.csv": "day,a\n2099-01-01,10\n2099-01-02,20\n",
        "slash.csv": "day,visitors\n01/02/2026,10\n02/02/2026,20\n",
        "thousand.csv": "day;visitors\n2026-01-01;1.030\n2026-01-02;1.040\n",
        "twice.csv": "day,visitors\n2026-01-01,10\n2026-01-02,20\n2026-01-02,21\n",
        "bare.csv": "visitors\n10\n20\n30\n40\n",
        "notes.doc": "nothing to read here\n",
    }.items():
        (tmp_path / name).write_text(rows)
    (tmp_path / "folder.png").mkdir()


@pytest.mark.parametrize("json", [False, True], ids=["", "json"])
@pytest.mark.parametrize("case", WRONG)
def test_one_line_says_what_to_put_right(case: str, json: bool, call: Call) -> None:
    line, problem, remedy = WRONG[case]
    words = line.split()
    if json:
        words.insert(1, "--json")
    answer = call(*words)
    assert (answer.code, answer.stdout) == (2, "")
    assert answer.line.startswith("highseason")
    assert problem in answer.line
    assert remedy in answer.line
    assert not PYTHON.search(answer.line)


def test_nothing_is_left_behind(call: Call, tmp_path: Path) -> None:
    before = sorted(tmp_path.iterdir())
    call("simulate", "-p", "ucbb", "--out", "new/rewards.png", "--save", "new/result.npz")
    assert sorted(tmp_path.iterdir()) == before


def test_in_a_terminal_notes_and_errors_are_wrapped(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    for columns, least in (("60", 3), ("200", 1)):
        monkeypatch.setenv("COLUMNS", columns)
        assert main(["plan", "twice.csv"], standalone_mode=False) == 2
        lines = capsys.readouterr().err.splitlines()
        assert max(map(len, lines)) <= int(columns)
        assert len(lines) >= least


def test_debug_shows_the_traceback_and_the_line(call: Call) -> None:
    for words in (["--debug", "simulate", "-p", "ucbb"], ["simulate", "-p", "ucbb", "--debug"]):
        answer = call(*words)
        assert (answer.code, answer.stdout) == (2, "")
        assert "Traceback (most recent call last)" in answer.stderr
        assert "Did you mean 'ucb'?" in answer.stderr.splitlines()[-1]


def test_a_failure_of_ours_is_one_line_too(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("the\nroof fell in")

    monkeypatch.setattr(policies_command, "registry", broken)
    answer = call("policies")
    assert (answer.code, answer.stdout) == (1, "")
    assert answer.line.startswith("highseason: unexpected RuntimeError: the roof fell in; run it")
    assert "roof fell in" in call("policies", "--debug").stderr
    assert "Traceback" in call("policies", "--debug").stderr


def test_a_full_disk_is_one_line(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device", "rewards.png")

    monkeypatch.setattr(Path, "write_bytes", full)
    answer = call("plan", "-p", "ucb", "--arms", "2", "--out", "plan.png")
    assert (answer.code, answer.stdout) == (1, "")
    assert "No space left on device" in answer.line


@pytest.mark.parametrize(
    "line",
    [
        "simulate -p ucb --games 1 --out x.png",
        "plan -p ucb --out x.svg",
    ],
)
def test_without_matplotlib_the_extra_is_named(
    line: str, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [m for m in sys.modules if m.partition(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    answer = call(*line.split())
    assert (answer.code, answer.stdout) == (1, "")
    assert "pip install 'highseason[plots]'" in answer.line


def test_numbers_need_no_matplotlib(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert call("plan", "-p", "ucb", "--out", "plan.csv").code == 0


def test_one_turn_is_not_many(call: Call, tmp_path: Path) -> None:
    (tmp_path / "one.csv").write_text("day,visitors\n2026-01-01,100\n")
    answer = call(*"plan -p ucb -m one.csv --turns 5 --arms 2".split())
    assert answer.code == 2
    assert "one.csv has 1 turn, fewer than --turns 5" in answer.line
