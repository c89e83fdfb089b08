"""The sink of one test."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rampart.core.errors import InfrastructureError
from rampart.servers.exfiltration_sink import ExfiltrationSink

if TYPE_CHECKING:
    from collections.abc import Iterator


def sink_of_one_test() -> Iterator[ExfiltrationSink]:
    """A sink that listens until the test is over, and then fails it if something came unnoticed."""
    sink = ExfiltrationSink()
    sink.__enter__()
    yield sink
    failure = ""
    try:
        sink.__exit__(None, None, None)
    except InfrastructureError as error:
        failure = str(error)
    if failure:
        pytest.fail(failure, pytrace=False)
