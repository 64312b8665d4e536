"""Replay: estimate from a log of randomly shown arms what a policy would have earned."""

from highseason.replay.api import replay as replay
from highseason.replay.comparison import Comparison as Comparison
from highseason.replay.comparison import compare as compare
from highseason.replay.diagnostics import LogSummary as LogSummary
from highseason.replay.diagnostics import diagnose as diagnose
from highseason.replay.many import replay_many as replay_many
from highseason.replay.many_result import RepeatedReplay as RepeatedReplay
from highseason.replay.many_result import Runs as Runs
from highseason.replay.prepared_log import PreparedLog as PreparedLog
from highseason.replay.result import ReplayOutcome as ReplayOutcome
from highseason.replay.result import ReplayResult as ReplayResult
from highseason.replay.uniformity import Uniformity as Uniformity
