"""Files that are planted and removed through the real Graph SDK."""

import asyncio
import time
from pathlib import Path
from random import Random
from typing import Any

import pytest
from tests.surfaces.one_drive.conftest import FOLDER
from tests.surfaces.one_drive.graph_server import DRIVE, GraphServer
from tests.surfaces.one_drive.sdk import need_sdk

from rampart import Payload, PayloadFormat
from rampart.surfaces import OneDriveSurface

need_sdk()
pytestmark = pytest.mark.onedrive


def _payload(**changes: Any) -> Payload:
    return Payload(**{"content": "Grüße, agent", "id": "note-1", **changes})


async def test_a_text_is_there_and_gone_again(
    surface: OneDriveSurface, graph: GraphServer, untouched: dict[str, bytes]
) -> None:
    async with surface.inject(payload=_payload()) as handle:
        await handle.wait_until_ready_async()
        assert graph.files == untouched | {f"{FOLDER}/note-1.txt": "Grüße, agent".encode()}
    assert graph.files == untouched


@pytest.mark.parametrize("size", [0, 4 * 1024 * 1024], ids=["empty", "largest"])
async def test_an_artifact_is_uploaded_as_it_is(
    surface: OneDriveSurface, graph: GraphServer, untouched: dict[str, bytes], tmp_path: Path, size: int
) -> None:
    content = bytes(range(256)) * (size // 256)
    artifact = tmp_path / "any.bin"
    artifact.write_bytes(content)
    async with surface.inject(payload=_payload(format=PayloadFormat.PDF, artifact=artifact)):
        assert graph.files[f"{FOLDER}/note-1.pdf"] == content
    assert graph.files == untouched


async def test_the_file_is_addressed_by_its_path_and_never_replaces_another(
    surface: OneDriveSurface, graph: GraphServer
) -> None:
    async with surface.inject(payload=_payload(format=PayloadFormat.HTML)):
        pass
    [put] = [request for request in graph.requests if request.method == "PUT"]
    assert put.address == f"root:/{FOLDER}/note-1.html:"
    assert put.query == "@microsoft.graph.conflictBehavior=fail"


async def test_a_folder_with_difficult_letters(client: Any, graph: GraphServer) -> None:
    folder = "Große 100% & more/#1 (a+b)"
    surface = OneDriveSurface(graph_client=client, drive_id=DRIVE, folder_path=folder, indexing_delay=0)
    async with surface.inject(payload=_payload()):
        assert f"{folder}/note-1.txt" in graph.files


async def test_readiness_takes_the_delay(client: Any) -> None:
    surface = OneDriveSurface(graph_client=client, drive_id=DRIVE, folder_path=FOLDER, indexing_delay=0.2)
    async with surface.inject(payload=_payload()) as handle:
        before = time.monotonic()
        await handle.wait_until_ready_async()
    assert time.monotonic() - before >= 0.19


async def test_leaving_twice_removes_once(surface: OneDriveSurface, graph: GraphServer) -> None:
    handle = surface.inject(payload=_payload())
    async with handle:
        pass
    graph.write(f"{FOLDER}/note-1.txt", b"somebody else's")
    await handle.__aexit__(None, None, None)
    assert graph.files[f"{FOLDER}/note-1.txt"] == b"somebody else's"


async def test_a_file_that_is_gone_already_is_no_failure(
    surface: OneDriveSurface, graph: GraphServer, untouched: dict[str, bytes]
) -> None:
    async with surface.inject(payload=_payload()):
        graph.remove(f"{FOLDER}/note-1.txt")
    assert graph.files == untouched


async def test_a_file_that_was_only_renamed_is_removed(
    surface: OneDriveSurface, graph: GraphServer, untouched: dict[str, bytes]
) -> None:
    async with surface.inject(payload=_payload()):
        graph.rename(f"{FOLDER}/note-1.txt", f"{FOLDER}/moved.txt")
    assert graph.files == untouched


async def test_missing_folders_are_made_and_removed_again(
    client: Any, graph: GraphServer, untouched: dict[str, bytes]
) -> None:
    folders = graph.folders
    surface = OneDriveSurface(
        graph_client=client, drive_id=DRIVE, folder_path=f"{FOLDER}/2026/May", indexing_delay=0
    )
    async with surface.inject(payload=_payload()):
        assert graph.folders - folders == {f"{FOLDER}/2026", f"{FOLDER}/2026/May"}
    assert (graph.folders, graph.files) == (folders, untouched)


async def test_a_new_folder_that_others_use_meanwhile_stays(client: Any, graph: GraphServer) -> None:
    surface = OneDriveSurface(graph_client=client, drive_id=DRIVE, folder_path="New/Deep", indexing_delay=0)
    async with surface.inject(payload=_payload()):
        graph.write("New/minutes.txt", b"somebody's")
    assert graph.files["New/minutes.txt"] == b"somebody's"
    assert {"New", "New/Deep"} & graph.folders == {"New"}


async def test_an_empty_folder_that_was_there_stays(client: Any, graph: GraphServer) -> None:
    graph.write("Empty/x.txt", b"")
    graph.remove("Empty/x.txt")
    surface = OneDriveSurface(graph_client=client, drive_id=DRIVE, folder_path="Empty", indexing_delay=0)
    async with surface.inject(payload=_payload()):
        pass
    assert "Empty" in graph.folders


async def test_handles_that_share_new_folders_leave_none(
    client: Any, graph: GraphServer, untouched: dict[str, bytes]
) -> None:
    folders = graph.folders
    deep, flat = (
        OneDriveSurface(graph_client=client, drive_id=DRIVE, folder_path=path, indexing_delay=0)
        for path in ("New/Deep", "new")
    )
    first = await deep.inject(payload=_payload()).__aenter__()
    second = await flat.inject(payload=_payload()).__aenter__()
    third = await deep.inject(payload=_payload(id="note-2")).__aenter__()
    await first.__aexit__(None, None, None)
    assert "New/Deep" in graph.folders
    await third.__aexit__(None, None, None)
    assert graph.folders - folders == {"New"}
    await second.__aexit__(None, None, None)
    assert (graph.folders, graph.files) == (folders, untouched)


@pytest.mark.parametrize("format_", [PayloadFormat.DOCX, PayloadFormat.XLSX], ids=["docx", "xlsx"])
async def test_what_sharepoint_writes_into_office_files_is_no_edit(
    surface: OneDriveSurface,
    graph: GraphServer,
    untouched: dict[str, bytes],
    tmp_path: Path,
    format_: PayloadFormat,
) -> None:
    graph.rewrites_office_files = True
    artifact = tmp_path / "a"
    artifact.write_bytes(b"office")
    async with surface.inject(payload=_payload(format=format_, artifact=artifact)) as handle:
        await handle.wait_until_ready_async()
    assert graph.files == untouched


async def test_upload_and_delete_by_hand(
    surface: OneDriveSurface, graph: GraphServer, untouched: dict[str, bytes]
) -> None:
    item_id = await surface.upload_async(payload=_payload())
    assert graph.items[item_id].path == f"{FOLDER}/note-1.txt"
    await surface.delete_async(item_id=item_id)
    assert graph.files == untouched


async def test_delete_takes_the_item_of_another_upload_too(
    surface: OneDriveSurface, graph: GraphServer
) -> None:
    item = graph.write(f"{FOLDER}/left-over.txt", b"of a run that was killed")
    await surface.delete_async(item_id=item.id)
    assert item.id not in graph.items


async def test_many_at_once_some_of_which_fail_or_are_cancelled(
    client: Any, graph: GraphServer, untouched: dict[str, bytes]
) -> None:
    folders = graph.folders
    surface = OneDriveSurface(graph_client=client, drive_id=DRIVE, folder_path="New/Deep", indexing_delay=0)
    random = Random(7)

    async def plant(index: int) -> None:
        handle = surface.inject(payload=_payload(id=f"note-{index}"))
        try:
            async with handle:
                await handle.wait_until_ready_async()
                if index % 10 == 3:
                    raise LookupError
                await asyncio.sleep(random.uniform(0, 0.05))
        finally:
            await handle.__aexit__(None, None, None)  # an exit that was cancelled is made again

    tasks = [asyncio.ensure_future(plant(index)) for index in range(100)]
    for task in tasks[5::10]:
        asyncio.get_running_loop().call_later(random.uniform(0, 1), task.cancel)
    outcomes = await asyncio.gather(*tasks, return_exceptions=True)
    assert [type(outcome) for outcome in outcomes[3::10]] == [LookupError] * 10
    assert {type(outcome) for outcome in outcomes[5::10]} <= {asyncio.CancelledError, type(None)}
    assert asyncio.CancelledError in {type(outcome) for outcome in outcomes[5::10]}
    assert (graph.files, graph.folders) == (untouched, folders)
