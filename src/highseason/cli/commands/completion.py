"""`highseason completion`: a script that completes commands, options and names in a shell."""

import click
from click.shell_completion import get_completion_class

from highseason.cli.group import NAME, TextOnly, with_examples


@with_examples(
    "completion", "highseason completion bash", "highseason completion fish", cls=TextOnly
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def command(context: click.Context, shell: str) -> None:
    """Print a script that completes commands in your shell.

    It completes commands, options, and the names of policies, multipliers and profiles.

    In bash, add this line to ~/.bashrc: eval "$(highseason completion bash)"

    In zsh, add this line to ~/.zshrc: eval "$(highseason completion zsh)"

    In fish, save the script as ~/.config/fish/completions/highseason.fish.
    """
    kind = get_completion_class(shell)
    assert kind is not None
    click.echo(kind(context.find_root().command, {}, NAME, "_HIGHSEASON_COMPLETE").source())
