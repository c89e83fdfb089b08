"""Recorded tools have the types they had; a type checker reads this file, and it runs as well."""

from typing import TYPE_CHECKING, assert_type

from rampart.adapters import CallableAdapter, record_tools
from rampart.core.types import Response

if TYPE_CHECKING:
    from collections.abc import Callable


def send(to: str) -> int:
    return len(to)


@record_tools
def decorated(to: str) -> int:
    return len(to)


@record_tools(name="send_email")
async def named(to: str) -> int:
    return len(to)


class Agent:
    def reply(self, prompt: str, history: list[dict[str, str]]) -> Response:
        return Response(text=prompt)


async def test_types_are_kept() -> None:
    assert_type(record_tools(send)("x"), int)
    tools: list[Callable[[str], int]] = record_tools([send])
    by_name: dict[str, Callable[[str], int]] = record_tools({"send": send})
    assert tools[0]("x") == by_name["send"]("x") == 1
    assert_type(decorated("x"), int)
    assert_type(await named("x"), int)
    assert_type(CallableAdapter(Agent.reply, session_factory=Agent), CallableAdapter)
