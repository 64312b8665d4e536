"""All commands: found in a folder, loaded late; whatever goes wrong in one becomes a line.

A command is a module in `highseason.cli.commands` with a click command called `command`; nothing
else needs to be told of it.
"""

from __future__ import annotations

import ast
import difflib
import pkgutil
import sys
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import click

from highseason.cli import commands
from highseason.cli.examples import WithExamples
from highseason.cli.messages import one_line, replace_what_cannot_be_shown, say, warnings_as_lines
from highseason.cli.reading import UsageError, usage_error

NAME = "highseason"
FAILED, INTERRUPTED = 1, 130

#: What can go wrong although the program is right: the message says all there is to say.
_TOLD = (OSError, ImportError, ValueError, MemoryError)


@dataclass
class Session:
    """What one call of the program knows."""

    debug: bool = False


class CommandGroup(WithExamples, click.Group):
    """The commands in the folder `commands`."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Their names, read off the folder without importing any of them."""
        return sorted(m.name.replace("_", "-") for m in pkgutil.iter_modules(commands.__path__))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the one that was asked for."""
        if cmd_name not in self.list_commands(ctx):
            return None
        module = import_module(f"{commands.__name__}.{cmd_name.replace('-', '_')}")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List them with the first sentence of each, read off the files: importing takes longer."""
        names = self.list_commands(ctx)
        width = formatter.width - 6 - max(map(len, names))
        rows = [(n, click.Command(n, help=_said(n)).get_short_help_str(width)) for n in names]
        with formatter.section("Commands"):
            formatter.write_dl(rows)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; an unknown name suggests the nearest."""
        if args and self.get_command(ctx, args[0]) is None and not args[0].startswith("-"):
            known = self.list_commands(ctx)
            near = difflib.get_close_matches(args[0], known, n=1, cutoff=0.5)
            hint = f"did you mean {near[0]!r}?" if near else f"there are: {', '.join(known)}"
            raise usage_error(f"no command is called {args[0]!r}: {hint}")
        return super().resolve_command(ctx, args)

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        """Run, and leave with an exit code that means what the contract says."""
        session = Session()
        replace_what_cannot_be_shown()
        try:
            with warnings_as_lines():
                done = super().main(args, NAME, complete_var, False, obj=session, **extra)
            code = done if isinstance(done, int) else 0
        except Exception as reason:  # the end of the line: here it becomes a line
            code = _tell(reason, session)
        if standalone_mode:
            sys.exit(code)
        return code


def _said(name: str) -> str:
    """The docstring of a command's function."""
    source = pkgutil.get_data(commands.__name__, f"{name.replace('-', '_')}.py") or b""
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef) and node.name == "command":
            return ast.get_docstring(node) or ""
    return ""


def _tell(reason: Exception, session: Session) -> int:
    if isinstance(reason, click.Abort):  # Ctrl-C
        say("interrupted")
        return INTERRUPTED
    if session.debug:
        traceback.print_exception(reason)
    if isinstance(reason, click.ClickException):
        context = getattr(reason, "ctx", None)
        where = context.command_path if context else NAME
        # What click finds wrong it does not say how to put right; we do, or have done already.
        more = "" if isinstance(reason, UsageError) else f" (see '{where} --help')"
        say(one_line(reason.format_message().rstrip(".")) + more, where)
        return reason.exit_code
    if isinstance(reason, _TOLD):
        say(one_line(str(reason) or type(reason).__name__))
        return FAILED
    more = "" if session.debug else "; run it again with --debug to see where"
    say(one_line(f"unexpected {type(reason).__name__}: {reason}{more}"))
    return FAILED
