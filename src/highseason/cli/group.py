"""Commands: help with examples, discovery, and the one place where an error becomes an exit code.

A command is a module in `highseason.cli.commands` with a click command called `command`, or an
entry point of the group `highseason.commands` of any package; nothing else needs to know of it.
Exit codes: 0 done, 1 failed, 2 bad usage, 130 interrupted.
"""

from __future__ import annotations

import ast
import functools
import pkgutil
import sys
import textwrap
import traceback
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.machinery import PathFinder
from itertools import accumulate
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from highseason.cli import commands
from highseason.cli.output import (
    UsageError,
    as_options,
    replace_unprintable,
    say,
    usage_error,
    warnings_as_lines,
)
from highseason.core.extras import MissingExtraError
from highseason.core.specs import did_you_mean

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

NAME = "highseason"
#: The entry-point group by which other packages add commands.
ENTRY_POINTS = "highseason.commands"
FAILED, INTERRUPTED = 1, 130

#: Errors of the world outside: the message says all there is to say.
_EXPECTED = (OSError, ImportError, MemoryError)


def _start_debugging(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted and context.obj is not None:
        context.obj.debug = True


_DEBUG = click.Option(
    ["--debug"],
    is_flag=True,
    is_eager=True,  # before the others, so that their errors come with a traceback too
    expose_value=False,
    callback=_start_debugging,
    help="Show the traceback of an error.",
)
_JSON = click.Option(
    ["--json", "as_json"], is_flag=True, help="Print one JSON document and nothing else."
)


class WithExamples(click.Command):
    """A command with `--json` and `--debug` that ends its help with examples, which tests run.

    Examples are whole command lines as help prints them; one of more than 78 characters continues
    after a backslash.

    A `ValueError` of the library is bad usage: it ends with exit code 2 and one line that names
    options instead of arguments.

    >>> command = WithExamples("greet", examples=["highseason greet"])
    >>> "  highseason greet" in command.get_help(click.Context(command)).splitlines()
    True
    """

    last_options: tuple[click.Option, ...] = (_JSON, _DEBUG)

    def __init__(self, *args: Any, examples: Sequence[str] = (), **others: Any) -> None:
        super().__init__(*args, **others)
        self.params.extend(self.last_options)
        self.examples = tuple(examples)

    def get_help_option_names(self, ctx: click.Context) -> list[str]:
        """The same in every context: click keeps what the first one says."""
        return ["-h", "--help"]

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples verbatim: click would fill the lines."""
        super().format_epilog(ctx, formatter)
        shown = "\n".join(self.examples)
        formatter.write("\nExamples:\n" + textwrap.indent(shown, "  ") + "\n")

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; what the library refuses is bad usage."""
        try:
            return super().invoke(ctx)
        except ValueError as reason:
            raise UsageError(as_options(str(reason), ctx), ctx) from reason


class Program(WithExamples):
    """What a shell calls: the one place where an error becomes a line and an exit code."""

    def main(self, *args: Any, standalone_mode: bool = True, **extra: Any) -> Any:
        """Run, and leave with the exit code that the contract promises."""
        flags = SimpleNamespace(debug=False)
        extra |= {"prog_name": self.name, "standalone_mode": False, "obj": flags}
        replace_unprintable()
        try:
            with warnings_as_lines():
                done = super().main(*args, **extra)
            code = done if isinstance(done, int) else 0
        except Exception as reason:  # the last place that can turn it into one line
            code = _report(reason, flags, self.name or NAME)
        if standalone_mode:
            sys.exit(code)
        return code


class TextOnly(WithExamples):
    """A command whose answer is text for people or a shell: it has no `--json`."""

    last_options = (_DEBUG,)


def with_examples(
    name: str, *examples: str, cls: type[WithExamples] = WithExamples
) -> Callable[[Callable[..., Any]], WithExamples]:
    """Turn a function into a command of that name."""
    return click.command(name, cls=cls, examples=examples)


class GroupWithExamples(WithExamples, click.Group):
    """Several commands under one word."""

    last_options = (_DEBUG,)

    def __init__(self, *args: Any, **others: Any) -> None:
        super().__init__(*args, no_args_is_help=False, **others)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; an unknown name suggests the nearest."""
        if args and self.get_command(ctx, args[0]) is None and not args[0].startswith("-"):
            hint = did_you_mean(args[0], self.list_commands(ctx))
            more = f"'{ctx.command_path} COMMAND --help' explains each"
            raise usage_error(f"unknown command {args[0]!r}. {hint} {more}")
        return super().resolve_command(ctx, args)


@functools.cache
def _own() -> dict[str, str]:
    """The modules of the commands in the folder `commands`, by name."""
    found = pkgutil.iter_modules(commands.__path__, f"{commands.__name__}.")
    return {m.name.rpartition(".")[2].replace("_", "-"): m.name for m in found}


@functools.cache
def _added() -> dict[str, EntryPoint]:
    """The commands that other packages add, by name."""
    from importlib.metadata import entry_points  # it reads the metadata of every package

    return {point.name: point for point in entry_points(group=ENTRY_POINTS)}


class CommandGroup(Program, GroupWithExamples):
    """The commands in the folder `commands` and those of other packages, imported when called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Their names, without importing any of them."""
        return sorted({*_own(), *_added()})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command of that name."""
        if cmd_name in _own():
            command = import_module(_own()[cmd_name]).command
        elif cmd_name in _added():
            point = _added()[cmd_name]
            package = point.dist.name if point.dist else point.module
            try:
                command = point.load()
            except MissingExtraError:
                raise
            except Exception as reason:  # another package's code: any fault
                raise click.ClickException(
                    f"{package} adds {cmd_name!r}, which cannot be loaded "
                    f"({type(reason).__name__}: {reason}): upgrade or uninstall {package}"
                ) from reason
        else:
            return None
        assert isinstance(command, click.Command), f"{cmd_name} is not a click command"
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List them with their first sentence, parsed from the files: importing takes longer."""
        names = self.list_commands(ctx)
        width = formatter.width - 6 - max(map(len, names))
        rows = [(n, click.Command(n, help=_docstring(n)).get_short_help_str(width)) for n in names]
        with formatter.section("Commands"):
            formatter.write_dl(rows)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete the name of a command, without importing any."""
        names = [name for name in self.list_commands(ctx) if name.startswith(incomplete)]
        items = [CompletionItem(n, help=_docstring(n).partition("\n")[0]) for n in names]
        return items or super().shell_complete(ctx, incomplete)


def _docstring(name: str) -> str:
    """The docstring of a command's function, read from its file: nothing is imported."""
    point = None if name in _own() else _added()[name]
    module, function = (point.module, point.attr) if point else (_own()[name], "command")
    try:
        tree = ast.parse(_source(module))
    except (OSError, SyntaxError, ImportError) as reason:
        return f"(cannot be read: {type(reason).__name__})"
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == function:
            return ast.get_docstring(node) or ""
    return ""


def _source(module: str) -> str:
    """The text of a module, which is not imported, nor are the packages it is in."""
    spec, path = None, None
    for name in accumulate(module.split("."), "{}.{}".format):
        spec = PathFinder.find_spec(name, path)
        if spec is None:
            raise ModuleNotFoundError(f"there is no module {module}")
        path = spec.submodule_search_locations
    source: str | None = spec.loader.get_source(module)  # type: ignore[union-attr]  # both have it
    return source or ""


def _report(reason: Exception, flags: SimpleNamespace, program: str) -> int:
    """Print one line on stderr and give the exit code."""
    if isinstance(reason, click.Abort):  # Ctrl-C
        say("interrupted", program)
        return INTERRUPTED
    if flags.debug:
        traceback.print_exception(reason)
    if isinstance(reason, click.ClickException):
        context = getattr(reason, "ctx", None)
        where, message = context.command_path if context else program, reason.format_message()
        if not isinstance(reason, UsageError):  # click's messages do not say how to fix it
            message = f"{message.rstrip('.')} (see '{where} --help')"
        say(message, where)
        return reason.exit_code
    more = "" if flags.debug else "; run it again with --debug for a traceback"
    unexpected = f"unexpected {type(reason).__name__}: {reason}{more}"
    expected = isinstance(reason, _EXPECTED)
    say(str(reason) or type(reason).__name__ if expected else unexpected, program)
    return FAILED
