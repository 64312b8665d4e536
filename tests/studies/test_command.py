"""`python -m studies`: a report, where it is, and how long it took."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Call, caller

from studies import STUDIES, Study, StudyReport, reproduce
from studies import __main__ as command

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Call:
    """Run a command line in an empty folder, in this process."""
    monkeypatch.chdir(tmp_path)
    return caller(command.command)


def test_it_says_where_the_report_is_and_how_long_it_took(call: Call, tmp_path: Path) -> None:
    words = ("when_it_pays", "--quick", "--workers", "1", "--out", "new/report")
    answer = call(*words)
    assert (answer.code, answer.stderr) == (0, "")
    *lines, seconds, last = answer.stdout.splitlines()
    assert all(len(line) <= 80 for line in lines)
    assert 1 <= sum(line.startswith("- ") for line in lines) <= 3
    assert seconds.startswith("Time: simulating ")
    assert "drawing" in seconds
    assert last == "Report: new/report/index.html"
    assert (tmp_path / "new/report/index.html").is_file()
    again = call(*words, "--json")
    (study,) = json.loads(again.stdout)["studies"].values()
    assert study["reused"] == 12
    assert study["page"] == "new/report/index.html"


def test_help_ends_with_an_example_that_the_guide_runs(call: Call) -> None:
    answer = call("--help")
    assert (answer.code, answer.stderr) == (0, "")
    assert answer.stdout.startswith("Usage: python -m studies [OPTIONS] [STUDY]...")
    example = answer.stdout.partition("\nExamples:\n")[2].strip()
    assert f"$ {example}\n" in (ROOT / "docs/research/reproduce.md").read_text(encoding="utf-8")
    assert max(map(len, answer.stdout.splitlines())) <= 80


def test_the_list_has_every_study(call: Call) -> None:
    answer = call("--list")
    assert (answer.code, answer.stderr) == (0, "")
    assert [line.split()[0] for line in answer.stdout.splitlines()[2:] if line] == list(STUDIES)


def test_it_runs_as_a_module() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "studies", "--list"], cwd=ROOT, capture_output=True, text=True,
        timeout=300, check=True,
    )  # fmt: skip
    assert "simulated" in done.stdout


def test_without_matplotlib_the_extra_is_named(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [m for m in sys.modules if m.partition(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    answer = call(*"simulated --quick --out page".split())
    assert (answer.code, answer.stdout) == (1, "")
    assert "pip install 'highseason[plots]'" in answer.line


def test_a_report_in_a_file_is_refused(call: Call, tmp_path: Path) -> None:
    (tmp_path / "page").write_text("")
    answer = call("--out", "page")
    assert (answer.code, answer.stdout) == (2, "")
    assert "page is not a folder" in answer.line


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Stand-ins for the studies, which note how they were called."""
    calls: list[Any] = []

    def stand_in(study: Study, out: Path, **options: Any) -> StudyReport:
        study.choose_profiles(options["profiles"])
        study.choose_parts(options["parts"])
        calls.append((study.name, out, options))
        return StudyReport(out / "index.html", ["found"], {"drawing": 1.0})

    monkeypatch.setattr(command, "reproduce", stand_in)
    return calls


def test_several_studies_get_a_folder_each(call: Call, asked: list[Any]) -> None:
    assert call("--out", "all").code == 0
    assert [entry[:2] for entry in asked] == [(name, Path("all") / name) for name in STUDIES]


def test_options_reach_the_study(call: Call, asked: list[Any], tmp_path: Path) -> None:
    line = "vs_option_index --games 7 --seed 5 --quick --profile everyone --part decks --workers 2"
    line += " --pdf"
    assert call(*line.split(), "--data", str(tmp_path)).code == 0
    assert asked == [
        ("vs_option_index", Path("report"), {
            "games": 7, "seed": 5, "quick": True, "profiles": ("everyone",), "parts": ("decks",),
            "progress": None, "executor": "local", "workers": 2, "data": tmp_path, "files": (),
            "pdf": True, "k": None, "arms": None, "turns": None, "policies": {},
        })
    ]  # fmt: skip


def test_own_policies_reach_the_studies_that_take_them(
    call: Call, asked: list[Any], tmp_path: Path
) -> None:
    source = "import highseason as hs\nclass Mine(hs.Greedy):\n    pass\n"
    (tmp_path / "of_mine.py").write_text(source, encoding="utf-8")
    line = "--policy ucb:P=0.5 --policy of_mine.py:Mine --k 20 --arms 9"
    assert call(*line.split()).code == 0
    own = {name: options.get("policies") for name, _, options in asked}
    assert [name for name in own if own[name]] == ["simulated", "unknown_traffic"]
    assert {label: type(p).__name__ for label, p in own["simulated"].items()} == {
        "ucb:P=0.5": "UCB", "of_mine.py:Mine": "Mine",
    }  # fmt: skip
    assert {name for name, _, options in asked if options.get("arms")} == {"unknown_traffic"}
    answer = call("simulated", "--policy", "of_mine.py:Yours")
    assert "of_mine.py has no policy class 'Yours'" in answer.line


def test_of_all_studies_each_takes_what_it_knows(call: Call, asked: list[Any]) -> None:
    assert call("--profile", "tuned", "--part", "mortal").code == 0
    parts = {name: options["parts"] for name, _, options in asked}
    assert [name for name in parts if parts[name]] == ["vs_option_index"]
    taken = {name: options["profiles"] for name, _, options in asked}
    assert taken["simulated"] == taken["logged"] == ["tuned"]
    assert taken["when_it_pays"] == taken["unknown_traffic"] == []


def test_the_files_of_a_study_reach_that_study(
    call: Call, asked: list[Any], tmp_path: Path
) -> None:
    here = str(tmp_path)
    line = "upworthy when_it_pays --upworthy"
    assert call(*line.split(), here, "--upworthy", here).code == 0
    assert [options["files"] for _, _, options in asked] == [(tmp_path, tmp_path), ()]


def test_a_study_without_its_data_is_left_out_unless_it_was_asked_for(
    call: Call, asked: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in = command.reproduce

    def only_upworthy(study: Study, out: Path, **options: Any) -> StudyReport:
        chosen = reproduce if study.name == "upworthy" else stand_in
        return chosen(study, out, **options)

    monkeypatch.setattr(command, "reproduce", only_upworthy)
    answer = call("--out", "all")
    assert answer.code == 0
    assert answer.line.startswith("python -m studies: note: skipped: the study upworthy needs data")
    assert len(asked) == len(STUDIES) - 1


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("simulatd", "simulated"),
        ("simulated --profile papr", "expected one of paper, tuned, authors_code"),
        ("when_it_pays --profile paper", "unknown profile 'paper' of the study when_it_pays"),
        (
            "when_it_pays --part paper",
            "unknown part 'paper' of the study when_it_pays: it has none",
        ),
        ("vs_option_index --part papers", "expected one of paper, timing, visitors"),
        ("--games 1", "at least 2"),
        ("--data nowhere", "nowhere"),
        ("upworthy", "give --upworthy FOLDER"),
        ("upworthy --upworthy .", "has no upworthy_ab_packages.csv.gz"),
        ("--upworthy nowhere", "nowhere"),
        ("logged --yahoo nowhere", "nowhere"),
        ("logged --profile papr", "expected one of paper, tuned"),
        ("vs_option_index --profile regulated", "needs its profile everyone"),
        ("unknown_traffic --profile paper --profile authors_code", "takes one profile"),
        ("logged --policy ucb", "the study logged cannot be given policies"),
        ("simulated --arms 9", "the study simulated cannot be given arms"),
        ("simulated --policy ucbb", "Did you mean 'ucb'"),
        ("simulated --policy nowhere.py:Mine", "there is no file nowhere.py"),
    ],
)
def test_what_is_wrong_is_said_in_a_line(call: Call, line: str, expected: str) -> None:
    answer = call(*line.split())
    assert (answer.code, answer.stdout) == (2, "")
    assert expected in answer.line


def test_an_interruption_says_how_to_go_on(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any, **__: Any) -> StudyReport:
        raise KeyboardInterrupt

    monkeypatch.setattr(command, "reproduce", interrupted)
    answer = call("when_it_pays")
    assert answer.code == 130
    assert "run the same command to resume" in answer.stderr


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"Shall I compare thee to a summer's day?\n" * 20, "expected lines such as '1317513291"),
        (b"\x00\xff\x1f\x8b" * 999, "no event"),
        (b"", "no event"),
        (b"1317513291 id-2 1 |user 1 9 |id-1 |id-2\n", "too short to be studied"),
    ],
    ids=["a poem", "junk", "nothing", "one record"],
)
def test_an_unreadable_log_is_reported_in_one_line(
    call: Call, tmp_path: Path, content: bytes, expected: str
) -> None:
    (tmp_path / "log").write_bytes(content)
    answer = call("logged", "--quick", "--yahoo", "log")
    assert (answer.code, answer.stdout) == (2, "")
    assert expected in answer.line


def test_an_empty_folder_is_no_log(call: Call, tmp_path: Path) -> None:
    (tmp_path / "days").mkdir()
    answer = call("logged", "--quick", "--yahoo", "days")
    assert (answer.code, answer.stdout) == (2, "")
    assert "--yahoo days is an empty folder" in answer.line
