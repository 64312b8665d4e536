"""Tables as people have them, read into typed columns; times and time zones."""

from highseason.tabular.columns import Column, FileTable, Where
from highseason.tabular.dates import Order
from highseason.tabular.files import read_table
from highseason.tabular.numerals import Mark
from highseason.tabular.times import Stamps, TableError, When, format_time, iso_times

__all__ = [
    "Column",
    "FileTable",
    "Mark",
    "Order",
    "Stamps",
    "TableError",
    "When",
    "Where",
    "format_time",
    "iso_times",
    "read_table",
]
