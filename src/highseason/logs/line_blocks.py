"""Text files, plain or gzip, in blocks of whole lines; a damaged file gives what it had."""

import codecs
import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

#: The longest line that is read, in bytes.
LONGEST = 1 << 20
TOO_LONG = f"longer than {LONGEST} bytes"

ENDS_EARLY = "the gzip file ends early"
IS_DAMAGED = "the gzip file is damaged"

_GZIP = b"\x1f\x8b"
_BOM = b"\xef\xbb\xbf"
_KEPT = 512  # bytes of a skipped line, enough for an example


class LineBlock(NamedTuple):
    """Whole lines of a file; or a line that cannot be read; or, last, how the file ended."""

    file: Path
    data: bytes | memoryview  # overwritten by the next block; only a file's end may lack a newline
    bytes_read: int  # from the file so far; compressed bytes for gzip
    skip: str = ""  # why the line in `data` cannot be read
    damage: str = ""  # why the file could not be read to its end

    @property
    def is_readable(self) -> bool:
        """Whether there are lines to read."""
        return bool(self.data) and not self.skip


def line_blocks(path: Path, size: int, encoding: str = "") -> Iterator[LineBlock]:
    """Read a file in blocks of about `size` bytes; lines that cannot be read come alone.

    Text in another `encoding` comes as UTF-8.
    """
    room = bytearray(size + LONGEST)
    view, rest, is_dropping = memoryview(room), 0, False
    with path.open("rb", buffering=0) as raw:
        file, count = (_Recoded(path, raw, encoding) if encoding else _Bytes(path, raw)), 1
        while count:
            count = file.read_into(view[rest : rest + size])
            begin, filled = file.bom_size(room), rest + count
            if is_dropping:  # the end of a line that was too long
                begin = room.find(b"\n", 0, filled) + 1 or filled
                is_dropping = room[:begin][-1:] != b"\n"
            is_end = not count and not file.damage
            end = filled if is_end else room.rfind(b"\n", begin, filled) + 1 or begin
            for data, is_long in _parts(room, begin, end):
                yield LineBlock(path, data, raw.tell(), skip=TOO_LONG if is_long else "")
            rest = filled - end
            room[:rest] = room[end:filled]
            if rest and (not count or rest > LONGEST):  # half a line may look like a whole one
                reason = TOO_LONG if count else file.damage
                yield LineBlock(path, bytes(room[: min(rest, _KEPT)]), raw.tell(), skip=reason)
                rest, is_dropping = 0, True
        yield LineBlock(path, b"", raw.tell(), damage=file.damage)


class _Bytes:
    """The bytes of a file; gzip is recognised by its first two bytes, not by its name."""

    def __init__(self, path: Path, raw: Any) -> None:
        self._path, self._raw, self.damage = path, raw, ""
        self._gzip: Any = gzip.GzipFile(fileobj=raw) if raw.read(2) == _GZIP else None
        raw.seek(0)
        self._is_start = True

    def read_into(self, view: memoryview) -> int:
        """Fill the view from its start; the number of bytes, 0 at the end."""
        try:
            return self._raw.readinto(view) if self._gzip is None else self._unzip_into(view)
        except OSError as error:  # a failing disk, a network share that went away
            raise OSError(error.errno, error.strerror, str(self._path)) from error

    def _unzip_into(self, view: memoryview) -> int:
        filled = 0
        while filled < len(view) and not self.damage:
            try:
                # One step at a time: `read` would drop what it had before an error.
                piece = self._gzip.read1(len(view) - filled)
            except EOFError:
                self.damage = ENDS_EARLY
                break
            except (zlib.error, gzip.BadGzipFile):
                self.damage = IS_DAMAGED
                break
            if not piece:
                break
            view[filled : filled + len(piece)] = piece
            filled += len(piece)
        return filled

    def bom_size(self, room: bytearray) -> int:
        """The size of a byte order mark at the start of the file."""
        is_bom, self._is_start = self._is_start and room.startswith(_BOM), False
        return len(_BOM) if is_bom else 0


class _Recoded(_Bytes):
    """The bytes of a file in another encoding, as UTF-8."""

    def __init__(self, path: Path, raw: Any, encoding: str) -> None:
        super().__init__(path, raw)
        self._decoder = codecs.getincrementaldecoder(encoding)("replace")
        self._waiting = b""  # what did not fit in the last view

    def read_into(self, view: memoryview) -> int:
        """Fill the view from its start; the number of bytes, 0 at the end."""
        count = 1
        while not self._waiting and count:
            count = super().read_into(view)
            self._waiting = self._decoder.decode(bytes(view[:count]), final=not count).encode()
        size = min(len(view), len(self._waiting))
        view[:size], self._waiting = self._waiting[:size], self._waiting[size:]
        return size


def _parts(room: bytearray, begin: int, end: int) -> Iterator[tuple[memoryview, bool]]:
    """The lines from `begin` to `end`; those that are too long apart, marked and cut."""
    half = LONGEST // 2
    windows = range(begin, end - half + 1, half)  # a long line covers at least one of them
    if any(room.find(b"\n", at, at + half) < 0 for at in windows):
        start = begin
        while start < end:
            stop = room.find(b"\n", start, end) + 1 or end
            if stop - start > LONGEST + (room[stop - 1] == ord("\n")):
                if start > begin:
                    yield memoryview(room)[begin:start], False
                yield memoryview(room)[start : start + _KEPT], True
                begin = stop
            start = stop
    if begin < end:
        yield memoryview(room)[begin:end], False
