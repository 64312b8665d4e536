"""A policy is a plan and a rule: how much each turn may explore, and how an arm is then chosen.

A new policy is a frozen dataclass with a `rule` and a `step`.  Give it a `name` too, and the
command line and the conformance checks find it:

>>> from dataclasses import dataclass
>>> import highseason as hs
>>> from highseason.policies import Policy, parameter
>>> @dataclass(frozen=True)
... class ExploreWhenQuiet(Policy):
...     rule = hs.policies.EPSILON
...     uses_future_g = True  # view.lowest is the smallest G of the whole game
...     share: float = parameter(0.5, "of the way down from the busiest to the quietest turn")
...     def step(self, carry, view):
...         return min(1.0, self.share * view.lowest / view.G), carry
>>> ExploreWhenQuiet().plan(hs.traffic.wave(turns=100), arms=5).at(6)  # the first crest
0.0122...
"""

from __future__ import annotations

import json
import math
import pkgutil
import re
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from highseason.core.ordered import WithOne
from highseason.core.reflexes import ON_POLICY, missing
from highseason.core.specs import Registry, split_spec
from highseason.core.text import exact
from highseason.policies.parameters import Limits, Role, declared, parameter
from highseason.policies.plan import Plan, Planner, known_levels, levels_from
from highseason.policies.presence import LifetimeOptions
from highseason.policies.rule import Rule
from highseason.policies.views import View
from highseason.rewards import check_arms
from highseason.traffic import Threshold, as_multiplier
from highseason.traffic.thresholds import warn_if_one_sided

#: Policies by name: the command line, saved states and the conformance checks find them here.
_policies: Registry[type[Policy]] = Registry("policy")
#: Joins a wrapper to the policy within; not the sign in a number such as 1e+5.
_PLUS = re.compile(r"\+(?=\s*[A-Za-z])")


@dataclass(frozen=True)
class Policy:
    """What all policies share.  Subclasses give `name`, `rule` and `step`.

    Attributes:
        ties: Whether ties go to the lowest arm or are broken at random.
    """

    name: ClassVar[str] = ""
    rule: ClassVar[Rule]
    #: Published values, by profile name.
    profiles: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    #: Whether a turn's level depends on G after it, as `view.floor` and `view.lowest` do.
    uses_future_g: ClassVar[bool] = False
    #: Whether `step` reads `view.future` or `view.turns_left`: it cannot play without them.
    uses_future: ClassVar[bool] = False
    #: What the carry of `step` depends on: it is always the same ("nothing"), it depends on G and
    #: on nothing else ("G"), or on the number of arms too.  A live bandit whose arms come and go
    #: plans such a policy again from the first turn.  A class with its own `step` declares its own.
    carry_depends_on: ClassVar[Literal["nothing", "G", "arms"]] = "arms"
    #: Average the rewards as they come, multiplied by G (the bias the paper warns of).
    learns_scaled: ClassVar[bool] = False
    #: Never or always exploring is intended: no warning.
    suppress_plan_warning: ClassVar[bool] = False

    ties: str = parameter(
        "lowest",
        "ties: the lowest arm, or at random",
        choices=("lowest", "random"),
        kw_only=True,  # so that UCBZ(30) means z
    )

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls.name = vars(cls).get("name", "")  # a name is not inherited: it means one class
        if "step" in vars(cls):  # nor is what another step carries
            cls.carry_depends_on = vars(cls).get("carry_depends_on", "arms")
        if cls.name:
            # A class may be defined again, as in notebooks, but not take another one's name.
            _policies.register(cls.name, cls)

    def __post_init__(self) -> None:
        for name, limits in declared(self).items():
            value = limits.check(self.label, name, getattr(self, name))
            object.__setattr__(self, name, value)
        self._check_rule()

    if not TYPE_CHECKING:  # type checkers would take it for any attribute

        def __getattr__(self, name: str) -> Any:
            raise missing(self, name, ON_POLICY)

    def _check_rule(self) -> None:
        rule = getattr(self, "rule", None)
        if not isinstance(rule, Rule):
            raise TypeError(
                f"{type(self).__name__}.rule must be a Rule, got {rule!r}: set it in the class, "
                "such as rule = hs.policies.EPSILON"
            )

    # -- the plan ---------------------------------------------------------------------------------

    def begin(self) -> Any:
        """What the plan carries from turn to turn, before the first."""
        return 0

    def step(self, carry: Any, view: View) -> tuple[float, Any]:
        """This turn's level and what to carry on.  It may look at the view and nothing else."""
        raise TypeError(
            f"{type(self).__name__} has no plan: define step(self, carry, view) -> (level, carry)"
        )

    def compilable_step(self) -> Callable[..., tuple[float, Any]]:
        """The step as compiled code takes it: its first argument is a record of the parameters."""
        return type(self).step

    def precision(self, visitors: float) -> float:
        """How many observations a turn counts as that so many visitors saw: one, by default."""
        return 1.0

    def levels(self, G: NDArray[np.float64], arms: int) -> NDArray[np.float64] | None:
        """All levels at once, for a plan that needs the whole of G; None where steps make it."""
        return None

    @property
    def plans_any_turn(self) -> bool:
        """Whether a turn's level can be computed without a whole plan for the number of arms."""
        in_steps = type(self.unwrapped).levels is Policy.levels
        return in_steps and self.carry_depends_on != "arms"

    @property
    def requires_full_g(self) -> bool:
        """Whether the plan at turn t depends on G after t (a quantile, a smallest value, W)."""
        return self.uses_future_g or self.uses_future or bool(self.unresolved_thresholds())

    def resolve_thresholds(self, values: NDArray[np.float64] | WithOne) -> Self:
        """The same policy with its rules on G (`q0.75`, `0.75*max`) turned into numbers."""
        rules = self.unresolved_thresholds()
        numbers: dict[str, Any] = {name: rule.resolve(values) for name, rule in rules.items()}
        return replace(self, **numbers) if numbers else self

    def unresolved_thresholds(self) -> dict[str, Threshold]:
        """The parameters that are still rules on G, such as `q0.75`, by name."""
        return {
            name: Threshold.of(getattr(self, name))
            for name, limits in declared(self).items()
            if limits.allows_expression and isinstance(getattr(self, name), str)
        }

    def plan(self, G: Any, arms: int, forecast: Any = None) -> Plan:
        """The exploration plan of a whole game.

        Args:
            G: The multiplier: anything `as_multiplier` takes.
            arms: How many arms.
            forecast: What is expected of each turn before it comes; None when G is known. Numbers
                or a one-step forecaster: a turn's level depends on the forecast of that turn and on
                what came before. A `Forecast` of the whole season: the plan is made before the
                first turn, from the whole of the forecast and nothing else.

        >>> import highseason as hs
        >>> hs.EpsilonGreedy(k=1).plan([1, 1, 1, 1], arms=2).levels
        array([1.        , 1.        , 0.66666667, 0.5       ])
        """
        multiplier = as_multiplier(G)
        arms = check_arms(arms)
        if forecast is None:
            levels = known_levels(self, multiplier, arms)
        else:
            levels = levels_from(self, multiplier, forecast, arms)
        plan = Plan(self, multiplier, arms, levels)
        z, G = self.threshold, multiplier.values
        if z is None or not warn_if_one_sided(G, Threshold.of(z).resolve(G), what=str(self)):
            plan.warn_if_one_sided()
        return plan

    def planner(self, arms: int) -> Planner:
        """The same plan step by step, for a G that becomes known only turn by turn."""
        return Planner(self, check_arms(arms))

    # -- what its parameters mean -----------------------------------------------------------------

    @property
    def threshold(self) -> float | str | None:
        """The threshold z: turns with G >= z are high.  None for a policy without one."""
        return self.in_role("threshold")  # type: ignore[no-any-return]  # a parameter's value

    def in_role(self, role: Role) -> Any:
        """The value of the parameter that is declared in this role, or None."""
        names = [name for name, limits in declared(self).items() if limits.role == role]
        return getattr(self, names[0]) if names else None

    @property
    def lifetime_options(self) -> LifetimeOptions:
        """How the policy uses lifetimes."""
        return LifetimeOptions()

    @property
    def unwrapped(self) -> Policy:
        """The policy whose `step` makes the plan: itself, or the innermost of its wrappers."""
        return self

    def tunable(self) -> dict[str, Limits]:
        """The parameters that tuning can search, by name; of a wrapper, also those within."""
        return {name: limits for name, limits in declared(self).items() if limits.numeric}

    def with_values(self, values: Mapping[str, Any]) -> Self:
        """The policy with other values of these parameters; a wrapper passes on those within."""
        return replace(self, **values)

    def parameters(self) -> dict[str, Any]:
        """The values of all parameters, by name."""
        return {entry.name: getattr(self, entry.name) for entry in fields(self)}

    def to_dict(self) -> dict[str, Any]:
        """The same for JSON: a policy within is its text."""
        return {
            name: str(value) if isinstance(value, Policy) or callable(value) else value
            for name, value in self.parameters().items()
        }

    # -- names ------------------------------------------------------------------------------------

    @property
    def label(self) -> str:
        """The policy's name; the class name of a policy without one."""
        return self.name or type(self).__name__

    def __str__(self) -> str:
        return self._spec()

    def _spec(self, except_for: Container[str] = ()) -> str:
        options = [
            f"{entry.name}={exact(getattr(self, entry.name))}"
            for entry in fields(self)
            if entry.name not in except_for and getattr(self, entry.name) != entry.default
        ]
        return f"{self.label}:{','.join(options)}" if options else self.label

    @classmethod
    def profile(cls, name: str) -> Self:
        """The policy with published values: `paper` or `authors_code`; unknown names are errors."""
        if name not in cls.profiles:
            known = ", ".join(sorted(cls.profiles)) or "none"
            raise ValueError(f"{cls.name} has no profile {name!r}; it has: {known}")
        return cls(**cls.profiles[name])

    def to_json(self) -> str:
        """The policy as text that `policies.from_json` reads."""
        return json.dumps(self, default=_document)


def discover(package: str, path: Iterable[str]) -> None:
    """Import every module of a package, so that their policies are registered."""
    for module in pkgutil.iter_modules(path):
        import_module(f"{package}.{module.name}")


def registry() -> dict[str, type[Policy]]:
    """Every named policy, the user's own included."""
    return _policies.entries()


def find(name: str) -> type[Policy]:
    """The policy class called `name`; an unknown name suggests the nearest."""
    return _policies[name]


def parse(text: str) -> Policy:
    """Read a policy as it is written on the command line.

    >>> parse("ucb-z:z=31")
    UCBZ(ties='lowest', count='turns', rho=0.0, z=31.0, P=2.0, variant='paper')
    >>> print(parse("cap:cap=0.5+spare-old-arms+soft-ucb-mortal"))
    cap:cap=0.5+spare-old-arms+soft-ucb-mortal
    """
    outer, *inner = _PLUS.split(text, maxsplit=1)
    name, given = split_spec(outer)
    cls, options = find(name), dict[str, Any](given)
    limits = declared(cls)
    for key in options:
        if key not in limits:
            raise ValueError(f"{cls.name} has no parameter {key!r}; it has: {', '.join(limits)}")
    if inner:
        if "base" not in limits:
            raise ValueError(
                f"{cls.name} is not a wrapper: it cannot be put before '+', got {text!r}"
            )
        options["base"] = parse(inner[0])
    return cls(**options)


def from_json(text: str) -> Policy:
    """The policy that `Policy.to_json` wrote."""
    policy = json.loads(text, object_hook=lambda document: find(document.pop("name"))(**document))
    if not isinstance(policy, Policy):
        raise ValueError(f"expected what Policy.to_json writes, got {text[:60]}")
    return policy


def _document(policy: Policy) -> dict[str, Any]:
    values = {"name": policy.name, **policy.parameters()}
    return {key: str(v) if v in (math.inf, -math.inf) else v for key, v in values.items()}
