"""Logs as JSON, one object per line."""

import json
import logging
import sys
import threading
import time
from collections import deque
from datetime import UTC, datetime
from typing import TextIO

_FIELDS = ("status", "ms", "request")

#: How long a line may wait for others that are written with it, in seconds.
GATHER = 0.05


class JsonFormatter(logging.Formatter):
    """One line of JSON per record: when, how bad, what, and the numbers of a request."""

    def format(self, record: logging.LogRecord) -> str:
        """Write a record."""
        entry = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "message": record.getMessage(),
        }
        entry |= {name: getattr(record, name) for name in _FIELDS if hasattr(record, name)}
        if record.exc_info:
            entry["error"] = self.formatException(record.exc_info)
        return json.dumps(entry)


class GatheringHandler(logging.Handler):
    """Writes the lines of requests together, from a thread of its own; all others at once.

    A write gives up the interpreter, and to get it back takes longer than a request under load.
    """

    def __init__(self, stream: TextIO) -> None:
        super().__init__()
        self._stream, self._records = stream, deque[logging.LogRecord]()
        self._news = threading.Event()
        threading.Thread(target=self._run, name="highseason-log", daemon=True).start()

    def emit(self, record: logging.LogRecord) -> None:
        """Take a record."""
        self._records.append(record)
        if not hasattr(record, "request"):
            self.flush()
        elif not self._news.is_set():
            self._news.set()

    def flush(self) -> None:
        """Write what has gathered; also called when the interpreter ends."""
        self.acquire()
        try:
            while self._records:
                self._stream.write(self.format(self._records.popleft()) + "\n")
            self._stream.flush()
        except (OSError, ValueError):  # no one reads it any more, or it is closed
            self._records.clear()
        finally:
            self.release()

    def _run(self) -> None:
        while True:
            self._news.wait()
            time.sleep(GATHER)
            self._news.clear()
            self.flush()


def start_logging(stream: TextIO = sys.stderr) -> None:
    """Send the logs of the service and of its server to a stream."""
    handler = GatheringHandler(stream)
    handler.setFormatter(JsonFormatter())
    for name in ("highseason.service", "uvicorn.error"):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(logging.INFO)
    logging.getLogger("uvicorn.access").disabled = True  # the service logs requests itself
