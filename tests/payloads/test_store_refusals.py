"""What the store refuses: names, payloads, files of a collection that are not what they should be."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pytest
from tests.payloads.sample_collections import NAME, binary_line, make, read, read_bytes, whole, write_lines

from rampart import Payload, PayloadFormat
from rampart.payloads import PayloadStore

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

INVALID_NAMES = ["", ".", "..", "a/b", "../a", "a b", "a\\b", "ä", "a\n", "a:b", 7, None]
posix_only = pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege on Windows")


@pytest.fixture
def store(tmp_path: Path) -> PayloadStore:
    return PayloadStore(root=tmp_path / "store")


class TestNames:
    @pytest.mark.parametrize("name", INVALID_NAMES, ids=repr)
    @pytest.mark.parametrize("method", ["save", "load", "exists", "delete", "manifest"])
    def test_each_method_refuses_them(self, method: str, name: Any, store: PayloadStore) -> None:
        calls: dict[str, Callable[[], object]] = {
            "save": lambda: store.save(name, payloads=[Payload(content="x")]),
            "load": lambda: store.load(name),
            "exists": lambda: store.exists(name),
            "delete": lambda: store.delete(name),
            "manifest": lambda: store.manifest(name),
        }
        with pytest.raises(ValueError, match=r"^Invalid collection name: ") as caught:
            calls[method]()
        assert repr(name) in str(caught.value)
        assert not store.root.exists()


def _without_text() -> Payload:
    """A payload whose text somebody has replaced."""
    payload = Payload(content="x")
    payload.content = b"x"  # type: ignore[assignment]  # what a user may do
    return payload


class TestRefusedSaves:
    @pytest.mark.parametrize(
        ("payloads", "error", "complaint"),
        [
            pytest.param([], ValueError, "empty", id="nothing"),
            pytest.param(["text"], TypeError, "must be Payload objects, got str", id="no-payload"),
            pytest.param([_without_text()], TypeError, "'a' must have a text", id="no-text"),
            pytest.param(
                [Payload(content="x", metadata={"n": float("nan")})], ValueError, "'a'.*JSON", id="nan"
            ),
            pytest.param([Payload(content="x", metadata={"n": {1, 2}})], ValueError, "'a'.*JSON", id="set"),
            pytest.param([Payload(content="x", metadata=[])], TypeError, "a dict as metadata", id="list"),  # type: ignore[arg-type]  # what a user may try
        ],
    )
    def test_payloads(
        self, payloads: list[Any], error: type[Exception], complaint: str, store: PayloadStore
    ) -> None:
        for payload in payloads:
            if isinstance(payload, Payload):
                payload.id = "a"
        with pytest.raises(error, match=complaint):
            store.save(NAME, payloads=payloads)
        assert not store.root.exists()

    @pytest.mark.parametrize("payload_id", ["../x", "", "a/b"], ids=repr)
    def test_ids_are_checked_again(self, payload_id: str, store: PayloadStore) -> None:
        payload = Payload(content="x")
        payload.id = payload_id
        with pytest.raises(ValueError, match="Invalid payload id"):
            store.save(NAME, payloads=[payload])
        assert not store.root.exists()

    def test_provenance_that_is_no_json(self, store: PayloadStore) -> None:
        with pytest.raises(ValueError, match="provenance cannot be stored as JSON"):
            store.save(NAME, payloads=[Payload(content="x")], provenance=object())
        assert not store.root.exists()

    def test_artifacts_of_one_name(self, store: PayloadStore, tmp_path: Path) -> None:
        [_, file] = make(tmp_path, "old")
        with pytest.raises(ValueError, match=r"two artifacts would share the name 'file\.docx'"):
            store.save(NAME, payloads=[file, file])
        assert not store.root.exists()

    def test_an_artifact_that_is_gone(self, store: PayloadStore, tmp_path: Path) -> None:
        store.save(NAME, payloads=make(tmp_path, "old"))
        new = make(tmp_path, "new")
        assert new[1].artifact is not None
        new[1].artifact.unlink()
        with pytest.raises(FileNotFoundError, match=r"Artifact file does not exist: .*new\.docx.*'file'"):
            store.save(NAME, payloads=new)
        assert read(store) == whole("old")

    def test_an_artifact_that_was_taken_away(self, store: PayloadStore, tmp_path: Path) -> None:
        [_, file] = make(tmp_path, "old")
        file.artifact = None
        with pytest.raises(ValueError, match="payload 'file' of format 'docx' has no artifact"):
            store.save(NAME, payloads=[file])

    @posix_only
    def test_a_folder_for_artifacts_that_leads_away(self, store: PayloadStore, tmp_path: Path) -> None:
        (tmp_path / "precious" / "x").mkdir(parents=True)
        (store.root / NAME).mkdir(parents=True)
        (store.root / NAME / "artifacts").symlink_to(tmp_path / "precious")
        with pytest.raises(ValueError, match="is a link, and escapes"):
            store.save(NAME, payloads=make(tmp_path, "new"))
        assert (tmp_path / "precious" / "x").is_dir()
        assert not store.exists(NAME)


class TestMalformedFiles:
    def test_blank_lines_and_missing_metadata_are_fine(self, store: PayloadStore) -> None:
        write_lines(store, "", {"id": "a", "content": "c", "format": "text"}, " \t", "")
        assert [(payload.id, payload.metadata) for payload in store.load(NAME)] == [("a", {})]

    @pytest.mark.parametrize(
        ("line", "complaint"),
        [
            pytest.param("{", "line 2 of .* is no JSON", id="no-json"),
            pytest.param("[" * 100_000, "line 2 of .* is no JSON", id="too-deep"),
            pytest.param("[]", "line 2 of .* is no JSON object", id="no-object"),
            pytest.param({"content": "c", "format": "text"}, "Invalid payload id: None", id="no-id"),
            pytest.param(
                {"id": "../a", "content": "c", "format": "text"}, "Invalid payload id: '../a'", id="id"
            ),
            pytest.param({"id": "a", "format": "text"}, "line 2 .*'content' must be a text", id="no-content"),
            pytest.param(
                {"id": "a", "content": "c"}, "line 2 .*'format' must be one of text", id="no-format"
            ),
            pytest.param(
                {"id": "a", "content": "c", "format": "tex"}, "'format' must be one of text", id="format"
            ),
            pytest.param({"id": "a", "content": "c", "format": []}, "'format' must be", id="format-type"),
            pytest.param(
                {"id": "a", "content": "c", "format": "text", "metadata": 1}, "'metadata' must", id="metadata"
            ),
            pytest.param(
                {"id": "a", "content": "c", "format": "text", "artifact": "artifacts/g/a.docx"},
                "the format 'text' has no 'artifact'",
                id="text-with-artifact",
            ),
        ],
    )
    def test_lines(self, line: str | dict[str, Any], complaint: str, store: PayloadStore) -> None:
        write_lines(store, {"id": "a", "content": "c", "format": "text"}, line)
        with pytest.raises(ValueError, match=complaint):
            store.load(NAME)

    def test_lines_that_are_no_text(self, store: PayloadStore) -> None:
        (write_lines(store) / "payloads.jsonl").write_bytes(b"\xff")
        with pytest.raises(ValueError, match="is no UTF-8 text"):
            store.load(NAME)

    @pytest.mark.parametrize("text", ["{", "[]", "[" * 100_000], ids=["no-json", "no-object", "too-deep"])
    def test_the_manifest(self, text: str, store: PayloadStore) -> None:
        (write_lines(store) / "manifest.json").write_text(text, encoding="utf-8")
        with pytest.raises(ValueError, match=r"manifest\.json is no JSON object"):
            store.manifest(NAME)


class TestArtifactsOnLoad:
    def test_a_plain_one_is_found(self, store: PayloadStore) -> None:
        write_lines(store, binary_line())
        [payload] = store.load(NAME)
        assert read_bytes(payload) == b"docx"

    @pytest.mark.parametrize(
        "reference",
        [
            None,
            7,
            "",
            "artifacts",
            "artifacts/",
            "artifacts/.",
            "a.docx",
            "/artifacts/g/a.docx",
            "artifacts/../payloads.jsonl",
            "artifacts/g/../g/a.docx",
            "../artifacts/g/a.docx",
            "artifacts\\g\\a.docx",
            "artifacts/g\\..\\..\\x",
            "C:/artifacts/a.docx",
            "artifacts/a.docx:stream",
            "artifacts/g/\x00",
        ],
        ids=repr,
    )
    def test_references_are_strictly_below_artifacts(self, reference: Any, store: PayloadStore) -> None:
        write_lines(store, binary_line(reference))
        with pytest.raises(ValueError, match=r"^Invalid artifact path: "):
            store.load(NAME)

    @pytest.mark.parametrize("reference", ["artifacts/g/b.docx", "artifacts/g"], ids=["absent", "folder"])
    def test_a_missing_one(self, reference: str, store: PayloadStore) -> None:
        folder = write_lines(store, binary_line(reference))
        with pytest.raises(FileNotFoundError, match=r"^Missing artifact: ") as caught:
            store.load(NAME)
        assert str(folder / reference) in str(caught.value)

    def test_those_that_nobody_wants_may_be_missing(self, store: PayloadStore) -> None:
        write_lines(store, binary_line("artifacts/g/b.docx"), {"id": "t", "content": "c", "format": "text"})
        assert [payload.id for payload in store.load(NAME, format_filter=PayloadFormat.TEXT)] == ["t"]

    @posix_only
    @pytest.mark.parametrize("target", ["outside", "inside"])
    def test_a_link_out_of_the_artifacts(self, target: str, store: PayloadStore, tmp_path: Path) -> None:
        folder = write_lines(store, binary_line("artifacts/g/link.docx"))
        places = {"outside": tmp_path / "secret", "inside": folder / "payloads.jsonl"}
        (tmp_path / "secret").write_text("secret", encoding="utf-8")
        (folder / "artifacts" / "g" / "link.docx").symlink_to(places[target])
        with pytest.raises(ValueError, match="escapes"):
            store.load(NAME)

    @posix_only
    def test_a_linked_folder_of_artifacts(self, store: PayloadStore, tmp_path: Path) -> None:
        folder = write_lines(store, binary_line("artifacts/a.docx"))
        (folder / "artifacts").rename(tmp_path / "away")
        (tmp_path / "away" / "a.docx").write_bytes(b"secret")
        (folder / "artifacts").symlink_to(tmp_path / "away")
        with pytest.raises(ValueError, match="escapes"):
            store.load(NAME)

    @posix_only
    def test_a_circle_of_links(self, store: PayloadStore) -> None:
        folder = write_lines(store, binary_line("artifacts/g/link.docx"))
        (folder / "artifacts" / "g" / "link.docx").symlink_to("link.docx")
        with pytest.raises((ValueError, FileNotFoundError), match=r"escapes|Missing artifact"):
            store.load(NAME)

    @posix_only
    def test_a_link_that_stays_inside_is_fine(self, store: PayloadStore) -> None:
        folder = write_lines(store, binary_line("artifacts/g/link.docx"))
        (folder / "artifacts" / "g" / "link.docx").symlink_to("a.docx")
        [payload] = store.load(NAME)
        assert read_bytes(payload) == b"docx"
