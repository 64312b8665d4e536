"""How messages are worded: the nearest known name, the options, numbers one can read."""

from collections.abc import Iterable
from difflib import get_close_matches

from highseason.multipliers.errors import MultiplierError


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return ``"; did you mean 'wave'?"`` when a known name is close, else nothing.

    >>> did_you_mean("wav", ["wave", "step"])
    "; did you mean 'wave'?"
    >>> did_you_mean("elephant", ["wave", "step"])
    ''
    """
    spelled = {name.lower(): name for name in known}
    close = get_close_matches(word.lower(), spelled, n=1)
    return f"; did you mean {spelled[close[0]]!r}?" if close else ""


def require_option(what: str, given: object, options: tuple[str, ...]) -> None:
    """Refuse a keyword that is not one of its options.

    >>> require_option("how", "mean", ("sum", "mean"))
    """
    if given not in options:
        listed = " or ".join(repr(option) for option in options)
        hint = did_you_mean(str(given), options)
        raise MultiplierError(f"{what} must be {listed}, not {given!r}{hint}")


def brief(number: float) -> str:
    """Write a number for a person: six figures, and no powers of ten up to a million millions.

    >>> brief(30.0), brief(0.1234567), brief(12453560.0)
    ('30', '0.123457', '12,453,560')
    """
    return f"{number:,.0f}" if 1e6 <= abs(number) < 1e12 else f"{number:.6g}"
