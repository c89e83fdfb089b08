"""Files that are planted in a folder of a drive, and removed as long as they are what was planted."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

from rampart.core.errors import InfrastructureError
from rampart.surfaces.graph_drive import CHANGED_MEANWHILE, NOT_FOUND, at_path, status_of, tag_of

if TYPE_CHECKING:
    from rampart.surfaces.graph_drive import GraphDrive


@dataclass(kw_only=True)
class _Planted:
    tag: str | None
    digest: bytes


class OneDriveFolder:
    """A folder, and what was planted in it.

    Args:
        drive: The drive.
        folder_path: Path of the folder below the drive's root, without slashes at its ends; empty for the
            root itself.
    """

    def __init__(self, *, drive: GraphDrive, folder_path: str) -> None:
        self.drive = drive
        self.folder_path = folder_path
        self._planted: dict[str, _Planted] = {}

    def path_of(self, name: str) -> str:
        """The path of a file of this folder below the drive's root."""
        return f"{self.folder_path}/{name}" if self.folder_path else name

    async def plant_async(self, *, path: str, content: bytes) -> str:
        """Create a file and return the id of its item; what is there already is never replaced.

        Raises:
            InfrastructureError: If Graph names no item.
        """
        item = await self.drive.create_async(path=path, content=content)
        item_id = getattr(item, "id", None)
        if not item_id:
            msg = "the upload was accepted, but no item id came back"
            raise InfrastructureError(msg)
        self._planted[item_id] = _Planted(tag=tag_of(item), digest=_digest(content))
        return str(item_id)

    async def accept_changes_async(self, item_id: str) -> None:
        """Take the item as it is now for what was planted.

        SharePoint writes properties of its own into Office files soon after their upload.
        """
        planted = self._planted.get(item_id)
        if planted is None or planted.tag is None:
            return
        tag = tag_of(await self.drive.item_async(item_id))
        content = await self.drive.content_async(item_id)
        self._planted[item_id] = _Planted(tag=tag, digest=_digest(content))

    async def remove_async(self, item_id: str) -> None:
        """Delete an item; one that was planted here only as long as its content is what was planted.

        Raises:
            InfrastructureError: If somebody changed its content; it is left as it is.
        """
        planted = self._planted.get(item_id)
        try:
            await self.drive.delete_async(item_id, tag=planted.tag if planted else None)
        except Exception as error:
            if planted is None or status_of(error) != CHANGED_MEANWHILE:
                raise
            await self._remove_if_same_content_async(item_id, digest=planted.digest)
        self._planted.pop(item_id, None)

    async def discard_async(self, *, path: str, content: bytes) -> None:
        """Delete what an upload with an unknown end may have left at `path`; anything else there is kept."""
        try:
            item = await self.drive.item_async(at_path(path))
            await self._remove_if_same_content_async(str(item.id), digest=_digest(content))
        except InfrastructureError:
            return  # somebody else's file
        except Exception as error:
            if status_of(error) != NOT_FOUND:
                raise

    async def _remove_if_same_content_async(self, item_id: str, *, digest: bytes) -> None:
        """Delete an item whose tag says nothing of its content: a share or a new name changes it as well."""
        tag = tag_of(await self.drive.item_async(item_id))
        if _digest(await self.drive.content_async(item_id)) != digest:
            msg = "its content is not what was planted any more; it was left as it is, so look at it yourself"
            raise InfrastructureError(msg)
        await self.drive.delete_async(item_id, tag=tag)


def _digest(content: bytes) -> bytes:
    return sha256(content).digest()
