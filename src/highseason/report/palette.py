"""The colours of all figures, and how lines differ in more than colour."""

from typing import Any, NamedTuple

INK = "#1f2933"
MUTED = "#5f6b7a"
GRID = "#dde2e8"
FADED = "#b8c0c9"
DARK = "#1d4e89"
LIGHT = "#b9d1ea"
BUSY = "#f6dcb3"
ACCENT = "#b3401f"

#: Earned or played by pure exploitation, and while exploring: the same in every figure.
EXPLOITING: dict[str, Any] = {"color": DARK}
EXPLORING: dict[str, Any] = {"facecolor": LIGHT, "hatch": "////", "edgecolor": DARK}


class Look(NamedTuple):
    """How one of several lines is drawn; no two differ in colour alone."""

    color: str
    line: str
    marker: str


#: From dark to light, so that the order survives a grey printer.
_COLORS = ("#10243e", "#6d2a7d", "#c44536", "#2aa198", "#e0a526", "#93c1ea", "#8d99a6")
_LINES = ("-", "--", "-", "-.", "-", "--", ":", "-")
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*", "<", ">", "h", "p")


def look(i: int) -> Look:
    """The look of the line at position `i`.

    The lists differ in length, so that a colour that comes round again has another stroke and
    another marker.
    """
    return Look(_COLORS[i % len(_COLORS)], _LINES[i % len(_LINES)], _MARKERS[i % len(_MARKERS)])
