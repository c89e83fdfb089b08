"""Whether a framework is here."""

import importlib.util
import os

import pytest


def need(module: str) -> None:
    """Skip the test file that calls this when it is imported, unless the framework is installed.

    In the environments that are made for frameworks (`RAMPART_FRAMEWORKS=needed`) it fails instead.
    """
    try:
        found = importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:  # of the package that it would be in
        found = False
    if not found:
        if os.environ.get("RAMPART_FRAMEWORKS") == "needed":
            pytest.fail(f"{module} is not installed, although this environment is made for it", pytrace=False)
        pytest.skip(f"{module} is not installed; scripts/test-adapters has it", allow_module_level=True)
