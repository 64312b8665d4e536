"""A file is complete or absent, whatever ends the writing."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from highseason.core.atomic import atomic_write


@pytest.fixture
def nobody_handles_sigterm() -> Iterator[None]:
    """Ray, in a test before, leaves a handler of its own."""
    before = signal.signal(signal.SIGTERM, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGTERM, before)


def write(path: Path, before_the_end: object = None) -> None:
    with atomic_write(path) as unfinished:
        unfinished.write_text("new", encoding="utf-8")
        if callable(before_the_end):
            before_the_end()


def end_this_process() -> None:
    os.kill(os.getpid(), signal.SIGTERM)


@pytest.mark.usefixtures("nobody_handles_sigterm")
def test_sigterm_ends_as_in_a_shell_and_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "numbers"
    path.write_text("old", encoding="utf-8")
    with pytest.raises(SystemExit) as ended:
        write(path, end_this_process)
    assert ended.value.code == 128 + signal.SIGTERM == 143
    assert [file.name for file in tmp_path.iterdir()] == ["numbers"]
    assert path.read_text(encoding="utf-8") == "old"
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


@pytest.mark.usefixtures("nobody_handles_sigterm")
def test_a_program_that_handles_sigterm_goes_on_doing_so(tmp_path: Path) -> None:
    received: list[int] = []

    def own(number: int, frame: object) -> None:
        received.append(number)

    signal.signal(signal.SIGTERM, own)
    write(tmp_path / "numbers", end_this_process)
    assert received == [signal.SIGTERM]
    assert signal.getsignal(signal.SIGTERM) is own
    assert (tmp_path / "numbers").read_text(encoding="utf-8") == "new"


def test_other_threads_write_too(tmp_path: Path) -> None:
    thread = threading.Thread(target=write, args=(tmp_path / "numbers",))
    thread.start()
    thread.join()
    assert [file.read_text(encoding="utf-8") for file in tmp_path.iterdir()] == ["new"]


def test_an_error_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError):
        write(tmp_path / "numbers", lambda: 1 / 0)
    assert list(tmp_path.iterdir()) == []
