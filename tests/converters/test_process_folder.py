"""The temporary folder of documents ends with its process, however that ends short of being killed."""

import subprocess
import sys
from pathlib import Path

import pytest

CONVERT = """
import asyncio, os, sys
from rampart.converters import DocxConverter
from rampart.core.types import Payload

def convert(content, id="one"):
    made = asyncio.run(DocxConverter().convert_async(payload=Payload(content=content, id=id)))
    assert made.artifact.is_file()
    return made.artifact
"""
ENDINGS = {
    "end": "print(convert('a').parent.name)",
    "exception": "print(convert('a').parent.name, flush=True); raise SystemExit(3)",
    "fork": """
first = convert("a")
child = os.fork()
if child == 0:
    second = convert("b")
    assert second.parent == first.parent and second.name == "one-2.docx"
    sys.exit()
assert os.waitpid(child, 0)[1] == 0
assert first.is_file() and (first.parent / "one-2.docx").is_file()
print(first.parent.name)
""",
    "fork-before-the-first-use": """
child = os.fork()
name = convert("a").parent.name
if child == 0:
    sys.exit()
assert os.waitpid(child, 0)[1] == 0
print(name)
""",
    "removed-meanwhile": """
import shutil
first = convert("a")
shutil.rmtree(first.parent)
print(convert("a").parent.name)
""",
}
POOLS = """
import multiprocessing

if __name__ == "__main__":
    with multiprocessing.get_context("%s").Pool(2) as pool:
        paths = pool.map(convert, ["a", "b", "c", "d"])
        pool.close()
        pool.join()
    print(paths[0].parent.name)
"""


def run(program: str, *, folder: Path) -> subprocess.CompletedProcess[str]:
    script = folder / "program.py"
    script.write_text(CONVERT + program, encoding="utf-8")
    temporary = folder / "tmp"
    temporary.mkdir()
    return subprocess.run(
        [sys.executable, str(script)],
        env={"TMPDIR": str(temporary), "PYTHONPATH": "", "PATH": ""},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize("ending", ENDINGS)
def test_nothing_is_left(ending: str, tmp_path: Path) -> None:
    if "fork" in ending and sys.platform == "win32":
        pytest.skip("Windows cannot fork")
    ended = run(ENDINGS[ending], folder=tmp_path)
    assert ended.returncode == (3 if ending == "exception" else 0), ended.stderr
    assert ended.stdout.startswith("rampart-payloads-")
    assert list((tmp_path / "tmp").iterdir()) == []


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_nothing_is_left_by_the_children_of_multiprocessing(method: str, tmp_path: Path) -> None:
    ended = run(POOLS % method, folder=tmp_path)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.startswith("rampart-payloads-")
    assert list((tmp_path / "tmp").iterdir()) == []


def test_nothing_is_left_by_the_workers_of_xdist(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    pytester.makepyfile(
        CONVERT
        + """
import pytest

@pytest.mark.parametrize("content", "abcd")
def test_converts(content):
    assert convert(content).parent.name.startswith("rampart-payloads-")
"""
    )
    result = pytester.runpytest_subprocess("-n2", "-p", "no:cacheprovider")
    result.assert_outcomes(passed=4)
    assert list(temporary.glob("rampart-payloads-*")) == []
