"""One payload planted in OneDrive."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from rampart.core.errors import InfrastructureError
from rampart.core.injection import sleep_until_ready_async
from rampart.core.types import PayloadFormat
from rampart.surfaces.blocking import run_blocking_async
from rampart.surfaces.graph_drive import NOT_FOUND, name_is_taken, status_of, was_refused
from rampart.surfaces.handle import PlantedHandle
from rampart.surfaces.one_drive_file import content_of, name_of
from rampart.surfaces.one_drive_new_folders import NewFolders, new_folders_of
from rampart.text.leaves import leaves
from rampart.text.oneline import quote
from rampart.text.safe import safe_str

if TYPE_CHECKING:
    from rampart.core.types import Payload
    from rampart.surfaces.one_drive import OneDriveSurface
    from rampart.surfaces.one_drive_folder import OneDriveFolder
    from rampart.surfaces.undo import Undo

# How long, in seconds, the roll-back of an entry that was cancelled waits for the upload to end by itself.
_SETTLE_S = 10.0

_OFFICE_FORMATS = frozenset({PayloadFormat.DOCX, PayloadFormat.XLSX})


class OneDriveHandle(PlantedHandle):
    """One file in OneDrive; `OneDriveSurface.inject` makes it."""

    def __init__(self, *, surface: OneDriveSurface, folder: OneDriveFolder, payload: Payload) -> None:
        self._surface = surface
        self._folder = folder
        self._path = folder.path_of(name_of(payload))
        self._upload: asyncio.Future[str] | None = None
        self._item_id: str | None = None
        super().__init__(
            payload=payload,
            surface_name="OneDrive",
            place=f"drive={surface.drive_id} path={self._path}",
            # An agent that searches the folder finds every file in it. Paths do not tell cases apart.
            isolation_key=f"onedrive:{surface.drive_id}:{folder.folder_path.casefold()}",
        )

    async def wait_until_ready_async(self) -> None:
        """Wait for the surface's `indexing_delay`.

        Raises:
            InfrastructureError: If an Office file could not be looked at afterwards.
        """
        await sleep_until_ready_async(self._surface.indexing_delay)
        if self._item_id is None or self.payload.format not in _OFFICE_FORMATS:
            return
        try:
            await self._folder.accept_changes_async(self._item_id)
        except Exception as error:
            msg = f"OneDrive check after the upload failed for {self.place}: {_text(error)}"
            raise InfrastructureError(msg) from error

    async def _plant_async(self, undo: Undo) -> None:
        folder = self._folder
        folders = new_folders_of(folder.drive.drive_id)
        undo.add(partial(self._restore_async, folders))
        await folders.use_async(user=self, drive=folder.drive, path=folder.folder_path)
        # A request that was sent cannot be called back, so the upload outlives the entry that is cancelled.
        self._upload = asyncio.ensure_future(self._surface.upload_async(payload=self.payload))
        self._item_id = await asyncio.shield(self._upload)

    async def _restore_async(self, folders: NewFolders) -> None:
        """Remove the file, and once it is gone the folders that came with it."""
        if self._upload is not None:
            await self._take_back_upload_async(self._upload)
        folder = self._folder
        await folders.leave_async(user=self, drive=folder.drive, path=folder.folder_path)

    async def _take_back_upload_async(self, upload: asyncio.Future[str]) -> None:
        if not upload.done():
            await asyncio.wait([upload], timeout=_SETTLE_S)
            upload.cancel()
            await asyncio.wait([upload])
        error = None if upload.cancelled() else upload.exception()
        if upload.cancelled() or (error is not None and _end_is_unknown(error)):
            content = await run_blocking_async(partial(content_of, self.payload))
            await self._folder.discard_async(path=self._path, content=content)
        elif error is None:
            await self._remove_async(upload.result())

    async def _remove_async(self, item_id: str) -> None:
        try:
            await self._surface.delete_async(item_id=item_id)
        except Exception as error:
            if status_of(error) != NOT_FOUND:
                raise

    def _planting_failure(self, error: Exception) -> str:
        text = f"OneDrive upload failed for {self.place}: {_text(error)}"
        if name_is_taken(error):
            text += "; what is there was left as it is, so give the payload another id or remove the file"
        return text

    def _removal_failure(self, error: Exception) -> str:
        return f"OneDrive delete failed for {self.place}: {_text(error)}"


def _end_is_unknown(error: BaseException) -> bool:
    """Whether an upload that failed may have created the file all the same."""
    return not was_refused(error) and not isinstance(error, ValueError)


def _text(error: Exception) -> str:
    return "; ".join(quote(safe_str(one)) or type(one).__name__ for one in leaves(error))
