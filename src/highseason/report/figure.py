"""A figure that saves itself; what draws it is nobody's business."""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from highseason.report.drawing import require_matplotlib, style

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

#: What a figure can be saved as.
SUFFIXES = (".png", ".svg", ".pdf")

#: What a file says about itself: its title, its content in words, and no date, so that the same
#: figure gives the same bytes.
_METADATA: dict[str, tuple[str, dict[str, Any]]] = {
    "png": ("Description", {"Software": None}),
    "svg": ("Description", {"Date": None}),
    "pdf": ("Subject", {"CreationDate": None}),
}


@dataclass(frozen=True)
class Picture:
    """A figure that is drawn and done: what a page shows of it.

    Attributes:
        title: What it shows, in a few words.
        words: Its content in a sentence or two.
        svg: The bytes of its SVG file.
    """

    title: str
    words: str
    svg: bytes

    def save(self, path: Path) -> Path:
        """Write the SVG file."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(self.svg)
        return path


@dataclass(frozen=True, eq=False, repr=False)
class Figure:
    """A finished figure.  In a notebook it shows itself; elsewhere, `save` it.

    Attributes:
        canvas: The matplotlib figure, for those who want to change it.
        title: What it shows, in a few words.
        words: The same for those who cannot see it: the figure's content in a sentence or two.
    """

    canvas: Canvas
    title: str
    words: str = ""

    def save(self, path: str | Path) -> Path:
        """Write the figure to `path` (.png, .svg or .pdf); missing folders are made."""
        target = check_target(path)
        content = self.encode(target.suffix[1:].lower())
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
        return target

    def encode(self, kind: str) -> bytes:
        """The bytes of a file: "png", "svg" or "pdf"."""
        buffer = io.BytesIO()
        content, others = _METADATA[kind]
        metadata = {"Title": self.title, content: self.words, **others}
        with style():
            self.canvas.savefig(buffer, format=kind, metadata=metadata)
        return buffer.getvalue()

    def picture(self) -> Picture:
        """The figure as a page shows it."""
        return Picture(self.title, self.words, self.encode("svg"))

    def _repr_png_(self) -> bytes:
        """For notebooks."""
        return self.encode("png")

    def __repr__(self) -> str:
        """One short line."""
        return f"<Figure: {self.title}>"


def check_target(path: str | Path) -> Path:
    """Whether a figure could be written there, asked before the work and not after it.

    >>> check_target("plan.jpeg")
    Traceback (most recent call last):
    ...
    ValueError: a figure cannot be saved as plan.jpeg: the name must end in .png, .svg or .pdf
    """
    target = Path(path)
    if target.suffix.lower() not in SUFFIXES:
        endings = f"{', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}"
        raise ValueError(
            f"a figure cannot be saved as {target.name}: the name must end in {endings}"
        )
    require_matplotlib()
    return target
