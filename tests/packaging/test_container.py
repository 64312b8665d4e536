"""The container, as far as it can be tried without a daemon that builds images."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
PORT = re.compile(r"highseason is at http://127\.0\.0\.1:(\d+)")
STEPS = (ROOT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ").splitlines()


def steps(word: str) -> list[str]:
    return [step.removeprefix(f"{word} ") for step in STEPS if step.startswith(f"{word} ")]


def composed() -> dict:
    content = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
    return content["services"]["highseason"]


def test_the_linter_finds_nothing() -> None:
    linter = shutil.which("hadolint", path=Path(sys.executable).parent)
    if linter is None:
        pytest.skip("hadolint has no wheel for this platform")
    done = subprocess.run([linter, ROOT / "Dockerfile"], capture_output=True, text=True,
                          check=False, timeout=60)  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "")


def test_it_copies_what_exists_and_what_docker_may_see() -> None:
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    copied = {name for step in steps("COPY") if "--from" not in step for name in step.split()[:-1]}
    assert copied == {line[1:] for line in ignored if line[0] == "!"}
    assert all((ROOT / name).exists() for name in copied)


def test_it_serves_without_rights_and_with_a_read_only_root() -> None:
    assert steps("USER") == ["10001"]
    assert composed()["read_only"] is True
    assert composed()["ports"] == ["127.0.0.1:8000:8000"]
    for words in (json.loads(steps("CMD")[0]), composed()["command"]):
        options = {word for word in words if word.startswith("--")}
        done = subprocess.run([sys.executable, "-m", *words[:2], "--help"],
                              capture_output=True, text=True, check=True, timeout=120)  # fmt: skip
        assert all(option in done.stdout for option in options)


@pytest.mark.soak
def test_its_steps_make_a_service_that_is_healthy_and_writes_to_data_alone(tmp_path: Path) -> None:
    """Every step of the build, in a folder that stands for the root, and then what it starts."""
    built, data, source = tmp_path / "venv", tmp_path / "data", tmp_path / "source"
    data.mkdir()
    source.mkdir()
    stage = STEPS[: STEPS.index("", 1)]  # the first one: the second copies its result
    for step in stage:
        word, _, rest = step.partition(" ")
        if word == "COPY":
            *names, target = rest.split()
            for name in names:
                copied = source / (name if target == "./" else target)
                copied.parent.mkdir(parents=True, exist_ok=True)
                copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
                copy(ROOT / name, copied)
        elif word == "RUN":
            words = shlex.split(rest.replace("/venv", str(built)))
            program = sys.executable if words[0] == "python" else words[0]
            subprocess.run([program, *words[1:]], cwd=source, check=True, timeout=900)

    environment = {
        "PATH": f"{built / 'bin'}:/usr/bin:/bin",
        "HIGHSEASON_CACHE_DIR": str(data / "kernels"),
        "PYTHONDONTWRITEBYTECODE": "1",  # as where the root is read-only
        "HOME": "/nonexistent",
    }
    before = sorted((path, path.stat().st_mtime_ns) for path in built.rglob("*"))
    command, *words = json.loads(steps("CMD")[0])
    words[words.index("0.0.0.0")] = "127.0.0.1"  # off loopback it would ask for a token first
    service = subprocess.Popen([built / "bin" / command, *words, "--port", "0"], cwd=data,
                               env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               text=True)  # fmt: skip
    try:
        (port,) = next(found for line in service.stdout or () if (found := PORT.findall(line)))
        (check,) = steps("HEALTHCHECK")
        words = json.loads(check.partition("CMD ")[2])
        words[-1] = words[-1].replace("8000", port)
        subprocess.run([built / "bin" / words[0], *words[1:]], check=True, timeout=30)
    finally:
        service.send_signal(signal.SIGTERM)
        service.communicate(timeout=60)
    assert service.returncode in (0, -signal.SIGTERM)
    assert sorted((path, path.stat().st_mtime_ns) for path in built.rglob("*")) == before
    assert (data / "highseason.db").exists()
