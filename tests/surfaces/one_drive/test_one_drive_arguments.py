"""What the surface takes and refuses before anything is sent; needs no Graph SDK."""

from pathlib import Path
from typing import Any

import pytest

from rampart import InfrastructureError, InjectionHandle, Payload, PayloadFormat, Surface
from rampart.surfaces import OneDriveSurface


class _NoCalls:
    """A client that must not be asked for anything."""


def _surface(**changes: Any) -> OneDriveSurface:
    return OneDriveSurface(
        **{"graph_client": _NoCalls(), "drive_id": "b!d", "folder_path": "/Team/Notes/", **changes}
    )


def test_it_is_a_surface_whose_handles_are_injection_handles() -> None:
    surface = _surface()
    assert isinstance(surface, Surface)
    assert isinstance(surface.inject(payload=Payload(content="x")), InjectionHandle)


def test_properties() -> None:
    surface = _surface(indexing_delay=2)
    assert (surface.drive_id, surface.folder_path, surface.indexing_delay) == ("b!d", "Team/Notes", 2)


def test_the_default_delay_is_ten_seconds() -> None:
    assert _surface().indexing_delay == OneDriveSurface.DEFAULT_INDEXING_DELAY == 10.0


@pytest.mark.parametrize("path", ["", "/", "//"])
def test_the_root_is_a_folder_too(path: str) -> None:
    surface = _surface(folder_path=path)
    handle = surface.inject(payload=Payload(content="x", id="p"))
    assert (surface.folder_path, handle.place) == ("", "drive=b!d path=p.txt")


@pytest.mark.parametrize(
    ("changes", "error", "text"),
    [
        pytest.param({"drive_id": 3}, TypeError, "drive_id must be a str, got int", id="drive-type"),
        pytest.param({"drive_id": " "}, ValueError, "drive_id is blank", id="drive-blank"),
        pytest.param({"folder_path": None}, TypeError, "folder_path must be a str", id="folder-type"),
        pytest.param({"folder_path": "a//b"}, ValueError, "'a//b' is no path of OneDrive", id="empty-name"),
        pytest.param({"folder_path": "a/../b"}, ValueError, "is no path of OneDrive", id="parent"),
        pytest.param({"folder_path": "a:/b"}, ValueError, "is no path of OneDrive", id="colon"),
        pytest.param({"folder_path": "a\nb"}, ValueError, "is no path of OneDrive", id="line-break"),
        pytest.param({"indexing_delay": True}, TypeError, "number of seconds, got True", id="delay-bool"),
        pytest.param({"indexing_delay": "1"}, TypeError, "number of seconds, got '1'", id="delay-str"),
        pytest.param({"indexing_delay": -1}, ValueError, "not negative, got -1", id="delay-negative"),
        pytest.param({"indexing_delay": float("inf")}, ValueError, "finite", id="delay-infinite"),
    ],
)
def test_bad_arguments(changes: dict[str, Any], error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        _surface(**changes)


def test_a_payload_id_that_was_changed_to_a_path_is_refused() -> None:
    payload = Payload(content="x")
    payload.id = "../../secrets"
    with pytest.raises(ValueError, match="Invalid payload id"):
        _surface().inject(payload=payload)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        pytest.param({}, {"folder_path": "team/notes"}, True, id="case-of-the-folder"),
        pytest.param({}, {"folder_path": "Team"}, False, id="other-folder"),
        pytest.param({}, {"drive_id": "b!e"}, False, id="other-drive"),
    ],
)
def test_the_isolation_key_is_the_folder(one: dict[str, Any], other: dict[str, Any], same: bool) -> None:
    keys = [_surface(**each).inject(payload=Payload(content="x")).isolation_key for each in (one, other)]
    assert (keys[0] == keys[1]) is same


def test_what_the_handle_says_of_itself() -> None:
    payload = Payload(content="x", id="p")
    handle = _surface().inject(payload=payload)
    assert handle.payload is payload
    assert (handle.payload_id, handle.surface_name) == ("p", "OneDrive")
    assert handle.delivered is None


async def test_a_handle_that_was_not_entered_removes_nothing() -> None:
    await _surface().inject(payload=Payload(content="x")).__aexit__(None, None, None)


async def test_what_is_no_client_fails_on_entry() -> None:
    with pytest.raises(
        InfrastructureError, match=r"OneDrive upload failed for drive=b!d path=Team/Notes/p\.txt: .*drives"
    ):
        await _surface().inject(payload=Payload(content="x", id="p")).__aenter__()


async def test_a_text_of_more_than_4_mib_is_refused() -> None:
    with pytest.raises(ValueError, match=r"'p' is larger than the 4194304 bytes \(4 MiB\)"):
        await _surface().upload_async(payload=Payload(content="é" * (2 * 1024 * 1024) + "x", id="p"))


@pytest.mark.parametrize("size", [4 * 1024 * 1024 + 1, None], ids=["too-large", "missing"])
async def test_an_artifact_that_cannot_be_uploaded_is_refused(tmp_path: Path, size: int | None) -> None:
    artifact = tmp_path / "a.pdf"
    artifact.write_bytes(b"x" * (size or 1))
    payload = Payload(content="x", id="p", format=PayloadFormat.PDF, artifact=artifact)
    if size is None:
        artifact.unlink()
    with pytest.raises(ValueError, match="no artifact to upload" if size is None else "larger than"):
        await _surface().upload_async(payload=payload)
