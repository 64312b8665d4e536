"""The files that a release and its readers need, and the check that looks at them."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]


def load(name: str) -> dict:
    return yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))


def test_release_check_names_what_the_public_home_lacks() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "release" / "check.py", "--no-build"],
        capture_output=True, text=True, encoding="utf-8", check=False, timeout=120,
    )  # fmt: skip
    lines = done.stdout.splitlines()
    home = tomllib.loads((ROOT / "release" / "home.toml").read_text(encoding="utf-8"))
    missing = [line for line in lines if line.startswith("MISSING")]
    empty = [f"MISSING release/home.toml: {key} is empty" for key in home if not home[key]]
    assert [line for line in missing if "home.toml" in line] == empty
    assert all("home.toml" in line or "changelog" in line for line in missing), missing
    assert done.returncode == bool(missing), done.stderr
    assert any("licence of numpy: BSD" in line for line in lines)


def test_the_citation_has_what_its_format_requires() -> None:
    citation = load("CITATION.cff")
    assert citation.keys() >= {"cff-version", "message", "title", "authors"}
    assert citation["cff-version"] == "1.2.0"
    (paper,) = citation["references"]
    assert [author["family-names"] for author in paper["authors"]] == ["Tracà", "Rudin", "Yan"]


def test_hooks_run_what_make_lint_runs() -> None:
    (local,) = load(".pre-commit-config.yaml")["repos"]
    hooks = [hook["entry"].removeprefix(".venv/bin/") for hook in local["hooks"]]
    recipe = subprocess.run(
        ["make", "-n", "-o", ".venv/.ready", "lint"], cwd=ROOT, capture_output=True, text=True,
        check=True,
    ).stdout.splitlines()  # fmt: skip
    assert hooks == [line.removeprefix(".venv/bin/") for line in recipe if "bin/" in line]


@pytest.mark.parametrize("form", ["bug", "idea"])
def test_issue_forms_have_what_their_format_requires(form: str) -> None:
    content = load(f".github/ISSUE_TEMPLATE/{form}.yml")
    assert content.keys() >= {"name", "description", "body"}
    ids = [field.get("id") for field in content["body"] if field["type"] != "markdown"]
    assert len(set(ids)) == len(ids)
    assert None not in ids
