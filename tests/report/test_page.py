"""Pages: well-formed, escaped, self-contained, or with figures beside them."""

from __future__ import annotations

import base64
import math
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

import highseason as hs
from highseason import report
from highseason.report.page import (
    Page,
    Section,
    bullets,
    columns,
    command,
    folded,
    paragraph,
    pictures,
    render,
    table,
)
from highseason.results import Table

VOID = {"meta", "img"}


class Balance(HTMLParser):
    """Whether every tag that opens closes, in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def page(result: hs.SimulationResult) -> Page:
    figure = report.rewards(result)
    return Page(
        "Tea & cake",
        "What was <earned>",
        [
            Section("First", [columns(paragraph("a < b & 5%"), bullets(["one", "two"]))]),
            Section("Second", [pictures((figure, "A caption")), table(result.summary())]),
            Section("Third", [folded("more", command("highseason plan > page"))]),
        ],
    )


def test_html_is_well_formed_and_escaped(result: hs.SimulationResult) -> None:
    html = page(result).html()
    checker = Balance()
    checker.feed(html)
    assert checker.open == []
    assert "<title>Tea &amp; cake</title>" in html
    assert "What was &lt;earned&gt;" in html
    assert "a &lt; b &amp; 5%" in html
    assert "highseason plan &gt; page" in html


def test_pictures_are_inside_and_have_words(result: hs.SimulationResult) -> None:
    html = page(result).html()
    (data,) = re.findall(r'src="data:image/svg\+xml;base64,([^"]+)"', html)
    assert b"<svg" in base64.b64decode(data)
    (alt,) = re.findall(r'alt="([^"]+)"', html)
    assert alt.startswith("Mean reward per game. Mean reward by policy: ucb ")


def test_a_linked_picture_is_a_file_that_loads_when_it_scrolls_into_view(
    result: hs.SimulationResult, tmp_path: Path
) -> None:
    picture = report.rewards(result).picture()
    picture.save(tmp_path / "figures" / "rewards.svg")
    html = pictures((picture.linked("figures/rewards.svg"), "A caption"))
    assert "base64" not in html
    (tag,) = re.findall(r"<img[^>]+>", html)
    assert 'loading="lazy"' in tag
    assert 'src="figures/rewards.svg"' in tag
    width, height = (int(n) for n in re.findall(r'(?:width|height)="(\d+)"', tag))
    assert width / height == pytest.approx(picture.width / picture.height)
    assert 300 < width < 1200


def test_a_template_of_ones_own_extends_the_base_and_uses_its_blocks(
    result: hs.SimulationResult, tmp_path: Path
) -> None:
    path = tmp_path / "mine.html.j2"
    path.write_text(
        '{% extends "base.html.j2" %}{% import "blocks.html.j2" as ui %}{% block content %}\n'
        '{{ ui.contents(["Tea & cake"]) }}\n'
        '{% call ui.section("Tea & cake") %}\n'
        '{{ ui.figure(picture, "Earned & spent", number="Figure 7") }}\n'
        "{{ ui.table(content, sortable=true) }}\n"
        "{% endcall %}{% endblock %}\n",
        encoding="utf-8",
    )
    html = render(
        path, title="A page", picture=report.rewards(result).picture(), content=result.summary()
    )
    checker = Balance()
    checker.feed(html)
    assert checker.open == []
    assert '<a href="#tea-cake">Tea &amp; cake</a>' in html
    assert '<section id="tea-cake">' in html
    assert "<figcaption><strong>Figure 7.</strong> Earned &amp; spent</figcaption>" in html
    assert '<table class="sortable">' in html


def test_a_page_works_on_phones_and_in_dark_mode(result: hs.SimulationResult) -> None:
    html = page(result).html()
    assert '<meta name="viewport" content="width=device-width, initial-scale=1">' in html
    assert "prefers-color-scheme: dark" in html


def test_what_is_not_known_is_a_dash_that_sorts_below_all_numbers() -> None:
    content = Table(("gain",), ((math.nan,), (-0.0001,), (0.02,)), ("+.1%",))
    cells = re.findall(r"<td.*?</td>", table(content, sortable=True))
    assert cells == [
        '<td data-v="-Infinity">–</td>',
        '<td data-v="-0.0001">0.0%</td>',
        '<td data-v="0.02">+2.0%</td>',
    ]


def test_phrases_stand_left_and_numbers_right() -> None:
    content = Table(("policy", "when"), (("ucb", "on turns 1 to 3, 5 to 9 and 4 more"),), ("", ""))
    assert '<td>ucb</td><td class="words">on turns' in table(content)


def test_it_is_saved_where_it_is_wanted(result: hs.SimulationResult, tmp_path: Path) -> None:
    path = page(result).save(tmp_path / "new" / "index.html")
    assert path.read_text(encoding="utf-8") == page(result).html()


def test_a_banner_stands_above_all_else() -> None:
    plain = Page("Title", "Lead.", [Section("One", [paragraph("text")])])
    marked = Page("Title", "Lead.", plain.sections, banner="Made <up>")
    assert 'banner"' not in plain.html()
    assert (
        '</h1>\n<p class="banner" role="note">Made &lt;up&gt;</p>\n<p class="lead">'
        in marked.html()
    )
