"""The files that a release and its readers need, and the check that looks at them."""

from __future__ import annotations

import json
import re
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


def test_the_hook_before_a_commit_is_make_lint() -> None:
    (local,) = load(".pre-commit-config.yaml")["repos"]
    (hook,) = local["hooks"]
    assert (hook["entry"], hook["language"]) == ("make lint", "system")


@pytest.mark.parametrize("form", ["bug", "idea"])
def test_issue_forms_have_what_their_format_requires(form: str) -> None:
    content = load(f".github/ISSUE_TEMPLATE/{form}.yml")
    assert content.keys() >= {"name", "description", "body"}
    ids = [field.get("id") for field in content["body"] if field["type"] != "markdown"]
    assert len(set(ids)) == len(ids)
    assert None not in ids


def test_workflows_call_targets_that_make_has() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M))
    called = set()
    for path in sorted((ROOT / ".github" / "workflows").glob("*.yml")):
        workflow = yaml.safe_load(path.read_text(encoding="utf-8"))
        assert workflow["permissions"] == {"contents": "read"}, path.name
        for job in workflow["jobs"].values():
            lines = [step.get("run", "") for step in job.get("steps", [])]
            called |= {
                word for line in lines if line.startswith("make ") for word in line.split()[1:]
            }
    assert called <= targets
    assert called >= {"lint", "docs", "test-suite", "test-nojit", "test-wheel", "test-lowest"}
    assert "release-check" in called


def test_every_supported_python_is_tested_on_linux() -> None:
    supported = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    minors = [one.rpartition(" :: ")[2] for one in supported["classifiers"] if ":: 3." in one]
    assert set(minors) <= set(
        load(".github/workflows/ci.yml")["jobs"]["test"]["strategy"]["matrix"]["python"]
    )


def test_the_container_copies_what_exists_and_starts_a_command_that_exists() -> None:
    steps = (ROOT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ").splitlines()
    kept = {
        line[1:]
        for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
        if line[0] == "!"
    }
    copied = {name for step in steps if step.startswith("COPY ") and "--from" not in step
              for name in step.split()[1:-1]}  # fmt: skip
    assert copied == kept
    assert all((ROOT / name).exists() for name in copied)
    assert steps.index("USER shop") < steps.index("WORKDIR /data")
    served = json.loads(steps[-1].removeprefix("CMD "))
    composed = load("compose.yaml")["services"]["highseason"]
    for words in (served, composed["command"]):
        options = {word for word in words if word.startswith("--")}
        done = subprocess.run([sys.executable, "-m", *words[:2], "--help"],
                              capture_output=True, text=True, check=True, timeout=120)  # fmt: skip
        assert all(option in done.stdout for option in options)
    assert composed["read_only"] is True
    assert composed["ports"] == ["127.0.0.1:8000:8000"]
