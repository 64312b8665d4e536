"""Replay: estimate from a log of randomly shown arms what a policy would have earned."""

from highseason.replay.api import replay as replay
from highseason.replay.api import replay_many as replay_many
from highseason.replay.diagnostics import LogSummary as LogSummary
from highseason.replay.diagnostics import SeparateLogs as SeparateLogs
from highseason.replay.diagnostics import diagnose as diagnose
from highseason.replay.estimators import Comparison as Comparison
from highseason.replay.estimators import compare as compare
from highseason.replay.log_file import LogFile as LogFile
from highseason.replay.prepared_log import PreparedLog as PreparedLog
from highseason.replay.result import RepeatedReplay as RepeatedReplay
from highseason.replay.result import ReplayOutcome as ReplayOutcome
from highseason.replay.result import ReplayResult as ReplayResult
from highseason.replay.result import Runs as Runs
from highseason.replay.uniformity import Uniformity as Uniformity
