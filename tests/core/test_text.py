"""Text for people: what the examples of the module do not show."""

from __future__ import annotations

import math

import pytest

from highseason.core import text
from highseason.core.specs import did_you_mean, unique_labels


@pytest.fixture(autouse=True)
def a_narrow_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "24")


def test_paragraphs_fill_the_terminal_and_keep_words_whole() -> None:
    words = "plays option-index with-a-word-too-long-to-fit once more"
    assert text.wrapped(f"{words}\nlast", indent=" ").split("\n") == [
        "plays option-index",
        " with-a-word-too-long-to-fit",
        " once more",
        "last",
    ]
    assert text.wrapped("one two three", width=7) == "one two\nthree"
    assert text.wrapped("one two three four fives six") == "one two three four fives\nsix"


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (  # a head is folded first
            [("share of turns", "mean reward of all"), ("7", "1,234")],
            [
                "share of     mean reward",
                "turns             of all",
                "-",
                "7                  1,234",
            ],
        ),
        (  # then text, at its spaces
            [("policy", "reward"), ("the one that explores on Sundays", "123,456,789")],
            [
                "policy            reward",
                "-",
                "the one      123,456,789",
                "that",
                "explores on",
                "Sundays",
            ],
        ),
        (  # then whatever is longest
            [("a", "b"), ("x" * 30, "y")],
            ["a                      b", "-", "x" * 21 + "  y", "x" * 9],
        ),
        (  # and what fits is as wide as its widest cell
            [("policy", "reward"), ("ucb", "7"), ("greedy ones", "12")],
            ["policy       reward", "-" * 19, "ucb               7", "greedy ones      12"],
        ),
    ],
)
def test_tables_fit_the_terminal(rows: list[tuple[str, str]], expected: list[str]) -> None:
    lines = ["─" * max(24 * (line == "-"), len(line)) if "-" in line else line for line in expected]
    assert text.aligned(rows, "<>").split("\n") == lines


def test_a_column_is_folded_after_marks_but_not_inside_a_number() -> None:
    assert text._fold("ucb-z:z=1,234,P=2", 10) == ["ucb-z:", "z=1,234,", "P=2"]
    assert text._fold("abcdefghij", 4) == ["abcd", "efgh", "ij"]
    assert text._fold("ab cdef", 4) == ["ab", "cdef"]
    assert text._longest("ucb-z:z=1,234,P=2") == 8
    assert text._longest("") == 0


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (text.format_number(999.96), "1000"),
        (text.format_number(-1000.4), "-1,000"),
        (text.format_number(math.inf), "–"),
        (text.six_figures(1e6), "1,000,000"),
        (text.six_figures(999_999.5), "1e+06"),
        (text.six_figures(1e12), "1e+12"),
        (text.with_error(7.04, 0.0), "7.04 ± 0"),
        (text.with_error(7.04, 1.0), "7.0 ± 1.0"),
        (text.with_error(7035.2, 10.0), "7,035 ± 10"),
        (text.with_error(7035.2, 1893.0), "7,035 ± 1,893"),
        (text.percent(0.005), "0%"),
        (text.percent(0.0049), "under 1%"),
        (text.percent(0.995), "100%"),
        (text.percent(0.9951), "over 99%"),
        (text.percent(0.0004, 1), "under 0.1%"),
        (text.percent(0.9996, 1), "over 99.9%"),
        (text.percent(0.4567, 1), "45.7%"),
        (text.percent(math.nan), "–"),
        (text.signed_percent(-0.0316, 2), "-3.16%"),
        (text.with_range(0.031, -0.02, 0.0421, 2), "+3.10% (-2.00 to +4.21)"),
        (text.formatted(0, "+d"), "+0"),
        (text.formatted("", ""), ""),
        (text.listed([]), ""),
        (text.counted(0, "turn"), "0 turns"),
        (text.plain((math.inf, 1.5, "text")), [None, 1.5, "text"]),
        (text.exact(False), "false"),
        (text.exact(7), "7"),
    ],
)
def test_numbers_and_words(written: object, expected: object) -> None:
    assert written == expected


def test_names_are_suggested_or_listed() -> None:
    many = [f"name{i}" for i in range(41)]
    assert did_you_mean("zz", many).endswith("name39, ….")
    assert did_you_mean("zz", many[:40]).endswith("name38, name39.")
    assert did_you_mean("abcd", ["abxy"]) == "Did you mean 'abxy'?"
    assert did_you_mean("abcde", ["abxyz"]) == "Choose from: abxyz."
    assert did_you_mean("a", []) == "There are none."
    assert unique_labels(["a", "b", "a", "a"]) == ("a", "b", "a (2)", "a (3)")
