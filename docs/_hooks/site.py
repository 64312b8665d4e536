"""What the site makes by itself: the reference, the menu, and the proof that it stands alone.

The command reference is what `--help` prints, the API reference is what the docstrings say; neither
is kept in the repository, so neither can go stale.
"""

from __future__ import annotations

import pkgutil
import re
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from textwrap import indent
from typing import Any

import click
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.plugins import get_plugin_logger
from mkdocs.structure.files import File, Files

log = get_plugin_logger(__name__)

WIDTH = 96
LOADED = re.compile(
    r"""<(?:script|img|iframe|source)\b[^>]*\bsrc=["']?((?:https?:)?//[^"'\s>]+)"""
    r"""|<link\b(?![^>]*\brel=["']?(?:canonical|next|prev))[^>]*\bhref=["']?((?:https?:)?//[^"'\s>]+)"""
    r"""|(?:url\(|@import)\s*["']?((?:https?:)?//[^"'\s)]+)"""
)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the generated pages and write out the menu."""
    generated = {
        "reference/commands.md": commands_page(),
        "reference/policies.md": policies_page(),
        **dict(api_pages()),
    }
    for uri, content in generated.items():
        files.append(File.generated(config, uri, content=content))
    pages = [file.src_uri for file in files.documentation_pages()]
    config.nav = [unfold(entry, pages) for entry in config.nav or []]
    return files


def on_post_build(config: MkDocsConfig) -> None:
    """Complain (under --strict: fail) where a page would load something from another host."""
    site = Path(config.site_dir)
    for path in sorted((*site.rglob("*.html"), *site.rglob("*.css"))):
        for found in LOADED.finditer(path.read_text(encoding="utf-8")):
            address = next(filter(None, found.groups()))
            log.warning("%s loads %s", path.relative_to(site), address)


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Put the table of all policies where a page asks for it."""
    return markdown.replace("    <!-- every policy -->", indent(policies_table(), "    "))


def unfold(entry: str | dict[str, Any], pages: list[str]) -> str | dict[str, Any]:
    """Put the pages of a folder where the menu names the folder."""
    if isinstance(entry, str):
        return entry
    ((title, target),) = entry.items()
    if isinstance(target, list):
        return {title: [unfold(below, pages) for below in target]}
    return {title: list(folder(target, pages))} if target.endswith("/") else entry


def folder(prefix: str, pages: list[str]) -> Iterator[str | dict[str, Any]]:
    """The pages under `prefix`, its index first, then its subfolders as sections."""
    inside = sorted(page for page in pages if page.startswith(prefix))
    direct = [page for page in inside if "/" not in page.removeprefix(prefix)]
    order = linked(prefix)
    yield from sorted(
        direct, key=lambda page: (order.index(page) if page in order else len(order), page)
    )
    subfolders = {page.removeprefix(prefix).split("/")[0] for page in inside} - {
        page.removeprefix(prefix) for page in direct
    }
    for name in sorted(subfolders):
        title = name.upper() if name == "api" else name.title()
        yield {title: [*folder(f"{prefix}{name}/", pages)]}


def linked(prefix: str) -> list[str]:
    """The index page of a folder and the pages it links to, in that order: the menu's order."""
    index = Path(__file__).parents[1] / prefix / "index.md"
    links = re.findall(r"\]\(([\w-]+\.md)\)", index.read_text("utf-8")) if index.exists() else []
    return [f"{prefix}{page}" for page in ("index.md", *links)]


def api_pages() -> Iterator[tuple[str, str]]:
    """One page for each public part of the package."""
    import highseason

    names = [module.name for module in pkgutil.iter_modules(highseason.__path__)]
    for name in names:
        if not name.startswith("_"):
            page = f"# highseason.{name}\n\n::: highseason.{name}\n"
            if name == "policies":  # they are discovered when imported, so reading cannot list them
                page += f"    options:\n      members: {dir(highseason.policies)}\n"
            yield f"reference/api/{name}.md", page
    yield "reference/api/service.md", "# highseason_service\n\n::: highseason_service\n"


def policies_table() -> str:
    """Every policy in a line: its name, its class, what it does, its parameters."""
    from highseason.policies import registry
    from highseason.policies.base import WeighingPolicy

    shared = {entry.name for entry in fields(WeighingPolicy)}
    rows = ["| name | class | what it does | parameters |", "|---|---|---|---|"]
    for name, policy in registry().items():
        summary = " ".join((policy.__doc__ or "").partition("\n\n")[0].split())
        own = ", ".join(f"`{entry.name}`" for entry in fields(policy) if entry.name not in shared)
        page = f"[`{policy.__name__}`][{policy.__module__}.{policy.__name__}]"
        rows.append(f"| `{name}` | {page} | {summary} | {own} |")
    return "\n".join(rows)


def policies_page() -> str:
    """Every policy with its parameters, as the registry knows them."""
    from highseason.policies import registry

    parts = ["# Policies", "Names and parameters as the command line takes them."]
    for name, policy in registry().items():
        parts.append(f"## `{name}`\n\n[`{policy.__name__}`][{policy.__module__}.{policy.__name__}]")
        rows = [
            f"| `{entry.name}` | `{entry.default}` | {entry.metadata['limits'].doc} |"
            for entry in fields(policy)
            if "limits" in entry.metadata
        ]
        parts.append("\n".join(("| parameter | default | |", "|---|---|---|", *rows)))
    return "\n\n".join(parts) + "\n"


def commands_page() -> str:
    """The help of every command, as the terminal shows it."""
    from highseason.cli import main

    parts = ["# Commands", "What `--help` says, command by command."]
    for path, command in walk(main, ("highseason",)):
        context = click.Context(
            command, info_name=" ".join(path), terminal_width=WIDTH, max_content_width=WIDTH
        )
        help_text = click.unstyle(command.get_help(context)).rstrip()
        parts.append(f"## `{' '.join(path)}`\n\n```text\n{help_text}\n```")
    return "\n\n".join(parts) + "\n"


def walk(
    command: click.Command, path: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """The command and all below it, each with the words that call it."""
    yield path, command
    if isinstance(command, click.Group):
        context = click.Context(command, info_name=path[-1])
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            if below is not None and not below.hidden:
                yield from walk(below, (*path, name))
