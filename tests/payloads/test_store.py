"""Collections on disk: what comes back, and how it lies there."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.payloads.sample_collections import NAME, TIDY, files_of, make, read, read_bytes, whole

from rampart import Payload, PayloadFormat
from rampart.payloads import PayloadStore

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege on Windows")


@pytest.fixture
def store(tmp_path: Path) -> PayloadStore:
    return PayloadStore(root=tmp_path / "store")


def lines_of(store: PayloadStore) -> list[dict[str, Any]]:
    text = (store.root / NAME / "payloads.jsonl").read_text(encoding="ascii")
    assert text.endswith("\n")
    return [json.loads(line) for line in text.splitlines()]


class TestRoot:
    def test_the_default_is_below_the_working_folder(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        assert PayloadStore.DEFAULT_ROOT == PayloadStore().root == Path(".rampart/payloads")
        folder = PayloadStore().save(NAME, payloads=[Payload(content="x")])
        assert folder == Path(".rampart/payloads") / NAME
        assert (tmp_path / ".rampart" / "payloads" / NAME / "manifest.json").is_file()

    def test_artifacts_are_found_from_another_working_folder(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        store = PayloadStore(root=Path("here"))
        store.save(NAME, payloads=make(tmp_path, "old"))
        [file] = store.load(NAME, format_filter=PayloadFormat.DOCX)
        monkeypatch.chdir(tmp_path / "here")
        assert file.artifact is not None
        assert file.artifact.read_bytes() == b"old" * 100

    def test_making_a_store_touches_nothing(self, store: PayloadStore) -> None:
        assert store.list_collections() == []
        assert not store.root.exists()


class TestRoundTrip:
    def test_payloads_come_back_in_order(self, store: PayloadStore, tmp_path: Path) -> None:
        payloads = [
            *make(tmp_path, "old"),
            Payload(
                content="<b>", id="text", format=PayloadFormat.HTML, metadata={"n": [1, None, {"x": True}]}
            ),
        ]
        assert store.save(NAME, payloads=payloads) == store.root / NAME
        loaded = store.load(NAME)
        assert [(p.content, p.id, p.format, p.metadata) for p in loaded] == [
            (p.content, p.id, p.format, p.metadata) for p in payloads
        ]
        assert [p.artifact is None for p in loaded] == [True, False, True]
        assert read_bytes(loaded[1]) == b"old" * 100

    @settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30, deadline=None)
    @given(content=st.text(), key=st.text(), value=st.text())
    def test_any_text_survives(self, store: PayloadStore, content: str, key: str, value: str) -> None:
        store.save(NAME, payloads=[Payload(content=content, id="a", metadata={key: value})])
        [loaded] = store.load(NAME)
        assert (loaded.content, loaded.metadata) == (content, {key: value})

    @pytest.mark.parametrize("text", ["\ud800", "a\u2028b\u0085c\x1dd", "\U000e0041"], ids=ascii)
    def test_strange_text_survives(self, store: PayloadStore, text: str) -> None:
        store.save(NAME, payloads=[Payload(content=text), Payload(content="next")])
        assert [payload.content for payload in store.load(NAME)] == [text, "next"]

    def test_ids_may_repeat_where_files_do_not(self, store: PayloadStore, tmp_path: Path) -> None:
        [text, file] = make(tmp_path, "old")
        payloads = [text, text, file, Payload(content="plain", id=file.id)]
        store.save(NAME, payloads=payloads)
        assert [payload.id for payload in store.load(NAME)] == ["text", "text", "file", "file"]

    @pytest.mark.parametrize("wanted", [PayloadFormat.TEXT, PayloadFormat.DOCX, PayloadFormat.PDF], ids=str)
    def test_one_format_is_given_back(
        self, wanted: PayloadFormat, store: PayloadStore, tmp_path: Path
    ) -> None:
        payloads = make(tmp_path, "old")
        store.save(NAME, payloads=payloads)
        found = [payload.id for payload in store.load(NAME, format_filter=wanted)]
        assert found == [payload.id for payload in payloads if payload.format is wanted]

    def test_a_format_is_a_member(self, store: PayloadStore) -> None:
        store.save(NAME, payloads=[Payload(content="x")])
        with pytest.raises(TypeError, match="format_filter must be a PayloadFormat, got 'text'"):
            store.load(NAME, format_filter="text")  # type: ignore[arg-type]  # what a user may try


class TestFiles:
    def test_the_manifest(self, store: PayloadStore, tmp_path: Path) -> None:
        provenance = {"model": "m", "runs": [1, 2]}
        store.save(NAME, payloads=make(tmp_path, "old"), provenance=provenance)
        manifest = {"collection": NAME, "count": 2, "formats": ["docx", "text"], "provenance": provenance}
        assert store.manifest(NAME) == manifest
        text = (store.root / NAME / "manifest.json").read_text(encoding="utf-8")
        assert text == json.dumps(manifest, indent=2) + "\n"

    def test_the_provenance_may_be_missing(self, store: PayloadStore) -> None:
        store.save(NAME, payloads=[Payload(content="x"), Payload(content="y")])
        assert store.manifest(NAME) == {
            "collection": NAME,
            "count": 2,
            "formats": ["text"],
            "provenance": None,
        }

    def test_the_lines(self, store: PayloadStore, tmp_path: Path) -> None:
        store.save(NAME, payloads=make(tmp_path, "old"))
        text, file = lines_of(store)
        assert text == {"id": "text", "content": "old text", "format": "text", "metadata": {"word": "old"}}
        generation = file.pop("artifact").split("/")[1]
        assert file == {"id": "file", "content": "old file", "format": "docx", "metadata": {}}
        assert (store.root / NAME / "artifacts" / generation / "file.docx").read_bytes() == b"old" * 100
        assert files_of(store) == TIDY

    @pytest.mark.parametrize(
        ("name", "kept"),
        [
            pytest.param("a.docm", "file.docm", id="ending-of-the-source"),
            pytest.param("a", "file.docx", id="no-ending"),
            pytest.param("a.x y", "file.docx", id="ending-that-is-no-plain-word"),
            pytest.param("a.\N{CYRILLIC SMALL LETTER ES}", "file.docx", id="ending-in-other-letters"),
        ],
    )
    def test_the_ending_of_an_artifact(
        self, name: str, kept: str, store: PayloadStore, tmp_path: Path
    ) -> None:
        (tmp_path / name).write_bytes(b"x")
        file = Payload(content="c", id="file", format=PayloadFormat.DOCX, artifact=tmp_path / name)
        store.save(NAME, payloads=[file])
        [line] = lines_of(store)
        assert line["artifact"].split("/")[2:] == [kept]

    def test_texts_alone_make_no_folder_for_artifacts(self, store: PayloadStore) -> None:
        store.save(NAME, payloads=[Payload(content="x")])
        assert files_of(store) == ["manifest.json", "payloads.jsonl"]

    def test_a_save_replaces_all(self, store: PayloadStore, tmp_path: Path) -> None:
        store.save(NAME, payloads=make(tmp_path, "old"))
        store.save(NAME, payloads=make(tmp_path, "new"))
        assert read(store) == whole("new")
        assert files_of(store) == TIDY
        store.save(NAME, payloads=[Payload(content="x")])
        assert files_of(store) == ["manifest.json", "payloads.jsonl"]

    def test_what_was_loaded_can_be_saved_again(self, store: PayloadStore, tmp_path: Path) -> None:
        store.save(NAME, payloads=make(tmp_path, "old"))
        store.save(NAME, payloads=store.load(NAME))
        assert read(store) == whole("old")


class TestCollections:
    def test_a_collection_is_a_folder_with_payloads(self, store: PayloadStore) -> None:
        for name in ("b", "a", "C.1_x-y"):
            store.save(name, payloads=[Payload(content=name)])
        (store.root / "empty").mkdir()
        (store.root / "no name").mkdir()
        (store.root / "no name" / "payloads.jsonl").touch()
        (store.root / "file").touch()
        assert store.list_collections() == ["C.1_x-y", "a", "b"]
        assert [store.exists(name) for name in ("a", "empty", "file", "absent")] == [
            True,
            False,
            False,
            False,
        ]

    def test_what_is_absent(self, store: PayloadStore) -> None:
        assert not store.exists(NAME)
        with pytest.raises(FileNotFoundError, match=f"'{NAME}' not found in"):
            store.load(NAME)
        with pytest.raises(FileNotFoundError, match=f"^No manifest for collection '{NAME}'$"):
            store.manifest(NAME)
        store.delete(NAME)

    def test_deletion(self, store: PayloadStore, tmp_path: Path) -> None:
        store.save(NAME, payloads=make(tmp_path, "old"))
        store.save("other", payloads=[Payload(content="x")])
        store.delete(NAME)
        store.delete(NAME)
        assert store.list_collections() == ["other"]
        assert not (store.root / NAME).exists()

    def test_deletion_leaves_what_no_save_made(self, store: PayloadStore, tmp_path: Path) -> None:
        store.save(NAME, payloads=make(tmp_path, "old"))
        (store.root / NAME / "notes.md").write_text("mine", encoding="utf-8")
        (store.root / "plain").mkdir()
        (store.root / "plain" / "artifacts").mkdir()
        store.delete(NAME)
        store.delete("plain")
        assert not store.exists(NAME)
        assert files_of(store) == ["notes.md"]
        assert (store.root / "plain" / "artifacts").is_dir()

    @posix_only
    def test_deletion_of_a_link_leaves_what_it_points_at(self, store: PayloadStore, tmp_path: Path) -> None:
        elsewhere = PayloadStore(root=tmp_path / "elsewhere")
        elsewhere.save(NAME, payloads=make(tmp_path, "old"))
        store.root.mkdir()
        (store.root / NAME).symlink_to(elsewhere.root / NAME)
        assert read(store) == whole("old")
        store.delete(NAME)
        assert store.list_collections() == []
        assert read(elsewhere) == whole("old")
