"""The season of a live game: its turns, known ahead or one at a time, and the arms that are there.

`KnownMultiplier` and `OnlineMultiplier` answer the same questions, so nothing else has to ask which
of the two it deals with.  `ArmTable` holds the arms, which come and go as their lifetimes say.
"""

import math
import operator
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import date
from typing import Any, Generic, TypeAlias

import numpy as np
from numpy.typing import NDArray

from highseason.bandit.errors import BanditError, PastForecastError
from highseason.bandit.events import Lifetime
from highseason.bandit.ledger import ArmT, as_list, hashable
from highseason.bandit.prices import price_of
from highseason.core.specs import did_you_mean
from highseason.core.validation import positive_number
from highseason.core.warnings import quiet
from highseason.engine import select
from highseason.policies import (
    NO_END,
    UNKNOWN_END,
    UNKNOWN_TURNS,
    ArmState,
    Horizon,
    Planner,
    Policy,
    Turn,
)
from highseason.policies.plan import SeasonPlanner, busy_from, known_levels, require_future
from highseason.policies.rule import lifetime_score, measure_of
from highseason.rewards import Offer
from highseason.traffic import CalendarWarning, Multiplier, as_multiplier, concatenate
from highseason.traffic.dates import When

#: A turn: its number, from 1, or its date.
TurnLike: TypeAlias = int | When


Ends = NDArray[np.int64]
Mask = NDArray[np.bool_]


class KnownMultiplier:
    """G, or its forecast, for all turns.

    The plan is one array; when arms have come or gone, the levels of the turns that are asked for.

    With `known`, the multiplier is the number of visitors itself.
    """

    def __init__(self, policy: Policy, multiplier: Multiplier, known: bool) -> None:
        self.policy, self.known = policy, known
        self.lifetime_options = policy.lifetime_options
        self._set(multiplier)

    def _set(self, multiplier: Multiplier) -> None:
        self.multiplier, self.turns = multiplier, multiplier.turns
        self._horizon = Horizon.known(multiplier.values)
        values = multiplier.values
        # The quietest turns are always low, so that waiting for one ends.
        self._low = (values < busy_from(self.policy, values)) | (values <= values.min())
        self._measure: NDArray[np.float64] | None = None
        self._plan: tuple[int, NDArray[np.float64]] | None = None
        self._planner: SeasonPlanner | None = None

    def turn_of(self, t: TurnLike) -> int:
        """The turn that a number or a date names, or during which a time falls."""
        if type(t) is int and 1 <= t <= self.turns:
            return t
        G = self.multiplier
        if isinstance(t, When):
            name, line = repr(t), G.timeline
            after = line is not None and line.rows(t).start >= G.turns
            past = after and line is not None and line.holding(t) is None
        else:
            past, name = isinstance(t, int | np.integer) and int(t) > G.turns, f"turn {t}"
        if past:
            last = "" if G.timeline is None else f" ({G.timeline.show(-1)})"
            raise PastForecastError(
                f"{name} is past the forecast, which ends at turn {G.turns}{last}: "
                "append turns with extend(…)"
            )
        return G.turn_at(t)

    def date_of(self, turn: int) -> date | None:
        """When a turn begins, where there is a calendar."""
        line = self.multiplier.timeline
        return None if line is None else line.moment(turn - 1)

    def last_turn_by(self, when: str) -> int:
        """The last turn not after a date; the turn after the last if it is past the forecast."""
        G = self.multiplier
        if G.timeline is None:
            return G.turn_of(when)  # raises: there is no calendar
        rows = G.timeline.rows(when)
        return G.turns + 1 if rows.start >= G.turns else int(rows.stop)

    def expected(self, turn: int, expected: float | None) -> float | None:
        """Check what the caller expects of a turn: nothing, since the multiplier says it."""
        if expected is not None:
            raise BanditError(
                "expected= is only for a bandit without a multiplier; here the multiplier says "
                "what to expect: leave it out"
            )
        return None

    def level(self, arms: int, turn: int, expected: float | None) -> float:
        """The plan's exploration level of a turn."""
        planned = self._plan is not None and self._plan[0] == arms
        if planned or not self.policy.plans_any_turn:
            return float(self.plan(arms)[turn - 1])
        # One turn, not the whole plan: arms may come and go in every turn.
        if self._planner is None:
            self._planner = SeasonPlanner(self.policy, self.multiplier.values)
        return float(self._planner.level(turn, arms))

    def turn(
        self, turn: int, level: float, key: int, random_ties: bool, expected: float | None
    ) -> Turn:
        """The turn as the rule sees it."""
        return self._horizon.turn(turn, level, key, random_ties)

    def plan(self, arms: int) -> NDArray[np.float64]:
        """The levels of all turns known now, for this many arms."""
        if self._plan is None or self._plan[0] != arms:
            # Not policy.plan: its warnings were given once, by `check_plan`.
            self._plan = arms, known_levels(self.policy, self.multiplier, arms)
        return self._plan[1]

    def check_plan(self, arms: int) -> None:
        """Compute the plan now, with the policy's warnings if it is one-sided."""
        self._plan = arms, self.policy.plan(self.multiplier, arms).levels

    def is_low(self, turn: int, expected: float | None) -> bool:
        """Whether G is below the threshold, or the least."""
        return bool(self._low[turn - 1])

    def has_low_turn_after(self, turn: int) -> bool:
        """Whether any later turn is low."""
        return bool(self._low[turn:].any())

    def decided(self, arms: int, expected: float | None) -> None:
        """The plan does not depend on decisions."""

    def observed(self, visitors: float) -> None:
        """The plan follows the forecast, however many visitors came."""

    def known_visitors(self, turn: int) -> float | None:
        """G(t), if it is declared to be the number of visitors."""
        return float(self.multiplier.values[turn - 1]) if self.known else None

    def replacement(self, turn: int, forecast: object) -> Multiplier:
        """Check what is to replace all turns after this one, and give it as a multiplier."""
        following, line = as_multiplier(forecast), self.multiplier.timeline
        if 0 < turn < self.turns and line is not None and following.timeline is not None:
            over = int((following.timeline.instants <= line.instants[turn - 1]).sum())
            if 0 < over < following.turns:  # decided since it was made
                following = following.window(over + 1, None)
        self._replaced(turn, following)
        return following

    def replace(self, turn: int, following: Multiplier) -> None:
        """Replace all turns after this one, or append to the last; the plan is made again."""
        with quiet(CalendarWarning):  # it was shown by `replacement`
            self._set(self._replaced(turn, following))

    def _replaced(self, turn: int, following: Multiplier) -> Multiplier:
        return concatenate(self.multiplier.window(1, turn), following) if turn else following

    def visible_ends(self, ends: Ends) -> Ends:
        """The ends of lifetimes as far as the season goes."""
        return np.minimum(ends, self.turns)

    def lifetime_scores(self, starts: Ends, ends: Ends) -> NDArray[np.float64]:
        """What each lifetime is worth to the policy."""
        options = self.lifetime_options
        if self._measure is None:
            self._measure = measure_of(self.multiplier.values, options)
        spans = zip(starts.tolist(), ends.tolist(), strict=True)
        scores = [lifetime_score(*s, self.turns, self._measure, options.at_end) for s in spans]
        return np.array(scores, np.float64)


class OnlineMultiplier:
    """No multiplier: each turn comes with what is expected of it, one after the other.

    The policy's planner runs along, behind the last decided turn.  It starts again from the first
    only for policies of other authors that carry something (`Policy.carry_depends_on`), when the
    number of arms changes.
    """

    known = False
    multiplier = None
    turns = 0

    def __init__(self, policy: Policy) -> None:
        require_future(policy, "a bandit without a multiplier")
        self.policy, self.lifetime_options = policy, policy.lifetime_options
        self.beliefs: list[float] = []  # what was expected of each decided turn
        self.seen: list[tuple[int, float]] = []  # (turns decided when it was reported, visitors)
        self._planner: Planner | None = None
        self._reports = 0  # how many of `seen` the planner knows
        self._asked: tuple[int, float, float] | None = None  # (arms, belief, level)

    def turn_of(self, t: TurnLike) -> int:
        """A decided turn, or the next."""
        try:
            turn = operator.index(t)  # type: ignore[arg-type]  # a date raises TypeError
        except TypeError:
            raise BanditError(
                f"without a multiplier there is no calendar to look up {t!r}: use turn numbers, "
                "from 1"
            ) from None
        following = len(self.beliefs) + 1
        if not 1 <= turn <= following:
            raise BanditError(
                "without a multiplier turns are decided one after the other: the next is turn "
                f"{following}, got {turn}"
            )
        return turn

    def date_of(self, turn: int) -> date | None:
        """Unknown: there is no calendar."""
        return None

    def last_turn_by(self, when: str) -> int:
        """Raises: there is no calendar."""
        return self.turn_of(when)

    def expected(self, turn: int, expected: float | None) -> float | None:
        """Check what the caller expects of a turn."""
        if expected is None:
            raise BanditError(
                f"nothing is known of turn {turn}: pass the visitors you expect, such as "
                "pull(expected=300), or give the bandit a multiplier"
            )
        return positive_number("expected", expected, BanditError)

    def level(self, arms: int, turn: int, expected: float | None) -> float:
        """The planner's next step, which is not taken yet; asked again, the same."""
        assert expected is not None, "`expected` was checked"
        if self._asked is None or self._asked[:2] != (arms, expected):
            self._asked = arms, expected, float(self._ready(arms).peek(expected))
        return self._asked[2]

    def turn(
        self, turn: int, level: float, key: int, random_ties: bool, expected: float | None
    ) -> Turn:
        """The turn as the rule sees it; what follows is unknown."""
        belief = self.beliefs[turn - 1] if expected is None else expected
        return Turn(turn, level, belief, math.nan, UNKNOWN_TURNS, key, random_ties, turn)

    def _ready(self, arms: int) -> Planner:
        """The planner behind the last decided turn, for this many arms."""
        depends = self.policy.carry_depends_on
        if self._planner is None and depends == "nothing":
            seen = [visitors for _, visitors in self.seen]
            self._planner = Planner(self.policy, arms, self.beliefs, seen, self.policy.begin())
            self._reports = len(seen)
        planner = self._planner
        if planner is None or (planner.arms != arms and depends == "arms"):
            planner, self._reports = self.policy.planner(arms), 0
        planner.arms = arms
        self._planner = planner
        # The steps of turns that were decided since, with what was seen before each.
        go_on = planner.expect if depends == "nothing" else planner.level
        while True:
            turn = planner.t
            while self._reports < len(self.seen) and self.seen[self._reports][0] == turn:
                planner.saw(self.seen[self._reports][1])
                self._reports += 1
            if turn == len(self.beliefs):
                return planner
            go_on(self.beliefs[turn])

    def check_plan(self, arms: int) -> None:
        """There is no plan ahead."""

    def is_low(self, turn: int, expected: float | None) -> bool:
        """Compared with the visitors seen before and what is expected now."""
        assert self._planner is not None, "`level` was asked before"
        assert expected is not None, "`expected` was checked"
        values = self._planner.values(expected)
        return expected < busy_from(self.policy, values) or expected <= values.min()

    def has_low_turn_after(self, turn: int) -> bool:
        """Unknown, so it may."""
        return True

    def decided(self, arms: int, expected: float | None) -> None:
        """Keep what was expected of the turn; the planner takes its step when it is next asked."""
        assert expected is not None, "`expected` was checked"
        self.beliefs.append(expected)
        self._asked = None

    def observed(self, visitors: float) -> None:
        """Thresholds and units are read from them; turns without visitors do not count."""
        if visitors > 0.0:
            self.seen.append((len(self.beliefs), visitors))
            self._asked = None

    def known_visitors(self, turn: int) -> float | None:
        """Unknown until it is reported."""
        return None

    def replacement(self, turn: int, forecast: object) -> Multiplier:
        """Raises: there is no forecast to replace, nor to append to."""
        raise BanditError(
            "this bandit has no multiplier to extend or replace: pass expected=… with each turn "
            "instead"
        )

    replace = replacement

    def visible_ends(self, ends: Ends) -> Ends:
        """The ends of lifetimes: the season has none."""
        return ends

    def lifetime_scores(self, starts: Ends, ends: Ends) -> NDArray[np.float64]:
        """What each lifetime is worth: all turns ahead count alike."""
        length = ends - (0 if self.lifetime_options.at_end else starts)
        return np.where(ends >= UNKNOWN_END, np.inf, length)


MultiplierSource: TypeAlias = KnownMultiplier | OnlineMultiplier


def source_of(policy: Policy, multiplier: Multiplier | None, known: bool) -> MultiplierSource:
    """Where the multiplier comes from."""
    if multiplier is not None:
        return KnownMultiplier(policy, multiplier, bool(known))
    if known:
        raise BanditError("known=True says that G is the number of visitors: pass a multiplier")
    return OnlineMultiplier(policy)


class ArmTable(Generic[ArmT]):
    """One row per arm that is or was in the game: ids outside, indices inside.

    An arm keeps its index for ever, so what was learned of it stays when it is removed and is there
    again when it comes back.
    """

    def __init__(self, policy: Policy, source: MultiplierSource, priced: bool = False) -> None:
        self.policy, self.source = policy, source
        self.ids: list[ArmT] = []
        self.offers: list[Offer] | None = [] if priced else None  # by index
        rule = policy.rule
        self.state = rule.unprepared_state(0, []) if priced else rule.fresh_state(0)
        self.active = np.zeros(0, np.bool_)  # not removed
        self.held = np.zeros(0, np.bool_)  # waiting for a low turn
        self.opening = np.zeros(0, np.bool_)  # tried before all others
        self.ends = np.zeros(0, np.int64)  # the last turn, as the engine counts
        self.dates: dict[int, str] = {}  # of the ends that were given as dates, by index
        self._indices: dict[ArmT, int] = {}
        self._changes = 0  # how often arms or the multiplier changed
        self._present: tuple[tuple[int, int], Mask] | None = None  # the last answer of `present`
        self._weighted: tuple[int, bytes] | None = None  # what the weights in `state` are for
        self.weighed: dict[tuple[int, bytes], ArmState] = {}  # weights that are not kept yet

    def present(self, turn: int) -> Mask:
        """Which arms are in the game at a turn; read-only."""
        key = self._changes, turn
        if self._present is None or self._present[0] != key:
            mask = self.active & (self.ends >= turn)
            mask.setflags(write=False)
            self._present = key, mask
        return self._present[1]

    def names(self, turn: int) -> tuple[ArmT, ...]:
        """The ids of the arms in the game at a turn."""
        return tuple(self.ids[arm] for arm in np.flatnonzero(self.present(turn)))

    def index(self, arm: ArmT) -> int:
        """The index of an arm that is, or was, in the game."""
        arm = hashable(arm)
        if arm not in self._indices:
            arm = self.same(arm)
        if arm not in self._indices:
            hint = did_you_mean(str(arm), map(str, self.ids))
            for known in self.ids:
                if str(known) == str(arm):
                    kind, given = type(known).__name__, type(arm).__name__
                    hint = f"There is {known!r}, of type {kind}: give that, not the type {given}"
            if self.offers is not None:
                hint += (
                    " To learn from a price that is not asked any more, list it in prices=, and "
                    "call remove_arm before fit"
                )
            raise BanditError(f"there is no arm {arm!r}. {hint}")
        return self._indices[arm]

    def same(self, arm: ArmT) -> ArmT:
        """The id as it is kept; of a price, the one that is the same number."""
        arm = hashable(arm)
        if self.offers is None or arm in self._indices:
            return arm
        with suppress(ValueError):
            prices = [offer.price for offer in self.offers]
            return self.ids[prices.index(price_of(arm))]
        return arm

    def is_untried(self, arm: ArmT) -> bool:
        """Whether the arm is not in the game and was never chosen before."""
        index = self._indices.get(hashable(arm))
        return index is None or not (self.active[index] or self.state.selections[index])

    def require_active(self, arm: ArmT) -> None:
        """Refuse an arm that was removed, or never added."""
        if not self.active[self.index(arm)]:
            raise BanditError(f"the arm {arm!r} is already removed")

    def require_absent(self, arm: ArmT, turn: int) -> None:
        """Refuse an arm that is in the game."""
        index = self._indices.get(self.same(arm))
        if index is not None and self.present(turn)[index]:
            raise BanditError(f"the arm {arm!r} is already in the game: arm ids must differ")

    def add(
        self, arm: ArmT, start: int, lifetime: Lifetime, held: bool, offer: Offer | None = None
    ) -> None:
        """Bring an arm in, or back in with what was learned of it."""
        self.grow([arm], offer and [offer])
        index = self._indices[arm]
        self.active[index] = True
        self.state.start[index] = start if start > 1 else 0  # one that comes back is young again
        self.ends[index] = lifetime.last_turn
        self.dates.pop(index, None)
        if lifetime.date is not None:
            self.dates[index] = lifetime.date
        self.held[index] = held and not self.state.selections[index]
        if offer is not None and self.offers is not None:
            self.offers[index] = offer
        self._changes += 1

    def grow(self, arms: Iterable[ArmT], offers: Sequence[Offer] | None = None) -> None:
        """Make rows for the arms that have none, all at once: one by one, each copies the table."""
        new = [arm for arm in dict.fromkeys(map(hashable, arms)) if arm not in self._indices]
        if not new:
            return
        self._indices |= {arm: index for index, arm in enumerate(new, len(self.ids))}
        self.ids += new
        rule = self.policy.rule
        if self.offers is None:
            rows = rule.fresh_state(1)._asdict()  # of a new arm: the others' memory stays
        else:
            given = dict(zip(map(hashable, arms), offers or (), strict=True))
            self.offers += [given[arm] for arm in new]
            rows = rule.unprepared_state(1, self.offers[-1:])._asdict()
        del rows["shared"]
        self.state = self.state._replace(**{
            name: np.concatenate([getattr(self.state, name), np.repeat(row, len(new), axis=0)])
            for name, row in rows.items()
        })  # fmt: skip
        masks, out = (self.active, self.held, self.opening), np.zeros(len(new), np.bool_)
        self.active, self.held, self.opening = (np.append(mask, out) for mask in masks)
        self.ends = np.append(self.ends, np.full(len(new), NO_END))
        if self.offers is not None:
            self.forget()  # what a rule makes of a price depends on the others

    def remove(self, arm: ArmT, last: int) -> None:
        """Take an arm out of the game after turn `last`; its statistics stay."""
        index = self.index(arm)
        self.active[index] = False
        self.ends[index] = min(self.ends[index], last)
        self.dates.pop(index, None)
        self._changes += 1

    def reread_dates(self) -> None:
        """Find the turns of ends that were given as dates, on a longer multiplier."""
        for index, when in self.dates.items():
            self.ends[index] = self.source.last_turn_by(when)
        self._changes += 1

    def allowed(self, turn: int, available: Iterable[ArmT] | None) -> Mask:
        """The arms in the game that the caller allows for a turn."""
        allowed = self.present(turn)
        if available is not None:
            named = np.zeros(len(self.ids), np.bool_)
            named[[self.index(arm) for arm in as_list("available", available)]] = True
            allowed = allowed & named
        if allowed.any():
            return allowed
        if self.present(turn).any():
            raise BanditError(
                "available names no arm that is in the game (removed and expired arms do not "
                "count): name at least one, or leave it out to allow all"
            )
        reason = "all have expired" if self.active.any() else "all were removed"
        raise BanditError(f"no arm is left to play in turn {turn}: {reason}; add one with add_arm")

    def state_at(self, turn: int) -> ArmState:
        """The state with the weights that the arms of a turn have; the table does not change.

        Weights are computed only when the arms, their lifetimes or the season have changed.
        """
        key = self._weights_key(turn)
        if key == self._weighted:
            return self.state
        if key not in self.weighed:
            self.weighed = {key: self._weigh(turn)}
        return self.weighed[key]

    def keep_state(self, turn: int) -> ArmState:
        """Make the weights of a turn those of the table."""
        self.state = self.state_at(turn)
        self._weighted, self.weighed = self._weights_key(turn), {}
        return self.state

    def _weights_key(self, turn: int) -> tuple[int, bytes]:
        return self._changes, (self.ends < turn).tobytes()

    def _weigh(self, turn: int) -> ArmState:
        now, options = self.state, self.source.lifetime_options
        state = now._replace(
            available=self.present(turn).copy(),
            weight=now.weight.copy(),
            end=self.source.visible_ends(self.ends) if options.needs_end else self.ends.copy(),
            shared=now.shared.copy(),
        )
        starts = np.maximum(1, state.start)
        scores = self.source.lifetime_scores(starts, self.ends)
        self.policy.rule.set_weights(state, turn, scores, options.weight_scale)
        return state

    def forget(self, arm: int | None = None) -> None:
        """Drop what was learned, of one arm or of all; choices and lifetimes stay."""
        if arm is not None:
            self.state.pulls[arm] = self.state.sums[arm] = 0.0
            return
        fresh = self.policy.rule.fresh_state(len(self.ids), self.offers)
        learned = {name: getattr(fresh, name) for name in ("pulls", "sums", "memory", "shared")}
        self.state = self.state._replace(**learned)
        self._weighted, self.weighed = None, {}  # weights may be among the shared numbers

    def selected(self, index: int) -> None:
        """Count a choice; an arm that was tried does not wait any more."""
        select(self.state, index)
        self.held[index] = False


def lifetimes_of(
    arms: Sequence[Any], expires: Any, policy: Policy, source: MultiplierSource
) -> tuple[Lifetime, ...]:
    """The lifetimes of the first arms; `expires` maps those that do not stay to their ends."""
    if not isinstance(expires, Mapping | None):
        raise BanditError(f"expires must map arms to turns, as {{'a': 30}}, got {expires!r}")
    ends = dict(expires or {})
    lifetimes = tuple(lifetime_of(arm, ends.pop(arm, None), policy, source, 0) for arm in arms)
    if ends:
        raise BanditError(f"expires names {next(iter(ends))!r}, which is not among the arms")
    return lifetimes


def lifetime_of(
    arm: Any, expires: Any, policy: Policy, source: MultiplierSource, last: int
) -> Lifetime:
    """An arm's lifetime from its last turn, its last date, "unknown", or None if it stays.

    `last` is the turn up to which all are decided.
    """
    lifetime = _lifetime(expires, source, last)
    end_is_known = source.turns > 0 if lifetime.end is None else lifetime.end != "unknown"
    if policy.lifetime_options.needs_end and not end_is_known:
        raise BanditError(
            f"{policy} explores by the lifetime that arms have left: pass expires= for {arm!r}; "
            "with a multiplier, an arm without it stays to the end of the season"
        )
    return lifetime


def _lifetime(expires: Any, source: MultiplierSource, last: int) -> Lifetime:
    if expires is None:
        return Lifetime()
    if isinstance(expires, str) and expires == "unknown":
        return Lifetime("unknown")
    date = str(expires) if isinstance(expires, When) else None
    if date is None and (isinstance(expires, bool) or not isinstance(expires, int | np.integer)):
        raise BanditError(
            "expires must be a turn, from 1, a date of the multiplier, or 'unknown', got "
            f"{expires!r}"
        )
    turn = int(expires) if date is None else source.last_turn_by(date)
    if turn < 1:
        raise BanditError(f"expires={expires!r} is before the first turn, which is turn 1")
    if turn <= last:
        raise BanditError(f"expires={expires!r} is in the past: all turns to {last} are decided")
    return Lifetime(min(turn, UNKNOWN_END - 1), date)
