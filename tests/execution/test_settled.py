"""A turn holds what was said and done in it, whatever becomes of the objects it came in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.execution.support import Agent, run

from rampart.core.result import Result, SafetyStatus
from rampart.core.types import Request, Response, SideEffect, ToolCall, Usage
from rampart.evaluators import ResponseContains, ResponseScope, ToolCalled
from rampart.execution.settled import plain_copy, settled_response
from rampart.probes import Probes

if TYPE_CHECKING:
    from collections.abc import Callable

SAFE, UNSAFE, ERROR = SafetyStatus.SAFE, SafetyStatus.UNSAFE, SafetyStatus.ERROR
NO_WIPE = ~ToolCalled("wipe")


def wipe() -> ToolCall:
    return ToolCall(name="wipe", arguments={"path": "/"}, executed=True)


def probed(answer: Callable[[int], Any], evaluator: Any = NO_WIPE, *, turns: int = 1) -> Result:
    asked = iter(range(turns))

    async def send(request: Request) -> object:
        return answer(next(asked))

    probe = Probes.behavior(prompts=["x"] * turns, evaluator=evaluator)
    return run(probe.execute_async(adapter=Agent(send)))


@pytest.mark.parametrize(
    ("calls", "seen", "kept"),
    [
        pytest.param(lambda: (call for call in [wipe()]), "generator", ["wipe"], id="generator"),
        pytest.param(lambda: iter([wipe()]), "list_iterator", ["wipe"], id="iterator"),
        pytest.param(lambda: None, "NoneType", [], id="none"),
        pytest.param(lambda: "wipe", "str", [], id="text"),
    ],
)
def test_calls_that_are_no_list_are_an_error_that_keeps_what_they_held(
    calls: Callable[[], Any], seen: str, kept: list[str]
) -> None:
    result = probed(lambda turn: Response(text="ok", tool_calls=calls()))
    assert result.status is ERROR
    assert f"answered a Response whose tool_calls is {seen}, expected a list of ToolCall" in result.summary
    assert result.turns[0].response.text == "ok"
    assert [call.name for call in result.turns[0].response.tool_calls] == kept


@pytest.mark.parametrize(
    ("response", "seen"),
    [
        pytest.param(Response(text="", tool_calls=["x"]), "tool_calls[0] is str", id="item"),  # type: ignore[list-item]  # the fault
        pytest.param(
            Response(text="", tool_calls=[ToolCall(name=b"wipe")]),  # type: ignore[arg-type]  # the fault
            "tool_calls[0] has a name of type bytes, expected a str",
            id="name",
        ),
        pytest.param(
            Response(text="", side_effects=[wipe()]),  # type: ignore[list-item]  # the fault
            "side_effects[0] is ToolCall, expected a SideEffect",
            id="effect",
        ),
    ],
)
def test_malformed_items_are_named(response: Response, seen: str) -> None:
    result = probed(lambda turn: response)
    assert result.status is ERROR
    assert seen in result.summary


def test_a_list_that_the_next_turn_empties_has_been_read() -> None:
    shared: list[ToolCall] = []

    def answer(turn: int) -> Response:
        shared.clear()
        if turn == 0:
            shared.append(wipe())
        return Response(text="ok", tool_calls=shared)

    assert probed(answer, turns=2).status is UNSAFE


def test_a_response_that_is_used_again_has_been_read() -> None:
    response = Response(text="")

    def answer(turn: int) -> Response:
        response.text = "secret" if turn == 0 else "nothing"
        return response

    leaks = ResponseContains("secret", scope=ResponseScope.ANY_TURN)
    result = probed(answer, ~leaks, turns=2)
    assert result.status is UNSAFE
    assert [turn.response.text for turn in result.turns] == ["secret", "nothing"]


def test_arguments_that_change_later_have_been_read() -> None:
    box = {"to": ["eve"]}

    def answer(turn: int) -> Response:
        if turn == 0:
            return Response(text="", tool_calls=[ToolCall(name="pay", arguments={"box": box})])
        box["to"].clear()
        return Response(text="")

    assert probed(answer, ~ToolCalled("pay", box={"to": ["eve"]}), turns=2).status is UNSAFE


class Evil(str):
    """Text that answers as it likes."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return False

    def __hash__(self) -> int:
        return 0

    def __contains__(self, other: object) -> bool:
        return False

    def casefold(self) -> str:
        return ""

    def translate(self, table: object, /) -> str:
        return ""


@pytest.mark.parametrize(
    ("response", "evaluator"),
    [
        pytest.param(
            lambda: Response(text=Evil("secret")),
            ~ResponseContains("secret", scope=ResponseScope.ANY_TURN),
            id="text",
        ),
        pytest.param(lambda: Response(text="", tool_calls=[ToolCall(name=Evil("wipe"))]), NO_WIPE, id="name"),
        pytest.param(
            lambda: Response(text="", tool_calls=[ToolCall(name="pay", arguments={Evil("to"): Evil("eve")})]),
            ~ToolCalled("pay", to="eve"),
            id="argument",
        ),
    ],
)
def test_strings_of_a_class_of_their_own_decide_nothing(
    response: Callable[[], Response], evaluator: Any
) -> None:
    assert probed(lambda turn: response(), evaluator).status is UNSAFE


def test_a_response_whose_text_changes_between_reads_is_read_once() -> None:
    texts = iter(["secret", "nothing", "nothing", "nothing"])

    class Shifty(Response):
        @property
        def text(self) -> str:
            return next(texts)

        @text.setter
        def text(self, value: str) -> None: ...

    leaks = ResponseContains("secret", scope=ResponseScope.ANY_TURN)
    assert probed(lambda turn: Shifty(text=""), ~leaks).status is UNSAFE


def test_a_copy_equals_its_original_and_shares_nothing() -> None:
    original = Response(
        text="t",
        tool_calls=[wipe()],
        side_effects=[SideEffect(kind="k", details={"a": [1, {"b": (2, None)}]})],
        usage=Usage(input_tokens=1),
        metadata={"m": 1},
    )
    copy, problem = settled_response(original)
    assert problem is None
    assert copy == original
    assert copy.tool_calls[0] is not original.tool_calls[0]
    assert copy.side_effects[0].details["a"] is not original.side_effects[0].details["a"]
    assert copy.usage is not original.usage
    assert copy.metadata is not original.metadata


def test_cycles_and_depth_are_survived() -> None:
    loop: list[Any] = [1]
    loop.append(loop)
    copied = plain_copy(loop)
    assert copied[1] is copied
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    assert plain_copy(deep) is deep


def test_what_cannot_be_copied_is_kept() -> None:
    class Stubborn:
        def __deepcopy__(self, memo: object) -> object:
            raise RuntimeError("no")

    value = Stubborn()
    assert plain_copy({"a": value})["a"] is value
