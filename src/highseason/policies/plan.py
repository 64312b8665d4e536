"""A plan: how much each turn may explore, and what it may see of the world when it decides that.

With G known, or forecast for the whole season, a plan looks at all of it and is computed before the
game.  Otherwise a `Planner` makes it turn by turn, from what is expected of this turn and what was
seen before.
"""

from __future__ import annotations

import contextlib
import copy
import functools
import hashlib
import math
import sys
from bisect import insort
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields, is_dataclass
from functools import cached_property
from itertools import repeat
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, overload

import numpy as np
from numpy.typing import DTypeLike, NDArray

from highseason.core.compile import compiled
from highseason.core.jitable import jitable
from highseason.core.ordered import WithOne
from highseason.core.text import Printable, Table, counted
from highseason.core.warnings import warn_user
from highseason.policies.rule import UNKNOWN_TURNS, Turn
from highseason.traffic import Forecast, Forecaster, Multiplier, OneStep, Threshold, as_multiplier

if TYPE_CHECKING:
    import pandas as pd

    from highseason.policies.base import Policy  # for annotations: it imports this module


#: Up to this many turns times plays Python takes less time than loading a compiler.
_SHORT = 50_000

Floats = NDArray[np.float64]


class FutureUnknownError(ValueError):
    """A plan or a rule asks for the weight of the turns to come where it is unknown."""


def refuse_unknown_future(who: object, where: str) -> NoReturn:
    """The one place that says so."""
    raise FutureUnknownError(
        f"{who} looks ahead (it uses the future weight or the turns left), but {where} does not "
        "know the turns to come: give the whole multiplier, or a Forecast of the whole season"
    )


@jitable
def turns_left(t: int, turns: int, future: float) -> int:
    """How many turns follow turn `t`, as far as the future is known."""
    return UNKNOWN_TURNS if math.isnan(future) else turns - t


class Horizon(NamedTuple):
    """G(t) and the future weight W(t) of every turn, as they are known when the turn comes.

    >>> known = Horizon.known(np.array([1.0, 5.0, 2.0]))
    >>> known.future
    array([7., 2., 0.])
    >>> Horizon.unknown(np.array([1.0, 5.0, 2.0])).future
    array([nan, nan, nan])
    """

    G: NDArray[np.float64]
    future: NDArray[np.float64]

    @classmethod
    def known(cls, values: NDArray[np.float64]) -> Horizon:
        """All values are known, or forecast, before the first turn."""
        return cls(values, np.concatenate([np.cumsum(values[::-1])[::-1][1:], [0.0]]))

    @classmethod
    def unknown(cls, values: NDArray[np.float64]) -> Horizon:
        """Each value becomes known, or is forecast, when its turn comes."""
        return cls(values, np.full(values.size, np.nan))

    @classmethod
    def of(cls, actual: Multiplier, forecast: Any = None) -> Horizon:
        """What a policy knows in a game, given the `forecast` that `Policy.plan` takes."""
        if forecast is None:
            return cls.known(actual.values)
        if isinstance(forecast, Forecast):
            return cls.known(forecast.mean)
        if isinstance(forecast, OneStep):
            return cls.unknown(forecast.path(actual).values)
        return cls.unknown(as_multiplier(forecast).values)

    def turn(self, t: int, level: float, key: int, random_ties: bool) -> Turn:
        """Turn `t` of a game, with the plan's level and the key of its random numbers."""
        future = float(self.future[t - 1])
        left = turns_left(t, self.G.size, future)
        return Turn(t, level, float(self.G[t - 1]), future, left, key, random_ties, t)


class View(NamedTuple):
    """Turn `t` as a plan sees it.

    Attributes:
        t: The turn, from 1.
        G: The multiplier of this turn, known or forecast.
        arms: How many arms there are.
        floor: The smallest G after every arm was tried once (turns arms+1 … end) if the whole of G
            is known; otherwise the smallest expected of those turns so far.
        lowest: The same over all turns from the first on.
        future: The future weight W(t), the sum of G over the turns after this one, known or
            forecast.  A plan that reads it declares `needs_horizon`.
        turns_left: How many turns follow; the same holds.
    """

    t: int
    G: float
    arms: int
    floor: float
    lowest: float
    future: float
    turns_left: int


class UnknownFuture(View):
    """A view whose future is unknown: reading it raises `FutureUnknownError`."""

    __slots__ = ()

    @classmethod
    def of(cls, t: int, G: float, arms: int, floor: float, lowest: float) -> UnknownFuture:
        """The view of a turn of which only the past and the present are known."""
        return cls(t, G, arms, floor, lowest, math.nan, UNKNOWN_TURNS)

    @property
    def future(self) -> NoReturn:
        """Unknown."""
        refuse_unknown_future("the plan", "this game")

    @property
    def turns_left(self) -> NoReturn:
        """Unknown."""
        refuse_unknown_future("the plan", "this game")


class KnownViews:
    """The views of a game whose G is known, or forecast, from the start; any turn at once."""

    def __init__(self, values: NDArray[np.float64]) -> None:
        self._values, self._future = values.tolist(), Horizon.known(values).future.tolist()
        self._minima = np.minimum.accumulate(values[::-1])[::-1]  # from each turn on

    def at(self, t: int, arms: int) -> View:
        """Turn `t`, with this many arms."""
        turns, lowest = len(self._values), float(self._minima[0])
        floor = float(self._minima[arms]) if turns > arms else lowest
        future = self._future[t - 1]
        return View(t, self._values[t - 1], arms, floor, lowest, future, turns - t)

    def all(self, arms: int) -> Iterator[View]:
        """Every turn, from the first."""
        first, turns = self.at(1, arms), len(self._values)
        same = repeat(arms), repeat(first.floor), repeat(first.lowest)
        later = self._future, range(turns - 1, -1, -1)
        # All turns at once: calling `View` for each takes a third of the time of a plan.
        return map(View._make, zip(range(1, turns + 1), self._values, *same, *later, strict=False))

    def together(self, arms: int) -> View:
        """All of them as one, with arrays of `t`, `G`, `future` and `turns_left`."""
        arrays: Any = np.array(self._values), np.array(self._future), np.arange(len(self._values))
        G, future, before = arrays
        return self.at(1, arms)._replace(t=before + 1, G=G, future=future, turns_left=before[::-1])


class PlanWarning(UserWarning):
    """A plan that never explores, or always does: seldom what was meant."""


#: Turns with G at or above this are busy where a policy has no threshold of its own.
BUSY = Threshold.of("q0.75")


def busy_from(policy: Policy, values: NDArray[np.float64] | WithOne) -> float:
    """The G from which turns are busy: the policy's z, or the busiest quarter where it has none."""
    z = policy.resolve_thresholds(values).threshold
    return float(z) if isinstance(z, int | float) else BUSY.resolve(values)


#: Below this share of full exploration, a turn counts as exploiting in figures and tables.
NEGLIGIBLE = 0.01


@dataclass(frozen=True, eq=False, repr=False)
class Plan(Printable):
    """One exploration level per turn; its meaning is the rule's (ε, radius, pool size).

    It behaves as an array (`np.asarray(plan)`, `plan[0]`); `plan.at(t)` counts turns from 1 or
    takes a date.  `exploration` puts every policy on one scale: 0 exploits, 1 explores fully.
    """

    policy: Policy
    multiplier: Multiplier
    arms: int
    levels: NDArray[np.float64]

    def __repr__(self) -> str:
        """One line; `print(plan)` shows when it explores."""
        turns, arms = counted(len(self), "turn"), counted(self.arms, "arm")
        return f"<Plan {self.policy}: {turns} on {self.multiplier.name}, {arms}>"

    def blocks(self) -> list[str | Table]:
        """When it explores: the table of `highseason plan`."""
        from highseason.policies import timing  # it describes plans, so it imports this module

        table = timing.plan_table({str(self.policy): self})
        return [timing.plan_heading(self), table, timing.LEGEND]

    def at(self, t: Any) -> float:
        """The level of turn `t` (from 1), or of a date if the multiplier has a calendar."""
        return float(self.levels[self.multiplier.turn_of(t) - 1])

    @cached_property
    def exploration(self) -> NDArray[np.float64]:
        """How much each turn explores, in [0, 1]; 1 while every arm is tried once.

        Where that is decided during the game, as by the option index, how cheap exploring is.
        """
        turns = np.arange(1, len(self) + 1)
        intensity = self.policy.rule.intensity(self.levels, turns, self.arms)
        shares = self.policy.lifetime_options.weight_scale * intensity
        shares[: self.first_choice] = 1.0
        return np.clip(shares, 0.0, 1.0)

    @cached_property
    def busy_from(self) -> float:
        """Turns with G at or above this are busy: the policy's z, or the 0.75 quantile of G."""
        return busy_from(self.policy, self.multiplier.values)

    def to_pandas(self) -> pd.DataFrame:
        """A row per turn: G, level, exploration and whether it is busy; indexed as G is."""
        frame = self.multiplier.to_pandas().rename("G").to_frame()
        return frame.assign(
            level=self.levels, exploration=self.exploration, busy=frame["G"] >= self.busy_from
        )

    @property
    def first_choice(self) -> int:
        """How many turns pass while every arm is tried once; 0 for rules that do not."""
        return min(self.arms, len(self)) if self.policy.rule.traits.tries_each_arm else 0

    @property
    def digest(self) -> str:
        """A fingerprint of the levels: equal digests, equal plans."""
        return hashlib.sha256(self.levels.tobytes()).hexdigest()[:16]

    def warn_if_one_sided(self) -> None:
        """Warn if no turn, or every turn, explores: the plan then regulates nothing."""
        free = slice(self.first_choice, None)
        if self.policy.suppress_plan_warning or self.levels[free].size == 0:
            return
        low, high = self.policy.rule.negligible
        never = ((self.levels[free] >= low) & (self.levels[free] < high)).all()
        if never or self.exploration[free].min() >= 1.0:
            from highseason.policies import timing  # see `blocks`

            always = f"explores fully in every turn{timing.why_always(self)}"
            message = f"never explores{timing.why_never(self)}" if never else always
            warn_user(f"{self.policy}: the plan {message}", PlanWarning)

    def __array__(
        self, dtype: DTypeLike | None = None, copy: bool | None = None
    ) -> NDArray[np.float64]:
        return np.array(self.levels, dtype=dtype, copy=copy)

    def __len__(self) -> int:
        return int(self.levels.size)

    @overload
    def __getitem__(self, item: int) -> float: ...
    @overload
    def __getitem__(self, item: slice) -> NDArray[np.float64]: ...
    def __getitem__(self, item: int | slice) -> float | NDArray[np.float64]:
        return self.levels[item]

    def __iter__(self) -> Iterator[float]:
        return iter(self.levels.tolist())


#: Plans of more turns than this are not cached.
_LONG = 100_000


def require_future(policy: Policy, where: str) -> None:
    """Refuse a policy whose plan or rule looks ahead where the turns to come are unknown."""
    if policy.needs_horizon or policy.rule.traits.needs_horizon:
        refuse_unknown_future(policy, where)


class Planner:
    """A policy's plan, one turn at a time: ask for the `level`, then report what it `saw`.

    Args:
        policy: The policy.
        arms: How many arms.
        beliefs: What was expected of the turns before, where a plan is taken up again.
        seen: The multipliers that they really had.
        carry: What the plan carries after them; None before the first turn.
    """

    def __init__(
        self,
        policy: Policy,
        arms: int,
        beliefs: Iterable[float] = (),
        seen: Iterable[float] = (),
        carry: Any = None,
    ) -> None:
        require_future(policy, "a game whose G comes one turn at a time")
        self._policy, self.arms = policy, arms
        self._has_expressions = bool(policy.unresolved_thresholds())
        self._beliefs, self._seen = list(beliefs), sorted(seen)
        self._lowest = min(self._beliefs, default=math.inf)
        self._floor, self._floor_from = math.inf, -1  # the least of those after so many turns
        self.carry = policy.begin() if carry is None else carry

    @property
    def t(self) -> int:
        """The latest turn that was expected; 0 before the first."""
        return len(self._beliefs)

    def peek(self, belief: float) -> float:
        """The next turn's level if this is expected of it; nothing changes."""
        return self._step(copy.deepcopy(self.carry), belief)[0]

    def level(self, belief: float) -> float:
        """This turn's level, from what is expected of this turn and what was seen before."""
        level, self.carry = self._step(self.carry, belief)
        self.expect(belief)
        return level

    def expect(self, belief: float) -> None:
        """Go to the next turn, without its level."""
        self._beliefs.append(belief)
        self._lowest = min(self._lowest, belief)
        if self.t > self._floor_from:
            self._floor = min(self._floor, belief)

    def saw(self, actual: float) -> None:
        """The multiplier the turn really had."""
        insort(self._seen, actual)

    def values(self, belief: float) -> WithOne:
        """The values that thresholds and units are computed from: those seen, and this belief."""
        return WithOne(self._seen, belief)

    def view(self, belief: float) -> View:
        """The view of the next turn, for which `belief` is known or forecast."""
        if self._floor_from != self.arms:  # in a live bandit, arms come and go
            self._floor = min(self._beliefs[self.arms :], default=math.inf)
            self._floor_from = self.arms
        lowest, floor = min(self._lowest, belief), min(self._floor, belief)
        return UnknownFuture.of(self.t + 1, belief, self.arms, floor, lowest)

    def _step(self, carry: Any, belief: float) -> tuple[float, Any]:
        view, policy = self.view(belief), self._policy
        if self._has_expressions:
            policy = policy.resolve_thresholds(self.values(belief))
        level, carry = step(policy, carry, view)
        check_level(self._policy, view.t, level)
        return level, carry


class SeasonPlanner:
    """The plan for a G that is known, turn by turn and for a number of arms that may change.

    Only for a policy with `plans_any_turn`.
    """

    def __init__(self, policy: Policy, values: NDArray[np.float64]) -> None:
        self._policy, self._resolved = policy, policy.resolve_thresholds(values)
        self._views = KnownViews(values)
        self._carries = [self._resolved.begin()]  # before each turn, as far as they are known

    def level(self, t: int, arms: int) -> float:
        """The level of turn `t` with this many arms."""
        level, _ = self._step(t, arms, self._carry(t))
        check_level(self._policy, t, level)
        return level

    def _carry(self, t: int) -> Any:
        if self._policy.carry_depends_on == "nothing":
            return self._carries[0]
        for turn in range(len(self._carries), t):
            self._carries.append(self._step(turn, 1, self._carries[-1])[1])
        return self._carries[t - 1]

    def _step(self, t: int, arms: int, carry: Any) -> tuple[float, Any]:
        return step(self._resolved, copy.deepcopy(carry), self._views.at(t, arms))


def known_levels(policy: Policy, multiplier: Multiplier, arms: int) -> NDArray[np.float64]:
    """The whole plan for a G that is known: the same steps, run ahead.

    It is cached, because studies ask for the same plan again and again, unless it is very long.
    """
    try:
        hash(policy)
    except TypeError:  # a user's policy may have parameters that cannot be hashed
        return _scan(policy, multiplier, arms)
    return (_scan if multiplier.turns > _LONG else _cached_scan)(policy, multiplier, arms)


def _scan(policy: Policy, multiplier: Multiplier, arms: int) -> NDArray[np.float64]:
    resolved = policy.resolve_thresholds(multiplier.values)
    return _checked(policy, all_levels(resolved, multiplier.values, arms))


def all_levels(policy: Policy, G: NDArray[np.float64], arms: int) -> NDArray[np.float64]:
    """All levels for a known G, at once or in steps, of a policy whose thresholds are resolved."""
    whole, views = policy.levels(G, arms), KnownViews(G)
    if whole is not None:
        return whole
    with contextlib.suppress(FloatingPointError), np.errstate(all="raise"):
        if (together := policy.steps(views.together(arms))) is not None:
            return together
    levels, carry = [], policy.begin()
    for view in views.all(arms):
        level, carry = step(policy, carry, view)
        levels.append(level)
    return np.array(levels, np.float64)


_cached_scan = functools.lru_cache(128)(_scan)


def levels_from(
    policy: Policy, actual: Multiplier, forecast: Any, arms: int
) -> NDArray[np.float64]:
    """The whole plan when G is not known: from one-step forecasts, or a forecast of the season."""
    if isinstance(forecast, OneStep):
        forecast = forecast.path(actual)
    elif isinstance(forecast, Forecaster):
        raise ValueError(
            f"{forecast} forecasts a whole season: fit it on what came before the game and pass "
            f"its prediction, forecast=….fit(past).predict({actual.turns})"
        )
    elif not isinstance(forecast, Forecast):
        forecast = as_multiplier(forecast)
    turns = len(forecast) if isinstance(forecast, Forecast) else forecast.turns
    if turns != actual.turns:
        raise ValueError(f"the forecast has {turns} turns, the multiplier {actual.turns}")
    if isinstance(forecast, Forecast):
        return _season_levels(policy, forecast, arms)
    planner, levels = Planner(policy, arms), []
    for value, belief in zip(actual.values.tolist(), forecast.values.tolist(), strict=True):
        levels.append(planner.level(belief))
        planner.saw(value)
    return _checked(policy, np.array(levels))


def _season_levels(policy: Policy, forecast: Forecast, arms: int) -> NDArray[np.float64]:
    """The whole plan from a forecast of the whole season, made before its first turn.

    The level of a turn is the mean of the levels that its likely values would give: where they lie
    on both sides of a threshold, the probability that the turn is low decides how much it explores.
    Expressions (`q0.75`) are computed from all that may come, smallest values and future weights
    from the means; what is carried from turn to turn follows the median.  A plan that is made as a
    whole is made from the means.
    """
    atoms = forecast.atoms()
    resolved = policy.resolve_thresholds(atoms.ravel())
    whole = resolved.levels(forecast.mean, arms)
    if whole is not None:
        return _checked(policy, whole)
    levels = np.empty(len(forecast))
    carry = resolved.begin()
    views, middle = KnownViews(forecast.mean).all(arms), forecast.median.tolist()
    for view, likely in zip(views, atoms.T.tolist(), strict=True):
        i = view.t - 1
        each = [step(resolved, carry, view._replace(G=value))[0] for value in likely]
        levels[i] = np.cumsum(each)[-1] / len(each)  # in order; Python's sum() differs by version
        _, carry = step(resolved, carry, view._replace(G=middle[i]))
    # Under a wrapper levels were never rounded; recorded results rest on that (decision 0013).
    if policy.rule.traits.integer_level and policy.unwrapped is policy:
        levels = np.floor(levels + 0.5)
    return _checked(policy, levels)


def step(policy: Policy, carry: Any, view: View) -> tuple[float, Any]:
    """One step of a plan, which must return a level and a carry."""
    answer = policy.step(carry, view)
    if not (isinstance(answer, tuple) and len(answer) == 2):
        raise TypeError(
            f"{type(policy).__name__}.step(carry, view) must return (level, carry), got "
            f"{answer!r}: return the carry too, even if the plan does not use it"
        )
    return answer


def _checked(policy: Policy, levels: NDArray[np.float64]) -> NDArray[np.float64]:
    """The levels, read-only; the first that the rule cannot take is an error."""
    low, high = policy.rule.allowed
    wrong = ~(np.isfinite(levels) & (levels >= low) & (levels <= high))
    if wrong.any():
        check_level(policy, int(wrong.argmax()) + 1, float(levels[wrong.argmax()]))
    levels.setflags(write=False)
    return levels


def check_level(policy: Policy, t: int, level: float) -> None:
    """Refuse a level that the rule cannot take, and name its turn."""
    low, high = policy.rule.allowed
    if not (np.isfinite(level) and low <= level <= high):
        raise ValueError(
            f"{policy}: the plan gives {level} at turn {t}, but the {policy.rule.name} rule takes "
            f"finite levels from {low:g} to {high:g}"
        )


# -- compiled steps, for a log that is not known in advance ----------------------------------------
# A step sees the policy as a NumPy record of its parameters, which is passed as bytes, and its
# carry as a number.


class CompiledPlan(NamedTuple):
    """A plan as kernels take it: `plan(parameters, carry, view)`, of one type for all policies."""

    plan: Any
    parameters: NDArray[np.uint8]
    carry: NDArray[np.float64]


class CannotCompileError(Exception):
    """Why the step of a policy must run in Python."""


def compiled_plan(policy: Policy) -> CompiledPlan:
    """The step of a policy with resolved thresholds, compiled once per class."""
    record = _record_of(policy)
    begin = policy.begin()
    if isinstance(begin, bool) or not isinstance(begin, int | float):
        raise CannotCompileError(f"it carries {begin!r}, but a compiled plan carries a number")
    function = _compiled(policy.compilable_step(), record.dtype, isinstance(begin, int))
    plan = CompiledPlan(function, record.view(np.uint8), np.array([begin, begin], np.float64))
    _require_agreement(policy, plan)
    return plan


def _record_of(policy: Any) -> NDArray[Any]:
    """The parameters as one record; text is as long as the longest choice."""
    kinds: list[tuple[str, Any]] = []
    values = []
    for entry in fields(policy):
        value = getattr(policy, entry.name)
        if isinstance(value, str):
            choices = getattr(entry.metadata.get("limits"), "choices", ())
            kind = f"U{max(len(word) for word in (value, 'x', *choices))}"
        elif is_dataclass(value):
            inner = _record_of(value)
            kinds.append((entry.name, inner.dtype))
            values.append(tuple(inner[0]))
            continue
        elif isinstance(value, bool | int | float | np.number):
            kind = np.dtype(type(value)).str
        else:
            raise CannotCompileError(f"its parameter {entry.name} is {type(value).__name__}")
        kinds.append((entry.name, kind))
        values.append(value)
    return np.array([tuple(values)], np.dtype((np.record, kinds)))


@functools.cache
def _compiled(step: Callable[..., Any], record: Any, whole: bool) -> Any:
    """The step, with its policy and its carry read from arrays."""
    from numba import NumbaError

    jitted, convert = jitable(step), int if whole else float

    def plan(parameters: Any, carry: Any, view: View) -> float:
        level, after = jitted(parameters.view(record)[0], convert(carry[0]), view)
        carry[1] = after
        return level  # type: ignore[no-any-return]  # a step may be a user's

    try:
        return compiled(plan, plan_signature())
    except NumbaError as reason:
        raise CannotCompileError(f"numba says: {reason}") from None


def _require_agreement(policy: Policy, plan: CompiledPlan) -> None:
    """Compiled and plain steps must give the same level; otherwise the plain one is used."""
    for turn in ((1, 1.0, 1, 1.0, 1.0), (977, 13.0, 24, 2.0, 2.0)):
        blind, carry = UnknownFuture.of(*turn), plan.carry.copy()
        level, after = policy.step(policy.begin(), blind)
        same = plan.plan(plan.parameters, carry, View(*blind)) == level and carry[1] == after
        if not (same or level != level):
            raise CannotCompileError("its compiled step gives other levels")


@functools.cache
def plan_signature() -> Any:
    """The type of every compiled plan."""
    from numba import float64, typeof, uint8

    return float64(uint8[::1], float64[::1], typeof(View(1, 1.0, 1, 1.0, 1.0, 1.0, 1)))


# -- the effective horizon of every turn -----------------------------------------------------------


def effective_horizons(G: Floats, plays: int) -> Floats:
    """H of every turn, where `plays` exploring plays are outstanding; 0 in the last turn.

    It is what is still to come, over what a turn costs.  Exploring in turn t costs G(t) and pays on
    the weight W(t) that follows.  It can be done in a later turn s too: that saves G(t) - G(s), and
    forgoes what the weight up to s would bring.  A turn hosts one play, so with K plays to make the
    alternative is the K-th best later turn:

        1/H(t) = max{ G(t)/W(t), K-th largest over s > t of (G(t) - G(s)) / (G(t+1) + … + G(s)) }

    Where fewer than K turns follow, there is nothing to wait for: H = W/G.

    >>> effective_horizons(np.array([1.0, 1.0, 1.0, 1.0]), plays=1)
    array([3., 2., 1., 0.])
    >>> effective_horizons(np.array([10.0, 1.0, 10.0, 1.0]), plays=1).round(3)
    array([ 0.111, 11.   ,  0.1  ,  0.   ])
    """
    after, rates = Horizon.known(G).future, np.empty(G.size)
    least = np.append(np.minimum.accumulate(G[::-1])[::-1][1:], np.inf)
    is_long = G.size * plays > _SHORT or "numba" in sys.modules
    find_rates = _compiled_rates() if is_long else waiting_rates
    find_rates(G, after, least, np.empty(plays), rates)
    with np.errstate(divide="ignore"):
        return np.where(after > 0.0, 1.0 / np.maximum(rates, G / np.maximum(after, 1e-300)), 0.0)


def _compiled_rates() -> Callable[..., None]:
    from numba import types as t

    floats, readonly = t.float64[::1], t.Array(t.float64, 1, "C", readonly=True)
    return compiled(waiting_rates, t.void(readonly, floats, floats, floats, floats))


def waiting_rates(G: Floats, after: Floats, least: Floats, best: Floats, rates: Floats) -> None:
    """The K-th best rate at which waiting saves, for every turn; 0 where fewer save anything.

    `best` holds the K best of a turn, as a heap with the least on top.  The search ends where even
    the least G still to come would save less than that, or than what follows is worth.
    """
    for t in range(G.size):
        best[:] = 0.0
        floor = G[t] / after[t] if after[t] > 0.0 else 0.0
        for s in range(t + 1, G.size):
            weight = after[t] - after[s]
            if G[t] - least[s - 1] <= max(best[0], floor) * weight:
                break
            if G[t] - G[s] > best[0] * weight:
                best[0] = (G[t] - G[s]) / weight
                sink(best)
        rates[t] = best[0]


@jitable
def sink(best: Floats) -> None:
    """Restore the heap after its top was replaced."""
    i = 0
    while 2 * i + 1 < best.size:
        child = 2 * i + 1
        if child + 1 < best.size and best[child + 1] < best[child]:
            child += 1
        if best[i] <= best[child]:
            return
        best[i], best[child] = best[child], best[i]
        i = child
