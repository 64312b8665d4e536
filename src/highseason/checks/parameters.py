"""Parameters are documented, checked when a policy is made, and survive being written down."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import Field, fields, is_dataclass, replace
from typing import Any

from highseason.checks.catalogue import check
from highseason.checks.failure import CheckFailed, expect
from highseason.policies import Policy, from_json, parse, registry
from highseason.policies.parameters import Limits


def _named(policy: Policy) -> bool:
    return bool(policy.name)


@check()
def parameters_are_fields(policy: Policy) -> None:
    """A class that forgot `@dataclass(frozen=True)` would silently ignore its parameters."""
    kind = type(policy)
    forgotten = [name for name, value in vars(kind).items() if isinstance(value, Field)]
    expect(
        is_dataclass(kind) and not forgotten,
        f"parameters must be dataclass fields, but {', '.join(forgotten)} is not: "
        f"put @dataclass(frozen=True) above class {kind.__name__}",
    )


@check()
def parameters_are_documented(policy: Policy) -> None:
    """Every parameter says in a sentence what it is, for help and command line."""
    for entry in fields(policy):
        limits = entry.metadata.get("limits")
        expect(
            isinstance(limits, Limits) and limits.doc.strip(),
            f"nothing says what the parameter {entry.name!r} is: "
            f'write {entry.name} = parameter(default, "what it does")',
        )


@check()
def impossible_parameters_are_refused(policy: Policy) -> None:
    """NaN, numbers out of range and unknown words are errors when the policy is made."""
    for name, value in _impossible(policy):
        try:
            replace(policy, **{name: value})
        except ValueError:
            continue
        raise CheckFailed(
            f"{name}={value!r} makes no sense and must be refused with a ValueError, "
            "but a policy was made of it"
        )


@check(applies=_named)
def name_leads_back(policy: Policy) -> None:
    """The registry knows the class under its name."""
    found = registry().get(policy.name)
    expect(
        found is type(policy),
        f"the name {policy.name!r} must lead to {type(policy).__qualname__}, but it leads to "
        f"{getattr(found, '__qualname__', found)}: two policies cannot share a name",
    )


@check(applies=_named)
def json_leads_back(policy: Policy) -> None:
    """`from_json(policy.to_json())` is the policy."""
    back = from_json(policy.to_json())
    expect(back == policy, f"{policy!r} comes back from JSON as {back!r}")


@check(applies=_named)
def text_leads_back(policy: Policy) -> None:
    """`parse(str(policy))` is the policy, as the command line needs it."""
    back = parse(str(policy))
    expect(back == policy, f"{policy!r} is written {str(policy)!r}, and read back as {back!r}")


def _impossible(policy: Policy) -> Iterator[tuple[str, Any]]:
    for entry in fields(policy):
        limits = entry.metadata.get("limits")
        if not isinstance(limits, Limits):
            continue
        yield entry.name, math.nan
        yield entry.name, "no such word"
        if limits.above is not None:
            yield entry.name, limits.above
        if limits.at_least is not None:
            yield entry.name, math.nextafter(limits.at_least, -math.inf)
