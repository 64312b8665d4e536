"""README.md says what is so: its numbers, its length, its picture; and the table of policies.

That its examples run is tested with all others, in tests/docs.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

README = Path(__file__).resolve().parents[2] / "README.md"
TEXT = README.read_text(encoding="utf-8")
BLOCKS = re.findall(r"```console\n\$ highseason (.*?)```", TEXT, re.DOTALL)
PICTURE = README.parent / "docs" / "images" / "dashboard.png"

Call = Callable[..., Any]


def parted(block: str) -> tuple[list[str], str]:
    """The words of the command, and what the page says that it prints."""
    command, _, printed = block.replace("\\\n", " ").partition("\n")
    return shlex.split(command), printed


def test_printed_numbers_are_those_that_the_command_prints(call: Call) -> None:
    call("sample", "--last", "2025-12-31", "--out", "visitors.csv")
    (block,) = (b for b in BLOCKS if b.startswith("simulate"))
    words, printed = parted(block)
    assert call(*words).stdout == printed


def test_it_is_short_and_begins_with_a_picture_and_what_a_turn_is() -> None:
    assert len(TEXT) <= 7_500
    assert PICTURE.exists()
    first = TEXT.partition("## Install")[0]
    assert "](docs/images/dashboard.png)" in first
    assert "everybody sees the same" in " ".join(first.lower().split())


def test_links_lead_somewhere() -> None:
    for target in re.findall(r"\]\((?!https:)([^)#]+)", TEXT):
        assert (README.parent / target).exists(), target
