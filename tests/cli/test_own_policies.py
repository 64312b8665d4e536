"""Policies of one's own on the command line: from a file, and from an installed package."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
GUIDE = (ROOT / "docs" / "guides" / "your-own-policy.md").read_text(encoding="utf-8")
EXAMPLE = re.findall(r"```python\n(.+?)```", GUIDE, re.DOTALL)[0]
[COMMAND] = re.findall(r"^\$ highseason (simulate --import .+)$", GUIDE, re.MULTILINE)
[ENTRY] = re.findall(r'^only-when-quietest = "(.+)"$', GUIDE, re.MULTILINE)


def test_a_file_is_imported(tmp_path: Path, run: Callable[..., Any]) -> None:
    (tmp_path / "my_policy.py").write_text(EXAMPLE, encoding="utf-8")
    words = COMMAND.replace("--games 100", "--games 5 --executor serial").split()
    answer = run(*words)
    assert answer.code == 0, answer.stderr
    assert "quietest" in answer.stdout
    shown = run("policies", "only-when-quietest", "--import", "my_policy.py")
    assert "probability of a random arm in a quiet turn" in shown.stdout


def test_what_cannot_be_imported_is_one_line(tmp_path: Path, run: Callable[..., Any]) -> None:
    (tmp_path / "broken.py").write_text("1 / 0\n", encoding="utf-8")
    answer = run("policies", "--import", "broken.py")
    assert answer.code == 2
    assert "broken.py fails with ZeroDivisionError: division by zero" in answer.line
    (tmp_path / "of").mkdir()
    (tmp_path / "of" / "json.py").write_text("", encoding="utf-8")
    answer = run("policies", "--import", "of/json.py")
    assert "another module is called 'json': rename of/json.py" in answer.line
    answer = run("policies", "--import", "nowhere.py")
    assert answer.code == 2


def installed(folder: Path, source: str) -> dict[str, str]:
    """The path to a package with the guide's entry point, as installed."""
    package, _, rest = ENTRY.partition(".")
    (folder / package).mkdir()
    (folder / package / "__init__.py").write_text("")
    (folder / package / f"{rest.partition(':')[0]}.py").write_text(source, encoding="utf-8")
    info = folder / f"{package}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[highseason.policies]\nonly-when-quietest = {ENTRY}\n")
    return {"PYTHONPATH": f"{ROOT / 'src'}:{folder}"}


def test_an_installed_package_adds_policies(tmp_path: Path, run: Callable[..., Any]) -> None:
    path = installed(tmp_path, EXAMPLE)
    assert "only-when-quietest" in run("policies", **path).stdout
    words = "plan -p only-when-quietest --arms 3 --turns 9".split()
    assert run(*words, **path).code == 0


def test_a_package_that_fails_is_named(tmp_path: Path, run: Callable[..., Any]) -> None:
    path = installed(tmp_path, "import nowhere_to_be_found\n")
    answer = run("policies", "only-when-quietest", **path)
    assert answer.code == 1
    assert "my_package adds the policy 'only-when-quietest'" in answer.line
    assert run("policies", "ucb", **path).code == 0  # a name that is known needs none of them
