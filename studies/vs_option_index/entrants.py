"""Who meets: the policies, with published constants and with what may be tuned, as data."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import highseason as hs
from highseason.advice import Axis, Space
from highseason.advice.trials import axes
from highseason.policies.base import WeighingPolicy
from studies.paper import REGULATED, SAME_RULE
from studies.vs_option_index.settings import Meeting

#: Our policy, and the same index without regulation.
OPTION, TWIN = "option-index", "option-index, unregulated"
#: The end of the label of a policy with published constants, and of one that counts visitors.
UNTUNED, COUNTING = ", untuned", ", counting visitors"
#: A costly policy tries this many candidates, divided by the number of arms.
_COSTLY = 100
#: The variance of a coin whose rate may be anything: what KL-UCB knows of the noise by itself.
_COIN = 1 / 6
#: The radius is searched around the noise of a turn, which differs by powers of ten.
_P_RANGE = (1e-3, 30.0)


@dataclass(frozen=True)
class Entrant:
    """A policy that takes part."""

    label: str
    policy: hs.Policy  # With its default constants
    group: str  # "paper", "baseline" or "ours"
    plain: str = ""  # The label of the same rule without regulation
    published: hs.Policy | None = None  # With the constants of the paper, for its settings
    costly: bool = False  # Whether a turn costs time for every arm: fewer candidates are tried
    fixed: bool = False  # Whether it is played as it is, without tuning

    @property
    def is_rival(self) -> bool:
        """Whether the option index is to beat it on the paper's settings."""
        return self.group == "paper" or self.label in ("greedy", "ada-ucb")


def _paper(kind: type[hs.Policy]) -> Entrant:
    plain = SAME_RULE.get(kind.name, "")
    return Entrant(kind.name, kind(), "paper", plain, kind.profile("paper"))


_PAPER: tuple[type[hs.Policy], ...] = (hs.EpsilonGreedy, hs.UCB, *REGULATED)
#: Everyone: a policy that is added here meets the others in every setting.
ENTRANTS: tuple[Entrant, ...] = (
    *map(_paper, _PAPER),
    Entrant("greedy", hs.Greedy(), "baseline"),
    Entrant("ada-ucb", hs.AdaUCB(), "baseline", "ucb"),
    Entrant("constant-epsilon", hs.ConstantEpsilon(), "baseline"),
    Entrant("thompson", hs.Thompson(), "baseline", costly=True),
    Entrant("kl-ucb", hs.KLUCB(), "baseline", costly=True),
    Entrant(TWIN, hs.OptionIndex(regulated=False), "ours"),
    Entrant(OPTION, hs.OptionIndex(), "ours", TWIN),
)
#: These are made for arms that come and go, and play there only.
MORTAL: tuple[Entrant, ...] = (
    *map(_paper, (hs.SoftUCBMortal, hs.UCBL)),
    Entrant("ucb-l, by age", hs.UCBL(xi="age"), "baseline"),
)


def _regulated(plain: Entrant) -> Iterator[Entrant]:
    """A policy as the textbook has it, and made to exploit on busy turns in three ways."""
    yield replace(plain, fixed=True)
    for regulator in (
        hs.policies.RegulateByThreshold,
        hs.policies.RegulateSoftly,
        hs.policies.RegulateAhead,
    ):
        within: Any = plain.policy
        label = f"{plain.label}, {regulator.name}"
        yield Entrant(label, regulator(within), plain.group, plain.label, fixed=True)


_TEXTBOOK = [e for e in ENTRANTS if e.label in ("constant-epsilon", "thompson", "kl-ucb")]
#: Who plays in each profile.
PROFILES: dict[str, tuple[Entrant, ...]] = {
    "everyone": ENTRANTS,
    "regulated": tuple(each for plain in _TEXTBOOK for each in _regulated(plain)),
}
#: All of them, by label.
BY_LABEL = {each.label: each for who in (*PROFILES.values(), MORTAL) for each in who}


class Lineup(NamedTuple):
    """The policies of one setting, and where each entrant finds its candidates."""

    policies: list[hs.Policy]
    families: dict[str, list[int]]
    tried: list[int]  # The rows that play games of tuning: those from which something is chosen


def entrants_of(meeting: Meeting, profile: str = "everyone") -> Iterator[Entrant]:
    """Who takes part in a setting.

    Where visitors are counted, rivals may count turns or visitors (they are given the true rho, by
    which visitors count for less); the option index counts visitors and learns rho.
    """
    mortal = MORTAL if meeting.lifetimes and profile == "everyone" else ()
    for each in (*PROFILES[profile], *mortal):
        if meeting.rho is None:
            yield each
        elif each.group == "ours":
            yield replace(each, policy=each.policy.counting("visitors"))
        else:
            yield replace(each, policy=each.policy.counting("turns"))
            policy = _counting(each.policy, meeting.rho)
            plain = each.plain and each.plain + COUNTING
            if policy is not None:
                yield replace(each, label=each.label + COUNTING, policy=policy, plain=plain)


def _counting(policy: hs.Policy, rho: float) -> hs.Policy | None:
    """The policy, or the one within, counting visitors; None if it cannot."""
    if isinstance(policy, WeighingPolicy):
        return replace(policy, count="visitors", rho=rho)
    within = _counting(policy.base, rho) if isinstance(policy, hs.policies.Wrapper) else None
    changed: dict[str, Any] = {"base": within}
    return None if within is None else replace(policy, **changed)


def lineup(meeting: Meeting, candidates: int, entrants: Iterable[Entrant]) -> Lineup:
    """Entrants as they are published, and `candidates` of those that have something to tune."""
    who = Lineup([], {}, [])
    for each in entrants:
        space = _space(each.policy, meeting)
        count = min(candidates, _COSTLY // meeting.rewards.arms) if each.costly else candidates
        tuned = space.candidates(count) if space.axes and count > 1 and not each.fixed else []
        as_published = each.published if meeting.published and each.published else each.policy
        first = len(who.policies)
        who.policies.extend([as_published, *tuned])
        rows = list(range(first, len(who.policies)))
        who.families[each.label + (UNTUNED if tuned else "")] = rows[:1]
        if tuned:
            who.families[each.label] = rows[1:]
        if each.group != "ours" and (tuned or not each.costly) and not each.fixed:
            who.tried.extend(rows)
    return who


def _space(policy: hs.Policy, meeting: Meeting) -> Space:
    counts = getattr(policy, "count", "turns") == "visitors"
    noise = meeting.visitor_noise if counts else meeting.noise
    if isinstance(policy, hs.KLUCB):
        noise /= _COIN if meeting.rho is None else meeting.visitor_noise
    return Space(policy, tuple(_scaled(axis, noise) for axis in axes(policy)))


def _scaled(axis: Axis, noise: float) -> Axis:
    low, high = _P_RANGE
    return replace(axis, low=low * noise, high=high * noise) if axis.name == "P" else axis
