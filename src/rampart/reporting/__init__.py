"""Where a finished run goes: sinks, and how its results are shown."""

from rampart.core.report import PopulationSummary, ReportSink, TestRunReport
from rampart.reporting.json_file import JsonFileReportSink

__all__ = ["JsonFileReportSink", "PopulationSummary", "ReportSink", "TestRunReport"]
