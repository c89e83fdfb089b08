"""Whether the real Graph SDK is here."""

import importlib.util

import pytest


def need_sdk() -> None:
    """Skip the test file that calls this when it is imported, unless the SDK is installed."""
    if importlib.util.find_spec("msgraph") is None:
        pytest.skip(
            "the Microsoft Graph SDK is too large for this environment: `make test-onedrive` has one with it",
            allow_module_level=True,
        )
