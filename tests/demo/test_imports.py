"""Nobody pays for the demo but those who look at it, and for its runtime only when a model is loaded."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    ("imported", "absent"),
    [
        pytest.param("rampart, rampart.pytest_plugin.plugin", "rampart.demo", id="rampart-without-demo"),
        pytest.param("rampart.cli.main", "rampart.demo", id="command-line-without-demo"),
        pytest.param("rampart.demo.show, rampart.demo.choice", "xllamacpp", id="demo-without-runtime"),
    ],
)
def test_import_leaves_out(imported: str, absent: str) -> None:
    code = f"import {imported}, sys; sys.exit({absent!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
