"""Twins of a policy: the same in all but one respect, which can then be looked at alone."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from highseason.policies import Policy
from highseason.policies.parameters import Limits
from highseason.policies.view import View


def afresh(policy: Policy) -> Policy:
    """A twin that differs in nothing, of which no plan is remembered."""
    return _twin(policy)


def following(policy: Policy, numbers: NDArray[np.float64]) -> Policy:
    """A twin whose plan is `numbers`, whatever G is."""

    def step(self: Policy, carry: Any, view: View) -> tuple[float, Any]:
        return float(numbers[view.t - 1]), carry

    return _twin(policy, step=step)


def on_generic_path(policy: Policy) -> Policy:
    """A twin that no fast kernel knows: its rule is the same, under another name."""
    rule = policy.rule
    return _twin(policy, rule=replace(rule, name=f"{rule.name}, arm by arm"))


def with_parameters(policy: Policy, **values: Any) -> Policy:
    """A twin with other values of parameters that only some policies have."""
    return replace(policy, **values)


def in_other_units(policy: Policy, factor: float) -> Policy:
    """A twin for a G in units `factor` times smaller: parameters on the scale of G grow with it."""
    changed = {
        name: value * factor
        for name, value in parameters_on_G(policy).items()
        if not isinstance(value, str)  # a rule such as q0.75 follows G by itself
    }
    return with_parameters(policy, **changed)


def parameters_on_G(policy: Policy) -> dict[str, Any]:
    """The parameters that are measured in G's unit, or are rules on G."""
    return {
        entry.name: getattr(policy, entry.name)
        for entry in fields(policy)
        if isinstance(entry.metadata.get("limits"), Limits)
        and entry.metadata["limits"].allows_expression
    }


def _twin(policy: Policy, **attributes: Any) -> Policy:
    kind = type(policy)
    # Without a name it stays out of the registry.
    twin = type(kind.__name__, (kind,), {"name": "", "__doc__": kind.__doc__, **attributes})
    made: Policy = twin(**policy.parameters())
    return made
