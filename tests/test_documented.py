"""Undocumented means failing: commands, options and policies are all explained somewhere."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import click
import pytest

from highseason import policies
from highseason.cli import main

ROOT = Path(__file__).resolve().parents[1]


def walk(command: click.Command, path: str) -> Iterator[tuple[str, click.Command]]:
    yield path, command
    if isinstance(command, click.Group):
        context = click.Context(command, info_name=path)
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None, f"{path} lists {name}, but does not have it"
            if not below.hidden:
                yield from walk(below, f"{path} {name}")


COMMANDS = dict(walk(main, "highseason"))
LEAVES = {path: c for path, c in COMMANDS.items() if not isinstance(c, click.Group)}
OPTIONS = {
    f"{path} {option.opts[0]}": option
    for path, command in COMMANDS.items()
    for option in command.params
    if isinstance(option, click.Option) and not option.hidden
}
POLICIES = {  # ours; a policy defined in some test or example is not
    name: policy
    for name, policy in policies.registry().items()
    if policy.__module__.startswith("highseason.")
}


@pytest.fixture(scope="module")
def written() -> str:
    """All that people wrote, which leaves out the generated reference."""
    pages = (ROOT / "README.md", *(ROOT / "docs").rglob("*.md"))
    return "\n".join(page.read_text(encoding="utf-8") for page in pages if page.is_file())


@pytest.mark.parametrize("path", LEAVES)
def test_command_is_in_the_docs(path: str, written: str) -> None:
    assert re.search(rf"\b{re.escape(path)}\b(?!-)", written), f"no page mentions `{path}`"


@pytest.mark.parametrize("path", LEAVES)
def test_command_shows_an_example(path: str) -> None:
    text = LEAVES[path].get_help(click.Context(LEAVES[path], info_name="USAGE"))
    assert path in text, f"`{path} --help` shows no example"


@pytest.mark.parametrize("path", OPTIONS)
def test_option_says_what_it_does(path: str) -> None:
    assert OPTIONS[path].help, f"`{path}` has no help"


@pytest.mark.parametrize("name", POLICIES)
def test_policy_shows_an_example(name: str) -> None:
    assert ">>>" in (inspect.getdoc(POLICIES[name]) or "")


@pytest.mark.parametrize("name", POLICIES)
def test_policy_explains_its_parameters(name: str) -> None:
    silent = [
        entry.name
        for entry in fields(POLICIES[name])
        if not ("limits" in entry.metadata and entry.metadata["limits"].doc)
    ]
    assert not silent, f"nothing is said of {', '.join(silent)}"


@pytest.mark.parametrize("name", POLICIES)
def test_policy_has_its_source_beside_it(name: str) -> None:
    """In the module of its family, with a link; a limit on switching implements nobody's text."""
    module = inspect.getmodule(POLICIES[name])
    _, _, references = (inspect.getdoc(module) or "").partition("References:\n")
    assert "https://" in references or name == "limit-switching"


def test_parameters_show_what_they_may_be_and_their_default() -> None:
    described = inspect.getdoc(POLICIES["epsilon-greedy"]) or ""
    assert "k: exploration constant; 0 never explores (at least 0; default 1)." in described
    assert "(from 0 to 1; default 0)." in described  # rho
    assert "(lowest or random; default lowest)." in described  # ties
