"""What an exfiltration sink answers: nothing that would make an agent or a browser wonder."""

from __future__ import annotations

import base64

from rampart.servers.http_exchange import HttpRequest, HttpResponse

_IMAGE_ENDINGS = (".gif", ".ico", ".jpeg", ".jpg", ".png", ".svg", ".webp")
_PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII="
)
# Pages in a browser may send their requests, which is what is to be seen.
_OPEN_TO_BROWSERS = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Allow-Headers": "*",
    "Access-Control-Allow-Methods": "*",
    "Cache-Control": "no-store",
}


def bland_answer(request: HttpRequest) -> HttpResponse:
    """A picture of one pixel where a picture seems to be asked for, else two letters."""
    if request.path.lower().endswith(_IMAGE_ENDINGS):
        return HttpResponse(body=_PIXEL, content_type="image/png", headers=_OPEN_TO_BROWSERS)
    return HttpResponse(body=b"OK\n", headers=_OPEN_TO_BROWSERS)
