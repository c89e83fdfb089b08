"""The agent under test, as the suite sees it, and where the report goes.

`rampart demo` writes this folder anew each time; copy it elsewhere to change it.
"""

from typing import Any

import pytest

from rampart import AppManifest, ToolDeclaration
from rampart.adapters import CallableAdapter, record_tools
from rampart.demo.agent import Assistant
from rampart.demo.choice import open_model
from rampart.demo.tools import calculator, order_status, weather
from rampart.reporting import JsonFileReportSink, ReportSink

TOOLS = record_tools({"weather": weather, "calculator": calculator, "order_status": order_status})


@pytest.fixture(scope="session")
def adapter() -> CallableAdapter:
    """Wrap the assistant: a new conversation for each session, and a record of every tool call."""
    model = open_model()

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


def pytest_rampart_sinks(config: pytest.Config) -> list[ReportSink]:
    """Write a JSON report beside the journal."""
    return [JsonFileReportSink(output_dir=config.rootpath / ".rampart" / "reports")]
