"""Help that shows examples, line by line as they are typed; the tests run every one of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click


class WithExamples(click.Command):
    """A command that ends its help with examples.

    >>> command = WithExamples("greet", examples=["highseason greet"])
    >>> "  highseason greet" in command.get_help(click.Context(command)).splitlines()
    True
    """

    def __init__(self, *args: Any, examples: Sequence[str] = (), **others: Any) -> None:
        """`examples` are whole command lines; a long one goes on after a backslash."""
        super().__init__(*args, **others)
        self.examples = tuple(examples)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples as they are: click would fill the lines."""
        super().format_epilog(ctx, formatter)
        formatter.write("\nExamples:\n")
        for example in self.examples:
            for line in example.splitlines():
                formatter.write(f"  {line}\n")


class GroupWithExamples(WithExamples, click.Group):
    """Several commands under one word; called without any of them, it says so in one line."""

    def __init__(self, *args: Any, **others: Any) -> None:
        super().__init__(*args, no_args_is_help=False, **others)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Find the command; an unknown name is told what there is."""
        found = super().get_command(ctx, cmd_name)
        if found is None and not ctx.resilient_parsing:
            known = ", ".join(self.list_commands(ctx))
            ctx.fail(f"no command is called {cmd_name!r}: there are {known}")
        return found
