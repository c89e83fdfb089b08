"""Folders that several handles share come and go with the last of them, whoever comes while one goes."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

from rampart.surfaces.one_drive_new_folders import NewFolders


class MissingError(Exception):
    response_status_code = 404


class Drive:
    """Folders with a number of files each; deleting one can be made to wait."""

    def __init__(self) -> None:
        self.files: dict[str, int] = {}
        self.deleting = asyncio.Event()
        self.may_delete = asyncio.Event()

    async def item_async(self, item_id: str) -> Any:
        path = item_id.removeprefix("root:/").removesuffix(":")
        if path not in self.files:
            raise MissingError
        return SimpleNamespace(
            id=path, e_tag=None, folder=SimpleNamespace(child_count=self.files[path]), additional_data={}
        )

    async def delete_async(self, item_id: str, *, tag: str | None) -> None:
        self.deleting.set()
        await self.may_delete.wait()
        del self.files[item_id]


async def test_who_comes_while_the_last_one_leaves_is_not_forgotten() -> None:
    drive: Any = Drive()
    folders = NewFolders()
    await folders.use_async(user="first", drive=drive, path="New")
    drive.files["New"] = 0
    leaving = asyncio.create_task(folders.leave_async(user="first", drive=drive, path="New"))
    await drive.deleting.wait()
    coming = asyncio.create_task(folders.use_async(user="second", drive=drive, path="New"))
    await asyncio.sleep(0)
    drive.may_delete.set()
    await asyncio.gather(leaving, coming)
    drive.files["New"] = 1  # the second one's file
    await folders.use_async(user="third", drive=drive, path="New")
    await folders.leave_async(user="third", drive=drive, path="New")
    assert drive.files == {"New": 1}
    drive.files["New"] = 0
    await folders.leave_async(user="second", drive=drive, path="New")
    assert drive.files == {}
