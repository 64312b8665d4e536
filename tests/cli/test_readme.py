"""README.md says what is so: its numbers, its table of policies, its picture.

That its examples run is tested with all others, in tests/docs.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from highseason.policies import registry
from highseason.policies.base import WeighingPolicy

README = Path(__file__).resolve().parents[2] / "README.md"
TEXT = README.read_text(encoding="utf-8")
OURS = {n: p for n, p in registry().items() if p.__module__.startswith("highseason.")}
BLOCKS = re.findall(r"```console\n\$ highseason (.*?)```", TEXT, re.DOTALL)
PICTURE = README.parent / "docs" / "images" / "plans.png"

Call = Callable[..., Any]


def parted(block: str) -> tuple[list[str], str]:
    """The words of the command, and what the page says that it prints."""
    command, _, printed = block.replace("\\\n", " ").partition("\n")
    return shlex.split(command), printed


@pytest.mark.parametrize("block", [b for b in BLOCKS if parted(b)[1]], ids=["paper", "close arms"])
def test_printed_numbers_are_those_that_the_command_prints(block: str, call: Call) -> None:
    words, printed = parted(block)
    assert call(*words).stdout == printed


def test_the_picture_is_what_its_command_draws(call: Call, tmp_path: Path) -> None:
    words = next(parted(b)[0] for b in BLOCKS if "docs/images/plans.png" in b)
    call(*words)
    # Not the pixels, which may change with matplotlib: what the picture says in words.
    assert described(PICTURE) == described(tmp_path / "docs/images/plans.png")


def described(path: Path) -> tuple[str, tuple[int, int]]:
    with Image.open(path) as picture:
        return picture.info["Description"], picture.size


def test_the_picture_is_modest() -> None:
    assert PICTURE.stat().st_size < 150_000
    assert "](docs/images/plans.png)" in TEXT


def test_the_table_has_every_policy_and_its_parameters() -> None:
    rows = re.findall(r"^\| `([\w-]+)` \| `(\w+)` \|(.*?)\| \S", TEXT, re.MULTILINE)
    shared = {entry.name for entry in fields(WeighingPolicy)}
    assert all(f"`{name}`" in TEXT for name in shared)
    found = {name: (cls, set(re.findall(r"`(\w+)`", named))) for name, cls, named in rows}
    assert found == {
        name: (policy.__name__, {entry.name for entry in fields(policy)} - shared)
        for name, policy in OURS.items()
    }


def test_links_lead_somewhere() -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", TEXT):
        assert (README.parent / target).exists(), target
