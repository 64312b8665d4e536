"""Tables as people have them, read into typed columns; times and time zones."""

from highseason.tabular.files import Column, FileTable, Where, read_table
from highseason.tabular.times import Stamps, TableError, When, format_time

__all__ = [
    "Column",
    "FileTable",
    "Stamps",
    "TableError",
    "When",
    "Where",
    "format_time",
    "read_table",
]
