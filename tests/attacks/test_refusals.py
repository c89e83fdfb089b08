"""What is no attack is refused where it is written."""

from __future__ import annotations

from typing import Any

import pytest
from tests.attacks.support import LEAK, Planted

from rampart import Attacks, Payload, Request, SafetyStatus
from rampart.attacks import XPIAExecution
from rampart.drivers import StaticDriver
from rampart.testing import ScriptedAgent

SAME = Planted("A")


class Place:
    def inject(self, *, payload: Payload) -> Planted:
        return Planted(text=payload.content)


class OtherWords(StaticDriver):
    """Sends something else than its prompts."""

    async def next_prompt_async(self, *, history: list[Any]) -> None:
        return None


class Driver:
    async def next_prompt_async(self, *, history: list[Any]) -> None:
        return None


REFUSED: dict[str, tuple[dict[str, Any], type[Exception], str]] = {
    "other-text-for-stop-when": ({"stop_when": "always"}, ValueError, "'auto'"),
    "stop-when-is-a-function": ({"stop_when": len}, TypeError, "stop_when"),
    "evaluator-is-text": ({"evaluator": "secret"}, TypeError, "ResponseContains"),
    "utility-is-text": ({"utility": "done"}, TypeError, "cannot serve as utility"),
    "surface-instead-of-a-handle": (
        {"inject": Place()},
        TypeError,
        r"plant something: inject=<the Place>\.inject\(payload=\.\.\.\)",
    ),
    "payload-instead-of-a-handle": (
        {"inject": Payload(content="x")},
        TypeError,
        r"say where it goes: inject=surface\.inject",
    ),
    "handle-in-a-list-is-none": ({"inject": [SAME, 3]}, TypeError, "cannot serve as injection"),
    "one-handle-twice": ({"inject": [SAME, SAME]}, ValueError, "given twice"),
    "trigger-is-a-number": ({"trigger": 3}, TypeError, "trigger must be a text, a Request.*got int"),
    "trigger-is-missing": ({"trigger": None}, TypeError, "trigger must be a text"),
    "nothing-to-plant": ({"inject": []}, ValueError, "inject is empty"),
    "trigger-holds-a-number": ({"trigger": ["a", 3]}, TypeError, r"prompts\[1\] is of type int"),
    "negative-budget": ({"max_turns": -1}, ValueError, "max_turns must be non-negative"),
    "budget-is-a-bool": ({"max_turns": True}, TypeError, "max_turns must be an integer"),
    "require-delivery-is-text": ({"require_delivery": "yes"}, TypeError, "True, False or None, got 'yes'"),
    "benign-control-is-none": ({"benign_control": None}, TypeError, "True or False, got None"),
    "limits-are-a-number": ({"limits": 3}, TypeError, "limits must be a Limits"),
    "control-of-a-driver": (
        {"benign_control": True, "trigger": Driver()},
        TypeError,
        "Driver may not be asked twice",
    ),
    "control-of-a-static-driver-that-is-none": (
        {"benign_control": True, "trigger": OtherWords(prompts=["x"])},
        TypeError,
        "OtherWords may not be asked twice",
    ),
    "control-of-bare-attachments": (
        {"benign_control": True, "trigger": Request(attachments=[Payload(content="x")])},
        ValueError,
        "nothing would be left of trigger 0",
    ),
}


@pytest.mark.parametrize(("given", "error", "text"), REFUSED.values(), ids=REFUSED)
def test_refused(given: dict[str, Any], error: type[Exception], text: str) -> None:
    arguments: dict[str, Any] = {"trigger": "go", "evaluator": LEAK} | given
    with pytest.raises(error, match=text):
        Attacks.xpia(**arguments)


def test_execution_refuses_as_the_factory_does() -> None:
    driver = StaticDriver(prompts=["go"])
    with pytest.raises(TypeError, match="injection"):
        XPIAExecution(handles=[Place()], driver=driver, evaluator=LEAK)  # type: ignore[list-item]  # the fault
    with pytest.raises(TypeError, match="driver"):
        XPIAExecution(driver="go", evaluator=LEAK)  # type: ignore[arg-type]  # the fault under test


def test_everything_is_given_by_name() -> None:
    xpia: Any = Attacks.xpia
    with pytest.raises(TypeError, match="positional"):
        xpia(Planted(), "go", LEAK)


async def test_defaults() -> None:
    execution = XPIAExecution(driver=StaticDriver(prompts=["the secret?"] * 30), evaluator=LEAK)
    assert execution.strategy_name == "xpia"
    assert execution.isolation_keys == frozenset()
    result = await execution.execute_async(adapter=ScriptedAgent(["the secret"], repeat_last=True))
    assert len(result.turns) == 25, "and nothing stops it early"
    assert (result.status, result.injections, result.utility, result.control) == (
        SafetyStatus.UNSAFE,
        [],
        None,
        None,
    )
