"""What each extra installs: packages and megabytes, beside what the core brings.

    .venv/bin/python benchmarks/weights.py

It measures the files of this environment, without bytecode; docs/guides/install.md has its table.
"""

import re
import tomllib
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement

PROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text("utf-8"))[
    "project"
]


def needed(requirements: list[str]) -> set[str]:
    """The names of these packages and of all that they need on this platform."""
    found: set[tuple[str, str]] = set()
    queue = [Requirement(text) for text in requirements]
    while queue:
        asked = queue.pop()
        for extra in ("", *asked.extras):
            key = (re.sub(r"[-_.]+", "-", asked.name).lower(), extra)
            if key in found or (asked.marker and not asked.marker.evaluate({"extra": ""})):
                continue
            found.add(key)
            for text in distribution(asked.name).requires or []:
                below = Requirement(text)
                if below.marker is None or below.marker.evaluate({"extra": extra}):
                    queue.append(Requirement(re.sub(r";.*", "", text)))
    return {name for name, _ in found}


def megabytes(names: set[str]) -> float:
    """The size of the installed files."""
    paths = {path.locate() for name in names for path in distribution(name).files or []}
    files = [path for path in paths if path.suffix != ".pyc" and path.is_file()]
    return sum(path.stat().st_size for path in files) / 1e6


def row(title: str, names: set[str], core: set[str]) -> str:
    """A line of the table: what comes on top of the core, largest first."""
    added = names - core
    largest = sorted(added, key=lambda name: -megabytes({name}))[:3]
    shown = ", ".join(f"{name} {megabytes({name}):.0f}" for name in largest)
    return f"| {title} | {len(added)} | {megabytes(added):.0f} | {shown} |"


def main() -> None:
    core = needed(PROJECT["dependencies"])
    print("| | packages | MB | the largest |\n|---|---|---|---|")
    print(row("the core", core, set()))
    extras = PROJECT["optional-dependencies"]
    inside = re.findall(r"\w+", extras["all"][0])[1:]
    everything = [text for name in inside for text in extras[name]]
    for name, asked in {**extras, "all": everything}.items():
        try:
            print(row(f"`[{name}]`", needed(asked), core))
        except PackageNotFoundError as missing:
            print(f"| `[{name}]` | | | not measured: {missing.name} is not installed here |")


if __name__ == "__main__":
    main()
