"""A page that stands alone: one HTML file, with its style and its pictures inside.

Nothing is loaded from anywhere, so it opens from a disk, from an archive and without a network.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from highseason.core.version import __version__
from highseason.report.figure import Figure
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
.lead { font-size: 1.1rem; color: var(--muted); }
.columns { display: grid; gap: 1.2rem; align-items: start;
  grid-template-columns: repeat(auto-fit, minmax(min(100%, 34rem), 1fr)); }
figure { margin: 0; max-width: 46rem; }
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
code { font-size: 0.9em; overflow-wrap: anywhere; }
footer { margin-top: 3rem; color: var(--muted); font-size: 0.9rem; }
"""


@dataclass(frozen=True)
class Section:
    """A heading and what stands under it, as HTML made by the functions below."""

    title: str
    blocks: Sequence[str]

    def html(self) -> str:
        """The section as HTML."""
        return (
            f"<section>\n<h2>{escape(self.title)}</h2>\n" + "\n".join(self.blocks) + "\n</section>"
        )


@dataclass(frozen=True)
class Page:
    """A title, a sentence to begin with, and sections.

    >>> page = Page("A season", "What it was like.", [Section("Rain", [paragraph("& wind")])])
    >>> "<p>&amp; wind</p>" in page.html()
    True
    """

    title: str
    lead: str
    sections: Sequence[Section]

    def html(self) -> str:
        """The whole page."""
        body = "\n".join(section.html() for section in self.sections)
        return (
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f"<title>{escape(self.title)}</title>\n<style>{_CSS}</style>\n</head>\n<body>\n<main>\n"
            f'<h1>{escape(self.title)}</h1>\n<p class="lead">{escape(self.lead)}</p>\n{body}\n'
            f"<footer>Written by highseason {escape(__version__)}.</footer>\n"
            "</main>\n</body>\n</html>\n"
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


def pictures(*shown: tuple[Figure, str]) -> str:
    """Figures with their captions: side by side where there is room."""
    return columns(*(_picture(*each) for each in shown))


def _prose(text: str) -> str:
    """Escaped, and no line ends between a number and its sign."""
    return escape(text).replace(" %", "&nbsp;%")


def _picture(figure: Figure, caption: str) -> str:
    # An image of its own rather than SVG among the HTML: ids of one figure cannot meet another's.
    data = base64.b64encode(figure.encode("svg")).decode("ascii")
    alt = escape(f"{figure.title}. {figure.words}", quote=True)
    return (
        f'<figure><img alt="{alt}" src="data:image/svg+xml;base64,{data}">'
        f"<figcaption>{escape(caption)}</figcaption></figure>"
    )


def table(content: Table) -> str:
    """A table that scrolls sideways where the screen is narrow."""
    cells = content.cells()
    kinds = [_kind(column) for column in zip(*cells, strict=True)]
    head = _row("th", content.columns, kinds)
    body = "\n".join(_row("td", row, kinds) for row in cells)
    return (
        f'<div class="table" tabindex="0"><table>\n<thead>{head}</thead>\n'
        f"<tbody>\n{body}\n</tbody></table></div>"
    )


def _kind(column: Sequence[str]) -> str:
    """Numbers stand to the right; phrases to the left, and may run over several lines."""
    return ' class="words"' if max(map(len, column)) > _PHRASE else ""


def _row(tag: str, row: Sequence[str], kinds: Sequence[str]) -> str:
    cells = zip(row, kinds, strict=True)
    return (
        "<tr>" + "".join(f"<{tag}{kind}>{_prose(text)}</{tag}>" for text, kind in cells) + "</tr>"
    )
