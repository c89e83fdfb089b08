"""HTTP clients that tell what a session asks models and what they answer.

For both lines of the library: `httpx2`, which openai 3 and anthropic 2 use, and `httpx` before it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from rampart.adapters.agent_function import name_of
from rampart.core.errors import ConfigurationError

if TYPE_CHECKING:
    from rampart.servers.llm_wire.exchange import Exchange
    from rampart.servers.llm_wire.traffic import LlmTraffic

_LIBRARIES = ("httpx2", "httpx")


def recording_client(client: Any, traffic: LlmTraffic) -> Any:
    """A new HTTP client that sends everything through `client`, which stays as it is.

    Its proxies, certificates, hooks and pool of connections are used; closing the new one closes none of
    them. Replies are asked for unpacked, so that they can be read on their way.

    Args:
        client: An `AsyncClient` or a `Client` of httpx2 or httpx.
        traffic: Where requests and replies are told.

    Raises:
        ConfigurationError: If it is neither.
    """
    module, is_async = _library_of(client)
    make = module.AsyncClient if is_async else module.Client
    transport = (_async_transport if is_async else _sync_transport)(module, client, traffic)
    return make(
        transport=transport,
        headers=client.headers,
        params=client.params,
        cookies=client.cookies,
        base_url=client.base_url,
        timeout=client.timeout,
        follow_redirects=False,  # the inner client follows them
        trust_env=False,  # proxies of the environment would lead around the transport
    )


def _library_of(client: object) -> tuple[Any, bool]:
    for cls in type(client).__mro__:
        library = cls.__module__.partition(".")[0]
        if library in _LIBRARIES and cls.__name__ in {"AsyncClient", "Client"}:
            return import_module(library), cls.__name__ == "AsyncClient"
    msg = f"only clients of httpx2 and httpx can be recorded, got a {name_of(type(client))}"
    raise ConfigurationError(msg)


def _async_transport(module: Any, client: Any, traffic: LlmTraffic) -> Any:
    class RecordedStream(module.AsyncByteStream):  # type: ignore[misc]  # the library is known when it runs
        def __init__(self, response: Any, exchange: Exchange) -> None:
            self._response = response
            self._exchange = exchange

        async def __aiter__(self) -> Any:
            if self._response.is_stream_consumed:  # by a hook of the client
                pieces = [self._response.content]
                for piece in pieces:
                    self._exchange.feed(piece)
                    yield piece
            else:
                async for piece in self._response.stream:
                    self._exchange.feed(piece)
                    yield piece
            self._exchange.end(whole=True)

        async def aclose(self) -> None:
            self._exchange.end(whole=False)  # unless it is over
            await self._response.aclose()

    class RecordingTransport(module.AsyncBaseTransport):  # type: ignore[misc]  # likewise
        async def handle_async_request(self, request: Any) -> Any:
            exchange = _begun(request, traffic)
            try:
                response = await client.send(request, stream=True)
            except BaseException as error:
                if exchange is not None:
                    exchange.fail(error)
                raise
            return _answer(module, response, exchange, RecordedStream)

    return RecordingTransport()


def _sync_transport(module: Any, client: Any, traffic: LlmTraffic) -> Any:
    class RecordedStream(module.SyncByteStream):  # type: ignore[misc]  # the library is known when it runs
        def __init__(self, response: Any, exchange: Exchange) -> None:
            self._response = response
            self._exchange = exchange

        def __iter__(self) -> Any:
            consumed = self._response.is_stream_consumed  # by a hook of the client
            for piece in [self._response.content] if consumed else self._response.stream:
                self._exchange.feed(piece)
                yield piece
            self._exchange.end(whole=True)

        def close(self) -> None:
            self._exchange.end(whole=False)  # unless it is over
            self._response.close()

    class RecordingTransport(module.BaseTransport):  # type: ignore[misc]  # likewise
        def handle_request(self, request: Any) -> Any:
            exchange = _begun(request, traffic)
            try:
                response = client.send(request, stream=True)
            except BaseException as error:
                if exchange is not None:
                    exchange.fail(error)
                raise
            return _answer(module, response, exchange, RecordedStream)

    return RecordingTransport()


def _begun(request: Any, traffic: LlmTraffic) -> Exchange | None:
    try:
        body = request.content
    except Exception:  # a body that is streamed, as uploads are
        body = b""
    exchange = traffic.begin(request.method, request.url.path, body)
    if exchange is not None:
        request.headers["Accept-Encoding"] = "identity"
    return exchange


def _answer(module: Any, response: Any, exchange: Exchange | None, stream: Any) -> Any:
    if exchange is None:
        return module.Response(
            response.status_code,
            headers=response.headers,
            stream=response.stream,
            extensions=response.extensions,
        )
    headers = response.headers.copy()
    if response.is_stream_consumed:
        headers.pop("Content-Encoding", None)  # the content was unpacked for whoever read it
    exchange.begin(
        response.status_code,
        content_type=headers.get("Content-Type", ""),
        encoding=headers.get("Content-Encoding", ""),
    )
    return module.Response(
        response.status_code,
        headers=headers,
        stream=stream(response, exchange),
        extensions=response.extensions,
    )
