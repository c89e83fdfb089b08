"""One payload in one file."""

from __future__ import annotations

import os
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from rampart.core.errors import InfrastructureError
from rampart.surfaces.blocking import run_blocking_async
from rampart.surfaces.file_disk import create, look, overwrite, permissions
from rampart.surfaces.file_folders import claim_folders, leave_folders
from rampart.surfaces.file_names import claim_file, isolation_key, leave_file
from rampart.surfaces.file_original import OriginalRecord, Planting
from rampart.surfaces.file_recovery import holds_planted, is_as_found, put_back, recover_once, settle
from rampart.surfaces.handle import PlantedHandle
from rampart.surfaces.kept_original import keep
from rampart.surfaces.private_file import digest

if TYPE_CHECKING:
    from collections.abc import Callable

    from rampart.core.types import Payload
    from rampart.surfaces.file_content import FileContent
    from rampart.surfaces.undo import Undo

_SMALL_BYTES = 1 << 20


class FileHandle(PlantedHandle):
    """Puts a payload into a file, and the file back as it was.

    Args:
        payload: What is planted.
        surface_name: The file, as reports name it.
        path: The file, as an absolute path; links are followed when it is entered.
        content: How the payload gets into it.
        alone_in: The folder in which nothing else may be planted meanwhile; None if only the file matters.
    """

    def __init__(
        self,
        *,
        payload: Payload,
        surface_name: str,
        path: str,
        content: FileContent,
        alone_in: str | None = None,
    ) -> None:
        super().__init__(payload=payload, surface_name=surface_name, place=path, isolation_key="")
        self._path = path
        self._content = content
        self._alone_in = alone_in
        self._record: OriginalRecord | None = None
        self._planting: Planting | None = None
        self._is_small = True
        self._overwriting = False
        self._complete = False
        self._mode_then: int | None = None
        self._kept: Path | None = None
        self._folders: list[Path] = []
        self._file: tuple[int, int] | None = None

    @cached_property
    def _real_path(self) -> Path:
        return Path(os.path.realpath(self._path))

    @cached_property
    def _key(self) -> str:
        if self._alone_in is not None:
            return f"file:{os.path.normcase(os.path.realpath(self._alone_in))}"
        return isolation_key(self._real_path)

    @property
    def isolation_key(self) -> str:
        """The file itself, whatever links lead to it: handles with the same key never overlap."""
        return self._key

    async def _plant_async(self, undo: Undo) -> None:
        undo.add(self._restore_async)
        self._is_small = self._total_bytes() <= _SMALL_BYTES
        await self._run_async(self._plant)

    async def _restore_async(self) -> None:
        await self._run_async(self._restore)

    async def _run_async(self, work: Callable[[], None]) -> None:
        """Do what is small at once: to hand it over to a thread takes longer."""
        if self._is_small:
            work()
        else:
            await run_blocking_async(work)

    def _total_bytes(self) -> int:
        size = len(self.payload.content)
        for path in (self._real_path, self.payload.artifact):
            if path is not None:
                with suppress(OSError):  # it does not exist, or what is wrong with it shows later
                    size += os.stat(path).st_size  # noqa: PTH116 - no path object need be made for it
        return size

    def _plant(self) -> None:
        recover_once()
        record = self._claim()
        self._file = claim_file(self._real_path)
        found = look(self._real_path)
        content = self._content.with_payload(found.content if found else None, self.payload)
        if found is None:
            self._folders = claim_folders(self._real_path)
        planting = Planting(
            path=self._real_path,
            payload_id=self.payload.id,
            planted=digest(content),
            found=found,
            folders=self._folders,
        )
        record.save(planting)
        self._planting = planting
        if found is None:
            self._real_path.parent.mkdir(parents=True, exist_ok=True)
            create(self._real_path, content)
            self._file = claim_file(self._real_path)
        else:
            self._overwriting = True
            overwrite(self._real_path, content)
        self._mode_then = permissions(self._real_path)
        self._overwriting = False
        self._complete = True

    def _claim(self) -> OriginalRecord:
        record = OriginalRecord.claim(self._real_path)
        try:
            settle(record)
        except BaseException:
            record.let_go()  # what a killed run has left stays for whoever puts it right
            raise
        self._record = record
        return record

    def _restore(self) -> None:
        """Bear that planting got anywhere or nowhere, and being called again after success or failure."""
        try:
            self._put_back_and_leave()
        except (OSError, InfrastructureError) as error:
            where = self._keep_original()
            if where is None:
                raise
            msg = f"{error}; what the file held before is in {where}"
            raise InfrastructureError(msg) from error
        if self._record is not None:
            self._record.release()
        if self._kept is not None:
            self._kept.unlink(missing_ok=True)

    def _keep_original(self) -> str | None:
        """Keep what cannot be put back where somebody finds it, and let others use the file."""
        assert self._record is not None  # nothing fails to be removed that was not claimed
        planting = self._planting
        if planting is None or planting.found is None:
            self._record.release()
            return None
        if self._kept is None:
            try:
                self._kept = keep(os.fspath(planting.path), planting.found.content)
            except OSError:  # there is no room for another copy
                self._record.let_go()
                return f"{self._record.path}, below the first line"
        self._record.release()
        return str(self._kept)

    def _put_back_and_leave(self) -> None:
        try:
            self._put_back()
        finally:  # what could not be put back is not ours any more either
            leave_file(self._real_path, self._file)
            self._file = None

    def _put_back(self) -> None:
        planting = self._planting
        if planting is not None:
            if self._is_ours(planting):
                put_back(planting, mode_then=self._mode_then)
            elif self._complete and not is_as_found(planting):
                msg = "the file was changed meanwhile, so it is left alone: it may still hold the payload"
                raise InfrastructureError(msg)
        self._planting = None
        leave_folders(self._folders)
        self._folders = []

    def _is_ours(self, planting: Planting) -> bool:
        """Whether what the file holds now was written by this handle."""
        if self._complete:
            return holds_planted(planting)
        if self._overwriting:
            return True
        try:  # it may have been interrupted between making the file and saying so
            return holds_planted(planting)
        except (OSError, InfrastructureError):  # what kept it from being made keeps it from being seen
            return False
