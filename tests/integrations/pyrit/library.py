"""Whether PyRIT is here."""

import importlib.util

import pytest


def need_pyrit() -> None:
    """Skip the test file that calls this when it is imported, unless PyRIT is installed."""
    if importlib.util.find_spec("pyrit") is None:
        pytest.skip(
            "PyRIT is too large for this environment: `make test-pyrit` has one with it",
            allow_module_level=True,
        )
