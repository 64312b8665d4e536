"""`highseason help`: the same as `--help`."""

import click

from highseason.cli.errors import usage_error
from highseason.cli.group import TextOnly, with_examples


@with_examples("help", "highseason help", "highseason help simulate", cls=TextOnly)
@click.argument("words", metavar="[COMMAND]...", nargs=-1)
@click.pass_context
def command(context: click.Context, words: tuple[str, ...]) -> None:
    """Show the help of a command.

    'highseason help simulate' is the same as 'highseason simulate --help'.
    """
    assert context.parent is not None
    shown = context.parent
    for word in words:
        if not isinstance(shown.command, click.Group):
            raise usage_error(f"{shown.command_path} has no commands: leave out {word!r}")
        name, inner, _ = shown.command.resolve_command(shown, [word])
        assert inner is not None
        shown = click.Context(inner, info_name=name, parent=shown)
    click.echo(shown.get_help())
