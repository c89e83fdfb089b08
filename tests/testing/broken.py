"""How a broken adapter says which check finds it."""

from collections.abc import Callable
from typing import Any, TypeVar

import pytest
from tests.testing.memory_adapter import MemoryAdapter, MemorySession

from rampart.testing import AdapterConformance

CHECKS = [name for name in vars(AdapterConformance) if name.startswith("test_")]

Adapter = TypeVar("Adapter", bound=type[MemoryAdapter])
Session = TypeVar("Session", bound=type[MemorySession])


class Broken:
    """Adapters that break a rule, with the check that finds it and what it says."""

    def __init__(self) -> None:
        self.rows: list[Any] = []

    def adapter(self, check: str, message: str) -> Callable[[Adapter], Adapter]:
        """Add the decorated adapter."""

        def add(adapter: Adapter) -> Adapter:
            self.add(adapter, check, message, name=adapter.__name__)
            return adapter

        return add

    def session(self, check: str, message: str) -> Callable[[Session], Session]:
        """Add an adapter with the decorated session."""

        def add(session: Session) -> Session:
            adapter = type(session.__name__, (MemoryAdapter,), {"session_class": session})
            self.add(adapter, check, message, name=session.__name__)
            return session

        return add

    def add(self, adapter: type[MemoryAdapter], check: str, message: str, *, name: str) -> None:
        """Add one row."""
        assert f"test_{check}" in CHECKS
        self.rows.append(pytest.param(adapter, f"test_{check}", message, id=name))
