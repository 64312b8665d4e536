from __future__ import annotations

import copy
import json
import math
import pickle
from dataclasses import FrozenInstanceError
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import highseason as hs
from highseason.engine import METRICS, SimulationResult, unique_labels

G = hs.traffic.wave(80)
ARMS = hs.rewards.bernoulli(arms=4)


def run(**options: Any) -> SimulationResult:
    players = {"greedy": hs.Greedy(), "ucb": hs.UCB(), "half": hs.EpsilonGreedy(k=0.5)}
    return hs.simulate(players, ARMS, G, games=300, seed=6, **options)


@pytest.fixture(scope="module")
def result() -> SimulationResult:
    return run(curves=20)


def test_policies_are_found_by_label_or_position(result: SimulationResult) -> None:
    assert result.index("ucb") == result.index(1) == 1
    assert result.mean("reward", "ucb") == result.mean("reward", 1)
    with pytest.raises(KeyError, match="no policy is called 'usb'"):
        result.mean("reward", "usb")


def test_means_and_errors(result: SimulationResult) -> None:
    assert result.games is not None
    for metric in METRICS:
        for i, label in enumerate(result.policies):
            values = result.games[metric][i]
            assert result.mean(metric, label) == pytest.approx(values.mean())
            assert result.error(metric, label) == pytest.approx(values.std(ddof=1) / math.sqrt(300))


def test_gains_by_brute_force(result: SimulationResult) -> None:
    assert result.games is not None
    reward = result.games["reward"]
    gain = result.gain("half", over="ucb")
    assert gain.value == pytest.approx(reward[2].mean() / reward[1].mean() - 1)
    generator = np.random.default_rng(1)
    picks = generator.integers(0, 300, size=(4000, 300))
    drawn = reward[2][picks].mean(axis=1) / reward[1][picks].mean(axis=1) - 1
    assert gain.error == pytest.approx(drawn.std(), rel=0.06)
    assert result.gain("greedy").value == 0.0
    assert result.gain("greedy").error == 0.0
    assert result.gain("ucb", confidence=0.5).high < result.gain("ucb", confidence=0.99).high


def test_the_mean_of_ratios(result: SimulationResult) -> None:
    assert result.games is not None
    ratios = result.games["reward"][1] / result.games["reward"][0]
    gain = result.mean_ratio_gain("ucb")
    assert gain.value == pytest.approx(ratios.mean() - 1)
    assert gain.error == pytest.approx(ratios.std(ddof=1) / math.sqrt(300))


def test_the_share_from_exploitation(result: SimulationResult) -> None:
    share = result.mean("exploited", "greedy") / result.mean("reward", "greedy")
    assert result.exploited_share("greedy") == share
    nothing = hs.simulate(hs.Greedy(), hs.rewards.bernoulli(means=[0.0, 0.0]), G, games=2)
    assert nothing.exploited_share(0) == 0.0


def test_a_first_policy_that_earns_nothing_is_no_error() -> None:
    nothing = hs.simulate([hs.Greedy(), hs.UCB()], hs.rewards.bernoulli(means=[0.0]), G, games=3)
    assert math.isnan(nothing.gain(1).value)
    assert math.isnan(nothing.mean_ratio_gain(1).value)
    assert "–" in str(nothing.summary())


def test_the_summary_has_a_row_a_policy(result: SimulationResult) -> None:
    table = result.summary()
    text = str(table).splitlines()
    assert len(text) == 5
    assert text[0].split()[:2] == ["policy", "reward"]
    assert [line.split()[0] for line in text[2:]] == ["greedy", "ucb", "half"]
    row = dict(zip(table.columns, table.rows[1], strict=True))
    assert row["of best"] == f"{100 * result.best_share('ucb'):.1f}%"
    assert row["gain over greedy"].startswith(f"{100 * result.gain('ucb').value:+.1f}%")
    assert "<td>ucb</td>" in table._repr_html_()


def test_the_share_of_the_best_arm(result: SimulationResult) -> None:
    best = np.mean([result.mean("reward", i) + result.mean("regret", i) for i in range(3)])
    assert result.best_reward == pytest.approx(best)
    model = hs.rewards.bernoulli(means=[0.2, 0.6])
    always = hs.simulate(["ucb", "greedy"], model, G, games=2000, seed=3).best_reward
    assert always == pytest.approx(0.6 * G.total, rel=0.01)
    share = 1 - result.mean("regret", "ucb") / best
    assert result.best_share("ucb") == pytest.approx(share)
    assert result.to_dict()["policies"][1]["best_share"] == result.best_share("ucb")
    nothing = hs.simulate(hs.Greedy(), hs.rewards.bernoulli(means=[0.0, 0.0]), G, games=2)
    assert math.isnan(nothing.best_share(0))


def test_one_policy_by_its_label(result: SimulationResult) -> None:
    ucb = result["ucb"]
    assert ucb == result[1]
    assert (ucb.policy, ucb.reward.value) == ("ucb", result.mean("reward", "ucb"))
    assert ucb.regret.error == result.error("regret", "ucb")
    assert ucb.gain == result.gain("ucb")
    assert ucb.best_pulls_share == result.mean("best_pulls", "ucb") / 80
    assert list(result) == ["greedy", "ucb", "half"]
    with pytest.raises(KeyError, match="Did you mean 'greedy'"):
        result["gredy"]


def test_printing_shows_the_table(result: SimulationResult) -> None:
    text = str(result)
    assert text.startswith(result.caption)
    assert str(result.summary()) in text
    assert max(map(len, text.splitlines())) <= 80
    assert "<td>ucb</td>" in result._repr_html_()
    assert "\n" not in repr(result)


def test_the_document_is_json(result: SimulationResult) -> None:
    document = json.loads(json.dumps(result.to_dict()))
    assert [policy["name"] for policy in document["policies"]] == list(result.policies)
    first = document["policies"][1]
    assert first["reward_mean"] == result.mean("reward", 1)
    assert first["reward_se"] == result.error("reward", 1)
    assert first["gain_over_first"] == result.gain(1).value
    assert first["exploited_share"] == result.exploited_share(1)
    assert document["max_reward"] == G.total
    assert document["games"] == 300


# Saved and loaded.


def same(one: SimulationResult, other: SimulationResult) -> None:
    assert one.policies == other.policies
    assert one.settings == other.settings
    assert one.plan_digests == other.plan_digests
    for metric in METRICS:
        for part in ("count", "mean", "scatter"):
            a, b = (getattr(r.moments[metric], part) for r in (one, other))
            assert np.array_equal(a, b)
        if one.games is None:
            assert other.games is None
        else:
            assert other.games is not None
            assert np.array_equal(one.games[metric], other.games[metric])
    assert np.array_equal(one.ratios.mean, other.ratios.mean)
    assert one.curves.keys() == other.curves.keys()
    for metric, curve in one.curves.items():
        for name, values in vars(curve).items():
            assert np.array_equal(values, getattr(other.curves[metric], name))
    assert str(one.summary()) == str(other.summary())


@pytest.mark.parametrize("options", [{}, {"curves": 20}, {"keep": "summary"}], ids=str)
def test_saved_and_loaded_it_is_the_same(tmp_path: Path, options: dict[str, Any]) -> None:
    before = run(**options)
    path = before.save(tmp_path / "result.npz")
    same(before, SimulationResult.load(path))
    same(before, SimulationResult.load(str(path)))
    assert [file.name for file in tmp_path.iterdir()] == ["result.npz"]


def test_the_same_run_is_the_same_file(tmp_path: Path) -> None:
    one, other = (run(curves=20).save(tmp_path / name) for name in ("a", "b"))
    assert one.name == "a.npz"
    assert one.read_bytes() == other.read_bytes()


def test_a_name_with_a_dot_keeps_it(tmp_path: Path) -> None:
    assert run().save(tmp_path / "k=0.5").name == "k=0.5.npz"


def test_another_ending_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"saved as an \.npz file, got .*x\.json: end the name in"):
        run().save(tmp_path / "x.json")
    assert list(tmp_path.iterdir()) == []


def test_it_shows_itself_in_one_line() -> None:
    shown = repr(run())
    assert "\n" not in shown
    assert len(shown) < 200
    assert "games of" in shown


def test_it_pickles_and_copies() -> None:
    before = run()
    same(before, pickle.loads(pickle.dumps(before)))
    same(before, copy.deepcopy(before))


def test_saving_again_replaces(tmp_path: Path, result: SimulationResult) -> None:
    run().save(tmp_path / "x.npz")
    result.save(tmp_path / "x.npz")
    same(result, SimulationResult.load(tmp_path / "x.npz"))


@pytest.mark.parametrize("content", [b"", b"not a result", b"PK\x03\x04 cut off"], ids=repr)
def test_what_is_no_result_is_said_plainly(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "odd.npz"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"odd.npz is not a saved highseason result"):
        SimulationResult.load(path)


def test_other_files_of_numpys_are_said_plainly(tmp_path: Path) -> None:
    np.savez(tmp_path / "other.npz", x=np.ones(3))
    np.save(tmp_path / "array.npy", np.ones(3))
    for name in ("other.npz", "array.npy"):
        with pytest.raises(ValueError, match="not a saved highseason result"):
            SimulationResult.load(tmp_path / name)


def test_a_missing_file_is_missing(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        SimulationResult.load(tmp_path / "nowhere.npz")


def damaged(path: Path, whole: bytes, at: int) -> Path:
    path.write_bytes(whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1 :])
    return path


def test_a_damaged_file_never_loads_as_something_else(
    tmp_path: Path, result: SimulationResult
) -> None:
    # One byte at a time, all over the file: it loads unharmed (padding), or a ValueError says why.
    whole = result.save(tmp_path / "whole.npz").read_bytes()
    leaks = set()
    for at in range(0, len(whole), max(1, len(whole) // 150)):
        try:
            loaded = SimulationResult.load(damaged(tmp_path / "damaged.npz", whole, at))
        except ValueError:
            continue
        except Exception as leak:
            leaks.add(type(leak).__name__)
        else:
            same(result, loaded)
    assert not leaks, f"instead of a ValueError: {leaks}"


def test_a_file_cut_off_is_said_plainly(tmp_path: Path, result: SimulationResult) -> None:
    whole = result.save(tmp_path / "whole.npz").read_bytes()
    for share in (0.1, 0.5, 0.9, 0.999):
        (tmp_path / "cut.npz").write_bytes(whole[: int(share * len(whole))])
        with pytest.raises(ValueError, match="not a saved highseason result"):
            SimulationResult.load(tmp_path / "cut.npz")


def test_a_later_format_is_said_plainly(
    tmp_path: Path, result: SimulationResult, monkeypatch: pytest.MonkeyPatch
) -> None:
    from highseason.engine import results

    monkeypatch.setattr(results, "_FORMAT", 99)
    path = result.save(tmp_path / "later.npz")
    monkeypatch.undo()
    with pytest.raises(ValueError, match="has format 99; this version reads format 1"):
        SimulationResult.load(path)


# Other forms.


def test_to_pandas_has_a_row_a_policy_and_game(result: SimulationResult) -> None:
    frame = result.to_pandas()
    assert result.games is not None
    assert list(frame.columns) == ["policy", "game", *METRICS]
    assert len(frame) == 3 * 300
    picked = frame[(frame["policy"] == "ucb") & (frame["game"] == 17)].iloc[0]
    assert picked["reward"] == result.games["reward"][1, 17]
    assert frame.groupby("policy")["reward"].mean()["half"] == pytest.approx(
        result.mean("reward", 2)
    )


def test_to_pandas_of_a_summary_has_a_row_a_policy() -> None:
    frame = run(keep="summary").to_pandas()
    assert frame["name"].tolist() == ["greedy", "ucb", "half"]
    assert "reward_se" in frame.columns


def test_results_are_frozen(result: SimulationResult) -> None:
    with pytest.raises(FrozenInstanceError):
        result.policies = ()  # type: ignore[misc]


def test_labels_are_unique() -> None:
    assert unique_labels(["a", "b", "a", "a"]) == ("a", "b", "a (2)", "a (3)")


def test_one_game_can_be_summarised() -> None:
    one = hs.simulate([hs.UCB(), hs.Greedy()], ARMS, G, games=1)
    assert "–" in str(one.summary())
    assert math.isnan(one.error("reward", 0))


def test_rewards_that_are_all_losses_can_be_summarised() -> None:
    losses = hs.rewards.custom(lambda u, p, s: -p * u, lambda p: -p / 2, arms=3, bounds=(-1.0, 0.0))
    hs.simulate(hs.Greedy(), losses, G, games=3).summary()
