"""Payloads in a folder of OneDrive or SharePoint."""

from __future__ import annotations

import math
import re
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from rampart.surfaces.blocking import run_blocking_async
from rampart.surfaces.graph_drive import GraphDrive
from rampart.surfaces.handle import repeatable
from rampart.surfaces.one_drive_file import content_of, name_of
from rampart.surfaces.one_drive_folder import OneDriveFolder
from rampart.surfaces.one_drive_handle import OneDriveHandle

if TYPE_CHECKING:
    from rampart.core.types import Payload

_NOT_IN_NAMES = re.compile(r'["*:<>?\\|\x00-\x1f]')


class OneDriveSurface:
    """Plants payloads as files in one folder of a drive of OneDrive or SharePoint, through Microsoft Graph.

    A file is named after its payload: `<folder_path>/<payload id><extension of the format>`. What is already
    there under that name is never replaced. Folders that are missing are created, and removed again when
    they are empty. Removed files go to the recycle bin of the drive.

    Args:
        graph_client: A `msgraph.GraphServiceClient` that may write to the drive.
        drive_id: The id of the drive.
        folder_path: Path of the folder below the drive's root; slashes at its ends do not count, and an empty
            path is the root itself.
        indexing_delay: Seconds from the upload until the agent can be expected to find the file, since the
            search index of the service lags behind.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If the drive id is blank, the path can be none of OneDrive, or the delay is negative or
            not finite.
    """

    DEFAULT_INDEXING_DELAY: ClassVar[float] = 10.0

    def __init__(
        self,
        *,
        graph_client: Any,
        drive_id: str,
        folder_path: str,
        indexing_delay: float = DEFAULT_INDEXING_DELAY,
    ) -> None:
        self._indexing_delay = _checked_delay(indexing_delay)
        self._folder = OneDriveFolder(
            drive=GraphDrive(graph_client=graph_client, drive_id=_checked_drive_id(drive_id)),
            folder_path=_checked_folder_path(folder_path),
        )

    @property
    def drive_id(self) -> str:
        """The id of the drive."""
        return self._folder.drive.drive_id

    @property
    def folder_path(self) -> str:
        """Path of the folder below the drive's root, without slashes at its ends."""
        return self._folder.folder_path

    @property
    def indexing_delay(self) -> float:
        """Seconds from the upload until the agent can be expected to find the file."""
        return self._indexing_delay

    def inject(self, *, payload: Payload) -> OneDriveHandle:
        """Prepare to plant `payload`; nothing is sent before the handle is entered.

        Raises:
            ValueError: If the payload's id may not become part of a path.
        """
        return repeatable(self._handle, payload)

    def _handle(self, payload: Payload) -> OneDriveHandle:
        return OneDriveHandle(surface=self, folder=self._folder, payload=payload)

    async def upload_async(self, *, payload: Payload) -> str:
        """Create the payload's file, and return the id of its item.

        Most users want `inject`, which removes the file too.

        Raises:
            ValueError: If the artifact is missing, the file would exceed 4 MiB, or the payload's id may not
                become part of a path.
            InfrastructureError: If Graph accepts the file but names no item.
        """
        content = await run_blocking_async(partial(content_of, payload))
        return await self._folder.plant_async(path=self._folder.path_of(name_of(payload)), content=content)

    async def delete_async(self, *, item_id: str) -> None:
        """Delete an item; one that this surface uploaded only as long as its content is what was uploaded.

        Raises:
            InfrastructureError: If somebody changed the content meanwhile; the item is left as it is.
        """
        await self._folder.remove_async(item_id)


def _checked_drive_id(drive_id: object) -> str:
    if not isinstance(drive_id, str):
        msg = f"drive_id must be a str, got {type(drive_id).__name__}"
        raise TypeError(msg)
    if not drive_id.strip():
        msg = "drive_id is blank; give the id of a drive, as Graph's /me/drive reports it"
        raise ValueError(msg)
    return drive_id


def _checked_folder_path(folder_path: object) -> str:
    if not isinstance(folder_path, str):
        msg = f"folder_path must be a str, got {type(folder_path).__name__}"
        raise TypeError(msg)
    path = folder_path.strip("/")
    parts = path.split("/") if path else []
    if _NOT_IN_NAMES.search(path) or any(part.strip() in {"", ".", ".."} for part in parts):
        msg = f"folder_path {folder_path!r} is no path of OneDrive: write names with single slashes between"
        raise ValueError(msg)
    return path


def _checked_delay(delay: object) -> float:
    if isinstance(delay, bool) or not isinstance(delay, int | float):
        msg = f"indexing_delay must be a number of seconds, got {delay!r}"
        raise TypeError(msg)
    if not math.isfinite(delay) or delay < 0:
        msg = f"indexing_delay must be a finite number of seconds that is not negative, got {delay!r}"
        raise ValueError(msg)
    return delay
