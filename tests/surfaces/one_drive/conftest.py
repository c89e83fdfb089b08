"""A real Graph client whose service is on the loopback."""

from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from tests.surfaces.one_drive.client import open_client
from tests.surfaces.one_drive.graph_server import DRIVE, GraphServer, graph_server

from rampart.surfaces import OneDriveSurface

FOLDER = "Shared Documents/Reports"


@pytest.fixture
def graph() -> Iterator[GraphServer]:
    """The service, with a folder and a file that the tests have nothing to do with."""
    with graph_server() as graph:
        graph.write(f"{FOLDER}/budget.txt", b"somebody's budget\r\n")
        yield graph


@pytest.fixture
async def client(graph: GraphServer) -> AsyncIterator[Any]:
    """A `GraphServiceClient` that reaches the service."""
    async with open_client(graph.url) as client:
        yield client


@pytest.fixture
def surface(client: Any) -> OneDriveSurface:
    """A folder whose files are found at once."""
    return OneDriveSurface(graph_client=client, drive_id=DRIVE, folder_path=FOLDER, indexing_delay=0)


@pytest.fixture
def untouched(graph: GraphServer) -> dict[str, bytes]:
    """What the drive held when the test began."""
    return graph.files
