"""Parameters are documented, checked when a policy is created, and survive text, JSON, pickle."""

from __future__ import annotations

import math
import pickle
import sys
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import Field, fields, is_dataclass, replace
from typing import Any

from highseason.checks.catalogue import CheckFailed, check, expect
from highseason.policies import Policy, from_json, parse, registry
from highseason.policies.parameters import Limits


def _importable(policy: Policy) -> bool:
    """Whether another process can import the class: a local one cannot be pickled."""
    kind = type(policy)
    return getattr(sys.modules.get(kind.__module__), kind.__qualname__, None) is kind


@check()
def parameters_are_fields(policy: Policy) -> None:
    """A class that forgot `@dataclass(frozen=True)` would silently ignore its parameters."""
    kind = type(policy)
    forgotten = [name for name, value in vars(kind).items() if isinstance(value, Field)]
    expect(
        is_dataclass(kind) and not forgotten,
        f"parameters must be dataclass fields, but {', '.join(forgotten)} is not: put "
        f"@dataclass(frozen=True) above class {kind.__name__}",
    )


@check()
def parameters_are_documented(policy: Policy) -> None:
    """Every parameter has a sentence that says what it is, for help and the command line."""
    for entry in fields(policy):
        limits = entry.metadata.get("limits")
        expect(
            isinstance(limits, Limits) and limits.doc.strip(),
            f"the parameter {entry.name!r} is not documented: "
            f'write {entry.name} = parameter(default, "what it does")',
        )


@check()
def impossible_parameters_are_refused(policy: Policy) -> None:
    """NaN, numbers out of range and unknown words are errors when the policy is created."""
    for name, value in _impossible(policy):
        try:
            replace(policy, **{name: value})
        except ValueError:
            continue
        raise CheckFailed(
            f"{name}={value!r} is invalid and must raise a ValueError, but the policy accepted it"
        )


@check(applies=lambda policy: policy.name)
def name_leads_back(policy: Policy) -> None:
    """The registry has the class under its name."""
    entry = registry().get(policy.name)
    expect(
        entry is type(policy),
        f"the name {policy.name!r} must lead to {type(policy).__qualname__}, but it leads to "
        f"{getattr(entry, '__qualname__', entry)}: two policies cannot share a name",
    )


@check(applies=lambda policy: policy.name)
def json_leads_back(policy: Policy) -> None:
    """`from_json(policy.to_json())` is the policy."""
    back = from_json(policy.to_json())
    expect(back == policy, f"{policy!r} comes back from JSON as {back!r}")


@check(applies=lambda policy: policy.name)
def text_leads_back(policy: Policy) -> None:
    """`parse(str(policy))` is the policy, as the command line needs it."""
    back = parse(str(policy))
    expect(back == policy, f"{policy!r} is written {str(policy)!r}, but parsed as {back!r}")


@check(applies=_importable)
def pickles_and_copies(policy: Policy) -> None:
    """A worker process gets an equal policy with the same rule; a deep copy is one, too."""
    for how, copied in (("pickle", pickle.loads(pickle.dumps(policy))), ("copy", deepcopy(policy))):
        expect(
            copied == policy and copied.rule == policy.rule,
            f"{policy!r} comes back from {how} as {copied!r}, with the rule {copied.rule.name!r}",
        )


def _impossible(policy: Policy) -> Iterator[tuple[str, Any]]:
    for entry in fields(policy):
        limits = entry.metadata.get("limits")
        if isinstance(limits, Limits):
            yield entry.name, math.nan
            yield entry.name, "no such word"
            if limits.above is not None:
                yield entry.name, limits.above
            if limits.at_least is not None:
                yield entry.name, math.nextafter(limits.at_least, -math.inf)
