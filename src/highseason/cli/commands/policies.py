"""`highseason policies`: what there is to choose from."""

from __future__ import annotations

from dataclasses import Field, fields
from typing import Any

import click

from highseason.cli.examples import WithExamples
from highseason.cli.options import debug_option, json_option
from highseason.cli.output import plain_table, print_json, print_table
from highseason.policies import Policy, registry


@click.command(
    "policies",
    cls=WithExamples,
    examples=[
        "highseason policies",
        "highseason policies --json",
    ],
)
@json_option
@debug_option
def command(as_json: bool) -> None:
    """List the policies with their parameters, defaults and profiles."""
    found = registry()
    if as_json:
        print_json({"policies": [_describe(policy) for policy in found.values()]})
        return
    _print_policies(found)
    _print_parameters(found)
    click.echo("Parameters follow a colon, as in epsilon-z:k=2,z=q0.75; all have defaults.")
    click.echo("A wrapper is joined to the policy within by a plus, as in peak-grabber+soft-ucb.")


def _describe(policy: type[Policy]) -> dict[str, Any]:
    return {
        "name": policy.name,
        "class": policy.__name__,
        "doc": _sentence(policy),
        "rule": policy().rule.name,
        "parameters": [
            {
                "name": entry.name,
                "default": _told(entry.default),
                "doc": entry.metadata["limits"].doc,
                "choices": list(entry.metadata["limits"].choices) or None,
            }
            for entry in _parameters(policy)
        ],
        "profiles": policy.profiles,
    }


def _print_policies(found: dict[str, type[Policy]]) -> None:
    table = plain_table("policy", "parameters and defaults", "profiles", "what it does")
    for column in table.columns:
        column.justify = "left"
    for policy in found.values():
        defaults = " ".join(
            f"{entry.name}={_short(entry.default)}" for entry in _parameters(policy)
        )
        profiles = "\n".join(
            f"{name}: {' '.join(f'{k}={_short(v)}' for k, v in values.items()) or 'the same'}"
            for name, values in policy.profiles.items()
        )
        table.add_row(policy.name, defaults, profiles, _sentence(policy))
    print_table(table)


def _print_parameters(found: dict[str, type[Policy]]) -> None:
    table = plain_table("parameter", "meaning")
    table.columns[1].justify = "left"
    told: dict[str, dict[str, list[str]]] = {}
    for policy in found.values():
        for entry in _parameters(policy):
            meanings = told.setdefault(entry.name, {})
            meanings.setdefault(entry.metadata["limits"].doc, []).append(policy.name)
    for name, meanings in sorted(told.items(), key=lambda item: item[0].lower()):
        for meaning, policies in meanings.items():
            whose = f" ({', '.join(policies)})" if len(meanings) > 1 else ""
            table.add_row(name, meaning + whose)
    print_table(table)


def _parameters(policy: type[Policy]) -> list[Field[Any]]:
    """What it takes; what all policies take comes last."""
    shared = {entry.name for entry in fields(Policy)}
    found = [entry for entry in fields(policy) if "limits" in entry.metadata]
    return sorted(found, key=lambda entry: entry.name in shared)


def _sentence(policy: type[Policy]) -> str:
    """The first line of what the class says about itself."""
    return (policy.__doc__ or "").strip().split("\n")[0]


def _told(value: Any) -> Any:
    """A default as JSON can hold it."""
    return str(value) if isinstance(value, Policy) else value


def _short(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
