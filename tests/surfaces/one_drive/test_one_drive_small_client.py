"""A client of a user's own will do, as long as it uploads and deletes; needs no Graph SDK."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from rampart import InfrastructureError, Payload, PayloadFormat
from rampart.surfaces import OneDriveSurface


class _Client:
    """Keeps files by address; it knows nothing else of Graph, tags of items neither."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.refuses_to_delete = False
        self.drives = SimpleNamespace(by_drive_id=lambda _drive: SimpleNamespace(items=self))

    def by_drive_item_id(self, address: str) -> Any:
        async def put(content: bytes) -> Any:
            self.files[address] = content
            return SimpleNamespace(id=address)

        async def delete() -> None:
            if self.refuses_to_delete:
                msg = "the drive is read-only now"
                raise OSError(msg)
            del self.files[address]

        return SimpleNamespace(content=SimpleNamespace(put=put, url_template="u"), delete=delete)


async def test_planted_and_removed() -> None:
    client = _Client()
    surface = OneDriveSurface(graph_client=client, drive_id="d", folder_path="/a/b/", indexing_delay=0)
    async with surface.inject(payload=Payload(content="hello", id="p")) as handle:
        await handle.wait_until_ready_async()
        assert client.files == {"root:/a/b/p.txt:": b"hello"}
    assert client.files == {}


@pytest.mark.parametrize("kind", [Path, str], ids=["path", "text"])
async def test_an_artifact_of_4_mib_is_taken(kind: Any, tmp_path: Path) -> None:
    content = b"x" * (4 * 1024 * 1024)
    (tmp_path / "a.pdf").write_bytes(content)
    payload = Payload(content="x", id="p", format=PayloadFormat.PDF, artifact=kind(tmp_path / "a.pdf"))
    client = _Client()
    surface = OneDriveSurface(graph_client=client, drive_id="d", folder_path="", indexing_delay=0)
    async with surface.inject(payload=payload):
        assert client.files == {"root:/p.pdf:": content}
    assert client.files == {}


async def test_a_delete_that_fails_is_raised() -> None:
    client = _Client()
    surface = OneDriveSurface(graph_client=client, drive_id="d", folder_path="a", indexing_delay=0)
    handle = await surface.inject(payload=Payload(content="hello", id="p")).__aenter__()
    client.refuses_to_delete = True
    with pytest.raises(
        InfrastructureError,
        match=r"^OneDrive delete failed for drive=d path=a/p\.txt: the drive is read-only now$",
    ):
        await handle.__aexit__(None, None, None)
