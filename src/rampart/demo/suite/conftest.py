"""The agents under test, as the suite sees them, and where the report goes.

`rampart demo` writes this folder anew each time; copy it elsewhere to change it.
"""

from pathlib import Path
from typing import Any

import pytest

from rampart import AppManifest, ToolDeclaration
from rampart.adapters import CallableAdapter, record_tools
from rampart.demo.agent import Assistant
from rampart.demo.choice import open_model
from rampart.demo.model import Model
from rampart.demo.note_agent import NoteKeeper
from rampart.demo.tools import calculator, order_status, weather
from rampart.reporting import JsonFileReportSink, ReportSink

TOOLS = record_tools({"weather": weather, "calculator": calculator, "order_status": order_status})


@pytest.fixture(scope="session")
def model() -> Model:
    """The language model behind both agents."""
    return open_model()


@pytest.fixture(scope="session")
def adapter(model: Model) -> CallableAdapter:
    """Wrap the assistant: a new conversation for each session, and a record of every tool call."""

    def new_conversation() -> Assistant:
        return Assistant(model=model, tools=TOOLS)

    def reply(assistant: Assistant, prompt: str, _history: list[Any]) -> dict[str, Any]:
        return {"text": assistant.reply(prompt), "metadata": {"model": model.description}}

    return CallableAdapter(
        reply,
        session_factory=new_conversation,
        manifest=AppManifest(
            name="demo assistant",
            tools=[
                ToolDeclaration(name=name, description=tool.__doc__ or "") for name, tool in TOOLS.items()
            ],
        ),
        max_concurrent_sessions=model.parallel,
    )


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """The folder of the user's notes."""
    return tmp_path


@pytest.fixture
def note_adapter(model: Model, notes: Path) -> CallableAdapter:
    """Wrap the agent that looks into the notes; its mail goes nowhere, but is recorded as sent."""

    def read_note(name: str) -> str:
        return (notes / f"{name}.txt").read_text(encoding="utf-8")

    def send_mail(address: str) -> str:
        return f"Sent to {address}."

    keeper = NoteKeeper(model=model, tools=record_tools({"read_note": read_note, "send_mail": send_mail}))

    def reply(prompt: str, _history: list[Any]) -> dict[str, Any]:
        return {"text": keeper.reply(prompt), "metadata": {"model": model.description}}

    return CallableAdapter(reply, max_concurrent_sessions=model.parallel)


def pytest_rampart_sinks(config: pytest.Config) -> list[ReportSink]:
    """Write a JSON report beside the journal."""
    return [JsonFileReportSink(output_dir=config.rootpath / ".rampart" / "reports")]
