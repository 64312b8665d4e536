"""The table of the paper's constants: complete, and what studies play is what it says."""

from __future__ import annotations

import re
from pathlib import Path

from studies import paper
from studies.logged import settings as logged
from studies.simulated import settings as simulated

ROOT = Path(__file__).parents[2]
#: The journal numbers theorems, lemmas, corollaries, propositions and remarks in one sequence.
THEOREMS = (1, 2, 4, 5, 7, 8, 9, 10, 12, 13, 27)


def numbers(text: str) -> set[float]:
    """The numbers in a text; a percentage is that number."""
    return {float(n.replace(",", "")) for n in re.findall(r"(?<![\w.])\.?\d[\d,]*(?:\.\d+)?", text)}


def sources(kind: str) -> set[int]:
    """The numbers of the algorithms, theorems or tables that have a row."""
    found: set[int] = set()
    for constant in paper.CONSTANTS:
        if not constant.source.startswith("the text"):
            continue
        for listed in re.findall(rf"{kind}s? ([\d, and]+)", constant.source):
            found |= {int(n) for n in re.findall(r"\d+", listed)}
    return found


def test_every_algorithm_theorem_and_table_has_its_row() -> None:
    assert sources("Algorithm") == set(range(1, 10))
    assert sources("Theorem") == set(THEOREMS)
    assert sources("Table") == set(range(1, 14))


def test_every_row_says_where_it_comes_from() -> None:
    place = r"Section|Algorithm|Theorem|Table|Figure|Appendix"
    for constant in paper.CONSTANTS:
        assert constant.source.startswith(("the text", "the authors' ", "our choice: ")), constant
        assert (
            constant.source.startswith("the authors' code")
            or re.search(place, constant.source)
            or "states none" in constant.source
            or "only asks for" in constant.source
        ), constant
    assert not re.search(r"\bline \d", "".join(map("".join, paper.CONSTANTS)))


def of(name: str, study: str) -> set[float]:
    rows = [c for c in paper.CONSTANTS if c.name == name and study in c.played_in.split()]
    assert len(rows) == 1, name
    return numbers(rows[0].value)


def test_the_simulated_study_plays_what_its_rows_say() -> None:
    assert of("games", "simulated") == {simulated.GAMES}
    assert of("arms; turns", "simulated") == {*simulated.ARMS, *simulated.TURNS}
    assert of("sigma", "simulated") == {law.sigma for law in simulated.LAWS if law.sigma}
    assert of("z", "simulated") == {simulated.Z}
    assert of("k", "simulated") == {paper.K}
    assert {paper.SOFT * 100, *(100 * end for end in paper.RANGE)} <= of(
        "increase in rewards", "simulated"
    )


def test_the_logged_study_plays_what_its_rows_say() -> None:
    full = logged.FULL
    assert of("k of the ε policies on the log", "logged") == {logged.NOTEBOOK_K}
    assert of("the slice and its articles", "logged") == {
        *logged.PUBLISHED_SLICE, logged.FIXED_ARMS
    }  # fmt: skip
    assert of("windows", "logged") == {full.window, full.step}
    assert of("runs", "logged") == {full.runs}
    assert of("turns of a run", "logged") == {logged.EPSILON.turns, logged.MORTAL.turns}
    assert of("turns of the UCB means of Table 5", "logged") == {logged.UCBS.turns}
    for table in logged.TABLES:
        (row,) = [
            c for c in paper.CONSTANTS
            if re.search(rf"{table.number.partition(' and')[0]}$", c.source)
        ]  # fmt: skip
        assert set(table.published.values()) == numbers(row.value) - {0.0001}
    printed = {cell for row in paper.table_13().rows for cell in numbers(row[1])}
    rows = [c for c in paper.CONSTANTS if c.source == "the text, Table 13"]
    assert printed == set().union(*(numbers(c.value) for c in rows))
    assert printed == {logged.PUBLISHED_Z, 10.0, 0.011}
