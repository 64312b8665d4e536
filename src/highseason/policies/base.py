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
import pkgutil
import re
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import Field, dataclass, fields, replace
from functools import cache
from importlib import import_module
from inspect import cleandoc
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from highseason.core.ordered import WithOne
from highseason.core.specs import Registry, split_spec, unique_labels
from highseason.core.text import exact
from highseason.core.validation import Limits, declared
from highseason.policies.parameters import parameter
from highseason.policies.plan import Plan, Planner, View, known_levels, levels_from
from highseason.policies.rule import LifetimeOptions, Rule, uniform_weights
from highseason.rewards import check_arms, effective_visitors
from highseason.traffic import Threshold, as_multiplier
from highseason.traffic.series import warn_if_one_sided

#: What estimates count.
Counts = Literal["turns", "visitors"]
#: What a parameter is to other rooms: the threshold that makes turns high, the load up to which a
#: turn explores fully, or the unit of G.
Role = Literal["", "threshold", "load", "unit"]
#: Policies by name: the command line, saved states and the conformance checks find them here.
_policies: Registry[type[Policy]] = Registry("policy")
#: Joins a wrapper to the policy within; not the sign in a number such as 1e+5.
_PLUS = re.compile(r"\+(?=\s*[A-Za-z])")
#: What River, MABWiser, scikit-learn and Optuna call on a policy.
_CALLED_ELSEWHERE = (
    "pull update ranking ask tell recommend select_arm simulate "
    "fit partial_fit predict predict_expectations predict_one learn_one"
).split()


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
    #: Whether how much a turn explores depends on G.  A class with its own `step` declares its own.
    looks_at_g: ClassVar[bool] = True
    #: Whether it ever explores once every arm was tried.  A class with its own `step` declares its
    #: own.
    explores: ClassVar[bool] = True
    #: Its place among the policies that `advise` compares, the simplest first; None: not compared.
    candidate: ClassVar[float | None] = None

    ties: str = parameter(
        "lowest",
        "the lowest arm wins a tie, or one at random",
        choices=("lowest", "random"),
        kw_only=True,  # so that UCBZ(30) means z
    )

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        # These mean one class, or describe its step: they are not inherited.
        described = (
            ("carry_depends_on", "looks_at_g", "explores", "steps") if "step" in vars(cls) else ()
        )
        for name in ("name", "candidate", *described):
            setattr(cls, name, vars(cls).get(name, getattr(Policy, name)))
        if "precision" in vars(cls):
            raise TypeError(
                f"{cls.__name__} has a precision of its own, which compiled games could not read: "
                "define the properties counts and correlation"
            )
        if (text := vars(cls).get("__doc__")) and "\nArgs:" not in text:
            own = {name: entry for name, entry in vars(cls).items() if isinstance(entry, Field)}
            every = own | getattr(cls.__base__, "__dataclass_fields__", {}) | own
            cls.__doc__ = "\n".join([cleandoc(text), "", "Args:", *_explained(every)])
        if cls.name:
            # A class may be defined again, as in notebooks, but not take another one's name.
            _policies.register(cls.name, cls)

    def __post_init__(self) -> None:
        for name, limits in declared(self).items():
            object.__setattr__(self, name, self._checked(name, limits))
        self._check_rule()

    def _checked(self, name: str, limits: Limits) -> Any:
        """The value as it is kept: a number where it is one, or an expression on G."""
        value, label = getattr(self, name), f"{self.label}: {name}"
        if limits.allows_expression and isinstance(value, str):
            try:
                threshold = Threshold.of(value)
            except ValueError as reason:
                raise ValueError(f"{label}: {reason}") from None
            if not threshold.fixed:
                return str(threshold)
            value = threshold.amount
        return limits.check(label, value)

    if not TYPE_CHECKING:  # type checkers would take it for any parameter

        def __new__(cls, *_: Any, **values: Any) -> Self:
            """Say where an ε that stays the same is, which other libraries have here."""
            if "epsilon" in values and "epsilon" not in declared(cls):
                raise TypeError(
                    f"{cls.__name__} has no parameter 'epsilon': an ε that stays the same is "
                    f"hs.ConstantEpsilon(epsilon={values['epsilon']!r})"
                )
            return super().__new__(cls)

        def __getattr__(self, name: str) -> Any:
            """Say what plays a policy, for those who know libraries where it plays by itself."""
            hint = (
                f": a policy is a recipe.  hs.Bandit plays it (bandit = hs.Bandit(arms, {self!r}), "
                "then bandit.pull() and bandit.update(arm, reward, visitors=…)), and so does "
                "hs.simulate"
            )
            message = f"{type(self).__name__!r} object has no attribute {name!r}"
            message += hint * (name in _CALLED_ELSEWHERE)
            raise AttributeError(message, name=name, obj=self)

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

    @property
    def counts(self) -> Counts | None:
        """What its estimates count, "auto" being turns; None if it can count turns only."""
        return None

    @property
    def correlation(self) -> float:
        """Of two visitors of the same turn: with more of it, more visitors teach less."""
        return 0.0

    def precision(self, visitors: float) -> float:
        """The number of observations a turn with these visitors counts as."""
        counted = self.counts == "visitors"
        return float(effective_visitors(visitors, self.correlation)) if counted else 1.0

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

        Returns:
            The level of every turn, an array that also says when the plan explores.

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
        name, G = self.name_in_role("threshold"), multiplier.values
        z = None if self.name_in_role("load") else self.threshold  # below a load, by degrees
        what = str(self) if name == "z" else f"{self} (its z is {name})"
        if z is None or not warn_if_one_sided(G, Threshold.of(z).resolve(G), what):
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

    def name_in_role(self, role: Role) -> str:
        """The parameter that is declared in this role; empty if there is none."""
        return next((name for name, limits in declared(self).items() if limits.role == role), "")

    def in_role(self, role: Role) -> Any:
        """Its value, or None."""
        name = self.name_in_role(role)
        return getattr(self, name) if name else None

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

    def counting(self, what: Counts) -> Self:
        """The policy where turns or visitors are counted: the same, unless it follows that."""
        return self

    @classmethod
    def candidates(cls) -> tuple[Self, ...]:
        """What `advise` compares of this class, if it is a `candidate`."""
        return (cls(),)

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


def _explained(entries: Mapping[str, Field[Any]]) -> list[str]:
    """A line for each parameter: what it is, what it may be, and its default."""
    lines = []
    for name, entry in entries.items():
        if limits := entry.metadata.get("limits"):
            default = "" if entry.default is None else exact(entry.default)
            lines.append(f"    {name}: {limits.explained(default)}.")
    return lines


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

    def counting(self, what: Counts) -> Self:
        """The policy that counts this, unless it was told what to count."""
        return replace(self, count=what) if self.count == "auto" else self

    @property
    def counts(self) -> Counts:
        """Turns until it is told that visitors are counted."""
        return "visitors" if self.count == "visitors" else "turns"


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

    @property
    def correlation(self) -> float:
        """The one it knows."""
        return self.rho


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
