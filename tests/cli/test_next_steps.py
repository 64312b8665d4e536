"""What advice says to do next runs as it is printed, whatever is advised and on what traffic."""

from __future__ import annotations

import contextlib
import io
import json
import re
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import highseason as hs
from highseason.advice import Advice, Compared, World, WorldComparison, kind_of
from highseason.advice.comparison import spaces, tried
from highseason.cli import main
from highseason.cli.next_steps import _call, _command, next_steps, shown_steps
from highseason.engine import Estimate
from highseason.policies import Policy

#: Warnings about a plan or a short past are no errors of what is printed.
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def _drawn(u: Any, mean: Any, _: float) -> Any:
    return 5.0 * mean * u - 2.0


def _drawn_mean(mean: Any) -> Any:
    return 2.5 * mean - 2.0


WORLDS = {
    "draws": World.of("bernoulli", 4),
    "visitors": World.of("visitors", 4, (0.02, 0.04)),
    "alike": World.of("visitors", 4, (0.02, 0.04), rho=0.01),
    "money": World(hs.rewards.spend(4, between=(0.02, 0.04), values=40)),
    "bounds": World(hs.rewards.custom(_drawn, _drawn_mean, arms=4, bounds=(-2.0, 3.0))),
}


def candidates(world: World) -> list[Policy]:
    """Every policy that can be advised: as it is, and with parameters as the search writes them."""
    every = spaces(tried(world.rho), [hs.Windowed(base=hs.UCB(), window=30)])
    return [policy for space in every for policy in space.candidates(3 if space.axes else 1)]


def advised(policy: Policy, world: World, G: hs.traffic.Multiplier) -> Advice:
    """Advice as if games had shown this policy to be the best."""
    rivals = [policy, hs.Greedy(), hs.UCB(), hs.UCBZ()]
    level = Estimate(0.0, 0.0, 0.0, 0.0)
    compared = tuple(Compared(one, kind_of(one), 1.0, 0.1, 0.9, 0.5, level) for one in rivals)
    answer: Any = {"greedy": "greedy", "unregulated": "explore"}.get(kind_of(policy), "regulate")
    comparison = WorldComparison(world, policy, answer, compared, True, True, 4, 100)
    return Advice(comparison, (), policy.plan(G, world.rewards.arms), (), None, True, 0)


def run(code: str, **names: Any) -> dict[str, Any]:
    with contextlib.redirect_stdout(io.StringIO()):
        exec(code, names)
    return names


CASES = [
    pytest.param(name, policy, id=f"{name}-{policy}")
    for name, world in WORLDS.items()
    for policy in candidates(world)
]


@pytest.fixture(autouse=True)
def few_games(monkeypatch: pytest.MonkeyPatch) -> None:
    """The list of days takes as long as it has games."""
    monkeypatch.setattr("highseason.advice.days.GAMES", 1)


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> hs.traffic.Multiplier:
    monkeypatch.chdir(tmp_path)
    days = np.datetime64("2025-01-01") + np.arange(70)
    rows = [f"{day},{100 + 7 * (i % 5) + 300 * (i % 7 > 4)}" for i, day in enumerate(days)]
    Path("shop.csv").write_text("\n".join(["day,visitors", *rows]) + "\n", encoding="utf-8")
    return hs.traffic.read("shop.csv")


@pytest.mark.parametrize(("name", "policy"), CASES)
def test_for_every_policy_that_can_be_advised(
    name: str, policy: Policy, shop: hs.traffic.Multiplier
) -> None:
    advice = advised(policy, WORLDS[name], shop)
    steps = next_steps(advice, (), {"multiplier": "shop.csv"})
    text = advice.text(details=True, steps=shown_steps(advice, (), steps, details=True))
    for step in steps:
        assert max(map(len, step.splitlines())) <= max(78, len(str(policy)) + 30)
        assert all(line in text for line in step.splitlines())
    command, serve, python = steps
    assert serve.startswith("highseason serve --experiment shop.csv")
    answer = CliRunner().invoke(main, shlex.split(command.replace("\\\n", " "))[1:])
    assert answer.exit_code == 0, answer.output
    bandit = run(python)["shop"]
    assert "4 arms, 1 of 70 turns decided" in repr(bandit)
    assert type(bandit.policy) is type(policy)
    show, here = advice.next_steps
    run(show, advice=advice)
    assert run(here, advice=advice, hs=hs, arms=list("abcd"))["bandit"].policy == bandit.policy


@pytest.mark.parametrize("name", ["money", "bounds"])
def test_a_bandit_learns_what_the_games_taught(name: str) -> None:
    """The same parameters in the plan and in the bandit, and the same choices."""
    world = WORLDS[name]
    advice = advised(hs.UCB(P=0.8), world, hs.traffic.from_values([500.0] * 60))
    bandit = hs.Bandit([f"arm {i}" for i in range(1, 5)], **advice.bandit_arguments())
    count = {"money": "visitors", "bounds": "turns"}[name]
    assert bandit.policy == hs.UCB(P=0.8, count=count)
    assert bandit.reward_range == pytest.approx(world.rewards.reward_range)
    played = hs.play(hs.UCB(P=0.8), world.rewards, advice.multiplier)
    for t, (arm, total) in enumerate(zip(played.arms, 500 * played.paid, strict=True), start=1):
        assert bandit.pull(t) == f"arm {arm + 1}"
        bandit.update(f"arm {arm + 1}", total, t=t, visitors=500)
    show, serve, _ = next_steps(advice, (), {"multiplier": "shop.csv"})
    assert "--policy ucb:P=0.8" in show
    assert re.search(r"--policy ucb:(count=turns,)?P=0.8 ", serve)


@pytest.mark.parametrize(
    "options",
    [
        "--value Sessions",
        "--value Sessions --turns 30",
        "--value Sessions --time Day --floor 250 --every 1W",
        "--value Sessions --every 7 --turns 8",
        "--value Sessions --ahead 14",
        "--value Sessions --zone Europe/Rome --dates ymd --decimal .",
        "--value 'Sessions (last year)'",
    ],
)
def test_the_traffic_is_read_as_it_was(
    options: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command and the code have every option that said how to read the file."""
    monkeypatch.chdir(tmp_path)
    days = np.datetime64("2099-01-01") + np.arange(70)
    rows = [f"{day},{200 + 90 * (i % 7 > 4)},{300 + i}" for i, day in enumerate(days)]
    header = "Day,Sessions,Sessions (last year)"
    Path("Sessions over time.csv").write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    given = []

    def advise(G: hs.traffic.Multiplier, arms: int, **_: Any) -> Advice:
        given.append(G)
        return advised(hs.Greedy(), WORLDS["visitors"], G)

    monkeypatch.setattr(hs, "advise", advise)
    words = ["--multiplier", "Sessions over time.csv", *shlex.split(options)]
    answer = CliRunner().invoke(main, ["advise", "--arms", "4", *words, "--json"])
    assert answer.exit_code == 0, answer.output
    command, *serve, python = json.loads(answer.stdout)["next"]
    plan = CliRunner().invoke(main, [*shlex.split(command.replace("\\\n", " "))[1:], "--json"])
    assert json.loads(plan.stdout)["G"] == given[0].values.tolist()
    assert hs.traffic.as_multiplier(run(python)["G"]) == given[0]
    if "--ahead" in options:
        served: list[hs.traffic.Multiplier] = []
        monkeypatch.setattr("highseason_service.commands.serve.TrafficForecast.of", served.append)
        words = shlex.split(serve[0].replace("\\\n", " "))[1:]
        CliRunner().invoke(main, [*words, "--database", "shop.db"])
        assert served == given


def test_hours_ahead_of_a_zone_are_the_same_in_python() -> None:
    hours = np.datetime64("2024-02-01T00") + np.arange(24 * 50)
    counts = [100 + i % 24 for i in range(hours.size)]
    utc = np.datetime_as_string(hours, timezone="UTC")
    past = hs.traffic.from_values(counts, utc, zone="Europe/Rome")
    ahead = hs.traffic.Blend().fit(past).predict(30).multiplier()
    assert ahead.zone == "Europe/Rome"
    assert ahead.turn_of("2024-03-22 01:00") == 1


def test_shapes_are_given_by_name() -> None:
    G = hs.traffic.wave(turns=40)
    advice = advised(hs.UCB(), WORLDS["draws"], G)
    command, python = next_steps(advice, (), {"multiplier": "wave"})
    assert command == "highseason plan --policy ucb --multiplier wave --turns 40 --arms 4"
    assert run(python)["G"] == G


def test_an_object_of_another_library_only_plays() -> None:
    class First:
        def pull(self, arms: list[int]) -> int:
            return arms[0]

        def update(self, arm: int, reward: float) -> None:
            pass

    advice = advised(
        hs.policies.ForeignPolicy.of(First()), WORLDS["draws"], hs.traffic.wave(turns=9)
    )
    for step in advice.next_steps:
        run(step, advice=advice, hs=hs)
    (plan,) = next_steps(advice, (), {"multiplier": "wave"})
    assert plan.startswith("highseason plan --policy")


@pytest.mark.parametrize(
    ("labels", "world", "said"),
    [
        (("9.99", "10.99", "11.99", "12.5"), "visitors", "takings instead: --range 0..13"),
        (("a", "b", "c", "d"), "visitors", ""),
        (("9.99", "10.99", "11.99", "12.5"), "money", ""),
    ],
)
def test_what_counts_orders_says_how_to_report_takings(
    labels: tuple[str, ...], world: str, said: str, shop: hs.traffic.Multiplier
) -> None:
    policy = next(one for one in candidates(WORLDS[world]) if one.rule.traits.unit_range)
    advice = advised(policy, WORLDS[world], shop)
    steps = next_steps(advice, labels, {"multiplier": "shop.csv"})
    text = advice.text(labels, steps=shown_steps(advice, labels, steps, details=False))
    assert said in text
    assert ("takings" in text) == bool(said)
    assert ("--range 0..1\n" in text) == (world == "visitors")


def test_commands_and_calls_are_broken_where_they_must_be() -> None:
    for length in range(40, 80):
        name = "y" * length
        command = _command("plan", ("multiplier", name), ("arms", 3))
        lines = command.split(" \\\n")
        one = f"highseason plan --multiplier {name} --arms 3"
        assert (len(lines) == 1) == (len(one) <= 76)
        assert " ".join(line.strip() for line in lines) == one
        call = f"f({name}, 3)"
        assert _call("f", name, "3") == (call if len(call) <= 78 else f"f(\n    {name},\n    3,\n)")
    dashed = "-".join(["long"] * 20)
    assert f"--multiplier {dashed}" in _command("plan", ("multiplier", dashed))


def test_next_steps_keep_names_as_they_are_written() -> None:
    G = hs.traffic.from_values([100.0] * 10)
    advice, arms = advised(hs.UCB(P=0.5), WORLDS["visitors"], G), ["grün", "rot", "x", "y"]
    show, serve, python = next_steps(advice, arms, {"multiplier": "ö.csv"})
    assert '["grün", "rot", "x", "y"]' in python
    assert 'hs.traffic.read("ö.csv")' in python
    assert shlex.split(show.replace("\\\n", " "))[-8:] == [
        "--arm", "grün", "--arm", "rot", "--arm", "x", "--arm", "y"
    ]  # fmt: skip
    assert serve.startswith("highseason serve --experiment 'ö.csv' --policy ucb:P=0.5 --arm 'grün'")


@pytest.mark.parametrize(
    ("traffic", "steps"),
    [
        ({"multiplier": "shop.csv"}, 3),
        ({"multiplier": "shop.csv", "turns": 10}, 2),  # a service reads the whole file
        ({"multiplier": "wave"}, 2),
    ],
)
def test_python_is_shown_with_details_or_where_there_is_no_service(
    traffic: dict[str, Any], steps: int
) -> None:
    advice = advised(hs.UCB(P=0.5), WORLDS["visitors"], hs.traffic.wave(turns=10))
    every = next_steps(advice, (), traffic)
    assert len(every) == steps
    assert shown_steps(advice, (), every, details=True) == list(every)
    assert shown_steps(advice, (), every, details=False) == list(every[:2])
