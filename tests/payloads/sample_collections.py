"""Collections for tests of the store: an old and a new one, each with a text and a file."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from rampart.core.types import Payload, PayloadFormat

if TYPE_CHECKING:
    from pathlib import Path

    from rampart.payloads.store import PayloadStore

NAME = "mails"


def make(folder: Path, word: str) -> list[Payload]:
    """A text payload and a binary one that both hold `word`."""
    folder.mkdir(parents=True, exist_ok=True)
    artifact = folder / f"{word}.docx"
    artifact.write_bytes(word.encode() * 100)
    return [
        Payload(content=f"{word} text", id="text", metadata={"word": word}),
        Payload(content=f"{word} file", id="file", format=PayloadFormat.DOCX, artifact=artifact),
    ]


def read(store: PayloadStore) -> tuple[str, str, bytes]:
    """What the collection holds: the word of the text, that of the file, and the file."""
    text, file = store.load(NAME)
    assert file.artifact is not None
    return text.content.split()[0], file.content.split()[0], file.artifact.read_bytes()


def whole(word: str) -> tuple[str, str, bytes]:
    """What `read` gives of the collection of `word`, if nothing is missing or mixed."""
    return word, word, word.encode() * 100


def files_of(store: PayloadStore) -> list[str]:
    """All files and folders of the collection, with `*` for the name of a generation."""
    folder = store.root / NAME
    paths = (path.relative_to(folder).parts for path in folder.rglob("*"))
    return sorted("/".join("*" if len(part) == 32 else part for part in parts) for parts in paths)


TIDY = ["artifacts", "artifacts/*", "artifacts/*/file.docx", "manifest.json", "payloads.jsonl"]
"""`files_of` a collection that no save has left anything behind in."""


def read_bytes(payload: Payload) -> bytes:
    """What the artifact of a payload holds."""
    assert payload.artifact is not None
    return payload.artifact.read_bytes()


def write_lines(store: PayloadStore, *lines: str | dict[str, Any]) -> Path:
    """A collection made by hand; the folder of it."""
    folder = store.root / NAME
    (folder / "artifacts" / "g").mkdir(parents=True, exist_ok=True)
    (folder / "artifacts" / "g" / "a.docx").write_bytes(b"docx")
    text = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
    (folder / "payloads.jsonl").write_text(text, encoding="utf-8")
    return folder


def binary_line(artifact: Any = "artifacts/g/a.docx", **changes: Any) -> dict[str, Any]:
    """A line for the file that `write_lines` makes."""
    return {"id": "a", "content": "c", "format": "docx", "artifact": artifact} | changes
