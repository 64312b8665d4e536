"""Where numbers come from: every measured table has a row, and every row is true of its page."""

from __future__ import annotations

import ast
import re
import shlex
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest
from markdown.extensions.toc import slugify
from tests.docs.test_examples import check_words

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "research"
PAGE = FOLDER / "provenance.md"
DECIMAL = re.compile(r"\d\.\d")
COMMIT = re.compile(r"`([0-9a-f]{8})`")
QUOTED = re.compile(r"“([^”]+)”")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


class Row(NamedTuple):
    """A line of the table: where a number stands, and what printed it."""

    link: str
    what: str
    command: str
    commit: str
    cost: str
    machine: str


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split(" | ")]


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def flat(text: str) -> str:
    return " ".join(text.split())


ROWS = [Row(*cells(line)) for line in text_of(PAGE).splitlines() if line.startswith("| ")][1:]


def target(row: Row) -> tuple[Path, str]:
    """The page of a row, and the anchor in it; the README is no page of the site."""
    if row.link == "README":
        return ROOT / "README.md", ""
    [link] = re.findall(r"\]\(([^)]+)\)", row.link)
    name, _, anchor = link.partition("#")
    return (FOLDER / name).resolve(), anchor


def section(text: str, anchor: str) -> str:
    """What stands below a heading, up to the next one of its level."""
    for found in HEADING.finditer(text):
        if slugify(found[1], "-") == anchor:
            level = text[found.start() :].split(" ")[0]
            rest = text[found.end() :]
            end = re.search(rf"^#{{1,{len(level)}}} ", rest, re.MULTILINE)
            return rest[: end.start()] if end else rest
    raise AssertionError(f"no heading #{anchor}")


def tables(text: str) -> list[str]:
    """The tables of a page, each as its lines; numbers in code are not measured."""
    found = re.findall(r"(?:^ *\|.*\n?)+", text, re.MULTILINE)
    return [re.sub(r"`[^`]*`", "", table) for table in found if "---" in table]


def ids(row: Row) -> str:
    return f"{row.link} {row.what}"[:80]


@pytest.mark.parametrize("row", ROWS, ids=ids)
def test_what_a_row_quotes_stands_in_its_page(row: Row) -> None:
    page, anchor = target(row)
    text = flat(section(text_of(page), anchor) if anchor else text_of(page))
    quotes = QUOTED.findall(row.what)
    assert quotes, "quote the number, between “ and ”"
    assert [quote for quote in quotes if flat(quote) not in text] == []


def test_every_measured_table_of_these_pages_has_a_row() -> None:
    """A table with decimal fractions is measured; a row that quotes from it says how."""
    quotes: dict[Path, list[str]] = {}
    for row in ROWS:
        quotes.setdefault(target(row)[0], []).extend(map(flat, QUOTED.findall(row.what)))
    missing = [
        f"{page.name}: {table.splitlines()[0]}"
        for page, known in quotes.items()
        for table in tables(text_of(page))
        if DECIMAL.search(table) and not any(quote in flat(table) for quote in known)
    ]
    assert missing == []


@pytest.mark.parametrize("row", ROWS, ids=ids)
def test_its_command_exists_and_takes_its_options(row: Row) -> None:
    commands = re.findall(r"`([^`]+)`", row.command)
    assert commands, "name the command"
    for command in commands:
        words = shlex.split(command)
        if command.startswith(("python -m studies", "highseason ")):
            check_words(words)
        elif words[0] == "python":
            check_script(words[1:])
        else:
            path, _, test = command.partition("::")
            assert f"def {test}(" in text_of(ROOT / path), command


def check_script(words: list[str]) -> None:
    """A benchmark exists, and has the options it is called with."""
    script, options = text_of(ROOT / words[0]), [w for w in words[1:] if w.startswith("--")]
    known = {
        node.args[0].value
        for node in ast.walk(ast.parse(script))
        if isinstance(node, ast.Call)
        and getattr(node.func, "attr", "") == "add_argument"
        and isinstance(node.args[0], ast.Constant)
    }
    assert set(options) <= known, f"{words[0]} has {sorted(known)}"
    assert known or "sys.argv" in script or not words[1:], f"{words[0]} takes no arguments"


@pytest.mark.parametrize("row", ROWS, ids=ids)
def test_it_says_when_how_long_and_where(row: Row) -> None:
    commits = COMMIT.findall(row.commit)
    assert commits, "a commit is eight hexadecimal digits"
    assert DECIMAL.search(row.cost) or re.search(r"\d", row.cost) or row.cost == "not noted"
    assert row.machine
    if (ROOT / ".git").exists() and not shallow():
        # An object may lie about in one clone; only what leads to HEAD is in everybody's.
        unknown = [c for c in commits if git("merge-base", "--is-ancestor", c, "HEAD").returncode]
        assert unknown == [], "no such commit in the history"


def git(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["git", "-C", str(ROOT), *words], capture_output=True, text=True, check=False
    )


def shallow() -> bool:
    return git("rev-parse", "--is-shallow-repository").stdout.strip() != "false"


TEXT = """\
# Page

## One

| a | b |
|---|---|
| `x=0.1` | 0.5 (0.4 to 0.6) |

### Below

more

## Two

end
"""


def test_sections_and_tables_are_found() -> None:
    assert "more" in section(TEXT, "one")
    assert "end" not in section(TEXT, "one")
    assert flat(section(TEXT, "two")) == "end"
    assert tables(TEXT) == ["| a | b |\n|---|---|\n|  | 0.5 (0.4 to 0.6) |\n"]
    with pytest.raises(AssertionError, match="no heading"):
        section(TEXT, "three")
