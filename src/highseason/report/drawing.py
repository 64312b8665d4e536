"""matplotlib, imported when it is used, and one style for every figure.

Nothing here goes through pyplot, so a figure never touches the windows, the backend or the
settings of the program that asked for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

#: Narrow enough to be read on a telephone, where a wide figure shrinks to nothing.
WIDTH = 5.4

INK = "#1f2933"
MUTED = "#5f6b7a"
GRID = "#dde2e8"
DARK = "#1d4e89"
LIGHT = "#b9d1ea"
BUSY = "#f6dcb3"
ACCENT = "#b3401f"


@dataclass(frozen=True)
class Look:
    """How one of several lines is drawn; each differs from the others in more than its colour."""

    color: str
    line: str
    marker: str


#: From dark to light, so that the order survives a grey printer.
_COLORS = ("#10243e", "#6d2a7d", "#c44536", "#2aa198", "#e0a526", "#93c1ea", "#8d99a6")
_LINES = ("-", "--", "-", "-.", "-", "--", ":", "-")
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*", "<", ">", "h", "p")

_STYLE: Any = {
    "axes.axisbelow": True,
    "axes.edgecolor": MUTED,
    "axes.grid": True,
    "axes.labelcolor": INK,
    "axes.labelsize": 10,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlecolor": INK,
    "axes.titlelocation": "left",
    "axes.titlesize": 10,
    "axes.titleweight": "bold",
    "figure.facecolor": "white",
    "font.family": "DejaVu Sans",  # comes with matplotlib: the same picture on every machine
    "font.size": 10,
    "grid.color": GRID,
    "grid.linewidth": 0.7,
    "hatch.color": DARK,
    "hatch.linewidth": 0.6,
    "legend.fontsize": 9,
    "legend.frameon": False,
    "savefig.dpi": 150,
    "savefig.facecolor": "white",
    "svg.fonttype": "path",
    "svg.hashsalt": "highseason",  # the same figure gives the same file
    "text.color": INK,
    "xtick.color": MUTED,
    "xtick.labelcolor": INK,
    "xtick.labelsize": 9,
    "ytick.color": MUTED,
    "ytick.labelcolor": INK,
    "ytick.labelsize": 9,
}


def require_matplotlib() -> None:
    """Import matplotlib, or say which extra brings it."""
    try:
        import matplotlib.figure  # noqa: F401  # asked for its presence only
    except ImportError:
        raise ImportError(
            "figures need matplotlib, which is not installed: pip install 'highseason[plots]'"
        ) from None


@contextmanager
def style() -> Iterator[None]:
    """The style of the house, for as long as something is drawn or written."""
    require_matplotlib()
    import matplotlib as mpl

    with mpl.rc_context():
        mpl.rcdefaults()  # a dark theme that the program has set would leak otherwise
        mpl.rcParams.update(_STYLE)
        yield


def panels(heights: Sequence[float], share_x: bool = False) -> tuple[Canvas, list[Axes]]:
    """A figure with panels one below the other, each as high (in inches) as it says."""
    from matplotlib.figure import Figure as Canvas

    canvas = Canvas(figsize=(WIDTH, sum(heights)), layout="constrained")
    axes = canvas.subplots(
        len(heights),
        1,
        squeeze=False,
        sharex=share_x,
        gridspec_kw={"height_ratios": list(heights)},
    )
    return canvas, list(axes[:, 0])


def look(i: int) -> Look:
    """The look of the line at position `i`.

    The lists differ in length, so that a colour that comes round again has another stroke and
    another marker.
    """
    return Look(_COLORS[i % len(_COLORS)], _LINES[i % len(_LINES)], _MARKERS[i % len(_MARKERS)])
