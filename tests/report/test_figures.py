"""What is in a figure, and what becomes of it; how it looks is for people to judge."""

from __future__ import annotations

import re
import struct
import subprocess
import sys
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest

import highseason as hs
from highseason import report
from highseason.report.multiplier_plots import edges
from highseason.report.palette import look

CALENDAR = hs.traffic.from_values(
    [5, 9, 40, 8, 7, 60], calendar=[f"2026-01-{day:02}" for day in (1, 2, 3, 5, 6, 7)]
)


def texts(figure: report.Figure) -> list[str]:
    """All words in a figure, once it is drawn."""
    figure.encode("png")
    return [t.get_text() for t in figure.canvas.findobj(mpl.text.Text) if t.get_visible()]


@pytest.fixture(scope="module")
def every(result: hs.SimulationResult, plans: list[hs.Plan]) -> dict[str, report.Figure]:
    return {
        "rewards": report.rewards(result),
        "regret": report.curves(result),
        "reward curves": report.curves(result, "reward", ["ucb", "greedy"]),
        "panels": report.curves(result, policies={"a": ["ucb"], "b": ["greedy", "ucb-z:z=30"]}),
        "plan": report.plan(plans[1]),
        "plans": report.plan(plans),
        "multiplier": report.multiplier(plans[0].multiplier, z="q0.75"),
        "dates": report.plan(hs.UCBZ(z=30).plan(CALENDAR, arms=2)),
    }


def test_figures_are_saved_and_show_themselves(
    every: dict[str, report.Figure], tmp_path: Path
) -> None:
    starts = {".png": b"\x89PNG\r\n", ".svg": b"<?xml", ".pdf": b"%PDF"}
    for suffix, start in starts.items():
        path = every["rewards"].save(tmp_path / "new" / "folder" / f"rewards{suffix}")
        assert path.read_bytes().startswith(start)
    assert every["rewards"]._repr_png_() == (tmp_path / "new/folder/rewards.png").read_bytes()
    for figure in every.values():
        assert figure.encode("svg").startswith(b"<?xml")
        assert figure.title in repr(figure)
        assert figure.alt


def test_the_same_figure_is_the_same_file(result: hs.SimulationResult) -> None:
    for kind in ("png", "svg", "pdf"):
        assert report.rewards(result).encode(kind) == report.rewards(result).encode(kind)


def test_suffixes_may_be_capital(result: hs.SimulationResult, tmp_path: Path) -> None:
    assert report.rewards(result).save(str(tmp_path / "A.PNG")).is_file()


@pytest.mark.parametrize("name", ["figure.jpeg", "figure", "figure.csv"])
def test_other_suffixes_are_refused(name: str, result: hs.SimulationResult, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=re.escape(".png, .svg or .pdf")):
        report.rewards(result).save(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_without_matplotlib_the_extra_is_named(
    result: hs.SimulationResult, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.delitem(sys.modules, "matplotlib.figure", raising=False)
    with pytest.raises(ImportError, match=r"highseason\[plots\]"):
        report.rewards(result)


def test_nothing_of_the_program_around_is_touched() -> None:
    code = (
        "import sys, matplotlib as mpl, highseason as hs\n"
        "mpl.rcParams['axes.facecolor'] = 'black'\n"
        "def settings():\n"
        "    return {k: mpl.rcParams[k] for k in mpl.rcParams if k != 'backend'}\n"  # asks pyplot
        "before = settings()\n"
        "hs.report.plan(hs.UCB().plan(hs.traffic.wave(turns=500), arms=2)).encode('png')\n"
        "print(settings() == before, 'matplotlib.pyplot' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=True
    )
    assert done.stdout.split() == ["True", "False"]


def test_a_dark_theme_does_not_leak_in(result: hs.SimulationResult) -> None:
    plain = report.rewards(result).encode("png")
    with mpl.rc_context({"axes.facecolor": "black", "font.size": 30, "lines.linewidth": 9}):
        assert report.rewards(result).encode("png") == plain


# -- rewards --------------------------------------------------------------------------------------


def test_bars_are_means_and_shares(result: hs.SimulationResult) -> None:
    (axes,) = report.rewards(result).canvas.axes
    exploited, rest, _ = axes.collections
    middle = [result.mean("exploited", label) for label in result.policies]
    means = [result.mean("reward", label) for label in result.policies]
    assert [path.get_extents().intervalx.tolist() for path in exploited.get_paths()] == [
        [0, end] for end in middle
    ]
    boxes = [path.get_extents() for path in rest.get_paths()]
    assert [box.x0 for box in boxes] == middle
    assert [box.x1 for box in boxes] == means
    assert [(box.y0 + box.y1) / 2 for box in boxes] == pytest.approx(range(len(means)))
    assert [bars.get_hatch() for bars in (exploited, rest)] == [None, "////"]
    assert axes.get_xlim()[0] == 0
    assert [tick.get_text() for tick in axes.get_yticklabels()] == list(result.policies)


def test_error_bars_are_95_percent_intervals(result: hs.SimulationResult) -> None:
    (axes,) = report.rewards(result).canvas.axes
    (bars,) = axes.containers[0].lines[2]
    left, right = bars.get_segments()[0][:, 0]
    assert (right - left) / 2 == pytest.approx(1.96 * result.error("reward", 0), rel=1e-3)


def test_bars_of_some_policies_in_the_order_given(result: hs.SimulationResult) -> None:
    (axes,) = report.rewards(result, ["greedy", "ucb"], title="Two").canvas.axes
    assert [tick.get_text() for tick in axes.get_yticklabels()] == ["greedy", "ucb"]
    with pytest.raises(KeyError, match="no policy is called 'unknown'"):
        report.rewards(result, ["unknown"])


def test_one_game_has_no_error_bar(tmp_path: Path) -> None:
    G = hs.traffic.wave(turns=30)
    single = hs.simulate(hs.UCB(), hs.rewards.bernoulli(arms=3), G, games=1)
    report.rewards(single).save(tmp_path / "one.png")


def test_long_labels_are_broken(result: hs.SimulationResult) -> None:
    G = hs.traffic.wave(turns=30)
    long = hs.simulate(
        {"epsilon-z:k=2,z=q0.75,ties=at-random-now": hs.UCB()},
        hs.rewards.bernoulli(arms=3), G, games=3,
    )  # fmt: skip
    assert "epsilon-z:\nk=2,z=q0.75,ties=at-random-now" in texts(report.rewards(long))


# -- curves ---------------------------------------------------------------------------------------


def test_curves_are_means(result: hs.SimulationResult) -> None:
    (axes,) = report.curves(result).canvas.axes
    curve = result.curves["regret"]
    for line, label, mean in zip(axes.lines, result.policies, curve.mean, strict=True):
        assert line.get_label() == label
        assert np.array_equal(line.get_ydata(), mean)
    assert len(axes.collections) == len(result.policies)  # the bands


def test_panels_have_titles_and_lines_of_their_own(every: dict[str, report.Figure]) -> None:
    first, second = every["panels"].canvas.axes
    assert (first.get_title("left"), second.get_title("left")) == ("a", "b")
    assert [line.get_label() for line in second.lines] == ["greedy", "ucb-z:z=30"]


def test_many_lines_put_the_legend_below() -> None:
    players = {f"ucb {i}": hs.UCB(P=1 + i / 9) for i in range(9)}
    G = hs.traffic.wave(turns=100)
    many = hs.simulate(players, hs.rewards.bernoulli(arms=2), G, games=4, curves=True)
    figure = report.curves(many)
    assert set(players) <= set(texts(figure))


def test_curves_must_be_there(result: hs.SimulationResult) -> None:
    G = hs.traffic.wave(turns=30)
    without = hs.simulate(hs.UCB(), hs.rewards.bernoulli(arms=2), G, games=3)
    with pytest.raises(ValueError, match="curves=True"):
        report.curves(without)
    with pytest.raises(ValueError, match="metric must be"):
        report.curves(result, "luck")


def test_looks_differ_in_more_than_colour() -> None:
    looks = [look(i) for i in range(12)]
    assert len({(one.line, one.marker) for one in looks}) == len(looks)
    assert len({one.marker for one in looks}) == len(looks)


# -- plans and stakes -----------------------------------------------------------------------------


def test_busy_turns_follow_the_plans_threshold(plans: list[hs.Plan]) -> None:
    assert "busy: G ≥ 30" in texts(report.plan(plans))
    assert "busy: G ≥ 500" in texts(report.plan(plans, z="0.5*max"))


def test_without_a_threshold_the_busiest_quarter_is_busy(plans: list[hs.Plan]) -> None:
    z = np.quantile(plans[0].multiplier.values, 0.75)
    words = texts(report.plan(plans[0]))
    assert {f"busy: G ≥ {z:.4g}", "the busiest quarter begins"} < set(words)
    assert "threshold z" not in words


def test_every_plan_has_a_row(plans: list[hs.Plan]) -> None:
    figure = report.plan(plans)
    rows = [axes.get_title("left") for axes in figure.canvas.axes]
    assert rows == [*(str(plan.policy) for plan in plans), "multiplier christmas"]
    named = report.plan({"ours": plans[0]})
    assert named.canvas.axes[0].get_title("left") == "ours"


def test_a_plan_of_prices_is_drawn_as_prices() -> None:
    G = hs.traffic.wave(turns=40)
    plans = [policy.plan(G, arms=5) for policy in (hs.UCBZ(z=30), hs.OptionIndex())]
    figure = report.plan(plans)
    above, priced, _ = figure.canvas.axes
    assert [above.get_ylabel(), priced.get_ylabel()] == ["exploration", ""]
    assert priced.get_title("left") == "option-index: price of exploring (log scale)"
    assert {"1%", "100%", "price of exploring, % of what is to come"} < set(texts(figure))
    cheap, price = (patch.get_data() for patch in priced.patches[-2:])
    assert price.values[:38] == pytest.approx(1 / plans[1].levels[:38])
    assert (price.values[38:], price.edges[-1]) == ([1.0], 40.5)  # above 100%, then endless
    assert cheap.edges[cheap.values.nonzero()].tolist() == [0.5, 16.5]
    assert report.plan(plans[1]).title == "When is exploring cheap?"


def test_plans_of_different_multipliers_are_refused(plans: list[hs.Plan]) -> None:
    other = hs.UCB().plan(hs.traffic.wave(turns=150), arms=6)
    with pytest.raises(ValueError, match="different multipliers"):
        report.plan([plans[0], other])
    with pytest.raises(ValueError, match="no Plan to draw"):
        report.plan([])


def test_a_calendar_puts_dates_on_the_axis(every: dict[str, report.Figure]) -> None:
    words = " ".join(texts(every["dates"]))
    assert re.search(r"2026-Jan|Jan", words)
    assert "turn" not in texts(every["dates"])


def test_a_turn_of_a_calendar_reaches_half_way_to_its_neighbours() -> None:
    steps = edges(CALENDAR)
    assert np.diff(steps).tolist() == [1, 1, 1.5, 1.5, 1, 1]
    assert edges(CALENDAR.window(1, 1)).size == 2


def test_plans_shorter_than_a_first_round(tmp_path: Path) -> None:
    plan = hs.UCB().plan(hs.traffic.wave(turns=3), arms=6)
    report.plan(plan).save(tmp_path / "short.png")


@pytest.mark.parametrize(
    ("G", "scale"), [("wave", "linear"), ("christmas", "log"), ("constant", "linear")]
)
def test_a_steep_multiplier_gets_a_logarithm(G: str, scale: str) -> None:
    (axes,) = report.multiplier(hs.traffic.as_multiplier(G, turns=100)).canvas.axes
    assert axes.get_yscale() == scale


def test_a_long_season_stays_a_small_file() -> None:
    hours = np.arange("2024-01-01", "2025-01-01", dtype="datetime64[h]")
    G = hs.traffic.from_values(np.where(np.arange(hours.size) % 24 > 8, 900, 30), hours)
    plan = hs.UCBZ(z=100).plan(G, arms=10)
    assert len(report.plan(plan).encode("png")) < 150_000


def test_figures_fit_a_phone(every: dict[str, report.Figure]) -> None:
    assert all(figure.picture().width < 6 * 96 for figure in every.values())
    width, _ = struct.unpack(">II", every["multiplier"].encode("png")[16:24])
    assert width == 1600  # in a file they are wide and sharp


def test_a_forecast_is_drawn_without_its_past() -> None:
    past = hs.traffic.from_values([5.0, 9.0, 7.0, 6.0, 8.0, 30.0, 20.0] * 6)
    ahead = hs.traffic.SeasonalNaive(lag=7, periods=(7,)).fit(past).predict(7)
    shown = [len(report.forecast(ahead, *known).canvas.axes[0].patches) for known in ((), (past,))]
    assert shown[0] < shown[1]  # what was observed is a line of its own
