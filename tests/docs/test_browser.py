"""The documentation site in a real browser; `make docs` builds it."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import pytest
from tests.reference.browser import chromium, complaints

SITE = Path(__file__).parents[2] / "site"


def built_pages() -> list[Path]:
    pages = sorted(set(SITE.rglob("*.html")) - {SITE / "404.html"})  # that needs a server
    if not pages:
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)("run make docs first")
    return pages


def expect_no_complaints(pages: Iterable[Path]) -> None:
    with chromium() as browser:
        assert complaints(browser, *pages) == {}


def test_pages_load_without_errors() -> None:
    """One of each folder and all with pictures: the others have the same scripts and styles."""
    pages = built_pages()
    one_of_each = {page.parent: page for page in pages}.values()
    expect_no_complaints({*one_of_each, *(p for p in pages if "<img" in p.read_text("utf-8"))})


@pytest.mark.soak
def test_every_page_loads_without_errors() -> None:
    expect_no_complaints(built_pages())


def test_a_broken_page_is_noticed(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text("<script>boom()</script><img src='missing.png'>")
    with chromium() as browser:
        assert len(complaints(browser, page)[str(page)]) >= 2
