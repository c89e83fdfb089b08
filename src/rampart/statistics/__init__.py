"""Intervals and decisions about rates: pure functions, each with its source."""

from rampart.statistics.interval import wilson_interval

__all__ = ["wilson_interval"]
