"""`highseason simulate`: the same games as the library plays, shown to people and to programs."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import highseason as hs
from highseason.core.text import with_error

Call = Callable[..., Any]

SMALL = "--arms 4 --turns 60 --games 20 --seed 3".split()
PLAYERS = "-p ucb -p ucb-z:z=30 -p greedy".split()

KEYS = {
    "name", "reward_mean", "reward_se", "regret_mean", "regret_se", "exploited_share",
    "gain_over_first",
}  # fmt: skip


def strict(text: str) -> Any:
    """One JSON document, without the words that JSON does not have."""

    def refuse(word: str) -> None:
        raise AssertionError(f"{word} is not JSON")

    return json.loads(text, parse_constant=refuse)


def test_json_is_one_document_with_the_contracts_keys(call: Call) -> None:
    answer = call("simulate", *PLAYERS, *SMALL, "--json")
    assert (answer.code, answer.stderr) == (0, "")
    document = strict(answer.stdout)
    assert [entry["name"] for entry in document["policies"]] == ["ucb", "ucb-z:z=30", "greedy"]
    assert all(set(entry) >= KEYS for entry in document["policies"])
    assert document["policies"][0]["gain_over_first"] == 0
    assert (document["arms"], document["turns"], document["games"]) == (4, 60, 20)
    assert document["max_reward"] == pytest.approx(hs.traffic.wave(turns=60).total)


def test_realised_regret_is_in_the_document_if_asked_for(call: Call) -> None:
    plain, more = (
        strict(call("simulate", *PLAYERS, *SMALL, *words, "--json").stdout)["policies"][1]
        for words in ((), ("--realised",))
    )
    assert set(more) - set(plain) == {"realised_regret_mean", "realised_regret_se"}
    assert plain.items() <= more.items()


def test_it_plays_what_the_library_plays(call: Call) -> None:
    document = strict(call("simulate", *PLAYERS, *SMALL, "--json").stdout)
    players = [hs.UCB(), hs.UCBZ(z=30), hs.Greedy()]
    G = hs.traffic.wave(turns=60)
    result = hs.simulate(players, hs.rewards.bernoulli(arms=4), G, games=20, seed=3)
    for entry, label in zip(document["policies"], result.policies, strict=True):
        assert entry["reward_mean"] == result.mean("reward", label)
        assert entry["regret_se"] == result.error("regret", label)


def test_names_are_as_typed_and_unique(call: Call) -> None:
    words = "-p ucb-z:z=q0.75 -p ucb-z:z=q.75 -p ucb -p ucb".split()
    document = strict(call("simulate", *words, *SMALL, "--json").stdout)
    names = [entry["name"] for entry in document["policies"]]
    assert names == ["ucb-z:z=q0.75", "ucb-z:z=q.75", "ucb", "ucb (2)"]
    assert len({entry["reward_mean"] for entry in document["policies"][:2]}) == 1


def test_one_game_has_no_error_and_says_null(call: Call) -> None:
    document = strict(call("simulate", "-p", "ucb", *SMALL, "--games", "1", "--json").stdout)
    assert document["policies"][0]["reward_se"] is None


def test_the_seed_decides_and_the_threads_do_not(call: Call) -> None:
    def rewards(*words: str) -> list[float]:
        document = strict(call("simulate", *PLAYERS, *SMALL, "--json", *words).stdout)
        return [entry["reward_mean"] for entry in document["policies"]]

    assert rewards("--workers", "1") == rewards("--workers", "2")
    assert rewards() != rewards("--seed", "4")


@pytest.mark.parametrize("shape", ["wave", "christmas", "step", "constant", "sine"])
def test_every_shape_has_a_name(shape: str, call: Call) -> None:
    document = strict(call("simulate", "-p", "ucb", "-m", shape, *SMALL, "--json").stdout)
    assert document["multiplier"] == shape


def test_a_file_gives_the_turns(call: Call, traffic: Path) -> None:
    words = ["simulate", "-p", "ucb-z", "-m", str(traffic), "--arms", "4", "--games", "9", "--json"]
    document = strict(call(*words).stdout)
    assert (document["multiplier"], document["turns"]) == ("traffic", 56)
    assert strict(call(*words, "--turns", "20").stdout)["turns"] == 20


def test_a_floor_opens_closed_hours(call: Call, tmp_path: Path) -> None:
    (tmp_path / "shop.csv").write_text("hour,orders,staff\n1,0,2\n2,7,2\n3,9,3\n")
    words = "simulate -p ucb -m shop.csv --arms 2 --games 9 --json".split()
    document = strict(call(*words, "--value", "orders", "--floor", "0.5").stdout)
    assert document["total_multiplier"] == 16.5


@pytest.mark.parametrize(
    ("words", "rewards"),
    [
        ("--rewards bernoulli --arms 3", hs.rewards.bernoulli(arms=3)),
        ("--means 0.9,0.5", hs.rewards.bernoulli(means=[0.9, 0.5])),
        ("--rewards truncated-normal --arms 3", hs.rewards.truncated_normal(arms=3)),
        ("-r truncated-normal:sigma=0.3 --arms 3", hs.rewards.truncated_normal(arms=3, sigma=0.3)),
        (
            "-r truncated-normal:sigma=1 --means 0.9,0.5",
            hs.rewards.truncated_normal(centres=[0.9, 0.5], sigma=1),
        ),
    ],
)
def test_rewards_are_read(words: str, rewards: hs.rewards.Rewards, call: Call) -> None:
    line = f"simulate -p ucb --turns 40 --games 9 --json {words}"
    (entry,) = strict(call(*line.split()).stdout)["policies"]
    result = hs.simulate(hs.UCB(), rewards, hs.traffic.wave(turns=40), games=9)
    assert entry["reward_mean"] == result.mean("reward", 0)
    assert entry["regret_mean"] == result.mean("regret", 0)


def test_a_profile_is_for_bare_names(call: Call) -> None:
    words = "simulate -p ucb-z -p ucb-z:P=1 --profile paper --json".split()
    document = strict(call(*words, *SMALL).stdout)
    assert document["parameters"] == [str(hs.UCBZ.profile("paper")), str(hs.UCBZ(P=1))]
    assert [entry["name"] for entry in document["policies"]] == ["ucb-z", "ucb-z:P=1"]


def test_people_get_a_table(call: Call) -> None:
    answer = call("simulate", *PLAYERS, *SMALL)
    assert (answer.code, answer.stderr) == (0, "")
    assert answer.stdout.startswith(
        "20 games of 60 turns, 4 arms (bernoulli), multiplier wave, seed 3"
    )
    assert "gain over ucb" in answer.stdout
    rows = [line for line in answer.stdout.splitlines() if line.startswith("ucb-z:z=30 ")]
    document = strict(call("simulate", *PLAYERS, *SMALL, "--json").stdout)
    entry = document["policies"][1]
    assert f"{entry['best_share']:.1%}" in rows[0]
    assert f"{entry['gain_over_first']:+.1%}" in rows[0]
    assert "realised" not in answer.stdout


def test_the_table_has_a_column_of_realised_regret_if_asked_for(call: Call) -> None:
    table = call("simulate", *PLAYERS, *SMALL, "--realised").stdout
    document = strict(call("simulate", *PLAYERS, *SMALL, "--realised", "--json").stdout)
    assert "realised: with the luck of the game in it" in table
    for entry in document["policies"]:
        mean, error = entry["realised_regret_mean"], entry["realised_regret_se"]
        assert with_error(mean, error) in table
        assert with_error(entry["regret_mean"], entry["regret_se"]) in table


def test_results_are_kept_and_drawn(call: Call, tmp_path: Path) -> None:
    words = ["--save", "kept/result.npz", "--out", "drawn/rewards.png", "--curves"]
    answer = call("simulate", *PLAYERS, *SMALL, *words, "--json")
    document = strict(answer.stdout)
    assert document["files"] == [
        "kept/result.npz", "drawn/rewards.png", "drawn/rewards-curves.png"
    ]  # fmt: skip
    for file in document["files"][1:]:
        assert (tmp_path / file).read_bytes().startswith(b"\x89PNG")
    kept = hs.SimulationResult.load(tmp_path / "kept/result.npz")
    assert kept.policies == ("ucb", "ucb-z:z=30", "greedy")
    assert kept.mean("reward", 1) == document["policies"][1]["reward_mean"]


def test_curves_come_with_the_json(call: Call) -> None:
    document = strict(call("simulate", *PLAYERS, *SMALL, "--curves", "--json").stdout)
    curves = document["curves"]
    assert curves["turns"][-1] == 60
    mean = np.array(curves["regret"]["mean"])
    assert mean.shape == (3, len(curves["turns"]))
    assert mean[:, -1] == pytest.approx([entry["regret_mean"] for entry in document["policies"]])
    low, high = np.array(curves["reward"]["q10"]), np.array(curves["reward"]["q90"])
    assert (low <= high).all()


def test_written_files_are_listed(call: Call) -> None:
    answer = call("simulate", *PLAYERS, *SMALL, "--out", "rewards.svg")
    assert answer.stdout.splitlines()[-1] == "wrote rewards.svg"


def test_a_threshold_on_the_wrong_scale_gets_a_warning(call: Call) -> None:
    answer = call("simulate", "-p", "ucb-z:z=3000", *SMALL, "--json")
    assert answer.code == 0
    assert strict(answer.stdout)["policies"]
    assert "no turn is high" in answer.line
    assert re.search(r"\(1\.0\S* to 4[01]", answer.line)  # what G runs from and to
    assert "Warning" not in answer.line


def test_a_plan_that_never_settles_gets_one_warning(call: Call) -> None:
    answer = call("simulate", "-p", "epsilon-greedy:k=110", "-p", "epsilon-greedy:k=110", *SMALL)
    assert answer.line.startswith("highseason: warning: epsilon-greedy:k=110")
    assert "never settles" in answer.line


@pytest.mark.parametrize("command", ["simulate --games 9", "plan"])
def test_fewer_turns_than_arms_get_a_note(command: str, call: Call) -> None:
    answer = call(*command.split(), "-p", "ucb", "--turns", "5", "--arms", "8", "--json")
    assert answer.code == 0
    assert strict(answer.stdout)
    assert "only the first 5 arms are played" in answer.line


def test_arms_that_come_and_go(call: Call) -> None:
    words = "simulate -p ucb -p soft-ucb-mortal -p cap+ucb --turns 90 --games 20 --json --lifetimes"
    answer = call(*words.split(), "flow:alive=4,life=30")
    document = json.loads(answer.stdout)
    assert (document["arms"], document["lifetimes"]) == (16, "birth-and-death")
    fixed = json.loads(call(*words.split(), "1-60,1-,50-90", "--means", "0.1,0.2,0.3").stdout)
    assert (fixed["arms"], fixed["lifetimes"]) == (3, "fixed")


def test_as_many_arms_as_have_lifetimes(call: Call) -> None:
    words = "simulate -p ucb --turns 9 --games 2 --lifetimes 1-,1-5,1-5 --arms"
    assert call(*words.split(), "3").code == 0
    answer = call(*words.split(), "4")
    assert (answer.code, answer.stdout) == (2, "")
    assert "--arms 4: --lifetimes describes 3 arms; leave out --arms" in answer.line


@pytest.mark.parametrize(
    "lifetimes", ["1-,1-5", "articles:", "flow:alive=3", "articles:start_hour=3"]
)
def test_lifetimes_that_policies_do_not_know(lifetimes: str, call: Call) -> None:
    unknown = f"{lifetimes}{'' if lifetimes.endswith(':') else ','}known=false"
    words = "simulate -p ucb-l --turns 9 --games 2 --lifetimes"
    assert call(*words.split(), lifetimes).code == 0
    answer = call(*words.split(), unknown)
    assert (answer.code, answer.stdout) == (2, "")
    assert "must know when arms end" in answer.line


@pytest.mark.parametrize(
    ("lifetimes", "expected"),
    [
        ("1-90,x", "invalid lifetime 'x'"),
        ("9-3,1-", r"the lifetime of arm 1 is \(9, 3\)"),
        ("2-", "no arm is alive at turn 1"),
        ("flow:size=3", "flow has no parameter 'size'"),
        ("flow:alive=many", "alive: 'many' is not a number"),
        ("flow:alive=2.7", "alive must be a whole number, at least 1, got 2.7"),
        ("articles:turns_per_hour=inf", "turns_per_hour must be a finite number above 0, got inf"),
        ("articles:known=maybe", "articles has no parameter 'known'"),
    ],
)
def test_lives_that_cannot_be(lifetimes: str, expected: str, call: Call) -> None:
    answer = call("simulate", "-p", "ucb", "--lifetimes", lifetimes)
    assert (answer.code, answer.stdout) == (2, "")
    assert re.search(expected, answer.stderr)
