"""Examples in docstrings, shown as code: Markdown would take `>>>` for a quotation."""

from __future__ import annotations

import re
from typing import Any

import griffe

BLOCK = re.compile(r"(?:^>>> .*\n?)(?:^.+\n?)*", re.MULTILINE)


def fenced(text: str) -> str:
    """Put a fence around every run of lines that starts with a prompt and ends at a blank line."""
    return BLOCK.sub(lambda found: f"```pycon\n{found[0].rstrip()}\n```\n", text)


class FencedDoctests(griffe.Extension):
    """Applied to every docstring before it is rendered."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Fence the examples of this object's docstring."""
        if obj.docstring is not None:
            obj.docstring.value = fenced(obj.docstring.value)
