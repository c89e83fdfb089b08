"""What the package offers."""

from __future__ import annotations

import rampart.core.report
import rampart.reporting


def test_the_package_offers_sinks_and_their_records() -> None:
    assert rampart.reporting.__all__ == [
        "JsonFileReportSink",
        "PopulationSummary",
        "ReportSink",
        "TestRunReport",
    ]
    for name in ("PopulationSummary", "ReportSink", "TestRunReport"):
        assert getattr(rampart.reporting, name) is getattr(rampart.core.report, name)
