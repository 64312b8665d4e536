"""`advise`: search good parameters in each world, judge them in fresh games, look for flips."""

import itertools
import math
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from highseason import bounds as theorems
from highseason.advice.advice import Advice
from highseason.advice.cautions import cautions, greedy_is_as_good
from highseason.advice.comparison import NOTICEABLE, WorldComparison, judge, spaces, tried
from highseason.advice.demand import in_words, unknown_demand
from highseason.advice.trials import Progress, Space, Trial, Zoom, derive_seed, on_games
from highseason.advice.worlds import FEW_RHOS, RHOS, TYPICAL_RATES, Rates, World
from highseason.bandit.prices import tax_of, warn_of
from highseason.bounds import NoTheoremError
from highseason.core.parallel import Executors, LocalPool, Pool, map_blocks, opened
from highseason.core.random import seed_key
from highseason.core.validation import whole_number
from highseason.core.warnings import quiet
from highseason.engine import SimulationResult, simulate
from highseason.engine.gpu.pool import GpuPool
from highseason.policies import Greedy, Policy, parse
from highseason.rewards import Rewards, check_offers
from highseason.rewards.text import parse_range, usual_rewards
from highseason.traffic import Multiplier, as_multiplier

#: What the games of a verdict may cost, in turns times what a turn of the slowest policy takes.
_WORK = 5e6
#: Games to judge by, and to search by: at least and at most.
_GAMES, _SEARCH_GAMES = (100, 1000), (40, 100)
#: While the answer is undecided, further rounds of games are played, at most this many in all.
_ROUNDS = 3
#: Other worlds are judged in at most this share of the games, in rounds of at least this many.
_ELSEWHERE, _FEWEST = 0.3, 30
#: Searches that are handed out to each worker: some take much longer than others.
_AHEAD = 16
#: How often the gap between two correlations is halved to find where the answer flips.
_HALVINGS = 2
#: In this search, a correlation below this is none.
_LEAST_RHO = 1e-6


def advise(
    multiplier: Any,
    arms: int | None = None,
    *,
    prices: Any = None,
    cost: Any = 0.0,
    tax: Any = 0.0,
    rates: Rates | str | None = None,
    rho: float | None = None,
    gap: float | None = None,
    rewards: str | Rewards | None = None,
    turns: int | None = None,
    games: int | None = None,
    seed: int = 0,
    policies: Iterable[Policy | str] = (),
    bounds: bool = False,
    executor: Executors = None,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Advice:
    """Recommend a policy for this traffic; say what that assumes, and where the answer flips.

    The parameters of every policy are searched in some games, and the policies judged in others.
    The simplest policy is advised that no other beats clearly and noticeably (0.15% of the reward):
    greedy first, then the option index, which has nothing to tune, then tuned policies, those that
    ignore G before those that are regulated by it.  The comparison is repeated for other
    correlations of a turn's visitors (rho), and for typical rates if none are given, because these
    decide what a turn teaches.

    Args:
        multiplier: G: anything `as_multiplier` takes.
        arms: The number of arms, at least 2; or `prices`.
        prices: Arms that are prices of one thing, as for `hs.rewards.prices`.  Demand is unknown:
            every game draws a curve.  The advice is in money.
        cost: What a sold piece costs, or a list with a cost for each price.
        tax: The tax in the prices, such as 0.19 or "19%", where costs have none in them.
        rates: The range of the arms' conversion rates, such as (0.02, 0.04) or "2%..4%"; of prices,
            of the rate at the middle of the ladder.
        rho: The correlation of the decisions of two visitors of the same turn; 0 if unknown.
        gap: How far the second best arm is below the best, if known.
        rewards: "visitors", where every visitor of a turn counts; "bernoulli", the paper's world,
            where a turn is one draw; or a reward model, such as `hs.rewards.prices`, where demand
            is of a known kind.  By default "visitors", and "bernoulli" for a shape such as `wave`.
        turns: The number of turns, where the multiplier is the name of a shape.
        games: The number of games to judge by; up to three times as many while the answer is
            undecided.  1,000 by default, fewer in long seasons with many arms, so that it takes
            less than a minute.
        seed: Same seed, same advice.
        policies: More candidates.  The parameters of one that is given by its name alone, such as
            "ada-ucb", are searched; others are tried as they are.
        bounds: Also compute safe bounds on regret, for typical arms.
        executor: Where it runs: "local" (all cores), "serial", "ray", "dask", "ray://HOST:PORT",
            "dask://HOST:PORT", or any `concurrent.futures.Executor`.
        workers: How many workers; all there are if None.
        progress: Called with (worlds done, worlds in total).

    Returns:
        The advised policy with its plan, what each policy earns in each world, and what to watch
        out for.  `print` it for all of it in words.

    >>> import highseason as hs
    >>> G = hs.traffic.from_values([900, 1000, 1200, 5000, 6000] * 8)
    >>> advice = advise(G, arms=3, rates=(0.2, 0.8), games=40)
    >>> advice.answer, str(advice.policy), advice.others[-1].world.rho
    ('greedy', 'greedy', 1.0)
    """
    G = as_multiplier(multiplier, turns)
    model = rewards or usual_rewards(G)
    ranges: tuple[Rates | None, ...] = TYPICAL_RATES if model == "visitors" else (None,)
    if rates is not None:
        if not isinstance(model, str):
            raise ValueError("give either rates or a reward model, which has its own")
        low, high = parse_range("rates", rates) if isinstance(rates, str) else rates
        ranges = ((float(low), float(high)),)
    if prices is not None:
        if given := [name for name, value in (("arms", arms), ("rewards", rewards)) if value]:
            raise ValueError(
                f"give either prices or {given[0]}: prices are the arms, and the world is one of "
                "unknown demand; where its kind is known, rewards=hs.rewards.prices(…) alone"
            )
        offers = check_offers("prices", prices, cost, tax=tax_of(tax))
        warn_of([offer.price for offer in offers])
        level = ranges[0] if rates else None
        mains = [World(unknown_demand(offers, level, rho or 0.0), in_words(offers, level))]
    elif arms is None and not isinstance(model, Rewards):
        raise ValueError("give the number of arms, or prices=[…] where they are prices")
    else:
        count = model.arms if arms is None and isinstance(model, Rewards) else arms or 0
        mains = [World.of(model, count, each, rho, gap) for each in ranges]
    arms = mains[0].rewards.arms
    if gap is not None and mains[0].rewards.offers is not None:
        raise ValueError("gap has no meaning for prices, which lie on one demand curve")
    worlds = mains[:1]
    if worlds[0].rho is not None:  # what else may be true: other correlations, and other rates
        rhos = FEW_RHOS if len(mains) > 1 else RHOS
        pairs = [(world, other) for world in mains for other in rhos]
        worlds += [w.with_rho(r) for w, r in pairs if w is not mains[0] or r != w.rho]
    seed_key(seed)  # so that an error names the seed that was passed, not one derived from it
    games = affordable(G, arms) if games is None else whole_number("games", games, at_least=2)
    own, also = list[Policy](), list[Policy]()
    for each in policies:
        searched = isinstance(each, str) and ":" not in each
        (also if searched else own).append(parse(each) if isinstance(each, str) else each)
    comparisons: list[WorldComparison] = []
    refine = len(worlds) > 1 and len(mains) == 1
    total, report = len(worlds) + _HALVINGS * refine, progress or (lambda done, total: None)
    # Quiet as a whole: what the threads of a pool silence each would not be restored in order.
    with quiet(), opened(executor, workers) as pool:
        report(0, total)
        study = Judge(G, games, seed, pool, tuple(own), tuple(also))
        for comparison in study.comparisons(worlds, refine):
            comparisons.append(comparison)
            report(len(comparisons), max(total, len(comparisons)))
    first = comparisons[0]
    with quiet():  # the advice lists what is unusual, once
        plan = first.policy.plan(G, arms)
    warnings = cautions(G, arms)
    if first.world.rho is None and G.turns > arms and first.answer == "greedy":
        warnings.append(greedy_is_as_good(G.turns, arms))
    safe = []
    for one in first.compared if bounds and G.turns >= arms else ():
        with suppress(NoTheoremError):
            player = one.policy if first.world.rho is None else one.policy.counting("visitors")
            low, high = first.world.rewards.reward_range  # policies learn shares of it
            shares = (first.world.typical() - low) / (high - low)
            safe.append((one.policy, theorems.regret(player, shares, multiplier=G)))
    return Advice(
        comparison=first,
        others=tuple(sorted(comparisons[1:], key=lambda one: one.world.rho or 0.0)),
        plan=plan,
        warnings=tuple(warnings),
        bounds=tuple(safe) if bounds else None,
        rates_known=len(mains) == 1,
        seed=seed,
    )


def affordable(G: Multiplier, arms: int) -> int:
    """How many games a verdict may play, so that all of it takes less than a minute."""
    return int(np.clip(_WORK / (G.turns * (3 + 0.4 * arms)), *_GAMES))


class Finalists(NamedTuple):
    """The best of each policy, and how many candidates were looked at."""

    policies: tuple[Policy, ...]
    tried: int


@dataclass(frozen=True)
class Judge:
    """Searches and judges, in every world on the same games."""

    G: Multiplier
    games: int
    seed: int
    executor: Pool
    policies: tuple[Policy, ...] = ()  # tried as they are
    also: tuple[Policy, ...] = ()  # searched
    rounds: int = _ROUNDS

    def comparisons(self, worlds: list[World], refine: bool) -> Iterator[WorldComparison]:
        """The comparison of each world, then those around the flip that is nearest to the first."""
        (best,) = self.finalists(worlds[:1])
        done = [self.verdict(worlds[0], best)]
        yield done[0]
        for comparison in self.glances(worlds[1:], best):
            done.append(comparison)
            yield comparison
        for _ in range(_HALVINGS * refine):
            between = middle_of_flip(done)
            if between is None:
                return
            done += self.glances([worlds[0].with_rho(between)], best)
            yield done[-1]

    def verdict(self, world: World, finalists: Finalists) -> WorldComparison:
        """The comparison in a world; with more games as long as these might change the answer."""
        played = self.played(world, finalists, 1)
        comparison = judge(world, finalists.policies, played, finalists.tried)
        for number in range(2, self.rounds + 1):
            if comparison.decided and comparison.settled:
                break
            more = self.played(world, finalists, number).moments
            both = {name: one.merge(more[name]) for name, one in played.moments.items()}
            played = replace(played, moments=both)
            comparison = judge(world, finalists.policies, played, finalists.tried)
        return comparison

    def glances(self, worlds: list[World], near: Finalists) -> Iterator[WorldComparison]:
        """The comparisons in other worlds, in fewer games."""
        most = max(2, round(_ELSEWHERE * self.games))
        size = max(most // _ROUNDS, min(most, _FEWEST))
        few = replace(self, games=size, rounds=most // size)
        for world, best in zip(worlds, few.finalists(worlds, near), strict=True):
            yield few.verdict(world, best)

    def finalists(self, worlds: list[World], near: Finalists | None = None) -> Iterator[Finalists]:
        """The best of each policy in games for the search, near the best of another world.

        A worker searches for one policy in one world at a time; a GPU does all it can at once.
        """
        every, jobs = [self.spaces(world) for world in worlds], []
        for world, some in zip(worlds, every, strict=True):
            known = () if near is None else near.policies
            starts = known if len(known) == len(some) else [None] * len(some)
            jobs += [(world.rewards, *each) for each in zip(some, starts, strict=True)]
        if isinstance(self.executor, GpuPool):
            searched: Iterator[tuple[Trial, ...]] = map(self.search, jobs)
        else:
            alone = replace(self, executor=LocalPool(1))
            searched = map_blocks(alone.search, jobs, self.executor, in_flight=_AHEAD)
        for some in every:
            trials = list(itertools.islice(searched, len(some)))
            yield Finalists(tuple(each[0].policy for each in trials), sum(map(len, trials)))

    def spaces(self, world: World) -> list[Space]:
        """What is searched in a world.

        Where greedy clearly loses less than is noticeable, nothing can beat it, so nothing is
        tuned.
        """
        priced = world.rewards.offers is not None
        every = spaces(tried(world.rho, self.also, priced), self.policies)
        played = self.played(world, Finalists((Greedy(),), 1), 0)
        loss, error = played.mean("regret", 0), played.error("regret", 0)
        if loss + 3 * error < NOTICEABLE * played.best_reward:
            return [space for space in every if not space.axes]
        return every

    def search(self, job: tuple[Rewards, Space, Policy | None]) -> tuple[Trial, ...]:
        """All candidates of one policy, the best first; near the best of another world, if any."""
        rewards, space, near = job
        games = int(np.clip(min(self.games / 10, 150_000 / self.G.turns), *_SEARCH_GAMES))
        evaluate = on_games(rewards, self.G, derive_seed(self.seed, "search"), self.executor)
        return Zoom(games=games).search(space, evaluate, near)

    def played(self, world: World, finalists: Finalists, number: int) -> SimulationResult:
        """A round of fresh games; round 0 is not for a verdict."""
        players = {str(i): policy for i, policy in enumerate(finalists.policies)}
        with quiet():
            return simulate(
                players, world.rewards, self.G, self.games,
                derive_seed(self.seed, f"verdict/{number}"), executor=self.executor, keep="summary",
            )  # fmt: skip


def middle_of_flip(done: list[WorldComparison]) -> float | None:
    """A correlation between the two nearest ones where the first answer holds and does not."""
    rhos = sorted((one.world.rho or 0.0, one.answer) for one in done)
    own = done[0].world.rho or 0.0
    flips = [(a, b) for (a, one), (b, other) in itertools.pairwise(rhos) if one != other]
    if not flips:
        return None
    below, above = next((pair for pair in flips if pair[0] >= own), flips[-1])
    return math.sqrt(max(below, _LEAST_RHO) * above) if above > _LEAST_RHO else None
