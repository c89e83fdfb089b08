"""Whether a path leads to a GGUF file, before a runtime spends memory on it."""

from __future__ import annotations

from pathlib import Path

from rampart.core.errors import ConfigurationError
from rampart.text.oneline import quote

_MAGIC = b"GGUF"
"""First bytes of a file; see docs/gguf.md in the repository of ggml."""


def gguf_file(path: Path | str) -> Path:
    """The absolute path of a GGUF file.

    Raises:
        TypeError: If `path` is no path.
        ConfigurationError: If there is no such file, it cannot be read, or it is something else.
    """
    if not isinstance(path, Path | str):
        msg = f"path must be the path of a .gguf file, got {type(path).__name__}"
        raise TypeError(msg)
    found = Path(path).expanduser().absolute()
    shown = quote(str(found))
    if found.is_dir():
        msg = f"{shown} is a folder; give the path of a .gguf file in it"
        raise ConfigurationError(msg)
    try:
        with found.open("rb") as file:
            beginning = file.read(len(_MAGIC))
    except FileNotFoundError:
        msg = f"there is no file {shown}; give the path of a .gguf file"
        raise ConfigurationError(msg) from None
    except (OSError, ValueError) as error:
        msg = f"{shown} cannot be read: {quote(str(error))}"
        raise ConfigurationError(msg) from error
    if beginning != _MAGIC:
        msg = (
            f"{shown} is no GGUF file: it begins with {beginning!r}, expected {_MAGIC!r}; models in other "
            f"formats must be converted, and a download may have failed"
        )
        raise ConfigurationError(msg)
    return found
