"""The page on PyRIT says what works: its tests run with the real PyRIT and an endpoint on the loopback."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.docs.blocks import parse_blocks
from tests.integrations.pyrit.library import need_pyrit
from tests.integrations.pyrit.openai_server import OpenAIServer

need_pyrit()
pytestmark = pytest.mark.pyrit

_PAGE = Path(__file__).resolve().parents[3] / "docs" / "integrations-pyrit.md"


def test_the_tests_of_the_page_pass(endpoint: OpenAIServer, tmp_path: Path) -> None:
    endpoint.reply("Paris.")
    blocks = [b for b in parse_blocks(_PAGE.read_text(encoding="utf-8")) if b.language == "python"]
    for block in blocks:
        (tmp_path / f"test_line_{block.line}.py").write_text(block.text, encoding="utf-8")
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)],
        cwd=tmp_path,
        env=os.environ | {"MY_ENDPOINT": endpoint.url, "MY_KEY": "key-of-the-test", "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "3 passed" in ran.stdout
    assert len(endpoint.asked) == 1
