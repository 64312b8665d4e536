"""All numbers of a study as tables beside its page: CSV, and Parquet where pyarrow is there."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from highseason.results import Table

Record = Mapping[str, Any]


def write(records: Sequence[Record], folder: Path, name: str) -> list[Path]:
    """Write records, all with the same keys, as `name.csv` and `name.parquet`."""
    folder.mkdir(parents=True, exist_ok=True)
    buffer = io.StringIO(newline="")
    writer = csv.DictWriter(buffer, fieldnames=list(records[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(records)  # a float is written so that it reads back as the same number
    path = folder / f"{name}.csv"
    path.write_text(buffer.getvalue(), encoding="utf-8")
    return [path, *_parquet(records, folder / f"{name}.parquet")]


def _parquet(records: Sequence[Record], path: Path) -> list[Path]:
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError:
        return []
    columns = {key: [record[key] for record in records] for key in records[0]}
    parquet.write_table(pa.table(columns), path)
    return [path]


def table(records: Sequence[Record], columns: Mapping[str, tuple[str, str]]) -> Table:
    """A table of some keys: for each its heading and how a value is written."""
    rows = tuple(tuple(record[key] for key in columns) for record in records)
    return Table(
        tuple(name for name, _ in columns.values()), rows, tuple(f for _, f in columns.values())
    )
