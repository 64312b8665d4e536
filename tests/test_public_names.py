"""What `dir` shows of a room is what the room exports, and nothing else."""

from __future__ import annotations

import ast
import inspect
import pkgutil
from importlib import import_module

import pytest

import highseason
from highseason.policies import registry

ROOMS = [
    module.name
    for module in pkgutil.iter_modules(highseason.__path__)
    if module.ispkg and not module.name.startswith("_")
]


def exported(source: str) -> set[str]:
    """The names that a module exports: `__all__`, or imports that name their target again."""
    found = set()
    for node in ast.parse(source).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return set(ast.literal_eval(node.value))
        if isinstance(node, ast.ImportFrom):
            found |= {alias.name for alias in node.names if alias.asname == alias.name}
    return found


@pytest.mark.parametrize("room", ROOMS)
def test_dir_shows_what_is_exported(room: str) -> None:
    module = import_module(f"highseason.{room}")
    for _, name, _ in pkgutil.iter_modules(module.__path__):
        import_module(f"{module.__name__}.{name}")  # now it is an attribute of the room
    assert dir(module) == sorted(exported(inspect.getsource(module)))


def test_every_policy_is_exported() -> None:
    ours = [p for p in registry().values() if p.__module__.startswith("highseason.")]
    assert {policy.__name__ for policy in ours} <= set(dir(highseason.policies))
