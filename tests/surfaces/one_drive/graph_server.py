"""A small Microsoft Graph on loopback: the calls on files of drives, answered as the service answers them.

It keeps files and folders in memory, creates missing folders along with a file, honours `If-Match` and the
conflict behaviour, sends downloads elsewhere by a redirect, and can be told to fail or to stall.
"""

import json
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from urllib.parse import unquote, urlsplit

DRIVE = "b!drive-1"


@dataclass(kw_only=True)
class Item:
    """A file, or a folder where `content` is None."""

    id: str
    path: str
    content: bytes | None
    version: int = 1

    @property
    def tag(self) -> str:
        return f'"{{{self.id}}},{self.version}"'


@dataclass(kw_only=True)
class Fault:
    """What happens to the next request with this method.

    Attributes:
        method: `PUT`, `GET`, `DELETE`.
        status: The status of the answer.
        code: Graph's name of the error.
        done: Whether the request does its work before the answer goes wrong.
        body: What a success says instead of the item.
    """

    method: str
    status: int
    code: str = "generalException"
    done: bool = False
    body: dict[str, object] | None = None


@dataclass(kw_only=True)
class Request:
    """A request that came in."""

    method: str
    address: str
    query: str
    headers: dict[str, str]


@dataclass(kw_only=True)
class GraphServer:
    """The state of the service, and what tests do to it."""

    url: str = ""
    items: dict[str, Item] = field(default_factory=dict)
    requests: list[Request] = field(default_factory=list)
    faults: deque[Fault] = field(default_factory=deque)
    put_arrived: threading.Event = field(default_factory=threading.Event)
    put_may_go_on: threading.Event = field(default_factory=threading.Event)
    rewrites_office_files: bool = False
    _ids: Iterator[int] = field(default_factory=lambda: count(1))
    _lock: threading.RLock = field(default_factory=threading.RLock)

    def __post_init__(self) -> None:
        self.put_may_go_on.set()

    @property
    def files(self) -> dict[str, bytes]:
        """The content of every file by its path."""
        return {item.path: item.content for item in self.items.values() if item.content is not None}

    @property
    def folders(self) -> set[str]:
        return {item.path for item in self.items.values() if item.content is None}

    def at(self, path: str) -> Item | None:
        """The item at a path, whose case does not matter."""
        return next((i for i in self.items.values() if i.path.casefold() == path.casefold()), None)

    def write(self, path: str, content: bytes) -> Item:
        """Create or change a file as any other user would."""
        with self._lock:
            parent = path.rpartition("/")[0]
            while parent:
                if self.at(parent) is None:
                    self._add(parent, None)
                parent = parent.rpartition("/")[0]
            item = self.at(path)
            if item is None:
                return self._add(path, content)
            item.content, item.version = content, item.version + 1
            return item

    def rename(self, path: str, new: str) -> None:
        """Rename an item as any other user would."""
        item = self.at(path)
        assert item is not None
        item.path, item.version = new, item.version + 1

    def remove(self, path: str) -> None:
        """Delete an item as any other user would."""
        item = self.at(path)
        assert item is not None
        del self.items[item.id]

    def children(self, path: str) -> list[Item]:
        return [i for i in self.items.values() if i.path.rpartition("/")[0] == path]

    def _add(self, path: str, content: bytes | None) -> Item:
        item = Item(id=f"item-{next(self._ids)}", path=path, content=content)
        self.items[item.id] = item
        return item

    # --- what requests do: each gives a status and a body, or where to look instead ---

    def put(self, address: str, body: bytes, query: str) -> tuple[int, dict[str, object]]:
        path = address.removeprefix("root:/").removesuffix(":")
        with self._lock:
            existed = self.at(path) is not None
            if existed and "@microsoft.graph.conflictBehavior=fail" in query:
                return 409, _error("nameAlreadyExists", "An item with the same name already exists.")
            item = self.write(path, body)
            answer = self.described(item)
            if self.rewrites_office_files and path.endswith((".docx", ".xlsx")):
                self.write(path, body + b"<property of SharePoint/>")
            return 200 if existed else 201, answer

    def find(self, address: str) -> Item | None:
        if address.startswith("root:/"):
            return self.at(address.removeprefix("root:/").removesuffix(":"))
        return self.items.get(address)

    def delete(self, address: str, if_match: str | None) -> tuple[int, dict[str, object]]:
        with self._lock:
            item = self.find(address)
            if item is None:
                return 404, _error("itemNotFound", "The resource could not be found.")
            if if_match is not None and if_match != item.tag:
                return 412, _error("preconditionFailed", "ETag does not match current item's value.")
            for inside in [i for i in self.items.values() if i.path.startswith(f"{item.path}/")]:
                del self.items[inside.id]
            del self.items[item.id]
            return 204, {}

    def described(self, item: Item) -> dict[str, object]:
        """The item as the service shows it."""
        kind: dict[str, object] = (
            {"folder": {"childCount": len(self.children(item.path))}}
            if item.content is None
            else {"file": {"mimeType": "application/octet-stream"}, "size": len(item.content)}
        )
        return {"id": item.id, "name": item.path.rpartition("/")[2], "eTag": item.tag, **kind}


def _error(code: str, message: str) -> dict[str, object]:
    return {"error": {"code": code, "message": message}}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    graph: GraphServer

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the name is the base's
        """Say nothing."""

    def do_PUT(self) -> None:  # the base finds it by this name
        body = self.rfile.read(int(self.headers["Content-Length"] or 0))
        self.graph.put_arrived.set()
        self.graph.put_may_go_on.wait(30)
        self._answer(lambda address, query: self.graph.put(address, body, query))

    def do_DELETE(self) -> None:  # as above
        self._answer(lambda address, _query: self.graph.delete(address, self.headers["If-Match"]))

    def do_GET(self) -> None:  # as above
        if self.path.startswith("/download/"):
            self._send(200, self.graph.items[self.path.rpartition("/")[2]].content or b"")
            return
        self._answer(self._got)

    def _got(self, address: str, _query: str) -> tuple[int, dict[str, object]]:
        item = self.graph.find(address)
        if item is None:
            return 404, _error("itemNotFound", "The resource could not be found.")
        if urlsplit(self.path).path.endswith("/content"):
            return 302, {"location": f"{self.graph.url}/download/{item.id}"}
        if urlsplit(self.path).path.endswith("/children"):
            return 200, {"value": [self.graph.described(child) for child in self.graph.children(item.path)]}
        return 200, self.graph.described(item)

    def _answer(self, act: Callable[[str, str], tuple[int, dict[str, object]]]) -> None:
        split = urlsplit(self.path)
        version, drives, drive, items, address, *_ = [unquote(part) for part in split.path.split("/")[1:]]
        assert (version, drives, items) == ("v1.0", "drives", "items")
        self.graph.requests.append(
            Request(method=self.command, address=address, query=split.query, headers=dict(self.headers))
        )
        if drive != DRIVE:
            self._send_json(404, _error("itemNotFound", "The drive could not be found."))
            return
        fault = next((f for f in self.graph.faults if f.method == self.command), None)
        if fault is None:
            self._send_json(*act(address, split.query))
            return
        self.graph.faults.remove(fault)
        if fault.done:
            act(address, split.query)
        self._send_json(fault.status, _error(fault.code, "as told") if fault.body is None else fault.body)

    def _send_json(self, status: int, body: dict[str, object]) -> None:
        if status == 302:
            self._send(status, b"", location=str(body["location"]))
        else:
            self._send(status, b"" if status == 204 else json.dumps(body).encode(), kind="application/json")

    def _send(
        self, status: int, body: bytes, *, kind: str = "application/octet-stream", location: str | None = None
    ) -> None:
        self.send_response(status)
        if location is not None:
            self.send_header("Location", location)
        if status != 204:
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        try:
            self.wfile.write(body)
        except (BrokenPipeError, ConnectionResetError):  # a client that was cancelled
            self.close_connection = True


@contextmanager
def graph_server() -> Iterator[GraphServer]:
    """Serve on a free port of loopback until the block ends."""
    graph = GraphServer()
    handler = type("Handler", (_Handler,), {"graph": graph})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    graph.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, name="graph")
    thread.start()
    try:
        yield graph
    finally:
        graph.put_may_go_on.set()
        server.shutdown()
        server.server_close()
        thread.join()
