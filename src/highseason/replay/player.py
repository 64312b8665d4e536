"""From a policy and a prepared log to what happened: compiled where that can be, else readable."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import NDArray

from highseason.core.random import game_key
from highseason.core.validation import whole_number
from highseason.engine.abi import RuleFunctions, rule_functions
from highseason.policies import Policy
from highseason.policies.view import View
from highseason.replay.kernels.compiled import compiled_replay, empty_track
from highseason.replay.kernels.plans import CannotCompileError, CompiledPlan, compiled_plan
from highseason.replay.kernels.records import (
    COIN,
    INDEX,
    MATCHED,
    NEVER_KEPT,
    SMALL_POOL,
    Log,
    Manner,
    Track,
    Walk,
)
from highseason.replay.kernels.replay import WrongReplayError
from highseason.replay.prepared_log import PreparedLog, columns
from highseason.replay.reference import replay_reference
from highseason.rules import EPSILON, POOL, Rule

Init = Literal["first-shown", "rule"]

_NOBODY = np.zeros(0, np.int64)
_NOTHING = np.zeros(0)
_ENDLESS = 2**62

log = logging.getLogger("highseason")


@dataclass(frozen=True)
class Options:
    """How policies are replayed; see `replay` for what each means."""

    turns: int | None = None
    known_lifetimes: bool = True
    init: Init = "first-shown"
    thin: bool = False

    def __post_init__(self) -> None:
        """Wrong words and numbers are told before any work."""
        if self.init not in ("first-shown", "rule"):
            raise ValueError(f"init={self.init!r} must be 'first-shown' or 'rule'")
        if self.turns is not None:
            whole_number("turns", self.turns, at_least=1)


def walk_all(course: PreparedLog, times: int = 1) -> Walk:
    """Every record of the log in order, `times` times over."""
    records = len(course.events)
    return Walk(0, max(1, records), records * times, _NOBODY)


def walk_window(first: int, length: int) -> Walk:
    """So many records from `first` on."""
    return Walk(first, max(1, length), length, _NOBODY)


def walk_order(order: NDArray[np.int64]) -> Walk:
    """The records in an order of their own."""
    return Walk(0, max(1, order.size), order.size, np.require(order, np.int64, ["C", "W"]))


def rows_of(walk: Walk, positions: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
    """The rows of the log at some positions of a walk; at all of them if None."""
    at = np.arange(walk.records) if positions is None else positions
    return walk.order[at] if walk.order.size else walk.first + at % walk.length


def is_stochastic(policy: Policy) -> bool:
    """Whether the policy draws lots, so that it plays otherwise with another seed.

    Index rules without random ties do not, whatever wraps them; of any other rule we must think
    that it may.
    """
    return policy.ties == "random" or policy.unwrapped.rule.bonus is None


def _of_the_house(rule: Rule) -> bool:
    return rule.choose.__module__.startswith("highseason.rules.")


def _keeps(policy: Policy) -> int:
    """When a choice stands: we know it only of our own rules."""
    rule = policy.rule
    if policy.ties == "random" or not _of_the_house(rule):
        return NEVER_KEPT
    if not is_stochastic(policy):
        return INDEX
    return {EPSILON.choose: COIN, POOL.choose: SMALL_POOL}.get(rule.choose, NEVER_KEPT)


class Player:
    """One policy on one prepared log; `run` plays it along a walk, from any thread."""

    def __init__(self, policy: Policy, course: PreparedLog, options: Options) -> None:
        """Settle the policy's rules on G, and compile."""
        if policy.needs_expiry and not options.known_lifetimes:
            raise ValueError(
                f"{policy} explores by the life that arms have left, so it must be told when they "
                "expire: do not keep lifetimes unknown"
            )
        settles = bool(policy.unresolved_thresholds()) and len(course.events) > 0
        self.policy = policy.resolve_thresholds(course.G) if settles else policy
        self.course, self.options = course, options
        _refuse_future(self.policy, course)
        self._columns = columns(course)
        self._chance = _NOTHING
        self.least: NDArray[np.float64] | None = None
        if options.thin:
            self._chance, self.least = _thinning(course)
        self._plan: CompiledPlan | None = None
        self._functions: RuleFunctions | None = None
        if not len(course.events):
            return
        try:
            self._functions = rule_functions(policy.rule)
            self._plan = compiled_plan(self.policy.unwrapped)
            compiled_replay()  # here, not by every thread that plays
        except (CannotCompileError, ValueError) as reason:
            _say_slow(type(policy).__name__, str(reason).partition("\n")[0])

    def run(self, walk: Walk, seed: int = 0, number: int = 0) -> Track:
        """Play along the walk, as run `number` of `seed`."""
        if walk.records == 0:
            return _cut(empty_track(0))
        manner = self._manner(walk, game_key(seed, number))
        play: Callable[..., Track] = self._slow if self._plan is None else self._fast
        try:
            return play(walk, manner)
        except WrongReplayError as found:
            turn, arm, value = found.args
            raise ValueError(self._wrong(turn, arm, value)) from None

    def _manner(self, walk: Walk, key: int) -> Manner:
        policy, rule = self.policy, self.policy.rule
        random_ties = policy.ties == "random"
        return Manner(
            key=key,
            start=self._span(walk)[0],
            turns=self.options.turns or _ENDLESS,
            lowest=self.course.lowest,
            scale=float(policy.weight_scale),
            low=rule.allowed[0],
            high=rule.allowed[1],
            first_shown=self.options.init == "first-shown" and rule.tries_each,
            initial_arms=policy.initial_arms,
            random_ties=random_ties,
            scaled=policy.learns_scaled,
            # Rules of the house compare arms and never look at an arm's number, but for lots; one
            # that keeps numbers about the whole game may keep an arm's among them.
            compact=_of_the_house(rule) and not random_ties and rule.shared == 0,
            keeps=_keeps(policy),
        )

    def _span(self, walk: Walk) -> tuple[int, int]:
        """The first and the last clock that the walk meets."""
        bins = self.course.bins
        if walk.order.size == 0 and walk.length == len(self.course.events):
            return int(bins.clock[0]), int(bins.clock[-1])
        met = bins.of[rows_of(walk)]
        return int(bins.clock[met.min()]), int(bins.clock[met.max()])

    def _lives(self, walk: Walk) -> Any:
        known, by_expiry = self.options.known_lifetimes, self.policy.ranks_by_expiry
        return self.course.lifetimes(*self._span(walk), known, by_expiry)

    def _fast(self, walk: Walk, manner: Manner) -> Track:
        assert self._plan is not None
        assert self._functions is not None
        plan, parameters, carry = self._plan
        rule = self.policy.rule
        room = int(self.course.pools.sizes.max(initial=0))
        track = empty_track(walk.records)
        compiled_replay()(
            Log(
                **self._columns,
                chance=self._chance,
                least=_NOTHING if self.least is None else self.least,
            ),
            walk,
            self._lives(walk),
            manner._replace(key=cast(int, np.uint64(manner.key))),  # a word, however small
            parameters,
            carry.copy(),
            plan,
            rule.fresh_state(len(self.course.events.arms)),
            rule.fresh_state(room),
            *self._functions,
            track,
        )
        return _cut(track)

    def _slow(self, walk: Walk, manner: Manner) -> Track:
        lifetimes = self._lives(walk)
        return replay_reference(
            self.policy, self.course, rows_of(walk), lifetimes, manner, self.least
        )

    def _wrong(self, turn: int, arm: int, value: float) -> str:
        rule = self.policy.rule
        low, high = rule.allowed
        if np.isfinite(value) and low <= value <= high:
            return f"the rule {rule.name!r} chose arm {arm} in turn {turn}, which is not on offer"
        return (
            f"{self.policy}: the plan gives {value} at turn {turn}, but the {rule.name} rule takes "
            f"finite numbers from {low:g} to {high:g}"
        )


def _cut(track: Track) -> Track:
    """The part of the room that was used."""
    turns = int(track.counts[MATCHED])
    return Track(track.matched[:turns].copy(), track.kind[:turns].copy(), track.counts)


class _Blind(View):
    """A turn whose future nobody may look at."""

    @property
    def future(self) -> float:
        raise _LooksAheadError


class _LooksAheadError(Exception):
    """The plan asked for the weight of the turns to come."""


def _refuse_future(policy: Policy, course: PreparedLog) -> None:
    """How many turns will match is not known, so neither is what they weigh."""
    if not len(course.events):
        return
    unwrapped, arms = policy.unwrapped, int(course.pools.sizes.max())
    carry = unwrapped.begin()
    for G in (course.lowest, course.bins.middle, float(course.bins.counts.max())):
        for turn in (1, 2, 10, 1000):
            try:
                _, carry = unwrapped.step(
                    carry, _Blind(turn, G, arms, course.lowest, course.lowest, 0)
                )
            except _LooksAheadError:
                raise ValueError(
                    f"{policy} looks at view.future, the weight of the turns to come, and a replay "
                    "does not know how many will match: it cannot be replayed"
                ) from None


def _thinning(course: PreparedLog) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The chance of each event, and the least of them in each pool."""
    chance = np.require(course.events.chance, np.float64, ["C", "W"])
    least = np.full(max(1, len(course.pools)), np.inf)
    met = course.studied[course.events.arm]
    np.minimum.at(least, course.pool[met], chance[met])
    return chance, least


@functools.cache
def _say_slow(name: str, reason: str) -> None:
    log.warning("%s is replayed in Python, slowly: it cannot be compiled (%s)", name, reason)
