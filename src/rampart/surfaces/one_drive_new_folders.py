"""Folders that Graph creates along with a planted file, and that have to go when the last file has gone.

Files of several handles may share a folder that none of them has found there. So what was created is known
to all handles of an event loop, and the last one that leaves a folder removes it.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from rampart.surfaces.graph_drive import CHANGED_MEANWHILE, NOT_FOUND, at_path, status_of, tag_of

if TYPE_CHECKING:
    from rampart.surfaces.graph_drive import GraphDrive


class NewFolders:
    """The folders of one drive that handles use, and which of them did not exist before."""

    def __init__(self) -> None:
        self._users: dict[str, set[object]] = {}
        self._new: set[str] = set()
        self._locks: dict[str, asyncio.Lock] = {}

    async def use_async(self, *, user: object, drive: GraphDrive, path: str) -> None:
        """Note the use of a folder and those above it, and which of them are missing.

        Where it cannot be told whether a folder is missing, it counts as one that was there.
        """
        paths = _upwards(path)
        for one in paths:
            self._users.setdefault(_key(one), set()).add(user)
        for one in paths:
            async with self._lock(one):  # nobody is removing it any more, and nobody will: it has a user
                if not await _is_missing_async(drive, one):
                    return
                self._new.add(_key(one))

    async def leave_async(self, *, user: object, drive: GraphDrive, path: str) -> None:
        """End the use; delete the new folders that nobody uses, up to the first that holds something."""
        for one in _upwards(path):
            async with self._lock(one):
                users = self._users.get(_key(one), set())
                users.discard(user)
                if users:
                    continue
                if _key(one) in self._new:
                    await _remove_if_empty_async(drive, one)
                if users:
                    continue  # somebody came meanwhile, and looks for the folder as soon as the lock is free
                self._new.discard(_key(one))
                self._users.pop(_key(one), None)

    def _lock(self, path: str) -> asyncio.Lock:
        return self._locks.setdefault(_key(path), asyncio.Lock())


_BY_LOOP: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[str, NewFolders]] = WeakKeyDictionary()


def new_folders_of(drive_id: str) -> NewFolders:
    """What the running event loop knows of a drive."""
    return _BY_LOOP.setdefault(asyncio.get_running_loop(), {}).setdefault(drive_id, NewFolders())


def _upwards(path: str) -> list[str]:
    """A folder and those above it, the root left out."""
    names = path.split("/") if path else []
    return ["/".join(names[:depth]) for depth in range(len(names), 0, -1)]


def _key(path: str) -> str:
    return path.casefold()  # paths of OneDrive do not tell cases apart


async def _is_missing_async(drive: GraphDrive, path: str) -> bool:
    try:
        await drive.item_async(at_path(path))
    except Exception as error:  # whatever else it says, the upload will say it better
        return status_of(error) == NOT_FOUND
    return False


async def _remove_if_empty_async(drive: GraphDrive, path: str) -> None:
    try:
        item = await drive.item_async(at_path(path))
        if item.folder is not None and item.folder.child_count == 0:
            await drive.delete_async(str(item.id), tag=tag_of(item))
    except Exception as error:
        if status_of(error) not in {NOT_FOUND, CHANGED_MEANWHILE}:
            raise
