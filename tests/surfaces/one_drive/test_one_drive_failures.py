"""What is reported, and what is left behind, when the service or somebody else interferes."""

import asyncio
import logging
import re
from pathlib import Path
from typing import Any

import pytest
from tests.surfaces.one_drive.conftest import FOLDER
from tests.surfaces.one_drive.graph_server import DRIVE, Fault, GraphServer
from tests.surfaces.one_drive.sdk import need_sdk

from rampart import InfrastructureError, Payload, PayloadFormat
from rampart.surfaces import OneDriveSurface

need_sdk()
pytestmark = pytest.mark.onedrive

PATH = f"{FOLDER}/note-1.txt"
UPLOAD_FAILED = re.escape(f"OneDrive upload failed for drive={DRIVE} path={PATH}: ")
DELETE_FAILED = re.escape(f"OneDrive delete failed for drive={DRIVE} path={PATH}: ")


def _payload(**changes: Any) -> Payload:
    return Payload(**{"content": "hello agent", "id": "note-1", **changes})


@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(Fault(method="PUT", status=403, code="accessDenied"), id="forbidden"),
        pytest.param(Fault(method="PUT", status=423, code="resourceLocked"), id="locked"),
        pytest.param(Fault(method="PUT", status=429, code="activityLimitReached"), id="throttled"),
        pytest.param(Fault(method="PUT", status=507, code="quotaLimitReached"), id="full"),
        pytest.param(Fault(method="PUT", status=500, done=True), id="failed-after-it-was-stored"),
    ],
)
async def test_an_upload_that_fails_leaves_nothing(
    surface: OneDriveSurface, graph: GraphServer, untouched: dict[str, bytes], fault: Fault
) -> None:
    graph.faults.append(fault)
    with pytest.raises(InfrastructureError, match=UPLOAD_FAILED + rf"as told \(status {fault.status}\)$"):
        await surface.inject(payload=_payload()).__aenter__()
    assert graph.files == untouched


@pytest.mark.parametrize("body", [{}, {"id": ""}], ids=["no-id", "blank-id"])
async def test_an_upload_without_an_item_id_is_refused_and_taken_back(
    surface: OneDriveSurface, graph: GraphServer, untouched: dict[str, bytes], body: dict[str, object]
) -> None:
    graph.faults.append(Fault(method="PUT", status=201, done=True, body=body))
    with pytest.raises(InfrastructureError, match=UPLOAD_FAILED + ".*no item id"):
        await surface.inject(payload=_payload()).__aenter__()
    assert graph.files == untouched


async def test_an_unknown_drive(client: Any, graph: GraphServer, untouched: dict[str, bytes]) -> None:
    surface = OneDriveSurface(graph_client=client, drive_id="b!other", folder_path=FOLDER)
    with pytest.raises(InfrastructureError, match=r"drive=b!other .*drive could not be found"):
        await surface.inject(payload=_payload()).__aenter__()
    assert graph.files == untouched


async def test_a_service_that_cannot_be_reached(
    surface: OneDriveSurface, client: Any, caplog: pytest.LogCaptureFixture
) -> None:
    client.request_adapter.base_url = client.path_parameters["baseurl"] = "http://127.0.0.1:1/v1.0"
    with pytest.raises(InfrastructureError, match=UPLOAD_FAILED):
        await surface.inject(payload=_payload()).__aenter__()
    assert "could not be removed again" in caplog.text


async def test_a_file_that_is_there_already_is_kept(surface: OneDriveSurface, graph: GraphServer) -> None:
    before = graph.write(PATH, b"somebody's notes").version
    with pytest.raises(InfrastructureError, match=UPLOAD_FAILED + ".*already exists.* another id"):
        await surface.inject(payload=_payload()).__aenter__()
    item = graph.at(PATH)
    assert item is not None
    assert (item.content, item.version) == (b"somebody's notes", before)


async def test_a_file_there_with_the_very_content_is_kept_too(
    surface: OneDriveSurface, graph: GraphServer
) -> None:
    graph.write(PATH, b"hello agent")
    with pytest.raises(InfrastructureError, match="already exists"):
        await surface.inject(payload=_payload()).__aenter__()
    assert graph.files[PATH] == b"hello agent"


async def test_a_payload_that_is_too_large_names_its_place(
    surface: OneDriveSurface, graph: GraphServer
) -> None:
    with pytest.raises(InfrastructureError, match=UPLOAD_FAILED + "payload 'note-1' is larger than"):
        await surface.inject(payload=_payload(content="x" * (4 * 1024 * 1024 + 1))).__aenter__()
    assert not [request for request in graph.requests if request.method == "PUT"]


async def test_a_file_that_somebody_edited_is_reported_and_kept(
    surface: OneDriveSurface, graph: GraphServer
) -> None:
    handle = await surface.inject(payload=_payload()).__aenter__()
    graph.write(PATH, b"somebody's own text")
    for _attempt in range(2):
        with pytest.raises(InfrastructureError, match=DELETE_FAILED + "its content is not what was planted"):
            await handle.__aexit__(None, None, None)
    assert graph.files[PATH] == b"somebody's own text"


async def test_an_office_file_that_somebody_edited_is_reported_and_kept(
    surface: OneDriveSurface, graph: GraphServer, tmp_path: Path
) -> None:
    artifact = tmp_path / "a"
    artifact.write_bytes(b"office")
    path = f"{FOLDER}/note-1.docx"
    handle = surface.inject(payload=_payload(format=PayloadFormat.DOCX, artifact=artifact))
    await handle.__aenter__()
    await handle.wait_until_ready_async()
    graph.write(path, b"somebody's own text")
    with pytest.raises(InfrastructureError, match="its content is not what was planted"):
        await handle.__aexit__(None, None, None)
    assert graph.files[path] == b"somebody's own text"


async def test_an_office_file_that_is_gone_before_it_is_read(
    surface: OneDriveSurface, graph: GraphServer, tmp_path: Path
) -> None:
    artifact = tmp_path / "a"
    artifact.write_bytes(b"office")
    async with surface.inject(payload=_payload(format=PayloadFormat.DOCX, artifact=artifact)) as handle:
        graph.remove(f"{FOLDER}/note-1.docx")
        with pytest.raises(InfrastructureError, match=rf"check after the upload failed for drive={DRIVE}"):
            await handle.wait_until_ready_async()


@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(Fault(method="DELETE", status=423, code="resourceLocked"), id="locked"),
        pytest.param(Fault(method="DELETE", status=403, code="accessDenied"), id="forbidden"),
        pytest.param(Fault(method="DELETE", status=500), id="server-error"),
    ],
)
async def test_a_delete_that_fails_is_raised_and_tried_again(
    surface: OneDriveSurface, graph: GraphServer, untouched: dict[str, bytes], fault: Fault
) -> None:
    handle = await surface.inject(payload=_payload()).__aenter__()
    graph.faults.append(fault)
    with pytest.raises(InfrastructureError, match=DELETE_FAILED + rf"as told \(status {fault.status}\)$"):
        await handle.__aexit__(None, None, None)
    await handle.__aexit__(None, None, None)
    assert graph.files == untouched


async def test_new_folders_go_once_the_file_could_be_deleted(client: Any, graph: GraphServer) -> None:
    before = graph.folders
    surface = OneDriveSurface(graph_client=client, drive_id=DRIVE, folder_path="New", indexing_delay=0)
    handle = await surface.inject(payload=_payload()).__aenter__()
    graph.faults.append(Fault(method="DELETE", status=423, code="resourceLocked"))
    with pytest.raises(InfrastructureError, match="OneDrive delete failed"):
        await handle.__aexit__(None, None, None)
    await handle.__aexit__(None, None, None)
    assert graph.folders == before


async def test_a_new_folder_that_cannot_be_deleted_is_reported(client: Any, graph: GraphServer) -> None:
    before = graph.folders
    surface = OneDriveSurface(graph_client=client, drive_id=DRIVE, folder_path="New", indexing_delay=0)
    handle = await surface.inject(payload=_payload()).__aenter__()
    graph.remove("New/note-1.txt")
    graph.faults += [Fault(method="DELETE", status=404), Fault(method="DELETE", status=403)]
    with pytest.raises(InfrastructureError, match=r"OneDrive delete failed .*status 403"):
        await handle.__aexit__(None, None, None)
    await handle.__aexit__(None, None, None)
    assert graph.folders == before


async def test_an_entry_that_is_cancelled_while_the_upload_is_on_its_way_leaves_nothing(
    surface: OneDriveSurface, graph: GraphServer, untouched: dict[str, bytes]
) -> None:
    graph.put_may_go_on.clear()
    entry = asyncio.ensure_future(surface.inject(payload=_payload()).__aenter__())
    await asyncio.to_thread(graph.put_arrived.wait, 10)
    entry.cancel()
    await asyncio.sleep(0)
    graph.put_may_go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await entry
    assert [request.method for request in graph.requests].count("PUT") == 1
    assert graph.files == untouched


@pytest.mark.parametrize(
    "stored", [b"hello agent", b"somebody's"], ids=["what-was-uploaded", "somebody-else's"]
)
async def test_an_upload_that_does_not_end_is_given_up_and_its_file_looked_for(
    surface: OneDriveSurface,
    graph: GraphServer,
    untouched: dict[str, bytes],
    monkeypatch: pytest.MonkeyPatch,
    stored: bytes,
) -> None:
    monkeypatch.setattr("rampart.surfaces.one_drive_handle._SETTLE_S", 0.05)
    graph.put_may_go_on.clear()
    entry = asyncio.ensure_future(surface.inject(payload=_payload()).__aenter__())
    await asyncio.to_thread(graph.put_arrived.wait, 10)
    graph.write(PATH, stored)  # the service has stored something, but its answer does not come
    entry.cancel()
    with pytest.raises(asyncio.CancelledError):
        await entry
    assert graph.files == untouched | ({} if stored == b"hello agent" else {PATH: stored})


async def test_a_roll_back_that_fails_is_logged_with_the_place(
    surface: OneDriveSurface, graph: GraphServer, caplog: pytest.LogCaptureFixture
) -> None:
    graph.faults += [
        Fault(method="PUT", status=500, done=True),
        Fault(method="DELETE", status=423, code="resourceLocked"),
    ]
    with caplog.at_level(logging.ERROR), pytest.raises(InfrastructureError, match=UPLOAD_FAILED):
        await surface.inject(payload=_payload()).__aenter__()
    assert f"could not be removed again in drive={DRIVE} path={PATH}" in caplog.text
