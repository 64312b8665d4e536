"""The files that a release and its readers need, and the check that looks at them."""

from __future__ import annotations

import os
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


@pytest.mark.parametrize(
    ("schema", "files"),
    [
        ("github-workflows", ".github/workflows/*.yml"),
        ("github-issue-forms", ".github/ISSUE_TEMPLATE/[!c]*.yml"),
        ("github-issue-config", ".github/ISSUE_TEMPLATE/config.yml"),
        ("compose-spec", "compose.yaml"),
        ("citation-file-format", "CITATION.cff"),
    ],
)
def test_files_of_others_formats_follow_their_schemas(schema: str, files: str) -> None:
    paths = sorted(ROOT.glob(files))
    words = ["-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}", *paths]
    done = subprocess.run([sys.executable, *words], capture_output=True, text=True,
                          check=False, timeout=120)  # fmt: skip
    assert paths
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_paper_is_cited() -> None:
    (paper,) = load("CITATION.cff")["references"]
    assert [author["family-names"] for author in paper["authors"]] == ["Tracà", "Rudin", "Yan"]


def test_the_hook_before_a_commit_is_make_lint() -> None:
    (local,) = load(".pre-commit-config.yaml")["repos"]
    (hook,) = local["hooks"]
    assert (hook["entry"], hook["language"]) == ("make lint", "system")


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


def test_the_release_job_reads_its_environment_from_the_public_home(
    tmp_path: Path,
) -> None:
    (tmp_path / "release").mkdir()
    (tmp_path / "release" / "home.toml").write_text('environment = "pypi"  # which\n', "utf-8")
    jobs = load(".github/workflows/release.yml")["jobs"]
    (step,) = [step for step in jobs["build"]["steps"] if step.get("id") == "home"]
    subprocess.run(["bash", "-c", step["run"]], cwd=tmp_path, check=True, timeout=60,
                   env={**os.environ, "GITHUB_OUTPUT": str(tmp_path / "output")})  # fmt: skip
    assert (tmp_path / "output").read_text(encoding="utf-8") == "environment=pypi\n"
    assert jobs["publish"]["environment"] == "${{ needs.build.outputs.environment }}"


def test_every_supported_python_is_tested_on_linux() -> None:
    supported = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    minors = [one.rpartition(" :: ")[2] for one in supported["classifiers"] if ":: 3." in one]
    assert set(minors) <= set(
        load(".github/workflows/ci.yml")["jobs"]["test"]["strategy"]["matrix"]["python"]
    )
