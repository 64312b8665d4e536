"""Markdown is written to be read in a diff: no line is over 120 characters."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("docs", "release", "src", "studies", ".github")
PAGES = [*ROOT.glob("*.md"), *(page for name in FOLDERS for page in (ROOT / name).rglob("*.md"))]
#: What cannot be broken: rows of tables, and pictures with their description.
WHOLE = ("|", "![")


def test_no_line_is_long() -> None:
    long = [
        f"{page.relative_to(ROOT)}:{number}"
        for page in PAGES
        for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1)
        if len(line) > 120 and not line.lstrip().startswith(WHOLE)
    ]
    assert len(PAGES) > 60
    assert long == []
