"""The documentation site in a real browser; `make docs` builds it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.reference.browser import chromium, complaints

SITE = Path(__file__).parents[2] / "site"


def test_every_page_loads_without_errors() -> None:
    pages = sorted(set(SITE.rglob("*.html")) - {SITE / "404.html"})  # that needs a server
    if not pages:
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)("run make docs first")
    with chromium() as browser:
        assert {p.name: c for p in pages if (c := complaints(browser, p))} == {}


def test_a_broken_page_is_noticed(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text("<script>boom()</script><img src='missing.png'>")
    with chromium() as browser:
        assert len(complaints(browser, page)) >= 2
