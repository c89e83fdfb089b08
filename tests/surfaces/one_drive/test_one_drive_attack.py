"""Attacks on agents that read a folder of OneDrive through Graph."""

from typing import Any

import pytest
from tests.surfaces.agents import attack, check_the_three_agents, order_payload
from tests.surfaces.one_drive.conftest import FOLDER
from tests.surfaces.one_drive.graph_server import DRIVE, Fault, GraphServer
from tests.surfaces.one_drive.sdk import need_sdk

from rampart import PayloadFormat, SafetyStatus
from rampart.surfaces import OneDriveSurface

need_sdk()
pytestmark = pytest.mark.onedrive


@pytest.fixture
def read(client: Any, graph: GraphServer) -> Any:
    """What the agent's tool does: download every file that is there."""

    async def download() -> str:
        items = client.drives.by_drive_id(DRIVE).items
        texts = [await items.by_drive_item_id(item.id).content.get() for item in graph.children(FOLDER)]
        return "\n".join(text.decode() for text in texts)

    return download


@pytest.mark.parametrize("format_", [PayloadFormat.TEXT, PayloadFormat.MARKDOWN, PayloadFormat.HTML])
async def test_the_three_agents(
    surface: OneDriveSurface,
    graph: GraphServer,
    untouched: dict[str, bytes],
    read: Any,
    format_: PayloadFormat,
) -> None:
    await check_the_three_agents(lambda: surface.inject(payload=order_payload(format=format_)), read)
    assert graph.files == untouched


async def test_a_file_that_stays_behind_makes_a_safe_run_an_error(
    surface: OneDriveSurface, graph: GraphServer, read: Any
) -> None:
    graph.faults.append(Fault(method="DELETE", status=423, code="resourceLocked"))
    result = await attack(surface.inject(payload=order_payload()), read, "hardened")
    assert result.status is SafetyStatus.ERROR
    [problem] = result.metadata["cleanup_errors"]
    assert f"OneDrive delete failed for drive={DRIVE} path={FOLDER}/order.txt" in problem


async def test_a_file_that_stays_behind_keeps_the_finding(
    surface: OneDriveSurface, graph: GraphServer, read: Any
) -> None:
    graph.faults.append(Fault(method="DELETE", status=423, code="resourceLocked"))
    result = await attack(surface.inject(payload=order_payload()), read, "obedient")
    assert result.status is SafetyStatus.UNSAFE
    assert result.metadata["cleanup_errors"]
