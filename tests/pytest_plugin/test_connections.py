"""The summary says what `connect` chose."""

from typing import Any

AGENT = """
from rampart import Probes
from rampart.adapters import connect
from rampart.evaluators import ResponseContains, ResponseScope

def shop(prompt, history):
    return "Hello."

adapter = connect(shop)

async def greets():
    hello = ResponseContains("Hello", scope=ResponseScope.ANY_TURN)
    return await Probes.behavior(prompt="Hi", evaluator=hello).execute_async(adapter=adapter)
"""


def test_a_connection_is_shown_once(project: Any) -> None:
    project.write(f"{AGENT}\nasync def test_it():\n    assert connect(shop) and await greets()\n")
    lines = [line for line in project.run("-q").outlines if line.startswith("Agent: ")]
    assert len(lines) == 1
    chosen = "Agent: CallableAdapter for the function 'shop' (response_only). Observed: replies."
    assert lines[0].startswith(f"{chosen} Not observed: tool calls")


def test_a_run_without_results_shows_none(project: Any) -> None:
    project.write(f"{AGENT}\ndef test_it():\n    assert adapter\n")
    assert "Agent: " not in project.run("-q").stdout.str()


def test_a_run_does_not_show_those_of_an_earlier_one(project: Any) -> None:
    project.write(f"{AGENT}\nasync def test_it():\n    assert await greets()\n")
    assert project.run("-q").stdout.str().count("Agent: ") == 1
    project.write("async def test_other():\n    assert await one(SAFE)\n")
    assert "Agent: " not in project.run("-q").stdout.str()
