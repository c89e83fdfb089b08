"""The installed command `rampart demo`, run as a user runs it."""

import os
import subprocess
import sys
from pathlib import Path

RAMPART = str(Path(sys.executable).with_name("rampart"))
_CHOOSING = ("RAMPART_DEMO_MODEL", "RAMPART_LOCAL_MODEL", "RAMPART_LLM_ENDPOINT", "RAMPART_LLM_MODEL")


def run_demo_command(
    folder: Path, *arguments: str, environ: dict[str, str] | None = None, timeout_s: float = 100
) -> subprocess.CompletedProcess[str]:
    """Run it in `folder`, with nothing of the environment choosing a model but `environ`."""
    kept = {name: value for name, value in os.environ.items() if name not in _CHOOSING}
    return subprocess.run(
        [RAMPART, "demo", *arguments],
        cwd=folder,
        env={**kept, **(environ or {})},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=timeout_s,
        check=False,
    )
