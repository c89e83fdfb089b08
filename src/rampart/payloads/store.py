"""Payloads kept on disk, so that what was generated once is tested again and again."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from rampart.core.errors import SchemaError
from rampart.core.types import Payload, PayloadFormat, validate_payload_id
from rampart.payloads.collection_lines import decode_payloads, encode_json, encode_payload
from rampart.payloads.collection_lock import writing_alone
from rampart.payloads.collection_names import ARTIFACTS, validate_collection_name
from rampart.payloads.collection_writing import (
    LINES,
    MANIFEST,
    Replacement,
    artifact_name,
    artifact_source,
    remove_leftovers,
    shared_name,
)
from rampart.payloads.durable_files import make_folders, missing_folders, remove_empty, remove_tree

if TYPE_CHECKING:
    from collections.abc import Sequence

DEFAULT_ROOT = Path(".rampart/payloads")


class PayloadStore:
    """Named collections of payloads, each a folder.

    `<root>/<name>/payloads.jsonl` holds one payload a line, `manifest.json` beside it says what there is and
    where it came from, `artifacts/` holds the files of binary payloads. Everything beyond ASCII is written
    escaped, so that invisible characters show in a diff.

    A save replaces a collection as a whole: whoever reads meanwhile, and whoever reads after a crash, gets
    the old one or the new one. Saves of one collection take turns, except on Windows, where the caller has
    to see to that. Windows also refuses names such as `NUL` or `a.`, and takes `A` and `a` for the same.

    Args:
        root: The folder of all collections; `.rampart/payloads` by default. It is made when it is needed.
    """

    DEFAULT_ROOT: ClassVar[Path] = DEFAULT_ROOT

    def __init__(self, *, root: Path | None = None) -> None:
        self.root = DEFAULT_ROOT if root is None else Path(root)

    def save(self, name: str, *, payloads: Sequence[Payload], provenance: Any = None) -> Path:
        """Make `payloads` the collection, in place of what it was.

        Metadata is kept as JSON keeps it: tuples come back as lists, keys as texts.

        Args:
            name: Letters, digits, dots, underscores and hyphens.
            payloads: At least one. Ids may repeat, but two files of one id need different endings.
            provenance: Where they came from, for people: any JSON value.

        Returns:
            The collection's folder.

        Raises:
            ValueError: If the name or an id is invalid, there are no payloads, two artifacts would share a
                name, or something cannot be stored as JSON.
            TypeError: If one of them is no payload, or its content no text.
            FileNotFoundError: If an artifact is gone.
            OSError: If it cannot be written; the old collection is then as it was.
        """
        folder = self._folder(name)
        kept = list(payloads)
        _check(kept, collection=name)
        manifest = {
            "collection": name,
            "count": len(kept),
            "formats": sorted({payload.format.value for payload in kept}),
            "provenance": provenance,
        }
        text = encode_json(manifest, what="provenance", indent=2)
        missing = missing_folders(folder)
        try:
            make_folders(folder)
            with writing_alone(folder):
                Replacement(folder, manifest=text).run(kept)
        except BaseException:
            remove_empty(missing)
            raise
        return folder

    def load(self, name: str, *, format_filter: PayloadFormat | None = None) -> list[Payload]:
        """The payloads of a collection, in the order in which they were saved.

        The paths of artifacts are valid until the collection is saved again or deleted.

        Args:
            name: The collection.
            format_filter: The only format to give back; None gives all.

        Raises:
            FileNotFoundError: If the collection, or an artifact, is not there.
            ValueError: If a name, an id, a line or the place of an artifact is invalid.
        """
        folder = self._folder(name)
        if format_filter is not None and not isinstance(format_filter, PayloadFormat):
            msg = f"format_filter must be a PayloadFormat, got {format_filter!r}"
            raise TypeError(msg)
        text = self._lines(name)
        while True:
            try:
                return list(decode_payloads(text, folder=folder, format_filter=format_filter))
            except FileNotFoundError:
                # A save may have removed the old artifacts meanwhile; then there is a new collection.
                before, text = text, self._lines(name)
                if text == before:
                    raise

    def exists(self, name: str) -> bool:
        """Whether there is a collection of this name."""
        return (self._folder(name) / LINES).is_file()

    def list_collections(self) -> list[str]:
        """The names of all collections, sorted."""
        if not self.root.is_dir():
            return []
        return sorted(path.name for path in self.root.iterdir() if _is_collection(path))

    def delete(self, name: str) -> None:
        """Remove a collection; nothing happens if there is none.

        Files in its folder that no save made are left where they are.
        """
        folder = self._folder(name)
        if folder.is_symlink():
            if _is_collection(folder):
                folder.unlink()  # what it points at belongs to somebody else
            return
        if not _is_collection(folder):
            return
        with suppress(FileNotFoundError), writing_alone(folder):  # deleted while this one waited
            (folder / LINES).unlink()  # from here on there is no collection, whatever is left
            remove_tree(folder / MANIFEST)
            if (folder / ARTIFACTS).is_symlink():
                remove_tree(folder / ARTIFACTS)
            remove_leftovers(folder, keep=None)
            remove_empty([folder])

    def manifest(self, name: str) -> dict[str, Any]:
        """What `manifest.json` says of a collection.

        Raises:
            FileNotFoundError: If there is none.
            ValueError: If it is malformed.
        """
        path = self._folder(name) / MANIFEST
        if not path.is_file():
            msg = f"No manifest for collection '{name}'"
            raise FileNotFoundError(msg)
        try:
            manifest = json.loads(path.read_text(encoding="utf-8"))
        except (ValueError, RecursionError):
            manifest = None
        if not isinstance(manifest, dict):
            msg = f"{path} is no JSON object"
            raise SchemaError(msg)
        return manifest

    def _folder(self, name: str) -> Path:
        return self.root / validate_collection_name(name)

    def _lines(self, name: str) -> str:
        path = self._folder(name) / LINES
        try:
            data = path.read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            msg = f"Collection '{name}' not found in {self.root}"
            raise FileNotFoundError(msg) from None
        try:
            return data.decode()
        except UnicodeDecodeError:
            msg = f"{path} is no UTF-8 text"
            raise SchemaError(msg) from None


def _is_collection(path: Path) -> bool:
    try:
        validate_collection_name(path.name)
    except ValueError:
        return False
    return (path / LINES).is_file()


def _check(payloads: list[Payload], *, collection: str) -> None:
    """Refuse what cannot be kept before anything is touched."""
    if not payloads:
        msg = f"collection {collection!r} would be empty; save at least one payload"
        raise ValueError(msg)
    names: set[str] = set()
    for payload in payloads:
        if not isinstance(payload, Payload):
            msg = f"payloads must be Payload objects, got {type(payload).__name__}"
            raise TypeError(msg)
        validate_payload_id(payload.id)
        fields: tuple[object, object] = (payload.content, payload.metadata)
        if not isinstance(fields[0], str) or not isinstance(fields[1], dict):
            msg = f"payload {payload.id!r} must have a text as content and a dict as metadata"
            raise TypeError(msg)
        artifact = None
        if payload.format.is_binary:
            artifact = artifact_name(payload, artifact_source(payload))
            if artifact in names:
                raise ValueError(shared_name(artifact))
            names.add(artifact)
        encode_payload(payload, artifact=artifact)
