"""The notebooks of examples/ run, and what is stored in them is what they show."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "examples").glob("*.ipynb"))
HOOK = runpy.run_path(str(ROOT / "docs" / "_hooks" / "notebooks.py"))
read, run, as_page, cpu_seconds = (HOOK[name] for name in ("read", "run", "as_page", "cpu_seconds"))

every_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def code_cells(path: Path) -> list[dict]:
    return [cell for cell in read(path)["cells"] if cell["cell_type"] == "code"]


def words(output: dict) -> tuple:
    """What an output says; of a picture, what it shows in words."""
    data = output.get("data", {})
    return output.get("text"), data.get("text/plain"), data.get("text/html"), output.get("metadata")


def test_there_are_five_and_the_docs_list_them() -> None:
    index = (ROOT / "docs" / "examples" / "index.md").read_text(encoding="utf-8")
    assert len(NOTEBOOKS) == 5
    assert all(f"({path.stem}.md)" in index for path in NOTEBOOKS)


@pytest.mark.usefixtures("few_games")
@every_notebook
def test_notebook_runs(path: Path) -> None:
    """With few games, so that it is quick: numbers differ, what is shown does not."""
    shown = run(read(path))
    stored = [cell["outputs"] for cell in code_cells(path)]
    assert [[output["output_type"] for output in cell] for cell in shown] == [
        [output["output_type"] for output in cell] for cell in stored
    ]


@every_notebook
def test_stored_outputs_are_those_of_one_run_with_figures(path: Path) -> None:
    cells = code_cells(path)
    assert [cell["execution_count"] for cell in cells] == [*range(1, len(cells) + 1)]
    outputs = [output for cell in cells for output in cell["outputs"]]
    pictures = [output for output in outputs if "image/png" in output.get("data", {})]
    assert len(pictures) >= 2
    assert all(picture["metadata"]["image/png"]["alt"] for picture in pictures)


@every_notebook
def test_page_shows_every_cell(path: Path) -> None:
    page, pictures = as_page(read(path), path.stem)
    assert page.startswith("# ")
    assert page.count("```python") == len(code_cells(path))
    assert all(f"]({name})" in page for name in pictures)
    assert "](../docs/" not in page


@pytest.mark.soak
@every_notebook
def test_whole_notebook_shows_what_is_stored_within_two_minutes(path: Path) -> None:
    start = cpu_seconds()
    shown = run(read(path))
    assert cpu_seconds() - start < 120
    for cell, outputs in zip(code_cells(path), shown, strict=True):
        assert [*map(words, outputs)] == [*map(words, cell["outputs"])], "".join(cell["source"])
