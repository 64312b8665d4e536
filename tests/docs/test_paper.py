"""The guide to the studies lists every figure and table of the paper, with its command."""

from __future__ import annotations

from pathlib import Path

import pytest

from studies.paper import CITATION, ITEMS, Item

PAGE = (Path(__file__).parents[2] / "docs/guides/reproduce.md").read_text(encoding="utf-8")
ROWS = [
    line.replace("`", "") for line in PAGE.splitlines() if line.startswith(("| Figure", "| Table"))
]


@pytest.mark.parametrize("item", ITEMS, ids=lambda item: item.number)
def test_every_figure_and_table_has_its_row(item: Item) -> None:
    assert f"| {' | '.join(item)} |" in ROWS


def test_it_has_no_other_rows() -> None:
    assert len(ROWS) == len(ITEMS)
    assert CITATION in " ".join(PAGE.split())
