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
    for constant in paper.all_constants():
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
    for constant in paper.all_constants():
        assert constant.source.startswith(("the text", "the authors' ", "our choice: ")), constant
        assert (
            constant.source.startswith("the authors' code")
            or re.search(place, constant.source)
            or "states none" in constant.source
            or "only asks for" in constant.source
        ), constant
    assert not re.search(r"\bline \d", "".join(map("".join, paper.all_constants())))


def of(name: str, study: str) -> set[float]:
    rows = [c for c in paper.all_constants() if c.name == name and study in c.played_in.split()]
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
            c for c in paper.all_constants()
            if re.search(rf"{table.number.partition(' and')[0]}$", c.source)
        ]  # fmt: skip
        assert set(table.published.values()) == numbers(row.value) - {0.0001}
    printed = {cell for row in paper.table_13().rows for cell in numbers(row[1])}
    rows = [c for c in paper.all_constants() if c.source == "the text, Table 13"]
    assert printed == set().union(*(numbers(c.value) for c in rows))
    assert printed == {logged.PUBLISHED_Z, 10.0, 0.011}


#: What says something about the paper with a number in it.
SAID = re.compile(
    r"(?:[Tt]he paper|[Tt]he text|Section \d[\d.]*|Appendix [A-J][.\d]*|Table 13|[Tt]he captions?)"
    r"[^.;:|\d]{0,25}? (?:has|prints|gives|says|states|asks|mentions?)\b(?:[^.;:|(]|\.\d)*"
)
PLACE = re.compile(
    r"(?:Figures?|Tables?|Sections?|Algorithms?|Appendix|Theorems?|Corollary|Lemma|Remarks?|"
    r"Propositions?|turn|JMLR) (?:[A-J]?[.\d]+(?:(?:, | and | to |–)[.\d]+)*)"
)
PAGES = [
    *(ROOT / "studies").rglob("*.j2"),
    *(ROOT / "studies").rglob("findings.py"),
    *(ROOT / "studies").rglob("claims.py"),
    *(ROOT / "docs" / "guides").glob("*.md"),
    *(ROOT / "docs" / "research").glob("*.md"),
    ROOT / "README.md",
]
PAGES.remove(ROOT / "docs" / "research" / "provenance.md")  # it quotes our pages
ALL = set().union(*(numbers(each.value) | numbers(each.source) for each in paper.all_constants()))
#: Numbers in a sentence about the paper that say how many things there are, or that are ours.
NOT_THE_PAPERS = {
    "reproduce.md": {
        11.0,
        13.0,
        15.0,
        20.0,
        72.0,
        36.0,
        108.0,
    },  # values of k that are tried; settings
    "paper.md": {35.2, 30.75},  # what two of its rules give on a wave
}


def said(path: Path) -> set[float]:
    """The numbers that a page attributes to the paper: in quotations, and in what it says of it."""
    text = " ".join(re.sub(r"<[^>]+>|{%.*?%}|{{.*?}}|\s+", " ", path.read_text("utf-8")).split())
    parts = [match[0] for match in SAID.finditer(text)] + re.findall("“[^”]{9,}”", text)
    return set().union(*(numbers(PLACE.sub("", part)) for part in parts)) if parts else set()


def test_every_number_that_a_page_attributes_to_the_paper_is_in_the_table() -> None:
    found = {path.name: said(path) for path in PAGES}
    assert {68.0, 10.0, 80.0, 25.0, 500.0} <= found["claims.py"]
    for path in PAGES:
        unknown = said(path) - ALL - NOT_THE_PAPERS.get(path.name, set())
        assert not unknown, (path, unknown)
