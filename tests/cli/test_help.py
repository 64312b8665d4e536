"""Every command explains itself, with examples that run."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest

from highseason.cli import main
from highseason.cli.group import WithExamples

Call = Callable[..., Any]

CONTEXT = click.Context(main, info_name="highseason")


def below(group: click.Group, path: str) -> dict[str, click.Command]:
    """All commands of a group and of the groups in it, by the words that call them."""
    found: dict[str, click.Command] = {}
    for name in group.list_commands(CONTEXT):
        command = group.get_command(CONTEXT, name)
        assert command is not None
        found[f"{path} {name}".strip()] = command
        if isinstance(command, click.Group):
            found |= below(command, f"{path} {name}".strip())
    return found


COMMANDS = below(main, "")
EXAMPLES = {
    example: command
    for command in (main, *COMMANDS.values())
    if isinstance(command, WithExamples)
    for example in command.examples
}
#: Whole studies take long; the guide runs the same commands.
IN_THE_GUIDE = [example for example in EXAMPLES if example.startswith("highseason reproduce")]
#: These need a service, or run until they are stopped; tests/service runs them.
SERVED = [e for e in EXAMPLES if e.split()[1:2] in (["serve"], ["audit"], ["token"])]
GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "reproduce.md"


def test_the_commands_are_there() -> None:
    assert {"plan", "policies", "reproduce", "simulate", "tune"} <= set(COMMANDS)


@pytest.mark.parametrize("name", ["", *COMMANDS])
def test_help_ends_with_examples(name: str, call: Call) -> None:
    answer = call(*name.split(), "--help")
    assert (answer.code, answer.stderr) == (0, "")
    usage, _, examples = answer.stdout.partition("\nExamples:\n")
    assert usage.startswith("Usage: highseason")
    assert f"  highseason {name}" in examples


@pytest.mark.parametrize("example", IN_THE_GUIDE)
def test_study_runs_in_the_guide(example: str) -> None:
    assert f"$ {example}\n" in GUIDE.read_text(encoding="utf-8")


@pytest.mark.parametrize("example", [e for e in EXAMPLES if e not in (*IN_THE_GUIDE, *SERVED)])
def test_example_runs(
    example: str, call: Call, traffic: Path, logs: Path, event_table: Path, history: Path
) -> None:
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
