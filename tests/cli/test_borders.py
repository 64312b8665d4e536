"""What options accept at the ends of their ranges, and what is printed when little happens."""

from __future__ import annotations

import io
import json
import os
import warnings
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click
import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import highseason as hs
from highseason.cli import main, options, output
from highseason.cli.commands import bound, convert, forecast, noise
from highseason.cli.commands.sample import command as sample
from highseason.cli.group import Program
from highseason.engine import Estimate
from highseason.traffic.season_ahead import forecaster_of

Call = Callable[..., Any]


# ---- options -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("read", "fine", "wrong"),
    [
        (options.whole(1), ("1", "25"), ("0", "-1", "1.5", "x")),
        (options.whole(0), ("0",), ("-1",)),
        (options.positive, ("0.5", "1e-9", "3"), ("0", "-0.5", "inf", "nan")),
        (options.share, ("0", "0.5", "1"), ("-0.5", "1.5", "nan")),
        (options.finite, ("-3", "0"), ("inf", "nan", "x")),
    ],
)
def test_numbers_are_taken_up_to_their_ends(
    read: Any, fine: tuple[str, ...], wrong: tuple[str, ...]
) -> None:
    assert [read(text) for text in fine] == [float(text) for text in fine]
    for text in wrong:
        with pytest.raises(click.BadParameter, match=r"expected a .*number"):
            read(text)


def in_command(function: Callable[..., Any], **params: Any) -> Any:
    with click.Context(click.Command("plan")) as context:
        context.params |= params
        return function()


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Three weeks that ended a week ago."""
    monkeypatch.chdir(tmp_path)
    days = [date.today() - timedelta(days=27 - i) for i in range(21)]
    rows = [f"{day},{10 * (i + 1)}\n" for i, day in enumerate(days)]
    Path("shop.csv").write_text("".join(["day,visitors\n", *rows]), encoding="utf-8")
    Path("shop").write_bytes(Path("shop.csv").read_bytes())
    return "shop.csv"


def test_as_many_turns_as_a_file_has_can_be_taken(shop: str) -> None:
    for turns in (2, 21):
        found = in_command(lambda: options.parse_multiplier(shop, turns))  # noqa: B023  # called now
        assert found.values.tolist() == [10.0 * (i + 1) for i in range(turns)]
    with pytest.raises(output.UsageError, match="has 21 turns, fewer than --turns 22"):
        in_command(lambda: options.parse_multiplier(shop, 22))


@pytest.mark.filterwarnings("ignore::highseason.traffic.ForecastWarning")
def test_a_file_as_an_argument_is_the_past_unless_turns_are_given(shop: str) -> None:
    whole = in_command(lambda: options.parse_multiplier("", file=shop))
    assert (whole.turns, str(whole.calendar[0])) == (66, str(date.today() - timedelta(days=6)))
    few = in_command(lambda: options.parse_multiplier("wave", file=shop, ahead=2))
    assert (few.turns, few.name) == (2, "shop, forecast")
    assert in_command(lambda: options.parse_multiplier("", 2, file=shop)).values.tolist() == [
        10,
        20,
    ]
    assert in_command(lambda: options.parse_multiplier(shop)).turns == 21


@pytest.mark.filterwarnings("ignore::highseason.traffic.ForecastWarning")
def test_events_are_for_a_forecast(shop: str, tmp_path: Path) -> None:
    own = tmp_path / "own.csv"
    own.write_text(f"date,kind\n{date.today()},sale\n", encoding="utf-8")
    for how in ({"ahead": 2}, {"file": shop}):
        name = "" if "file" in how else shop
        G = in_command(lambda: options.parse_multiplier(name, events=str(own), **how))  # noqa: B023
        assert G.name == "shop, forecast"
    with pytest.raises(output.UsageError, match="--events is for a forecast"):
        in_command(lambda: options.parse_multiplier(shop, events=str(own)))


def test_a_shape_takes_the_options_of_a_history_only_beside_one() -> None:
    shape = in_command(lambda: options.parse_multiplier("wave", dates="dmy"), history="h.csv")
    assert shape == hs.traffic.wave(turns=500)
    for how in ({"dates": "dmy"}, {"value": "a"}, {"ahead": 3}):
        with pytest.raises(output.UsageError, match="'wave' is a shape"):
            in_command(lambda: options.parse_multiplier("wave", **how))  # noqa: B023
    with pytest.raises(output.UsageError, match="--value says how to read a file"):
        in_command(lambda: options.parse_multiplier("wave", value="a"), history="h.csv")


def test_a_name_without_an_ending_may_be_a_file(shop: str) -> None:
    with pytest.raises(ValueError, match="shop"):  # it is there, and nobody knows what it holds
        in_command(lambda: options.parse_multiplier("shop"))
    with pytest.raises(ValueError, match="Did you mean 'wave'"):
        in_command(lambda: options.parse_multiplier("wav"))
    with pytest.raises(output.UsageError, match="there is no file wav:"):
        in_command(lambda: options.parse_multiplier("", file="wav"))


@pytest.mark.parametrize(
    ("days", "said"),
    [
        (0, ""),
        (1, "note: day 0; name it with --events if it is yours"),
        (2, "note: day 0; day 1; name them with --events if they are yours"),
        (5, "note: day 0; day 1; day 2; day 3; day 4; name them with"),
        (6, "note: day 0; day 1; day 2; day 3; day 4; and 1 more; name them with"),
    ],
)
def test_unusual_days_are_listed_up_to_five(
    days: int, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    week = np.datetime64(date.today()) - np.arange(28, 0, -1)
    known = hs.traffic.Blend().fit(hs.traffic.from_values([5.0, 6, 7, 5, 6, 9, 9] * 4, week))
    names = [f"day {i}" for i in range(days)]
    monkeypatch.setattr(hs.traffic, "unusual_days", lambda *_: names)
    options.note_days(known, known.predict(3))
    assert said in capsys.readouterr().err
    assert ("note" in said) == bool(days)


def test_a_folder_may_have_a_module_of_the_same_name(tmp_path: Path) -> None:
    (tmp_path / "json.py").write_text("", encoding="utf-8")
    with pytest.raises(output.UsageError, match="another module is called 'json': rename"):
        options.import_file(tmp_path / "json.py")
    (tmp_path / "of_one_s_own.py").write_text("x = 3\n", encoding="utf-8")
    assert options.import_file(tmp_path / "of_one_s_own.py").x == 3


def test_what_is_imported_is_a_file(call: Call) -> None:
    Path("folder").mkdir()
    assert "'folder' is a directory" in call("policies", "--import", "folder").line


@pytest.mark.parametrize(
    ("words", "labels"),
    [("--arms 2", ["arm 1", "arm 2"]), ("--arm a --arm b --arms 9", ["a", "b"]), ("", 25)],
)
def test_arms_have_the_names_that_are_given(words: str, labels: Any) -> None:
    @click.command()
    @options.choice_of_arms
    def show(arms: options.Arms) -> None:
        """Show them."""
        click.echo(json.dumps(arms.labels))

    found = json.loads(CliRunner().invoke(show, words.split()).stdout)
    assert (len(found) if labels == 25 else found) == labels


def test_arms_without_lifetimes_are_as_many_as_they_are() -> None:
    three, two = hs.rewards.bernoulli(3), options.parse_lifetimes("1-5,3-", 9)
    given = hs.rewards.bernoulli(means=[0.1, 0.2, 0.3])
    assert options.match_arms(three, None, True) is three
    assert options.match_arms(given, two, False) is given
    assert options.match_arms(three, two, False).arms == 2
    assert options.match_arms(hs.rewards.bernoulli(2), two, True).arms == 2
    with pytest.raises(output.UsageError, match="--arms 3: --lifetimes describes 2 arms"):
        options.match_arms(three, two, True)


# ---- the program -------------------------------------------------------------------------------


def program(reason: BaseException | None) -> Program:
    def run(**_: Any) -> None:
        if reason is not None:
            raise reason

    return Program("shop", callback=run, help="Run.")


@pytest.mark.parametrize(
    ("reason", "code", "line"),
    [
        (None, 0, ""),
        (MemoryError(), 1, "shop: MemoryError"),
        (MemoryError("too many arms"), 1, "shop: too many arms"),
        (OSError(28, "No space left"), 1, "shop: [Errno 28] No space left"),
        (KeyError("x"), 1, "shop: unexpected KeyError: 'x'; run it again with --debug"),
        (ValueError("turns must be 3"), 2, "shop: turns must be 3"),
        (click.UsageError("no."), 2, "shop: no (see 'shop --help')"),
        (KeyboardInterrupt(), 130, "shop: interrupted"),
    ],
)
def test_exit_codes(reason: BaseException | None, code: int, line: str) -> None:
    answer = CliRunner().invoke(program(reason), [])
    assert answer.exit_code == code
    assert answer.stderr.strip().startswith(line)
    assert bool(answer.stderr.strip()) == bool(line)
    assert program(reason).main([], standalone_mode=False) == code


def test_a_command_of_a_group_can_be_called_alone_with_debug() -> None:
    answer = CliRunner().invoke(sample, ["--debug", "--last", "2025-12-31"])
    assert answer.exit_code == 0


@pytest.mark.parametrize("width", [50, 64, 65, 66, 67, 68, 69, 70, 80, 120])
def test_the_list_of_commands_is_that_of_click(width: int) -> None:
    """Which imports every command to write it."""
    context = click.Context(main)
    names = main.list_commands(context)
    every = {name: main.get_command(context, name) for name in names}
    usual, ours = (click.HelpFormatter(width=width) for _ in range(2))
    click.Group("all", commands=every).format_commands(context, usual)  # type: ignore[arg-type]
    main.format_commands(context, ours)
    assert ours.getvalue() == usual.getvalue()


def test_a_shell_completes_commands_with_what_they_do() -> None:
    context = click.Context(main)
    (item,) = main.shell_complete(context, "simu")
    assert (item.value, item.help) == ("simulate", "Play many games and compare the rewards.")
    assert "--debug" in [one.value for one in main.shell_complete(context, "--d")]


# ---- what is printed and written ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("rewards", "G", "is_said"),
    [
        (hs.rewards.bernoulli(2), hs.traffic.wave(turns=5), False),
        (hs.rewards.visitors(2), hs.traffic.wave(turns=5), True),
        (hs.rewards.bernoulli(2), hs.traffic.from_values([5.0, 6.0]), True),
    ],
)
def test_what_a_turn_teaches_is_said_of_traffic(
    rewards: Any, G: Any, is_said: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    output.print_assumed("done", rewards, G)
    first, *more = capsys.readouterr().out.splitlines()
    assert (first, bool(more)) == ("done", is_said)


def test_tables_have_their_first_column_on_the_left(capsys: pytest.CaptureFixture[str]) -> None:
    output.print_table(("arm", "rate"), [("a", "1"), ("bbbb", "22")])
    assert capsys.readouterr().out == "arm   rate\n──────────\na        1\nbbbb    22\n\n"
    output.print_table(("arm", "rate"), [("a", "1"), ("bbbb", "22")], left=range(2))
    rows = capsys.readouterr().out.splitlines()
    assert [row.rstrip() for row in rows] == ["arm   rate", "──────────", "a     1", "bbbb  22", ""]


def test_a_game_of_as_many_turns_as_arms_is_long_enough(capsys: pytest.CaptureFixture[str]) -> None:
    output.note_if_too_short(3, 3)
    assert capsys.readouterr().err == ""
    output.note_if_too_short(2, 3)
    assert "2 turns are fewer than 3 arms: only the first 2 arms" in capsys.readouterr().err


def test_only_warnings_for_users_become_lines(capsys: pytest.CaptureFixture[str]) -> None:
    with warnings.catch_warnings(record=True) as others, output.warnings_as_lines():
        warnings.simplefilter("always")
        warnings.warn("new", UserWarning, stacklevel=1)
        warnings.warn("new", UserWarning, stacklevel=1)
        warnings.warn("old", DeprecationWarning, stacklevel=1)
    assert [str(one.message) for one in others] == ["old"]
    assert capsys.readouterr().err == "highseason: warning: new\n"


def test_progress_is_shown_in_a_terminal_and_leaves_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with output.progress_bar("games") as nobody:
        assert nobody is None
    screen = io.StringIO()
    monkeypatch.setattr(screen, "isatty", lambda: True)
    monkeypatch.setattr("sys.stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    with output.progress_bar("games") as progress:
        assert progress is not None
        progress(3, 4)
    assert "75%" in screen.getvalue()
    assert screen.getvalue().endswith("\x1b[2K")  # the line is cleared
    assert capsys.readouterr().out == ""


def test_tables_are_written_without_the_numbers_of_their_rows(tmp_path: Path) -> None:
    rows = [{"turn": 1, "G": 2.5}, {"turn": 2, "G": float("nan")}]
    for name in ("t.csv", "t.xlsx"):
        output.save(tmp_path / name, lambda: rows, lambda: None)
    assert (tmp_path / "t.csv").read_bytes() == b"turn,G\r\n1,2.5\r\n2,nan\r\n"
    assert list(pd.read_excel(tmp_path / "t.xlsx").columns) == ["turn", "G"]


def test_files_are_not_written_over_what_they_are_made_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    there, new = tmp_path / "there.csv", tmp_path / "a/b/new.csv"
    there.write_text("x", encoding="utf-8")
    output.check_file(new, "--out", [there, tmp_path / "missing.csv"])
    assert new.parent.is_dir()
    output.check_file(there, "--out", [tmp_path / "missing.csv"])
    with pytest.raises(output.UsageError, match="is the input file, which would be lost"):
        output.check_file(there, "--out", [there])
    monkeypatch.setattr(os, "access", lambda path, how: Path(path) != there)
    with pytest.raises(output.UsageError, match="is write-protected: choose another name"):
        output.check_file(there, "--out")
    output.check_file(tmp_path / "other.csv", "--out")
    monkeypatch.setattr(os, "access", lambda path, how: False)
    with pytest.raises(output.UsageError, match="no permission in "):
        output.check_file(tmp_path / "other.csv", "--out")


def test_a_folder_that_cannot_be_made_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device", "x")

    monkeypatch.setattr(Path, "mkdir", full)
    with pytest.raises(output.UsageError, match="write it: No space left on device; choose"):
        output.check_folder(tmp_path, "it")


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("plan -p ucb --turns 9 --arms 2 --size 5x5 --out x.csv", 2),
        ("plan -p ucb --turns 9 --arms 2 --size 5x5", 2),
        ("plan -p ucb --turns 9 --arms 2 --calendar", 2),
        ("plan -p ucb --turns 9 --arms 2 --calendar --out x.csv", 2),
        ("plan -p ucb --turns 9 --arms 2 --out x.csv", 0),
    ],
)
def test_figures_have_a_size_and_tables_have_none(words: str, code: int, call: Call) -> None:
    assert call(*words.split()).code == code


# ---- single commands ---------------------------------------------------------------------------


def test_the_sample_is_two_years_to_yesterday(call: Call) -> None:
    days = json.loads(call("sample", "--json").stdout)["day"]
    today = date.today()
    assert len(days) == 731
    assert (days[0], days[-1]) == (str(today - timedelta(731)), str(today - timedelta(1)))
    text = call("sample", "--last", "2025-12-31").stdout
    assert text.startswith("day,visitors\n2024-01-01,")
    assert text.endswith("\n")
    assert not text.endswith("\n\n")


@pytest.mark.parametrize("arms", [12, 13])
def test_up_to_twelve_arms_are_listed(arms: int, capsys: pytest.CaptureFixture[str]) -> None:
    rates = {f"x{i}": Estimate(0.5, 0.1, 0.3, 0.7) for i in range(arms)}
    noise._print(SimpleNamespace(rates=rates, sentences=list, rewards="visitors"))  # type: ignore[arg-type]  # what it reads
    printed = capsys.readouterr().out
    assert ("x11   0.5    0.3 to 0.7" in printed) == (arms == 12)
    assert ("13 arms; --json lists" in printed) == (arms == 13)


def test_a_bound_is_compared_at_stops_that_are_even_on_a_logarithmic_axis(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Any] = []

    def simulate(*_: Any, **how: Any) -> None:
        seen.append(how)
        raise ValueError("enough")

    monkeypatch.setattr(bound.hs, "simulate", simulate)
    words = "bound -p ucb --means 0.9,0.5 --turns 5000 --overlay x.png --games 7 --seed 2"
    assert call(*words.split()).code == 2
    (how,) = seen
    assert set(how["curves"]) == {round(5000 ** (i / 199)) for i in range(200)}
    assert (how["games"], how["seed"]) == (7, 2)


@pytest.mark.parametrize(
    ("model", "country", "holidays", "found"),
    [
        ("calendar:country=US", None, True, ("US", True)),
        ("calendar:country=US", "GB", True, ("GB", True)),
        ("calendar", None, False, (None, False)),
        ("calendar:holidays=false", None, True, (None, False)),
    ],
)
def test_a_forecaster_keeps_what_no_option_changes(
    model: str, country: str | None, holidays: bool, found: tuple[Any, ...]
) -> None:
    made: Any = forecaster_of(model, country, holidays, None)
    assert (made.country, made.holidays, made.events) == (*found, None)
    mine: Any = forecaster_of(model, country, holidays, "own.csv")
    assert mine.events == "own.csv"


@pytest.mark.parametrize(
    ("step", "turns", "named"), [("1D", 5, True), ("1D", 1, False), ("7D", 5, False)]
)
def test_days_of_a_forecast_have_names(step: str, turns: int, named: bool) -> None:
    """From Christmas on: a week has no name, and a single turn says not how long it is."""
    times = pd.date_range("2024-12-25", periods=turns, freq=step).to_numpy("datetime64[D]")
    ahead = hs.traffic.Forecast(np.full(turns, 5.0), calendar=times)
    rows = forecast._rows(ahead, 4.0, None, {})
    assert [row["turn"] for row in rows] == list(range(1, turns + 1))
    assert bool(rows[0]["special_day"]) == named


def test_a_turn_is_probably_busy_from_even_odds_on(capsys: pytest.CaptureFixture[str]) -> None:
    ahead, past = hs.traffic.Forecast(np.array([5.0, 6.0, 7.0])), hs.traffic.from_values([4.0, 5.0])
    shown = {"low": 1.0, "high": 9.0, "special_day": "Easter"}
    rows = [
        {"turn": i + 1, "mean": 5.0 + i, "probability_busy": p} | shown
        for i, p in enumerate((0.49, 0.5, 0.51))
    ]
    forecast._print(ahead, past, 6.0, rows, {}, None)
    text = " ".join(capsys.readouterr().out.split())
    assert "2 turns known, 3 forecast by forecast; 2 of them probably busy (6 or more)" in text
    assert "turn expected 80% interval busy special day" in text


def test_left_out_lines_are_listed_with_their_first_example(
    capsys: pytest.CaptureFixture[str],
) -> None:
    bad = {"reason": "bad", "file": "a"}
    examples = [SimpleNamespace(**bad, line=n, text=text) for n, text in ((2, "x"), (7, "y"))]
    numbers = {"events": 1, "lines": 4, "arms": 1, "pools": 1, "first_time": 0, "last_time": 60}
    found = SimpleNamespace(**numbers, examples=examples, skipped={"bad": 2, "worse": 1000})
    convert._print(found, Path("e.parquet"))  # type: ignore[arg-type]  # what it reads
    lines = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
    assert lines[-4:] == [
        "bad                  2  a, line 2: x",
        "worse            1,000",
        "",
        "wrote e.parquet",
    ]


def test_what_a_conversion_needs_is_asked_for(call: Call, logs: Path) -> None:
    assert "Missing option '--out'" in call("convert", "table", "shop.csv").line
    assert "Missing argument 'FILE" in call("convert", "table", "--out", "e.parquet").line


def test_several_logs_are_each_replayed_once(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []

    def replay_many(players: Any, log: Any, **how: Any) -> None:
        seen.append((len(log), {key: how[key] for key in ("runs", "times", "how")}))
        raise ValueError("enough")

    monkeypatch.setattr("highseason.logs.replay_many", replay_many)
    assert call("replay", "a.parquet", "b.parquet", "-p", "ucb").code == 2
    assert seen == [(2, {"runs": 1, "times": 1, "how": "repeat"})]


def test_policies_are_listed_in_two_columns(call: Call) -> None:
    head, _, *rows = call("policies").stdout.split("\n\n")[0].splitlines()
    start = head.index("what it does")
    names = [name for row in rows if (name := row[:start].strip())]  # sentences may go on below
    assert names == list(hs.policies.registry())
    assert all(row[start - 1] == " " and row[start] != " " for row in rows)


def test_choices_of_a_parameter_are_listed_where_it_has_some(call: Call) -> None:
    (found,) = json.loads(call("policies", "ucb-z", "--json").stdout)["policies"]
    choices = {one["name"]: one["choices"] for one in found["parameters"]}
    assert choices["ties"] == ["lowest", "random"]
    assert choices["P"] is None
