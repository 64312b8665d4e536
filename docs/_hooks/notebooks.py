"""Run the notebooks of examples/ without Jupyter, and show them as pages of the site.

`make examples` runs them all and stores what they show:

    python docs/_hooks/notebooks.py examples/*.ipynb
"""

from __future__ import annotations

import ast
import base64
import contextlib
import io
import json
import linecache
import os
import re
import sys
import tempfile
import types
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # running a notebook does not need it
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files

FOLDER = Path(__file__).resolve().parents[2] / "examples"

Notebook = dict[str, Any]
Output = dict[str, Any]


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add each notebook as a page, its pictures, and the notebook itself to download."""
    from mkdocs.structure.files import File

    for path in sorted(FOLDER.glob("*.ipynb")):
        page, pictures = as_page(read(path), path.stem)
        added: dict[str, str | bytes] = {path.name: path.read_bytes(), **pictures}
        added[f"{path.stem}.md"] = page
        for name, content in added.items():
            files.append(File.generated(config, f"examples/{name}", content=content))
    return files


def read(path: Path) -> Notebook:
    """The notebook in a file."""
    notebook: Notebook = json.loads(path.read_text(encoding="utf-8"))
    return notebook


def run(notebook: Notebook) -> list[list[Output]]:
    """Run the code cells in order, in one namespace and an empty folder; return their outputs."""
    module = types.ModuleType("notebook")
    sys.modules["notebook"] = module  # where dataclasses and pickle look
    try:
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            return [
                _run_cell("".join(cell["source"]), number, module)
                for number, cell in enumerate(_code_cells(notebook), 1)
            ]
    finally:
        del sys.modules["notebook"]


def store(notebook: Notebook, outputs: list[list[Output]]) -> Notebook:
    """The notebook with these outputs."""
    for number, (cell, shown) in enumerate(zip(_code_cells(notebook), outputs, strict=True), 1):
        cell |= {"execution_count": number, "outputs": shown}
    return notebook


def as_page(notebook: Notebook, name: str) -> tuple[str, dict[str, bytes]]:
    """The notebook as Markdown, and its pictures by file name."""
    parts, pictures = [], dict[str, bytes]()
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source.replace("](../docs/", "](../"))
            continue
        parts.append(f"```python\n{source}\n```")
        for output in cell["outputs"]:
            data = output.get("data", {})
            if "image/png" in data:
                file = f"{name}-{len(pictures) + 1}.png"
                pictures[file] = base64.b64decode(data["image/png"])
                parts.append(f"![{output['metadata']['image/png']['alt']}]({file})")
            elif "text/html" in data:
                parts.append(_plain_table("".join(data["text/html"])))
            else:
                shown = "".join(output.get("text") or data["text/plain"])
                parts.append(f"```text\n{shown.rstrip()}\n```")
    parts.append(f"*This page is a notebook: [download it]({name}.ipynb).*")
    return "\n\n".join(parts) + "\n", pictures


def _run_cell(source: str, number: int, module: types.ModuleType) -> list[Output]:
    file = f"<cell {number}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    tree = ast.parse(source, file)
    last, printed, value = tree.body[-1], io.StringIO(), None
    with contextlib.redirect_stdout(printed):
        if isinstance(last, ast.Expr):  # its value is the cell's
            del tree.body[-1]
        exec(compile(tree, file, "exec"), module.__dict__)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), file, "eval"), module.__dict__)
    outputs: list[Output] = []
    if lines := printed.getvalue():
        outputs.append({"name": "stdout", "output_type": "stream", "text": _lines(lines)})
    if value is not None:
        outputs.append({"execution_count": number, "output_type": "execute_result"} | _shown(value))
    return outputs


def _shown(value: Any) -> Output:
    data: dict[str, Any] = {"text/plain": _lines(repr(value))}
    if hasattr(value, "_repr_html_"):
        data["text/html"] = _lines(value._repr_html_())
    if not hasattr(value, "_repr_png_"):
        return {"data": data, "metadata": {}}
    data["image/png"] = base64.b64encode(value._repr_png_()).decode("ascii")
    return {"data": data, "metadata": {"image/png": {"alt": value.alt}}}


def _code_cells(notebook: Notebook) -> Iterator[dict[str, Any]]:
    return (cell for cell in notebook["cells"] if cell["cell_type"] == "code")


def _lines(content: str) -> list[str]:
    return content.splitlines(keepends=True)


def _plain_table(html: str) -> str:
    """HTML as the site styles it: tables without the look of pandas, and no empty lines."""
    html = re.sub(r"<style.*?</style>|</?div>", "", html, flags=re.S)
    html = re.sub(r"<table[^>]*>", "<table>", html)
    html = re.sub(r' style="text-align: \w+;"', "", html)
    return "\n".join(line.strip() for line in html.splitlines() if line.strip())


def cpu_seconds() -> float:
    """Seconds of CPU so far, of this process and of the workers that it started and that ended."""
    return sum(os.times()[:4])


def main(paths: list[str]) -> None:
    """Run notebooks, store what they show, and say how much CPU time each took."""
    for path in map(Path, paths):
        notebook, start = read(path), cpu_seconds()
        stored = json.dumps(store(notebook, run(notebook)), indent=1, ensure_ascii=False)
        path.write_text(stored + "\n", encoding="utf-8", newline="\n")
        sys.stdout.write(f"{path}: {cpu_seconds() - start:.0f} s of CPU\n")


if __name__ == "__main__":
    main(sys.argv[1:])
