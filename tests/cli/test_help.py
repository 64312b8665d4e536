"""Every command explains itself, with examples that run."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest
from click.shell_completion import ShellComplete

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
#: These need a service, or run until they are stopped; tests/service runs them.
OF_THE_SERVICE = ("audit", "backup", "experiment", "serve", "token")
SERVED = [e for e in EXAMPLES if e.split()[1] in OF_THE_SERVICE]


def too_wide(text: str) -> list[str]:
    """The lines that do not fit 80 columns."""
    return [line for line in text.splitlines() if len(line) > 80]


def test_the_commands_are_there() -> None:
    assert {"plan", "policies", "simulate", "tune"} <= set(COMMANDS)


@pytest.mark.parametrize("name", ["", *COMMANDS])
def test_help_ends_with_examples(name: str, call: Call) -> None:
    answer = call(*name.split(), "--help")
    assert (answer.code, answer.stderr) == (0, "")
    usage, _, examples = answer.stdout.partition("\nExamples:\n")
    assert usage.startswith("Usage: highseason")
    assert f"  highseason {name}" in examples
    assert too_wide(answer.stdout) == []
    assert "..." not in answer.stdout.partition("Commands:")[2].partition("Examples:")[0]
    assert call(*name.split(), "-h").stdout == answer.stdout


@pytest.mark.usefixtures("few_games")
@pytest.mark.parametrize("example", [e for e in EXAMPLES if e not in SERVED])
def test_example_runs(
    example: str,
    call: Call,
    on: Callable[[str], None],
    traffic: Path,
    logs: Path,
    event_table: Path,
    history: Path,
) -> None:
    on("2026-02-26")
    program, *words = shlex.split(example.replace("\\\n", " "))
    answer = call(*words)
    assert program == "highseason"
    assert answer.code == 0, answer.stderr
    assert answer.stdout
    if "--json" not in words and words[0] != "completion":
        assert too_wide(answer.stdout) == []
    if "--out" in words:
        assert (traffic.parent / words[words.index("--out") + 1]).exists()


def test_without_a_command_it_shows_the_help(call: Call) -> None:
    answer = call()
    assert (answer.code, answer.stderr) == (0, "")
    assert answer.stdout == call("--help").stdout


def test_the_command_help_names_the_option(call: Call) -> None:
    answer = call("help", "plan")
    assert answer.code == 2
    assert "highseason COMMAND --help" in answer.line


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("highseason pl", "plan"),
        ("highseason plan --pol", "--policy"),
        ("highseason plan --policy soft-u", "soft-ucb"),
        ("highseason plan -p ucb --multiplier chr", "christmas"),
        ("highseason plan --profile pa", "paper"),
        ("highseason policies UCB", "ucb-z"),
        ("highseason tune variable", "variable-pool"),
    ],
)
def test_completion(words: str, expected: str) -> None:
    *before, incomplete = words.split()[1:]
    complete = ShellComplete(main, {}, "highseason", "_HIGHSEASON_COMPLETE")
    assert expected in [item.value for item in complete.get_completions(before, incomplete)]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_script(shell: str, call: Call) -> None:
    assert f"_HIGHSEASON_COMPLETE={shell}_complete" in call("completion", shell).stdout


def test_version(call: Call) -> None:
    from highseason import __version__

    assert call("--version").stdout == f"highseason {__version__}\n"
