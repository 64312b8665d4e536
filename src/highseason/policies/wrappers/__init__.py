"""Wrappers: policies around policies.  The plan stays the inner one's, the rule is changed."""

from highseason.policies.wrappers.base import Wrapper
from highseason.policies.wrappers.contest import (
    CapIndex,
    DynamicPeakGrabber,
    PeakGrabber,
    SpareOldArms,
)
from highseason.policies.wrappers.forgetting import Discounted, Windowed

__all__ = [
    "CapIndex",
    "Discounted",
    "DynamicPeakGrabber",
    "PeakGrabber",
    "SpareOldArms",
    "Windowed",
    "Wrapper",
]
