"""Refusing tests with malformed markers before anything runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rampart.pytest_plugin._markers import marker_faults

if TYPE_CHECKING:
    from collections.abc import Iterable


def refuse_collected(report: pytest.CollectReport) -> bool:
    """Turn the report of a file or class into a collection error if one of its tests is malformed."""
    lines = _faults(node for node in report.result if isinstance(node, pytest.Item))
    if lines:
        report.outcome = "failed"
        report.longrepr = "\n".join(lines)
        report.result = []
    return bool(lines)


def refuse_late(items: Iterable[pytest.Item]) -> None:
    """Check markers that other plugins and conftest files added after collection.

    Raises:
        pytest.UsageError: If one is malformed.
    """
    lines = _faults(items)
    if lines:
        raise pytest.UsageError(*lines)


def _faults(items: Iterable[pytest.Item]) -> list[str]:
    return [_located(fault, item.nodeid) for item in items for fault in marker_faults(item)]


def _located(fault: str, nodeid: str) -> str:
    return fault if nodeid in fault else f"{fault}: {nodeid}"
