"""A real browser, and what goes wrong while it loads a page."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = Path("/usr/bin/chromium")
FLAGS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
)


@contextmanager
def chromium() -> Iterator[Any]:
    """Debian's Chromium without a window; skips where it is not installed, and fails in CI."""
    if not CHROMIUM.exists():
        missing = "needs a browser: apt-get install chromium"
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(missing)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS.split())
        yield browser
        browser.close()


def complaints(browser: Any, *pages: Path) -> dict[str, list[str]]:
    """What the browser reports while it loads files and all that they need, by file."""
    reports: dict[str, list[str]] = {}
    tab, found = browser.new_page(), list[str]()  # one for all: a new one costs more than a page
    tab.on("console", lambda m: found.append(m.text) if m.type in ("error", "warning") else None)
    tab.on("pageerror", lambda error: found.append(str(error)))
    tab.on("requestfailed", lambda request: found.append(f"not loaded: {request.url}"))
    for page in pages:
        tab.goto(page.resolve().as_uri(), wait_until="load")
        tab.evaluate("document.querySelectorAll('img').forEach(i => i.loading = 'eager')")
        tab.wait_for_function("[...document.images].every(image => image.complete)")
        broken = "[...document.images].filter(i => i.complete && !i.naturalWidth).map(i => i.src)"
        found += [f"broken image: {source}" for source in tab.evaluate(broken)]
        if found:
            reports[str(page)] = found.copy()
            found.clear()
    tab.close()
    return reports
