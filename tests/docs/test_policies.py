"""Which policy? has one table, generated, with every policy of ours."""

import re
import runpy
from dataclasses import fields
from pathlib import Path

from highseason.policies import registry
from highseason.policies.base import WeighingPolicy

DOCS = Path(__file__).resolve().parents[2] / "docs"
ROW = re.compile(r"^ {4}\| `([\w-]+)` \| \[`(\w+)`\]\S+ \| (.+?) \| (.*?) ?\|$", re.MULTILINE)


def test_the_table_has_every_policy_and_its_parameters() -> None:
    page = (DOCS / "guides" / "policies.md").read_text(encoding="utf-8")
    assert not page.count("\n    | `"), "a second table, written by hand"
    site = runpy.run_path(str(DOCS / "_hooks" / "site.py"))
    found = {name: rest for name, *rest in ROW.findall(site["on_page_markdown"](page))}
    shared = {entry.name for entry in fields(WeighingPolicy)}
    assert all(f"`{name}`" in page for name in shared)
    ours = {n: p for n, p in registry().items() if p.__module__.startswith("highseason.")}
    assert ours.keys() <= found.keys()
    for name, policy in ours.items():
        written, summary, own = found[name]
        assert written == policy.__name__
        assert summary
        assert set(re.findall(r"`(\w+)`", own)) == {e.name for e in fields(policy)} - shared
