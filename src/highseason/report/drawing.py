"""One style, title and legend for every figure; matplotlib is imported on first use.

Nothing here goes through pyplot, so a figure never touches the windows, backend or settings of
the program around it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any, TypeVar, cast

from highseason.core.extras import require
from highseason.core.text import format_number
from highseason.core.validation import positive_number
from highseason.engine import unique_labels
from highseason.report import palette

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure as Canvas

#: In inches: wide enough for slides and documents.
WIDTH = 8.0
#: On a page, which may be read on a phone, where a wide figure becomes unreadable.
PAGE_WIDTH = 5.4
#: In inches.
LEGEND_ROW = 0.2

#: The size that figures are drawn in, where it was chosen: width and height in inches.
_SIZE: ContextVar[tuple[float, float] | None] = ContextVar("size of figures", default=None)

_LONG_LABEL = 20
#: Letters of a legend that an inch has room for, and what its line and the gap take.
_LETTERS, _HANDLE = 14, 9

T = TypeVar("T")

_STYLE: Any = {
    "axes.axisbelow": True,
    "axes.edgecolor": palette.MUTED,
    "axes.grid": True,
    "axes.labelcolor": palette.INK,
    "axes.labelsize": 10,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlecolor": palette.INK,
    "axes.titlelocation": "left",
    "axes.titlesize": 10,
    "axes.titley": 1.0,  # no tick labels are above; to look for them takes a quarter of the time
    "axes.titleweight": "bold",
    "figure.facecolor": "white",
    "font.family": "DejaVu Sans",  # comes with matplotlib: the same picture on every machine
    "font.size": 10,
    "grid.color": palette.GRID,
    "grid.linewidth": 0.7,
    "hatch.color": palette.DARK,
    "hatch.linewidth": 0.6,
    "legend.fontsize": 9,
    "legend.frameon": False,
    "savefig.dpi": 200,  # sharp on screens with two pixels per point
    "savefig.facecolor": "white",
    "svg.fonttype": "path",
    "svg.hashsalt": "highseason",  # the same figure gives the same file
    "text.color": palette.INK,
    "xtick.color": palette.MUTED,
    "xtick.labelcolor": palette.INK,
    "xtick.labelsize": 9,
    "ytick.color": palette.MUTED,
    "ytick.labelcolor": palette.INK,
    "ytick.labelsize": 9,
}


def require_matplotlib() -> None:
    """Name the extra that provides matplotlib where it is not installed."""
    require("matplotlib", extra="plots", purpose="drawing figures")


@contextmanager
def style() -> Iterator[Any]:
    """The style of all figures, while one is drawn or written: matplotlib's settings."""
    require_matplotlib()
    import matplotlib as mpl

    with mpl.rc_context():
        mpl.rcdefaults()  # a dark theme that the program has set would leak otherwise
        mpl.rcParams.update(_STYLE)
        yield mpl.rcParams


@contextmanager
def figure_size(width: float, height: float) -> Iterator[None]:
    """Draw figures in this size, in inches.

    >>> import highseason as hs
    >>> with figure_size(10, 5):
    ...     figure = hs.report.multiplier(hs.traffic.wave(turns=50))
    >>> figure.canvas.get_size_inches().tolist()
    [10.0, 5.0]
    """
    token = _SIZE.set((positive_number("width", width), positive_number("height", height)))
    try:
        yield
    finally:
        _SIZE.reset(token)


@contextmanager
def drawing(
    title: str,
    heights: Sequence[float],
    columns: int = 1,
    width: float = WIDTH,
    margins: Mapping[str, float] | None = None,
    **subplots: Any,
) -> Iterator[tuple[Canvas, list[Axes]]]:
    """Draw panels, given row by row, in the common style under a title; lengths in inches.

    Without `margins`, as `GridSpec` takes them, matplotlib lays the figure out, which is slow for
    dozens of panels.
    """
    with style():
        from matplotlib.figure import Figure as Canvas

        height = sum(heights)
        width, height = _SIZE.get() or (width, height)
        canvas = Canvas(figsize=(width, height), layout=None if margins else "constrained")
        grid = {"height_ratios": list(heights), **(margins or {})}
        axes = canvas.subplots(len(heights), columns, squeeze=False, gridspec_kw=grid, **subplots)
        place = {"y": 1 - 0.12 / height} if margins else {}
        canvas.suptitle(title, x=0.01, ha="left", fontsize=11, fontweight="bold", **place)
        yield canvas, list(axes.flat)


def legend_below(
    canvas: Canvas, rows: Sequence[Axes], columns: int | None = None, foot: float | None = None
) -> None:
    """One legend below the panels; shared entries appear once.

    In a figure with margins, `foot` is the height in inches of what is between them.
    """
    entries: dict[str, Artist] = {}
    for axes in rows:
        handles, labels = axes.get_legend_handles_labels()
        entries = dict(zip(labels, handles, strict=True)) | entries
    width = canvas.get_figwidth()
    letters = _LETTERS * (PAGE_WIDTH if width == WIDTH else width)  # a page narrows it
    count = _fitting(list(entries), columns or len(entries), letters)
    if foot is not None:
        height = foot + LEGEND_ROW * math.ceil(len(entries) / count)
        canvas.subplots_adjust(bottom=height / canvas.get_figheight())
    canvas.legend(
        list(entries.values()), list(entries), ncols=count,
        loc="outside lower center" if foot is None else "lower center",
    )  # fmt: skip


def _fitting(labels: Sequence[str], columns: int, letters: float) -> int:
    """The most columns that fit into `letters` letters; matplotlib fills one after the other.

    The first ones are longer by one where labels are left over.

    >>> _fitting(["a"] * 4 + ["double smoothing", "b"], columns=4, letters=50)
    3
    """
    for count in range(min(columns, len(labels)), 1, -1):
        short, left_over = divmod(len(labels), count)
        ends = list(accumulate([short + 1] * left_over + [short] * (count - left_over)))
        longest = (max(map(len, labels[a:b])) for a, b in pairwise([0, *ends]))
        if sum(width + _HANDLE for width in longest) <= letters:
            return count
    return 1


def by_label(
    items: T | Sequence[T] | Mapping[str, T], kind: type[T], label: Callable[[T], str]
) -> dict[str, T]:
    """One item, several, or several by label, as a mapping; labels are made unique."""
    if isinstance(items, Mapping):
        return dict(items)
    several = [items] if isinstance(items, kind) else list(cast("Sequence[T]", items))
    if not several:
        raise ValueError(f"there is no {kind.__name__} to draw")
    return dict(zip(unique_labels([label(item) for item in several]), several, strict=True))


def name_rows(axes: Axes, labels: Sequence[str]) -> None:
    """Write a label at each row, the first on top, with nothing else along that axis."""
    axes.set_yticks(range(len(labels)), map(wrapped, labels))
    axes.set_ylim(len(labels) - 0.5, -0.5)
    axes.grid(visible=False, axis="y")
    axes.tick_params(axis="y", length=0)


def leave_squares(axes: Axes) -> None:
    """Take away all lines around and between the squares of a map."""
    axes.tick_params(length=0)
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)


def wrapped(label: str) -> str:
    """A long label in two lines, split where the parameters begin."""
    return label.replace(":", ":\n", 1) if len(label) > _LONG_LABEL else label


def number_axis(axis: Axis) -> None:
    """Write an axis' numbers as the text around it does."""
    axis.set_major_formatter(lambda value, _: format_number(value))
