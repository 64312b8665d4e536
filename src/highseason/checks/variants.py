"""Variants of a policy that differ from it in one respect only, so that it can be tested alone."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from highseason.policies import Policy
from highseason.policies.parameters import Limits
from highseason.policies.view import View


def copied(policy: Policy) -> Policy:
    """The same policy, but no plan of it is cached."""
    return _variant(policy)


def following(policy: Policy, levels: NDArray[np.float64]) -> Policy:
    """The policy with `levels` as its plan, whatever G is."""

    def step(self: Policy, carry: Any, view: View) -> tuple[float, Any]:
        return float(levels[view.t - 1]), carry

    return _variant(policy, step=step)


def on_generic_path(policy: Policy) -> Policy:
    """The policy without a fast kernel: its rule is the same, under another name."""
    rule = policy.rule
    return _variant(policy, rule=replace(rule, name=f"{rule.name}, arm by arm"))


def with_parameters(policy: Policy, **values: Any) -> Policy:
    """The policy with other values of parameters that only some policies have."""
    return replace(policy, **values)


def in_other_units(policy: Policy, factor: float) -> Policy:
    """The policy for a G in units `factor` times smaller: parameters in units of G grow with it."""
    changed = {
        name: value * factor
        for name, value in parameters_on_G(policy).items()
        if not isinstance(value, str)  # a threshold such as q0.75 follows G by itself
    }
    return with_parameters(policy, **changed)


def parameters_on_G(policy: Policy) -> dict[str, Any]:
    """The parameters that are in units of G, or expressions on it."""
    return {
        entry.name: getattr(policy, entry.name)
        for entry in fields(policy)
        if isinstance(entry.metadata.get("limits"), Limits)
        and entry.metadata["limits"].allows_expression
    }


def _variant(policy: Policy, **attributes: Any) -> Policy:
    kind = type(policy)
    # Without a name it stays out of the registry.
    variant = type(kind.__name__, (kind,), {"name": "", "__doc__": kind.__doc__, **attributes})
    return variant(**policy.parameters())  # type: ignore[no-any-return]  # a subclass of its kind
