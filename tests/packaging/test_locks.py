"""The lock files pin everything, agree with each other, and know no machine."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LOCKS = ("core", "all", "dev", "pip")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))

#: Heavy, or of use on few machines: a user asks for them by name.
APART = {"ray", "dask", "gpu", "sqlite"}

Pins = dict[str, dict[str, str]]  # name -> marker -> version


def text(lock: str) -> str:
    return (ROOT / "requirements" / f"{lock}.txt").read_text(encoding="utf-8")


def entries(lock: str) -> list[str]:
    joined = text(lock).replace("\\\n", " ")
    return [line for line in joined.splitlines() if line and not line.lstrip().startswith("#")]


def pins(lock: str) -> Pins:
    found: Pins = {}
    for entry in entries(lock):
        name, version, marker = re.match(  # type: ignore[union-attr]  # the next test says so better
            r"([a-z0-9-]+)==([^\s;]+)\s*(?:;(.*?))?\s*(?=--hash|$)", entry
        ).groups("")
        found.setdefault(name, {})[marker.strip()] = version
    return found


def names(requirements: list[str]) -> set[str]:
    return {re.split(r"[^A-Za-z0-9-]", requirement)[0].lower() for requirement in requirements}


@pytest.mark.parametrize("lock", LOCKS)
def test_every_entry_is_a_pin_with_hashes(lock: str) -> None:
    for entry in entries(lock):
        assert re.fullmatch(
            r"[a-z0-9-]+==[^\s;]+( *;[^-]*)?( +--hash=sha256:[0-9a-f]{64})+ *", entry
        ), entry[:120]


@pytest.mark.parametrize("lock", LOCKS)
def test_no_address_and_no_path(lock: str) -> None:
    assert not re.search(r"://|^-|(^|\s)[/~]", text(lock), re.MULTILINE)


def test_core_is_part_of_all_and_tools_agree() -> None:
    core, everything, dev, _ = map(pins, LOCKS)
    assert core.items() <= everything.items()
    shared = everything.keys() & dev.keys()
    for name in shared:  # a tool may need on every platform what a user needs on one
        assert set(everything[name].values()) == set(dev[name].values()), name


def test_what_the_project_asks_for_is_pinned_where_it_belongs() -> None:
    project, groups = PROJECT["project"], PROJECT["dependency-groups"]
    extras = project["optional-dependencies"]
    core = names(project["dependencies"])
    extra = set().union(
        *(names(asked) for name, asked in extras.items() if name not in APART | {"all"})
    )
    assert core <= pins("core").keys()
    assert not extra & pins("core").keys()
    assert core | extra <= pins("all").keys()
    assert names(groups["test"]) | names(groups["docs"]) <= pins("dev").keys()


def test_all_is_the_union_of_the_extras_that_are_not_apart() -> None:
    extras = PROJECT["project"]["optional-dependencies"]
    ((inside,),) = [re.findall(r"^highseason\[(.*)\]$", entry) for entry in extras["all"]]
    assert set(inside.split(",")) == extras.keys() - {"all"} - APART


#: The first releases without a fault that was published (forms: CVE-2026-53539, CVE-2026-54283).
MENDED = {"python-multipart": "0.0.30", "starlette": "1.3.1", "h11": "0.16", "jinja2": "3.1.6"}


def test_the_service_needs_releases_without_known_faults() -> None:
    needed = PROJECT["project"]["optional-dependencies"]["service"]
    for name, version in MENDED.items():
        assert f"{name}>={version}" in needed
