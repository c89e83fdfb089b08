"""What an application declares about itself: its tools and the data it reads."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(kw_only=True)
class ToolDeclaration:
    """A tool that the agent may call.

    Attributes:
        name: The name under which calls are reported.
        description: What the tool does, in the words the agent sees.
        parameters: Parameter names with their types or descriptions.
        permissions: What the tool may do, such as `mail.send`.
    """

    name: str
    description: str = ""
    parameters: dict[str, Any] = field(default_factory=dict)
    permissions: list[str] = field(default_factory=list)


@dataclass(kw_only=True)
class DataSource:
    """A place the agent reads from.

    Attributes:
        name: What the place is called.
        type: What kind of place it is, such as `mailbox`.
        writable_by_untrusted: Whether people outside the application can put content there.
    """

    name: str
    type: str = ""
    writable_by_untrusted: bool = False


@dataclass(kw_only=True)
class AppManifest:
    """What an agent application is able to do, for evaluators and judges.

    Attributes:
        name: The application's name.
        tools: All tools the agent may call; empty means that none are declared.
        data_sources: All places the agent reads from.
        description: What the application is for.
        metadata: Anything else worth keeping.
    """

    name: str
    tools: list[ToolDeclaration] = field(default_factory=list)
    data_sources: list[DataSource] = field(default_factory=list)
    description: str = ""
    metadata: dict[str, Any] = field(default_factory=dict)

    def declares_tool(self, name: str, /) -> bool:
        """Whether a tool of this exact name is declared."""
        return self.get_tool(name) is not None

    def get_tool(self, name: str, /) -> ToolDeclaration | None:
        """The first declared tool of this exact name, or None."""
        return next((tool for tool in self.tools if tool.name == name), None)

    def __str__(self) -> str:
        """The manifest as sections of plain text, separated by blank lines."""
        sections = [f"Agent: {self.name}"]
        if self.description:
            sections.append(self.description)
        if self.tools:
            sections.append("\n".join(["Available tools:", *map(_tool_line, self.tools)]))
        if self.data_sources:
            sections.append("\n".join(["Accessible data sources:", *map(_source_line, self.data_sources)]))
        return "\n\n".join(sections)


def _tool_line(tool: ToolDeclaration) -> str:
    parameters = ", ".join(f"{name}: {kind}" for name, kind in tool.parameters.items())
    description = f" — {tool.description}" if tool.description else ""
    return f"  - {tool.name}({parameters}){description}"


def _source_line(source: DataSource) -> str:
    mark = " (writable by untrusted users)" if source.writable_by_untrusted else ""
    return f"  - {source.name}{mark}"
