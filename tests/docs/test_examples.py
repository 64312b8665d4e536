"""Every example in README.md and docs/ runs.

A page is one session: its Python blocks and its commands (`highseason`, `python -m studies`) run in
order, in one process, one namespace and one empty folder.  A block that
cannot run says why in a comment above it:

    <!-- no-run: needs a server -->
"""

from __future__ import annotations

import re
import shlex
import sys
import textwrap
import types
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from highseason.cli import main
from studies.__main__ import command as studies

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    page for page in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))) if page.is_file()
]

FENCE = re.compile(r"^(?P<indent>[ >]*)(?P<ticks>`{3,}|~{3,})\s*(?P<language>[\w+-]*)")
NO_RUN = re.compile(r"<!--\s*no-run\b:?\s*(?P<reason>.*?)\s*-->")
COMMAND = re.compile(
    r"^(?:\$ +)?(?:\.venv/bin/)?(?P<command>(?:highseason|python -m studies)\b.*)$"
)

SHELL = ("console", "bash")
UNSEEN = {"py", "python3", "pycon", "sh", "shell", "shell-session"}  # languages nothing would run


@dataclass(frozen=True)
class Block:
    language: str
    line: int  # of its first line of code, counted from 1
    code: str
    no_run: str | None  # the reason, '' if it was left out


def blocks(text: str) -> Iterator[Block]:
    lines = text.splitlines()
    number = 0
    while number < len(lines):
        opening = FENCE.match(lines[number])
        number += 1
        if opening is None:
            continue
        start = number
        closing = re.compile(rf"^[ >]*{opening['ticks'][0]}{{{len(opening['ticks'])},}}\s*$")
        while number < len(lines) and not closing.match(lines[number]):
            number += 1
        code = textwrap.dedent("\n".join(lines[start:number]))
        yield Block(opening["language"], start + 1, code, reason_above(lines, start - 1))
        number += 1


def reason_above(lines: list[str], fence: int) -> str | None:
    above = next((line for line in reversed(lines[:fence]) if line.strip()), "")
    mark = NO_RUN.search(above)
    return mark["reason"] if mark else None


def commands(code: str) -> Iterator[str]:
    has_prompt = code.startswith("$ ")  # lines without one are what is printed
    for line in code.replace("\\\n", " ").splitlines():
        found = COMMAND.match(line.strip())
        if found and (line.startswith("$ ") or not has_prompt):
            yield found["command"]


def run_python(block: Block, page: Path, module: types.ModuleType) -> None:
    code = "\n" * (block.line - 1) + block.code  # so that a traceback shows the page's own line
    exec(compile(code, str(page), "exec"), module.__dict__)


def run_command(command: str) -> None:
    """Run a command line in this process; `> file` is all of the shell that pages may use."""
    words = shlex.split(command)
    target = words.index(">") if ">" in words else len(words)
    assert not {"|", "&&", ";", "<"} & set(words), f"write it without a shell: $ {command}"
    after = words[target + 1 : target + 2]
    program, words = program_of(words[:target])
    result = CliRunner().invoke(program, words)
    assert result.exit_code == 0, f"$ {command}\n{result.stdout}\n{result.stderr}"
    for file in after:
        Path(file).write_text(result.stdout, encoding="utf-8")


def program_of(words: list[str]) -> tuple[click.Command, list[str]]:
    """What a command line calls, and the words it is called with."""
    return (main, words[1:]) if words[0] == "highseason" else (studies, words[3:])


def name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.mark.usefixtures("undrawn", "few_games")
@pytest.mark.parametrize("page", PAGES, ids=name)
def test_page_runs_from_top_to_bottom(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    module = types.ModuleType("example")
    monkeypatch.setitem(sys.modules, "example", module)  # dataclasses and pickle look there
    for block in blocks(page.read_text(encoding="utf-8")):
        if block.no_run is not None:
            continue
        if block.language == "python":
            run_python(block, page, module)
        elif block.language in SHELL:
            for command in commands(block.code):
                run_command(command)


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_page_leaves_no_example_out_in_silence(page: Path) -> None:
    for block in blocks(page.read_text(encoding="utf-8")):
        where = f"{name(page)}:{block.line}"
        assert block.no_run != "", f"{where}: no-run without a reason"
        assert block.language not in UNSEEN, f"{where}: write ```python, ```console or ```bash"


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_command_line_is_one(page: Path) -> None:
    """Its command and options exist, also where it does not run."""
    for block in blocks(page.read_text(encoding="utf-8")):
        for line in commands(block.code) if block.language in SHELL else ():
            words = shlex.split(line, comments=True)
            check_words(words[: words.index(">")] if ">" in words else words)


def check_words(words: list[str]) -> None:
    command, words = program_of(words)
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        context = click.Context(command)
        _, command, words = command.resolve_command(context, words)
        assert command is not None
    # Words that stand for others, such as `[options]` and `…`, are for readers only.
    words = [word for word in words if not word.startswith("[") and word != "…"]
    command.make_parser(click.Context(command)).parse_args(words)


PAGE = """\
<!-- no-run: needs a server -->

```console
$ highseason serve
```

```bash
$ highseason simulate --policy ucb \\
    --json > out.json
make test
```

!!! note

    ```python
    if True:
        x = 1
    ```

<!-- no-run -->
```python
boom()
```
"""


def test_blocks_are_found() -> None:
    serve, simulate, note, boom = blocks(PAGE)
    assert (serve.language, serve.no_run) == ("console", "needs a server")
    assert list(commands(serve.code)) == ["highseason serve"]
    assert [" ".join(c.split()) for c in commands(simulate.code)] == [
        "highseason simulate --policy ucb --json > out.json"
    ]
    assert (note.code, note.line, note.no_run) == ("if True:\n    x = 1", 16, None)
    assert boom.no_run == ""
