"""What a function does to the world outside, seen while it runs."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

_FILES = frozenset(
    {"open", "mkdir", "unlink", "remove", "rename", "replace", "rmdir", "link", "symlink", "truncate"}
)
_DEEDS = {
    "posix": _FILES,
    "nt": _FILES,
    "io": {"open"},
    "_io": {"open", "open_code"},
    "socket": {"bind", "connect", "connect_ex", "listen", "send", "sendall", "sendto"},
    "_socket": {"getaddrinfo"},
    "sqlite3": {"execute", "executemany", "executescript"},
    "_sqlite3": {"connect"},
    "_thread": {"start_new_thread", "start_joinable_thread"},
    "_posixsubprocess": {"fork_exec"},
}


def deeds_of(function: Callable[[], object]) -> list[str]:
    """The calls by which `function` reached outside: files, connections, threads, processes.

    Imports do not count. Nothing is seen while a profiler runs, which is not disturbed.
    """
    found: dict[str, None] = {}
    if sys.getprofile() is not None:
        function()
        return []

    def watch(frame: FrameType, event: str, called: Any) -> None:
        if event == "c_call" and _is_deed(called) and not _imports(frame):
            found[f"{_module(called).lstrip('_')}.{called.__name__}"] = None

    sys.setprofile(watch)
    try:
        function()
    finally:
        sys.setprofile(None)
    return list(found)


def _is_deed(called: Any) -> bool:
    return called.__name__ in _DEEDS.get(_module(called), ())


def _module(called: Any) -> str:
    """The module of a function, or of the object whose method it is."""
    return called.__module__ or type(called.__self__).__module__


def _imports(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False
