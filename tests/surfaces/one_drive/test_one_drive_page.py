"""The page on OneDrive says what works: its tests run against a Graph on the loopback."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.docs.blocks import parse_blocks
from tests.surfaces.one_drive.conftest import FOLDER
from tests.surfaces.one_drive.graph_server import DRIVE, GraphServer
from tests.surfaces.one_drive.sdk import need_sdk

need_sdk()
pytestmark = pytest.mark.onedrive

_ROOT = Path(__file__).resolve().parents[3]

_CONFTEST = """
import pytest
from tests.surfaces.one_drive.client import open_client

@pytest.fixture
async def graph_client():
    async with open_client({url!r}) as client:
        yield client
"""


def test_the_tests_of_the_page_pass(graph: GraphServer, untouched: dict[str, bytes], tmp_path: Path) -> None:
    page = (_ROOT / "docs" / "attacks" / "onedrive.md").read_text(encoding="utf-8")
    texts = [block.text for block in parse_blocks(page) if block.language == "python"]
    sign_in, *tests = texts
    assert "def graph_client" in sign_in
    assert all(f'"{FOLDER}"' in text for text in tests)
    (tmp_path / "conftest.py").write_text(_CONFTEST.format(url=graph.url), encoding="utf-8")
    for number, text in enumerate(tests):
        (tmp_path / f"test_page_{number}.py").write_text(text, encoding="utf-8")
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)],
        cwd=tmp_path,
        env=os.environ | {"AGENT_DRIVE_ID": DRIVE, "PYTHONPATH": str(_ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "2 passed" in ran.stdout
    assert [request.method for request in graph.requests].count("PUT") == 2
    assert graph.files == untouched


def test_the_signing_in_of_the_page_can_be_imported(tmp_path: Path) -> None:
    page = (_ROOT / "docs" / "attacks" / "onedrive.md").read_text(encoding="utf-8")
    script = tmp_path / "sign_in.py"
    script.write_text(parse_blocks(page)[1].text, encoding="utf-8")
    ran = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
