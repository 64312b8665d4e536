"""Bad usage: its error, and the library's messages in the words of the command line."""

import re

import click

#: An argument of the library, with its value if that is text.
_ARGUMENT = re.compile(r"\b(\w+)=('[^']*')?")


class UsageError(click.UsageError):
    """Bad usage: exit code 2 and one line that says how to fix it."""


def usage_error(reason: Exception | str) -> UsageError:
    """The error, attributed to the command that is running."""
    return UsageError(str(reason), click.get_current_context(silent=True))


def as_options(message: str, context: click.Context | None = None) -> str:
    """The library's message with options in place of arguments.

    >>> command = click.Command("plan", params=[click.Option(["--value"]), click.Option(["--z"])])
    >>> as_options("choose one, such as value='orders', or z=3", click.Context(command))
    "choose one, such as --value 'orders', or z=3"
    """
    context = context or click.get_current_context(silent=True)
    known = {option for p in context.command.params for option in p.opts} if context else set()

    def option(match: re.Match[str]) -> str:
        name, value = f"--{match[1].replace('_', '-')}", match[2]
        follows = message[match.end() : match.end() + 1]
        if name not in known or (value is None and follows not in ("", *" ,;.)…")):
            return match[0]
        return f"{name} {value}" if value else name

    return _ARGUMENT.sub(option, message)
