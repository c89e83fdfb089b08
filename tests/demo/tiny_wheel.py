"""A real wheel with a very small model file in it, and pip set up to find nothing else."""

import base64
import hashlib
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest

from rampart.demo.download import PublishedModel

CONTENT = b"GGUF but small\n" * 100
MEMBER = "tiny_model/tiny.gguf"


@dataclass(frozen=True)
class Index:
    """A folder that pip takes for all there is."""

    folder: Path
    model: PublishedModel

    @property
    def wheel(self) -> Path:
        return self.folder / "tiny_model-1.0-py3-none-any.whl"


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def write_wheel(path: Path, files: dict[str, bytes]) -> None:
    """A wheel in the form of the packaging specifications, RECORD included."""
    info = "tiny_model-1.0.dist-info"
    metadata = [
        "Metadata-Version: 2.1",
        "Name: tiny-model",
        "Version: 1.0",
        "Requires-Dist: no-such-thing",
        "",
    ]
    files = {
        **files,
        f"{info}/METADATA": "\n".join(metadata).encode(),
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = [f"{name},sha256={_urlsafe(data)},{len(data)}" for name, data in files.items()]
    files[f"{info}/RECORD"] = "\n".join([*record, f"{info}/RECORD,,"]).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)


def tiny_index(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Index:
    """Serve one wheel to pip from a folder, by pip's own settings."""
    folder.mkdir()
    wheel = folder / "tiny_model-1.0-py3-none-any.whl"
    write_wheel(wheel, {MEMBER: CONTENT, "tiny_model/__init__.py": b""})
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("PIP_CONFIG_FILE", str(folder / "none.conf"))
    model = PublishedModel(
        distribution="tiny-model",
        version="1.0",
        member=MEMBER,
        wheel_sha256=sha256(wheel.read_bytes()),
        file_sha256=sha256(CONTENT),
        megabytes=1,
        title="a tiny model",
    )
    return Index(folder, model)


def _urlsafe(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
