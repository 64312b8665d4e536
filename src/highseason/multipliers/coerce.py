"""One door for everything that can stand for a multiplier."""

import sys
from collections.abc import Sequence
from numbers import Number
from os import PathLike
from pathlib import Path
from typing import Any

from highseason.multipliers.errors import MultiplierError
from highseason.multipliers.readers import from_series, from_values, read
from highseason.multipliers.series import Multiplier
from highseason.multipliers.shapes import SHAPES
from highseason.multipliers.wording import did_you_mean

_ACCEPTED = "give a Multiplier, a sequence of numbers, a pandas Series, a path, or a shape's name"


def as_multiplier(x: Any, turns: int | None = None, *, floor: float | None = None) -> Multiplier:
    """Make a multiplier of whatever a user may hand over.

    Args:
        x: A Multiplier, a sequence of numbers, a pandas Series, the path of a CSV or Parquet
            file, or the name of a shape (which needs ``turns``).
        turns: The number of turns; anything of another length is refused.
        floor: Raise values from 0 up to it to it; for the zeros of closed hours.

    >>> as_multiplier("wave", turns=500)
    <Multiplier wave: 500 turns, 1.0002 to 41>
    >>> as_multiplier([1, 2, 3])
    <Multiplier values: 3 turns, 1 to 3>
    """
    multiplier = _coerced(x, turns, floor)
    if turns is not None and multiplier.turns != turns:
        raise MultiplierError(
            f"the multiplier {multiplier.name} has {multiplier.turns} turns, not {turns}: "
            "leave the number of turns out, or cut the multiplier with window()"
        )
    return multiplier


def _coerced(x: Any, turns: int | None, floor: float | None) -> Multiplier:
    if isinstance(x, Multiplier):
        return x if floor is None else x.floor(floor)
    if isinstance(x, str):
        return _from_text(x, turns, floor)
    if isinstance(x, PathLike):
        return read(x, floor=floor)
    if _is_pandas(x, "Series"):
        return from_series(x, floor=floor)
    if _is_pandas(x, "DataFrame"):
        raise MultiplierError(f"a table is not a multiplier: pick one of its columns; {_ACCEPTED}")
    if isinstance(x, Number):  # before arrays: numpy's numbers look like one
        raise MultiplierError(
            f"{x} is one number, not one per turn: for a constant G use constant(turns, value={x})"
        )
    if hasattr(x, "__array__") or (isinstance(x, Sequence) and not isinstance(x, bytes)):
        return from_values(x, floor=floor)
    raise MultiplierError(f"{type(x).__name__} is not a multiplier: {_ACCEPTED}")


def _from_text(text: str, turns: int | None, floor: float | None) -> Multiplier:
    if text in SHAPES:
        if turns is None:
            raise MultiplierError(f"the shape {text!r} needs a number of turns: pass turns=")
        multiplier = SHAPES[text](turns)
        return multiplier if floor is None else multiplier.floor(floor)
    if Path(text).suffix:
        return read(text, floor=floor)
    raise MultiplierError(
        f"there is no shape {text!r}{did_you_mean(text, SHAPES) or ':'} the shapes are "
        f"{', '.join(SHAPES)}; a file is given by its path, such as traffic.csv"
    )


def _is_pandas(x: object, kind: str) -> bool:
    # If pandas was never imported, x cannot be one of its objects.
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(x, getattr(pandas, kind))
