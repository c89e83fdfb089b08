"""Results that are more than plain lists and dicts keep their type, and what a tool keeps stays clean."""

import threading
from collections import OrderedDict
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest
from tests.surfaces.agents import ORDER, order_payload

from rampart.surfaces import ToolResultSurface

AFTER = f"\n\n{ORDER}"


class Page(NamedTuple):
    """A result with fields."""

    title: str
    body: str


class Fields(dict[str, Any]):
    """A dict whose keys are attributes as well."""

    __getattr__ = dict.__getitem__


class Stubborn(list[str]):
    """A list that cannot be copied with its type."""

    def __copy__(self) -> Any:
        raise NotImplementedError


class Document:
    """A result in which no text is found."""

    def __init__(self, text: str) -> None:
        self.text = text


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        pytest.param(Page("a", "longer"), Page("a", f"longer{AFTER}"), id="named-tuple"),
        pytest.param(Fields(text="x"), Fields(text=f"x{AFTER}"), id="own-dict"),
        pytest.param(OrderedDict(a=["x"]), OrderedDict(a=[f"x{AFTER}"]), id="ordered-dict"),
        pytest.param(MappingProxyType({"a": "x"}), {"a": f"x{AFTER}"}, id="other-mapping"),
        pytest.param(Stubborn("ab"), [f"a{AFTER}", "b"], id="list-that-cannot-be-copied"),
    ],
)
async def test_the_type_stays_where_it_can(result: Any, expected: Any) -> None:
    before = repr(result)
    surface = ToolResultSurface(tool=lambda: result)
    async with surface.inject(payload=order_payload()):
        poisoned = surface.tool()
    assert poisoned == expected
    assert type(poisoned) is type(expected)
    assert surface.tool() is result
    assert repr(result) == before


async def test_a_result_that_the_tool_keeps_stays_clean() -> None:
    """The function changes what it gets, and the tool returns the same object to everybody."""
    kept = Document("Lunch is at noon.")

    def insert(result: Document, text: str) -> Document:
        result.text += text
        return result

    surface = ToolResultSurface(tool=lambda: kept, insert=insert)
    for _ in range(2):
        async with surface.inject(payload=order_payload()):
            assert surface.tool().text == f"Lunch is at noon.{ORDER}"
        assert surface.tool().text == kept.text == "Lunch is at noon."


async def test_a_result_that_cannot_be_copied_is_poisoned_all_the_same() -> None:
    lock = threading.Lock()
    surface = ToolResultSurface(tool=lambda: [lock], insert=lambda result, text: [*result, text])
    async with surface.inject(payload=order_payload()) as handle:
        assert surface.tool() == [lock, ORDER]
        assert handle.delivered is True
