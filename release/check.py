"""Is this commit ready for a release?  Every check says what it saw, the last line the verdict."""

import argparse
import re
import subprocess
import sys
import tempfile
import tomllib
import venv
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path

import markdown
import yaml

ROOT = Path(__file__).resolve().parents[1]
LARGEST = 1_000_000  # bytes of a tracked file

Check = tuple[bool, str]  # whether it holds, and what was seen


def text(name: str) -> str:
    """The text of a file of the repository."""
    return (ROOT / name).read_text(encoding="utf-8")


def project() -> dict[str, object]:
    """What pyproject.toml says of the project."""
    found: dict[str, object] = tomllib.loads(text("pyproject.toml"))["project"]
    return found


def versions() -> Iterator[Check]:
    """One version in three files."""
    (package,) = re.findall(r'__version__ = "(.*)"', text("src/highseason/core/version.py"))
    seen = {
        str(project()["version"]),
        package,
        str(yaml.safe_load(text("CITATION.cff"))["version"]),
    }
    final = len(seen) == 1 and re.fullmatch(r"\d+\.\d+\.\d+(rc\d+)?", package)
    yield bool(final), f"version {', '.join(sorted(seen))}"


def changelog() -> Iterator[Check]:
    """A section for the version, with a date."""
    (version,) = re.findall(r"^\d+\.\d+\.\d+", str(project()["version"]))
    (heading,) = re.findall(rf"^## {re.escape(version)} \((.*)\)$", text("CHANGELOG.md"), re.M)
    yield bool(re.fullmatch(r"\d{4}-\d\d-\d\d", heading)), f"changelog of {version}: {heading}"


def home() -> Iterator[Check]:
    """What needs the public address, once there is one."""
    place = tomllib.loads(text("release/home.toml"))
    for key, value in place.items():
        yield bool(value), f"release/home.toml: {key} {value or 'is empty'}"
    if address := place["repository"]:
        urls = project().get("urls", {})
        yield address in str(urls), f"[project.urls] names {address}"
    if place["owners"]:
        owners = ROOT / ".github" / "CODEOWNERS"
        yield owners.is_file(), "CODEOWNERS exists"


def readme() -> Iterator[Check]:
    """The README renders, and its links to files lead somewhere."""
    page = markdown.markdown(text("README.md"), extensions=["tables", "fenced_code"])
    yield "<h1>highseason</h1>" in page and "```" not in page, "README renders"
    for link in sorted(set(re.findall(r'(?:href|src)="([^":#]+)["#]', page))):
        if not (ROOT / link).exists():
            yield False, f"README links to {link}, which does not exist"


def sizes() -> Iterator[Check]:
    """No tracked file is large."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
    paths = [ROOT / name for name in listed.stdout.decode().split("\0") if name]
    large = [path.name for path in paths if path.is_file() and path.stat().st_size > LARGEST]
    yield not large, f"tracked files over 1 MB: {', '.join(large) or 'none'}"


def licences() -> Iterator[Check]:
    """The licence of everything that a user installs with all extras."""
    for name in sorted(set(re.findall(r"^([a-z0-9-]+)==", text("requirements/all.txt"), re.M))):
        try:
            about = metadata(name)
        except PackageNotFoundError:  # for another platform
            yield True, f"licence of {name}: not installed on this platform"
            continue
        kinds = [one.rpartition(" :: ")[2] for one in about.get_all("Classifier", [])
                 if one.startswith("License ::")]  # fmt: skip
        short = (about.get("License") or "").partition("\n")[0][:60]
        licence = about.get("License-Expression") or ", ".join(kinds) or short
        yield bool(licence), f"licence of {name}: {licence or 'unknown'}"


def packages() -> Iterator[Check]:
    """The wheel, built from the source distribution, works in a clean environment."""
    with tempfile.TemporaryDirectory() as folder:
        dist, clean = Path(folder) / "dist", Path(folder) / "venv"
        run(sys.executable, "-m", "build", "--no-isolation", "--outdir", dist, ROOT)
        (wheel,), (source,) = dist.glob("*.whl"), dist.glob("*.tar.gz")
        venv.create(clean, symlinks=True)
        python = clean / ("Scripts" if sys.platform == "win32" else "bin") / "python"
        pip = (sys.executable, "-m", "pip", "--python", python, "install", "--quiet")
        run(*pip, "--require-hashes", "-r", ROOT / "requirements" / "core.txt")
        run(*pip, "--no-deps", wheel)
        printed = run(python, "-m", "highseason", "--version", cwd=folder)
        yield str(project()["version"]) in printed, f"{source.name}, {wheel.name}: {printed}"


def run(*words: str | Path, cwd: str | Path = ROOT) -> str:
    """The output of a command that must succeed."""
    done = subprocess.run(words, cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, words))} failed:\n{done.stdout}{done.stderr}")
    return done.stdout.strip()


def main() -> None:
    """Print what was seen; exit 1 unless all of it holds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--no-build", action="store_true", help="leave the packages out")
    checks = [versions, changelog, home, readme, sizes, licences, packages]
    if parser.parse_args().no_build:
        checks.remove(packages)
    seen = [found for check in checks for found in check()]
    for holds, what in seen:
        print("ok     " if holds else "MISSING", what)
    missing = sum(not holds for holds, _ in seen)
    print(f"not ready: {missing} missing" if missing else "ready")
    sys.exit(bool(missing))


if __name__ == "__main__":
    main()
