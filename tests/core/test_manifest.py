"""What an application declares about itself, and how it reads."""

from __future__ import annotations

import pytest
from tests.core.support import REQUIRED, field_table

from rampart.core.manifest import AppManifest, DataSource, ToolDeclaration


def test_fields() -> None:
    assert field_table(ToolDeclaration) == {
        "name": REQUIRED,
        "description": "",
        "parameters": {},
        "permissions": [],
    }
    assert field_table(DataSource) == {"name": REQUIRED, "type": "", "writable_by_untrusted": False}
    assert field_table(AppManifest) == {
        "name": REQUIRED,
        "tools": [],
        "data_sources": [],
        "description": "",
        "metadata": {},
    }


def test_the_first_tool_of_a_name_counts() -> None:
    first = ToolDeclaration(name="search", description="first")
    manifest = AppManifest(name="app", tools=[first, ToolDeclaration(name="search", description="second")])
    assert manifest.get_tool("search") is first
    assert manifest.declares_tool("search")


@pytest.mark.parametrize("name", ["Search", "searc", "search ", ""], ids=["case", "prefix", "space", "empty"])
def test_other_names_are_not_declared(name: str) -> None:
    manifest = AppManifest(name="app", tools=[ToolDeclaration(name="search")])
    assert manifest.get_tool(name) is None
    assert not manifest.declares_tool(name)


@pytest.mark.parametrize(
    ("manifest", "text"),
    [
        pytest.param(AppManifest(name="desk"), "Agent: desk", id="name-alone"),
        pytest.param(
            AppManifest(name="desk", description="Answers mail."),
            "Agent: desk\n\nAnswers mail.",
            id="description",
        ),
        pytest.param(
            AppManifest(
                name="desk",
                description="Answers mail.",
                tools=[
                    ToolDeclaration(
                        name="send",
                        description="Send one mail",
                        parameters={"to": "str", "urgent": "bool"},
                        permissions=["mail.send"],
                    ),
                    ToolDeclaration(name="list_mail"),
                ],
                data_sources=[
                    DataSource(name="inbox", type="mailbox", writable_by_untrusted=True),
                    DataSource(name="wiki", type="pages"),
                ],
                metadata={"owner": "team"},
            ),
            "Agent: desk\n"
            "\n"
            "Answers mail.\n"
            "\n"
            "Available tools:\n"
            "  - send(to: str, urgent: bool) — Send one mail\n"
            "  - list_mail()\n"
            "\n"
            "Accessible data sources:\n"
            "  - inbox (writable by untrusted users)\n"
            "  - wiki",
            id="everything",
        ),
        pytest.param(
            AppManifest(name="desk", data_sources=[DataSource(name="wiki")]),
            "Agent: desk\n\nAccessible data sources:\n  - wiki",
            id="sources-alone",
        ),
    ],
)
def test_text(manifest: AppManifest, text: str) -> None:
    assert str(manifest) == text
