"""The command line: one command per file in `commands`, each loaded when it is called.

Other packages add commands by the entry-point group `highseason.commands`.  What such a command
needs is public here, and in `options`.

stdout carries the answer and nothing else; progress, warnings and errors go to stderr.  Exit codes:
0 done, 1 failed, 2 bad usage, 130 interrupted.
"""

import click

from highseason.cli.group import NAME, CommandGroup, GroupWithExamples, with_examples
from highseason.cli.output import check_file, emit, print_json, usage_error
from highseason.core.names import public_names as _public_names
from highseason.core.version import __version__

__all__ = [
    "GroupWithExamples",
    "check_file",
    "emit",
    "main",
    "options",
    "print_json",
    "usage_error",
    "with_examples",
]
__dir__ = _public_names(__name__)


@click.command(
    NAME,
    cls=CommandGroup,
    invoke_without_command=True,
    examples=[
        "highseason policies",
        "highseason simulate --policy ucb --policy soft-ucb --multiplier christmas",
        "highseason simulate --help",
    ],
)
@click.version_option(__version__, prog_name="highseason", message="%(prog)s %(version)s")
@click.pass_context
def main(context: click.Context) -> None:
    """Bandits for demand that comes in seasons.

    Explore while it is quiet, exploit when it counts.
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())
