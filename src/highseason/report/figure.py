"""Figures, independent of what draws them: saved to files, or shown on a page."""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from highseason.report.drawing import PAGE_WIDTH, WIDTH, require_matplotlib, style

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

#: What a figure can be saved as.
SUFFIXES = (".png", ".svg", ".pdf")

_PX_PER_PT = 96 / 72

#: By kind of file: the backend, where the alt text goes, and what is left out, so that the same
#: figure gives the same bytes.
_KINDS = {
    "png": ("Agg", "Description", "Software"),
    "svg": ("SVG", "Description", "Date"),
    "pdf": ("Pdf", "Subject", "CreationDate"),
}


@dataclass(frozen=True)
class Picture:
    """A rendered figure, as a page shows it.

    Attributes:
        title: What it shows, in a few words.
        alt: Its content in a sentence or two, for readers who cannot see it.
        svg: The bytes of its SVG file.
        src: Its address relative to the page; empty if the page holds the figure itself.
    """

    title: str
    alt: str
    svg: bytes
    src: str = ""

    def save(self, path: Path) -> Path:
        """Write the SVG file."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(self.svg)
        return path

    def linked(self, src: str) -> Picture:
        """The same picture, loaded by the page from `src` when it scrolls into view.

        >>> Picture("Mean reward", "ucb 12", b"<svg/>").linked("figures/rewards.svg").src
        'figures/rewards.svg'
        """
        return replace(self, src=src)

    @property
    def width(self) -> int:
        """In CSS pixels."""
        return self._length("width")

    @property
    def height(self) -> int:
        """In CSS pixels."""
        return self._length("height")

    @property
    def data_uri(self) -> str:
        """The picture as an address that holds its content."""
        # An image rather than SVG among the HTML: ids of one figure cannot meet another's.
        return f"data:image/svg+xml;base64,{base64.b64encode(self.svg).decode('ascii')}"

    def _length(self, side: str) -> int:
        match = re.search(rf'<svg[^>]*\s{side}="([0-9.]+)pt"'.encode(), self.svg)
        return round(float(match[1]) * _PX_PER_PT) if match else 0


@dataclass(frozen=True, eq=False, repr=False)
class Figure:
    """A figure.  Notebooks display it; elsewhere, `save` it.

    Attributes:
        canvas: The matplotlib figure, for any change of your own.
        title: What it shows, in a few words.
        alt: Its content in a sentence or two, for readers who cannot see it.
    """

    canvas: Canvas
    title: str
    alt: str = ""

    def save(self, path: str | Path) -> Path:
        """Write the figure to `path` (.png, .svg or .pdf), creating missing folders."""
        target = check_target(path)
        content = self.encode(target.suffix[1:].lower())
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
        return target

    def encode(self, kind: str) -> bytes:
        """The bytes of a file: "png", "svg" or "pdf"."""
        backend, content, left_out = _KINDS[kind]
        metadata = {"Title": self.title, content: self.alt, left_out: None}
        buffer, before, dpi = io.BytesIO(), self.canvas.canvas, self.canvas.dpi
        with style() as settings:
            module = import_module(f"matplotlib.backends.backend_{backend.lower()}")
            self.canvas.dpi = settings["savefig.dpi"]
            try:  # not with `savefig`, which would draw it twice, first to measure
                writer = getattr(module, f"FigureCanvas{backend}")(self.canvas)
                getattr(writer, f"print_{kind}")(buffer, metadata=metadata)
            finally:
                self.canvas.set_canvas(before)
                self.canvas.dpi = dpi
        return buffer.getvalue()

    def picture(self) -> Picture:
        """The figure as a page shows it: not as wide as in a file, to be read on a phone."""
        width = self.canvas.get_figwidth()
        if width == WIDTH:  # neither a grid, which needs its own, nor a size that was chosen
            self.canvas.set_figwidth(PAGE_WIDTH)
        try:
            return Picture(self.title, self.alt, self.encode("svg"))
        finally:
            self.canvas.set_figwidth(width)

    def _repr_png_(self) -> bytes:
        return self.encode("png")

    def __repr__(self) -> str:
        return f"<Figure: {self.title}>"


#: How to draw each figure of a page, by file name.
Drawings = dict[str, Callable[[], Figure]]


def check_target(path: str | Path) -> Path:
    """Check, before any work is done, that a figure can be saved as `path`.

    >>> check_target("plan.jpeg")
    Traceback (most recent call last):
    ...
    ValueError: cannot save a figure as plan.jpeg: the name must end in .png, .svg or .pdf
    """
    target = Path(path)
    if target.suffix.lower() not in SUFFIXES:
        endings = f"{', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}"
        raise ValueError(f"cannot save a figure as {target.name}: the name must end in {endings}")
    require_matplotlib()
    return target
