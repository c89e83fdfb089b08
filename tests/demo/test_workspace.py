"""The folder of a demo run."""

from pathlib import Path

from rampart.demo.claims import CLAIMS
from rampart.demo.workspace import Workspace


def test_suite_is_written_and_hidden_from_git(tmp_path: Path) -> None:
    workspace = Workspace(root=tmp_path / "new" / "folder")
    workspace.prepare()
    names = {path.name for path in workspace.suite.iterdir()}
    assert names == {"conftest.py", "demo.ini", ".gitignore", *(claim.file for claim in CLAIMS)}
    assert (workspace.suite / ".gitignore").read_text() == "*\n"
    assert (workspace.root / ".rampart" / "reports" / ".gitignore").read_text() == "*\n"


def test_each_claim_names_a_test_of_its_file(tmp_path: Path) -> None:
    workspace = Workspace(root=tmp_path)
    workspace.prepare()
    for claim in CLAIMS:
        assert f"async def {claim.test}(" in (workspace.suite / claim.file).read_text()


def test_file_that_was_changed_is_kept_beside(tmp_path: Path) -> None:
    workspace = Workspace(root=tmp_path)
    workspace.prepare()
    mine = workspace.suite / "test_facts.py"
    original = mine.read_text()
    mine.write_text("mine")
    workspace.prepare()
    workspace.prepare()
    assert mine.read_text() == original
    assert (workspace.suite / "test_facts.py.bak").read_text() == "mine"
    assert len(list(workspace.suite.glob("*.bak"))) == 1
