"""What a folder holds, for comparing it with what it held before."""

import stat
from pathlib import Path
from typing import Any


def tree(folder: Path) -> dict[str, Any]:
    """Everything below a folder: bytes, permissions and times of change of files, targets of links."""
    found: dict[str, Any] = {}
    for path in sorted(folder.rglob("*")):
        about, name = path.lstat(), str(path.relative_to(folder))
        if path.is_symlink():
            found[name] = f"-> {path.readlink()}"
        elif stat.S_ISREG(about.st_mode):
            found[name] = (path.read_bytes(), stat.S_IMODE(about.st_mode), about.st_mtime_ns)
        else:
            found[name] = stat.S_IFMT(about.st_mode)
    return found


def open_descriptors() -> int:
    """How many files, sockets and pipes this process has open; 0 where the system does not say."""
    here = Path("/proc/self/fd")
    return len(list(here.iterdir())) if here.is_dir() else 0
