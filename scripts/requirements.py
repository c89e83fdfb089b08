"""Print requirements from pyproject.toml as pip's requirements file.

pip reads dependency groups itself only from version 25.1 on, and a new virtual environment may come with an
older one.

    python scripts/requirements.py               what development needs
    python scripts/requirements.py --runtime     what rampart itself needs

The last line is a comment that stands for everything else an installation depends on, so that the text
changes exactly when something has to be installed anew.
"""

import hashlib
import json
import sys
import tomllib
from pathlib import Path
from typing import Any

_DECIDES_AN_INSTALLATION = ("build-system", "project", "dependency-groups")


def requirements(settings: dict[str, Any], *, runtime: bool) -> str:
    """Return the text of a requirements file.

    Args:
        settings: What pyproject.toml holds.
        runtime: Take the dependencies of the package instead of those of development.

    Raises:
        ValueError: If an entry is no plain requirement, such as one that includes another group.
    """
    entries: list[object]
    entries = settings["project"]["dependencies"] if runtime else settings["dependency-groups"]["dev"]
    lines: list[str] = []
    for entry in entries:
        if not isinstance(entry, str):
            msg = f"pyproject.toml lists {entry!r} among the requirements; only plain ones are read here"
            raise ValueError(msg)
        lines.append(entry)
    decisive = {table: settings.get(table) for table in _DECIDES_AN_INSTALLATION}
    digest = hashlib.sha256(json.dumps(decisive, sort_keys=True).encode()).hexdigest()
    return "\n".join([*lines, f"# installation: {digest}", ""])


if __name__ == "__main__":
    path = Path(__file__).resolve().parent.parent / "pyproject.toml"
    found = tomllib.loads(path.read_text(encoding="utf-8"))
    sys.stdout.write(requirements(found, runtime="--runtime" in sys.argv[1:]))
