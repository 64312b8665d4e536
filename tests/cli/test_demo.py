"""`highseason demo`: one page with everything on it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from highseason.policies import registry

Call = Callable[..., Any]


@pytest.fixture
def demo(call: Call) -> Any:
    return call("demo", "--out", "new/report", "--games", "20", "--seed", "5")


def test_it_says_where_the_page_is(demo: Any, tmp_path: Path) -> None:
    assert (demo.code, demo.stderr) == (0, "")
    assert demo.stdout == "the page is new/report/index.html: open it in a browser\n"
    assert (tmp_path / "new/report/index.html").is_file()


def test_the_page_stands_alone(demo: Any, tmp_path: Path) -> None:
    page = (tmp_path / "new/report/index.html").read_text(encoding="utf-8")
    assert "href=" not in page
    sources = re.findall('src="(.*?)"', page)
    assert all(source.startswith("data:image/svg+xml;") for source in sources)
    assert not re.search(r"url\(|@import|<script", page)
    assert page.count("<img ") == 6
    assert page.count('alt="') == 6
    assert "http" not in re.sub(r"base64,[A-Za-z0-9+/=]+", "", page)


def test_every_policy_is_on_the_page(demo: Any, tmp_path: Path) -> None:
    page = (tmp_path / "new/report/index.html").read_text(encoding="utf-8")
    table = page[page.index("All numbers") :]
    for name, policy in registry().items():
        if not policy.__module__.startswith("highseason."):
            continue  # some other test's
        assert f">{name}</td>" in table
        if "paper" in policy.profiles and policy.profile("paper") != policy():
            assert f">{name} (paper)</td>" in table
    assert "greedy tries every arm once and then never explores" in page
    assert "highseason demo --games 20 --seed 5" in page


def test_json_holds_the_numbers_of_the_page(call: Call, tmp_path: Path) -> None:
    answer = call("demo", "--out", "report", "--games", "20", "--json")
    assert (answer.code, answer.stderr) == (0, "")
    document = json.loads(answer.stdout)
    assert document["page"] == "report/index.html"
    page = (tmp_path / "report/index.html").read_text(encoding="utf-8")
    for entry in document["policies"]:
        assert f">{entry['reward_mean']:.1f}<" in page


def test_the_same_seed_writes_the_same_page(call: Call, tmp_path: Path) -> None:
    pages = []
    for _ in range(2):
        call("demo", "--out", "report", "--games", "10", "--seed", "9")
        pages.append((tmp_path / "report/index.html").read_bytes())
    assert pages[0] == pages[1]
