"""Where OpenTelemetry is not installed, the first use says what to install."""

import sys

import pytest

from rampart.core.errors import ConfigurationError
from rampart.integrations.otel import OtelCollector


def test_the_install_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.trace", None)
    with pytest.raises(ConfigurationError, match=r'run pip install "rampart\[otel\]"'):
        OtelCollector().open()
