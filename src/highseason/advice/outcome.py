"""The comparison in one world: which policy is advised there, and what it leads by."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, Literal

from highseason.advice.candidates import Kind, documented_parameters, kind_of
from highseason.advice.worlds import World
from highseason.engine import Estimate, SimulationResult, with_interval
from highseason.policies import Policy

#: A lead is noticeable, and worth a more elaborate policy, above this share of the best arm's
#: reward, and above this share of what the policy behind loses.
NOTICEABLE, OF_LOSS = 0.0015, 0.05
_RANK: dict[Kind, int] = {"greedy": 0, "unregulated": 1, "regulated": 2}

#: Never explore, explore at any time, or explore when it is quiet.
Answer = Literal["greedy", "explore", "regulate"]


@dataclass(frozen=True, eq=False)
class Compared:
    """One policy beside the advised one, in games that were not used to search.

    Attributes:
        policy: With the parameters that did best in the search.
        kind: Whether it explores never, regardless of G, or regulated by G.
        regret: The mean regret of a game.
        error: Its standard error.
        earned: The share of the best arm's reward.
        lead: How far the advised policy is ahead, as a share of the best arm's reward; paired, with
            its 95% interval.
        probability: That the advised policy is really better.
    """

    policy: Policy
    kind: Kind
    regret: float
    error: float
    earned: float
    lead: Estimate
    probability: float

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "policy": str(self.policy),
            "name": self.policy.label,
            "parameters": documented_parameters(self.policy),
            "kind": self.kind,
            "regret_mean": self.regret,
            "regret_se": self.error,
            "earned_share": self.earned,
            "advised_ahead": self.lead.value,
            "advised_ahead_low": self.lead.low,
            "advised_ahead_high": self.lead.high,
            "chance_advised_better": self.probability,
        }


@dataclass(frozen=True, eq=False)
class WorldOutcome:
    """What is best in one world.

    Attributes:
        world: What was assumed.
        policy: The advised policy.
        answer: Whether to explore, and whether it matters when: "greedy" if no policy beats it,
            "regulate" if the advised policy beats everything that is not regulated.
        compared: The best of each policy, the advised one included, least regret first.
        settled: Whether no other policy can be ahead by more than twice what is noticeable.
        decided: Whether the leads that decide the answer are clearly above or below what is
            noticeable, so that other games would hardly change it.
        tried: The number of candidates.
        games: The number of games that were judged.
    """

    world: World
    policy: Policy
    answer: Answer
    compared: tuple[Compared, ...]
    settled: bool
    decided: bool
    tried: int
    games: int

    @property
    def chosen(self) -> Compared:
        """The advised policy's own entry."""
        return next(one for one in self.compared if one.policy == self.policy)

    def best(self, kind: Kind) -> Compared:
        """The best entry of a kind."""
        return next(one for one in self.compared if one.kind == kind)

    @property
    def runner_up(self) -> Compared:
        """The strongest rival of the advised policy."""
        return next(one for one in self.compared if one.policy != self.policy)

    @property
    def pays(self) -> bool:
        """Whether regulating clearly pays."""
        return self.answer == "regulate"

    def rows(self) -> Iterator[dict[str, Any]]:
        """A row for each policy, for a table of several worlds."""
        world = {"rewards": self.world.rewards.name, "rates": self.world.rates}
        for one in self.compared:
            row = one.to_dict() | {"advised": one.policy == self.policy, "settled": self.settled}
            yield world | {"rho": self.world.rho} | row

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "rewards": self.world.rewards.name,
            "rates": self.world.rates,
            "rho": self.world.rho,
            "policy": str(self.policy),
            "answer": self.answer,
            "regulating_pays": self.pays,
            "settled": self.settled,
            "earned_share": self.chosen.earned,
            "compared": [one.to_dict() for one in self.compared],
            "candidates": self.tried,
            "games": self.games,
        }


def judge(
    world: World, policies: Sequence[Policy], result: SimulationResult, tried: int
) -> WorldOutcome:
    """Advise the simplest policy (they come in that order) that no other clearly beats."""
    leads = _Leads(result, [_RANK[kind_of(policy)] for policy in policies])
    order = sorted(range(len(policies)), key=lambda i: (result.mean("regret", i), i))
    chosen, answer = leads.choose()
    compared = tuple(_compared(result, i, policies[i], leads.of(chosen, i)) for i in order)
    return WorldOutcome(
        world=world,
        policy=policies[chosen],
        answer=answer,
        compared=compared,
        settled=all(one.lead.low > -2 * leads.noticeable(chosen) for one in compared),
        decided=leads.decide(chosen, answer, order),
        tried=tried,
        games=int(result.moments["regret"].count),
    )


@dataclass(frozen=True)
class _Leads:
    """Paired leads between the policies of a result; `rank` is 0 for the simplest kind."""

    result: SimulationResult
    rank: list[int]

    def of(self, ahead: int, behind: int, level: float = 0.95) -> Estimate:
        """By how much one regret is below another, as a share of the best arm's reward."""
        moments = self.result.moments["regret"]
        c = moments.covariance
        value = float(moments.mean[behind] - moments.mean[ahead])
        variance = float(c[behind, behind] - 2 * c[behind, ahead] + c[ahead, ahead])
        error = math.sqrt(max(variance, 0.0) / moments.count)
        most = self.result.best_reward
        return with_interval(value / most, error / most, level)

    def noticeable(self, behind: int) -> float:
        """The lead over a policy from which on it is worth another one."""
        loss = float(self.result.moments["regret"].mean[behind]) / self.result.best_reward
        return max(NOTICEABLE, OF_LOSS * loss)

    def beats(self, ahead: int, behind: int) -> bool:
        """Clearly, although the best of many is looked at, and noticeably."""
        lead = self.of(ahead, behind, 1 - 0.05 / len(self.rank))
        return lead.low > 0 and lead.value > self.noticeable(behind)

    def pays(self, i: int) -> bool:
        """Whether a regulated policy beats every policy that is not."""
        rest = [j for j, rank in enumerate(self.rank) if rank < _RANK["regulated"]]
        return self.rank[i] == _RANK["regulated"] and all(self.beats(i, j) for j in rest)

    def choose(self) -> tuple[int, Answer]:
        """The simplest policy that no other beats, or for which regulating pays; the answer."""
        every = range(len(self.rank))
        unbeaten = [i for i in every if not any(self.beats(j, i) for j in every if j != i)]
        if self.rank[unbeaten[0]] == _RANK["greedy"]:
            return unbeaten[0], "greedy"
        paying = [i for i in unbeaten if self.pays(i)]
        return (paying[0], "regulate") if paying else (unbeaten[0], "explore")

    def decide(self, chosen: int, answer: Answer, order: Sequence[int]) -> bool:
        """Whether no lead that decides is a tie: one that may or may not be noticeable.

        These are the leads of the best policy over every one that is as simple as the chosen one,
        and that of the best regulated policy over the best of the others; `order` is by regret.
        """
        pairs = [(order[0], i) for i in range(chosen + 1)]
        kinds = {self.rank[i] == _RANK["regulated"]: i for i in reversed(order)}
        if answer != "greedy" and len(kinds) == 2:
            pairs.append((kinds[True], kinds[False]))
        leads = ((self.of(*pair), self.noticeable(pair[1])) for pair in pairs)
        return all(abs(lead.value - limit) >= 2 * lead.error for lead, limit in leads)


def _compared(result: SimulationResult, i: int, policy: Policy, lead: Estimate) -> Compared:
    return Compared(
        policy=policy,
        kind=kind_of(policy),
        regret=result.mean("regret", i),
        error=result.error("regret", i),
        earned=1.0 - result.mean("regret", i) / result.best_reward,
        lead=lead,
        probability=_probability(lead),
    )


def _probability(lead: Estimate) -> float:
    """The probability that the true lead is above zero, from its estimate and error."""
    if lead.error > 0:
        return NormalDist().cdf(lead.value / lead.error)
    return 0.5 if lead.value == 0 else float(lead.value > 0)
