"""Random variables and texts are those they were: they change only where that is meant.

After a change that is meant: `python -m tests.core.test_recorded`, and look at what differs.
"""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest
from tests.reference.recorded import Cases, assert_recorded, record

from highseason.core import gamma, special, text
from highseason.core.random import draw, game_key, hash_at, turn_key
from highseason.core.validation import (
    non_negative_number,
    positive_number,
    share,
    whole_number,
)

RECORDED = Path(__file__).parent / "recorded.json"
KEYS = [game_key(5, i) for i in range(6)]
SHAPES = (0.02, 0.3, 1.0, 1.7, 12.0, 900.0)
NUMBERS = (0.0, 1e-9, 0.00042, 0.0123, 0.5, 0.995, 1.0, 7.25, 99.96, 1234.5, 98765.4, 3.2e7, 1e20)


def variables() -> dict[str, Any]:
    """Gamma and beta variables, uniform numbers and their keys."""
    pairs = list(itertools.product(SHAPES[::2], SHAPES[1::2]))
    return {
        "gamma": [gamma.gamma_sample(key, 7, shape) for key in KEYS for shape in SHAPES],
        "beta": [gamma.beta_sample(key, 3, a, b) for key in KEYS for a, b in pairs],
        "uniform": [draw(hash_at(key, 2), turn_key(key, 9) % 5) for key in KEYS],
    }


def functions() -> dict[str, Any]:
    """Special functions at a few places, also far out."""
    shares = [1e-12, 0.001, 0.02, 0.3, 0.5, 0.8, 0.999]
    return {
        "quantile": [special.normal_quantile(u) for u in shares],
        "quick": [special.quick_normal_quantile(u) for u in shares],
        "clipped": [special.clipped_normal_mean(c, s) for c in (-0.3, 0.2, 1.4) for s in (0.1, 2)],
        "kl": [special.bernoulli_kl(p, q) for p in shares for q in shares[1:]],
        "upper": [special.bernoulli_kl_upper(p, d) for p in shares for d in (1e-6, 0.1, 3.0)],
        "log_beta": [special.log_beta(a, b) for a in SHAPES for b in SHAPES],
        "call": [special.beta_call(a, b, special.log_beta(a, b), x)
                 for a in SHAPES[2:] for b in SHAPES[2:] for x in (0.05, 0.4, 0.93)],
        "normal call": [special.normal_call(a, b, x) for a in (40.0, 900.0) for b in (60.0, 3e4)
                        for x in (0.001, 0.3, 0.6)],
    }  # fmt: skip


def texts() -> dict[str, Any]:
    rows = [
        ["policy", "reward", "what it is"],
        ["ucb", "1,234", "a long text " * 9],
        ["b", "2", ""],
    ]
    return {
        "numbers": [text.format_number(sign * x) for x in NUMBERS for sign in (1, -1)],
        "six": [text.six_figures(x) for x in NUMBERS],
        "errors": [text.with_error(x, e) for x in NUMBERS[2:-2] for e in (0.0001, 0.3, 40.0)],
        "percents": [text.percent(x, d) for x in (0, 1e-4, 4e-3, 0.995, 0.9999, 1) for d in (0, 1)],
        "signed": [text.signed_percent(x) for x in (-0.5, -1e-5, 0.0, 1e-5, 0.123)],
        "ranges": [text.with_range(0.1, -0.02, x) for x in (0.1, 2.5)],
        "counted": [text.counted(n, noun) for n in (0, 1, 2, 1234) for noun in ("turn", "day")],
        "table": [text.aligned(rows, "<><"), text.wrapped("many words " * 20, "  ", 40)],
    }  # fmt: skip


CASES: Cases = {"variables": variables, "functions": functions, "texts": texts}


@pytest.mark.parametrize("name", CASES)
def test_numbers_are_those_that_were_recorded(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert_recorded(RECORDED, CASES, name)


def test_the_ends_of_what_is_allowed_are_allowed_or_not() -> None:
    assert non_negative_number("x", 0.0) == 0.0
    assert (share("x", 0), share("x", 1)) == (0.0, 1.0)
    assert whole_number("x", 3, at_least=3) == 3
    wrong: list[Any] = [
        (non_negative_number, -1e-300), (positive_number, 0.0), (share, 1.0000001), (share, -1e-9),
        (whole_number, -1), (whole_number, True), (whole_number, 2.0), (positive_number, "3"),
    ]  # fmt: skip
    for check, value in wrong:
        with pytest.raises(ValueError, match=r"^x must be "):
            check("x", value)


if __name__ == "__main__":
    record(RECORDED, CASES)
