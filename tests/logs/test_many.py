"""Many runs, and whether one policy is better than another."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats
from tests.logs.logs import fixed_log, mortal_log, two_pools

import highseason as hs
from highseason.logs import PreparedLog, compare, read_events, replay, replay_many, write_events
from highseason.logs.estimators import paired_interval
from highseason.logs.replay_kernel import is_stochastic

MEANS = (0.2, 0.4, 0.6)
LOG = fixed_log(MEANS, 3000, a_bin=(3, 12))


def test_a_window_is_a_log_of_its_own_with_the_whole_logs_g() -> None:
    # Bins of 3 and 12 events: these windows cut none, so that G is the same.
    found = replay_many("ucb-z:z=7", LOG, runs=4, window=900, step=450)["ucb-z:z=7"]
    assert found.how == "windows"
    assert found.means.size == 4
    for i in range(4):
        alone = replay("ucb-z:z=7", LOG.take(slice(450 * i, 450 * i + 900)))
        assert found.turns[i] == alone["ucb-z:z=7"].turns
        assert found.rewards[i] == alone["ucb-z:z=7"].reward
    assert found.independent == pytest.approx(2.5)
    assert found.block == 2


def test_lifetimes_are_counted_from_the_start_of_the_window() -> None:
    log = mortal_log(900)
    found = replay_many("soft-ucb-mortal:unit=1", log, runs=2, window=300, step=600)
    start = 600
    assert found["soft-ucb-mortal:unit=1"].turns.size == 2
    course = PreparedLog.of(log)
    clock = course.bins.clock[course.bins.of[start:]]
    lifetimes = course.lifetimes(int(clock.min()), int(clock.max()))
    there = (course.start <= clock.min()) & (course.end >= clock.min())
    assert (lifetimes.start[there] == 0).all()
    assert (lifetimes.start[course.start > clock.min()] > 0).all()


def test_repeating_the_log_does_not_change_g() -> None:
    once, often = (
        replay_many("epsilon-z:z=7", LOG, runs=3, times=times)["epsilon-z:z=7"] for times in (1, 4)
    )
    assert once.how == "repeat"
    assert often.turns.mean() == pytest.approx(4 * once.turns.mean(), rel=0.1)
    assert len(set(once.rewards.tolist())) > 1, "every run has luck of its own"
    # z = 7 lies between the bins of 3 and of 12; four times G would put all of them above it.
    assert replay("epsilon-z:z=7", LOG)["epsilon-z:z=7"].exploited_share < 1


def test_runs_do_not_depend_on_threads_and_do_on_the_seed() -> None:
    def rewards(**more: int) -> list[float]:
        return replay_many("uniform", LOG, runs=6, **more)["uniform"].rewards.tolist()  # type: ignore[arg-type]

    assert rewards(workers=1) == rewards(workers=3)
    assert rewards(seed=1) != rewards(seed=2)


def test_shuffled_runs_differ_even_for_deterministic_policies() -> None:
    found = replay_many("ucb", LOG, runs=5, how="repeat", times=2, shuffle=True)["ucb"]
    assert len(set(found.rewards.tolist())) > 1
    still = replay_many("ucb", LOG, runs=5, how="repeat", times=2)["ucb"]
    assert len(set(still.rewards.tolist())) == 1


def test_only_windows_that_fit() -> None:
    assert replay_many("ucb", LOG, window=2000, step=400)["ucb"].means.size == 3
    with pytest.raises(ValueError, match="fewer than one window of 100,000: give a smaller"):
        replay_many("ucb", LOG)


def test_many_runs_report_events_and_issues() -> None:
    found = replay_many(["uniform", "ucb"], LOG, runs=3, window=900, step=450, turns=200)
    for runs in found.policies:
        assert runs.read == (3 * 4 * 3000 if runs.how == "repeat" else 3 * 900)
        assert runs.used == runs.turns.sum()
        assert runs.turns.sum() + sum(runs.rejected.values()) == runs.read
        assert runs.effective_size == pytest.approx(runs.used)
        assert runs.issues == ("only 600 turns matched",)
        assert f"read {runs.read:,}, used 600; not used: " in str(found)
    assert found.to_dict()["policies"][0]["verdict"].startswith("Handle with care: only 600")
    plenty = replay_many("uniform", LOG, runs=3)["uniform"]
    assert (
        plenty.verdict
        == f"Fit for use: {plenty.used:,} matched turns in 3 runs, which share events."
    )


def test_many_runs_on_a_misleading_log() -> None:
    tilted = replay_many("uniform", fixed_log(MEANS, 3000, chances=(0.6, 0.3, 0.1)), runs=3)
    assert "BIASED" in tilted["uniform"].verdict
    unequal = replay_many("uniform", two_pools(20_000), runs=5)["uniform"]
    assert unequal.per_visitor == pytest.approx(0.3, abs=0.02)
    assert unequal.mean.value > 0.4
    assert "small ones match more often" in unequal.verdict


def test_repetitions_and_windows_are_not_tested_against_each_other() -> None:
    found = replay_many(["uniform", "ucb", "epsilon-greedy"], LOG, runs=4, window=900, step=450)
    assert set(found.to_dict()["compared_with_first"]) == {"epsilon-greedy"}
    assert found.table.rows[1][-2:] == ("", "")
    assert "not tested against each other" in " ".join(str(found).split())


def test_progress_counts_the_runs_that_there_are() -> None:
    compared: list[tuple[int, int]] = []
    replay_many(
        ["uniform", "ucb"], LOG, runs=5, window=2000, step=900,
        progress=lambda done, total: compared.append((done, total)),
    )  # fmt: skip
    assert compared == [(i, 7) for i in range(1, 8)]


def test_runs_on_an_empty_log_have_no_mean() -> None:
    found = replay_many(["uniform", "epsilon-greedy"], LOG.take(slice(0, 0)), runs=3)
    assert np.isnan(found["uniform"].means).all()
    assert found.to_dict()["compared_with_first"] == {}
    assert "0 events" in str(found)


def test_runs_that_end_early_are_counted() -> None:
    found = replay_many("ucb", LOG, runs=3, window=1000, step=500, turns=900)
    assert found["ucb"].exhausted == 3
    assert "ended before the requested turns" in str(found)


# -- several logs ----------------------------------------------------------------------------------


def shards(folder: Path) -> list[Path]:
    """Three logs in files, of different lengths."""
    paths = [folder / f"{name}.parquet" for name in "abc"]
    for path, part in zip(paths, (slice(900), slice(900, 2100), slice(2100, 3000)), strict=True):
        write_events(LOG.take(part), path)
    return paths


def test_each_log_is_replayed_by_itself(tmp_path: Path) -> None:
    files = shards(tmp_path)
    found = replay_many(["ucb-z:z=q0.75", "uniform"], files, runs=1, how="repeat", times=1, seed=5)
    alone = [replay(["ucb-z:z=q0.75", "uniform"], read_events(path), seed=5) for path in files]
    ucb, uniform = found.policies
    assert (ucb.how, uniform.how) == ("logs", "logs")
    assert ucb.means.tolist() == [one.runs[0].mean.value for one in alone]
    assert ucb.turns.tolist() == [one.runs[0].turns for one in alone]
    assert uniform.means[0] == alone[0].runs[1].mean.value
    assert uniform.means[1] != alone[1].runs[1].mean.value  # random numbers of its own
    assert ucb.read == 3000
    assert found.log.to_dict()[str(files[1])] == alone[1].log.to_dict()
    assert "3 logs, each replayed by itself: 3,000 events, 900 to 1,200 a log" in str(found)
    assert "every log counts alike" in " ".join(found.notes)


def test_logs_leave_every_bit_however_they_are_given_and_replayed(tmp_path: Path) -> None:
    files = shards(tmp_path)
    setting: dict[str, Any] = {"runs": 4, "times": 2, "window": 600, "step": 100, "seed": 2}
    done: list[tuple[int, int]] = []
    one = replay_many(
        ["ucb", "uniform"], files, workers=1, progress=lambda *at: done.append(at), **setting
    )
    assert done[-1] == (24, 24)
    for logs, workers in ((files, 3), ([read_events(path) for path in files], 2)):
        other = replay_many(["ucb", "uniform"], logs, workers=workers, **setting)
        for first, second in zip(one.policies, other.policies, strict=True):
            assert first.means.tobytes() == second.means.tobytes()
            assert first.turns.tobytes() == second.turns.tobytes()
            assert first.verdict == second.verdict
    first_log = replay_many(["ucb", "uniform"], files[0], **setting)
    for whole, part in zip(one.policies, first_log.policies, strict=True):
        assert whole.means[0] == part.mean.value
        assert whole.turns[0] == part.turns.sum()


def test_logs_are_compared_in_pairs() -> None:
    logs = [LOG.take(slice(500 * i, 500 * i + 500)) for i in range(6)]
    found = replay_many({"u": "uniform", "e": "epsilon-greedy"}, logs, runs=1, times=4)
    test = found.compare("e", "u")
    pairs = stats.ttest_rel(found["e"].means, found["u"].means).confidence_interval()
    assert test.paired == pytest.approx((pairs.low, pairs.high))
    assert "overlap" not in str(test)
    assert found["e"].mean.error == pytest.approx(stats.sem(found["e"].means))


@pytest.mark.parametrize(
    ("names", "settings", "message"),
    [
        ("aa", {}, "expected different logs, at least one, got .*a.parquet, .*a.parquet"),
        ("", {}, "got none"),
        ("ab", {"arms": ["q"]}, "a.parquet: the log has no arm 'q'"),
        ("ab", {"reweigh": "accept"}, "no propensities to thin it by: leave reweigh="),
        ("ab", {"ground_truth": LOG.reward}, "one log in memory: got 3,000 for unread events"),
        ("ax", {}, "there is no file .*x.parquet"),
        ("ab", {"how": "windows", "window": 1000}, "900 events, fewer than one window of 1,000"),
    ],
)
def test_what_is_wrong_with_logs(
    names: str, settings: dict[str, Any], message: str, tmp_path: Path
) -> None:
    shards(tmp_path)
    files = [tmp_path / f"{name}.parquet" for name in names]
    with pytest.raises(ValueError, match=message):
        replay_many("uniform", files, runs=2, workers=2, **settings)


@pytest.mark.parametrize(
    ("policy", "draws"),
    [
        (hs.UCB(), False),
        (hs.UCB(ties="random"), True),
        (hs.EpsilonGreedy(), True),
        (hs.VariablePool(), True),
        (hs.UCBL(), False),
        (hs.policies.CapIndex(hs.UCB()), False),
        (hs.policies.PeakGrabber(hs.EpsilonGreedy()), True),
    ],
)
def test_stochastic_policies(policy: hs.Policy, draws: bool) -> None:
    assert is_stochastic(policy) is draws


def test_a_better_policy_wins() -> None:
    found = replay_many({"u": "uniform", "e": "epsilon-greedy"}, LOG, runs=20)
    compared = found.compare("e", "u")
    assert compared.difference > 0.1
    assert max(compared.student.p, compared.welch.p) < 1e-6
    assert min(compared.bootstrap[0], compared.student.low, compared.welch.low) > 0
    assert compared.paired is None
    assert "the same events in every run" in str(found)
    assert set(found.to_dict()["compared_with_first"]) == {"e"}


def test_windows_are_compared_in_pairs() -> None:
    found = replay_many({"a": "ucb", "b": "ucb:P=0.1"}, LOG, runs=20, window=1000, step=100)
    compared = found.compare("b", "a")
    assert compared.independent == pytest.approx(2.9)
    assert compared.paired is not None
    assert compared.paired[0] < compared.difference < compared.paired[1]
    assert "overlap" in str(found)
    assert "overlap" in str(compared)


# Student and Welch of these samples, worked out with mpmath from the definitions (50 digits).
A, B = [27.5, 21.0, 19.0, 23.6, 17.0, 17.9, 16.9], [27.1, 22.0, 20.8, 23.4, 23.4, 23.5, 25.8, 22.0]


def test_student_and_welch_against_mpmath() -> None:
    from mpmath import betainc, mp, mpf, sqrt

    mp.dps = 50

    def p_of(t: object, degrees: object) -> float:
        return float(
            betainc(degrees / 2, mpf(1) / 2, 0, degrees / (degrees + t**2), regularized=True)
        )  # type: ignore[operator]  # mpmath numbers

    a, b = [[mpf(x) for x in side] for side in (A, B)]
    means = [sum(side) / len(side) for side in (a, b)]
    squares = [sum((x - m) ** 2 for x in s) for s, m in zip((a, b), means, strict=True)]
    pooled = sum(squares) / (len(a) + len(b) - 2)
    t = (means[0] - means[1]) / sqrt(pooled * (mpf(1) / len(a) + mpf(1) / len(b)))
    of = [q / (len(s) - 1) / len(s) for q, s in zip(squares, (a, b), strict=True)]
    welch = (means[0] - means[1]) / sqrt(sum(of))
    degrees = sum(of) ** 2 / sum(v**2 / (len(s) - 1) for v, s in zip(of, (a, b), strict=True))
    found = compare(A, B)
    assert found.student.p == pytest.approx(p_of(t, mpf(len(a) + len(b) - 2)), rel=1e-11)
    assert found.welch.p == pytest.approx(p_of(welch, degrees), rel=1e-11)
    assert found.welch.degrees == pytest.approx(float(degrees))
    assert found.student.low < found.difference < found.student.high


def test_the_bootstrap_covers_as_often_as_it_says() -> None:
    rng = np.random.default_rng(3)
    hits = [
        low <= 0.5 <= high
        for seed in range(60)
        for low, high in [
            compare(rng.normal(1.0, 1, 30), rng.normal(0.5, 1, 30), seed=seed).bootstrap
        ]
    ]
    assert 0.87 < np.mean(hits) < 0.99


@pytest.mark.parametrize(("windows", "block"), [(100, 25), (30, 25), (12, 2), (40, 1)])
def test_the_interval_of_overlapping_windows_covers_as_often_as_it_says(
    windows: int, block: int
) -> None:
    rng = np.random.default_rng(5)
    hits = []
    for _ in range(200):
        sums = np.cumsum(rng.normal(size=windows + block))  # a number for each step of the log
        means = (sums[block:] - sums[:-block]) / block
        found = paired_interval(means, block)
        assert found is not None
        hits.append(found[0] <= 0 <= found[1])
    assert np.mean(hits) > 0.91
    if block < 25:  # few degrees of freedom are held to be fewer still
        assert np.mean(hits) < 0.99


def test_windows_that_overlap_almost_entirely_have_no_interval() -> None:
    found = compare(np.arange(14.0), np.zeros(14), block=20, independent=1.65)
    assert found.paired is None
    assert "too few for an interval" in str(found)


def test_disjoint_windows_are_a_paired_t_test() -> None:
    difference = np.array(A) - np.array(B[:7])
    found = compare(A, B[:7], block=1).paired
    width = 2.4469118511 * difference.std(ddof=1) / np.sqrt(7)  # t of 6 degrees of freedom
    assert found == pytest.approx((difference.mean() - width, difference.mean() + width))


def test_runs_that_are_all_the_same() -> None:
    assert compare([1.0, 1.0], [1.0, 1.0]).student.p == 1.0
    assert compare([2.0, 2.0], [1.0, 1.0]).student.p == 0.0


def test_too_few_or_empty_runs() -> None:
    with pytest.raises(ValueError, match="at least two runs"):
        compare([1.0], [1.0, 2.0])
    with pytest.raises(ValueError, match="without any matched turn"):
        compare([1.0, np.nan], [1.0, 2.0])


def test_runs_report_the_ground_truth_of_matched_events() -> None:
    log = fixed_log((0.2, 0.8), 600)
    players = {"e": "epsilon-greedy", "u": "ucb"}
    own = replay_many(
        players, log, runs=4, window=200, step=50, ground_truth=log.reward.astype(float)
    )
    for runs in own.policies:
        assert runs.ground_truth is not None
        assert runs.ground_truth.tolist() == runs.means.tolist()
    other = replay_many(players, log, runs=4, window=200, step=50, ground_truth=np.full(600, 7.0))
    plain = replay_many(players, log, runs=4, window=200, step=50)
    for label in players:
        assert other[label].ground_truth.tolist() == [7.0] * 4  # type: ignore[union-attr]
        assert other[label].means.tolist() == plain[label].means.tolist()  # nothing is learned
        assert plain[label].ground_truth is None
    with pytest.raises(ValueError, match="got 5 for 600 events"):
        replay_many(players, log, ground_truth=np.zeros(5))
