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
