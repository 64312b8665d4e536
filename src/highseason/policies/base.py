"""A policy is a plan and a rule: how much each turn may explore, and how an arm is then chosen.

A new policy is a frozen dataclass with a rule to decide by and a `step`; give it a `name` too, and
the command line and the conformance checks find it:

>>> from dataclasses import dataclass
>>> import highseason as hs
>>> from highseason.policies import Policy, parameter
>>> @dataclass(frozen=True)
... class ExploreWhenQuiet(Policy):
...     rule = hs.rules.EPSILON
...     uses_future_g = True  # view.lowest is the least G of the whole game
...     share: float = parameter(0.5, "of the way down from the busiest to the quietest turn")
...     def step(self, carry, view):
...         return min(1.0, self.share * view.lowest / view.G), carry
>>> ExploreWhenQuiet().plan(hs.multipliers.wave(turns=100), arms=5).at(6)  # the first crest
0.0122...
"""

from __future__ import annotations

import json
import math
from collections.abc import Container, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from highseason.multipliers import Threshold, as_multiplier
from highseason.multipliers.thresholds import warn_if_one_sided
from highseason.policies.parameters import Limits, parameter
from highseason.policies.plan import Plan
from highseason.policies.planner import Planner, known_levels, levels_from
from highseason.policies.registry import enter
from highseason.policies.view import View
from highseason.rewards import check_arms
from highseason.rules import Rule


@dataclass(frozen=True)
class Policy:
    """What all policies share.  Subclasses give `name`, `rule` and `step`.

    Attributes:
        ties: Equal arms go to the lowest, or are drawn by lot.
    """

    name: ClassVar[str] = ""
    rule: ClassVar[Rule]
    #: Published values, by profile name.
    profiles: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    #: Whether a turn's level depends on G after it, as `view.floor` and `view.lowest` do.
    uses_future_g: ClassVar[bool] = False
    #: Whether `step` looks at `view.future` or `view.turns_left`; it is refused where they are unknown.
    uses_future: ClassVar[bool] = False
    #: Average the rewards as they come, multiplied by G (the bias the paper warns of).
    learns_scaled: ClassVar[bool] = False
    #: Never or always exploring is the point of it: no warning.
    suppress_plan_warning: ClassVar[bool] = False
    #: Whether it cannot play without knowing when each arm expires.
    needs_expiry: ClassVar[bool] = False

    ties: str = parameter(
        "lowest",
        "equal arms: the lowest, or by lot",
        choices=("lowest", "random"),
        kw_only=True,  # so that UCBZ(30) means z
    )

    def __init_subclass__(cls, **options: Any) -> None:
        """Enter named policies in the registry, where command line and checks find them."""
        super().__init_subclass__(**options)
        cls.name = vars(cls).get("name", "")  # a name is not inherited: it means one class
        if cls.name:
            enter(cls.name, cls)

    def __post_init__(self) -> None:
        """Check every parameter."""
        for entry in fields(self):
            limits = entry.metadata.get("limits")
            if isinstance(limits, Limits):
                value = limits.check(self.label, entry.name, getattr(self, entry.name))
                object.__setattr__(self, entry.name, value)

    # -- the plan ---------------------------------------------------------------------------------

    def begin(self) -> Any:
        """What the plan carries from turn to turn, before the first."""
        return 0

    def step(self, carry: Any, view: View) -> tuple[float, Any]:
        """This turn's number and what to carry on.  It may look at the view and nothing else."""
        raise TypeError(f"{type(self).__name__} has no step(carry, view)")

    @property
    def requires_full_g(self) -> bool:
        """Whether the plan at turn t depends on G after t (a quantile, a least value)."""
        return self.uses_future_g or self.uses_future or bool(self.unresolved_thresholds())

    def resolve_thresholds(self, values: NDArray[np.float64]) -> Self:
        """The same policy with its rules on G (`q0.75`, `0.75*max`) turned into numbers."""
        rules = self.unresolved_thresholds()
        if not rules:
            return self
        numbers: dict[str, Any] = {name: rule.resolve(values) for name, rule in rules.items()}
        return replace(self, **numbers)

    def plan(self, G: Any, arms: int, forecast: Any = None) -> Plan:
        """The exploration plan of a whole game.

        Args:
            G: The multiplier: anything `as_multiplier` takes.
            arms: How many arms.
            forecast: What is believed of each turn before it comes; None when G is known. Numbers,
                or a one-step forecaster: a turn's number depends on the belief of that turn and on
                what came before. A `Forecast` of the whole season: the plan is made before the
                first turn, from the whole of the forecast and nothing else.

        >>> import highseason as hs
        >>> hs.EpsilonGreedy(k=1).plan([1, 1, 1, 1], arms=2).levels
        array([1.        , 1.        , 0.66666667, 0.5       ])
        """
        multiplier = as_multiplier(G)
        arms = check_arms(arms)
        if forecast is None:
            numbers = known_levels(self, multiplier, arms)
        else:
            numbers = levels_from(self, multiplier, forecast, arms)
        plan = Plan(self, multiplier, arms, numbers)
        if not self._warn_of_threshold(multiplier.values):
            plan.warn_if_one_sided()
        return plan

    def planner(self, arms: int) -> Planner:
        """The same plan step by step, for a G that is known only as it goes."""
        return Planner(self, check_arms(arms))

    def _warn_of_threshold(self, values: NDArray[np.float64]) -> bool:
        """Warn of a z that parts nothing, and say whether it did."""
        z = getattr(self.resolve_thresholds(values), "z", None)
        return z is not None and warn_if_one_sided(values, z, what=str(self))

    def unresolved_thresholds(self) -> dict[str, Threshold]:
        """The parameters that are still rules on G, such as `q0.75`, by name."""
        found = {}
        for entry in fields(self):
            limits = entry.metadata.get("limits")
            value = getattr(self, entry.name)
            if isinstance(limits, Limits) and limits.allows_expression and isinstance(value, str):
                found[entry.name] = Threshold.of(value)
        return found

    # -- arms that come and go --------------------------------------------------------------------

    @property
    def weight_scale(self) -> float:
        """What the rule's `weigh` takes for the most that exploring an arm can be worth."""
        return 1.0

    @property
    def ranks_by_expiry(self) -> bool:
        """Whether an arm's score is how long it still lives, not what its whole life is worth."""
        return False

    @property
    def initial_arms(self) -> int:
        """How many of the arms there at the start are tried first; 0 for all of them."""
        return 0

    @property
    def unwrapped(self) -> Policy:
        """The policy whose `step` makes the plan: itself, or the one it is wrapped around."""
        return self

    # -- what to say ------------------------------------------------------------------------------

    def advice_if_never(self, plan: Plan) -> str:
        """Why this plan may never explore; the end of a warning's sentence."""
        G = plan.multiplier.values
        z = getattr(self.resolve_thresholds(G), "z", None)
        if z is not None and bool((G[plan.arms :] >= z).all()):
            return f": every turn after the first round is high (G >= {_short(z)}). Raise z"
        unit = getattr(self, "unit", None)
        if isinstance(unit, float):
            reach = f"G runs from {G.min():g} to {G.max():g}, unit={_short(unit)}"
            return f" ({reach}): it plays greedily. A larger unit, such as unit='q0.5', helps"
        return f": it plays greedily. A larger {self._knobs()} lets it explore"

    def advice_if_always(self, plan: Plan) -> str:
        """Why this plan may explore all the time."""
        return (
            f": with {plan.arms} arms and {len(plan)} turns it never settles on the best arm. "
            f"A smaller {self._knobs()}, or a longer game, lets it"
        )

    def _knobs(self) -> str:
        """The parameters that set how much it explores."""
        own = self.unwrapped.parameters()
        return " or ".join(name for name in ("k", "P", "c") if name in own) or "plan"

    def parameters(self) -> dict[str, Any]:
        """The values of all parameters, by name."""
        return {entry.name: getattr(self, entry.name) for entry in fields(self)}

    def __str__(self) -> str:
        """The name and what differs from the defaults, as the command line reads it."""
        return self._told()

    def _told(self, except_for: Container[str] = ()) -> str:
        told = [
            f"{entry.name}={_short(getattr(self, entry.name))}"
            for entry in fields(self)
            if entry.name not in except_for and getattr(self, entry.name) != entry.default
        ]
        return f"{self.label}:{','.join(told)}" if told else self.label

    @property
    def label(self) -> str:
        """The policy's name; the class name of a policy that was given none."""
        return self.name or type(self).__name__

    # -- making one -------------------------------------------------------------------------------

    @classmethod
    def profile(cls, name: str) -> Self:
        """The policy with published values: `paper` or `authors_code`; unknown names are errors."""
        if name not in cls.profiles:
            known = ", ".join(sorted(cls.profiles)) or "none"
            raise ValueError(f"{cls.name} has no profile {name!r}; it has: {known}")
        return cls(**cls.profiles[name])

    def to_json(self) -> str:
        """The policy as text that `policies.from_json` reads."""
        return json.dumps(self._document())

    def _document(self) -> dict[str, Any]:
        document: dict[str, Any] = {"name": self.name}
        for key, value in self.parameters().items():
            if isinstance(value, Policy):
                document[key] = value._document()
            else:
                document[key] = str(value) if value in (math.inf, -math.inf) else value
        return document


def _short(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if not isinstance(value, float):
        return str(value)
    text = f"{value:g}"
    return text if float(text) == value else repr(value)
