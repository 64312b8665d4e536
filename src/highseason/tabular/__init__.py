"""Tables as people have them, read into typed columns; times and time zones."""

from highseason.tabular.columns import Column as Column
from highseason.tabular.columns import FileTable as FileTable
from highseason.tabular.columns import Where as Where
from highseason.tabular.dates import Order as Order
from highseason.tabular.files import read_table as read_table
from highseason.tabular.numerals import Mark as Mark
from highseason.tabular.times import Stamps as Stamps
from highseason.tabular.times import TableError as TableError
from highseason.tabular.times import When as When
from highseason.tabular.times import format_time as format_time
from highseason.tabular.times import iso_times as iso_times
