"""Benchmarks are seldom run, so what they import from the package is checked here."""

from __future__ import annotations

import ast
import importlib
from pathlib import Path

OURS = ("highseason", "studies")
BENCHMARKS = sorted((Path(__file__).parents[2] / "benchmarks").glob("*.py"))


def test_what_benchmarks_import_exists() -> None:
    assert BENCHMARKS
    for path in BENCHMARKS:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(OURS):
                module = importlib.import_module(str(node.module))
                for alias in node.names:
                    if not hasattr(module, alias.name):  # then it must be a module
                        importlib.import_module(f"{node.module}.{alias.name}")
