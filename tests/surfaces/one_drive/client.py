"""The real Graph client, for a service that is not Microsoft's."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any


@asynccontextmanager
async def open_client(url: str) -> AsyncIterator[Any]:
    """A `GraphServiceClient` for the service at `url`, closed with the block."""
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
    adapter.base_url = f"{url}/v1.0"
    client.path_parameters["baseurl"] = adapter.base_url
    yield client
    await http.aclose()
    await transport.aclose()  # the SDK's middleware keeps it from being closed along
