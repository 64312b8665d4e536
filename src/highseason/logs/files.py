"""Bytes of a log, plain or gzip, in pieces; a file that breaks off gives what it had."""

from __future__ import annotations

import zlib
from pathlib import Path
from types import TracebackType
from typing import Self

_MAGIC = b"\x1f\x8b"
_PIECE = 1 << 18  # compressed bytes taken at a time
_GZIP = 31  # zlib's word for "with a gzip header"

ENDS_EARLY = "the gzip file ends early"
IS_DAMAGED = "the gzip file is damaged"


class ByteFile:
    """A file read from front to back; gzip is known by its first two bytes, not by its name.

    Attributes:
        done: How many bytes were taken from disk.
        damage: Why a gzip file could not be read to its end; None while all is well.
    """

    def __init__(self, path: Path) -> None:
        self._file = path.open("rb", buffering=0)
        self.done = 0
        self.damage: str | None = None
        self._zipped = self._file.read(2) == _MAGIC
        self._file.seek(0)
        self._inflate = zlib.decompressobj(_GZIP)
        self._waiting = b""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()

    def read_into(self, room: memoryview) -> int:
        """Fill the room from its beginning; how many bytes came, 0 at the end."""
        if self._zipped:
            return self._unzip_into(room)
        count: int = self._file.readinto(room)
        self.done += count
        return count

    def _unzip_into(self, room: memoryview) -> int:
        while self.damage is None:
            if not self._waiting:
                self._waiting = self._file.read(_PIECE)
                self.done += len(self._waiting)
            if self._inflate.eof and not self._next_member():
                return 0
            ended = not self._waiting
            try:
                found = self._inflate.decompress(self._waiting, len(room))
            except zlib.error:
                self.damage = IS_DAMAGED
                return 0
            self._waiting = self._inflate.unconsumed_tail or self._inflate.unused_data
            if found:
                room[: len(found)] = found
                return len(found)
            if ended and not self._inflate.eof:
                self.damage = ENDS_EARLY
        return 0

    def _next_member(self) -> bool:
        """Gzip files can be joined end to end, and padded with zeros."""
        self._waiting = self._waiting.lstrip(b"\0")
        while not self._waiting:
            self._waiting = self._file.read(_PIECE)
            if not self._waiting:
                return False
            self.done += len(self._waiting)
            self._waiting = self._waiting.lstrip(b"\0")
        self._inflate = zlib.decompressobj(_GZIP)
        return True
