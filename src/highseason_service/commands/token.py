"""`highseason token`: who may use the service."""

import click

from highseason.cli import GroupWithExamples, emit, options, usage_error, with_examples
from highseason_service.commands import database_option, opened


@click.group(
    "token",
    cls=GroupWithExamples,
    examples=["highseason token create --name till --scope decide", "highseason token list"],
)
def command() -> None:
    """Create, list and revoke the service's access tokens."""


@command.add_command
@with_examples(
    "create",
    "highseason token create --name till --scope decide",
    "highseason token create --name ops --scope admin --database shop.db --json",
)
@database_option
@options.option("--name TEXT", "What the token is for.", required=True)
@options.choice(
    "--scope",
    "What it allows; each includes those before it.",
    ("read", "decide", "admin"),
    default="decide",
)
def create(database: str, name: str, scope: str, as_json: bool) -> None:
    """Create a token and print it; it is shown only once.

    Only its hash is kept.
    """
    with opened("token", database, create=True) as tokens:
        from highseason_service.security import create_token

        token = create_token(tokens, name, scope)
    document = {"name": name, "scope": scope, "token": token}
    emit(as_json, lambda: document, lambda: click.echo(token))


@command.add_command
@with_examples("list", "highseason token list", "highseason token list --database shop.db --json")
@database_option
def listed(database: str, as_json: bool) -> None:
    """List the tokens: name, scope, when they were made."""
    with opened("token", database) as known, known.read() as connection:
        from highseason_service import store

        rows = store.all_tokens(connection)
    tokens = [{"name": r.name, "scope": r.scope, "created_at": r.created_at} for r in rows]
    lines = ["  ".join(token.values()) for token in tokens]
    text = "\n".join(lines) or "no tokens: on loopback everyone may do everything"
    emit(as_json, lambda: {"tokens": tokens}, lambda: click.echo(text))


@command.add_command
@with_examples("revoke", "highseason token revoke --name till")
@database_option
@options.option("--name TEXT", "The token's name.", required=True)
@options.flag("--open", "Revoke the last token: on loopback everyone may then do everything.")
def revoke(database: str, name: str, as_json: bool, **last: bool) -> None:
    """Revoke a token; services notice within two seconds.

    The last one is kept unless you say --open: without any token, a service on loopback is open.
    """
    with opened("token", database) as tokens, tokens.write() as connection:
        from highseason_service import store

        names = [token.name for token in store.all_tokens(connection)]
        if names == [name] and not last["open"]:
            raise usage_error(
                f"{name!r} is the last token, and without one everyone on this machine may do "
                "everything: create another first, or add --open"
            )
        known = store.remove_token(connection, name)
    if not known:
        raise usage_error(f"there is no token {name!r}: see 'highseason token list'")
    emit(as_json, lambda: {"revoked": name}, lambda: click.echo(f"revoked {name}"))
