"""Who meets: the policies, with published constants and with what may be tuned, as data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import highseason as hs
from highseason.advice.candidates import axes
from highseason.policies.counting import CountingPolicy
from highseason.studies.meets.settings import Meeting
from highseason.studies.paper import REGULATED, SAME_RULE
from highseason.tuning import Axis, Space

#: Our policy, and the same index without regulation.
OPTION, TWIN = "option-index", "option-index, unregulated"
#: The end of the label of a policy with published constants, and of one that counts visitors.
UNTUNED, COUNTING = ", untuned", ", counting visitors"
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

    @property
    def is_rival(self) -> bool:
        """Whether the option index is to beat it on the paper's settings."""
        return self.group == "paper" or self.label == "greedy"


def _paper(kind: type[hs.Policy]) -> Entrant:
    plain = SAME_RULE.get(kind.name, "")
    return Entrant(kind.name, kind(), "paper", plain, kind.profile("paper"))


#: Everyone: a policy that is added here meets the others in every setting.
ENTRANTS: tuple[Entrant, ...] = (
    *map(_paper, (hs.EpsilonGreedy, hs.UCB, *REGULATED)),
    Entrant("greedy", hs.Greedy(), "baseline"),
    Entrant(TWIN, hs.OptionIndex(variant="unregulated"), "ours"),
    Entrant(OPTION, hs.OptionIndex(), "ours", TWIN),
)


class Lineup(NamedTuple):
    """The policies of one setting, and where each entrant finds its candidates."""

    policies: list[hs.Policy]
    families: dict[str, list[int]]


def entrants_of(meeting: Meeting) -> Iterator[Entrant]:
    """Who takes part in a setting.

    Where visitors are counted, rivals may count turns or visitors (they are given the true rho, by
    which visitors count for less); the option index counts visitors and learns rho.
    """
    for each in ENTRANTS:
        if meeting.rho is None or each.group != "ours":
            yield each
        if meeting.rho is None:
            continue
        if each.group == "ours":
            counting: dict[str, Any] = {"count": "visitors"}
            yield replace(each, policy=replace(each.policy, **counting))
        elif isinstance(each.policy, CountingPolicy):
            policy = replace(each.policy, count="visitors", rho=meeting.rho)
            plain = each.plain and each.plain + COUNTING
            yield Entrant(each.label + COUNTING, policy, each.group, plain)


def lineup(meeting: Meeting, candidates: int, entrants: Iterable[Entrant] | None = None) -> Lineup:
    """Entrants as they are published, and `candidates` of those that have something to tune."""
    policies: list[hs.Policy] = []
    families: dict[str, list[int]] = {}
    for each in entrants_of(meeting) if entrants is None else entrants:
        space = _space(each.policy, meeting)
        tried = space.candidates(candidates) if space.axes else []
        as_published = each.published if meeting.published and each.published else each.policy
        first = len(policies)
        policies += [as_published, *tried]
        families[each.label + (UNTUNED if tried else "")] = [first]
        if tried:
            families[each.label] = list(range(first + 1, len(policies)))
    return Lineup(policies, families)


def _space(policy: hs.Policy, meeting: Meeting) -> Space:
    counts = getattr(policy, "count", "turns") == "visitors"
    noise = meeting.visitor_noise if counts else meeting.noise
    return Space(policy, tuple(_scaled(axis, noise) for axis in axes(policy)))


def _scaled(axis: Axis, noise: float) -> Axis:
    low, high = _P_RANGE
    return replace(axis, low=low * noise, high=high * noise) if axis.name == "P" else axis
