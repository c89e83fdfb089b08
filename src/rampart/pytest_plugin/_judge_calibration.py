"""What is known of the judge, where the user names a calibration file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rampart.pytest_plugin._workers import worker_id

if TYPE_CHECKING:
    from pathlib import Path

    from rampart.calibration.calibration_file import Calibration
    from rampart.core.report import TestRunReport

INI = "rampart_judge_calibration"
OPTION = "--rampart-judge-calibration"


def add_options(parser: pytest.Parser, group: pytest.OptionGroup) -> None:
    """Register the option and its ini form."""
    group.addoption(
        OPTION,
        metavar="FILE",
        help="show pass rates corrected for the errors of the judge (`rampart judge check --output FILE`)",
    )
    parser.addini(INI, "calibration file of the judge, relative to the root folder", default="")


def read(config: pytest.Config) -> Calibration | None:
    """The calibration that the user names; None without one.

    Raises:
        pytest.UsageError: If the file is unusable; the text names it.
    """
    path = _path(config)
    # Reports are made in the main process only, and the file need not exist where workers run.
    if path is None or worker_id(config) is not None:
        return None
    # Few runs have a calibration, and those without one should not pay for it.
    from rampart.calibration.calibration_file import read_calibration  # noqa: PLC0415
    from rampart.core.errors import ConfigurationError, SchemaError  # noqa: PLC0415

    try:
        return read_calibration(path)
    except (ConfigurationError, SchemaError) as error:
        raise pytest.UsageError(f"{INI}: {error}") from None


def add_corrections(report: TestRunReport, calibration: Calibration) -> None:
    """Put the corrected rates into a report."""
    from rampart.calibration.correction import corrections  # noqa: PLC0415  # see above
    from rampart.core.report import last_attempts  # noqa: PLC0415
    from rampart.reporting.judge_calibration import METADATA_KEY  # noqa: PLC0415

    report.metadata[METADATA_KEY] = corrections(last_attempts(report.results), calibration)


def _path(config: pytest.Config) -> Path | None:
    from_command_line: str | None = config.getoption(OPTION)
    if from_command_line is not None:
        return config.invocation_params.dir / from_command_line
    named = str(config.getini(INI)).strip()
    return config.rootpath / named if named else None
