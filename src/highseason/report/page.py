"""A page that stands alone: one HTML file, with its style and its pictures inside.

Nothing is loaded from anywhere, so it opens from a disk, from an archive and without a network.
"""

from __future__ import annotations

import base64
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from highseason.core.version import __version__
from highseason.report.figure import Figure, Picture
from highseason.report.wording import formatted
from highseason.results import Table

#: A cell longer than this is a phrase and not a number.
_PHRASE = 24

_CSS = """
:root { color-scheme: light dark; --ink: #1f2933; --muted: #5f6b7a; --paper: #fbfbf9; --card: #fff;
  --line: #dde2e8; --accent: #1d4e89; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e9ee; --muted: #a3adba; --paper: #14181d; --card: #1d232b; --line: #38414c;
    --accent: #8cb8e8; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
main { max-width: 84rem; margin: 0 auto; padding: 1.5rem clamp(0.8rem, 3vw, 2.5rem) 4rem; }
h1 { font-size: clamp(1.5rem, 4vw, 2.2rem); line-height: 1.2; margin: 0.5rem 0; }
h2 { font-size: 1.3rem; margin: 2.6rem 0 0.6rem; padding-top: 0.6rem;
  border-top: 1px solid var(--line); }
h3 { font-size: 1.05rem; margin: 1.2rem 0 0.2rem; }
p, ul { max-width: 46rem; }
ul { padding-left: 1.3rem; }
li { margin: 0.35rem 0; }
.banner { max-width: none; margin: 0.8rem 0; padding: 0.7rem 1rem; font-weight: 600;
  border: 2px solid #b3401f; border-radius: 0.5rem; background: var(--card); }
.lead { font-size: 1.1rem; color: var(--muted); }
.columns { display: grid; gap: 1.2rem; align-items: start;
  grid-template-columns: repeat(auto-fit, minmax(min(100%, 34rem), 1fr)); }
figure { margin: 0 0 1rem; max-width: 46rem; }
/* Pictures are drawn on white and stay so in the dark. */
figure img { display: block; width: 100%; height: auto; background: #fff; padding: 0.5rem;
  border: 1px solid var(--line); border-radius: 0.5rem; }
figcaption { color: var(--muted); font-size: 0.9rem; margin-top: 0.4rem; }
.table { margin-top: 1.2rem; overflow-x: auto; border: 1px solid var(--line); border-radius: 0.5rem;
  background: var(--card); }
table { border-collapse: collapse; width: 100%; font-size: 0.92rem;
  font-variant-numeric: tabular-nums; }
th, td { padding: 0.35rem 0.7rem; text-align: right; }
th:first-child, td:first-child { text-align: left; position: sticky; left: 0;
  background: var(--card); min-width: 7rem; overflow-wrap: anywhere; }
th.words, td.words { text-align: left; }
td.words + td.words { min-width: 14rem; }
td { border-top: 1px solid var(--line); }
figure.wide { max-width: none; }
figure.wide .scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: 0.5rem;
  background: #fff; }
figure.wide img { border: 0; border-radius: 0; min-width: 44rem; max-width: 62rem; margin: 0 auto; }
.columns figure.wide img { min-width: 35rem; }
details { margin: 0.6rem 0; }
summary { cursor: pointer; color: var(--accent); padding: 0.2rem 0; }
details > .table { margin-top: 0.4rem; max-height: 32rem; overflow-y: auto; }
th button { all: unset; cursor: pointer; font-weight: bold; }
th button:focus-visible { outline: 2px solid var(--accent); }
th[aria-sort] button::after { content: " \\25B4"; }
th[aria-sort="descending"] button::after { content: " \\25BE"; }
.verdicts td { text-align: left; vertical-align: top; }
.verdicts th { text-align: left; }
.verdicts td:first-child { min-width: 11rem; position: static; }
.verdicts td:last-child { min-width: 15rem; }
.verdict { display: inline-block; white-space: nowrap; padding: 0.05rem 0.55rem; font-weight: 600;
  border-radius: 1rem; border: 1.5px solid currentColor; }
.good { color: #1b6e3c; } .fair { color: #8a5a00; } .poor { color: #a3161b; }
@media (prefers-color-scheme: dark) {
  .good { color: #7fd6a0; } .fair { color: #f0c36a; } .poor { color: #ff9b94; }
}
@media (max-width: 40rem) {
  .verdicts tr { display: block; border-top: 1px solid var(--line); padding: 0.4rem 0; }
  .verdicts td { display: block; border: 0; padding: 0.15rem 0.7rem; }
  .verdicts thead { display: none; }
}
nav { margin: 0.8rem 0; } nav a { margin-right: 1rem; white-space: nowrap; }
a { color: var(--accent); }
code { font-size: 0.9em; overflow-wrap: anywhere; }
footer { margin-top: 3rem; color: var(--muted); font-size: 0.9rem; }
"""

#: A click on a column's head sorts the table by it; nothing else on a page moves.
_JS = """
for (const table of document.querySelectorAll("table.sortable")) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, i) => head.firstChild.addEventListener("click", () => {
    const down = head.getAttribute("aria-sort") === "ascending";
    heads.forEach(other => other.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const key = row => row.cells[i].dataset.v ?? row.cells[i].textContent;
    const body = table.tBodies[0];
    const order = (a, b) => {
      const [x, y] = [key(a), key(b)], [p, q] = [Number(x), Number(y)];
      const way = Number.isNaN(p) || Number.isNaN(q) ? x.localeCompare(y) : p - q;
      return down ? -way : way;
    };
    body.append(...[...body.rows].sort(order));
  }));
}
"""

#: How a verdict is painted; its words say the same.
_VERDICTS = {"holds": "good", "holds partly": "fair", "not reproduced": "poor"}


@dataclass(frozen=True)
class Section:
    """A heading and what stands under it, as HTML made by the functions below."""

    title: str
    blocks: Sequence[str]

    def html(self) -> str:
        """The section as HTML."""
        return (
            f'<section id="{self.anchor}">\n<h2>{escape(self.title)}</h2>\n'
            + "\n".join(self.blocks)
            + "\n</section>"
        )

    @property
    def anchor(self) -> str:
        """What a link within the page names."""
        return re.sub(r"[^a-z0-9]+", "-", self.title.lower()).strip("-")


@dataclass(frozen=True)
class Page:
    """A title, a sentence to begin with, and sections; a banner above them where one is needed.

    >>> page = Page("A season", "What it was like.", [Section("Rain", [paragraph("& wind")])])
    >>> "<p>&amp; wind</p>" in page.html()
    True
    """

    title: str
    lead: str
    sections: Sequence[Section]
    banner: str = ""

    def html(self) -> str:
        """The whole page."""
        banner = f'<p class="banner" role="note">{_prose(self.banner)}</p>\n' if self.banner else ""
        body = "\n".join(section.html() for section in self.sections)
        script = f"<script>{_JS}</script>\n" if 'class="sortable"' in body else ""
        return (
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f"<title>{escape(self.title)}</title>\n<style>{_CSS}</style>\n</head>\n<body>\n<main>\n"
            f"<h1>{escape(self.title)}</h1>\n{banner}"
            f'<p class="lead">{escape(self.lead)}</p>\n{body}\n'
            f"<footer>Written by highseason {escape(__version__)}.</footer>\n"
            f"</main>\n{script}</body>\n</html>\n"
        )

    def save(self, path: str | Path) -> Path:
        """Write the page to a file; missing folders are made."""
        target = Path(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(self.html(), encoding="utf-8")
        return target


def paragraph(text: str) -> str:
    """Plain text."""
    return f"<p>{_prose(text)}</p>"


def heading(text: str) -> str:
    """A heading within a section."""
    return f"<h3>{escape(text)}</h3>"


def bullets(lines: Sequence[str]) -> str:
    """Plain lines of text, one point each."""
    return "<ul>\n" + "\n".join(f"<li>{_prose(line)}</li>" for line in lines) + "\n</ul>"


def command(line: str) -> str:
    """What to type, to get the same again."""
    return f"<p><code>{escape(line)}</code></p>"


def columns(*blocks: str) -> str:
    """Side by side where there is room, else one below the other."""
    return '<div class="columns">\n' + "\n".join(f"<div>{b}</div>" for b in blocks) + "\n</div>"


def pictures(*shown: tuple[Figure | Picture, str]) -> str:
    """Figures with their captions: side by side where there is room."""
    return columns(*(_picture(*each) for each in shown))


def wide_picture(shown: Figure | Picture, caption: str) -> str:
    """A figure of many panels: as wide as the page; on a narrow screen it scrolls sideways."""
    return (
        f'<figure class="wide"><div class="scroll" tabindex="0">{_image(shown)}</div>'
        f"<figcaption>{_prose(caption)}</figcaption></figure>"
    )


def wide_pictures(*shown: tuple[Figure | Picture, str]) -> str:
    """Several such figures: side by side where there is room."""
    return columns(*(wide_picture(*each) for each in shown))


def folded(summary: str, *blocks: str) -> str:
    """What most readers skip, behind a line to click on."""
    return f"<details><summary>{escape(summary)}</summary>\n" + "\n".join(blocks) + "\n</details>"


def files(names: Sequence[str]) -> str:
    """Links to files that lie beside the page."""
    links = (f'<a href="{escape(name, quote=True)}">{escape(name)}</a>' for name in names)
    return f"<p>{', '.join(links)}</p>"


def contents(sections: Sequence[Section]) -> str:
    """Links to the sections of the same page."""
    links = (f'<a href="#{each.anchor}">{escape(each.title)}</a>' for each in sections)
    return f"<nav>{' '.join(links)}</nav>"


def verdicts(head: tuple[str, str, str], rows: Sequence[tuple[str, str, str]]) -> str:
    """What is said, the verdict on it, and the evidence; on a narrow screen one below the other."""
    body = "\n".join(
        f"<tr><td>{_prose(said)}</td>"
        f'<td><span class="verdict {_VERDICTS.get(verdict, "")}">{escape(verdict)}</span></td>'
        f"<td>{_prose(evidence)}</td></tr>"
        for said, verdict, evidence in rows
    )
    heads = "".join(f"<th>{escape(text)}</th>" for text in head)
    return (
        f'<div class="table"><table class="verdicts">\n<thead><tr>{heads}</tr></thead>\n'
        f"<tbody>\n{body}\n</tbody></table></div>"
    )


def _prose(text: str) -> str:
    """Escaped, and no line ends between a number and its sign."""
    return escape(text).replace(" %", "&nbsp;%")


def _picture(figure: Figure | Picture, caption: str) -> str:
    return f"<figure>{_image(figure)}<figcaption>{_prose(caption)}</figcaption></figure>"


def _image(figure: Figure | Picture) -> str:
    # An image of its own rather than SVG among the HTML: ids of one figure cannot meet another's.
    picture = figure.picture() if isinstance(figure, Figure) else figure
    data = base64.b64encode(picture.svg).decode("ascii")
    alt = escape(f"{picture.title}. {picture.words}", quote=True)
    return f'<img alt="{alt}" src="data:image/svg+xml;base64,{data}">'


def table(content: Table, sortable: bool = False) -> str:
    """A table that scrolls sideways where the screen is narrow; `sortable` by a click on a head."""
    cells = [
        tuple(formatted(value, spec) for value, spec in zip(row, content.formats, strict=True))
        for row in content.rows
    ]
    kinds = [_kind(column) for column in zip(*cells, strict=True)]
    titles = [_prose(name) for name in content.columns]
    if sortable:
        titles = [f'<button type="button">{title}</button>' for title in titles]
    head = _row("th", titles, kinds)
    body = "\n".join(
        _row("td", [_prose(text) for text in row], kinds, values if sortable else ())
        for row, values in zip(cells, content.rows, strict=True)
    )
    name = ' class="sortable"' if sortable else ""
    return (
        f'<div class="table" tabindex="0"><table{name}>\n<thead>{head}</thead>\n'
        f"<tbody>\n{body}\n</tbody></table></div>"
    )


def _kind(column: Sequence[str]) -> str:
    """Numbers stand to the right; phrases to the left, and may run over several lines."""
    return ' class="words"' if max(map(len, column)) > _PHRASE else ""


def _row(tag: str, row: Sequence[str], kinds: Sequence[str], values: Sequence[Any] = ()) -> str:
    """Cells of finished HTML; a number brings its value along, to be sorted by."""
    keys = [f' data-v="{_key(v)}"' if isinstance(v, int | float) else "" for v in values]
    cells = zip(row, kinds, keys or [""] * len(row), strict=True)
    return (
        "<tr>" + "".join(f"<{tag}{kind}{key}>{html}</{tag}>" for html, kind, key in cells) + "</tr>"
    )


def _key(value: float) -> str:
    """As the page's script reads a number; what is not known stands below all others."""
    return "-Infinity" if math.isnan(value) else f"{value:.6g}"
