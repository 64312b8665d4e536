"""The page on architecture names the rooms that exist, and those that each call runs through."""

from __future__ import annotations

import re
import sys
import threading
import tomllib
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import highseason as hs
from studies.logged.generate import generate_events

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "highseason"
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
PICTURE = (ROOT / "docs" / "images" / "architecture.svg").read_text(encoding="utf-8")
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in PAGE.splitlines()
    if line.startswith("| `")
]
TABLE = {row[0].strip("`"): row[2:] for row in ROWS}


def layers() -> list[str]:
    config = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    [contract] = [c for c in config["tool"]["importlinter"]["contracts"] if "layers" in c]
    return [layer.strip("()") for layer in contract["layers"]]


def test_the_rooms_are_those_that_exist_in_the_order_of_the_layers() -> None:
    folders = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert list(TABLE) == [layer for layer in layers() if layer != "__main__"]
    assert set(TABLE) == folders
    assert re.findall(r'class="room">(\w+)<', PICTURE) == list(TABLE)


def test_the_map_for_contributors_is_the_same() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    start = text.index("    core ◄")
    shown = re.findall(r"\w+", text[start : text.index("\n\n", start)])
    assert shown == list(TABLE)[::-1]


def test_files_that_the_page_names_exist() -> None:
    for room, row in zip(TABLE, ROWS, strict=True):
        for name in re.findall(r"`(\w+(?:\.py|/))`", row[1]):
            assert (PACKAGE / room / name).exists(), f"{room}/{name}"
    for name in re.findall(r"`(\w+/\w+)`", PAGE.partition("## How data flows")[2]):
        assert (PACKAGE / f"{name}.py").exists() or (PACKAGE / name).is_dir(), name


def rooms_of(work: Callable[[], object]) -> set[str]:
    """The rooms whose code runs; whatever loads lazily is loaded by a first call."""
    work()
    seen: set[str] = set()

    def note(frame: FrameType, event: str, argument: Any) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(str(PACKAGE)):
            seen.add(Path(code.co_filename).relative_to(PACKAGE).parts[0])

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return seen - {"__init__.py"}


def simulate() -> None:
    rewards, G = hs.rewards.bernoulli(arms=3), hs.traffic.wave(turns=60)
    hs.simulate(["ucb", "ucb-z:z=20"], rewards, G, games=3, seed=1, workers=1)


def replay() -> None:
    hs.replay(["ucb"], generate_events(days=0.002, seed=3).events, workers=1)


def pulls() -> Callable[[], None]:
    def bandit() -> hs.Bandit[str]:
        return hs.Bandit(["a", "b"], "ucb-z:z=20", hs.traffic.wave(turns=60), reward_range=(0, 1))

    bandits = [bandit(), bandit()]

    def pull() -> None:
        bandits.pop().pull()

    return pull


@pytest.mark.parametrize(
    ("column", "work"),
    [(0, simulate), (1, pulls()), (2, replay)],
    ids=["simulate", "pull", "replay"],
)
def test_a_call_runs_through_the_rooms_that_are_marked(
    column: int, work: Callable[[], None]
) -> None:
    marked = {room for room, marks in TABLE.items() if marks[column]}
    assert rooms_of(work) == marked
    x = f'cx="{570 + 95 * column}"'
    assert PICTURE.count(x) == len(marked), "the picture shows other rooms than the table"
