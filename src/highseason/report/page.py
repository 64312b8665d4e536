"""HTML pages from jinja2 templates.

A page is one file with its style inside.  A figure is inside it too, or in a file beside it that
the browser loads when the reader scrolls there (`Picture.linked`).

A page of your own is a template that extends `base.html.j2` and uses the blocks of
`blocks.html.j2`; the guide on figures has an example.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from highseason.core.extras import require
from highseason.core.text import formatted
from highseason.core.version import __version__
from highseason.engine import Table

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
        context: What the template shows.  `base.html.j2` needs `title`, and takes `lead` and
            `banner`.

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
    require("jinja2", extra="plots", purpose="writing pages")
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader([*folders, _TEMPLATES]), autoescape=True,
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    environment.globals.update(version=__version__, lead="", banner="")
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
    return f' data-v="{"-Infinity" if math.isnan(value) else format(value, ".6g")}"'


def _column_classes(content: Table) -> list[str]:
    """Numbers are aligned right; phrases left, and may wrap."""
    wide = (
        any(len(formatted(row[i], spec)) > _PHRASE for row in content.rows)
        for i, spec in enumerate(content.formats)
    )
    return [' class="words"' if phrase else "" for phrase in wide]
