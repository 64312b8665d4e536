"""`highseason policies`: the policies and their parameters."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import Field, fields
from typing import Any

import click

from highseason.cli.group import with_examples
from highseason.cli.output import print_json, print_table
from highseason.policies import Policy, registry


@with_examples(
    "policies",
    "highseason policies",
    "highseason policies --json",
)
def command(as_json: bool) -> None:
    """List the policies with their parameters, defaults and profiles."""
    known = registry()
    if as_json:
        print_json({"policies": [_describe(policy) for policy in known.values()]})
        return
    columns = ("policy", "parameters and defaults", "profiles", "what it does")
    print_table(columns, [_row(policy) for policy in known.values()], left=range(4))
    print_table(("parameter", "meaning"), _meanings(known), left=range(2))
    click.echo("Parameters follow a colon, as in epsilon-z:k=2,z=q0.75; all have defaults.")
    click.echo("A wrapper takes its inner policy after a plus, as in peak-grabber+soft-ucb.")


def _describe(policy: type[Policy]) -> dict[str, Any]:
    return {
        "name": policy.name,
        "class": policy.__name__,
        "doc": _sentence(policy),
        "rule": policy().rule.name,
        "parameters": [
            {
                "name": entry.name,
                "default": str(entry.default)
                if isinstance(entry.default, Policy)
                else entry.default,
                "doc": entry.metadata["limits"].doc,
                "choices": list(entry.metadata["limits"].choices) or None,
            }
            for entry in _parameters(policy)
        ],
        "profiles": policy.profiles,
    }


def _row(policy: type[Policy]) -> tuple[str, ...]:
    defaults = " ".join(f"{entry.name}={_short(entry.default)}" for entry in _parameters(policy))
    profiles = "\n".join(
        f"{name}: {' '.join(f'{k}={_short(v)}' for k, v in values.items()) or 'the same'}"
        for name, values in policy.profiles.items()
    )
    return policy.name, defaults, profiles, _sentence(policy)


def _meanings(known: dict[str, type[Policy]]) -> Iterator[tuple[str, str]]:
    """Each parameter and what it means; whose it is, where it means several things."""
    parameters: dict[str, dict[str, list[str]]] = {}
    for policy in known.values():
        for entry in _parameters(policy):
            meanings = parameters.setdefault(entry.name, {})
            meanings.setdefault(entry.metadata["limits"].doc, []).append(policy.name)
    for name, meanings in sorted(parameters.items(), key=lambda item: item[0].lower()):
        for meaning, policies in meanings.items():
            yield name, meaning + (f" ({', '.join(policies)})" if len(meanings) > 1 else "")


def _parameters(policy: type[Policy]) -> list[Field[Any]]:
    """Its parameters; those shared by all policies come last."""
    shared = {entry.name for entry in fields(Policy)}
    own = [entry for entry in fields(policy) if "limits" in entry.metadata]
    return sorted(own, key=lambda entry: entry.name in shared)


def _sentence(policy: type[Policy]) -> str:
    """The first line of its docstring."""
    return (policy.__doc__ or "").strip().split("\n")[0]


def _short(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
