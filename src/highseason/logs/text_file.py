"""Text files, plain or gzip, in any encoding; a damaged file gives what it had."""

import codecs
import gzip
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from highseason.core.extras import require
from highseason.logs.conversion import ENDS_EARLY, IS_DAMAGED, ConversionLog
from highseason.traffic.files import LATIN, encoding_by_start

_BLOCK = 1 << 22  # bytes read at a time
_LONGEST = 1 << 23  # bytes of a line; not less than a block
_START = 1 << 18  # bytes that decide on the encoding
_LINES = 1 << 14  # that Polars hands over at a time


def polars() -> Any:
    """The library, which is an extra."""
    return require("polars", extra="logs", purpose="reading logs")


class TextFile:
    """A file of lines that is read from its beginning.

    Args:
        path: The file; gzip is recognised by its first two bytes.
        log: Takes the bytes read, lines that cannot be read, and what is wrong with the file.
        encoding: The encoding; by the start of the file if None.
    """

    def __init__(self, path: Path, log: ConversionLog, encoding: str | None = None) -> None:
        self.path, self._log, self._damage = path, log, ""
        self._before = log.bytes_read  # of other files
        with path.open("rb") as raw:
            self._is_gzip = raw.read(2) == b"\x1f\x8b"
            raw.seek(0)
            start = self._read(gzip.GzipFile(fileobj=raw) if self._is_gzip else raw, _START)
            size = raw.seek(0, 2)
            raw.seek(max(size - 1, 0))
            is_whole = raw.read() == b"\n"
        self._encoding = encoding or encoding_by_start(start)
        if self._encoding == "cp1252":
            log.notes.append(LATIN)
        self._has_mark, self._size = start.startswith(codecs.BOM_UTF8), size
        self._line_size = len(start) / max(start.count(b"\n"), 1)
        self._is_plain = not self._is_gzip and self._encoding.startswith("utf-8")
        self._is_plain = self._is_plain and is_whole and b"\n" in start and not self._has_mark

    def frames(
        self, split: Callable[[Any], Any], begin: int = 1
    ) -> Iterator[tuple[int, Any, bool]]:
        """What `split` makes of the lines from line `begin` on: frames with a row per line.

        With each comes the number of its first line, and whether its last has no newline.  Polars
        scans the file on all cores, unless it is not plain text in UTF-8 or until anything else is
        wrong: from there on, lines come in blocks.
        """
        pl, line = polars(), begin
        try:
            if self._is_plain:
                lines = pl.scan_lines(self.path, glob=False).slice(begin - 1)
                for frame in split(lines).collect_batches(chunk_size=_LINES):
                    size = min(self._size, int((line + len(frame)) * self._line_size))
                    self._log.advance(self._before + size)
                    yield line, frame, False
                    line += len(frame)
                self._log.advance(self._before + self._size)
                return
        except pl.exceptions.PolarsError:
            pass  # blocks escape what is not UTF-8
        for first, data in self.blocks(line):
            yield first, split(pl.scan_lines(data)).collect(), not data.endswith(b"\n")

    def blocks(self, begin: int = 1) -> Iterator[tuple[int, bytes]]:
        """Whole lines in UTF-8 from line `begin` on, with the number of the first of each block.

        Only the end of the file may lack a newline.
        """
        line, rest, is_long, self._damage = 1, b"", False, ""
        for read in self._pieces():
            piece, first = read, read.find(b"\n") + 1
            if is_long or len(rest) + (first or len(piece)) > _LONGEST:
                if not is_long and line >= begin:
                    text = rest + piece[:_START]
                    self._log.skip(f"longer than {_LONGEST} bytes", self.path, line, text)
                is_long, rest, piece = not first, b"", piece[first or len(piece) :]
                line += not is_long
            end = piece.rfind(b"\n") + 1
            if end:
                data = b"".join((rest, memoryview(piece)[:end]))
                count, rest = data.count(b"\n"), b""
                if line + count > begin:
                    yield max(line, begin), _as_utf8(data.split(b"\n", max(begin - line, 0))[-1])
                line += count
            rest += piece[end:]
        if rest and self._damage:  # half a line may look like a whole one
            self._log.skip(self._damage, self.path, line, rest)
        elif rest and line >= begin:
            yield line, _as_utf8(rest)
        if self._damage:
            self._log.add_damage(self.path, self._damage)

    def _pieces(self) -> Iterator[bytes]:
        """The bytes of the file, unpacked and in UTF-8, without a byte order mark."""
        is_utf8 = self._encoding.startswith("utf-8")
        decoder: Any = None if is_utf8 else codecs.getincrementaldecoder(self._encoding)("replace")
        with self.path.open("rb", buffering=0) as raw:
            file: Any = gzip.GzipFile(fileobj=raw) if self._is_gzip else raw
            if self._has_mark:
                file.read(len(codecs.BOM_UTF8))
            while data := self._read(file, _BLOCK):
                self._log.advance(self._before + raw.tell())
                yield data if decoder is None else decoder.decode(data).encode()
            self._log.advance(self._before + self._size)

    def _read(self, file: Any, size: int) -> bytes:
        pieces: list[bytes] = []
        while size > 0 and not self._damage:
            try:
                # One step at a time: `read` of a gzip file would drop what it had before an error.
                pieces.append((file.read1 if self._is_gzip else file.read)(size))
            except EOFError:
                self._damage = ENDS_EARLY
            except (zlib.error, gzip.BadGzipFile):
                self._damage = IS_DAMAGED
            except OSError as error:  # a failing disk, a network share that went away
                raise OSError(error.errno, error.strerror, str(self.path)) from error
            else:
                size -= len(pieces[-1]) or size
        return b"".join(pieces)


def _as_utf8(data: bytes) -> bytes:
    """The same text; bytes that are not UTF-8 are escaped."""
    return data if data.isascii() else data.decode("utf-8", "backslashreplace").encode()
