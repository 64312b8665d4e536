"""`highseason policies`: the policies and their parameters."""

from dataclasses import Field, fields
from typing import Any

import click

import highseason as hs
from highseason.cli import options
from highseason.cli.group import with_examples
from highseason.cli.output import print_json, print_table, print_wrapped
from highseason.core.text import exact
from highseason.policies import Policy, find, registry


@with_examples(
    "policies",
    "highseason policies",
    "highseason policies ucb-z",
    "highseason policies --json",
)
@click.argument("name", required=False, shell_complete=options.policy_names)
@options.imports
def command(name: str | None, as_json: bool) -> None:
    """List the policies, or describe one.

    With a NAME: its parameters with their defaults, and published parameters (profiles).
    """
    known = list(registry().values()) if name is None else [find(name)]
    if as_json:
        print_json({"policies": [_describe(policy) for policy in known]})
    elif name is not None:
        _show(known[0])
    else:  # those of a family follow each other
        rows = [(policy.name, _sentence(policy)) for policy in known]
        print_table(("policy", "what it does"), rows, left=range(2))
        print_wrapped(
            "Parameters follow a colon, as in epsilon-z:k=2,z=q0.75; all have defaults.  A wrapper "
            "takes its inner policy after a plus, as in peak-grabber+soft-ucb.\n\n"
            "'highseason policies ucb-z' shows the parameters of one."
        )


def _show(policy: type[Policy]) -> None:
    """One policy with its parameters and profiles."""
    home = "hs" if policy.__name__ in dir(hs) else "hs.policies"
    print_wrapped(f"{policy.name} ({home}.{policy.__name__}): {_sentence(policy)}\n")
    rows = [(e.name, exact(e.default), e.metadata["limits"].doc) for e in _parameters(policy)]
    print_table(("parameter", "default", "meaning"), rows, left=range(3))
    profiles = [
        (name, " ".join(f"{k}={exact(v)}" for k, v in values.items()) or "the defaults")
        for name, values in policy.profiles.items()
    ]
    if profiles:
        print_table(("profile", "parameters"), profiles, left=range(2))
    print_wrapped(f"Use it: highseason simulate --policy ucb --policy {policy.name}")


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


def _parameters(policy: type[Policy]) -> list[Field[Any]]:
    """Its parameters; those shared by all policies come last."""
    shared = {entry.name for entry in fields(Policy)}
    own = [entry for entry in fields(policy) if "limits" in entry.metadata]
    return sorted(own, key=lambda entry: entry.name in shared)


def _sentence(policy: type[Policy]) -> str:
    """The first line of its docstring."""
    return (policy.__doc__ or "").strip().split("\n")[0]
