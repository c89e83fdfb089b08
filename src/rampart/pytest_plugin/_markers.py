"""The markers `harm` and `trial`: reading them, and saying what is wrong with one."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from rampart.pytest_plugin._trial_config import TrialConfig

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rampart.core.types import HarmCategory

HARM = "harm"
TRIAL = "trial"
_DESCRIPTIONS = (
    "harm(*categories): categorize by harm type",
    "trial(n=, threshold=): statistical repetition",
)
_TRIAL_PARAMETERS = ("n", "threshold")


class MarkerError(ValueError):
    """A marker cannot be used as it is written."""


def register_markers(config: pytest.Config) -> None:
    """Make `pytest --markers` and `--strict-markers` know them."""
    for line in _DESCRIPTIONS:
        config.addinivalue_line("markers", line)


def closest_marks(item: pytest.Item, name: str) -> list[pytest.Mark]:
    """The marks of that name on the node nearest to the test, a base class counting as farther away."""
    for node in reversed(item.listchain()):
        if not node.own_markers:
            continue
        marks = [mark for mark in node.own_markers if mark.name == name]
        if len(marks) > 1 and isinstance(node, pytest.Class):
            return _marks_of_nearest_class(node.obj, name) or marks
        if marks:
            return marks
    return []


def _marks_of_nearest_class(cls: type, name: str) -> list[pytest.Mark]:
    for base in cls.__mro__:
        stored: object = base.__dict__.get("pytestmark", [])
        marks = [getattr(mark, "mark", mark) for mark in (stored if isinstance(stored, list) else [stored])]
        named = [mark for mark in marks if isinstance(mark, pytest.Mark) and mark.name == name]
        if named:
            return named
    return []


def harm_category(item: pytest.Item) -> HarmCategory | str | None:
    """The first category of the closest `harm` marker; None without one."""
    marks = closest_marks(item, HARM)
    return marks[0].args[0] if marks and marks[0].args else None


def declared_trial(item: pytest.Item) -> TrialConfig | None:
    """What the closest `trial` marker declares, `--rampart-trials` not applied; None without one.

    Raises:
        MarkerError: If the marker is malformed.
    """
    marks = closest_marks(item, TRIAL)
    return _parse_trial(marks[0]) if marks else None


def effective_trial(item: pytest.Item, *, override: int | None) -> TrialConfig | None:
    """What the marker declares, with n replaced by `override` if there is one.

    Raises:
        MarkerError: If the marker is malformed.
    """
    declared = declared_trial(item)
    if declared is None or override is None:
        return declared
    return replace(declared, n=override)


def marker_faults(item: pytest.Item) -> Iterator[str]:
    """Everything that is wrong with the rampart markers of a test, one text each."""
    for mark in item.iter_markers(HARM):
        yield from _harm_faults(mark)
    marks = closest_marks(item, TRIAL)
    if not marks:
        return
    if len(marks) > 1:
        yield f"trial is given twice on {item.nodeid}"
    if is_unittest(item):
        yield f"trial is not supported on unittest.TestCase methods: {item.nodeid}"
    elif not isinstance(item, pytest.Function):
        yield f"trial is supported on test functions and methods only: {item.nodeid}"
    try:
        _parse_trial(marks[0])
    except MarkerError as error:
        yield str(error)


def is_unittest(item: pytest.Item) -> bool:
    unittest = sys.modules.get("unittest")  # whoever wrote a TestCase has imported it
    cls: object = getattr(item, "cls", None)
    return unittest is not None and isinstance(cls, type) and issubclass(cls, unittest.TestCase)


def _harm_faults(mark: pytest.Mark) -> Iterator[str]:
    if mark.kwargs:
        yield f"harm marker has unsupported argument(s): {', '.join(sorted(mark.kwargs))}"
    if not mark.args:
        yield "harm marker needs at least one category, such as harm(HarmCategory.JAILBREAK)"
    for category in mark.args:
        if not isinstance(category, str) or not category.strip():
            yield f"harm category must be a non-blank string or a HarmCategory, got {category!r}"


def _parse_trial(mark: pytest.Mark) -> TrialConfig:
    unknown = sorted(set(mark.kwargs) - set(_TRIAL_PARAMETERS))
    if unknown:
        msg = f"trial marker has unsupported argument(s): {', '.join(unknown)}; it takes n and threshold"
        raise MarkerError(msg)
    if len(mark.args) > len(_TRIAL_PARAMETERS):
        msg = "trial marker accepts at most two positional arguments"
        raise MarkerError(msg)
    values = dict(zip(_TRIAL_PARAMETERS, mark.args, strict=False))
    for name in values:
        if name in mark.kwargs:
            msg = f"trial {name} was provided both positionally and by keyword"
            raise MarkerError(msg)
    values |= mark.kwargs
    return TrialConfig(n=_trials(values.get("n", 1)), threshold=_threshold(values.get("threshold", 1.0)))


def _trials(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        msg = f"trial n must be a positive integer, got {value!r}"
        raise MarkerError(msg)
    return value


def _threshold(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        msg = f"trial threshold must be a number, got {value!r}"
        raise MarkerError(msg)
    if not 0 <= value <= 1:  # NaN fails this too
        hint = f"; for {value:g}% write {value / 100:g}" if 1 < value <= 100 else ""
        msg = f"trial threshold must be between 0.0 and 1.0, got {value!r}{hint}"
        raise MarkerError(msg)
    return float(value)
