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
from highseason.engine import Table
from highseason.report.page import render, save

VOID = {"meta", "img"}

PAGE = """{% extends "base.html.j2" %}
{% import "blocks.html.j2" as ui %}
{% block content %}
{{ ui.contents(["Tea & cake", "More"]) }}
{% call ui.section("Tea & cake") %}
{{ ui.heading("a < b") }}
{{ ui.columns([ui.bullets(["one & two"]), ui.command("highseason plan > page")]) }}
{{ ui.figure(picture, "Earned & spent", number="Figure 7") }}
{{ ui.table(content, sortable=true) }}
{% endcall %}
{% call ui.section("More") %}
{% call ui.folded("all of it") %}{{ ui.files(["a.csv", "b.csv"]) }}{% endcall %}
{{ ui.verdicts(["claim", "verdict", "evidence"], [("it pays", "holds", "+3%")]) }}
{% endcall %}
{% endblock %}
"""


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


@pytest.fixture(scope="module")
def picture(result: hs.SimulationResult) -> report.Picture:
    return report.rewards(result).picture()


@pytest.fixture
def template(tmp_path: Path) -> Path:
    path = tmp_path / "season.html.j2"
    path.write_text(PAGE, encoding="utf-8")
    return path


@pytest.fixture
def html(template: Path, picture: report.Picture, result: hs.SimulationResult) -> str:
    return render(
        template, title="Tea & cake", lead="What was <earned>", picture=picture,
        content=result.summary(),
    )  # fmt: skip


def block(tmp_path: Path, text: str, **context: object) -> str:
    path = tmp_path / "block.html.j2"
    path.write_text('{% import "blocks.html.j2" as ui %}' + text, encoding="utf-8")
    return render(path, **context)


def test_html_is_well_formed_and_escaped(html: str) -> None:
    checker = Balance()
    checker.feed(html)
    assert checker.open == []
    assert "<title>Tea &amp; cake</title>" in html
    assert '<p class="lead">What was &lt;earned&gt;</p>' in html
    assert "<h3>a &lt; b</h3>" in html
    assert "<li>one &amp; two</li>" in html
    assert "<code>highseason plan &gt; page</code>" in html


def test_blocks_are_linked_numbered_and_sortable(html: str) -> None:
    assert '<a href="#tea-cake">Tea &amp; cake</a>' in html
    assert '<section id="tea-cake">' in html
    assert "<figcaption><strong>Figure 7.</strong> Earned &amp; spent</figcaption>" in html
    assert '<table class="sortable">' in html
    assert '<a href="a.csv">a.csv</a>, <a href="b.csv">b.csv</a>' in html
    assert '<span class="verdict good">holds</span>' in html


def test_figures_are_inside_and_have_alt_text(html: str) -> None:
    (data,) = re.findall(r'src="data:image/svg\+xml;base64,([^"]+)"', html)
    assert b"<svg" in base64.b64decode(data)
    (alt,) = re.findall(r'alt="([^"]+)"', html)
    assert alt.startswith("Mean reward per game. Mean reward by policy: ucb ")


def test_a_linked_figure_is_a_file_that_loads_when_it_scrolls_into_view(
    picture: report.Picture, tmp_path: Path
) -> None:
    picture.save(tmp_path / "figures" / "rewards.svg")
    linked = picture.linked("figures/rewards.svg")
    html = block(tmp_path, '{{ ui.figure(picture, "A caption") }}', picture=linked)
    assert "base64" not in html
    (tag,) = re.findall(r"<img[^>]+>", html)
    assert 'loading="lazy"' in tag
    assert 'src="figures/rewards.svg"' in tag
    width, height = (int(n) for n in re.findall(r'(?:width|height)="(\d+)"', tag))
    assert width / height == pytest.approx(picture.width / picture.height)
    assert 300 < width < 1200


def test_a_page_works_on_phones_and_in_dark_mode(html: str) -> None:
    assert '<meta name="viewport" content="width=device-width, initial-scale=1">' in html
    assert "prefers-color-scheme: dark" in html


def test_unknown_numbers_are_dashes_that_sort_below_all_others(tmp_path: Path) -> None:
    content = Table(("gain",), ((math.nan,), (-0.0001,), (0.02,)), ("+.1%",))
    html = block(tmp_path, "{{ ui.table(content, sortable=true) }}", content=content)
    assert re.findall(r"<td.*?</td>", html) == [
        '<td data-v="-Infinity">–</td>',
        '<td data-v="-0.0001">0.0%</td>',
        '<td data-v="0.02">+2.0%</td>',
    ]


def test_phrases_are_aligned_left_and_numbers_right(tmp_path: Path) -> None:
    content = Table(("policy", "when"), (("ucb", "on turns 1 to 3, 5 to 9 and 4 more"),), ("", ""))
    html = block(tmp_path, "{{ ui.table(content) }}", content=content)
    assert '<td>ucb</td><td class="words">on turns' in html


def test_a_page_is_saved_in_a_new_folder(html: str, tmp_path: Path) -> None:
    path = save(html, tmp_path / "new" / "index.html")
    assert path.read_text(encoding="utf-8") == html


def test_a_banner_comes_before_the_lead() -> None:
    plain = render("base.html.j2", title="Title", lead="Lead.")
    marked = render("base.html.j2", title="Title", lead="Lead.", banner="Made <up>")
    assert 'banner"' not in plain
    banner = '</h1>\n<p class="banner" role="note">Made &lt;up&gt;</p>\n<p class="lead">'
    assert banner in marked


def test_what_a_template_needs_must_be_passed(template: Path) -> None:
    with pytest.raises(Exception, match="'picture' is undefined"):
        render(template, title="Title", content=Table((), (), ()))
