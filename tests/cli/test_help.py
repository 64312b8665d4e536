"""Every command explains itself, with examples that run."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest

from highseason.cli import main
from highseason.cli.examples import WithExamples

Call = Callable[..., Any]

CONTEXT = click.Context(main, info_name="highseason")
COMMANDS = {name: main.get_command(CONTEXT, name) for name in main.list_commands(CONTEXT)}
EXAMPLES = {
    example: command
    for command in (main, *COMMANDS.values())
    if isinstance(command, WithExamples)
    for example in command.examples
}


def test_the_commands_are_there() -> None:
    assert {"plan", "policies", "reproduce", "simulate", "tune"} <= set(COMMANDS)


@pytest.mark.parametrize("name", ["", *COMMANDS])
def test_help_ends_with_examples(name: str, call: Call) -> None:
    answer = call(*filter(None, [name, "--help"]))
    assert (answer.code, answer.stderr) == (0, "")
    usage, _, examples = answer.stdout.partition("\nExamples:\n")
    assert usage.startswith("Usage: highseason")
    assert f"  highseason {name}" in examples


@pytest.mark.parametrize("example", EXAMPLES)
def test_example_runs(example: str, call: Call, traffic: Path) -> None:
    program, *words = shlex.split(example.replace("\\\n", " "))
    answer = call(*words)
    assert program == "highseason"
    assert answer.code == 0, answer.stderr
    assert answer.stdout
    if "--out" in words:
        assert (traffic.parent / words[words.index("--out") + 1]).exists()


def test_without_a_command_it_shows_the_help(call: Call) -> None:
    answer = call()
    assert (answer.code, answer.stderr) == (0, "")
    assert answer.stdout == call("--help").stdout


def test_version(call: Call) -> None:
    from highseason import __version__

    assert call("--version").stdout == f"highseason {__version__}\n"
