"""Where rampart keeps downloads on this machine."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path


def cache_folder(*, environ: Mapping[str, str] | None = None, platform: str = sys.platform) -> Path:
    """Return rampart's cache folder; it need not exist.

    `RAMPART_CACHE_DIR` wins, then `XDG_CACHE_HOME` (a relative value is ignored, as the XDG base directory
    specification asks), then the platform's usual place.

    Args:
        environ: The environment; None means that of this process.
        platform: A value of `sys.platform`.
    """
    env = os.environ if environ is None else environ
    if own := env.get("RAMPART_CACHE_DIR"):
        return Path(own).expanduser()
    xdg = env.get("XDG_CACHE_HOME", "")
    if xdg and Path(xdg).is_absolute():
        return Path(xdg) / "rampart"
    if platform == "win32" and (local := env.get("LOCALAPPDATA")):
        return Path(local) / "rampart" / "Cache"
    if platform == "darwin":
        return Path.home() / "Library" / "Caches" / "rampart"
    return Path.home() / ".cache" / "rampart"
