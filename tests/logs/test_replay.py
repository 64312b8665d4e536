"""What replay says is true: unbiased on uniform logs, honest about all others."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pandas as pd
import pytest
from tests.logs.logs import fixed_log, mortal_log, two_pools

import highseason as hs
from highseason.core.warnings import quiet
from highseason.logs import Events, OpenBanditLog, Pools, PreparedLog, collect, diagnose, replay
from highseason.logs.diagnostics import check_uniformity
from highseason.logs.replay_kernel import TRIED, EventOrder, Player, ReplayOptions
from highseason.policies import Policy
from highseason.policies.plan import View
from studies.logged.generate import generate_events

MEANS = (0.3, 0.5, 0.7)
TURNS, RECORDS = 40, 300

EVEN, BUSY_AND_QUIET = (5,), (3, 12)
PLAYERS = [hs.UCB(), hs.UCBZ(z=7), hs.EpsilonGreedy(k=2), hs.EpsilonZGreedy(k=2, z=7)]


def replayed(policy: Policy, log: PreparedLog, logs: int, shuffled: bool) -> np.ndarray:
    """The mean reward per turn of many stretches of one long log, each a log of its own."""
    player = Player(policy, log, ReplayOptions(turns=TURNS))
    permuted = np.random.default_rng(8).permutation(len(log.events))
    means = np.empty(logs)
    for i in range(logs):
        first = i * RECORDS
        order = EventOrder.window(first, RECORDS)
        if shuffled:
            order = EventOrder.shuffled(permuted[first : first + RECORDS])
        trace = player.play(order, seed=1, run=i)
        assert trace.matched.size == TURNS, "the log is too short for the test"
        means[i] = log.reward[order.rows(trace.matched)].mean()
    return means


def assert_unbiased(policy: Policy, a_bin: tuple[int, ...], logs: int, games: int) -> float:
    """The mean over many logs is what the policy earns in simulated games; gives the error."""
    log = PreparedLog.of(fixed_log(MEANS, RECORDS * logs, seed=4, a_bin=a_bin))
    means = replayed(policy, log, logs, shuffled=len(a_bin) > 1)
    arms = hs.rewards.bernoulli(means=MEANS)
    rng = np.random.default_rng(6)
    paths = 1 if len(a_bin) == 1 else games // 100  # shuffled events have a new G in every log
    truth = []
    for path in range(paths):
        G = rng.choice(log.G, TURNS)
        with quiet():  # a drawn path of G may lie on one side of z
            plays = hs.simulate(policy, arms, np.ones(TURNS), games // paths, path, forecast=G)
        truth.append(plays.mean("reward", 0) / TURNS)
    error = math.hypot(means.std() / math.sqrt(logs), means.std() / math.sqrt(games))
    assert abs(means.mean() - np.mean(truth)) < 3.5 * error
    return error


@pytest.mark.parametrize(
    ("policy", "a_bin"),
    [(hs.UCB(), EVEN), (hs.EpsilonZGreedy(k=2, z=7), BUSY_AND_QUIET)],
    ids=["ucb", "epsilon-z"],
)
def test_replay_is_unbiased(policy: Policy, a_bin: tuple[int, ...]) -> None:
    assert assert_unbiased(policy, a_bin, logs=300, games=1000) < 0.01


@pytest.mark.soak
@pytest.mark.parametrize("policy", PLAYERS, ids=str)
@pytest.mark.parametrize("a_bin", [EVEN, BUSY_AND_QUIET], ids=["even", "busy and quiet"])
def test_replay_is_unbiased_in_long_runs(policy: Policy, a_bin: tuple[int, ...]) -> None:
    assert assert_unbiased(policy, a_bin, logs=1500, games=6000) < 0.005


def test_replay_is_unbiased_on_generated_logs_with_known_rates() -> None:
    rates, turns, means = [0.2, 0.5, 0.8], 80, []
    for seed in range(60):
        log = generate_events(1 / 1440, seed, rates=rates, drift=0, events_per_second=12).events
        run = replay("ucb", log, turns=turns)["ucb"]
        assert run.turns == turns
        means.append(run.mean.value)
    arms = hs.rewards.bernoulli(means=rates)
    truth = hs.simulate("ucb", arms, np.ones(turns), games=5000).mean("reward", 0) / turns
    error = np.std(means) / math.sqrt(len(means))
    assert abs(np.mean(means) - truth) < 3.5 * error
    assert error < 0.01


CHANCES = (0.6, 0.3, 0.1)


def test_a_tilted_log_is_reported_prominently() -> None:
    result = replay("uniform", fixed_log(MEANS, 20_000, chances=CHANCES))
    assert not result.log.uniformity.holds
    assert result.log.uniformity.worst[0] in "ac"
    assert "THE LOG IS NOT UNIFORMLY RANDOM" in str(result)
    assert "BIASED" in result.verdict("uniform")
    assert result["uniform"].mean.high < np.mean(MEANS), "the tilt should show"


def test_known_propensities_correct_the_estimate() -> None:
    log = fixed_log(MEANS, 60_000, chances=CHANCES, tell=True)
    plain, thinned = replay("uniform", log), replay("uniform", log, reweigh="accept")
    weighted = plain["uniform"].weighted
    assert weighted is not None
    for found in (weighted.ips, weighted.snips, thinned["uniform"].mean):
        assert abs(found.value - 0.5) < 3.5 * found.error
        assert found.error < 0.02
    assert plain.log.uniformity.holds
    assert "use the weighted estimates" in plain.verdict("uniform")
    assert "weighted" not in thinned.verdict("uniform")
    assert abs(plain.log.baseline.value - 0.5) < 0.01
    assert weighted.effective_size < 0.8 * plain["uniform"].turns
    assert thinned["uniform"].rejected["thinned"] > 30_000


def test_weights_are_right_for_some_of_the_arms() -> None:
    log = fixed_log(MEANS, 60_000, chances=CHANCES, tell=True)
    found = replay("uniform", log, arms=["a", "c"])["uniform"].weighted
    assert found is not None
    for estimate in (found.ips, found.snips):
        assert abs(estimate.value - 0.5) < 3.5 * estimate.error


def test_wrong_propensities_are_detected() -> None:
    log = fixed_log(MEANS, 20_000, chances=CHANCES)
    result = replay("ucb", replace(log, propensity=np.array((0.2, 0.3, 0.5))[log.arm]))
    assert not result.log.uniformity.holds
    assert "CONTRADICTS" in str(result)


@pytest.mark.parametrize("claim", ["uniform", "permuted"])
def test_propensities_right_only_on_average_are_detected(claim: str) -> None:
    log = fixed_log(MEANS, 20_000, chances=CHANCES, tell=True)
    assert log.propensity is not None
    if claim == "uniform":
        lies = np.full(20_000, 1 / 3)
    else:
        lies = np.random.default_rng(1).permutation(log.propensity)
    found = check_uniformity(PreparedLog.of(replace(log, propensity=lies)))
    assert not found.holds
    assert found.worst[0] in "abc"
    assert f"CONTRADICTS ITS PROPENSITIES (p = {found.p:.2g}" in str(found)


def test_propensities_that_are_right_pass() -> None:
    found = [
        check_uniformity(
            PreparedLog.of(fixed_log(MEANS, 2000, seed=seed, chances=CHANCES, tell=True))
        )
        for seed in range(60)
    ]
    assert all(one.holds and one.tilted for one in found)
    # All arms are tried at once, and no more often found wanting than one would be.
    assert sum(one.p < 0.1 for one in found) <= 12
    assert sum(one.p < 0.5 for one in found) >= 12


@pytest.mark.parametrize("by", ["time", "G"])
def test_a_tilt_that_cancels_over_the_log_is_detected(by: str) -> None:
    rng = np.random.default_rng(2)
    log = fixed_log((0.2, 0.6), 8000, a_bin=(3, 12))
    busy = PreparedLog.of(log).G > 3
    tilted = np.arange(8000) < 4000 if by == "time" else busy
    # As often b in the one part as a in the other, whatever their sizes.
    share = np.where(tilted, 0.4, 0.5 + 0.1 * tilted.sum() / (~tilted).sum())
    arm = (rng.random(8000) > share).astype(np.int32)
    found = check_uniformity(PreparedLog.of(replace(log, arm=arm)))
    assert not found.holds
    assert ("quarter of the log" if by == "time" else "quiet times") in str(found)


def test_on_a_uniform_log_the_weighted_mean_is_the_plain_one() -> None:
    log = fixed_log(MEANS, 5000, tell=True)
    course = PreparedLog.of(log)
    found = replay("ucb", course)["ucb"]
    player = Player(hs.UCB(), course, ReplayOptions())
    trace = player.play(EventOrder.window(0, 5000))
    chosen = trace.matched[trace.kind != TRIED]
    assert found.weighted is not None
    assert found.weighted.snips.value == pytest.approx(course.reward[chosen].mean())
    assert found.weighted.effective_size == pytest.approx(chosen.size)


@pytest.mark.parametrize("thinned", [False, True], ids=["uniform", "thinned"])
def test_small_pools_are_not_over_weighted(thinned: bool) -> None:
    log = two_pools(60_000, tell=thinned)
    result = replay(["uniform", "ucb"], log, reweigh="accept" if thinned else None)
    assert result.log.uniformity.holds
    for found in result.runs:
        assert found.weighted is not None
        for estimate in (found.weighted.snips, found.weighted.ips):
            assert abs(estimate.value - 0.3) < 3.5 * estimate.error
            assert estimate.error < 0.02
        assert found.mean.low > 0.4, "small pools match more often"
        assert found.matched_share == pytest.approx(found.expected_share, rel=0.1)
        assert "small ones match more often" in result.verdict(found.label)
        assert "at random" in result.verdict(found.label), "0.30 is what any policy earns here"


def test_the_share_of_matches_is_expected_of_the_events_that_were_met() -> None:
    log = two_pools(20_000)
    order = np.argsort(log.pool, kind="stable")  # small pools first
    found = replay("uniform", replace(log.take(order), time=log.time), turns=3000)
    assert found["uniform"].expected_share == pytest.approx(0.5)
    assert "of the events matched" not in found.verdict("uniform")
    assert found["uniform"].asked == pytest.approx(6000, rel=0.1)


def test_pool_sizes_do_not_matter_if_arms_earn_the_same() -> None:
    log = two_pools(60_000)
    even = replace(log, reward=(np.random.default_rng(1).random(60_000) < 0.3).astype(np.uint8))
    assert "small ones" not in replay("ucb", even).verdict("ucb")


def test_the_baseline_is_per_visitor_for_some_of_the_arms() -> None:
    log = two_pools(60_000)
    result = replay("uniform", log, arms=["arm0", "arm1", "arm2", "arm3"])
    assert abs(result.log.baseline.value - 0.3) < 3.5 * result.log.baseline.error


def test_uniform_logs_pass_however_pools_change() -> None:
    p = [check_uniformity(PreparedLog.of(mortal_log(4000, seed=seed))).p for seed in range(60)]
    assert min(p) > 1e-4
    assert 0.3 < np.mean(p) < 0.7, "p-values of true hypotheses are uniform"


def test_the_statistic_is_what_the_definition_gives() -> None:
    log = mortal_log(700)
    islands = replace(  # two more arms that share no pool with the others
        log,
        arms=(*log.arms, "x", "y"),
        pools=Pools.of([*(log.pools[p].tolist() for p in range(len(log.pools))), [9, 10]]),
        pool=np.where(np.arange(700) % 9, log.pool, len(log.pools)).astype(np.int32),
        arm=np.where(np.arange(700) % 9, log.arm, 9 + np.arange(700) % 2).astype(np.int32),
    )
    arms = len(islands.arms)
    off, covariance = np.zeros(arms), np.zeros((arms, arms))
    for arm, pool in zip(islands.arm.tolist(), islands.pool.tolist(), strict=True):
        members = islands.pools[pool]
        if arm in members:
            chances = np.zeros(arms)
            chances[members] = 1 / members.size
            off += np.eye(arms)[arm] - chances
            covariance += np.diag(chances) - np.outer(chances, chances)
    found = check_uniformity(PreparedLog.of(islands))
    assert found.statistic == pytest.approx(off @ np.linalg.pinv(covariance) @ off)
    assert found.degrees == np.linalg.matrix_rank(covariance) == arms - 2
    tail = mpmath.gammainc(found.degrees / 2, found.statistic / 2, regularized=True)
    assert found.p == pytest.approx(float(tail), rel=1e-12)


def test_a_log_is_diagnosed_once() -> None:
    prepared = PreparedLog.of(fixed_log(MEANS, 50))
    assert diagnose(prepared) is diagnose(prepared) is replay("ucb", prepared).log
    assert diagnose(PreparedLog.of(fixed_log(MEANS, 50))) is not diagnose(prepared)


def test_a_small_deviation_in_many_events_is_not_reported() -> None:
    counts = np.array([102_000, 100_000, 98_000])
    arm = np.repeat(np.arange(3), counts).astype(np.int32)
    np.random.default_rng(1).shuffle(arm)
    uniformity = check_uniformity(PreparedLog.of(replace(fixed_log(MEANS, arm.size), arm=arm)))
    assert uniformity.p < 1e-4
    assert uniformity.holds


def test_a_log_that_ends_early_divides_by_the_turns_it_reached() -> None:
    log = fixed_log(MEANS, 3000)
    found = replay("ucb", log, turns=5000)
    reached = found["ucb"]
    assert reached.turns < 1200
    assert reached.mean.value == reached.reward / reached.turns
    assert f"ended after {reached.turns:,} of 5,000 turns" in found.verdict("ucb")


def test_it_stops_after_the_requested_turns_and_counts_every_event() -> None:
    found = replay("epsilon-greedy", mortal_log(900), turns=100)["epsilon-greedy"]
    assert found.turns == 100
    assert sum(found.rejected.values()) + found.turns == found.read == 900
    assert found.used == found.turns
    assert found.rejected["after the last turn"] > 300
    assert found.curve_turns[-1] == 100
    assert found.curve_means[-1] == pytest.approx(found.mean.value)


def test_g_counts_events_of_arms_that_are_not_studied() -> None:
    course = PreparedLog.of(fixed_log(MEANS, 100, a_bin=(5,)), arms=["a"])
    assert set(course.G) == {5.0}


def test_few_turns_or_rewards_are_an_issue() -> None:
    result = replay("ucb", fixed_log(MEANS, 600))
    assert "only" in result.verdict("ucb")
    assert "turns matched" in result.verdict("ucb")
    rare = replay("ucb", fixed_log((0.001, 0.002, 0.001), 6000))
    assert "rewards in" in rare.verdict("ucb")
    clear = replay("ucb", fixed_log((0.1, 0.2, 0.9), 60_000))
    assert clear.issues("ucb") == []
    assert clear.verdict("ucb").startswith("Fit for use")


def test_rewards_are_counted_not_added_up() -> None:
    log = fixed_log((0.1, 0.2, 0.9), 60_000)
    small = replay("ucb", replace(log, reward=0.001 * log.reward))
    assert small["ucb"].reward < 50 < small["ucb"].rewarded
    assert small.issues("ucb") == []
    rare = fixed_log((0.001, 0.002, 0.001), 6000)
    few = replay("ucb", replace(rare, reward=25.0 * rare.reward), reward_range=(0, 25))
    assert f"only {few['ucb'].rewarded} rewards in" in few.verdict("ucb")


def test_a_sound_estimate_of_no_difference_is_fit_for_use() -> None:
    result = replay("uniform", fixed_log((0.5, 0.5), 10_000))
    assert result.issues("uniform") == []
    assert result.verdict("uniform").startswith("Fit for use")
    assert "not distinguishable from showing arms at random" in result.verdict("uniform")


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        ("ucb-z:z=q0.75", "G never reached the policy's threshold"),
        ("ucb-z:z=2", "G always reached the policy's threshold"),
        ("ucb-z:z=3", "G always reached the policy's threshold"),
        ("ucb", None),
    ],
)
def test_a_threshold_never_crossed_is_an_issue(policy: str, expected: str | None) -> None:
    quiet, busy = fixed_log(MEANS, 6000, a_bin=(3,)), fixed_log(MEANS, 9000, a_bin=(12,))
    log = replace(
        quiet,
        **{
            name: np.concatenate([getattr(quiet, name), getattr(busy, name)])
            for name in ("arm", "reward", "pool")
        },
        time=np.concatenate([quiet.time, quiet.time[-1] + 1 + busy.time]),
    )
    early = replay({"it": policy}, log, turns=1500).verdict("it")
    assert ("the policy's threshold" in early) is (expected is not None)
    assert expected is None or expected in early
    if policy == "ucb-z:z=q0.75":
        assert "the policy's threshold" not in replay({"it": policy}, log).verdict("it")


def test_a_plan_that_needs_the_future_is_refused() -> None:
    class Hasty(hs.UCB):
        name = "hasty"
        needs_whole_g = True

        def step(self, carry: Any, view: View) -> tuple[float, Any]:
            return (0.0 if view.t < 5 else min(1.0, view.future)), carry

    with pytest.raises(ValueError, match=r"the plan looks ahead"):
        replay(Hasty(), fixed_log(MEANS, 50))


def test_an_empty_log() -> None:
    result = replay(["ucb", "soft-ucb", "ucb-z"], Events.of([], [], [], []))
    assert result["ucb"].turns == 0
    assert math.isnan(result["ucb"].mean.value)
    assert result.verdict("ucb").startswith("Cannot be trusted")
    assert "0 events" in str(result)


def test_one_arm_always_matches() -> None:
    found = replay("ucb", Events.of([1, 2, 3], "aaa", [1, 0, 1], [["a"]] * 3))["ucb"]
    assert (found.turns, found.reward) == (3, 2.0)


def test_events_whose_arm_is_not_in_their_pool_are_counted_and_left_out() -> None:
    log = Events.of([1, 2, 3, 4], "abab", [1, 1, 1, 1], [["a"], ["a"], ["a"], ["a", "b"]])
    found = replay("greedy", log)["greedy"]
    assert found.rejected["arm not in its pool"] == 1
    assert found.turns == 3


def test_time_that_goes_back_is_counted() -> None:
    log = fixed_log(MEANS, 50)
    result = replay("ucb", replace(log, time=log.time[::-1].copy()))
    assert result.log.backwards == 9
    assert "go back in time; all are replayed in order" in str(result)


def test_events_are_replayed_in_order_of_time() -> None:
    log = fixed_log(MEANS, 400)
    mixed = log.take(np.random.default_rng(1).permutation(len(log)))
    one = replay("ucb", mixed)
    same = replay("ucb", mixed.take(np.argsort(mixed.time, kind="stable")))
    assert (one["ucb"].turns, one["ucb"].reward) == (same["ucb"].turns, same["ucb"].reward)
    assert one.log.backwards > same.log.backwards == 0


def test_the_seed_determines_the_result() -> None:
    log = fixed_log(MEANS, 3000)
    one, same, other = (replay("uniform", log, seed=seed)["uniform"] for seed in (1, 1, 2))
    assert one.reward == same.reward
    assert one.turns != other.turns or one.reward != other.reward


@pytest.mark.parametrize(
    ("wrong", "expected"),
    [
        ({"arms": ["q"]}, "no arm 'q'. Choose from: a, b, c"),
        ({"arms": []}, "arms is empty: name the arms to study"),
        ({"bin": 0}, "bin must be a length above 0"),
        ({"bin": math.nan}, "bin must be a length above 0"),
        ({"bin": 1e-300}, "bin=1e-300 is too short"),
        ({"turns": 0}, "turns must be a whole number"),
        ({"init": "later"}, "'first-shown' or 'rule'"),
        ({"reweigh": "ips"}, "'accept' or None"),
        ({"reweigh": "accept"}, "no propensities to thin it by"),
        ({"seed": -1}, "seed"),
    ],
)
def test_invalid_arguments(wrong: dict[str, object], expected: str) -> None:
    with pytest.raises(ValueError, match=expected):
        replay("ucb", fixed_log(MEANS, 20), **wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("column", "value", "expected"),
    [
        ("reward", math.nan, "rewards must be finite; the reward of event 3 is nan"),
        ("reward", math.inf, "the reward of event 3 is inf"),
        ("propensity", 0.0, "must be above 0 and at most 1; the propensity of event 3 is 0.0"),
        ("propensity", 1.5, "at most 1"),
        ("propensity", math.nan, "the propensity of event 3 is nan"),
    ],
)
def test_invalid_values_in_the_log(column: str, value: float, expected: str) -> None:
    values = np.full(20, 0.5)
    values[2] = value
    with pytest.raises(ValueError, match=expected):
        replay("ucb", replace(fixed_log(MEANS, 20), **{column: values}))


def test_a_prepared_log_gives_the_same_and_keeps_its_bins() -> None:
    log = fixed_log(MEANS, 2000, a_bin=(3, 12))
    ready = PreparedLog.of(log, bin=2, arms=["a", "c"])
    policy = "ucb-z:z=14"
    again = replay(policy, log, bin=2, arms=["a", "c"])[policy]
    assert replay(policy, ready)[policy].to_dict()["mean"] == again.mean.value
    with pytest.raises(ValueError, match=r"pass them to PreparedLog\.of"):
        replay(policy, ready, bin=3)


def test_unknown_label() -> None:
    with pytest.raises(KeyError, match="no policy is called 'soft'"):
        replay("ucb", fixed_log(MEANS, 20))["soft"]


DATA = Path(__file__).resolve().parents[3] / "shared" / "data"


@pytest.mark.realdata
@pytest.mark.skipif(not DATA.is_dir(), reason=f"no real data: {DATA} does not exist")
@pytest.mark.parametrize("campaign", ["all", "men", "women"])
def test_a_real_log_that_was_drawn_at_random_passes_and_is_has_too_few_turns(campaign: str) -> None:
    log, _ = collect(OpenBanditLog(DATA / "open_bandit_random_small.csv.gz", campaign))
    result = replay(["ucb", "uniform"], log, bin=60)
    assert result.log.uniformity.holds
    assert "turns matched" in result.verdict("ucb")
    found = result["uniform"]
    assert found.matched_share == pytest.approx(found.expected_share, rel=0.25)


def test_the_result_says_what_its_intervals_cover() -> None:
    result = replay("uniform", fixed_log(MEANS, 300))
    assert "cover the clicks of this run, not where another log" in str(result).replace("\n", " ")
    assert "71% for constant-epsilon" in result.to_dict()["intervals"]


@pytest.mark.filterwarnings("ignore:the log. .* like another in every column")
@pytest.mark.parametrize("as_time", [False, True])
def test_a_frame_is_replayed_as_its_log(as_time: bool) -> None:
    log = generate_events(1 / 24, seed=1).events
    shown = np.array(log.arms)[log.arm]
    offered = [[log.arms[i] for i in log.pools[p]] for p in log.pool]
    when = pd.to_datetime(log.time, unit="s", utc=True) if as_time else log.time
    frame = pd.DataFrame({"when": when, "what": shown, "paid": log.reward, "from": offered})
    names = {"time": "when", "arm": "what", "reward": "paid"}
    ours = hs.replay(["uniform", "greedy"], frame, **names, pool="from")
    theirs = hs.replay(["uniform", "greedy"], Events.of(log.time, shown, log.reward, offered))
    assert ours["greedy"].mean == theirs["greedy"].mean
    hs.replay("uniform", frame, **names)  # every arm is on offer
    with pytest.raises(ValueError, match=r"no column 'time'\."):
        hs.replay("uniform", frame)
    with pytest.raises(ValueError, match="column 'what' has empty cells"):
        hs.replay("uniform", frame.assign(what=None), **names)
    for wrong in ("a|b", 7):
        with pytest.raises(ValueError, match="must hold lists of the arms on offer: split"):
            hs.replay("uniform", frame.assign(pool=wrong), **names)
    by_name = hs.replay("greedy", frame.rename(columns={"from": "pool"}), **names)
    assert by_name["greedy"].mean == ours["greedy"].mean


def some_days() -> pd.DataFrame:
    """A log of March 2025 with no day above 12."""
    rng = np.random.default_rng(5)
    arm = rng.choice(["a", "b"], 400)
    paid = (rng.random(400) < np.where(arm == "a", 0.2, 0.6)) * 1
    times = np.datetime64("2025-03-01T00:00") + np.timedelta64(37, "m") * np.arange(400)
    return pd.DataFrame({"time": times.astype(str), "arm": arm, "reward": paid})


@pytest.mark.parametrize("form", ["%d.%m.%Y %H:%M", "%d/%m/%Y %H:%M", "%Y-%m-%dT%H:%M:00Z"])
def test_the_dates_of_a_frame_are_read_as_those_of_a_table(form: str, tmp_path: Path) -> None:
    """01.03.2025 is in March, whatever days are there; what has two meanings is asked for."""
    frame = some_days()
    wanted = Events.from_frame(frame)
    assert wanted.time[0] == np.datetime64("2025-03-01T00:00:00").astype(int)
    frame["time"] = pd.to_datetime(frame["time"]).dt.strftime(form)
    dates: Any = "dmy" if "/" in form else None
    if dates:
        with pytest.raises(ValueError, match="pass dates='dmy' or dates='mdy'"):
            hs.replay("ucb", frame, bin=86_400)
    with quiet():
        found = Events.from_frame(frame, dates=dates)
        replayed = hs.replay("ucb", frame, bin=86_400, dates=dates)
    assert found.time.tolist() == wanted.time.tolist()
    assert replayed["ucb"].mean == hs.replay("ucb", wanted, bin=86_400)["ucb"].mean
    frame.to_csv(tmp_path / "log.csv", index=False)
    table = hs.logs.TableLog(tmp_path / "log.csv", "time", "arm", "reward", dates=dates)
    assert collect(table)[0].time.tolist() == wanted.time.tolist()


def test_the_propensities_of_a_frame_are_used_or_refused(tmp_path: Path) -> None:
    """So are those of a table: a column of this name is never ignored."""
    frame = some_days()
    frame["propensity"] = np.where(frame.arm == "a", 0.7, 0.3)
    log = Events.from_frame(frame.drop(columns="propensity"))
    known = replace(log, propensity=frame.propensity.to_numpy())
    wanted = hs.replay("ucb", known)["ucb"].weighted
    assert wanted is not None
    assert hs.replay("ucb", frame)["ucb"].weighted == wanted
    renamed = frame.rename(columns={"propensity": "chance"})
    assert hs.replay("ucb", renamed, propensity="chance")["ucb"].weighted == wanted
    assert hs.replay("ucb", renamed)["ucb"].weighted is None
    frame.to_csv(tmp_path / "log.csv", index=False)
    events, report = collect(hs.logs.TableLog(tmp_path / "log.csv", "time", "arm", "reward"))
    assert hs.replay("ucb", events)["ucb"].weighted == wanted
    assert not any("propensity" in note for note in report.notes)
    for wrong, why in ((1.5, "at most 1"), (0.0, "above 0"), (-0.1, "7 is -0.1"), ("x", "float")):
        bad = frame.assign(propensity=frame.propensity.astype(object))
        bad.loc[6, "propensity"] = wrong
        with pytest.raises(ValueError, match=why):
            hs.replay("ucb", bad)
    with pytest.raises(ValueError, match="column 'propensity' has empty cells"):
        hs.replay("ucb", frame.assign(propensity=np.nan))
    with pytest.raises(ValueError, match="no column 'chanse'"):
        hs.replay("ucb", renamed, propensity="chanse")


def test_what_is_odd_in_a_frame_is_noted() -> None:
    frame = some_days()
    twice = pd.concat([frame, frame.iloc[:3]])
    with pytest.warns(hs.traffic.FileNote, match="3 displays like another .* in row 401: drop"):
        assert len(Events.from_frame(twice)) == 403
    Events.from_frame(twice.assign(visitor=range(403)))  # they differ: no copies


def test_a_frame_is_replayed_many_times_too() -> None:
    frame, how = some_days(), {"runs": 2, "times": 1, "how": "repeat"}
    one, same = (
        hs.logs.replay_many("ucb", log, **how)  # type: ignore[arg-type]  # plain values
        for log in (frame, Events.from_frame(frame))
    )
    assert str(one) == str(same)


def takings(unit: float) -> Events:
    rng = np.random.default_rng(2)
    shown, price = rng.integers(0, 3, 4000), np.array([50.0, 60.0, 70.0])
    sold = rng.random(4000) < np.array([0.3, 0.5, 0.2])[shown]
    paid = unit * price[shown] * sold
    names = ["a", "b", "c"]
    return Events.of(np.arange(4000) // 8, [names[i] for i in shown], paid, [names] * 4000)


@pytest.mark.parametrize("policy", ["soft-ucb", "naive-ucb", "gaussian-thompson", "option-index"])
def test_the_unit_of_money_changes_no_turn(policy: str) -> None:
    runs = [
        hs.replay(policy, takings(unit), reward_range=(0.0, 70.0 * unit), turns=300)[policy]
        for unit in (1.0, 100.0, 0.01)
    ]
    for unit, run in zip((1.0, 100.0, 0.01), runs, strict=True):
        assert (run.turns, run.rejected) == (runs[0].turns, runs[0].rejected)
        assert run.mean.value == pytest.approx(unit * runs[0].mean.value)


def test_money_without_a_range_that_holds_it_is_refused() -> None:
    with pytest.raises(ValueError, match=r"from 0 to 70.* such as reward_range=\(0, 70\)"):
        hs.replay("ucb", takings(1.0))
    with pytest.raises(ValueError, match=r"rewards go from 0 to 70, outside .*\(0, 65\)"):
        hs.replay("greedy", takings(1.0), reward_range=(0, 65))
    with pytest.raises(ValueError, match="two rising numbers, got"):
        hs.replay("greedy", takings(1.0), reward_range=(3, 3))
    assert hs.replay("greedy", takings(1.0))["greedy"].mean.value > 20.0
