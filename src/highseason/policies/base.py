"""A policy is a plan and a rule: how much each turn may explore, and how an arm is then chosen.

A new policy is a frozen dataclass with a `rule` and a `step`.  Give it a `name` too, and the
command line and the conformance checks find it:

>>> from dataclasses import dataclass
>>> import highseason as hs
>>> from highseason.policies import Policy, parameter
>>> @dataclass(frozen=True)
... class ExploreWhenQuiet(Policy):
...     rule = hs.policies.EPSILON
...     needs_whole_g = True  # view.lowest is the smallest G of the whole game
...     share: float = parameter(0.5, "of the way down from the busiest to the quietest turn")
...     def step(self, carry, view):
...         return min(1.0, self.share * view.lowest / view.G), carry
>>> ExploreWhenQuiet().plan(hs.traffic.wave(turns=100), arms=5).at(6)  # the first crest
0.0122...
"""

from __future__ import annotations

import json
import math
import operator
import pkgutil
import re
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import Field, dataclass, field, fields, replace
from functools import cache, partial
from importlib import import_module
from inspect import cleandoc
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from highseason.core.ordered import WithOne
from highseason.core.reflexes import Hinting
from highseason.core.specs import Registry, split_spec, unique_labels
from highseason.core.text import exact
from highseason.policies.plan import Plan, Planner, View, known_levels, levels_from
from highseason.policies.rule import LifetimeOptions, Rule, uniform_weights
from highseason.rewards import check_arms, effective_visitors
from highseason.traffic import Threshold, as_multiplier
from highseason.traffic.series import warn_if_one_sided

# -- parameters ------------------------------------------------------------------------------------
# Ordinary dataclass fields: a default, a sentence, what values are valid, where tuning looks.

#: A number, or an expression such as "q0.75", which becomes a number before any step.
OnG: TypeAlias = Any
#: A range whose ends differ by more than this factor is searched in equal factors.
_WIDE = 20.0
#: Just above the greatest G: no turn reaches it.
_ABOVE_G = 1.02


class SearchRange(NamedTuple):
    """Where tuning looks for a parameter: from `low` to `high`, in equal factors or equal steps."""

    low: float
    high: float
    scale: Literal["log", "linear"]

    @classmethod
    def between(cls, low: float, high: float) -> SearchRange:
        """The scale that suits two ends: equal factors over a wide range above 0.

        >>> SearchRange.between(1, 40), SearchRange.between(0, 1)
        (SearchRange(low=1, high=40, scale='log'), SearchRange(low=0, high=1, scale='linear'))
        """
        return cls(low, high, "log" if 0 < low and high > _WIDE * low else "linear")


#: The search range of exploration constants (k, P, c), and of a number that declares none.
EXPLORATION = SearchRange(1e-3, 1e2, "log")
#: What a parameter is to other rooms: the threshold that makes turns high, or the unit of G.
Role = Literal["", "threshold", "unit"]


@dataclass(frozen=True)
class Limits:
    """What a parameter may be: a number, yes or no, a word, an expression on G, or an inner policy.

    A `known` number is a fact about the world, which tuning leaves alone.  `search` is where tuning
    looks for the others.  An expression needs none: it is searched from the least G, where every
    turn is high, to just above the greatest, where none is.
    """

    doc: str
    above: float | None = None
    at_least: float | None = None
    at_most: float | None = None
    whole: bool = False
    flag: bool = False
    inner: bool = False
    choices: Sequence[str] = ()
    allows_expression: bool = False
    infinite: bool = False
    search: tuple[float, float, Literal["log", "linear"]] | None = None
    known: bool = False
    role: Role = ""

    @property
    def numeric(self) -> bool:
        """Whether the parameter is a number, which tuning can search."""
        return not (self.choices or self.flag or self.inner or self.known)

    def search_range(self, G: NDArray[np.float64]) -> SearchRange:
        """Where tuning looks for the parameter in a game with these values of G."""
        if self.search is not None:
            return SearchRange(*self.search)
        if self.allows_expression:
            return SearchRange.between(float(G.min()), _ABOVE_G * float(G.max()))
        floor = max(self.above or 0.0, self.at_least or 0.0)
        high = EXPLORATION.high * max(1.0, 10 * floor)
        high = high if self.at_most is None else min(high, self.at_most)
        return SearchRange(max(EXPLORATION.low, 1.01 * floor), high, "log")

    def check(self, owner: str, name: str, value: Any) -> Any:
        """The value as it is kept; a `ValueError` says what was expected."""
        label = f"{owner}: {name}"
        if self.choices:
            if value not in self.choices:
                raise ValueError(f"{label}={value!r} must be one of {', '.join(self.choices)}")
            return str(value)
        if self.inner:  # the wrapper itself looks at it
            return value
        if self.flag:
            words = {"true": True, "yes": True, "false": False, "no": False}
            if str(value).lower() not in words:
                raise ValueError(f"{label}={value!r} must be true or false")
            return words[str(value).lower()]
        if self.allows_expression and isinstance(value, str):
            return self._expression(label, value)
        number = self._number(label, value)
        return int(number) if self.whole else number

    def _expression(self, label: str, value: str) -> float | str:
        try:
            threshold = Threshold.of(value)
        except ValueError as reason:
            raise ValueError(f"{label}: {reason}") from None
        return self._number(label, threshold.amount) if threshold.fixed else str(threshold)

    def _number(self, label: str, value: Any) -> float:
        try:
            number = float(value)
        except (TypeError, ValueError):
            raise ValueError(f"{label}={value!r} is not a number") from None
        if math.isnan(number) or (math.isinf(number) and not self.infinite):
            raise ValueError(f"{label}={value} is not a finite number")
        for words, limit, holds in (
            ("above", self.above, operator.gt),
            ("at least", self.at_least, operator.ge),
            ("at most", self.at_most, operator.le),
        ):
            if limit is not None and not holds(number, limit):
                raise ValueError(f"{label}={value} must be {words} {limit:g}")
        if self.whole and not number.is_integer():
            raise ValueError(f"{label}={value} must be a whole number")
        return number


def parameter(default: Any, doc: str, kw_only: bool = False, **limits: Any) -> Any:
    """A dataclass field with its `Limits`."""
    return field(default=default, kw_only=kw_only, metadata={"limits": Limits(doc, **limits)})


def declared(policy: object) -> dict[str, Limits]:
    """The limits of a policy's parameters, or of a policy class's, by name."""
    return _declared(policy if isinstance(policy, type) else type(policy))


@cache
def _declared(kind: type) -> dict[str, Limits]:
    entries: dict[str, Field[Any]] = getattr(kind, "__dataclass_fields__", {})
    return {
        name: entry.metadata["limits"]
        for name, entry in entries.items()
        if isinstance(entry.metadata.get("limits"), Limits)
    }


#: z: a turn with G >= z is high.
threshold = partial(
    parameter,
    doc="turns with G >= z are high: a number, a quantile of G (q0.75) or a share of its maximum "
    "(0.75*max)",
    allows_expression=True,
    above=0.0,
    infinite=True,
    role="threshold",
)
#: The parameter by which G is divided before a soft formula sees it.
unit_of_g = partial(
    parameter,
    doc="G is divided by this before it regulates: a number, or an expression such as q0.5",
    allows_expression=True,
    above=0.0,
    role="unit",
)
#: A constant that says how much to explore, such as k, P and c.
exploration = partial(parameter, at_least=0.0, search=EXPLORATION)
#: k of the ε policies.
epsilon_constant = partial(exploration, doc="exploration constant; 0 never explores")
#: P of the UCB policies.
radius = partial(exploration, 2.0, "the radius is sqrt(P log(…) / pulls); 2 is UCB1's")
#: A number of rewards or displays to look back on.
window = partial(parameter, at_least=1, at_most=1e6, whole=True, search=(1.01, 1e3, "log"))


# -- the policy ------------------------------------------------------------------------------------

#: Policies by name: the command line, saved states and the conformance checks find them here.
_policies: Registry[type[Policy]] = Registry("policy")
#: Joins a wrapper to the policy within; not the sign in a number such as 1e+5.
_PLUS = re.compile(r"\+(?=\s*[A-Za-z])")


@dataclass(frozen=True)
class Policy(Hinting):
    """What all policies share.  Subclasses give `name`, `rule` and `step`.

    Attributes:
        ties: Whether ties go to the lowest arm or are broken at random.
    """

    name: ClassVar[str] = ""
    rule: ClassVar[Rule]
    #: Published values, by profile name.
    profiles: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    #: Whether a turn's level depends on G after it, as `view.floor` and `view.lowest` do.
    needs_whole_g: ClassVar[bool] = False
    #: Whether `step` reads `view.future` or `view.turns_left`: it cannot play without them.
    needs_horizon: ClassVar[bool] = False
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
        "the lowest arm wins a tie, or one at random",
        choices=("lowest", "random"),
        kw_only=True,  # so that UCBZ(30) means z
    )

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls.name = vars(cls).get("name", "")  # a name is not inherited: it means one class
        if "step" in vars(cls):  # nor is what another step carries
            cls.carry_depends_on = vars(cls).get("carry_depends_on", "arms")
            cls.steps = vars(cls).get("steps", Policy.steps)  # type: ignore[method-assign]
        if (text := vars(cls).get("__doc__")) and "\nArgs:" not in text:
            own = {
                k: v.metadata.get("limits") for k, v in vars(cls).items() if isinstance(v, Field)
            }
            limits = {**own, **declared(cls.__base__), **own}
            lines = [f"    {name}: {one.doc}." for name, one in limits.items() if one]
            cls.__doc__ = "\n".join([cleandoc(text), "", "Args:", *lines])
        if cls.name:
            # A class may be defined again, as in notebooks, but not take another one's name.
            _policies.register(cls.name, cls)

    def __post_init__(self) -> None:
        for name, limits in declared(self).items():
            value = limits.check(self.label, name, getattr(self, name))
            object.__setattr__(self, name, value)
        self._check_rule()

    if not TYPE_CHECKING:  # type checkers would take it for any parameter

        def __new__(cls, *_: Any, **values: Any) -> Self:
            """Say where an ε that stays the same is, which other libraries have here."""
            if "epsilon" in values and "epsilon" not in declared(cls):
                raise TypeError(
                    f"{cls.__name__} has no parameter 'epsilon': an ε that stays the same is "
                    f"hs.ConstantEpsilon(epsilon={values['epsilon']!r})"
                )
            return super().__new__(cls)

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
        """The number of observations a turn with these visitors counts as; 1 by default."""
        return 1.0

    def kept(self, ages: NDArray[np.int64]) -> NDArray[np.float64]:
        """The share of their weight that an arm's rewards keep; the age of the latest is 0."""
        return np.ones(ages.shape)

    def levels(self, G: NDArray[np.float64], arms: int) -> NDArray[np.float64] | None:
        """All levels at once, for a plan that needs the whole of G; None where steps make it."""
        return None

    def steps(self, views: Any) -> NDArray[np.float64] | None:
        """The same levels as `step`, to the bit, from one view with arrays of the turns; or None.

        A class with its own `step` has none, unless it gives its own.
        """
        return None

    @property
    def plans_any_turn(self) -> bool:
        """Whether a turn's level can be computed without a whole plan for the number of arms."""
        in_steps = type(self.unwrapped).levels is Policy.levels
        return in_steps and self.carry_depends_on != "arms"

    @property
    def needs_g_ahead(self) -> bool:
        """Whether the plan at turn t depends on G after t (a quantile, a smallest value, W)."""
        return self.needs_whole_g or self.needs_horizon or bool(self.unresolved_thresholds())

    def resolve_thresholds(self, values: NDArray[np.float64] | WithOne) -> Self:
        """The same policy with its expressions (`q0.75`, `0.75*max`) turned into numbers."""
        expressions = self.unresolved_thresholds()
        numbers: dict[str, Any] = {name: e.resolve(values) for name, e in expressions.items()}
        return replace(self, **numbers) if numbers else self

    def unresolved_thresholds(self) -> dict[str, Threshold]:
        """The parameters that are still expressions, such as `q0.75`, by name."""
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
    def uses_lifetimes(self) -> bool:
        """Whether it plays differently among arms that stay because it looks at lifetimes."""
        use, weighs = self.lifetime_options, self.rule.set_weights is not uniform_weights
        return (weighs and not use.scores_left) or use.needs_end or use.initial_arms > 0

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

    def counting(self, what: str) -> Self:
        """The policy where turns or visitors are counted: the same, unless it follows that."""
        return self

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
        """The policy with published values, such as `paper`; unknown names are errors."""
        if name not in cls.profiles:
            known = ", ".join(sorted(cls.profiles)) or "none"
            raise ValueError(f"{cls.name} has no profile {name!r}; it has: {known}")
        return cls(**cls.profiles[name])

    def to_json(self) -> str:
        """The policy as text that `policies.from_json` reads."""
        return json.dumps(self, default=_document)


# -- what counts as evidence: turns, as in the paper, or the visitors behind them ------------------


@dataclass(frozen=True)
class CountingPolicy(Policy):
    """A policy that may learn from the visitors of a turn instead of counting turns.

    Attributes:
        count: Whether every turn counts alike, or by its visitors.
    """

    count: str = parameter(
        "auto",
        "what estimates count: turns (the paper), visitors, or (auto) visitors wherever the "
        "rewards count them",
        choices=("auto", "turns", "visitors"),
        kw_only=True,
    )

    def counting(self, what: str) -> Self:
        """The policy that counts this, unless it was told what to count."""
        return replace(self, count=what) if self.count == "auto" else self

    def precision(self, visitors: float) -> float:
        """The visitors, for a rule that itself learns how much they teach."""
        return float(visitors) if self.count == "visitors" else 1.0


@dataclass(frozen=True)
class WeighingPolicy(CountingPolicy):
    """A policy whose averages and radii weigh turns by a known correlation of their visitors.

    Where they are counted, n visitors of a turn count as n / (1 + (n - 1)·rho) observations:
    estimates are weighted by that, and the radius of an index rule is sqrt(level / visitors).  The
    level stays the plan's, with the turn t in its logarithm: a choice is made once a turn, so a
    bound that holds for all choices grows with turns and not with visitors.

    Attributes:
        rho: The correlation of two visitors of the same turn, as far as the policy knows it.
    """

    rho: float = parameter(
        0.0,
        "where visitors are counted: the correlation of two visitors of the same turn",
        at_least=0.0,
        at_most=1.0,
        known=True,
        kw_only=True,
    )

    def precision(self, visitors: float) -> float:
        """How many observations a turn with these visitors counts as."""
        return float(effective_visitors(visitors, self.rho)) if self.count == "visitors" else 1.0


# -- policies by name ------------------------------------------------------------------------------


def discover(package: str, path: Iterable[str]) -> None:
    """Import every module of a package, so that their policies are registered."""
    for module in pkgutil.iter_modules(path):
        import_module(f"{package}.{module.name}")


def registry(added: bool = True) -> dict[str, type[Policy]]:
    """Every named policy, the user's own included, and those that other packages `added`."""
    if added:
        _load_added()
    return dict(_policies)


def find(name: str) -> type[Policy]:
    """The policy class called `name`; an unknown name suggests the nearest."""
    if name.lower() not in _policies:
        _load_added()
    return _policies[name]


@cache
def _load_added() -> None:
    """Import what other packages add by the entry-point group `highseason.policies`."""
    from importlib.metadata import entry_points  # it reads the metadata of every package

    for point in entry_points(group="highseason.policies"):
        try:
            point.load()
        except Exception as reason:  # another package's code: any fault
            package = point.dist.name if point.dist else point.module
            raise ImportError(
                f"{package} adds the policy {point.name!r}, which cannot be loaded "
                f"({type(reason).__name__}: {reason}): upgrade or uninstall {package}"
            ) from reason


def parse(text: str) -> Policy:
    """Read a policy as it is written on the command line.

    >>> parse("ucb-z:z=31")
    UCBZ(ties='lowest', count='auto', rho=0.0, z=31.0, P=2.0)
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


def as_policy(policy: object) -> Policy:
    """A policy, or the one that a text names; of anything else the error says what to write."""
    if isinstance(policy, str):
        return parse(policy)
    if isinstance(policy, Policy):
        return policy
    if isinstance(policy, type) and issubclass(policy, Policy):
        name = policy.__name__
        raise ValueError(f"{name} is a class and not a policy: write {name}(), with its brackets")
    raise ValueError(
        f"{policy!r} is not a policy: give one such as hs.UCB(), or its text; your own is a "
        'subclass of hs.Policy (see the guide "Your own policy"), and hs.policies.ForeignPolicy.of '
        "wraps an object of another library"
    )


#: Policies in any form that `simulate` and `replay` take.
Policies: TypeAlias = Policy | str | Sequence[Policy | str] | Mapping[str, Policy | str]


def labelled(
    policies: Policies, visitors: bool = False
) -> tuple[tuple[str, ...], tuple[Policy, ...]]:
    """The given policies in any form, with a label for each; `visitors` may be counted."""
    if isinstance(policies, Policy | type | str) or not isinstance(policies, Iterable):
        policies = [policies]  # a class, or what is no policy, gets a hint below
    by_label = isinstance(policies, Mapping)
    given = policies.values() if isinstance(policies, Mapping) else policies
    players = tuple(map(as_policy, given))
    labels = unique_labels([str(label) for label in (policies if by_label else players)])
    if not players:
        raise ValueError("no policy was given")
    return labels, tuple(one.counting("visitors") for one in players) if visitors else players


def from_json(text: str) -> Policy:
    """The policy that `Policy.to_json` wrote."""
    policy = json.loads(text, object_hook=_read)
    if not isinstance(policy, Policy):
        raise ValueError(f"expected what Policy.to_json writes, got {text[:60]}")
    return policy


def _read(document: dict[str, Any]) -> Policy:
    if not isinstance(name := document.pop("name", None), str):
        raise ValueError(f"expected the name of a policy, got {name!r}")
    return find(name)(**document)


def _document(policy: Policy) -> dict[str, Any]:
    values = {"name": policy.name, **policy.parameters()}
    return {key: str(v) if v in (math.inf, -math.inf) else v for key, v in values.items()}
