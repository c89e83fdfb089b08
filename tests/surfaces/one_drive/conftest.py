"""A real Graph client whose service is on the loopback."""

from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
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
    import httpx
    from kiota_abstractions.authentication.anonymous_authentication_provider import (
        AnonymousAuthenticationProvider,
    )
    from msgraph import GraphRequestAdapter, GraphServiceClient
    from msgraph_core import GraphClientFactory

    transport = httpx.AsyncHTTPTransport()
    http = GraphClientFactory.create_with_default_middleware(client=httpx.AsyncClient(transport=transport))
    adapter = GraphRequestAdapter(AnonymousAuthenticationProvider(), client=http)
    client = GraphServiceClient(request_adapter=adapter)
    adapter.base_url = f"{graph.url}/v1.0"
    client.path_parameters["baseurl"] = adapter.base_url
    yield client
    await http.aclose()
    await transport.aclose()  # the SDK's middleware keeps it from being closed along


@pytest.fixture
def surface(client: Any) -> OneDriveSurface:
    """A folder whose files are found at once."""
    return OneDriveSurface(graph_client=client, drive_id=DRIVE, folder_path=FOLDER, indexing_delay=0)


@pytest.fixture
def untouched(graph: GraphServer) -> dict[str, bytes]:
    """What the drive held when the test began."""
    return graph.files
