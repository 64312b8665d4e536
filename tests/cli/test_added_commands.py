"""Commands of other packages: found by their entry points, and imported when they are called."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
GUIDE = (ROOT / "docs" / "guides" / "command-line.md").read_text(encoding="utf-8")
SECTION = GUIDE.partition("## A command of")[2]
EXAMPLE, TABLE = re.findall(r"```(?:python|toml)\n(.+?)```", SECTION, re.DOTALL)


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A folder with a package that adds `busiest`, as installed."""
    [entry] = re.findall(r'^(\w+) = "(.+)"', TABLE, re.MULTILINE)
    (tmp_path / "shop_tools").mkdir()
    (tmp_path / "shop_tools" / "__init__.py").write_text("import pandas\n")
    (tmp_path / "shop_tools" / "commands.py").write_text(EXAMPLE)
    (tmp_path / "shop_tools-1.0.dist-info").mkdir()
    metadata = {
        "METADATA": "Metadata-Version: 2.1\nName: shop-tools\nVersion: 1.0\n",
        "entry_points.txt": f"[highseason.commands]\n{entry[0]} = {entry[1]}\n",
    }
    for name, text in metadata.items():
        (tmp_path / "shop_tools-1.0.dist-info" / name).write_text(text)
    return tmp_path


def with_path(folder: Path) -> dict[str, str]:
    return {"PYTHONPATH": f"{ROOT / 'src'}:{folder}"}


def test_the_command_of_the_guide_runs(package: Path, run: Callable[..., Any]) -> None:
    answer = run("busiest", "--turns", "40", **with_path(package))
    assert (answer.code, answer.stderr) == (0, "")
    assert re.fullmatch(r"turn \d+\n", answer.stdout)
    assert run("busiest", "--json", **with_path(package)).stdout.startswith('{"turn": ')
    assert run("busiest", "--turns", "x", **with_path(package)).code == 2


def test_help_lists_it_and_imports_nothing(package: Path, run: Callable[..., Any]) -> None:
    (package / "shop_tools" / "__init__.py").write_text("raise SystemExit('imported')")
    answer = run("--help", **with_path(package))
    assert (answer.code, answer.stderr) == (0, "")
    assert re.search(r"^  busiest +Say which turn is busiest", answer.stdout, re.MULTILINE)
    assert re.search(r"^  simulate ", answer.stdout, re.MULTILINE)


@pytest.mark.parametrize("fault", ["import no_such_module", "1 / 0", "def"])
def test_a_command_that_cannot_be_loaded_breaks_nothing_else(
    package: Path, run: Callable[..., Any], fault: str
) -> None:
    (package / "shop_tools" / "commands.py").write_text(fault)
    answer = run("--help", **with_path(package))
    assert (answer.code, answer.stderr) == (0, "")
    assert ("(cannot be read: SyntaxError)" in answer.stdout) == (fault == "def")
    assert run("policies", **with_path(package)).code == 0
    called = run("busiest", **with_path(package))
    assert called.code == 1
    assert called.line.startswith("highseason: shop-tools adds 'busiest', which cannot be loaded (")
    assert "upgrade or uninstall shop-tools" in called.line


def test_a_package_that_is_half_uninstalled_breaks_nothing_else(
    package: Path, run: Callable[..., Any]
) -> None:
    (package / "shop_tools" / "commands.py").unlink()
    answer = run("--help", **with_path(package))
    assert (answer.code, answer.stderr) == (0, "")
    assert "(cannot be read: ModuleNotFoundError)" in answer.stdout
    assert "No module named 'shop_tools.commands'" in run("busiest", **with_path(package)).line


def test_our_commands_win(package: Path, run: Callable[..., Any]) -> None:
    points = package / "shop_tools-1.0.dist-info" / "entry_points.txt"
    points.write_text("[highseason.commands]\npolicies = shop_tools.commands:command\n")
    assert "soft-ucb" in run("policies", **with_path(package)).stdout
