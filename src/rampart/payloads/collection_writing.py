"""Replacing a collection as a whole: a reader sees the old one or the new one, whatever happens between."""

from __future__ import annotations

import re
import uuid
from pathlib import Path
from typing import TYPE_CHECKING, Final

from rampart.core.log import log
from rampart.payloads.collection_lines import encode_payload
from rampart.payloads.collection_names import ARTIFACTS
from rampart.payloads.durable_files import (
    copy_durably,
    make_folders,
    remove_empty,
    remove_tree,
    sync_folder,
    write_durably,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rampart.core.types import Payload

LINES: Final = "payloads.jsonl"
MANIFEST: Final = "manifest.json"

_STAGED = re.compile(r"\.(?:payloads\.jsonl|manifest\.json)\.[0-9a-f]{32}\.tmp")
_PLAIN_SUFFIX = re.compile(r"\.[A-Za-z0-9_-]{1,32}")


class Replacement:
    """One replacement of one collection, from its first file to the removal of the old one.

    Args:
        folder: The collection's folder, locked for writing.
        manifest: What `manifest.json` is to hold.
    """

    def __init__(self, folder: Path, *, manifest: str) -> None:
        self._folder = folder
        self._manifest = manifest
        self._generation = uuid.uuid4().hex
        self._home = folder / ARTIFACTS / self._generation
        self._staged = {name: folder / f".{name}.{self._generation}.tmp" for name in (MANIFEST, LINES)}
        self._old_manifest: bytes | None = None
        self._committing = False

    def run(self, payloads: Sequence[Payload]) -> None:
        """Write all, commit, remove what was replaced; on a failure before the commit all is as it was."""
        try:
            self._refuse_links()
            references = self._copy_artifacts(payloads)
            lines = [
                encode_payload(payload, artifact=reference)
                for payload, reference in zip(payloads, references, strict=True)
            ]
            write_durably(self._staged[MANIFEST], self._manifest + "\n")
            write_durably(self._staged[LINES], "\n".join(lines) + "\n")
            self._commit()
        except BaseException:  # whatever it was, also Ctrl-C, goes on after its traces are gone
            if not self._committed():
                self._roll_back()
            raise
        self._remove_replaced()

    def _refuse_links(self) -> None:
        artifacts = self._folder / ARTIFACTS
        if artifacts.is_symlink():
            msg = f"{artifacts} is a link, and escapes the collection; make a folder of it"
            raise ValueError(msg)

    def _copy_artifacts(self, payloads: Sequence[Payload]) -> list[str | None]:
        if all(payload.format.is_text for payload in payloads):
            return [None] * len(payloads)
        make_folders(self._home)
        references = [self._copy_artifact(payload) for payload in payloads]
        sync_folder(self._home)
        return references

    def _copy_artifact(self, payload: Payload) -> str | None:
        if payload.format.is_text:
            return None
        source = artifact_source(payload)
        name = artifact_name(payload, source)
        try:
            copy_durably(source, self._home / name)
        except FileExistsError:  # a file system that takes capital and small letters for the same
            raise ValueError(shared_name(name)) from None
        return f"{ARTIFACTS}/{self._generation}/{name}"

    def _commit(self) -> None:
        manifest = self._folder / MANIFEST
        self._old_manifest = manifest.read_bytes() if manifest.is_file() else None
        self._committing = True
        self._staged[MANIFEST].replace(manifest)
        self._staged[LINES].replace(self._folder / LINES)
        # Before the old artifacts go: if the renames got lost, the old collection would need them.
        sync_folder(self._folder)

    def _committed(self) -> bool:
        """Whether the last rename took place; asked of the disk, since Ctrl-C may come right after it."""
        return self._committing and not self._staged[LINES].exists()

    def _roll_back(self) -> None:
        if self._committing and not self._staged[MANIFEST].exists():
            self._restore_manifest()
        for staged in self._staged.values():
            staged.unlink(missing_ok=True)
        remove_tree(self._home)
        remove_empty([self._home.parent])

    def _restore_manifest(self) -> None:
        manifest = self._folder / MANIFEST
        if self._old_manifest is None:
            manifest.unlink(missing_ok=True)
            return
        staged = self._staged[MANIFEST]
        staged.write_bytes(self._old_manifest)
        staged.replace(manifest)

    def _remove_replaced(self) -> None:
        try:
            remove_leftovers(self._folder, keep=self._generation)
        except OSError as error:
            # The new collection is complete; what is left is removed by the next save.
            log.warning(
                "What was replaced in the payload collection %s is still there: %s", self._folder, error
            )


def remove_leftovers(folder: Path, *, keep: str | None) -> None:
    """Remove the artifacts of all generations but one, and what a killed save had begun."""
    for path in folder.iterdir():
        if _STAGED.fullmatch(path.name):
            remove_tree(path)
    artifacts = folder / ARTIFACTS
    if artifacts.is_symlink() or not artifacts.is_dir():
        return
    for path in artifacts.iterdir():
        if path.name != keep:
            remove_tree(path)
    remove_empty([artifacts])


def artifact_source(payload: Payload) -> Path:
    """The file of a binary payload.

    Raises:
        FileNotFoundError: If there is no such file any more.
        ValueError: If the payload has none.
    """
    if payload.artifact is None:
        msg = f"payload {payload.id!r} of format {payload.format.value!r} has no artifact"
        raise ValueError(msg)
    source = Path(payload.artifact)
    if not source.is_file():
        msg = f"Artifact file does not exist: {source} (payload {payload.id!r})"
        raise FileNotFoundError(msg)
    return source


def artifact_name(payload: Payload, source: Path) -> str:
    """The name under which a collection keeps an artifact."""
    plain = _PLAIN_SUFFIX.fullmatch(source.suffix) is not None
    return payload.id + (source.suffix if plain else payload.format.extension)


def shared_name(name: str) -> str:
    """What to say of two artifacts of one name."""
    return f"two artifacts would share the name {name!r}; give the payloads distinct ids"
