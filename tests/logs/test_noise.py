"""What a turn teaches, found in generated histories."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import highseason as hs
from highseason.logs.noise import Likelihood
from highseason.logs.noise_history import VisitorHistory


def generate(
    seed: int, rho: float, turns: int = 80, arms: int = 2, day: float = 0.0, crossed: bool = False
) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    turn = np.repeat(np.arange(turns), arms if crossed else 1)
    arm = np.tile(np.arange(arms), turns) if crossed else np.arange(turns) % arms
    visitors = np.maximum(1, 800 * rng.lognormal(0, 0.5, turns)).astype(int)[turn]
    effect = rng.gamma(1 / day**2, day**2, turns) if day else np.ones(turns)
    centre = np.linspace(0.02, 0.04, arms)[arm] * effect[turn]
    shown = rng.beta(centre * (1 / rho - 1), (1 - centre) * (1 / rho - 1)) if rho else centre
    columns = {"turn": turn, "arm": arm, "visitors": visitors}
    return pd.DataFrame(columns | {"successes": rng.binomial(visitors, shown)})


@pytest.mark.parametrize("rho", [0.0, 0.001, 0.01, 0.05])
def test_intervals_hold_the_truth(rho: float) -> None:
    fits = [hs.logs.fit_noise(generate(seed, rho)) for seed in range(30)]
    held = [found.rho.low <= rho <= found.rho.high for found in fits]
    assert sum(held) >= 25  # 28.5 expected; fewer than 25 in 1 of 60 runs if 95% is right
    first = [found.rates["0"].low <= 0.02 <= found.rates["0"].high for found in fits]
    assert sum(first) >= 25
    middle = float(np.median([found.rho.value for found in fits]))
    assert middle == pytest.approx(rho, rel=0.25, abs=2e-4)


@pytest.mark.soak
@pytest.mark.parametrize("rho", [0.001, 0.01, 0.05])
def test_coverage_is_95_percent(rho: float) -> None:
    fits = [hs.logs.fit_noise(generate(seed, rho)) for seed in range(500)]
    assert 0.92 <= np.mean([found.rho.low <= rho <= found.rho.high for found in fits]) <= 0.98


def test_without_correlation_an_upper_limit_is_reported() -> None:
    found = hs.logs.fit_noise(generate(1, 0.0))
    assert found.rho.low == 0.0 < found.rho.high < 0.01
    assert "rho is at most" in found.sentences()[0]


def test_a_day_effect_is_separated_from_the_noise_of_an_arm() -> None:
    found = hs.logs.fit_noise(generate(3, 0.002, turns=60, arms=3, day=0.2, crossed=True))
    assert found.day is not None
    assert found.day.low < 0.2 < found.day.high
    assert 0.1 < found.day.low
    assert found.rho.low < 0.002 < found.rho.high
    alone = hs.logs.fit_noise(generate(3, 0.002, day=0.2))
    assert alone.day is None
    assert alone.rho.value > found.rho.value  # it contains the day effect
    assert "rho contains both" in str(alone)


def _history(successes: list[float], visitors: list[float]) -> VisitorHistory:
    turns = np.arange(len(successes))
    zeros = np.zeros(len(successes), np.int64)
    return VisitorHistory(
        turns, zeros, np.array(successes), np.array(visitors), None, turns, ("a",)
    )


def test_the_likelihood_is_the_beta_binomial() -> None:
    y, n = [3.0, 9.0, 0.0, 4.0], [100.0, 210.0, 30.0, 55.0]
    likelihood = Likelihood(_history(y, n))
    for low, high in ((0.003, 0.02), (0.02, 0.3), (1e-6, 0.1)):
        exact = []
        for rho in (low, high):
            rate = float(likelihood.rates(rho)[0])
            total = 1 / rho - 1
            exact.append(stats.betabinom.logpmf(y, n, rate * total, (1 - rate) * total).sum())
        ours = likelihood.at(high, 0.0) - likelihood.at(low, 0.0)
        assert ours == pytest.approx(exact[1] - exact[0], abs=1e-6)


def test_the_integral_over_a_day_is_right() -> None:
    history = hs.logs.read_history(generate(5, 0.01, turns=6, arms=3, day=0.3, crossed=True))
    likelihood, day, rho = Likelihood(history), 0.3, 0.01
    grid = np.linspace(-8, 8, 4001)
    logs = day * grid - day**2 / 2
    cells = likelihood._cells(likelihood.rates(rho)[history.arm][:, None] * np.exp(logs), rho)
    total = 0.0
    for turn in range(6):
        height = cells[history.turn == turn].sum(axis=0)
        top = height.max()
        total += top + np.log(np.trapezoid(np.exp(height - top) * stats.norm.pdf(grid), grid))
    assert likelihood.at(rho, day) == pytest.approx(total, abs=0.01)
    assert likelihood.at(rho, 1e-3) == pytest.approx(likelihood.at(rho, 0.0), abs=0.05)


def test_plain_words_name_weekdays() -> None:
    table = generate(2, 0.02, turns=140, arms=1)
    table["date"] = pd.date_range("2026-01-05", periods=140)  # a Monday
    weekend = table["date"].dt.day_of_week == 5
    table.loc[weekend, "visitors"] *= 9
    table.loc[weekend, "successes"] *= 9
    found = hs.logs.fit_noise(table.drop(columns="turn"))
    sentence = found.sentences()[1]
    assert sentence.startswith("A Saturday")
    assert ", not " in sentence
    busy, quiet = found.turns["effective"].max(), found.turns["effective"].min()
    assert busy / quiet < table["visitors"].max() / table["visitors"].min() / 2
    assert found.teaches(9000, 1000) < 3


def test_event_logs_are_counted_by_turn() -> None:
    table = generate(4, 0.02, turns=30)
    events = pd.DataFrame(
        {
            "date": np.repeat(table["turn"], table["visitors"]),
            "arm": np.repeat(table["arm"], table["visitors"]),
            "click": np.concatenate(
                [np.arange(row.visitors) < row.successes for row in table.itertuples()]
            ).astype(int),
        }
    )  # fmt: skip
    one, other = hs.logs.fit_noise(events), hs.logs.fit_noise(table)
    assert one.rho == other.rho
    assert one.rates == other.rates
    stamps = pd.DataFrame({"time": [1.7e9, 1.7e9 + 60, 1.7e9 + 90_000], "reward": [0, 1, 1]})
    assert hs.logs.read_history(stamps).visitors.tolist() == [2.0, 1.0]
    assert hs.logs.read_history(stamps, every="1min").visitors.tolist() == [1.0, 1.0, 1.0]


@pytest.mark.parametrize("kind", ["csv", "xlsx"])
def test_dates_and_numbers_as_countries_write_them(kind: str, tmp_path: Path) -> None:
    rows = {"Datum": ["30.01.2025", "31.01.2025", "01.02.2025"], "arm": ["a", "b", "a"]}
    table = pd.DataFrame({**rows, "orders": [3, 4, 5], "visitors": ["1.030,5", "980", "970"]})
    path = tmp_path / f"history.{kind}"
    table.to_csv(path, sep=";", index=False) if kind == "csv" else table.to_excel(path, index=False)
    with pytest.warns(hs.traffic.FileNote) as notes:
        history = hs.logs.read_history(path, turn="Datum")
    said = "\n".join(str(note.message) for note in notes)
    assert "'30.01.2025' is read as 2025-01-30" in said
    assert "'1.030,5' is read as 1030.5" in said
    assert history.visitors.tolist() == [1030.5, 980, 970]
    assert [str(turn)[:10] for turn in history.turns] == ["2025-01-30", "2025-01-31", "2025-02-01"]


def test_dates_with_two_meanings_are_a_question() -> None:
    table = pd.DataFrame({"date": ["1/2/2025", "2/2/2025"], "orders": [1, 1], "visitors": [9, 9]})
    with pytest.raises(ValueError, match="could be 2025-02-01 or 2025-01-02"):
        hs.logs.read_history(table)
    assert str(hs.logs.read_history(table, dates="mdy").turns[0])[:10] == "2025-01-02"


def _days(count: int = 112) -> pd.DataFrame:
    table = generate(1, 0.01, turns=count, arms=1)
    table["date"] = pd.date_range("2024-01-01", periods=count)  # a Monday
    return table.drop(columns="turn")


@pytest.mark.parametrize("every", ["7D", "1W"])
def test_weeks_begin_on_mondays_as_those_of_traffic_do(every: str) -> None:
    table = _days()
    history = hs.logs.read_history(table, every=every)
    weeks = hs.traffic.from_series(table.set_index("date")["visitors"]).resample(every)
    assert history.turns.tolist() == weeks.calendar.tolist()
    assert history.visitors.tolist() == weeks.values.tolist()


def test_days_are_those_of_the_zone_that_times_name() -> None:
    table = _days(40)
    table["date"] = table["date"].dt.strftime("%Y-%m-%d 00:00+01:00")
    history = hs.logs.read_history(table)
    assert str(history.turns[0]) == "2024-01-01"
    assert str(hs.logs.read_history(table, zone="Europe/London").turns[0])[:13] == "2023-12-31T23"


def test_only_times_are_gathered() -> None:
    with pytest.raises(ValueError, match="every= needs times, and '0' is none"):
        hs.logs.read_history(generate(1, 0.0), every="1D")


SPELLINGS = {
    "semicolons.csv": ("utf-8", ";", "{:,.0f}"),
    "utf16.csv": ("utf-16", "\t", "{:.0f}"),
    "mark.csv": ("utf-8-sig", ",", "{:.0f}"),
    "sheet.xlsx": ("", "", "{:.0f}"),
}


@pytest.mark.parametrize("name", SPELLINGS)
@pytest.mark.filterwarnings("ignore::highseason.traffic.FileNote")
def test_a_history_is_read_in_every_form_that_traffic_is(name: str, tmp_path: Path) -> None:
    encoding, mark, number = SPELLINGS[name]
    plain, path = _days(30), tmp_path / name
    table = plain.assign(date=plain["date"].dt.strftime("%d.%m.%Y"))
    table["visitors"] = [number.format(10 * v).replace(",", ".") for v in table["visitors"]]
    if name == "sheet.xlsx":
        table.assign(visitors=10 * plain["visitors"]).to_excel(path, index=False)
    else:
        table.to_csv(path, sep=mark, encoding=encoding, index=False)
    if name == "semicolons.csv":  # 1.946 visitors
        with pytest.raises(ValueError, match=r"pass decimal=',' or decimal='\.'"):
            hs.logs.read_history(path)
    decimal = "," if name == "semicolons.csv" else None
    history = hs.logs.read_history(path, decimal=decimal)
    assert history.visitors.tolist() == (10.0 * plain["visitors"]).tolist()
    assert history.turns.tolist() == plain["date"].dt.date.tolist()
    G = hs.traffic.read(path, value="visitors", decimal=decimal)
    assert G.calendar.tolist() == history.turns.tolist()


def test_what_was_assumed_of_rows_is_said() -> None:
    table = generate(1, 0.0, turns=6, arms=1).astype({"arm": object})
    table.loc[[2, 4], "arm"] = [None, " "]
    table.loc[5, "turn"] = 0
    with pytest.warns(hs.traffic.FileNote) as notes:
        history = hs.logs.read_history(table)
    message = "\n".join(str(note.message) for note in notes)
    assert "2 rows without 'turn' or 'arm' left out, the first at row 3" in message
    assert "1 row with the turn and the arm of another added to it, the first at row 6" in message
    assert history.visitors.tolist()[0] == table["visitors"][[0, 5]].sum()
    assert history.arms == ("0",)


def test_sums_of_money_need_their_squares() -> None:
    rng = np.random.default_rng(6)
    rows = []
    for turn in range(150):
        spent = rng.gamma(0.5, 60, rng.integers(200, 900)) * rng.normal(1, 0.1)
        rows.append((turn, spent.sum(), (spent**2).sum(), spent.size))
    table = pd.DataFrame(rows, columns=["turn", "sum", "squares", "visitors"])
    found = hs.logs.fit_noise(table)
    # variance between turns 0.1² · 30², of a visitor 0.5 · 60² and a little more
    assert found.rho.low < 9 / 1809 < found.rho.high
    assert found.rates["all"].low < 30 < found.rates["all"].high
    with pytest.raises(ValueError, match="give the sum of their squares"):
        hs.logs.fit_noise(table.drop(columns="squares"))


def test_the_text_of_the_model_can_be_simulated() -> None:
    found = hs.logs.fit_noise(generate(7, 0.01))
    model = hs.rewards.parse(found.rewards, arms=3)
    assert model.kind.rho == pytest.approx(found.rho.value, rel=0.01)


@pytest.mark.parametrize("rates", [(0.95,), (1.0, 0.5), (0.9985, 0.9), (0.0, 0.03)])
def test_the_text_of_any_rates_can_be_read(rates: tuple[float, ...]) -> None:
    rng, turns = np.random.default_rng(1), 40
    table = pd.DataFrame({"turn": np.arange(turns).repeat(len(rates)), "visitors": 500})
    table["arm"] = np.tile(np.arange(len(rates)), turns)
    table["successes"] = rng.binomial(500, np.tile(rates, turns))
    model = hs.rewards.parse(hs.logs.fit_noise(table).rewards, arms=3)
    assert 0 <= model.between[0] <= model.between[1] <= 1


def test_a_history_of_money_is_simulated_as_money() -> None:
    rng = np.random.default_rng(3)
    log = pd.DataFrame({"turn": rng.integers(0, 40, 8000), "arm": rng.integers(0, 2, 8000)})
    log["reward"] = np.where(rng.random(8000) < 0.05, rng.gamma(1, 40, 8000), 0)
    text = hs.logs.fit_noise(log).rewards
    assert text.startswith("spend:")
    model = hs.rewards.parse(text, arms=2)
    assert model.means(np.array([[model.between[0]]])) == pytest.approx(2.0, rel=0.2)


@pytest.mark.parametrize("spent", [1.0, 2.0])
def test_where_every_visitor_buys_nothing_is_known(spent: float) -> None:
    log = pd.DataFrame({"turn": np.arange(800) // 20, "reward": spent})
    with pytest.raises(ValueError, match="does not show whether those of a turn are alike"):
        hs.logs.fit_noise(log)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"turn": [1, 2], "visitors": [5, 5]}, "no column for the successes"),
        ({"successes": [1], "visitors": [5]}, "no column for the turn"),
        (
            {"turn": [1], "successes": ["x"], "visitors": [5]},
            "row 1, .* a number >= 0",
        ),
        ({"turn": [1, 2], "successes": [1, 2], "visitors": [5, 9]}, "give a longer history"),
    ],
)
def test_errors_say_what_is_missing(columns: dict[str, list[object]], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        hs.logs.fit_noise(pd.DataFrame(columns))


def test_unknown_columns_are_named() -> None:
    with pytest.raises(ValueError, match="Did you mean 'visitors'"):
        hs.logs.fit_noise(generate(1, 0.0), visitors="visitor")
    with pytest.raises(ValueError, match="unknown column 'buyers'"):
        hs.logs.fit_noise(generate(1, 0.0), buyers="successes")


@pytest.mark.realdata
def test_clicks_of_real_headlines_vary_by_day() -> None:
    path = Path(__file__).parents[2].parent / "shared/data/upworthy_ab_packages.csv.gz"
    if not path.exists():
        pytest.skip(f"{path} is not there")
    table = pd.read_csv(path, usecols=["created_unix", "impressions", "clicks"])
    table["date"] = pd.to_datetime(table.pop("created_unix"), unit="s").dt.floor("1D")
    found = hs.logs.fit_noise(table, every="1D")
    assert 0.003 < found.rho.low < found.rho.high < 0.005


def test_the_integral_is_right_far_from_an_ordinary_day() -> None:
    # One turn sells a third of what it should, one three times as much, both with many visitors.
    turn, arm = np.repeat(np.arange(4), 2), np.tile(np.arange(2), 4)
    factor = np.array([1 / 3, 1.0, 3.0, 1.0])[turn]
    visitors = np.full(8, 40_000.0)
    successes = np.round(visitors * np.array([0.1, 0.2])[arm] * factor)
    names = np.arange(4), ("a", "b")
    history = VisitorHistory(turn, arm, successes, visitors, None, *names)
    likelihood, day, rho = Likelihood(history), 0.8, 1e-4
    logs = np.linspace(-3, 3, 60_001)
    cells = likelihood._cells(likelihood.rates(rho)[arm][:, None] * np.exp(logs), rho)
    prior = stats.norm.logpdf(logs, -(day**2) / 2, day)
    total = 0.0
    for number in range(4):
        height = cells[turn == number].sum(axis=0) + prior
        total += height.max() + np.log(np.trapezoid(np.exp(height - height.max()), logs))
    assert likelihood.at(rho, day) == pytest.approx(total, abs=1e-3)


@pytest.mark.parametrize(("turns", "known"), [(5, False), (6, True)])
def test_a_day_effect_needs_five_entries_beyond_the_arms_and_turns(turns: int, known: bool) -> None:
    history = hs.logs.read_history(generate(5, 0.01, turns=turns, arms=2, crossed=True))
    assert Likelihood(history).knows_days is known  # 2·turns - 2 - turns + 1 are left
