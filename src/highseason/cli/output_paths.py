"""Where results go: checked before the work starts, so that none of it is wasted."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from highseason.cli.parsing import usage_error
from highseason.report import check_target


def check_file(path: Path, option: str, inputs: Iterable[Path] = ()) -> None:
    """A file can be written there and is not one of the inputs; its folder is created."""
    if path.is_dir():
        raise usage_error(f"{option} {path} is a folder: give the name of a file in it")
    if path.exists() and any(given.exists() and path.samefile(given) for given in inputs):
        raise usage_error(
            f"{option} {path} is the input file, which would be lost: choose another name"
        )
    check_folder(path.parent, f"{option} {path}")
    if path.exists() and not os.access(path, os.W_OK):
        raise usage_error(f"{option} {path} is write-protected: choose another name")


def check_figure(path: Path, option: str, or_else: str = "", inputs: Iterable[Path] = ()) -> None:
    """A figure can be written there; `or_else` names other endings that would do."""
    check_file(path, option, inputs)
    try:
        check_target(path)
    except ValueError as reason:
        raise usage_error(f"{option}: {reason}{or_else}") from reason


def check_ending(path: Path, option: str, ending: str) -> None:
    """The file's name has the one ending that is supported."""
    if path.suffix.lower() != ending:
        raise usage_error(f"{option} {path} must end in {ending}")


def check_folder(folder: Path, what: str) -> None:
    """Files can be written in that folder; it is created if need be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as reason:
        raise usage_error(
            f"cannot write {what}: {reason.filename} is not a folder; choose another place"
        ) from reason
    except OSError as reason:
        raise usage_error(
            f"cannot write {what}: {reason.strerror}; choose another place"
        ) from reason
    if not os.access(folder, os.W_OK | os.X_OK):
        raise usage_error(f"cannot write {what}: no permission in {folder}; choose another place")
