"""Small named cases, each a function that gives raw results by name.

Names in here (of cases, entries and policies) are those of the recorded file and stay as they are.
Names of the library stand in the first part, "Access": change them there when they change.
"""

from __future__ import annotations

import functools
import math
import tempfile
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tests.digests.digest import Near, stored

import highseason as hs
from highseason.policies.rule import running_worth
from studies import authors_code
from studies.logged.generate import generate_events, generate_log
from studies.logged.lifespans import best_slice, frontier, lifespans
from studies.simulated import side_results
from studies.simulated.pool_repair import repair, required_c
from studies.unknown_traffic.backtest import backtest_cost
from studies.unknown_traffic.forecast_cost import forecast_cost

Results = dict[str, Any]
CASES: dict[str, Callable[[], Results]] = {}


def compute(name: str) -> Results:
    """The entries of a case as they are stored."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # plans that never explore are cases too
        return {entry: stored(value) for entry, value in CASES[name]().items()}


def case(name: str) -> Callable[[Callable[[], Results]], Callable[[], Results]]:
    """Enter a case."""

    def enter(function: Callable[[], Results]) -> Callable[[], Results]:
        CASES[name] = function
        return function

    return enter


# -- Access: every name of the library that is not public, or may change --------------------------

#: What `simulate` gives of each game, in this order.
METRICS = ("reward", "regret", "realised_regret", "exploited", "best_pulls")


@functools.cache
def policies() -> dict[str, Any]:
    """Every policy, with defaults, and with other parameters."""
    authors = authors_code.POLICIES
    return {
        "greedy": hs.Greedy(),
        "uniform": hs.UniformRandom(),
        "epsilon": hs.EpsilonGreedy(),
        "epsilon-k": hs.EpsilonGreedy(k=3.0, ties="random"),
        "epsilon-authors": authors["epsilon-greedy"],
        "epsilon-z": hs.EpsilonZGreedy(),
        "epsilon-z-30": hs.EpsilonZGreedy(k=2.0, z=30.0),
        "epsilon-z-max": hs.EpsilonZGreedy(z="0.75*max", ties="random"),
        "epsilon-z-authors": authors["epsilon-z"],
        "soft-epsilon": hs.SoftEpsilonGreedy(),
        "soft-epsilon-paper": hs.SoftEpsilonGreedy(k=1100.0, unit=1.0),
        "soft-epsilon-authors": authors["soft-epsilon"],
        "naive-epsilon": hs.policies.NaiveEpsilonGreedy(),
        "ucb": hs.UCB(),
        "ucb-random": hs.UCB(P=0.5, ties="random"),
        "ucb-authors": authors["ucb"],
        "ucb-z": hs.UCBZ(),
        "ucb-z-30": hs.UCBZ(z=30.0, P=0.7),
        "ucb-z-authors": authors["ucb-z"],
        "soft-ucb": hs.SoftUCB(),
        "soft-ucb-unit": hs.SoftUCB(unit="q0.75", P=1.0, ties="random"),
        "soft-ucb-authors": authors["soft-ucb"],
        "naive-ucb": hs.policies.NaiveUCB(),
        "ucb-l": hs.UCBL(),
        "soft-ucb-mortal": hs.SoftUCBMortal(),
        "soft-ucb-mortal-paper": hs.SoftUCBMortal.profile("paper"),
        "soft-ucb-mortal-opening": hs.SoftUCBMortal(remaining=True, initial=2, ties="random"),
        "pool": hs.VariablePool(),
        "pool-unit": hs.VariablePool(c=3.0, unit="q0.9", ties="random"),
        "pool-authors": authors["variable-pool"],
        "peak-grabber": hs.policies.PeakGrabber(hs.UCB()),
        "peak-grabber-epsilon": hs.policies.PeakGrabber(hs.EpsilonZGreedy(), window=5),
        "dynamic-peak-grabber": hs.policies.DynamicPeakGrabber(hs.SoftUCB(), window=5, memory=0.1),
        "spare": hs.policies.SpareOldArms(hs.UCB()),
        "spare-mortal": hs.policies.SpareOldArms(hs.SoftUCBMortal()),
        "cap": hs.policies.CapIndex(hs.UCB()),
        "cap-spare": hs.policies.CapIndex(
            hs.policies.SpareOldArms(hs.SoftUCBMortal(initial=2)), cap=0.5
        ),
        "discounted": hs.Discounted(hs.UCBZ(), discount=0.9),
        "discounted-pool": hs.Discounted(hs.VariablePool(), discount=0.95),
        "windowed": hs.Windowed(hs.EpsilonGreedy(), window=5),
        "windowed-soft": hs.Windowed(hs.SoftUCB(ties="random"), window=3),
    }


#: Policies that came later: they have rows of their own, and no part in those of all policies.
ADDED: dict[str, Any] = {
    "ada-ucb": hs.AdaUCB(),
    "ada-ucb-numbers": hs.AdaUCB(low=3.0, high=30.0, P=0.2, ties="random"),
}


#: Words of the library that were worded otherwise when they were recorded: new words first.
REWORDED: dict[str, str] = {}


def word(text: str) -> str:
    """A word of the library (a part of a bound, a reason to skip a line …) as it was recorded."""
    return REWORDED.get(text, text)


def paper_class(policy: Any) -> type:
    """The class of a policy; of one of the authors' code, that of the paper's text."""
    return next(kind for kind in type(policy).__mro__ if kind.name)


@contextmanager
def with_a_name(policy: Any) -> Iterator[None]:
    """Let a policy of the authors' code be saved and loaded, as those with a name are."""
    from highseason.policies.base import _policies

    kind = type(policy)
    if kind.name:
        yield
        return
    kind.name = kind.__name__
    _policies.register(kind.name, kind)
    yield
    del _policies[kind.name]
    kind.name = ""


def deck_games(**settings: Any) -> Any:
    """The games of decks."""
    from studies.upworthy.decks import DeckGames

    return DeckGames(**settings)


def decks(*arguments: Any) -> Any:
    """Decks of cards."""
    from studies.upworthy.decks import decks as make

    return make(*arguments)


def play_decks(players: dict[str, Any], games: Any, workers: int) -> dict[str, Any]:
    """Play games of decks."""
    from studies.upworthy.decks import play_decks as play

    return play(players, games, workers=workers)


def track(policy: Any, course: Any, *, readable: bool = False, **options: Any) -> Any:
    """Matched rows, kinds and counts of one replay, compiled or by the readable loop."""
    from tests.reference import replay as reference

    from highseason.logs.replay_kernel import EventOrder, Player, ReplayOptions

    player = Player(policy, course, ReplayOptions(**options))
    play = functools.partial(reference.replay, player) if readable else player.play
    return play(EventOrder.whole(len(course.events)), 7)


def distributions() -> Any:
    """The tails of Student's t and of chi-square, now SciPy's."""
    from scipy.special import chdtrc, stdtr, stdtrit

    return SimpleNamespace(
        student_tail=lambda t, degrees: 2 * stdtr(degrees, -abs(t)),
        student_quantile=lambda level, degrees: stdtrit(degrees, (1 + level) / 2),
        chi_square_tail=lambda x, degrees: chdtrc(degrees, x),
    )


def off_policy() -> Any:
    """The module of inverse-propensity estimates."""
    from highseason.logs import estimators

    return estimators


def life_spans(lives: Any, games: int, turns: int) -> Any:
    """First and last turns of arms, by game."""
    from highseason.core.random import game_keys

    return lives.spans(game_keys(3, range(games)), turns)


def uniforms() -> Results:
    """The random numbers that everything rests on."""
    from highseason.core import random

    keys = random.game_keys(3, range(4))
    key = random.game_key(3, 1)
    return {
        "keys": [str(each) for each in keys.tolist()],
        "arms": random.arm_uniforms(keys, 9),
        "turns": [float(hs.policies.draw(random.turn_key(key, t), 1)) for t in range(1, 30)],
        "places": [str(int(hs.policies.hash_at(key, i))) for i in range(9)],
    }


# -- Inputs ----------------------------------------------------------------------------------------


def noise(count: int, salt: int = 0) -> NDArray[np.float64]:
    """Numbers in [0, 1) that look random and depend on nothing but their place."""
    with np.errstate(over="ignore"):
        x = (np.arange(1, count + 1, dtype=np.uint64) + np.uint64(1_000_003 * salt)) * np.uint64(
            0x9E3779B97F4A7C15
        )
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return ((x ^ (x >> np.uint64(31))) >> np.uint64(11)) / 2.0**53


def weekly(turns: int = 140) -> Any:
    """Days with a week's rhythm, a rise and some noise."""
    days = np.datetime64("2023-09-04") + np.arange(turns)
    rhythm = np.array([1.0, 1.1, 0.9, 1.2, 1.6, 2.2, 1.9])[np.arange(turns) % 7]
    values = 100.0 * rhythm * (1 + 0.002 * np.arange(turns)) * (0.9 + 0.2 * noise(turns))
    return hs.traffic.from_values(values.round(3), days)


def season_forecast(turns: int) -> Any:
    """A forecast of a whole season, with its spread."""
    mean = 20.0 + 15.0 * noise(turns, 4)
    spread = hs.traffic.normal_quantiles(mean, 0.2 * mean)
    return hs.traffic.Forecast(mean, spread)


def refused(function: Callable[[], Any]) -> Any:
    """What it gives, or "refused"."""
    try:
        return function()
    except ValueError:
        return "refused"


def named(prefix: str, results: Results) -> Results:
    """The same with a word before each name."""
    return {f"{prefix} {name}": value for name, value in results.items()}


def near(**values: Any) -> Results:
    """Statistics by name."""
    return {name: Near(value) for name, value in values.items()}


def estimate(found: Any, rel: float = 1e-12) -> Near:
    """An estimate with its error and its interval."""
    return Near([found.value, found.error, found.low, found.high], rel)


def each_policy(prefix: str) -> Callable[[Callable[[Any], Results]], None]:
    """Enter a case for every policy."""

    def enter(function: Callable[[Any], Results]) -> None:
        for label in (*policies(), *ADDED):
            CASES[f"{prefix}/{label}"] = functools.partial(_of_policy, function, label)

    return enter


def _of_policy(function: Callable[[Any], Results], label: str) -> Results:
    return function(ADDED[label] if label in ADDED else policies()[label])


# -- Random numbers, lives, rewards ----------------------------------------------------------------


@case("random")
def _random() -> Results:
    return uniforms()


@case("lives")
def _lives() -> Results:
    found: Results = {}
    for label, lives in {
        "fixed": hs.lifetimes.fixed([(1, 40), (10, math.inf), (30, 80)]),
        "flow": hs.lifetimes.birth_and_death(turns=80, alive=5, life=20),
        "articles": hs.lifetimes.articles(80, turns_per_hour=2, start_hour=9.0),
    }.items():
        found[f"{label} arms"] = lives.arms
        found[f"{label} typical"] = lives.typical(80)
        found[f"{label} spans"] = life_spans(lives, 3, 80)
    found["worth"] = running_worth(np.array([1.0, 2.5, 4.0]))
    return found


def capped(u: float, rate: float, scale: float) -> float:
    """The quantile function of an exponential reward, at most 1."""
    return min(1.0, -math.log(1.0 - u) / rate)


def custom_rewards(arms: int) -> Any:
    """Exponential rewards, at most 1."""
    return hs.rewards.custom(
        capped, lambda rate: (1 - np.exp(-rate)) / rate, arms=arms, between=(1, 9)
    )


@case("rewards")
def _rewards() -> Results:
    u = noise(50, 2).tolist()
    found: Results = {"normal": [hs.rewards.normal_quantile(x) for x in u]}
    tested = hs.rewards.truncated_normal(centres=[0.0, 0.3, 1.0], sigma=0.3)
    found["clipped means"] = tested.means(tested.fixed)
    found["clipped"] = [tested.draw(x, 0.4, 1, 1.0) for x in u]
    found["bernoulli"] = [hs.rewards.bernoulli(arms=2).draw(x, 0.4, 1, 1.0) for x in u]
    tests = decks(["a", "b"], [[30, 40], [20, 25, 50]], [[3, 9], [1, 5, 9]])
    return found | {"decks": tests.means, "best": tests.best, "smallest": tests.smallest}


# -- Plans -----------------------------------------------------------------------------------------


@each_policy("plan")
def _plan(policy: Any) -> Results:
    shapes = {
        "wave": hs.traffic.wave(turns=120),
        "christmas": hs.traffic.christmas(turns=300),
        "step": hs.traffic.step(turns=100),
        "sine": hs.traffic.sine(turns=60),
        "constant": hs.traffic.constant(turns=40, value=3.0),
        "short": np.array([3.0, 1.0, 8.0]),
        "weekly": weekly(),
    }
    found: Results = {}
    for name, G in shapes.items():
        plan = policy.plan(G, 5)
        found[f"{name} levels"], found[f"{name} shares"] = np.asarray(plan), plan.exploration
    G = shapes["wave"]
    beliefs = {
        "random walk": hs.traffic.RandomWalk(),
        "moving average": hs.traffic.MovingAverage(window=4),
        "numbers": 10.0 + 30.0 * noise(120),
        "season": season_forecast(120),
        "sure season": season_forecast(120).sure(),
    }
    for name, belief in beliefs.items():
        found[f"believing {name}"] = np.asarray(policy.plan(G, 5, belief))
    planner = policy.plan(G, 12)
    return found | {"many arms": np.asarray(planner), "turn 7": planner.at(7)}


# -- Games, one by one -----------------------------------------------------------------------------

FIXED = [0.3, 0.62, 0.5, 0.45]
SPANS = [(1, math.inf), (1, 35), (20, 70), (15, math.inf), (1, 60)]


def game(played: Any) -> Results:
    """What happened in a game."""
    return {
        "arms": played.arms,
        "paid": played.paid,
        "best": played.best_arms,
        "best paid": played.best_paid,
        "exploited": played.exploited,
        "totals": [played.reward, played.regret, played.realised_regret, played.exploited_reward],
        "best pulls": int(played.best_pulls),
    }


@each_policy("play")
def _play(policy: Any) -> Results:
    G, flow = (
        hs.traffic.wave(turns=90),
        hs.lifetimes.birth_and_death(turns=90, alive=6, life=25),
    )
    hidden = hs.lifetimes.fixed(SPANS, known=False)
    five = hs.rewards.bernoulli(arms=5)
    settings: dict[str, tuple[Any, Any, dict[str, Any]]] = {
        "bernoulli": (five, G, {"seed": 3}),
        "normal": (hs.rewards.truncated_normal(arms=4, sigma=0.2), G, {"game": 2}),
        "fixed means": (hs.rewards.bernoulli(means=FIXED), hs.traffic.christmas(turns=90), {}),
        "range": (hs.rewards.bernoulli(arms=3, between=(0.4, 0.6)), weekly(60), {}),
        "custom": (custom_rewards(3), G, {}),
        "lives": (five, G, {"lifetimes": hs.lifetimes.fixed(SPANS)}),
        "untold lives": (five, G, {"lifetimes": hidden}),
        "flow": (hs.rewards.bernoulli(arms=flow.arms), G, {"lifetimes": flow}),
        "walk": (five, G, {"forecast": hs.traffic.RandomWalk()}),
        "season": (five, G, {"forecast": season_forecast(90)}),
        "season and lives": (
            five, G, {"forecast": season_forecast(90), "lifetimes": hs.lifetimes.fixed(SPANS)},
        ),
    }  # fmt: skip
    found: Results = {}
    for name, (rewards, multiplier, more) in settings.items():

        def once(rewards: Any = rewards, G: Any = multiplier, more: Any = more) -> Results:
            return game(hs.play(policy, rewards, G, **more))

        answer = refused(once)
        found |= {name: answer} if isinstance(answer, str) else named(name, answer)
    return found


# -- Many games ------------------------------------------------------------------------------------


def simulated(result: Any, rounded: Sequence[str] = ()) -> Results:
    """The totals of every game, by policy, and what is said of them together.

    Metrics that are `rounded` rest on a function of the C library whose last bit is its own.
    """
    exact = [metric for metric in METRICS if metric not in rounded]
    found: Results = {}
    for i, label in enumerate(result.policies):
        if result.games is not None:
            found[f"{label} games"] = np.stack([result.games[metric][i] for metric in exact])
            found |= {f"{label} {metric}": Near(result.games[metric][i]) for metric in rounded}
        found[f"{label} mean"] = Near([result.mean(metric, label) for metric in METRICS])
        found[f"{label} error"] = Near([result.error(metric, label) for metric in METRICS])
        if i:
            # Its variance is a difference of nearly equal ones, so how they were added up (by BLAS
            # at the time of recording, now in an order that is the same on every machine) shows.
            found[f"{label} gain"] = estimate(result.gain(label), rel=1e-10)
            found[f"{label} ratio"] = estimate(result.mean_ratio_gain(label, confidence=0.9))
    for metric, curve in result.curves.items():
        found[f"curve of {metric}"] = Near(curve.mean)
        found[f"curve of {metric} error"] = Near(curve.error)
        found[f"curve of {metric} q0.9"] = Near(curve.quantile(0.9))
    return found


def players() -> dict[str, Any]:
    """All policies."""
    return dict(policies())


def simulate(setting: dict[str, Any], who: dict[str, Any], rounded: Sequence[str] = ()) -> Results:
    """Totals by policy; those that refuse to play are named."""
    able, unable = {}, []
    for label, policy in who.items():
        small = setting | {"games": 1, "curves": False}
        answer = refused(functools.partial(hs.simulate, policy, **small))
        if isinstance(answer, str):
            unable.append(label)
        else:
            able[label] = policy
    result = hs.simulate(able, realised=True, **setting)
    return simulated(result, rounded) | {"refused": ", ".join(unable)}


@case("simulate/bernoulli")
def _simulate_bernoulli() -> Results:
    G = hs.traffic.wave(turns=100)
    setting = {"rewards": hs.rewards.bernoulli(arms=5), "multiplier": G, "games": 20, "seed": 3}
    return simulate(setting | {"workers": 1}, players())


@case("simulate/normal, believing a walk, with curves")
def _simulate_normal() -> Results:
    walk = hs.traffic.RandomWalk()
    return simulate(
        {
            "rewards": hs.rewards.truncated_normal(arms=4, sigma=0.2),
            "multiplier": hs.traffic.christmas(turns=100),
            "games": 20,
            "forecast": walk,
            "curves": 7,
        },
        players(),
        rounded=["regret"],  # the mean of such an arm takes erfc: glibc 2.43 rounds it otherwise
    )


@case("simulate/lives")
def _simulate_lives() -> Results:
    G = hs.traffic.wave(turns=90)
    flow = hs.lifetimes.birth_and_death(turns=90, alive=6, life=25)
    rewards = hs.rewards.bernoulli(arms=flow.arms)
    return simulate(
        {"rewards": rewards, "multiplier": G, "games": 16, "lifetimes": flow}, players()
    )


@case("simulate/untold lives, season forecast")
def _simulate_hidden() -> Results:
    return simulate(
        {
            "rewards": hs.rewards.bernoulli(means=[*FIXED, 0.7]),
            "multiplier": hs.traffic.step(turns=80),
            "games": 10,
            "lifetimes": hs.lifetimes.fixed(SPANS, known=False),
            "forecast": season_forecast(80),
        },
        players(),
    )


FEW = ("greedy", "epsilon-z", "ucb", "soft-ucb", "pool", "ucb-random", "soft-ucb-mortal")


def few(*more: str) -> dict[str, Any]:
    """A few policies, a rule each."""
    return {label: policies()[label] for label in (*FEW, *more)}


@case("simulate/articles")
def _simulate_articles() -> Results:
    lives = hs.lifetimes.articles(200, turns_per_hour=4)
    rewards = hs.rewards.bernoulli(arms=lives.arms, between=(0.1, 0.3))
    return simulate(
        {"rewards": rewards, "multiplier": weekly(200), "games": 4, "lifetimes": lives},
        few("cap-spare"),
    )


@case("simulate/many arms")
def _simulate_many_arms() -> Results:
    G = hs.traffic.wave(turns=900)
    return simulate({"rewards": hs.rewards.bernoulli(arms=300), "multiplier": G, "games": 9}, few())


@case("simulate/25 arms, longer")
def _simulate_longer() -> Results:
    G = hs.traffic.christmas(turns=2000)
    who = few("naive-ucb", "epsilon-z-authors", "ucb-z")
    return simulate({"rewards": hs.rewards.bernoulli(arms=25), "multiplier": G, "games": 20}, who)


@case("simulate/summary")
def _simulate_summary() -> Results:
    rewards, G = hs.rewards.bernoulli(means=FIXED), weekly(70)
    setting = {"rewards": rewards, "multiplier": G, "games": 300, "keep": "summary"}
    return simulate(setting | {"curves": [1, 10, 70]}, few())


@case("simulate/threads")
def _simulate_threads() -> Results:
    """Long enough that two threads share the work; one gives the same."""
    G, rewards = hs.traffic.wave(turns=1500), hs.rewards.bernoulli(arms=6)
    found: Results = {}
    for workers in (1, 2):
        result = hs.simulate(few(), rewards, G, 200, 5, workers=workers, curves=5, realised=True)
        found |= named(f"{workers}", simulated(result))
    return found


@case("simulate/custom rewards")
def _simulate_custom() -> Results:
    G = hs.traffic.sine(turns=80)
    return simulate({"rewards": custom_rewards(4), "multiplier": G, "games": 9}, few())


@case("simulate/forecast cost")
def _forecast_cost() -> Results:
    G, rewards = weekly(112), hs.rewards.bernoulli(arms=4)
    beliefs = {"walk": hs.traffic.RandomWalk(), "season": season_forecast(112)}
    cost = forecast_cost(hs.UCBZ(), rewards, G, beliefs, games=30)
    found: Results = {}
    for label in cost.labels:
        found[f"{label} reward"] = Near(cost.reward(label))
        found[f"{label} lost"], found[f"{label} gain"] = map(
            estimate, (cost.lost(label), cost.gain(label))
        )
        found[f"{label} survives"] = Near(cost.survives(label))
    naive = hs.traffic.SeasonalNaive(periods=(7,))
    trials = hs.traffic.backtest(G, {"naive": naive}, turns=14, origins=2)
    back = backtest_cost(hs.SoftUCB(), rewards, trials, games=10)
    for label in back.labels:
        found[f"back {label}"] = Near([back.lost(label), back.survives(label)], 1e-9)
    return found


@case("decks")
def _decks() -> Results:
    cards, ones = [[300, 400], [200, 250, 500, 90]], [[30, 49], [10, 25, 90, 2]]
    dealt = decks(["a", "b"], cards, ones)
    seasons = [hs.traffic.wave(turns=14), hs.traffic.step(turns=14)]
    tests, season = np.arange(12) % 2, np.arange(12) // 2 % 2
    found: Results = {}
    for even in (False, True):
        games = deck_games(
            decks=dealt, seasons=seasons, tests=tests, season=season, cards=dealt.total,
            seed=4, even=even,
        )  # fmt: skip
        found[f"even {even} best"] = games.best_reward
        unable = []
        for label, policy in policies().items():
            answer = refused(functools.partial(play_decks, {label: policy}, games, 1))
            if isinstance(answer, str):
                unable.append(label)
            else:
                found |= named(f"even {even} {label}", answer)
        found[f"even {even} refused"] = ", ".join(unable)
        found |= named(f"even {even} threads", play_decks(few_of_decks(), games, 2))
    return found


def few_of_decks() -> dict[str, Any]:
    """Policies that deal from decks together."""
    return {
        label: policies()[label] for label in ("greedy", "epsilon-z", "ucb", "soft-ucb", "pool")
    }


# -- The live bandit -------------------------------------------------------------------------------


def paid(arm: str, t: int) -> float:
    """What an arm pays a visitor in a turn."""
    return round(0.1 * (ord(arm) - 96) + 0.3 * float(noise(t, ord(arm))[-1]), 6)


def beyond(bandit: Any) -> int:
    """How many rewards per visitor lie outside the range."""
    low, high = bandit.reward_range
    known = [(one.reward, one.visitors) for one in bandit.decisions() if one.reward is not None]
    return sum(not low <= reward / visitors <= high for reward, visitors in known)


def session(bandit: Any, turns: int, *, known: bool, expecting: bool) -> Results:
    """A scripted session: late and unordered rewards, arms that come and go, JSON and back."""
    log: list[list[Any]] = []
    chances: list[list[float]] = []
    waiting: list[tuple[str, int]] = []
    for t in range(1, turns + 1):
        if t == 6:
            bandit.add_arm("d", when="now", expires=20)
        if t == 9:
            bandit.add_arm("e")
        if t == 12:
            bandit.remove_arm("b")
        if t == 16:
            bandit = hs.Bandit.from_json(bandit.to_json())
        asked: dict[str, Any] = {"t": t}
        if t % 5 == 0:
            asked["available"] = list(bandit.arms[:2])
        if expecting:
            asked["expected"] = 10 + (7 * t) % 11
        chances.append([bandit.probabilities(**asked).get(arm, -1.0) for arm in "abcde"])
        made = bandit.decide(**asked)
        log.append([made.turn, made.arm, made.probability, made.exploited, made.level])
        waiting.append((made.arm, t))
        if t % 3 == 0:
            for arm, turn in reversed(waiting):
                came = 10 + (3 * turn) % 7
                answer = {} if known else {"visitors": came}
                scale = float(bandit.multiplier.at(turn)) if known else came
                bandit.update(arm, paid(arm, turn) * scale, t=turn, **answer)
            waiting = []
    ranked = bandit.ranking()
    return {
        "turns": [row[0] for row in log],
        "arms": "".join(row[1] for row in log),
        "probability": [row[2] for row in log],
        "exploited": [bool(row[3]) for row in log],
        "numbers": [row[4] for row in log],
        "chances": np.array(chances),
        "ranking": [row.arm for row in ranked],
        "estimates": [math.nan if row.estimate is None else row.estimate for row in ranked],
        "pulls": [row.pulls for row in ranked],
        "clipped": beyond(bandit),
        "open": [len(bandit.pending), len(bandit.unrewarded)],
        "there": list(bandit.arms),
    }


@each_policy("bandit")
def _bandit(policy: Any) -> Results:
    G, found = hs.traffic.wave(turns=32), {}
    ways: dict[str, tuple[Any, bool]] = {
        "forecast": (G, False),
        "known": (G, True),
        "as it goes": (None, False),
    }
    for name, (multiplier, known) in ways.items():

        def play(multiplier: Any = multiplier, known: bool = known) -> Results:
            shop = hs.Bandit(
                list("abc"), policy.counting("turns"), multiplier, reward_range=(0, 1), seed=5,
                known=known,
                expires={"c": 25},
            )  # fmt: skip
            return session(shop, 30, known=known, expecting=multiplier is None)

        with with_a_name(policy):
            answer = refused(play)
        found |= {name: answer} if isinstance(answer, str) else named(name, answer)
    return found


@case("bandit/dates, extension and unknown expiry")
def _bandit_dates() -> Results:
    days = weekly(40)
    shop = hs.Bandit(
        ["a", "b", "c"], hs.SoftUCBMortal(count="turns"), days.window(1, 20), reward_range=(0, 2),
        seed=2,
        expires={"a": "2023-09-15", "b": "unknown"},
    )  # fmt: skip
    arms = []
    for t in range(1, 41):
        if t == 20:
            shop.extend(days.window(21, 40))
        arm = shop.pull(t=str(days.calendar[t - 1].astype("datetime64[D]")))
        arms.append(arm)
        shop.update(arm, 90.0 * 3 * paid(arm, t), t=t, visitors=90.0)
    return {
        "arms": "".join(arms),
        "clipped": beyond(shop),
        "log": [[one.turn, one.arm, one.probability, one.level] for one in shop.decisions()],
    }


# -- Replay ----------------------------------------------------------------------------------------


@functools.cache
def short_lives() -> Any:
    """A log of arms that come and go, in bins of different weight."""
    time = np.cumsum(noise(900, 5) < 0.25 + 0.2 * (np.arange(900) // 100 % 2))
    names = [f"arm {j:02d}" for j in range(12)]
    pools = [[j for j in range(12) if 12 * j <= t + 60 and t <= 12 * j + 60] or [0] for t in time]
    shown = [pool[int(u * len(pool))] for pool, u in zip(pools, noise(900, 6), strict=True)]
    clicks = noise(900, 7) < 0.1 + 0.05 * np.array(shown)
    return hs.logs.Events.of(
        time, [names[j] for j in shown], clicks, [[names[j] for j in pool] for pool in pools]
    )


@functools.cache
def front_page(tilt: float = 0.0) -> Any:
    """A generated log of six articles."""
    rates = [0.05, 0.3, 0.2, 0.1, 0.25, 0.15]
    return generate_events(1 / 96, seed=3, rates=rates, events_per_second=2, tilt=tilt)


@functools.cache
def tilted() -> Any:
    """The same, not uniform, with its propensities."""
    made = front_page(1.0)
    return replace(made.events, propensity=made.propensity)


def columns(events: Any) -> Results:
    """The columns of a log."""
    found = {
        "time": events.time,
        "arm": events.arm,
        "reward": np.asarray(events.reward, np.float64),
        "pool": events.pool,
        "arms": list(events.arms),
        "pools": [events.pools[i].tolist() for i in range(len(events.pools))],
        "chance": events.display_probability,
    }
    return found | {"has chances": events.propensity is not None}


@case("replay/generated logs")
def _generated() -> Results:
    found = named("fixed", columns(front_page().events)) | named("tilted", columns(tilted()))
    page = generate_events(1 / 48, seed=8, events_per_second=1)
    found |= named("page", columns(page.events))
    found |= {"births": page.starts, "deaths": page.ends, "rates": page.rates}
    with tempfile.TemporaryDirectory() as folder:
        (path,) = generate_log(folder, days=1 / 1440, seed=3)
        found["text"], found["file"] = path.read_text(), path.name
    return found


def run_of(one: Any) -> Results:
    """What a policy earned on a log."""
    found: Results = {
        "read": one.read,
        "rejected": list(one.rejected.values()),
        "turns": one.turns,
        "reward": one.reward,
        "rewarded": one.rewarded,
        "asked": one.asked,
        "high": one.high_turns,
        "at": one.curve_turns,
        "mean": estimate(one.mean),
        "shares": Near(
            [one.matched_share, one.expected_share, one.exploited_share, one.effective_size]
        ),
        "running": one.curve_means,
    }
    if one.weighted is not None:
        answer = one.weighted
        found |= {"ips": estimate(answer.ips), "snips": estimate(answer.snips)}
        found |= {
            "shift": estimate(answer.shift),
            "weights": Near([answer.effective_size, answer.largest]),
        }
    return found


WAYS: dict[str, tuple[Callable[[], Any], dict[str, Any]]] = {
    "fixed pool": (lambda: front_page().events, {}),
    "by rule": (lambda: front_page().events, {"init": "rule", "turns": 100}),
    "lives": (short_lives, {}),
    "unknown lives": (short_lives, {"known_lifetimes": False}),
    "thinned": (tilted, {"reweigh": "accept"}),
    "propensities": (tilted, {}),
}


@functools.cache
def course(way: str) -> Any:
    """A log made ready."""
    return hs.logs.PreparedLog.of(WAYS[way][0](), 1)


@each_policy("replay")
def _replay(policy: Any) -> Results:
    found: Results = {}
    for way, (_, options) in WAYS.items():

        def once(way: str = way, options: dict[str, Any] = options) -> Results:
            result = hs.replay({"x": policy}, course(way), seed=7, **options)
            kept = track(policy, course(way), **options)
            rows = {"matched": kept.matched, "kinds": kept.kind, "counts": kept.counts}
            return rows | run_of(result["x"])

        answer = refused(once)
        found |= {way: answer} if isinstance(answer, str) else named(way, answer)
    slow = refused(lambda: track(policy, course("lives"), readable=True))
    if isinstance(slow, str):
        return found | {"readable": slow}
    rows = {"matched": slow.matched, "kinds": slow.kind, "counts": slow.counts}
    return found | named("readable", rows)


@case("replay/facts, lives and slices")
def _facts() -> Results:
    found: Results = {}
    for way in ("fixed pool", "lives", "propensities"):
        log = hs.logs.diagnose(course(way))
        even = log.uniformity
        found |= {
            f"{way} size": [log.events, log.arms, log.backwards],
            f"{way} G": log.G,
            f"{way} baseline": estimate(log.baseline),
            f"{way} uniformity": Near([even.statistic, even.degrees, even.p, even.effect]),
            f"{way} worst": [even.worst[0], word(even.checked), even.holds, even.tilted, even.when],
            f"{way} worst share": Near(even.worst[1]),
        }
    lied = replace(tilted(), propensity=None)
    even = hs.logs.diagnose(hs.logs.PreparedLog.of(lied, 10)).uniformity
    found["not uniform"] = Near([even.statistic, even.degrees, even.p, even.effect])
    found["not uniform holds"] = even.holds
    events = short_lives()
    lives = lifespans(events)
    found |= {"birth": lives.start, "death": lives.end, "shown": lives.shown, "rate": lives.rate}
    slices = frontier(events).slices
    found["frontier"] = [[one.start, one.end, list(one.arms)] for one in slices]
    found["best"] = list(best_slice(events, least_arms=4).arms)
    found["unbroken"] = Near(slices[0].unbroken(events))
    found["always"] = list(hs.logs.always_on_offer(front_page().events))
    return found


@case("replay/bins, studied arms")
def _bins() -> Results:
    events = short_lives()
    who = few("naive-ucb", "cap")
    result = hs.replay(who, events, bin=10, arms=events.arms[:7], seed=2)
    return {k: v for label in who for k, v in named(label, run_of(result[label])).items()}


def runs(one: Any) -> Results:
    """Many runs of a policy."""
    return {
        "how": one.how,
        "turns": one.turns,
        "rewards": one.rewards,
        "means": one.means,
        "ends": [one.exhausted, one.block, one.read, one.used],
        "rejected": list(one.rejected.values()),
        "mean": estimate(one.mean),
        "effective": Near(
            [one.effective_size, math.nan if one.independent is None else one.independent]
        ),
        "per visitor": Near(math.nan if one.per_visitor is None else one.per_visitor),
        "worth": Near([] if one.ground_truth is None else one.ground_truth),
    }


def comparison(found: Any) -> Results:
    """Tests of two policies' means."""
    tests = {"student": found.student, "welch": found.welch}
    answer: Results = {
        name: Near([test.statistic, test.degrees, test.p, test.low, test.high])
        for name, test in tests.items()
    }
    answer["difference"] = Near(found.difference)
    answer["bootstrap"] = Near(found.bootstrap)
    return answer | {"paired": None if found.paired is None else Near(found.paired)}


def many(who: dict[str, Any], events: Any, **options: Any) -> Results:
    """Runs of policies and comparisons with the first."""
    result = hs.logs.replay_many(who, events, seed=5, **options)
    found: Results = {}
    for label in who:
        found |= named(label, runs(result[label]))
    first, *others = [one.label for one in result.policies if one.comparable]
    for label in others:
        found |= named(f"{label} against {first}", comparison(result.compare(label, first)))
    return found


@case("replay many/all, windows")
def _many_windows() -> Results:
    who = players()
    return many(who, course("fixed pool"), runs=5, how="windows", window=600, step=200, workers=1)


@case("replay many/all, repeated")
def _many_repeated() -> Results:
    return many(players(), course("lives"), runs=3, how="repeat", times=2, workers=2)


@case("replay many/shuffled, thinned and with worth")
def _many_shuffled() -> Results:
    made = front_page()
    worth = made.rate(made.events.arm, made.events.time)
    found = named(
        "shuffled",
        many(few(), made.events, runs=4, how="repeat", shuffle=True, ground_truth=worth, bin=2),
    )
    found |= named("thinned", many(few(), tilted(), runs=4, reweigh="accept", window=900, step=100))
    return found | named(
        "unknown",
        many(few(), short_lives(), runs=4, known_lifetimes=False, init="rule", window=500),
    )


@case("statistics")
def _statistics() -> Results:
    tails, weights = distributions(), off_policy()
    grid = [(x, d) for x in (-2.5, 0.0, 0.3, 1.7, 6.0, 40.0) for d in (1.0, 2.5, 9.0, 120.0, 1e5)]
    a, b = noise(40, 1), noise(30, 2) + 0.1
    answer = weights.weighted_estimates(noise(30, 3), 0.1 + 0.8 * noise(30, 4), 50, 0.9)
    found = near(
        chi_square=[tails.chi_square_tail(max(x, 0.0), d) for x, d in grid],
        kish=weights.effective_size(noise(9)),
    )
    # The recorded tails of t, summed by hand, were off by up to 2e-10 at 1e5 degrees (mpmath).
    found |= {
        "student": Near([tails.student_tail(x, d) for x, d in grid], rel=1e-9),
        "quantiles": Near(
            [tails.student_quantile(p, d) for p in (0.5, 0.9, 0.99) for _, d in grid[:5]], rel=1e-9
        ),
    }
    found |= {"ips": estimate(answer.ips), "snips": estimate(answer.snips)}
    found |= named("runs", comparison(hs.logs.compare(a, b, seed=3)))
    windows = hs.logs.compare(a, a[::-1] + 0.02, block=4, independent=10.0, seed=3)
    return found | named("windows", comparison(windows))


# -- Bounds ----------------------------------------------------------------------------------------


def bound(found: Any) -> Results:
    """All parts of a bound; BLAS adds them, in another order on other processors."""
    return {
        "valid": [found.valid, found.vacuous],
        "parts": [word(part) for part in found.parts],
        "exact": sorted(word(part) for part in found.exact),
        "cross names": [word(name) for name in found.cross_terms],
        "notes": len(found.notes),
        **near(
            total=found.total,
            trivial=found.trivial,
            values=list(found.parts.values()),
            limits=list(found.limits.values()),
            curve=found.curve,
            curves=[each.tolist() for each in found.curves.values()],
            worst=found.worst,
            cross=list(found.cross_terms.values()),
        ),
    }


THEOREMS = {
    "epsilon": hs.EpsilonGreedy(k=50),
    "epsilon default": hs.EpsilonGreedy(),
    "epsilon-z": hs.EpsilonZGreedy(k=50, z=30),
    "epsilon-z default": hs.EpsilonZGreedy(),
    "soft epsilon": hs.SoftEpsilonGreedy(k=50, unit=1),
    "soft epsilon default": hs.SoftEpsilonGreedy(),
    "ucb": hs.UCB(),
    "ucb P": hs.UCB(P=1.0),
    "ucb-z": hs.UCBZ(z=30),
    "ucb-z default": hs.UCBZ(),
    "soft ucb": hs.SoftUCB(),
    "soft ucb paper": hs.SoftUCB(unit=1.0),
    "pool": hs.VariablePool(),
    "pool paper": hs.VariablePool(c=200.0, unit=1.0),
    "mortal": hs.SoftUCBMortal(),
    "mortal remaining": hs.SoftUCBMortal(c=2.0, unit=1.0, remaining=True, initial=2),
}


def _theorem(label: str) -> Results:
    policy, found = THEOREMS[label], {}
    step, wave = hs.traffic.step(turns=1500), hs.traffic.wave(turns=400)
    believed = 5.0 + 35.0 * noise(400)
    lives = hs.lifetimes.fixed([(1, math.inf), (1, 200), (100, 350)])
    settings: dict[str, dict[str, Any]] = {
        "two arms": {"means": [0.9, 0.1], "multiplier": step},
        "four arms": {"means": FIXED, "multiplier": wave},
        "forecast": {"gaps": [0.0, 0.3, 0.5], "multiplier": wave, "H": believed},
        "range": {"gaps": [0.5, 0.0], "multiplier": wave, "r": 2.0, "Gamma": 6.0},
        "lives": {"means": [0.2, 0.8, 0.5], "multiplier": wave, "lifetimes": lives},
    }
    for name, setting in settings.items():
        for form in ("safe", "paper"):
            answer = refused(lambda s=setting, f=form: bound(hs.bounds.regret(policy, form=f, **s)))
            key = f"{name} {form}"
            found |= {key: answer} if isinstance(answer, str) else named(key, answer)
    return found


for _label in THEOREMS:
    CASES[f"bounds/{_label}"] = functools.partial(_theorem, _label)


@case("bounds/calculators")
def _calculators() -> Results:
    b, G = hs.bounds, hs.traffic.step(turns=1500)
    ez, soft = hs.EpsilonZGreedy(k=50, z=30), hs.SoftEpsilonGreedy(k=50, unit=1)
    ranges = [(0.0, 1.0), (0.5, 0.6), (0.0, 0.2)]
    found: Results = {
        "provable": [paper_class(policy) in b.provable() for policy in policies().values()],
        "need": [
            b.paper.need(1000, 1.0, 4),
            b.paper.need(3, 1.0, 4),
            b.paper.need(500, 0.5, 2, P=1.0),
        ],
        "tau": [b.paper.tau(1.0, 4), b.paper.tau(1.0, 10_000), b.paper.tau(0.5, 3, P=1.0)],
        "phi": [b.paper.phi(2.0, 1), b.paper.phi(1.0, 4), b.paper.phi(0.0, 3)],
        "pulls": [b.minimum_pulls(10**6, 10), b.minimum_pulls(24, 2, r=2.0, form="paper")],
        "pulls of ranges": b.paper.minimum_pulls_ranges(10_000, ranges),
        "printed pulls of ranges": b.paper.minimum_pulls_ranges(10_000, ranges, form="paper"),
        "soft pulls": [
            b.paper.soft_minimum_pulls(300_000, 2, highest=1.0),
            b.paper.soft_minimum_pulls(30_000, 3, highest=4.0, form="paper"),
            b.paper.soft_minimum_pulls(30_000, 2, highest=2.0, lowest=1.0, form="literal"),
        ],
        "soft pulls of ranges": b.paper.soft_minimum_pulls(30_000, 3, highest=2.0, ranges=ranges),
        "steps": b.pull_steps(5000, 2),
        "printed steps": b.pull_steps(5000, 3, form="paper"),
        "beta from floor": [
            side_results.beta_from_floor(60.0, 0.8),
            side_results.beta_from_floor(9.0, 0.3, r=2.0),
        ],
        "remark floor": [
            side_results.remark_floor(40, 50, 2),
            side_results.remark_floor(1000, 50, 2),
        ],
        "true floor": [side_results.true_floor(40, 50, 2), side_results.true_floor(1000, 50, 2)],
        "exploration sum": [
            b.paper.exploration_sum(80, 50, 2),
            b.paper.exploration_sum(1000, 50, 2),
        ],
        "leader": b.paper.leader_regret([0.5, 0.25, 0.0], [0.6, 0.8, 1.0]),
        "tail": [b.paper.tail(60.0, 0.32), b.paper.tail(0.5, 0.1)],
        "trivial": b.Setting.of(None, [0.0, 0.5], [10.0, 20.0, 30.0, 40.0]).trivial[-1],
        "printed beta": b.paper.printed_beta(np.array([0.5, 1.0, 3.7, 20.0]), k=50, gap=0.8),
        "required c": [required_c(2, 20_000), required_c(5, 300)],
    }
    two = b.paper.two_values(ez, gaps=[0.0, 0.8], multiplier=G)
    found |= named("two values", bound(two.bound))
    found["two values"] = [two.low, two.high, two.low_turns, two.exploration]
    for form in ("safe", "paper"):
        table = side_results.decay_table(soft, 0.8, hs.traffic.wave(turns=2000), form=form)
        found[f"decay {form}"] = [
            [word(e.phase), word(e.season), e.t, e.G, e.old, e.soft, e.soft_explores] for e in table
        ]
        high = side_results.high_turn_advantage(ez, gaps=[0.0, 0.8, 0.4], multiplier=G, form=form)
        found[f"high {form}"] = high.difference
        found[f"high {form} turns"], found[f"high {form} gaps"] = high.turns, high.gaps
        found[f"high {form} from"] = high.positive_from
        grown = side_results.growth(
            ez, gaps=[0, 0.8], multiplier=G, turns=(100, 700, 1500), form=form
        )
        found[f"growth {form}"] = grown.part("total")
        found[f"growth {form} exponents"] = grown.exponents("total")
        omega = b.paper.logarithmic_growth(2000, 10, form=form)
        found[f"omega {form}"] = [
            omega.c, omega.q, omega.alpha, omega.y, omega.tau, omega.phi, omega.tau_limit,
            omega.phi_limit, omega.third, omega.log_q, omega.claim, omega.floor, omega.pulls,
        ]  # fmt: skip
        found[f"omega {form} steps"] = [omega.holds, *omega.steps.values()]
        spans = [(1, math.inf), (1, 200), (100, 350)]
        below = -np.array([0.2, 0.8, 0.5])  # the distance from 0 will do
        lives = b.Setting(below, hs.traffic.wave(turns=400), spans=spans)
        mortal = b.mortal.soft_ucb_mortal(hs.SoftUCBMortal(c=1, unit=1), lives, form)
        found |= named(f"mortal {form}", bound(mortal))
    figure = side_results.exploration_figure()
    found |= {"psi": figure.psi, "old": figure.old, "soft": figure.soft}
    found["marks"] = [figure.n_prime, figure.w, figure.gamma]
    sizes = np.asarray(hs.VariablePool(c=200, unit=1).plan(hs.traffic.wave(turns=500), 2))
    pool = b.paper.pool_hypothesis(sizes, 2)
    found |= {"lam": pool.lam, "required": pool.required}
    found["hypothesis"] = [pool.holds, pool.failing, pool.first_failure]
    for mode in ("block", "minimal"):
        fixed = repair(hs.traffic.wave(turns=2000), 2, 10, mode=mode)
        found[f"repair {mode}"] = fixed.multiplier.values
        found[f"repair {mode} lam"] = fixed.lam
        found[f"repair {mode} from"] = [fixed.holds_from, fixed.changed]
    setting = b.Setting.of(FIXED, None, hs.traffic.wave(turns=100))
    found["setting"] = [setting.arms, setting.turns, setting.largest_gap, setting.smallest_gap]
    found["read plan"] = b.read_plan(hs.SoftUCB(), setting).levels
    found["direct"] = [
        calculate(policy, setting, "safe").total
        for calculate, policy in (
            (b.epsilon.epsilon_greedy, hs.EpsilonGreedy()),
            (b.ucb.ucb, hs.UCB()),
        )
    ]
    return found


# -- Multipliers -----------------------------------------------------------------------------------


def multiplier(G: Any) -> Results:
    """A multiplier and its calendar."""
    answer: Results = {"values": G.values, "turns": G.turns, "name": word(G.name)}
    return answer | {"calendar": None if G.calendar is None else np.asarray(G.calendar)}


@case("multipliers/shapes and arithmetic")
def _shapes() -> Results:
    found: Results = {}
    for name in ("christmas", "constant", "sine", "step", "wave"):
        made = hs.traffic.SHAPES[name]
        for turns in (1, 10, 333):
            found[f"{name} {turns}"] = made(turns=turns).values
        if name in ("wave", "christmas", "step"):
            found[f"{name} authors"] = authors_code.SHAPES[name](50).values
    G, H = hs.traffic.wave(turns=40), hs.traffic.step(turns=40)
    changed = {
        "sum": G + H,
        "product": G * H,
        "times": 2.5 * G,
        "scale": G.scale(0.1),
        "shift": G.shift(5),
        "then": G.then(H),
        "clip": G.clip(5.0, 30.0),
        "floor": G.floor(9.0),
        "window": G.window(3, 20),
        "resample": G.resample(7),
        "resample mean": G.resample(7, how="mean", partial="keep"),
        "concatenate": hs.traffic.concatenate(G, H, G),
    }
    for name, made in changed.items():
        found[name] = made.values
    found["digest"], found["total"] = G.digest(), G.total
    for z in (30, "0.75*max", "q0.75", "q0.1", "inf"):
        found[f"threshold {z}"] = str(hs.traffic.Threshold.of(z).resolve(G.values))
        found[f"high {z}"] = G.high(z)
    return found


TABLES: dict[str, tuple[str, dict[str, Any]]] = {
    "days.csv": ("day,visitors\n2013-12-25,0\n2013-12-26,60\n2013-12-27,61.5\n", {"floor": 1}),
    "plain.csv": ("3\n4.5\n1e3\n", {}),
    "some.tsv": ("hour\torders\tother\n2024-01-01T00:00\t4\tx\n2024-01-01T01:00\t7\ty\n", {}),
    "named.csv": ("a,b,when\n1,2,1700000000\n3,4,1700003600\n", {"time": "when", "value": "b"}),
    "zoned.csv": (
        "time,value\n2024-03-30T23:00:00+01:00,5\n2024-03-31T00:00:00+01:00,6\n"
        "2024-03-31T01:00:00+01:00,7\n2024-03-31T03:00:00+02:00,8\n2024-03-31T04:00:00+02:00,9\n",
        {"zone": "Europe/Rome"},
    ),
    "offsets.csv": ("time,value\n2024-01-01T00:00:00+01:00,5\n2024-01-01T01:00:00+01:00,6\n", {}),
    "bad.csv": ("day,visitors\n2013-12-25,\n2013-12-26,60\n", {}),
    "text.csv": ("day,visitors\n2013-12-25,1000 people\n2013-12-26,60\n", {}),
}


@case("multipliers/files and calendars")
def _files() -> Results:
    found: Results = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, (text, options) in TABLES.items():
            path = Path(folder) / name
            path.write_text(text, encoding="utf-8")

            def read(path: Path = path, options: dict[str, Any] = options) -> Results:
                return multiplier(hs.traffic.read(path, **options))

            answer = refused(read)
            found |= {name: answer} if isinstance(answer, str) else named(name, answer)
    utc = np.datetime64("2024-03-29T00:00") + np.arange(24 * 7) * np.timedelta64(1, "h")
    stamps = [f"{each}Z" for each in utc]
    hours = hs.traffic.from_values(1 + noise(utc.size), stamps, zone="Europe/Rome")
    for length in ("1D", "6h", "1W", "1M"):
        for partial in ("drop", "keep"):
            answer = refused(lambda n=length, p=partial: multiplier(hours.resample(n, partial=p)))
            key = f"hours {length} {partial}"
            found |= {key: answer} if isinstance(answer, str) else named(key, answer)
    days = weekly()
    found |= named("weeks", multiplier(days.resample("1W", how="mean")))
    found |= named("months", multiplier(days.resample("1M", partial="keep")))
    found |= named("window", multiplier(days.window("2023-10-01", "2023-10-31")))
    found["turn of"] = days.turn_of("2023-10-05")
    return found


# -- Forecasters -----------------------------------------------------------------------------------

ONE_STEP = {
    "walk": lambda f: f.RandomWalk(),
    "average": lambda f: f.SimpleAverage(),
    "moving": lambda f: f.MovingAverage(),
    "moving 7": lambda f: f.MovingAverage(window=7),
    "weighted": lambda f: f.WeightedMovingAverage(window=4),
    "smoothing": lambda f: f.ExponentialSmoothing(alpha=0.3),
    "double": lambda f: f.DoubleExponentialSmoothing(alpha=0.4, beta=0.2),
}
SEASON_AHEAD = {
    "naive": lambda f: f.SeasonalNaive(),
    "naive 7": lambda f: f.SeasonalNaive(periods=(7,), lag=14),
    "calendar": lambda f: f.CalendarRegression(),
    "calendar, no holidays": lambda f: f.CalendarRegression(holidays=False),
}


def forecast(found: Any, level: float = 0.8) -> Results:
    """Means and spread of a forecast."""
    answer: Results = {"mean": Near(found.mean, 1e-9)}
    if found.quantiles is not None:
        answer["quantiles"] = Near(found.quantiles, 1e-9)
        answer["interval"] = Near(found.interval(level), 1e-9)
        answer["above"] = Near(found.probability_above(float(np.median(found.mean))), 1e-9)
    if found.calendar is not None:
        answer["calendar"] = np.asarray(found.calendar)
    return answer


@case("forecasters/one step")
def _one_step() -> Results:
    found: Results = {}
    for label, make in ONE_STEP.items():
        forecaster = make(hs.traffic)
        for name, G in {"wave": hs.traffic.wave(turns=60), "weekly": weekly(50)}.items():
            found[f"{label} {name}"] = forecaster.path(G).values
        fitted = forecaster.fit(weekly(50))
        found |= named(label, forecast(fitted.predict(9)))
        fitted.update(150.0)
        found |= named(f"{label} later", forecast(fitted.predict(3)))
    return found


@case("forecasters/season ahead")
def _season_ahead() -> Results:
    found: Results = {}
    for label, make in SEASON_AHEAD.items():
        forecaster = make(hs.traffic)
        fitted = forecaster.fit(weekly(120))
        found |= named(label, forecast(fitted.predict(10), 0.5))
        fitted.update(111.0)
        found |= named(f"{label} later", {"mean": Near(fitted.predict(4).mean, 1e-9)})
    made = season_forecast(12)
    found |= named("by hand", forecast(made)) | {"atoms": Near(made.atoms(5), 1e-9)}
    return found | {"median": Near(made.median, 1e-9), "window": Near(made.window(2, 5).mean, 1e-9)}


@case("forecasters/backtest")
def _backtest() -> Results:
    who = {"naive": hs.traffic.SeasonalNaive(periods=(7,)), "walk": hs.traffic.RandomWalk()}
    who["calendar"] = hs.traffic.CalendarRegression(holidays=False)
    tested = hs.traffic.backtest(weekly(120), who, turns=14, origins=2)
    found: Results = {"origins": [trial.origin for trial in tested.trials]}
    for label in tested.forecasters:
        for measure in ("mase", "smape", "pinball", "coverage"):
            found[f"{label} {measure}"] = Near(tested.mean(measure, label), 1e-9)
    return found


# -- Logs ------------------------------------------------------------------------------------------

R6B = """1317513291 id-560620 0 |user 1 9 |id-552077 |id-560620
1317513291 id-552077 1 |user 2 9 11 |id-560620 |id-552077
1317513290 id-552077 1 |user 2 |id-552077 |id-9

1317513293 id-1 0 |user 1 9 |id-552077 |id-560620
x id-9 0 |user 1 |id-552077 |id-9
1317513295 id-9 2 |user 1 |id-552077 |id-9
1317513296 id-9 |user 1 |id-552077 |id-9
1317513297 id-9 0 |id-552077 |id-9
1317513298 id-9 0 |user 1
1241160900 109513 0 |user 2:0.1 1:1.0 |109498 2:0.3 1:1.0 |109513 2:0.2 1:1.0
1317513299 id-9 1 |user 1 |id-9
"""
R6A = """1241160900 109513 0 |user 2:0.1 1:1.0 |109498 2:0.3 1:1.0 |109513 2:0.2 1:1.0
1241160901 109498 1 |user 2:0.1 1:1.0 |109498 2:0.3 1:1.0 |109513 2:0.2 1:1.0
1241160902 5 1 |user 2:0.1 1:1.0 |109498 2:0.3 1:1.0 |109513 2:0.2 1:1.0
1317513291 id-560620 0 |user 1 9 |id-552077 |id-560620
"""
OPEN_BANDIT = """timestamp,item_id,position,click,propensity_score,campaign
2019-11-24 00:00:00.000+00:00,3,1,0,0.25,men
2019-11-24 00:00:07+00:00,1,2,1,0.5,men
2019-11-24 00:00:09+00:00,1,3,1,0.5,women
never,1,2,1,0.5,men
2019-11-24 00:00:09+00:00,,2,1,0.5,men
2019-11-24 00:00:09+00:00,2,2,7,0.5,men
2019-11-24 00:00:09+00:00,2,2,0,1.5,men
2019-11-24 00:00:10+00:00,2,1
2019-11-24 00:00:12+00:00,2,1,1,0.125,men
"""
TABLE = """when;what;paid;offered;chance
2026-01-01;tea;2.5;tea|milk;0.5
2026-01-01T10:00:00+01:00;milk;-1;milk|tea;0.5
1767300000;tea;3;tea|milk|soup;0.25
2026-01-02;milk;;tea|milk;0.5
2026-01-02;;1;tea|milk;0.5
2026-01-02;soup;1;tea|milk;0.5
2026-01-02;tea;1;;0.5
2026-01-02;tea;1;tea|milk;0
soon;tea;1;tea|milk;0.5
2026-01-03;milk
2026-01-03;soup;4;tea|soup;1
"""


@case("logs")
def _logs() -> Results:
    texts = {"r6b": R6B, "r6a": R6A, "obd.csv": OPEN_BANDIT, "table.csv": TABLE}
    with tempfile.TemporaryDirectory() as folder:
        paths = {name: Path(folder) / name for name in texts}
        for name, text in texts.items():
            paths[name].write_text(text, encoding="utf-8")
        r, table = hs.logs, paths["table.csv"]
        named_columns = {"time": "when", "arm": "what", "reward": "paid"}
        whole = {"pool": "offered", "propensity": "chance"}
        sources = {
            "r6b": r.YahooLog((paths["r6b"],)),
            "r6a": r.YahooLog((paths["r6a"],), format="r6a"),
            "both": r.YahooLog((paths["r6b"], paths["r6a"])),
            "open bandit": r.OpenBanditLog(paths["obd.csv"]),
            "men": r.OpenBanditLog(paths["obd.csv"], campaign="men"),
            "position": r.OpenBanditLog(paths["obd.csv"], campaign="men", position=1),
            "table": r.TableLog(table, **named_columns, **whole),
            "clicks": r.TableLog(table, **named_columns, clicks=True),
            "no pool": r.TableLog(table, **named_columns),
        }
        found: Results = {}
        for name, source in sources.items():
            answer = refused(functools.partial(r.collect, source))
            if isinstance(answer, str):
                found[name] = answer
                continue
            events, report = answer
            found |= named(name, columns(events))
            found[f"{name} lines"] = [report.lines, report.events, report.backwards]
            found[f"{name} skipped"] = sorted(report.skipped.values())
            for reason, count in report.skipped.items():
                found[f"{name} skipped: {word(reason)}"] = count
            found[f"{name} span"] = [report.first_time, report.last_time, report.bytes]
        out = Path(folder) / "events.parquet"
        r.convert(sources["r6b"], out)
        return found | named("parquet", columns(r.read_events(out)))
