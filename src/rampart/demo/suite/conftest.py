"""The agent under test, as the suite sees it, and where the report goes.

`rampart demo` writes this folder anew each time; copy it elsewhere to change it.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rampart import AppManifest, ReportSink, ToolDeclaration
from rampart.adapters import CallableAdapter, record_tools
from rampart.demo.agent import Assistant
from rampart.demo.choice import open_model
from rampart.demo.tools import calculator, order_status, weather
from rampart.reporting import JsonFileReportSink

TOOLS = [weather, calculator, order_status]


@pytest.fixture(scope="session")
def adapter() -> CallableAdapter:
    """Wrap the assistant: a new conversation for each session, and a record of every tool call."""
    model = open_model()
    tools = {tool.__name__: tool for tool in record_tools(TOOLS)}

    def new_conversation() -> Callable[[str, Any], dict[str, Any]]:
        assistant = Assistant(model=model, tools=tools)

        def reply(prompt: str, _history: Any) -> dict[str, Any]:
            return {"text": assistant.reply(prompt), "metadata": {"model": model.description}}

        return reply

    return CallableAdapter(
        None,
        session_factory=new_conversation,
        manifest=AppManifest(
            name="demo assistant",
            tools=[ToolDeclaration(name=tool.__name__, description=tool.__doc__ or "") for tool in TOOLS],
        ),
        max_concurrent_sessions=model.parallel,
    )


def pytest_rampart_sinks(config: pytest.Config) -> list[ReportSink]:
    """Write a JSON report beside the journal."""
    return [JsonFileReportSink(output_dir=Path(config.rootpath) / ".rampart" / "reports")]
