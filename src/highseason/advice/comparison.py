"""The comparison in one world: what is tried there, which policy is advised, and by how much."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, Literal

from highseason.advice.trials import Space, axes
from highseason.advice.worlds import World
from highseason.core.text import percent
from highseason.engine import Estimate, SimulationResult, with_interval
from highseason.policies import Policy, WeighingPolicy, registry

#: When a policy explores: never, regardless of G, or regulated by G.
Kind = Literal["greedy", "unregulated", "regulated"]
#: Never explore, explore at any time, or explore when it is quiet.
Answer = Literal["greedy", "explore", "regulate"]
#: Nothing beats greedy, or what does: exploring more than it, less than it, or when it is quiet.
Reason = Literal["greedy-is-enough", "exploring-pays", "exploring-less-pays", "regulating-pays"]

#: The kinds, the simplest first.
KINDS: tuple[Kind, ...] = ("greedy", "unregulated", "regulated")

#: A lead is noticeable, and worth a more elaborate policy, above this share of the best arm's
#: reward, and above this share of what the policy behind loses.
NOTICEABLE, OF_LOSS = 0.0015, 0.05
#: Leads below this are none.
_LEVEL = 5e-5
#: A policy explores less than greedy if this much more of its reward comes from exploiting.
_LESS = 0.01


def kind_of(policy: Policy) -> Kind:
    """Whether a policy explores, and whether G regulates it, as its class declares.

    >>> import highseason as hs
    >>> kind_of(hs.UCB()), kind_of(hs.UCBZ()), kind_of(hs.Greedy())
    ('unregulated', 'regulated', 'greedy')
    """
    if not policy.explores:
        return "greedy"
    return "regulated" if policy.looks_at_g else "unregulated"


def candidates(priced: bool = False) -> list[Policy]:
    """Every policy that declares itself a candidate, the simplest first.

    Of those that are level, the first is advised.  Greedy is the simplest; what has no
    constants comes before what has to be tuned, and what ignores G before what is regulated by it.
    Where arms are prices, what knows them comes right after greedy, and nothing is tuned.
    """
    found = (cls for cls in registry().values() if cls.candidate is not None)
    ordered = sorted(found, key=lambda cls: cls.candidate or 0)
    every = [policy for cls in ordered for policy in cls.candidates()]
    if priced:
        return [policy for policy in every if not axes(policy)]
    return [policy for policy in every if not policy.rule.constants]


def tried(rho: float | None, also: Sequence[Policy] = (), priced: bool = False) -> list[Policy]:
    """The policies for a world, with others asked for.

    Where visitors are counted, a policy is given their correlation, as it would be in a shop: by
    the same assumption, or by `highseason noise`.  The option index learns it.

    >>> [str(policy) for policy in tried(0.01)[:2]]
    ['greedy:rho=0.01', 'option-index']
    """
    known = dict.fromkeys((*candidates(priced), *also))
    return [
        p.with_values({"rho": rho}) if rho and isinstance(p, WeighingPolicy) else p for p in known
    ]


def spaces(policies: Sequence[Policy], more: Iterable[Policy] = ()) -> list[Space]:
    """Every policy with its axes; policies of your own are tried as they are.

    >>> import highseason as hs
    >>> first, last = spaces([hs.UCBZ()], [hs.UCB(P=0.1)])
    >>> [axis.name for axis in first.axes], str(last.start)
    (['z', 'P'], 'ucb:P=0.1')
    """
    own = (Space(policy, ()) for policy in more if policy not in policies)
    return [*(Space(policy, axes(policy)) for policy in policies), *own]


@dataclass(frozen=True, eq=False)
class Compared:
    """One policy beside the advised one, in games that were not used to search.

    Attributes:
        policy: With the parameters that did best in the search.
        kind: Whether it explores never, regardless of G, or regulated by G.
        regret: The mean regret of a game.
        error: Its standard error.
        earned: The share of the best arm's reward.
        exploited: The share of its own reward that came from playing the leader.
        lead: How far the advised policy is ahead, as a share of the best arm's reward; paired, with
            its 95% interval.
    """

    policy: Policy
    kind: Kind
    regret: float
    error: float
    earned: float
    exploited: float
    lead: Estimate

    @property
    def probability(self) -> float:
        """That the advised policy is really better: that the true lead is above zero."""
        if self.lead.error > 0:
            return NormalDist().cdf(self.lead.value / self.lead.error)
        return 0.5 if self.lead.value == 0 else float(self.lead.value > 0)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "policy": str(self.policy),
            "name": self.policy.label,
            "parameters": self.policy.to_dict(),
            "kind": self.kind,
            "regret_mean": self.regret,
            "regret_se": self.error,
            "earned_share": self.earned,
            "exploited_share": self.exploited,
            "advised_ahead": self.lead.value,
            "advised_ahead_low": self.lead.low,
            "advised_ahead_high": self.lead.high,
            "chance_advised_better": self.probability,
        }


@dataclass(frozen=True, eq=False)
class WorldComparison:
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
    def reason(self) -> Reason:
        """Why this answer; greedy tries every arm once, and may be beaten by trying less."""
        if self.answer == "explore":
            less = self.chosen.exploited > self.best("greedy").exploited + _LESS
            return "exploring-less-pays" if less else "exploring-pays"
        return "regulating-pays" if self.answer == "regulate" else "greedy-is-enough"

    @property
    def verdict(self) -> str:
        """What to use here, and whether exploring and regulating pay: two sentences."""
        rival, greedy, plain = self.runner_up, self.best("greedy"), self.best("unregulated")
        earned = percent(self.chosen.earned, 2)
        loss = f"greedy is {_ahead(greedy.lead)}"
        ignores = f"{plain.policy}, the best policy that ignores traffic, is {_ahead(plain.lead)}"
        if self.answer == "greedy":
            reason = (
                "Neither exploring nor regulating pays: nothing tried is noticeably better than "
                f"showing every {self.world.arm} once and then the leader (the strongest rival, "
                f"{rival.policy}, is {_ahead(rival.lead)})."
            )
        elif self.answer == "regulate":
            reason = f"Regulating pays: {ignores}, and {loss}."
        else:
            reason = f"Exploring pays ({loss}), but regulating it by traffic "
            if self.reason == "exploring-less-pays":
                tries, fewer = (percent(1.0 - one.exploited) for one in (greedy, self.chosen))
                reason = (
                    f"Exploring less than greedy pays ({loss}: it tries all "
                    f"{self.world.rewards.arms} {self.world.arm}s first and earns {tries} of its "
                    f"reward with tries, this policy {fewer}), but regulating it by traffic "
                )
            if self.chosen.kind == "regulated":
                reason += f"makes no clear difference: {ignores}."
            else:
                best = self.best("regulated")
                reason += (
                    f"does not: the best policy that does, {best.policy}, is {_ahead(best.lead)}."
                )
        if not self.settled:
            most = f"{100 * max(0.0, -rival.lead.low):.2f} points"
            reason += f"  This is not settled: {rival.policy} may be ahead by up to {most}."
        elif rival.lead.value < -_LEVEL and str(rival.policy) not in reason:
            reason = f"{reason[:-1]}; {rival.policy} is {_ahead(rival.lead)}, hardly noticeably."
        earned = f"{earned} of what the best {self.world.arm} would"
        return f"Use {self.policy}: it earns {earned}.  {reason}"

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "rewards": self.world.rewards.name,
            "rates": self.world.rates,
            "rho": self.world.rho,
            "policy": str(self.policy),
            "answer": self.answer,
            "reason": self.reason,
            "regulating_pays": self.answer == "regulate",
            "settled": self.settled,
            "earned_share": self.chosen.earned,
            "compared": [one.to_dict() for one in self.compared],
            "candidates": self.tried,
            "games": self.games,
        }


def judge(
    world: World, policies: Sequence[Policy], result: SimulationResult, tried: int
) -> WorldComparison:
    """Advise the simplest policy (they come in that order) that no other clearly beats."""
    leads = Leads(result, [kind_of(policy) for policy in policies])
    order = sorted(range(len(policies)), key=lambda i: (result.mean("regret", i), i))
    chosen, answer = leads.choose()
    compared = []
    for i in order:
        regret, error = result.mean("regret", i), result.error("regret", i)
        shares = 1.0 - regret / result.best_reward, result.exploited_share(i)
        lead = leads.of(chosen, i)
        compared.append(Compared(policies[i], leads.kinds[i], regret, error, *shares, lead))
    return WorldComparison(
        world=world,
        policy=policies[chosen],
        answer=answer,
        compared=tuple(compared),
        settled=all(one.lead.low > -2 * leads.noticeable(chosen) for one in compared),
        decided=leads.decide(chosen, answer, order),
        tried=tried,
        games=int(result.moments["regret"].count),
    )


@dataclass(frozen=True)
class Leads:
    """Paired leads between the policies of a result."""

    result: SimulationResult
    kinds: list[Kind]

    def of(self, ahead: int, behind: int, confidence: float = 0.95) -> Estimate:
        """By how much one regret is below another, as a share of the best arm's reward."""
        moments = self.result.moments["regret"]
        c = moments.covariance
        value = float(moments.mean[behind] - moments.mean[ahead])
        variance = float(c[behind, behind] - 2 * c[behind, ahead] + c[ahead, ahead])
        error = math.sqrt(max(variance, 0.0) / moments.count)
        most = self.result.best_reward
        return with_interval(value / most, error / most, confidence)

    def noticeable(self, behind: int) -> float:
        """The lead over a policy from which on it is worth another one."""
        loss = float(self.result.moments["regret"].mean[behind]) / self.result.best_reward
        return max(NOTICEABLE, OF_LOSS * loss)

    def beats(self, ahead: int, behind: int) -> bool:
        """Clearly, although the best of many is looked at, and noticeably."""
        lead = self.of(ahead, behind, 1 - 0.05 / len(self.kinds))
        return lead.low > 0 and lead.value > self.noticeable(behind)

    def choose(self) -> tuple[int, Answer]:
        """The simplest policy that no other beats, or for which regulating pays; the answer.

        Regulating pays for a regulated policy that beats every policy that is not.
        """
        every = range(len(self.kinds))
        rest = [j for j in every if self.kinds[j] != "regulated"]
        unbeaten = [i for i in every if not any(self.beats(j, i) for j in every if j != i)]
        if self.kinds[unbeaten[0]] == "greedy":
            return unbeaten[0], "greedy"
        paying = [i for i in unbeaten if i not in rest and all(self.beats(i, j) for j in rest)]
        return (paying[0], "regulate") if paying else (unbeaten[0], "explore")

    def decide(self, chosen: int, answer: Answer, order: Sequence[int]) -> bool:
        """Whether no lead that decides is a tie: one that may or may not be noticeable.

        These are the leads of the best policy over every one that is as simple as the chosen one,
        and that of the best regulated policy over the best of the others; `order` is by regret.
        """
        pairs = [(order[0], i) for i in range(chosen + 1)]
        best = {self.kinds[i] == "regulated": i for i in reversed(order)}
        if answer != "greedy" and len(best) == 2:
            pairs.append((best[True], best[False]))
        leads = ((self.of(*pair), self.noticeable(pair[1])) for pair in pairs)
        return all(abs(lead.value - limit) >= 2 * lead.error for lead, limit in leads)


def plus_minus(lead: Estimate) -> str:
    """A lead in percentage points, with half its interval.

    >>> plus_minus(Estimate(0.0481, 0.0083, 0.0318, 0.0644))
    '+4.81 ± 1.63'
    """
    if not math.isfinite(lead.error):
        return f"{100 * lead.value:+.2f}"
    return f"{100 * lead.value:+.2f} ± {100 * (lead.high - lead.value):.2f}"


def _ahead(lead: Estimate) -> str:
    """Where another policy is, seen from the advised one.

    >>> _ahead(Estimate(0.0481, 0.0083, 0.0318, 0.0644)), _ahead(Estimate(0, 0, 0, 0))
    ('4.81 ± 1.63 points behind', 'level')
    """
    if abs(lead.value) < _LEVEL:
        return "level"
    return f"{plus_minus(lead).lstrip('+-')} points {'behind' if lead.value > 0 else 'ahead'}"
