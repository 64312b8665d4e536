"""What type checkers see of `hs.advise`."""

from __future__ import annotations

import ast
import importlib.util
import inspect
from pathlib import Path

import pytest

import highseason as hs

#: Functions at the top of the package that live in a room.
ROOMS = {"advise": "advice", "tune": "advice"}


@pytest.mark.parametrize("name", ROOMS)
def test_no_module_of_a_room_has_the_name_of_its_function(name: str) -> None:
    """mypy and Pylance take `from room import name` for the module where there is one."""
    room = ROOMS[name]
    assert inspect.isfunction(getattr(hs, name))
    assert importlib.util.find_spec(f"highseason.{room}.{name}") is None
    tree = ast.parse(Path(hs.__file__).read_text(encoding="utf-8"))
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    assert any(
        node.module == f"highseason.{room}" and [alias.name for alias in node.names] == [name]
        for node in imports
    )
