"""From the paper to here: the page has everything of the paper, and everything on it exists."""

from __future__ import annotations

import ast
import inspect
import itertools
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from markdown.extensions.toc import slugify

import highseason as hs
from highseason.cli import main
from studies import STUDIES
from studies.paper import CITATION, ITEMS

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "research"
PAGE = (FOLDER / "paper.md").read_text(encoding="utf-8")
ROWS = [
    [cell.strip() for cell in line.strip("|").split(" | ")]
    for line in PAGE.splitlines()
    if line.startswith("| ") and not line.startswith("| in the paper")
]
FIRST = [row[0] for row in ROWS]
#: One sequence, as the journal's style counts them.
KIN = {
    "Theorem": (1, 2, 4, 5, 7, 8, 9, 10, 12, 13, 27),
    "Corollary": (3, 17, 18, 19),
    "Lemma": (6, 22, 23),
    "Remark": (11, 15, 16),
    "Proposition": (14, 20, 21, 24, 25, 26),
}
SECTIONS = (
    "1 2 3 3.1 3.2 3.2.1 3.2.2 3.3 3.3.1 3.4 3.4.1 3.4.2 3.5 3.6 4 5 6 6.1 6.2 7 "
    "A B C D E F G H H.1 H.2 I I.1 I.2 J"
).split()
#: The notation of Appendix J, and the letters of the sections that it leaves out.
SYMBOLS = (
    "β_j(t̃) β_j^S(t) β_j^old(t) β_j^U(t) β_j^VP(t) β_j^M B c Δ_j Δ_{j,z} d ε_t E_j γ G(t) I_t i*_t "
    "k L_j L_j^z l_j l_j^z μ_* m m_t M_t n ñ n′ ψ(t) ψ_future R_n score_j s_j s_j^z T_j(t−1) t̃ w "
    "ξ(t) ξ_present(t) X_j(t) X̂_j Y_k z H(t) λ_t G′(t) x_n φ τ r M_I"
).split()


def test_the_sequence_has_no_gap() -> None:
    assert sorted(n for numbers in KIN.values() for n in numbers) == list(range(1, 28))


def test_nothing_of_the_paper_is_missing() -> None:
    wanted = [f"Algorithm {n}" for n in range(1, 10)]
    wanted += [f"{kind} {n}" for kind, numbers in KIN.items() for n in numbers]
    wanted += [f"{'Section' if n[0].isdigit() else 'Appendix'} {n}" for n in SECTIONS]
    map_rows = FIRST[: FIRST.index(ITEMS[0].number)]
    assert sorted(map_rows) == sorted(wanted)


def test_figures_and_tables_are_all_there_with_their_commands() -> None:
    rows = [" | ".join(row).replace("`", "") for row in ROWS if row[0].startswith(("Fig", "Tab"))]
    assert rows == [" | ".join(item) for item in ITEMS]
    for kind, last in (("Figure", 70), ("Table", 13)):
        numbers: list[int] = []
        for item in ITEMS:
            if item.number.startswith(kind):
                for part in re.findall(r"\d+(?:–\d+)?", item.number):
                    first, _, end = part.partition("–")
                    numbers += range(int(first), int(end or first) + 1)
        assert sorted(numbers) == list(range(1, last + 1))


def test_every_symbol_is_explained() -> None:
    section = PAGE[PAGE.index("## Symbols") : PAGE.index("## Readings")]
    column = "\n".join(line.split(" | ")[0] for line in section.splitlines())
    missing = [s for s in SYMBOLS if not re.search(rf"`{re.escape(s)}[`(]", column)]
    assert missing == []


def resolved(name: str) -> Any:
    if name.startswith("studies."):
        return pkgutil.resolve_name(name)
    found: Any = hs
    for part in name.split(".")[1:]:
        found = getattr(found, part)
    return found


def test_everything_named_exists() -> None:
    for code in sorted(set(re.findall(r"`([^`]+)`", PAGE))):
        word, *rest = code.split()
        if word.startswith(("hs.", "studies.")):
            assert resolved(word.partition("(")[0]) is not None, code
        elif word == "highseason":
            command = main.get_command(click.Context(main), rest[0])
            assert command is not None, code
            if "-p" in rest:
                hs.policies.find(rest[rest.index("-p") + 1])
        elif code.startswith("python -m studies"):
            assert rest[2] in STUDIES, code
        elif "::" in code:
            path, _, test = code.partition("::")
            assert f"def {test}(" in (ROOT / path).read_text(encoding="utf-8"), code
        elif "/" in code and "." in code:
            assert (ROOT / code).is_file(), code


@pytest.mark.parametrize("target", sorted(set(re.findall(r"\]\(([^)]+)\)", PAGE))))
def test_every_link_leads_somewhere(target: str) -> None:
    if target.startswith("https://"):
        return
    name, _, anchor = target.partition("#")
    text = (FOLDER / name).read_text(encoding="utf-8") if name else PAGE
    heads = {slugify(h, "-") for h in re.findall(r"^#+ (.+)$", text, re.MULTILINE)}
    assert not anchor or anchor in heads, heads


def docstrings() -> Iterator[str]:
    """Of every class and function of the package, and of the paper's study."""
    ours = (ROOT / "src" / "highseason", ROOT / "studies" / "simulated")
    for path in itertools.chain.from_iterable(folder.rglob("*.py") for folder in ours):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef | ast.FunctionDef):
                yield " ".join((ast.get_docstring(node) or "").split())


def numbers_named(kind: str, texts: Iterator[str]) -> set[int]:
    plural = rf"(?:{kind}|{kind}s|{kind[:-1]}ies) (\d+(?:(?:, | and )\d+)*)"
    return {
        int(n) for text in texts for listed in re.findall(plural, text)
        for n in re.findall(r"\d+", listed)
    }  # fmt: skip


def test_classes_and_functions_name_their_numbers() -> None:
    texts = list(docstrings())
    assert numbers_named("Algorithm", iter(texts)) == set(range(1, 10))
    for kind in ("Theorem", "Corollary", "Lemma", "Remark"):  # propositions are tests
        assert numbers_named(kind, iter(texts)) == set(KIN[kind]), kind


@pytest.mark.parametrize(
    "row", [r for r in ROWS if r[0].split()[0] in ("Algorithm", *KIN)], ids=" ".join
)
def test_what_a_row_names_has_its_number(row: list[str]) -> None:
    kind, number = row[0].split()
    names = [n for n in re.findall(r"`((?:hs|studies)\.[\w.]+)", row[2]) if n != "hs.bounds.regret"]
    for name in names:
        text = " ".join((inspect.getdoc(resolved(name)) or "").split())
        assert int(number) in numbers_named(kind, iter([text])), name


def test_the_paper_is_cited() -> None:
    assert CITATION.rstrip(".") in " ".join(PAGE.split())
