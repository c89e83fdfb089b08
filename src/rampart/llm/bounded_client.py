"""An HTTP client that reads no more than an answer can hold, and no text the way a server says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import httpx2

if TYPE_CHECKING:
    from collections.abc import Mapping

LARGEST_BODY = 16 * 1024 * 1024
"""Bytes, unpacked; far more than any model writes in one reply."""

_OF_THE_TRANSFER = frozenset({"content-encoding", "content-length", "transfer-encoding"})


class OversizedBodyError(httpx2.RequestError):
    """A response that does not end where every completion would have ended."""


class BoundedClient(httpx2.AsyncClient):
    """A client whose responses are whole when they arrive, of bounded size, and in UTF-8.

    A body that never ends, or that unpacks to gigabytes, would take the memory of the test run. A charset
    is dropped, since JSON has none (RFC 8259, section 8.1), and names such as `hex`, which Python knows as
    no encoding of text, make the libraries above fail in ways that they do not expect.
    """

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        """Send a request and read the response.

        Raises:
            OversizedBodyError: If the body is larger than `LARGEST_BODY`.
            httpx2.RequestError: If there was no whole response.
        """
        response = await super().send(request, **{**options, "stream": True})
        try:
            body = await _body_async(response)
        finally:
            await response.aclose()
        said = {key: value for key, value in response.extensions.items() if key != "network_stream"}
        return httpx2.Response(
            response.status_code,
            headers=_headers(response.headers),
            content=body,
            request=request,
            extensions=said,
        )


async def _body_async(response: httpx2.Response) -> bytes:
    pieces: list[bytes] = []
    size = 0
    async for piece in response.aiter_bytes():
        size += len(piece)
        if size > LARGEST_BODY:
            msg = f"its body is larger than {LARGEST_BODY // 1024**2} MiB"
            raise OversizedBodyError(msg)
        pieces.append(piece)
    return b"".join(pieces)


def _headers(sent: Mapping[str, str]) -> dict[str, str]:
    headers = {name: value for name, value in sent.items() if name.lower() not in _OF_THE_TRANSFER}
    if "content-type" in headers:
        headers["content-type"] = headers["content-type"].partition(";")[0].strip()
    return headers
