"""Logs: what was shown when and with which reward; readers, replay and noise."""

from highseason.core.names import public_names as _public_names
from highseason.logs.conversion import ConversionReport as ConversionReport
from highseason.logs.conversion import LogFormat as LogFormat
from highseason.logs.conversion import collect as collect
from highseason.logs.conversion import convert as convert
from highseason.logs.conversion import log_formats as log_formats
from highseason.logs.diagnostics import LogSummary as LogSummary
from highseason.logs.diagnostics import SeparateLogs as SeparateLogs
from highseason.logs.diagnostics import Uniformity as Uniformity
from highseason.logs.diagnostics import diagnose as diagnose
from highseason.logs.estimators import Comparison as Comparison
from highseason.logs.estimators import compare as compare
from highseason.logs.events import EventBatch as EventBatch
from highseason.logs.events import Events as Events
from highseason.logs.events import Pools as Pools
from highseason.logs.events import always_on_offer as always_on_offer
from highseason.logs.events import read_events as read_events
from highseason.logs.events import write_events as write_events
from highseason.logs.noise import NoiseFit as NoiseFit
from highseason.logs.noise import fit_noise as fit_noise
from highseason.logs.noise_history import VisitorHistory as VisitorHistory
from highseason.logs.noise_history import read_history as read_history
from highseason.logs.noise_history import read_sales as read_sales
from highseason.logs.prepared_log import LogFile as LogFile
from highseason.logs.prepared_log import PreparedLog as PreparedLog
from highseason.logs.replay import replay as replay
from highseason.logs.replay import replay_many as replay_many
from highseason.logs.result import RepeatedReplay as RepeatedReplay
from highseason.logs.result import ReplayResult as ReplayResult
from highseason.logs.result import ReplayRun as ReplayRun
from highseason.logs.result import Runs as Runs
from highseason.logs.table_format import OpenBanditLog as OpenBanditLog
from highseason.logs.table_format import TableLog as TableLog
from highseason.logs.yahoo_format import YahooLog as YahooLog

__dir__ = _public_names(__name__)
