"""HTML pages from jinja2 templates.

A page is one file with its style inside.  A figure is inside it too, or in a file beside it that
the browser loads when the reader scrolls there (`Picture.linked`).

A page of your own is a template that extends `base.html.j2` and imports the building blocks:

    {% extends "base.html.j2" %}
    {% import "blocks.html.j2" as ui %}
    {% block content %}
    {% call ui.section("Results") %}
    {{ ui.figure(picture, "Mean reward by policy.") }}
    {% endcall %}
    {% endblock %}

and `render(Path("season.html.j2"), title="A season", picture=…)` gives its HTML.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from highseason.core.formatting import formatted
from highseason.core.version import __version__
from highseason.report.figure import Figure, Picture
from highseason.results import Table

if TYPE_CHECKING:
    from jinja2 import Environment

#: A cell longer than this is a phrase and not a number.
_PHRASE = 24

_TEMPLATES = Path(__file__).parent / "templates"


def render(template: str | Path, folders: Sequence[Path] = (), **context: Any) -> str:
    """The HTML of a page.

    Args:
        template: A file of your own, or the name of one of the templates here.
        folders: Where templates that it extends or imports are looked for, besides its own folder.
        context: What the template shows.  `base.html.j2` needs `title` and takes `lead`, `banner`
            and `sections`.

    >>> html = render("base.html.j2", title="Tea & cake")
    >>> "<h1>Tea &amp; cake</h1>" in html
    True
    """
    own = (template.parent,) if isinstance(template, Path) else ()
    name = template.name if isinstance(template, Path) else template
    return _environment(*own, *folders).get_template(name).render(context)


def save(html: str, path: str | Path) -> Path:
    """Write a page to `path`, creating missing folders."""
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(html, encoding="utf-8")
    return target


@cache
def _environment(*folders: Path) -> Environment:
    try:
        from jinja2 import Environment, FileSystemLoader, StrictUndefined
    except ImportError:
        raise ImportError(
            "pages need jinja2, which is not installed: pip install 'highseason[plots]'"
        ) from None
    environment = Environment(
        loader=FileSystemLoader([*folders, _TEMPLATES]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals.update(version=__version__, lead="", banner="", sections=())
    environment.filters.update(anchor=anchor, cells=_cells, column_classes=_column_classes)
    return environment


def anchor(title: str) -> str:
    """The id of a section, for links within the page.

    >>> anchor("First results")
    'first-results'
    """
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")


def _cells(content: Table, sortable: bool) -> list[list[tuple[str, str]]]:
    """Each cell's text, and the attribute that the page's script sorts it by."""
    return [
        [
            (formatted(value, spec), _sort_key(value) if sortable else "")
            for value, spec in zip(row, content.formats, strict=True)
        ]
        for row in content.rows
    ]


def _sort_key(value: Any) -> str:
    """Unknown numbers sort below all others; text sorts by itself."""
    if not isinstance(value, int | float):
        return ""
    return _markup(f' data-v="{"-Infinity" if math.isnan(value) else format(value, ".6g")}"')


def _column_classes(content: Table) -> list[str]:
    """Numbers are aligned right; phrases left, and may wrap."""
    lengths = [
        max(len(formatted(row[i], spec)) for row in content.rows) if content.rows else 0
        for i, spec in enumerate(content.formats)
    ]
    return [_markup(' class="words"') if length > _PHRASE else "" for length in lengths]


def _markup(html: str) -> str:
    from markupsafe import Markup

    return Markup(html)


@dataclass(frozen=True)
class Section:
    """A heading and the blocks under it, each from `block`."""

    title: str
    blocks: Sequence[str]

    def html(self) -> str:
        """The section as HTML."""
        return block("section", self.title, caller=lambda: _markup("\n".join(self.blocks)))


@dataclass(frozen=True)
class Page:
    """A page built in Python: a title, a lead, sections, and a banner where one is needed.

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
        return render("base.html.j2", **vars(self))

    def save(self, path: str | Path) -> Path:
        """Write the page to a file, creating missing folders."""
        return save(self.html(), path)


def block(name: str, *args: Any, **options: Any) -> str:
    """A block of `blocks.html.j2` as HTML, for pages built in Python.

    >>> block("heading", "Salt & pepper")
    Markup('<h3>Salt &amp; pepper</h3>')
    """
    macro = getattr(_environment().get_template("blocks.html.j2").module, name)
    return _markup(str(macro(*args, **options)).strip())


def paragraph(text: str) -> str:
    """Plain text."""
    return block("paragraph", text)


def heading(text: str) -> str:
    """A heading within a section."""
    return block("heading", text)


def bullets(lines: Sequence[str]) -> str:
    """A list of points."""
    return block("bullets", lines)


def command(line: str) -> str:
    """A command to type."""
    return block("command", line)


def columns(*blocks: str) -> str:
    """Blocks side by side where there is room, else stacked."""
    return block("columns", blocks)


def pictures(*shown: tuple[Figure | Picture, str], wide: bool = False) -> str:
    """Figures with their captions, side by side where there is room."""
    return columns(*(block("figure", _picture(each), caption, wide) for each, caption in shown))


def wide_picture(shown: Figure | Picture, caption: str) -> str:
    """A figure of many panels: as wide as the page; on a narrow screen it scrolls sideways."""
    return block("figure", _picture(shown), caption, wide=True)


def wide_pictures(*shown: tuple[Figure | Picture, str]) -> str:
    """Several wide figures, side by side where there is room."""
    return pictures(*shown, wide=True)


def folded(summary: str, *blocks: str) -> str:
    """Details that stay closed until the reader clicks on the summary."""
    return block("folded", summary, blocks)


def files(names: Sequence[str]) -> str:
    """Links to files beside the page."""
    return block("files", names)


def contents(sections: Sequence[Section]) -> str:
    """Links to the sections of the page."""
    return block("contents", [section.title for section in sections])


def verdicts(head: tuple[str, str, str], rows: Sequence[tuple[str, str, str]]) -> str:
    """Claims, the verdict on each, and the evidence; stacked on a narrow screen."""
    return block("verdicts", head, rows)


def table(content: Table, sortable: bool = False) -> str:
    """A table that scrolls sideways on a narrow screen; `sortable` by a click on a head."""
    return block("table", content, sortable)


def _picture(shown: Figure | Picture) -> Picture:
    return shown.picture() if isinstance(shown, Figure) else shown
