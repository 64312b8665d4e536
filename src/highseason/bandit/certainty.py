"""How sure a ranking is: each arm's interval, its chance of being best, what playing it may lose.

An interval rests on the rewards of its own arm.  Chances and losses compare arms, by a model of all
of them: a turn with v visitors varies by ρ + (1 - ρ)/v, times a variance that arms have more or
less in common, and the arms' means are normal, with a spread that is learned.  Why an arm was
chosen does not change what its rewards say, so the policy plays no part.
"""

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any, Generic, NamedTuple

import numpy as np
from numpy.typing import NDArray

from highseason.bandit.demand import SURE, demand
from highseason.bandit.game import LiveGame
from highseason.bandit.ledger import ArmT, known
from highseason.core.text import percent
from highseason.policies.rule import Floats

#: Turns beyond one per arm, and 0/1 rewards of either kind per arm, that a comparison needs: with
#: fewer, stated chances are off by more than 5 points (benchmarks/ranking_coverage.py).
FREEDOM, OF_EITHER_KIND = 12, 5
#: How many rewards the variance that arms have in common counts as in the variance of one arm.
IN_COMMON = 8.0
#: Chances between this and `SURE` are left out: they are off by up to 13 points.
UNSURE = 0.4
#: Stopping is advised from this chance of being best on, or up to this loss, as a share.
NEGLIGIBLE = 0.005
_RHOS = (0.0, 1e-4, 1e-3, 1e-2, 0.1, 1.0)
_SPREADS = np.linspace(0.125, 2.5, 20)  # of the arms' means, as a share of their range
_DRAWS = 2000


class Ranked(NamedTuple, Generic[ArmT]):
    """An arm of a ranking; numbers are in the user's unit, and None before any reward.

    Attributes:
        arm: The arm's id.
        estimate: What the policy compares arms by; old rewards may count less in it.
        pulls: How many of its turns the rule has learned from.
        low: The lower end of its 95% interval, None before the second reward.  Rewards are clipped
            to `reward_range`, counted as the policy counts turns, and forgotten as it forgets them.
            Of a price: of the 90% band of what it earns, as in `Bandit.demand`.
        high: The upper end.
        chance_best: How likely the arm is the best of those in the game.
        loss: What playing it for ever would lose per visitor, on average, in the unit of the
            estimate; that of the first arm is what stopping now would lose.  It and `chance_best`
            are None where they are not calibrated: see the guide on embedding.  Of prices there is
            no loss, and the chance is that of `Bandit.demand`.
    """

    arm: ArmT
    estimate: float | None
    pulls: int
    low: float | None = None
    high: float | None = None
    chance_best: float | None = None
    loss: float | None = None


class Lessons(NamedTuple):
    """What was learned, one entry per turn, and how many arms there are.

    `weights` is what a turn counts as in the mean of its arm, `kept` the share of it that is not
    forgotten yet.  `bounded`: values lie in [0, 1].
    """

    arms: NDArray[np.int64]
    values: Floats
    visitors: Floats
    weights: Floats
    kept: Floats
    size: int
    bounded: bool

    def totals(self, entries: Floats | None = None) -> Floats:
        """The sum of the entries of each arm; without entries, how many it has."""
        return np.bincount(self.arms, entries, self.size).astype(np.float64)

    def intervals(self) -> tuple[Floats, Floats]:
        """Both ends of each arm's 95% interval; NaN where no scatter was seen.

        Student's, with the degrees of freedom that unequal weights leave (Bell and McCaffrey 2002).
        Rewards that are 0 or 1, or all the same, show too little scatter: theirs is Jeffreys'.
        """
        from scipy.special import betaincinv, stdtrit

        arms, x, weights = self.arms, self.values, self.weights * self.kept
        with np.errstate(all="ignore"):
            shares = weights / self.totals(weights)[arms]
            means, turns = self.totals(shares * x), 1.0 / self.totals(shares**2)
            moved = shares**2 / (1.0 - shares)  # its mean is the variance if it is σ²/weight
            free = 1.0 / (1.0 / turns + self.totals(moved) ** 2 - self.totals(moved**2))
            squares = self.totals(moved * (x - means[arms]) ** 2)
            width = np.where(squares > 1e-24, stdtrit(free, 0.975) * np.sqrt(squares), np.nan)
            coarse = (self.totals(x * (1.0 - x)) == 0.0) | ~(squares > 1e-24)
            coarse &= self.bounded & (self.totals() > 1)
            won, lost = means * turns + 0.5, (1.0 - means) * turns + 0.5
            low = np.where(coarse, betaincinv(won, lost, 0.025), means - width)
            return low, np.where(coarse, betaincinv(won, lost, 0.975), means + width)

    def outlook(self, present: NDArray[np.bool_]) -> tuple[Floats, Floats]:
        """Each arm's chance of being the best of those present, and what playing it would lose.

        The loss is by how much the best is better, on average.  NaN for arms that are gone, and for
        all where too little is known or where rewards fade, because the arms are thought to change;
        a chance is also NaN between `UNSURE` and `SURE`.
        """
        chances, losses = np.full((2, self.size), np.nan)
        x, there = self.values, np.flatnonzero(present)
        binary = self.bounded and not np.any(x * (1.0 - x))
        coarse = binary and min(x.sum(), (1.0 - x).sum()) < OF_EITHER_KIND * there.size
        few = x.size - np.count_nonzero(self.totals()) < FREEDOM or not there.size
        if few or coarse or np.any(self.kept < 1.0):
            return chances, losses
        _, means, errors = max((self._fitted(rho) for rho in _RHOS), key=lambda fit: fit[0])
        if 0.0 < errors[there].min() < np.inf:
            drawn = _draw(means[there], errors[there])
            best = np.bincount(drawn.argmax(axis=1), minlength=there.size)
            shares = (best + 1.0 / there.size) / (_DRAWS + 1.0)  # never certain
            chances[there] = np.where((shares < UNSURE) | (shares >= SURE), shares, np.nan)
            losses[there] = (drawn.max(axis=1, keepdims=True) - drawn).mean(axis=0)
        return chances, losses

    def _fitted(self, rho: float) -> tuple[float, Floats, Floats]:
        """The restricted likelihood of ρ; means and their squared errors, infinite if untried."""
        weights, turns = 1.0 / (rho + (1.0 - rho) / np.maximum(1.0, self.visitors)), self.totals()
        tried, precisions = turns > 0.0, self.totals(weights)
        free = self.arms.size - np.count_nonzero(tried)
        with np.errstate(all="ignore"):
            means = np.where(tried, self.totals(weights * self.values) / precisions, 0.0)
            squares = self.totals(weights * (self.values - means[self.arms]) ** 2)
            logs = np.log(weights).sum() - np.log(precisions[tried]).sum()
            pooled = IN_COMMON * squares.sum() / free
            # Over two degrees fewer: the variance of Student's distribution.
            errors = (pooled + squares) / (IN_COMMON + turns - 3.0) / precisions
            return float(logs - free * np.log(squares.sum())), means, errors


def _draw(means: Floats, errors: Floats) -> Floats:
    """Draws of the arms' true means, the same for the same arguments."""
    rng, tried = np.random.default_rng(0), np.isfinite(errors)
    range_seen = max(float(np.ptp(means[tried])), float(np.sqrt(errors.min())))
    spreads = (_SPREADS * range_seen) ** 2
    weights = 1.0 / (errors + spreads[:, None])
    together = weights.sum(axis=1)
    centres = weights @ means / together
    far = (weights * (means - centres[:, None]) ** 2).sum(axis=1)
    logs = np.log(weights[:, tried]).sum(axis=1) - np.log(together) - far
    odds = np.exp((logs - logs.max()) / 2.0)
    picked = rng.choice(odds.size, _DRAWS, p=odds / odds.sum())
    centre = centres[picked] + rng.normal(size=_DRAWS) / np.sqrt(together[picked])
    spread = spreads[picked][:, None]
    own = spread / (spread + errors)  # how far an arm's own rewards decide
    around = own * means + (1.0 - own) * centre[:, None]
    return np.asarray(around + np.sqrt(spread * (1.0 - own)) * rng.normal(size=own.shape))


def ranking(game: LiveGame[ArmT], gone: bool) -> list[Ranked[ArmT]]:
    """The arms in a game, best first; with `gone`, then those that left it."""
    scale, table, standings = game.scale, game.table, game.standings()
    present = table.present(game.ledger.last_turn + 1)
    there = [one for one in standings if present[one[0]]]
    standings = there + [one for one in standings if gone and not present[one[0]]]
    if table.offers is not None:
        return _of_prices(game, standings)
    lessons = _lessons(game)
    pulls, (low, high) = lessons.totals(), lessons.intervals()
    chances, losses = lessons.outlook(present & (not scale.per_turn))

    def ranked(arm: int, estimate: float | None) -> Ranked[ArmT]:
        value = math.nan if estimate is None else estimate
        # An estimate that a prior draws away from the arm's own mean lies inside all the same.
        ends = min(low[arm], value), max(high[arm], value)
        shown, lower, upper = (known(scale.shown(float(x))) for x in (value, *ends))
        loss = known((scale.high - scale.low) * float(losses[arm]))
        name, sure = table.ids[arm], known(float(chances[arm]))
        return Ranked(name, shown, int(pulls[arm]), lower, upper, sure, loss)

    return [ranked(*one) for one in standings]


def _of_prices(
    game: LiveGame[ArmT], standings: list[tuple[int, float | None]]
) -> list[Ranked[ArmT]]:
    """Prices with what the policy makes of them, and how sure their demand curve is."""
    known = {row.price: row for row in demand(game)}
    turns, ranked = Counter(arm for arm, _, _ in game.ledger.lessons()), list[Ranked[ArmT]]()
    for arm, estimate in standings:
        price, shown = game.table.ids[arm], None
        ends: tuple[float | None, float | None] = None, None
        row = known.get(price)
        if estimate is not None and (row or turns[arm]):
            shown = game.scale.shown(estimate)
            if row and not game.scale.per_turn:
                ends = min(row.earns_low, shown), max(row.earns_high, shown)
        ranked.append(Ranked(price, shown, turns[arm], *ends, row and row.chance_best))
    return ranked


def _lessons(game: LiveGame[Any]) -> Lessons:
    """All that was learned, as the rule learns it."""
    lessons = list(game.ledger.lessons())
    columns = np.array(lessons).reshape(-1, 3)
    arms, visitors = columns[:, 0].astype(np.int64), columns[:, 2]
    values = np.array([game.scale.learned(*lesson) for lesson in lessons], float)
    weights = np.array([game.weight_of(came) for came in visitors.tolist()], float)
    size, order = len(game.table.ids), np.argsort(arms, kind="stable")
    ages = np.empty_like(arms)  # 0 for an arm's latest reward
    ages[order] = np.bincount(arms, minlength=size).cumsum()[arms[order]] - 1
    ages[order] -= np.arange(arms.size)
    kept, bounded = game.policy.kept(ages), game.scale.clips and not game.scale.per_turn
    facts = np.array([values, visitors, weights, kept])
    order = np.lexsort((*facts, arms))  # sums to the last bit, whatever the rewards' order
    values, visitors, weights, kept = facts[:, order]
    return Lessons(arms[order], values, visitors, weights, kept, size, bounded)


def unsure_because(game: LiveGame[Any]) -> str:
    """Why a ranking is never said to be sure, however long the game lasts; "" if it may be."""
    if game.policy.kept(np.array([np.iinfo(np.int64).max])) < 1.0:
        return "the policy forgets old rewards, because the best arm may change"
    per_turn = "the policy compares rewards per turn, so how sure it is cannot be said"
    return per_turn if game.scale.per_turn else ""


def verdict(rows: Sequence[Ranked[Any]], unsure: str = "") -> str:
    """Whether to go on, in a sentence; stopping means to play the first of the arms for ever.

    `unsure` is why nothing can be said however long the game lasts, if that is so.
    """
    first = rows[0] if rows else None
    if first is None or first.estimate is None or first.loss is None:
        return f"Go on: {unsure or 'it is too early to say how sure the ranking is'}."
    share = first.loss / first.estimate if first.estimate > 0.0 else math.inf
    lost = f"{percent(share, 1)} of what it brings" if share < 1.0 else f"{first.loss:.3g}"
    sure = first.chance_best is not None and first.chance_best >= SURE
    if share <= NEGLIGIBLE and not sure:
        part = percent(share, 1)
        return f"Stopping costs almost nothing ({part}), though {first.arm} may not be the best."
    chance = f"it is not clear yet whether {first.arm} is the best"
    if first.chance_best is not None:
        chance = f"{first.arm} is best with a chance of {percent(first.chance_best)}"
    start = "You may stop" if sure else "Go on"
    return f"{start}: {chance}, and stopping now loses {lost} per visitor, on average."
