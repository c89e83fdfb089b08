"""Async methods of a `unittest.TestCase`, which calls them and drops the coroutine, so that they pass."""

from __future__ import annotations

import functools
import inspect
from typing import Any

import pytest

from rampart.pytest_plugin._claims import is_ours
from rampart.pytest_plugin._markers import is_unittest


class Watch:
    """Notices whether somebody awaits a test: frameworks with test cases of their own do, in various ways."""

    def __init__(self, item: pytest.Function) -> None:
        self._item = item
        self._begun = False
        original: Any = item.obj

        @functools.wraps(original)
        async def begin(*args: Any, **kwargs: Any) -> object:
            self._begun = True
            return await original(*args, **kwargs)

        # pytest makes a case for each run of the test, and leaves it to unittest to find the method.
        setattr(original.__self__, item.name, begin)

    def refuse_unless_begun(self) -> None:
        """Fail a test of which nothing ran."""
        if not self._begun:
            pytest.fail(
                f"{self._item.nodeid} is an async method of a unittest.TestCase, which never awaits it, so "
                "nothing was tested: derive the class from unittest.IsolatedAsyncioTestCase, or from nothing",
                pytrace=False,
            )


def watch(item: pytest.Item) -> Watch | None:
    """Watch a test that is about to be called, if it is one of those."""
    if not is_unittest(item) or not isinstance(item, pytest.Function):
        return None
    method: object = item.obj
    if not inspect.iscoroutinefunction(method) or not inspect.ismethod(method) or not is_ours(item):
        return None
    return Watch(item)
