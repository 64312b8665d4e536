"""Parquet files, read with pyarrow when it is there."""

from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from highseason.multipliers.errors import MultiplierError
from highseason.multipliers.tables import Column, Table
from highseason.multipliers.zones import checked_zone


def read_parquet(path: Path) -> Table:
    """Read a Parquet file; needs the extra ``highseason[files]``.

    >>> import tempfile
    >>> import pandas as pd
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "traffic.parquet"
    ...     pd.DataFrame({"visitors": [40, 60]}).to_parquet(path)
    ...     [column.name for column in read_parquet(path).columns]
    ['visitors']
    """
    path.stat()  # a missing file is told before a missing library
    try:
        # By name at run time: pyarrow is an extra, and a type checker must not need it either.
        parquet = import_module("pyarrow.parquet")
    except ImportError as error:
        raise ImportError(
            "reading Parquet needs pyarrow: install the extra, highseason[files]"
        ) from error
    try:
        table = parquet.ParquetFile(path).read()
    except ValueError as error:  # what pyarrow raises for files of another kind
        raise MultiplierError(f"{path} is not a Parquet file: {error}") from error
    columns = tuple(
        Column(i + 1, _header(name), _cells(table.column(name)), _zone(table.column(name)))
        for i, name in enumerate(table.column_names)
    )
    return Table(str(path), columns, "row", range(1, table.num_rows + 1))


def _header(name: str) -> str | None:
    # pandas writes an index that has no name under this one
    return None if name.startswith("__index_level_") else name


def _cells(column: Any) -> NDArray[Any]:
    kind = import_module("pyarrow.types")
    if kind.is_dictionary(column.type):  # pandas' categories
        column = column.cast(column.type.value_type)
    return np.asarray(column.to_numpy())  # times with a zone come out in UTC


def _zone(column: Any) -> str | None:
    zone = getattr(column.type, "tz", None)
    return None if zone is None else checked_zone(zone)
