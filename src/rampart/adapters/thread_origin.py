"""Threads that carry no context, and whether one session alone can have begun them.

When a thread was started cannot be asked. What can be known is which threads were alive at a given
moment, so this looks when a session begins to answer and when it ends. A thread that was alive before
may work for anybody: a fixture, a pool that all sessions share, a session that is over.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Generic, TypeVar
from weakref import WeakSet, ref

if TYPE_CHECKING:
    from collections.abc import Iterable
    from threading import Thread

S = TypeVar("S")


class ThreadOrigins(Generic[S]):
    """The threads that began while one session, the only one that was open, was answering.

    Not for several threads at once: its user holds a lock. The threads that are alive are handed in,
    since listing them takes a lock of Python's own.
    """

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """No session is alone from now on, or a new one is."""
        self._session: ref[S] | None = None
        self._answering = False
        self._foreign: WeakSet[Thread] = WeakSet()
        self._own: WeakSet[Thread] = WeakSet()

    def begin(self, session: S, alive: Iterable[Thread]) -> None:
        """The only open session is answering from now on."""
        if not self._is_of(session):
            self.forget()
            self._session = ref(session)
        self._answering = True
        self._foreign.update(thread for thread in alive if thread not in self._own)

    def end(self, session: S, alive: Iterable[Thread]) -> None:
        """The session has answered."""
        if self._is_of(session):
            self._answering = False
            self._own.update(thread for thread in alive if thread not in self._foreign)

    def began_in(self, session: S, thread: Thread) -> bool:
        """Whether `thread` can only have been begun by `session`."""
        if not self._is_of(session) or isinstance(thread, threading._DummyThread):
            return False  # a dummy stands for a thread that was not begun by Python: nobody saw it begin
        return thread in self._own or (self._answering and thread not in self._foreign)

    def _is_of(self, session: S) -> bool:
        return self._session is not None and self._session() is session
