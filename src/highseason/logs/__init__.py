"""Logs: what was shown when, from which pool and with which reward; readers and generators."""

from highseason.logs.arm_lifespans import Frontier as Frontier
from highseason.logs.arm_lifespans import Lifespans as Lifespans
from highseason.logs.arm_lifespans import Slice as Slice
from highseason.logs.arm_lifespans import always_on_offer as always_on_offer
from highseason.logs.arm_lifespans import best_slice as best_slice
from highseason.logs.arm_lifespans import frontier as frontier
from highseason.logs.arm_lifespans import lifespans as lifespans
from highseason.logs.conversion import LogFormat as LogFormat
from highseason.logs.conversion import collect as collect
from highseason.logs.conversion import convert as convert
from highseason.logs.conversion import log_formats as log_formats
from highseason.logs.conversion_log import ConversionReport as ConversionReport
from highseason.logs.events import Events as Events
from highseason.logs.events import Pools as Pools
from highseason.logs.events import read_events as read_events
from highseason.logs.events import write_events as write_events
from highseason.logs.formats.table import OpenBanditLog as OpenBanditLog
from highseason.logs.formats.table import TableLog as TableLog
from highseason.logs.formats.yahoo import YahooLog as YahooLog
from highseason.logs.front_page import FrontPage as FrontPage
from highseason.logs.generate import Generated as Generated
from highseason.logs.generate import generate_events as generate_events
from highseason.logs.generate import generate_log as generate_log
