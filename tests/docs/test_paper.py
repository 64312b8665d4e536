"""The page on the paper lists every figure and table that the studies know, with its command."""

from __future__ import annotations

from pathlib import Path

import pytest

from studies.paper import CITATION, ITEMS, Item

PAGE = (Path(__file__).parents[2] / "docs/guides/paper.md").read_text(encoding="utf-8")
ROWS = [line.replace("`", "") for line in PAGE.splitlines() if line.startswith("| ")]


@pytest.mark.parametrize("item", ITEMS, ids=lambda item: item.number)
def test_every_figure_and_table_has_its_row(item: Item) -> None:
    assert f"| {' | '.join(item)} |" in ROWS


def test_it_has_no_other_rows() -> None:
    assert len(ROWS) == len(ITEMS) + 1
    assert CITATION in PAGE
