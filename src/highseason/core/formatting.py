"""Numbers, shares and lists as text for people."""

import math
from collections.abc import Sequence
from typing import Any

_PLURALS = {"icy": "icies", "ch": "ches"}


def format_number(value: float) -> str:
    """A number in at most four significant figures, or with its thousands separators.

    >>> format_number(54782.9), format_number(31.25), format_number(0.0123), format_number(1000.0)
    ('54,783', '31.25', '0.0123', '1,000')
    """
    if not math.isfinite(value):
        return "–"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def with_error(value: float, error: float) -> str:
    """A number with its standard error, both to the error's second figure.

    >>> with_error(7035.2, 18.93), with_error(0.5049, 0.00321), with_error(12.0, float("nan"))
    ('7,035 ± 19', '0.5049 ± 0.0032', '12 ± –')
    """
    if not (math.isfinite(error) and error > 0):
        return f"{format_number(value)} ± {format_number(error)}"
    digits = max(0, 1 - math.floor(math.log10(error)))
    return f"{value:,.{digits}f} ± {error:,.{digits}f}"


def percent(share: float, digits: int = 0) -> str:
    """A share as a percentage; a little is not nothing, and nearly all is not all.

    >>> percent(0.453), percent(0.0004), percent(0.9999), percent(1.0), percent(0.0)
    ('45%', 'under 1%', 'over 99%', '100%', '0%')
    """
    if not math.isfinite(share):
        return "–"
    edge = 0.5 * 10.0 ** (-2 - digits)
    step = f"{10.0**-digits:.{digits}f}"
    if 0 < share < edge:
        return f"under {step}%"
    if 1 - edge < share < 1:
        return f"over {100 - float(step):.{digits}f}%"
    return f"{100 * share:.{digits}f}%"


def signed_percent(share: float, digits: int = 1) -> str:
    """A change as a percentage with its sign.

    >>> signed_percent(0.031), signed_percent(-0.0001), signed_percent(float("nan"))
    ('+3.1%', '0.0%', '–')
    """
    return formatted(float(share), f"+.{digits}%") if math.isfinite(share) else "–"


def formatted(value: Any, spec: str) -> str:
    """A value as `format` writes it; what is not known is a dash, and nothing has no sign.

    >>> formatted(0.031, "+.1%"), formatted(-0.0001, "+.1%"), formatted(math.nan, "+.1%")
    ('+3.1%', '0.0%', '–')
    """
    if isinstance(value, float) and math.isnan(value):
        return "–"
    text = format(value, spec)
    nothing = isinstance(value, float) and not any(digit in text for digit in "123456789")
    return text.lstrip("+-") if nothing else text


def with_range(share: float, low: float, high: float, digits: int = 1) -> str:
    """A change as a percentage, with the ends of its interval.

    >>> with_range(0.031, 0.02, 0.042)
    '+3.1% (+2.0 to +4.2)'
    """
    ends = [signed_percent(end, digits).removesuffix("%") for end in (low, high)]
    return f"{signed_percent(share, digits)} ({ends[0]} to {ends[1]})"


def listed(words: Sequence[str]) -> str:
    """Words in a row, as in a sentence.

    >>> listed(["ucb"]), listed(["ucb", "greedy"]), listed(["a", "b", "c"])
    ('ucb', 'ucb and greedy', 'a, b and c')
    """
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} and {words[-1]}"


def counted(count: int, noun: str) -> str:
    """A count with its noun, in the plural where it must be.

    >>> counted(1, "turn"), counted(1500, "game"), counted(2, "policy"), counted(3, "stretch")
    ('1 turn', '1,500 games', '2 policies', '3 stretches')
    """
    if count == 1:
        return f"1 {noun}"
    ending = next((e for e in _PLURALS if noun.endswith(e)), "")
    return f"{count:,} {noun.removesuffix(ending)}{_PLURALS.get(ending, 's')}"
