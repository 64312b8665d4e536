"""Logs as JSON, one object per line."""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime
from typing import TextIO

_FIELDS = ("status", "ms", "request")


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


def start_logging(stream: TextIO = sys.stderr) -> None:
    """Send the logs of the service and of its server to a stream."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonFormatter())
    for name in ("highseason.service", "uvicorn.error"):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(logging.INFO)
    logging.getLogger("uvicorn.access").disabled = True  # the service logs requests itself
