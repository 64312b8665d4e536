"""How the API reference reads the sources: what a room exports, and examples shown as code."""

from __future__ import annotations

import ast
import re
from typing import Any

import griffe

BLOCK = re.compile(r"(?:^>>> .*\n?)(?:^.+\n?)*", re.MULTILINE)


def fenced(text: str) -> str:
    """Put a fence around every run of lines that starts with a prompt and ends at a blank line.

    Markdown would take `>>>` for a quotation.
    """
    return BLOCK.sub(lambda found: f"```pycon\n{found[0].rstrip()}\n```\n", text)


class FencedDoctests(griffe.Extension):
    """Applied to every docstring before it is rendered."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Fence the examples of this object's docstring."""
        if obj.docstring is not None:
            obj.docstring.value = fenced(obj.docstring.value)


class Exports(griffe.Extension):
    """`from a import x as x` exports x, to type checkers and to the reference alike."""

    def on_module_members(self, *, node: Any, mod: griffe.Module, **_: Any) -> None:
        """Show what the module exports on its page."""
        imports = (each for each in getattr(node, "body", ()) if isinstance(each, ast.ImportFrom))
        for alias in (alias for each in imports for alias in each.names):
            if alias.asname == alias.name and alias.name in mod.members:  # not a module in it
                mod.members[alias.name].public = True
