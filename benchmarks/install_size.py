"""What `pip install rampart` puts into a virtual environment; needs a package index."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import venv
from pathlib import Path

from benchmarks.table import Row

_NOT_COUNTED = {"pip", "setuptools"}


def _size_mb(folder: Path) -> float:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6


def rows() -> list[Row]:
    """Measure."""
    project = Path(__file__).resolve().parent.parent
    with tempfile.TemporaryDirectory() as name:
        environment = Path(name) / "environment"
        venv.create(environment, with_pip=True)
        python = environment / ("Scripts" if sys.platform == "win32" else "bin") / "python"
        packages = next(environment.rglob("site-packages"))
        before = _size_mb(packages)
        install = [
            str(python),
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            str(project),
        ]
        subprocess.run(install, check=True, capture_output=True)
        listed = subprocess.run(
            [str(python), "-m", "pip", "list", "--format=freeze", "--disable-pip-version-check"],
            check=True,
            capture_output=True,
            text=True,
        ).stdout.split()
        names = {line.partition("==")[0].lower() for line in listed} - _NOT_COUNTED
        size = _size_mb(packages) - before
    return [
        Row(what="distributions besides pip and setuptools", value=len(names), unit="", goal=17),
        Row(what="on disk, compiled modules included", value=size, unit="MB", goal=40),
    ]
